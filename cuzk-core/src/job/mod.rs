//! Jobs: what an engine is asked to prove, and what comes of it.
//!
//! A [`Request`] is what somebody sends; preparing it gives [`Work`], which knows its partitions and how each is
//! synthesised. [`CircuitWork`] is the work of circuits that are there already. Whoever submits gets a [`JobHandle`] to
//! wait with, to cancel and to listen; all handles of one job are equal.

mod circuits;
mod error;
mod event;
mod handle;
mod id;
mod report;
mod work;

pub use circuits::CircuitWork;
pub use error::{JobError, Phase};
pub use event::Event;
pub use handle::{Ended, JobFuture, JobHandle};
pub use id::{JobId, Priority, UnknownPriority};
pub use report::{JobReport, PartitionReport};
pub use work::{Prepared, RecordingSource, Request, Tools, Work, WorkError};

#[cfg(feature = "filecoin")]
pub(crate) use circuits::synthesize_one;
pub(crate) use handle::{Cancel, Shared};
