//! An arm: a stack plus cargo features and run-time options. What one side of a comparison runs.

mod build;
mod inputs;
mod spec;

pub use build::{BuiltArm, build};
pub use inputs::Inputs;
pub use spec::ArmSpec;
