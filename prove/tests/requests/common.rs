//! Material of sectors, and parameters that nobody loads.

use std::sync::Arc;

use cuzk_core::ParametersShape;
use cuzk_core::backend::{Backend, LoadedParameters};
use cuzk_core::filecoin::c1::Expected;
use cuzk_core::filecoin::{
    CircuitId, CircuitSrs, FilecoinError, ProofRequest, RecordingFolder, SectorSize, Sources,
    SrsSource,
};
use cuzk_core::job::{Prepared, Request, WorkError};
use cuzk_core::progress::Progress;
use cuzk_core::recorded::{RecordedShape, Recording};
use cuzk_core::srs::Srs;
use cuzk_prove::sector::Tree;
use filecoin_proofs::FallbackPoStSectorProof;
use serde::Serialize;

pub const SIZE: SectorSize = SectorSize::Kib2;

/// Parameters of this shape, of which there are no points.
pub struct NoPoints(pub ParametersShape);

struct Nothing(String);

impl Srs for Nothing {
    fn id(&self) -> &str {
        &self.0
    }

    fn bytes(&self, _: Backend) -> Result<u64, WorkError> {
        Ok(0)
    }

    fn load(&self, _: Backend, _: &dyn Progress) -> Result<LoadedParameters, WorkError> {
        Err("there are no points".into())
    }
}

impl SrsSource for NoPoints {
    fn srs(&self, circuit: CircuitId) -> Result<CircuitSrs, FilecoinError> {
        Ok(CircuitSrs {
            srs: Arc::new(Nothing(circuit.to_string())),
            shape: self.0,
        })
    }
}

/// The shape of parameters for a recorded circuit.
pub fn parameters_of(shape: &RecordedShape) -> ParametersShape {
    ParametersShape {
        ic: shape.inputs,
        h: shape.constraints.next_power_of_two() - 1,
        l: shape.aux,
        a: shape.aux,
        b_g1: shape.aux,
        b_g2: shape.aux,
    }
}

/// With parameters for no circuit in particular, and no recordings.
pub fn sources() -> Sources {
    with(
        ParametersShape {
            ic: 2,
            h: 1023,
            l: 700,
            a: 700,
            b_g1: 700,
            b_g2: 700,
        },
        None,
    )
}

pub fn with(shape: ParametersShape, recordings: Option<RecordingFolder>) -> Sources {
    Sources {
        parameters: Arc::new(NoPoints(shape)),
        recordings,
    }
}

pub fn json<T: Serialize>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).expect("is JSON")
}

/// As clients do it.
pub fn encoded<T: Serialize>(value: &T) -> Vec<u8> {
    bincode::serialize(value).expect("is encoded")
}

pub fn of_2k() -> Expected {
    Expected {
        size: Some(SIZE),
        ..Expected::default()
    }
}

pub fn prepared(request: ProofRequest) -> Prepared {
    let prepared = Box::new(request).prepare();
    prepared.unwrap_or_else(|error| panic!("{error:?}"))
}

/// Why it cannot be prepared.
pub fn refused(request: ProofRequest) -> FilecoinError {
    match Box::new(request).prepare() {
        Err(error) => *error.downcast().expect("an error of its own"),
        Ok(_) => panic!("was taken"),
    }
}

/// It derives `Clone` for trees that can be cloned, which none can.
pub fn copy(sector: &FallbackPoStSectorProof<Tree>) -> FallbackPoStSectorProof<Tree> {
    FallbackPoStSectorProof {
        sector_id: sector.sector_id,
        comm_r: sector.comm_r,
        vanilla_proof: sector.vanilla_proof.clone(),
    }
}

/// What is reserved for a recording that nobody has made yet is enough, the part that grows with the circuit alone.
pub fn is_reserved_for(circuit: CircuitId, recording: &Recording) {
    let shape = recording.shape();
    let source = RecordingFolder::in_memory().source(circuit, &parameters_of(&shape));
    let (source, _) = source.expect("a source");
    let (bytes, grows) = (recording.bytes() as u64, source.bytes - (32 << 20));
    println!("{circuit}: {shape}; {bytes} bytes");
    assert!(grows > bytes, "{circuit}: {bytes} bytes, not {grows}");
}
