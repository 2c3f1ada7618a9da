//! The proving engine: one door through which circuits are synthesised, and one through which they are proven.
//!
//! Whatever stack of patches this crate is built on, the two doors are the same, so that a measurement compares stacks
//! and nothing else. What a patched crate offers beyond its release comes in through `instrument` patches, which every
//! stack has.
//!
//! ```
//! use blstrs::Scalar as Fr;
//! use cuzk_core::{backend, synthesis};
//! # use bellperson::{Circuit, ConstraintSystem, SynthesisError};
//! # use ff::Field;
//! # use rand_core::SeedableRng;
//! # #[derive(Clone)]
//! # struct Square(Option<Fr>);
//! # impl Circuit<Fr> for Square {
//! #     fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
//! #         let root = cs.alloc(|| "root", || self.0.ok_or(SynthesisError::AssignmentMissing))?;
//! #         let square = cs.alloc_input(|| "square", || Ok(self.0.ok_or(SynthesisError::AssignmentMissing)?.square()))?;
//! #         cs.enforce(|| "square", |lc| lc + root, |lc| lc + root, |lc| lc + square);
//! #         Ok(())
//! #     }
//! # }
//! # let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
//! # let params = bellperson::groth16::generate_random_parameters(Square(None), &mut rng)?;
//! let synthesis = synthesis::synthesize(vec![Square(Some(Fr::from(3)))], &Default::default())?;
//! let randomness = backend::Randomness { r: vec![Fr::from(5)], s: vec![Fr::from(7)] };
//! let proved = backend::prove_verified(synthesis, &params, &randomness)?;
//! # let vk = bellperson::groth16::prepare_verifying_key(&params.vk);
//! assert!(bellperson::groth16::verify_proof(&vk, &proved.proofs[0], &[Fr::from(9)])?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod backend;
pub mod batch;
pub mod budget;
#[cfg(feature = "cuda")]
pub mod cuda;
pub mod engine;
mod error;
#[cfg(feature = "filecoin")]
pub mod filecoin;
pub mod job;
pub mod parameters;
mod pipeline;
pub mod progress;
pub mod recorded;
mod shape;
pub mod srs;
pub mod synthesis;
pub mod teardown;

pub use error::{Error, chain};
pub use shape::{ParametersShape, Shape};
