//! The circuits of `prove/*-mix`, and their parameters.

use std::path::Path;

use anyhow::{Context, Result};
use cuzk_circuits::parameters::public_rng;
use cuzk_circuits::{Blend, BlendCircuit, blend::SIZES};
use cuzk_core::Error;
use cuzk_core::parameters::generate;
use cuzk_harness::Request;

use crate::stored::{self, Stored};

/// Part of the names of parameters. It changes with the circuit, as a test of this module sees to.
const VERSION: u32 = 1;

/// `count` circuits of one batch: one set of matrices, and a witness each.
pub fn circuits(
    blend: Blend,
    seed: u64,
    size: Option<u64>,
    count: usize,
) -> Result<Vec<BlendCircuit>> {
    let size = size.context("a mix has a size: the logarithm of its domain")?;
    // What does not fit is larger than any that is made.
    let log = u32::try_from(size).unwrap_or(u32::MAX);
    let circuit = |index| BlendCircuit::from_seed(blend, seed, index, log);
    let circuits: Option<Vec<_>> = (0..count as u32).map(circuit).collect();
    circuits.with_context(|| {
        format!(
            "a domain of 2^{size} is not made here: --size takes {} to {}",
            SIZES.start,
            SIZES.end - 1
        )
    })
}

/// Generates the parameters unless they are there.
pub fn prepare(blend: Blend, size: Option<u64>, cache: &Path) -> Result<()> {
    let circuit = circuits(blend, 0, size, 1)?.remove(0);
    let make = || -> Result<_, Error> { Ok(generate(|| circuit.clone(), &mut public_rng(), &())?) };
    stored::store(cache).ensure(&name(blend, size), make, &())?;
    Ok(())
}

/// Where the parameters of a request lie. They are made in a process of their own where they are not there.
pub fn parameters(request: &Request, blend: Blend) -> Result<Stored> {
    Stored::of(request, &name(blend, request.size))
}

fn name(blend: Blend, size: Option<u64>) -> String {
    let shape = match blend {
        Blend::Porep => "porep",
        Blend::Post => "post",
        Blend::Stress => "stress",
    };
    format!("{shape}-mix-{}-v{VERSION}", size.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use blstrs::Scalar as Fr;
    use cuzk_circuits::Matrices;
    use cuzk_core::synthesis::{SynthesisOptions, synthesize};

    use super::*;
    use crate::census::Census;

    fn census(blend: Blend, size: u64) -> Census {
        let circuits = circuits(blend, 5, Some(size), 1).expect("a size");
        let synthesis = synthesize(circuits, &SynthesisOptions::default()).expect("synthesised");
        Census::of(&synthesis.assignments[0])
    }

    /// Of all values, in per cent.
    fn near(count: usize, of: usize, expected: f64, tolerance: f64) {
        let share = 100.0 * count as f64 / of as f64;
        let off = (share - expected).abs();
        assert!(off <= tolerance, "{share} %, not {expected} %");
    }

    /// The figures are those of porep-2k, as `census` counts them.
    #[test]
    fn porep_mix_has_the_proportions_of_porep_2k() {
        let census = census(Blend::Porep, 18);
        let aux = census.l.total();
        near(census.constraints, 1 << 18, 97.0, 0.01);
        assert_eq!((census.inputs, census.b_inputs), (40, 1));
        near(census.l.tail(), aux, 1.631, 0.01);
        near(census.l.ones, aux, 47.2, 3.0);
        near(census.a_aux.total(), aux, 99.60, 0.02);
        near(census.a_aux.tail(), aux, 1.235, 0.01);
        near(census.b_aux.total(), aux, 25.53, 0.05);
        near(census.b_aux.tail(), aux, 1.185, 0.01);
        near(census.runs, aux, 100.0 / 17_000.0, 0.001);
        for (row, wide, zeros) in [(0, 1.70, 49.1), (1, 1.18, 49.2), (2, 1.68, 79.8)] {
            let values = &census.rows[row];
            near(values.wide, values.total(), wide, 0.1);
            near(values.zeros, values.total(), zeros, 2.0);
            assert_eq!(values.words + values.longs, 0);
        }
    }

    #[test]
    fn the_other_mixes_are_as_dense_as_promised() {
        let post = census(Blend::Post, 16);
        let aux = post.l.total();
        near(post.l.tail(), aux, 95.0, 0.1);
        // Of window-2k's values that are no bits, 75.9 % are in A and 72.2 % in B.
        near(post.a_aux.tail(), post.l.tail(), 75.9, 0.1);
        near(post.b_aux.tail(), post.l.tail(), 72.2, 0.1);

        let stress = census(Blend::Stress, 16);
        let aux = stress.l.total();
        for tail in [&stress.l, &stress.a_aux, &stress.b_aux] {
            near(tail.tail(), aux, 18.0, 0.1);
        }
    }

    /// Parameters of another circuit under the same name would be found and fit no longer.
    #[test]
    fn a_circuit_that_changes_takes_another_version() {
        let digest = |blend| {
            let circuit = circuits(blend, 0, Some(10), 1).expect("a size").remove(0);
            let matrices = Matrices::of::<Fr, _>(circuit).expect("synthesises");
            matrices.name()[..16].to_owned()
        };
        let digests = [Blend::Porep, Blend::Post, Blend::Stress].map(digest);
        let known = "ff5a4f4fa130f389 245e7be56b876656 802b621a5c8b2433";
        assert_eq!((digests.join(" ").as_str(), VERSION), (known, 1));
    }

    #[test]
    fn sizes_that_are_not_made_are_refused_with_those_that_are() {
        for size in [0, 1, 7, 28, 1 << 32] {
            let error = circuits(Blend::Porep, 0, Some(size), 1).expect_err("refused");
            assert!(error.to_string().contains("8 to 27"), "{error}");
            assert!(error.to_string().contains(&format!("2^{size} ")), "{error}");
        }
    }
}
