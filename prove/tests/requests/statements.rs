//! The same statement, however it is sent, and no other.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use blstrs::Scalar as Fr;
use cuzk_core::filecoin::c1::{C1Error, Expected};
use cuzk_core::filecoin::{
    FilecoinError, ProofRequest, RegisteredSeal, SectorSize, StorageProof, Update,
};
use cuzk_core::job::Request;
use cuzk_prove::sector::{Sector, window_post};
use filecoin_proofs::FallbackPoStSectorProof;
use serde_json::json;

use crate::common::{SIZE, copy, encoded, json, of_2k, prepared, refused, sources};
use crate::isolated;

/// Prepared, all of these have these public inputs.
fn are(
    expected: &[Vec<Fr>],
    requests: impl IntoIterator<Item = impl Fn() -> ProofRequest>,
    circuit: &str,
) {
    for request in requests {
        let (one, other) = (request(), request());
        assert_eq!(one.circuit(), circuit);
        assert!(one.bytes() > 10_000, "{}", one.bytes());
        let read = one.read().unwrap_or_else(|error| panic!("{error:?}"));
        assert_eq!(read.public_inputs().expect("inputs"), expected);
        let prepared = prepared(other);
        assert_eq!(prepared.work.partitions(), expected.len());
        assert_eq!(prepared.srs.id(), circuit);
        assert_eq!(prepared.sizes.domain(), 1024, "as the parameters have it");
        assert!(prepared.recording.is_none());
    }
}

type Make<'a> = Box<dyn Fn() -> ProofRequest + 'a>;

#[test]
fn a_replication_is_sent_in_three_forms() {
    let Some(_) = isolated::child("statements::a_replication_is_sent_in_three_forms") else {
        return;
    };
    let c1 = Sector::seal(7).and_then(|sector| sector.c1());
    let plain = json(&c1.expect("has C1 output"));
    let wrapped = json(&json!({
        "SectorNum": 42,
        "Phase1Out": STANDARD.encode(&plain),
        "SectorSize": 2048,
    }));
    let of = |json: &[u8], expected: Expected| {
        ProofRequest::porep(json.to_vec(), expected, &sources()).expect("says its size")
    };
    let by_number = Expected {
        registered: Some(Sector::registered()),
        ..Expected::default()
    };
    let proof = of(&plain, of_2k()).read().expect("holds");
    let expected = proof.public_inputs().expect("inputs");
    let forms: [Make<'_>; 3] = [
        Box::new(|| of(&plain, of_2k())),
        Box::new(|| of(&plain, by_number)),
        Box::new(|| of(&wrapped, of_2k())),
    ];
    are(&expected, forms, "porep-2k");

    let no_size = ProofRequest::porep(plain.clone(), Expected::default(), &sources());
    let no_size = no_size.err().expect("is of no circuit");
    assert!(
        matches!(no_size, FilecoinError::C1(C1Error::NoSize)),
        "{no_size}"
    );
    let exclude = Expected {
        size: Some(SectorSize::Mib8),
        ..by_number
    };
    let other_seal = Expected {
        registered: "0".parse::<RegisteredSeal>().ok(),
        ..of_2k()
    };
    for (expected, says) in [
        (exclude, "says"),
        (other_seal, "do not hold"),
        (
            Expected {
                size: Some(SectorSize::Gib32),
                ..Expected::default()
            },
            "32 GiB",
        ),
    ] {
        let error = refused(of(&plain, expected));
        let FilecoinError::C1(error) = error else {
            panic!("{error:?}");
        };
        assert!(error.to_string().contains(says), "{error}");
    }
}

#[test]
fn a_winning_post_is_sent_typed_or_encoded() {
    let name = "statements::a_winning_post_is_sent_typed_or_encoded";
    let Some(_) = isolated::child(name) else {
        return;
    };
    let sector = Sector::seal(7).expect("seals");
    let post = sector.winning_post().expect("a proof");
    let (randomness, prover) = (post.randomness(), post.prover_id());
    let vanilla = &post.sectors()[0];
    let expected = post.public_inputs().expect("inputs");
    let sources = &sources();
    let typed = || ProofRequest::winning(SIZE, randomness, prover, copy(vanilla), sources);
    let bytes = || ProofRequest::winning(SIZE, randomness, prover, encoded(vanilla), sources);
    assert_eq!(typed().bytes(), bytes().bytes());
    let forms: [Make<'_>; 2] = [Box::new(typed), Box::new(bytes)];
    are(&expected, forms, "winning-2k");

    // Other statements.
    let of = |size, randomness, prover| {
        refused(ProofRequest::winning(
            size,
            randomness,
            prover,
            encoded(vanilla),
            sources,
        ))
    };
    for error in [of(SIZE, [1; 32], prover), of(SIZE, randomness, [0xff; 32])] {
        let known = matches!(
            error,
            FilecoinError::Vanilla { .. } | FilecoinError::Proofs { .. }
        );
        assert!(known, "{error:?}");
    }
    for size in [SectorSize::Mib8, SectorSize::Gib32, SectorSize::Gib64] {
        let error = of(size, randomness, prover);
        assert!(matches!(error, FilecoinError::Vanilla { .. }), "{error:?}");
        assert!(error.to_string().contains("Merkle path"), "{error}");
    }
    let typed = |size| {
        let request = ProofRequest::winning(size, randomness, prover, copy(vanilla), sources);
        refused(request).to_string()
    };
    assert!(
        typed(SectorSize::Gib32).contains("other trees"),
        "{}",
        typed(SectorSize::Gib32)
    );
    assert!(typed(SectorSize::Mib8).contains("Merkle path"));
    // A root that is written down is the one that the circuit is given.
    let mut root = copy(vanilla);
    root.vanilla_proof.sectors[0].comm_r_last = root.comm_r;
    let error = refused(ProofRequest::winning(
        SIZE, randomness, prover, root, sources,
    ));
    assert!(error.to_string().contains("comm_r_last"), "{error}");
}

#[test]
fn a_window_post_is_sent_whole_or_by_partitions() {
    let name = "statements::a_window_post_is_sent_whole_or_by_partitions";
    let Some(_) = isolated::child(name) else {
        return;
    };
    let sectors = [7, 8, 9].map(|seed| Sector::seal(seed).expect("seals"));
    let post = window_post(&sectors.each_ref()).expect("a proof");
    let (randomness, prover) = (post.randomness(), post.prover_id());
    let expected = post.public_inputs().expect("inputs");
    assert_eq!(expected.len(), 2);
    let sources = &sources();
    let vanilla = post.sectors();
    let typed = |sectors: &[FallbackPoStSectorProof<_>], partition| {
        ProofRequest::window(
            SIZE,
            randomness,
            prover,
            sectors.iter().map(copy).collect::<Vec<_>>(),
            partition,
            sources,
        )
    };
    let bytes = |sectors: &[FallbackPoStSectorProof<_>], partition| {
        let sectors = sectors.iter().map(encoded).collect::<Vec<_>>();
        ProofRequest::window(SIZE, randomness, prover, sectors, partition, sources)
    };
    let backwards: Vec<_> = vanilla.iter().rev().map(copy).collect();
    let forms: [Make<'_>; 3] = [
        Box::new(|| typed(vanilla, None)),
        Box::new(|| bytes(vanilla, None)),
        Box::new(|| bytes(&backwards, None)),
    ];
    are(&expected, forms, "wpost-2k");
    // By partitions the inputs are those of the whole, whatever the index.
    for (partition, sectors) in vanilla.chunks(2).enumerate() {
        let forms: [Make<'_>; 3] = [
            Box::new(|| typed(sectors, Some(partition))),
            Box::new(|| bytes(sectors, Some(partition))),
            Box::new(|| bytes(sectors, None)),
        ];
        are(&expected[partition..=partition], forms, "wpost-2k");
    }
    let error = refused(bytes(vanilla, Some(1))).to_string();
    assert!(error.contains("3 sectors are 2 partitions"), "{error}");
    let twice = [copy(&vanilla[0]), copy(&vanilla[0])];
    for (sectors, says) in [(&vanilla[..0], "no sector"), (&twice, "is there twice")] {
        let error = refused(bytes(sectors, None)).to_string();
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn an_update_is_sent_typed_or_encoded() {
    let Some(_) = isolated::child("statements::an_update_is_sent_typed_or_encoded") else {
        return;
    };
    let sector = Sector::seal(7).expect("seals");
    let updated = sector.update().expect("encodes");
    let proof = updated.proof().expect("a proof");
    let (update, vanilla) = (updated.update(), proof.vanilla());
    let sources = &sources();
    let typed = |update| ProofRequest::snap(SIZE, update, vanilla.to_vec(), sources);
    let of = |size, update| {
        let partitions = vanilla.iter().map(encoded).collect::<Vec<_>>();
        ProofRequest::snap(size, update, partitions, sources)
    };
    let expected = proof.public_inputs().expect("inputs");
    let forms: [Make<'_>; 2] = [Box::new(|| typed(update)), Box::new(|| of(SIZE, update))];
    are(&expected, forms, "snap-2k");

    let exchanged = Update {
        comm_r_old: update.comm_r_new,
        comm_r_new: update.comm_r_old,
        ..update
    };
    for request in [typed(exchanged), of(SIZE, exchanged)] {
        let error = refused(request).to_string();
        assert!(error.contains("do not hold"), "{error}");
    }
    let no_scalar = Update {
        comm_d_new: [0xff; 32],
        ..update
    };
    assert!(matches!(
        refused(of(SIZE, no_scalar)),
        FilecoinError::Proofs { .. }
    ));
    for size in [SectorSize::Mib8, SectorSize::Gib32] {
        let error = refused(of(size, update));
        assert!(matches!(error, FilecoinError::Vanilla { .. }), "{error:?}");
    }
    // A vanilla proof of the other kind.
    let post = sector.winning_post().expect("a proof");
    let kind = copy(&post.sectors()[0]);
    let error = refused(ProofRequest::snap(SIZE, update, vec![kind], sources));
    assert!(error.to_string().contains("of another kind"), "{error}");
}
