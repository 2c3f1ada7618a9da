//! What every process of a measurement shares: the [`Trial`] record that it prints, the readings of its own
//! cost ([`process`]), the work that no patch touches ([`mod@reference`]), the digests of its answers ([`digest`]), the files that it keeps between runs ([`cache`]) and
//! the command line that names a workload and its inputs ([`cli`], [`registry`]).
//!
//! Nothing here knows a prover. The `workload` binary, built against any stack, and the `released` binary, built
//! from the registry, both print their trials through this crate, so a difference between them is never one of form.

pub mod cache;
pub mod cli;
pub mod digest;
pub mod metric;
pub mod process;
pub mod reference;
pub mod registry;
pub mod trial;

pub use metric::{Metric, Step, Timed, Unit};
pub use process::{Region, RegionCost};
pub use registry::{Request, Workload};
pub use trial::{Trial, Value};
