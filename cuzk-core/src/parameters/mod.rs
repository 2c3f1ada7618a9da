//! Groth16 parameters: generating them.

mod generate;

pub use generate::{GenerateError, generate};
