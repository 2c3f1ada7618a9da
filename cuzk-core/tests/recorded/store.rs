//! Recordings as files, whole and damaged.

use std::fs;
use std::path::Path;

use cuzk_circuits::Sha256Circuit;
use cuzk_core::recorded::{
    Origin, RecordedError, RecordedShape, Recorder, Recording, VERSION, Wanted,
};
use proptest::prelude::*;

use crate::common::agrees_with;
use crate::random::{Steps, steps};

const WANTED: Wanted<'static> = Wanted {
    circuit_id: "test circuit",
    shape: None,
};

fn sha256(blocks: usize) -> Recording {
    Recorder::record(Sha256Circuit::blank(blocks)).expect("records")
}

#[test]
fn comes_back_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("sha256.recording");
    let recording = sha256(1);
    recording.store(&path, "test circuit").expect("stores");
    recording.store(&path, "test circuit").expect("replaces");
    let only = fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(only, 1, "nothing but the file is left");

    let shape = Some(recording.shape());
    let loaded = Recording::load(&path, &Wanted { shape, ..WANTED }).expect("loads");
    assert_eq!(loaded.digest(), recording.digest());
    assert_eq!(loaded.shape(), recording.shape());
    agrees_with(&loaded, Sha256Circuit::from_seed(3, 1));
    let header = Recording::peek(&path, &Wanted { shape, ..WANTED }).expect("has a header");
    assert_eq!(header.shape, recording.shape());
    assert_eq!(header.bytes, recording.bytes() as u64);
    // The file has little besides what is in memory.
    let length = fs::metadata(&path).expect("is there").len() as usize;
    assert!(length.abs_diff(recording.bytes()) < 400);
}

#[test]
fn other_recordings_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("one");
    let missing = Recording::load(&path, &WANTED).expect_err("is not there");
    assert!(matches!(missing, RecordedError::Io { .. }), "{missing}");

    let recording = sha256(1);
    recording.store(&path, "another circuit").expect("stores");
    let other = Recording::load(&path, &WANTED).expect_err("is of another circuit");
    assert!(
        matches!(other, RecordedError::OtherCircuit { .. }),
        "{other}"
    );

    let other = Recording::peek(&path, &WANTED).expect_err("is of another circuit");
    assert!(
        matches!(other, RecordedError::OtherCircuit { .. }),
        "{other}"
    );

    recording.store(&path, "test circuit").expect("stores");
    let shape = RecordedShape {
        constraints: recording.shape().constraints + 1,
        ..recording.shape()
    };
    let wanted = Wanted {
        shape: Some(shape),
        ..WANTED
    };
    let other = Recording::load(&path, &wanted).expect_err("has another shape");
    assert!(matches!(other, RecordedError::OtherShape { .. }), "{other}");

    let other = Recording::peek(&path, &wanted).expect_err("has another shape");
    assert!(matches!(other, RecordedError::OtherShape { .. }), "{other}");

    let mut bytes = fs::read(&path).expect("is there");
    let cut = &bytes[..bytes.len() - 1];
    fs::write(&path, cut).expect("writes");
    let short = Recording::peek(&path, &WANTED).expect_err("is short");
    assert!(
        matches!(short, RecordedError::DamagedFile { .. }),
        "{short}"
    );
    bytes[8] = VERSION as u8 + 1;
    fs::write(&path, bytes).expect("writes");
    let other = Recording::load(&path, &WANTED).expect_err("has another version");
    assert!(matches!(other, RecordedError::Foreign { .. }), "{other}");

    let long = recording
        .store(&path, &"x".repeat(5000))
        .expect_err("has a long name");
    assert!(matches!(long, RecordedError::TooLarge { .. }), "{long}");
    let nowhere = folder.path().join("no folder").join("one");
    let nowhere = recording
        .store(&nowhere, "test circuit")
        .expect_err("has no folder");
    assert!(matches!(nowhere, RecordedError::Io { .. }), "{nowhere}");
}

/// Whatever is wrong with a file, it is recorded anew, and why is said.
#[test]
fn is_recorded_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("one");
    let load = |path: &Path| {
        let loaded = Recording::load_or_record(path, &WANTED, || Sha256Circuit::blank(1));
        let loaded = loaded.expect("loads or records");
        assert_eq!(loaded.recording.digest(), sha256(1).digest());
        loaded.origin
    };
    let new = load(&path);
    assert!(
        matches!(
            new,
            Origin::Recorded {
                instead_of: None,
                not_stored: None
            }
        ),
        "{new:?}"
    );
    assert!(matches!(load(&path), Origin::File));

    let whole = fs::read(&path).expect("is there");
    let mut flipped = whole.clone();
    *flipped.last_mut().expect("has content") ^= 1;
    for damaged in [&flipped[..], &whole[..whole.len() - 1], &whole[..3], &[]] {
        fs::write(&path, damaged).expect("writes");
        match load(&path) {
            Origin::Recorded {
                instead_of: Some(error),
                not_stored: None,
            } if matches!(*error, RecordedError::DamagedFile { .. }) => {}
            other => panic!("{other:?}"),
        }
        assert!(matches!(load(&path), Origin::File));
    }
    let nowhere = folder.path().join("no folder").join("one");
    let new = load(&nowhere);
    assert!(
        matches!(
            new,
            Origin::Recorded {
                not_stored: Some(_),
                ..
            }
        ),
        "{new:?}"
    );
}

fn small() -> Recording {
    use crate::random::{Number, Step};
    let steps = vec![
        Step::Bits(0xdead_beef, 40),
        Step::Rows {
            rows: 20,
            terms: [
                vec![(2, 1, Number::Small(1)), (0, 0, Number::Small(-1))],
                vec![(3, 2, Number::Small(1))],
                vec![],
            ],
        },
        Step::Word {
            first: 1,
            step: 1,
            count: 30,
            coefficient: Number::Random(3),
            doubles: true,
        },
    ];
    Recorder::record(Steps {
        steps,
        blank: true,
        other: false,
    })
    .expect("records")
}

#[test]
fn every_flipped_byte_is_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("small");
    small().store(&path, "test circuit").expect("stores");
    let whole = fs::read(&path).expect("is there");
    let noticed = |bytes: &[u8], what: &str| {
        fs::write(&path, bytes).expect("writes");
        let error = Recording::load(&path, &WANTED).expect_err(what);
        let known = matches!(
            error,
            RecordedError::DamagedFile { .. } | RecordedError::Foreign { .. }
        );
        assert!(known, "{what}: {error}");
    };
    for i in 0..whole.len() {
        for flip in [1, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[i] ^= flip;
            noticed(&bytes, &format!("byte {i} by {flip:x}"));
        }
        noticed(&whole[..i], &format!("cut at {i}"));
    }
    let mut longer = whole.clone();
    longer.push(0);
    noticed(&longer, "a byte more");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_circuits_come_back(steps in steps()) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("one");
        let circuit = |blank| Steps { steps: steps.clone(), blank, other: false };
        let recording = Recorder::record(circuit(true)).expect("records");
        recording.store(&path, "test circuit").expect("stores");
        let loaded = Recording::load(&path, &WANTED).expect("loads");
        prop_assert_eq!(loaded.digest(), recording.digest());
        agrees_with(&loaded, circuit(false));
    }
}
