//! Groth16 parameters: generated, and in files read strictly, checked in full, kept as sets under their digest.
//!
//! Whoever proves with parameters believes the file. A point that was forged, or a bit that was lost, gives proofs that do
//! not verify, or worse. Checking all points takes a multiplication each, more or less, so two things are offered that only
//! make sense together: [`check()`] looks at everything, once, and leaves a record with the file's digest; [`read()`]
//! compares that digest, or a published one, every time, at the speed of the hash. A file with neither is refused
//! ([`resolve`]), unless somebody asks for it by name ([`Trust::Unverified`]).
//!
//! | asked | answer |
//! | --- | --- |
//! | what lies where in a file? | [`Layout`] |
//! | its parameters in memory | [`read()`], with a [`Trust`] |
//! | is every point of it good? | [`check()`] |
//! | may somebody else read it? | [`inspect`], with a [`Trust`] |
//! | a verifying key | [`read_verifying_key`], [`read_verifying_key_of`] |
//! | parameters of a circuit | [`generate()`] |
//! | where those made here are kept | [`Store`], [`Set`] |
//! | Filecoin's own, in a flat folder | [`resolve`] |
//!
//! ```
//! use cuzk_core::parameters::{self, Store, Trust};
//! # use bellperson::{Circuit, ConstraintSystem, SynthesisError};
//! # use rand_core::SeedableRng;
//! # struct One;
//! # impl Circuit<blstrs::Scalar> for One {
//! #     fn synthesize<CS: ConstraintSystem<blstrs::Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
//! #         let one = cs.alloc(|| "one", || Ok(blstrs::Scalar::from(1)))?;
//! #         cs.enforce(|| "one", |lc| lc + one, |lc| lc + one, |lc| lc + one);
//! #         Ok(())
//! #     }
//! # }
//! # let folder = tempfile::tempdir()?;
//! # let make = || {
//! #     let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
//! #     parameters::generate(|| One, &mut rng, &()).map_err(cuzk_core::Error::from)
//! # };
//! let store = Store::at(folder.path());
//! let (set, made) = store.ensure("v28-example", make, &())?;
//! assert!(made);
//! let params = set.read(&())?; // the digest is compared
//! assert!(set.verifying_key()? == params.vk);
//!
//! // A file that nothing is known of is checked once, and then read by the digest that it had.
//! let file = &set.params;
//! assert!(Trust::recorded(file)?.is_none());
//! let report = parameters::check(file, &())?;
//! assert_eq!(report.sha256, set.digest);
//! let record = Trust::recorded(file)?.expect("the check left it");
//! assert!(parameters::read(file, record.trust(), &())? == params);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod digest;
mod error;
mod examine;
mod files;
mod generate;
mod layout;
mod pass;
mod point;
mod ratio;
mod read;
mod section;
mod set;
mod sink;
mod store;
mod subgroup;
#[cfg(test)]
#[path = "../../tests/parameters/points.rs"]
mod test_points;
mod trust;
mod verifying_key;
mod write;

pub use check::{CheckReport, check};
pub use error::ParametersError;
pub use generate::{GenerateError, generate};
pub use layout::{Layout, Span};
pub use point::{G1_BYTES, G2_BYTES, PointFault};
pub use read::{inspect, read};
pub use section::{Place, Section};
pub use set::Set;
pub use store::Store;
pub use trust::{CheckRecord, Resolved, Trust, resolve};
pub use verifying_key::{read_verifying_key, read_verifying_key_of};
