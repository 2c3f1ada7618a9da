//! Synthesis in parallel halves: an assignment that is joined from parts equals the one that was made in one piece.

use bellperson::ConstraintSystem;
use bellperson::groth16::ProvingAssignment;
use blstrs::Scalar as Fr;
use ff::Field;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

/// Adds a part: `inputs` public and some private variables, each in A, B and C by the toss of a coin.
fn add_part(cs: &mut ProvingAssignment<Fr>, seed: u64, inputs: usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut vars = Vec::new();
    for i in 0..inputs {
        vars.push(
            cs.alloc_input(|| "", || Ok(Fr::from(seed + i as u64)))
                .unwrap(),
        );
        vars.push(cs.alloc(|| "", || Ok(Fr::from(i as u64 % 2))).unwrap());
    }
    let one = ProvingAssignment::<Fr>::one();
    for var in vars {
        let coin = rng.next_u32();
        cs.enforce(
            || "",
            |lc| if coin & 1 == 0 { lc + var } else { lc },
            |lc| if coin & 2 == 0 { lc + var } else { lc },
            |lc| {
                if coin & 4 == 0 {
                    lc + (Fr::from(3), var) - one
                } else {
                    lc
                }
            },
        );
        if coin & 24 == 0 {
            cs.enforce(|| "", |lc| lc, |lc| lc + one, |lc| lc);
        }
    }
}

fn new() -> ProvingAssignment<Fr> {
    let mut cs = ProvingAssignment::new();
    cs.alloc_input(|| "", || Ok(Fr::ONE)).unwrap();
    cs
}

#[test]
fn joined_halves_equal_one_piece_at_the_edges_of_words() {
    let sizes = [0, 1, 62, 63, 64, 65, 129];
    for first in sizes {
        for second in sizes {
            let mut whole = new();
            let mut joined = new();
            for (seed, inputs) in [(1, first), (2, second)] {
                add_part(&mut whole, seed, inputs);
                let mut part = new();
                add_part(&mut part, seed, inputs);
                joined.extend(&part);
            }
            assert!(joined == whole, "{first} and {second} inputs");
            for (joined, whole) in [
                (joined.a_aux_density(), whole.a_aux_density()),
                (joined.b_input_density(), whole.b_input_density()),
                (joined.b_aux_density(), whole.b_aux_density()),
            ] {
                assert_eq!(joined, whole);
                let ones: u32 = joined.words.iter().map(|word| word.count_ones()).sum();
                assert_eq!(ones as usize, joined.total);
                assert_eq!(
                    joined.words.len(),
                    joined.len.div_ceil(usize::BITS as usize)
                );
            }
        }
    }
}
