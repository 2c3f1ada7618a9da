//! The circuits of real proofs, synthesised from a recording: bit for bit as they are plainly.

mod isolated;

use bellperson::Circuit;
use blstrs::Scalar as Fr;
use cuzk_core::filecoin::{FilecoinError, Partitions, Porep, Post, Snap};
use cuzk_core::recorded::{Pool, RecordedOptions, Recorder, Recording, synthesize_recorded};
use cuzk_prove::sector::{Sector, Tree};
use filecoin_proofs::SealCommitPhase1Output;

/// The recording of one sector's circuit is that of another one's, and right for both.
///
/// `prove` makes a proof of a sector, `circuits` its circuits, as often as it is asked.
fn recorded_is_plain<P, C: Circuit<Fr> + Send>(
    prove: fn(&Sector) -> P,
    circuits: fn(&P) -> Result<Partitions<C>, FilecoinError>,
) {
    let of = |seed| {
        let proof = prove(&Sector::seal(seed).expect("seals"));
        let circuits = || circuits(&proof).expect("has circuits").circuits;
        let recording = Recorder::record(circuits().remove(0)).expect("records");
        check(circuits(), circuits, &recording);
        recording
    };
    let (one, other) = (of(7), of(8));
    assert_eq!(
        one.digest(),
        other.digest(),
        "a circuit is that of any sector"
    );
    let nonzeros: u64 = one.shape().nonzeros.iter().sum();
    println!(
        "{}: {} bytes, {:.2} a non-zero",
        one.shape(),
        one.bytes(),
        one.bytes() as f64 / nonzeros as f64
    );
}

fn check<C: Circuit<Fr> + Send>(
    circuits: Vec<C>,
    again: impl FnOnce() -> Vec<C>,
    recording: &Recording,
) {
    let options = RecordedOptions {
        self_check: true,
        ..Default::default()
    };
    let recorded = synthesize_recorded(circuits, again, recording, &options, &Pool::new());
    let recorded = recorded.expect("is as synthesised plainly");
    println!("{:?}", recorded.times);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes without optimisation")]
fn porep() {
    if isolated::child("porep").is_some() {
        let prove = |sector: &Sector| {
            let json = serde_json::to_vec(&sector.c1().expect("has C1 output")).expect("is JSON");
            let c1: SealCommitPhase1Output<Tree> =
                serde_json::from_slice(&json).expect("is C1 output");
            Porep::new(Sector::registered(), None, c1)
        };
        recorded_is_plain(prove, Porep::circuits);
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes without optimisation")]
fn winning() {
    if isolated::child("winning").is_some() {
        recorded_is_plain(
            |sector| sector.winning_post().expect("has a proof"),
            Post::circuits,
        );
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes without optimisation")]
fn window() {
    if isolated::child("window").is_some() {
        recorded_is_plain(
            |sector| sector.window_post().expect("has a proof"),
            Post::circuits,
        );
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes without optimisation")]
fn snap() {
    if isolated::child("snap").is_some() {
        let prove = |sector: &Sector| {
            let updated = sector.update().expect("encodes");
            updated.proof().expect("has a proof")
        };
        recorded_is_plain(prove, Snap::circuits);
    }
}
