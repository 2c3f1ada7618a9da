//! Circuits that were recorded once.
//!
//! The matrices of a proof type never change. [`Recorder::record`] runs a circuit without a witness and keeps them, in
//! compressed form, as a [`Recording`]. From then on a synthesis is what changes: the variables, which [`Witness`] collects
//! as bits, and the products of the matrices with them ([`Recording::products`]).

mod bits;
mod check;
mod coefficients;
mod compacted;
mod density;
mod encoder;
mod error;
mod format;
mod limbs;
mod packed;
mod pool;
mod products;
mod recorder;
mod recording;
mod store;
mod stores;
mod synthesize;
mod witness;

pub use compacted::{CompactSynthesis, synthesize_compact};
pub use error::RecordedError;
pub use pool::Pool;
pub use products::{BLOCK, COMPACT_COUNT, COMPACT_LEAST, Compact, Outputs, WHOLE};
pub use recorder::Recorder;
pub use recording::{RecordedDensity, RecordedShape, Recording};
pub use store::{Loaded, Origin, RecordedHeader, VERSION, Wanted};
pub use stores::Pages;
pub use synthesize::{
    OnMismatch, RecordedOptions, RecordedSynthesis, RecordedTimes, synthesize_recorded,
};
pub use witness::{Assignment, Witness};
