//! The GPU's prover: SupraSeal's, in the same process as the native one.
//!
//! | asked | answer |
//! | --- | --- |
//! | is there a GPU? | [`devices`] |
//! | parameters for the GPU's prover | [`GpuParameters`] |
//! | how it is to use the GPU | [`GpuOptions`] |
//! | where the time of a proof went | [`timings`] |
//! | how much memory it took there | [`MemoryWatch`] |
//!
//! Which prover is taken follows from the parameters that [`backend::prove`](crate::backend::prove) is given, so one
//! process can use both. Options and timings are the process's own: there is one GPU prover in it, and calls of it wait
//! for each other.

mod device;
mod driver;
mod error;
mod library;
mod loading;
mod memory;
mod options;
mod parameters;

pub use device::{Device, devices};
pub use error::CudaError;
pub use memory::{MemoryWatch, used_memory};
pub use options::{GpuOptions, timings};
pub use parameters::GpuParameters;
pub use supraseal_c2::PhaseTime;
