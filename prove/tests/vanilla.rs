//! Vanilla proofs that do not make up a request are refused before anything is synthesised.

mod isolated;

use cuzk_core::filecoin::{FilecoinError, Post, SectorSize, Snap, StorageProof, Update};
use cuzk_prove::sector::{Sector, Tree, window_post};
use filecoin_proofs::FallbackPoStSectorProof;

const SIZE: SectorSize = SectorSize::Kib2;

fn says<T>(result: Result<T, FilecoinError>, text: &str) {
    match result {
        Err(error @ FilecoinError::Vanilla { .. }) => {
            assert!(error.to_string().contains(text), "{error}");
        }
        Err(error) => panic!("{error:?}"),
        Ok(_) => panic!("was taken, though {text}"),
    }
}

#[test]
fn a_proof_of_spacetime_has_sectors_that_answer_all_challenges_once() {
    let name = "a_proof_of_spacetime_has_sectors_that_answer_all_challenges_once";
    let Some(_) = isolated::child(name) else {
        return;
    };
    let sectors = [7, 8].map(|seed| Sector::seal(seed).expect("seals"));
    let [window, both] = [&sectors[..1], &sectors]
        .map(|sectors| window_post(&sectors.iter().collect::<Vec<_>>()).expect("a proof"));
    assert_eq!((window.partitions(), both.partitions()), (1, 1));
    let ids: Vec<u64> = both.sectors().iter().map(|s| s.sector_id.into()).collect();
    assert!(ids.is_sorted(), "as the verifier takes them: {ids:?}");

    let (randomness, prover) = (window.randomness(), window.prover_id());
    let of = |sectors| Post::<Tree>::window(SIZE, randomness, prover, sectors);
    let sector = || {
        let FallbackPoStSectorProof {
            sector_id,
            comm_r,
            ref vanilla_proof,
        } = window.sectors()[0];
        FallbackPoStSectorProof {
            sector_id,
            comm_r,
            vanilla_proof: vanilla_proof.clone(),
        }
    };
    says(of(vec![]), "no sector");
    says(of(vec![sector(), sector()]), "is there twice");
    let mut short = sector();
    short.vanilla_proof.sectors[0].inclusion_proofs.pop();
    says(of(vec![short]), "answers 9 challenges, not 10");
    let mut none = sector();
    none.vanilla_proof.sectors.clear();
    says(of(vec![none]), "has 0 vanilla proofs");
    let winning = Post::<Tree>::winning(SIZE, randomness, prover, sector());
    says(winning, "answers 10 challenges, not 66");

    // Answers to other challenges are noticed as they are put together, and so is an id that is no scalar.
    let other = Post::<Tree>::window(SIZE, [1; 32], prover, vec![sector()]);
    let error = other
        .expect("has the right form")
        .circuits()
        .err()
        .expect("does not hold");
    assert!(matches!(error, FilecoinError::Proofs { .. }), "{error}");
    let no_scalar = Post::<Tree>::window(SIZE, randomness, [0xff; 32], vec![sector()]);
    let error = no_scalar
        .expect("has the right form")
        .public_inputs()
        .expect_err("refused");
    assert!(matches!(error, FilecoinError::Proofs { .. }), "{error}");
}

#[test]
fn an_update_has_vanilla_proofs_that_hold_for_it() {
    let Some(_) = isolated::child("an_update_has_vanilla_proofs_that_hold_for_it") else {
        return;
    };
    let sector = Sector::seal(7).expect("seals");
    let updated = sector.update().expect("encodes");
    let proof = updated.proof().expect("a proof");
    assert_eq!(proof.public_inputs().expect("computed")[0].len(), 4);
    let (update, vanilla) = (updated.update(), proof.vanilla().to_vec());
    let of = |update, vanilla| Snap::<Tree>::new(SIZE, update, vanilla);
    says(of(update, vec![]), "0 partition(s), not 1");
    let doubled = [&vanilla[..], &vanilla].concat();
    says(of(update, doubled), "2 partition(s), not 1");
    let exchanged = Update {
        comm_r_old: update.comm_r_new,
        comm_r_new: update.comm_r_old,
        ..update
    };
    says(of(exchanged, vanilla.clone()), "do not hold");
    let no_scalar = Update {
        comm_d_new: [0xff; 32],
        ..update
    };
    let error = of(no_scalar, vanilla).err().expect("refused");
    assert!(matches!(error, FilecoinError::Proofs { .. }), "{error}");
}
