//! C1 output that was made elsewhere.
//!
//! Three forms of its JSON are in circulation:
//!
//! - that of filecoin-proofs: an object with `vanilla_proofs` (a list of partitions, each a list of challenges),
//!   `comm_r`, `comm_d`, `replica_id`, `seed` and `ticket`. It says neither the size of the sector nor the registered
//!   proof;
//! - the registered one of filecoin-proofs-api: the same with `registered_proof`, and `vanilla_proofs` in an object
//!   whose one key says the size;
//! - what clients send: an object with `SectorNum`, `SectorSize` and `Phase1Out`, which is one of the former in base64.
//!
//! Reading it believes nothing. Whatever is wrong with it is an error that says where; what comes out can be proven
//! without a panic anywhere below, because every length was compared with what the circuit needs, every value is a
//! scalar, and the vanilla proofs hold.

mod error;
mod json;
mod outline;
mod read;
mod structure;

pub use error::{C1Error, Part, Place};
pub use outline::{Outline, outline};
pub use read::{C1, Expected, Form, MAX_BYTES, read, read_file};
