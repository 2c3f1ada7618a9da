//! Recordings that are kept in a folder.

use std::fs;

use cuzk_core::budget::Sizes;
use cuzk_core::filecoin::{CircuitId, FilecoinError, ProofRequest, RecordingFolder};
use cuzk_core::recorded::{RecordedError, Recording, Wanted};
use cuzk_prove::sector::Sector;

use crate::common::{SIZE, encoded, is_reserved_for, parameters_of, prepared, with};
use crate::isolated;

/// The smallest circuit.
fn circuit() -> CircuitId {
    "winning-2k".parse().expect("an id")
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes without optimisation")]
fn a_recording_is_made_once_and_read_from_then_on() {
    let name = "recordings::a_recording_is_made_once_and_read_from_then_on";
    let Some(_) = isolated::child(name) else {
        return;
    };
    let circuit = circuit();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = RecordingFolder::at(folder.path().join("not").join("there"));
    let path = folder.path(circuit).expect("a name").expect("a folder");
    let recording = circuit.record().expect("records");
    let shape = recording.shape();
    let parameters = parameters_of(&shape);

    let (made, sizes) = folder.source(circuit, &parameters).expect("a source");
    assert_eq!(sizes, Sizes::at_most(&parameters));
    assert!(made.bytes > recording.bytes() as u64 && !path.exists());
    let first = (made.load)().expect("records");
    assert_eq!(first.digest(), recording.digest());
    let written = || fs::metadata(&path).and_then(|file| file.modified());
    let then = written().expect("is kept");

    // A request that comes now knows the exact counts.
    let (read, sizes) = folder.source(circuit, &parameters).expect("a source");
    assert_eq!(sizes, Sizes::from(&shape));
    assert_eq!((read.bytes, &read.id), (recording.bytes() as u64, &made.id));
    let sources = with(parameters, Some(folder.clone()));
    let sector = Sector::seal(7).expect("seals");
    let post = sector.winning_post().expect("a proof");
    let vanilla = encoded(&post.sectors()[0]);
    let (randomness, prover) = (post.randomness(), post.prover_id());
    let request = ProofRequest::winning(SIZE, randomness, prover, vanilla, &sources);
    let prepared = prepared(request);
    assert_eq!(prepared.sizes, sizes);
    assert_eq!(prepared.recording.expect("a recording").bytes, read.bytes);
    for source in [&read, &made] {
        let again = (source.load)().expect("reads");
        assert_eq!(again.digest(), recording.digest());
        assert_eq!(written().expect("is there"), then, "it was not made again");
    }

    // Parameters of another circuit go with no file of this one.
    let mut other = parameters;
    other.l += 1;
    let (foreign, sizes) = folder.source(circuit, &other).expect("a source");
    assert_eq!(sizes, Sizes::at_most(&other));
    let error = (foreign.load)().expect_err("is of another circuit");
    let error = error.downcast::<FilecoinError>().expect("of its own");
    assert!(
        matches!(*error, FilecoinError::ForeignRecording { .. }),
        "{error}"
    );

    // A file that is damaged is made again.
    let length = fs::metadata(&path).expect("is there").len();
    let file = fs::OpenOptions::new().write(true).open(&path);
    file.and_then(|file| file.set_len(length - 1))
        .expect("is cut");
    let wanted = Wanted {
        circuit_id: &read.id,
        shape: None,
    };
    let short = Recording::peek(&path, &wanted).expect_err("is short");
    assert!(
        matches!(short, RecordedError::DamagedFile { .. }),
        "{short}"
    );
    let (damaged, sizes) = folder.source(circuit, &parameters).expect("a source");
    assert_eq!(sizes, Sizes::at_most(&parameters));
    let again = (damaged.load)().expect("records again");
    assert_eq!(again.digest(), recording.digest());
    let whole = Recording::peek(&path, &wanted).expect("is whole again");
    assert_eq!(whole.shape, shape);

    // Where nothing can be written, or nothing is to be, it is made all the same.
    let nowhere = RecordingFolder::at(path.join("below a file"));
    for folder in [nowhere, RecordingFolder::in_memory()] {
        let (source, _) = folder.source(circuit, &parameters).expect("a source");
        let recording = (source.load)().expect("records");
        assert_eq!(recording.digest(), again.digest());
    }
}

/// Nobody generates parameters for it, but it can be recorded, within what is reserved for it.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes without optimisation")]
fn a_circuit_of_production_is_recorded() {
    let Some(_) = isolated::child("recordings::a_circuit_of_production_is_recorded") else {
        return;
    };
    let circuit: CircuitId = "winning-32g".parse().expect("an id");
    let recording = circuit.record().expect("records");
    is_reserved_for(circuit, &recording);
}
