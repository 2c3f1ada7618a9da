//! Real Filecoin proofs from end to end: a sector, its proof, and the verdict of those who verify.
//!
//! [`run`] seals a 2 KiB [`sector`] or reads C1 output, finds [`parameters`], proves with cuzk-core and asks
//! filecoin-proofs about the exact bytes. Who calls it first points filecoin-proofs at folders of its own
//! ([`environment::isolate`]).

mod check;
mod digest;
pub mod environment;
mod error;
mod judge;
mod out;
pub mod parameters;
mod phases;
mod report;
mod run;
pub mod sector;
mod subject;
mod through_engine;

pub use check::{ParametersVerdict, check_parameters};
pub use error::ProveError;
pub use judge::{GROTH16, Verdict, judge};
pub use out::{Statement, replace_file};
pub use phases::{Listener, Phase};
pub use report::{CircuitReport, ProofReport, Report};
pub use run::{GpuUse, Request, run};
pub use subject::Source;
pub use through_engine::{EngineReport, EngineRequest, run_engine};
