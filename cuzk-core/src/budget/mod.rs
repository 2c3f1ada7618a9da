//! Memory, counted before it is taken.
//!
//! An engine has one number for host memory. Whatever weighs something is reserved first, by its size as the circuit's own
//! counts give it: [`Sizes`] are the counts, [`Footprint`] what a partition of them takes while it is synthesised, while it
//! waits and while it is proven. Parameters and recordings are reserved by their own sizes. Who may reserve what, and when,
//! is decided in `pipeline`.

mod bytes;
mod footprint;
mod resident;
mod sizes;

pub use bytes::{Bytes, UnknownBytes};
pub use footprint::Footprint;
pub use resident::resident;
pub use sizes::Sizes;
