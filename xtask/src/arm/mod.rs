//! An arm: a stack plus cargo features and run-time options. What one side of a comparison runs.
//! Programs that compare nothing are built in the same way.

mod build;
mod inputs;
pub mod on_gpu;
mod program;
mod purpose;
mod spec;

pub use build::{BuiltArm, build, build_for_profiling, build_program};
pub use inputs::Inputs;
pub use program::{GPU_SUITE, PROVE, Program, RELEASED};
pub use spec::ArmSpec;
