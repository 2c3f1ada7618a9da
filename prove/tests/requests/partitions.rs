//! One partition, synthesised alone: bit for bit as in the batch of all.

use cuzk_core::filecoin::{FilecoinWork, ProofRequest};
use cuzk_core::job::{Tools, Work};
use cuzk_core::recorded::Recording;
use cuzk_core::synthesis::SynthesisOptions;
use cuzk_prove::sector::{Sector, window_post};

use crate::common::{SIZE, encoded, is_reserved_for, json, of_2k, sources};
use crate::isolated;

/// Plainly and from a recording, each partition is that of the whole.
fn are_those_of_the_whole(request: impl Fn() -> ProofRequest) {
    let circuit = request().circuit_id();
    let whole = request().read().expect("holds");
    let whole = whole
        .synthesize(&SynthesisOptions::default())
        .expect("synthesises");
    let recording = circuit.record().expect("records");
    is_reserved_for(circuit, &recording);
    let work = FilecoinWork::new(request().read().expect("holds")).expect("has inputs");
    assert_eq!(work.inputs(), whole.inputs);
    let tools = |recording| Tools {
        recording,
        cancelled: &|| false,
    };
    for (partition, expected) in whole.synthesis.assignments.iter().enumerate() {
        for recording in [None, Some::<&Recording>(&recording)] {
            let one = work
                .synthesize(partition, &tools(recording))
                .expect("synthesises");
            assert_eq!(one.assignments.len(), 1);
            assert!(one.assignments[0] == *expected, "partition {partition}");
        }
    }
    let none = work.synthesize(work.partitions(), &tools(None));
    assert!(none.is_err(), "there is no such partition");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes without optimisation")]
fn of_a_winning_post() {
    let Some(_) = isolated::child("partitions::of_a_winning_post") else {
        return;
    };
    let sector = Sector::seal(7).expect("seals");
    let post = sector.winning_post().expect("a proof");
    let vanilla = encoded(&post.sectors()[0]);
    are_those_of_the_whole(|| {
        let (randomness, prover) = (post.randomness(), post.prover_id());
        ProofRequest::winning(SIZE, randomness, prover, vanilla.clone(), &sources())
    });
}

/// Three sectors are two partitions, the second filled up.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes without optimisation")]
fn of_a_window_post() {
    let Some(_) = isolated::child("partitions::of_a_window_post") else {
        return;
    };
    let sectors = [7, 8, 9].map(|seed| Sector::seal(seed).expect("seals"));
    let post = window_post(&sectors.each_ref()).expect("a proof");
    let vanilla: Vec<_> = post.sectors().iter().map(encoded).collect();
    are_those_of_the_whole(|| {
        let (randomness, prover) = (post.randomness(), post.prover_id());
        ProofRequest::window(SIZE, randomness, prover, vanilla.clone(), None, &sources())
    });
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes without optimisation")]
fn of_a_replication() {
    let Some(_) = isolated::child("partitions::of_a_replication") else {
        return;
    };
    let c1 = Sector::seal(7).and_then(|sector| sector.c1());
    let json = json(&c1.expect("has C1 output"));
    are_those_of_the_whole(|| {
        ProofRequest::porep(json.clone(), of_2k(), &sources()).expect("has a size")
    });
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes without optimisation")]
fn of_an_update() {
    let Some(_) = isolated::child("partitions::of_an_update") else {
        return;
    };
    let sector = Sector::seal(7).expect("seals");
    let updated = sector.update().expect("encodes");
    let proof = updated.proof().expect("a proof");
    let vanilla: Vec<_> = proof.vanilla().iter().map(encoded).collect();
    are_those_of_the_whole(|| {
        ProofRequest::snap(SIZE, updated.update(), vanilla.clone(), &sources())
    });
}
