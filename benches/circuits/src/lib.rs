//! Circuits to measure and test provers with.
//!
//! All of them use bellperson's public API alone, so they compile against the published crate as well as against any
//! patched stack. Each is made from a seed: another seed gives another witness and other public inputs for the *same*
//! constraint matrices, because everything structural (which bit is negated, which constant stands where) is fixed.
//!
//! Beside each circuit stands its answer in plain code (`public_inputs`), which the circuit's tests hold it to.

#![allow(
    clippy::clone_on_copy,
    reason = "Boolean is Copy on some stacks and not on others"
)]

pub mod addmany;
pub mod blend;
pub mod enforce_equal;
pub mod generation;
pub mod lookup;
pub mod matrices;
mod mix;
pub mod multipack;
pub mod parameters;
pub mod proofs;
pub mod sha256;
pub mod shaped;
mod square;

#[cfg(test)]
mod testing;

pub use addmany::AddManyCircuit;
pub use blend::{Blend, BlendCircuit};
pub use enforce_equal::EnforceEqualCircuit;
pub use lookup::LookupCircuit;
pub use matrices::{Matrices, Shape};
pub use multipack::MultipackCircuit;
pub use sha256::Sha256Circuit;
pub use shaped::{Shaped, ShapedCircuit};
pub use square::SquareCircuit;
