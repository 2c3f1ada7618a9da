//! Circuits that were recorded once.
//!
//! The matrices of a proof type never change. [`Recorder::record`] runs a circuit without a witness and keeps them, in
//! compressed form, as a [`Recording`]. From then on a synthesis is what changes: the variables, which [`Witness`] collects
//! as bits, and the products of the matrices with them ([`Recording::products`]).

mod bits;
mod coefficients;
mod density;
mod encoder;
mod error;
mod format;
mod limbs;
mod products;
mod recorder;
mod recording;
mod witness;

pub use error::RecordedError;
pub use products::Outputs;
pub use recorder::Recorder;
pub use recording::{RecordedDensity, RecordedShape, Recording};
pub use witness::{Assignment, Witness};
