//! Filecoin's storage proofs: what lies between a request and the prover.
//!
//! A [`StorageProof`] knows its circuits, the public inputs of every partition and who verifies it; [`CircuitId`] names
//! the circuit and with it the parameters. [`Porep`], [`Post`] and [`Snap`] are made from vanilla proofs; C1 output
//! that comes from elsewhere is read by [`c1::read`], which takes nothing for granted. The proving itself is
//! [`synthesis`](crate::synthesis) and [`backend`](crate::backend), as for any other circuit; [`groth16`] has the bytes
//! of proofs.
//!
//! For an engine all of that is behind [`ProofRequest`]: what a client sends, with the [`Sources`] of parameters and
//! recordings, becomes [`FilecoinWork`] once it has been looked at.
//!
//! Vanilla proofs, circuits and verifiers are those of filecoin-proofs and the storage-proofs crates, as published.

pub mod c1;
mod circuit_id;
mod error;
pub mod groth16;
mod parameters;
mod paths;
mod porep;
mod post;
mod proof;
mod recordings;
mod registered;
mod request;
mod shape;
mod snap;
mod srs_folder;

pub use circuit_id::{CircuitId, ProofKind, SectorSize};
pub use error::FilecoinError;
pub use parameters::{CircuitVisitor, Published};
pub use porep::{Owner, Porep};
pub use post::{Post, window_config, winning_config};
pub use proof::{Partitions, StorageProof, SynthesizedProof};
pub use recordings::RecordingFolder;
pub use registered::{RegisteredSeal, SealVersion};
pub use request::{FilecoinWork, ProofRequest, Sources, Vanilla};
pub use shape::{SectorShapeBase, SectorShapeSub8, SectorShapeTop2};
pub use snap::{Snap, Update};
pub use srs_folder::{CircuitSrs, Found, SrsFolder, SrsSource};
