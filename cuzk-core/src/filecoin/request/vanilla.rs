//! Vanilla proofs as they come: typed, or as the bytes that bincode writes.

use std::any::Any;

use bincode::Options;
use filecoin_proofs::{FallbackPoStSectorProof, PartitionProof};
use serde::Serialize;
use serde::de::DeserializeOwned;
use storage_proofs_core::merkle::MerkleTreeTrait;
use storage_proofs_update::constants::TreeRHasher;

use crate::filecoin::{CircuitId, FilecoinError};

/// The vanilla proof of a sector ([`FallbackPoStSectorProof`]) or of a partition ([`PartitionProof`]), or the bytes of
/// either as bincode 1 writes them by default: numbers of fixed width, little-endian.
pub trait Vanilla: Any + Send {
    /// Its weight, in bytes.
    fn bytes(&self) -> u64;

    /// It as the type that the circuit needs; `index` says which it is, in errors.
    ///
    /// # Errors
    ///
    /// [`FilecoinError::Encoding`] for bytes that are none, [`FilecoinError::Vanilla`] for a proof of another type.
    fn take<P: DeserializeOwned + Any>(
        self,
        circuit: CircuitId,
        index: usize,
    ) -> Result<P, FilecoinError>;
}

impl Vanilla for Vec<u8> {
    fn bytes(&self) -> u64 {
        self.len() as u64
    }

    /// Lengths in the bytes are not believed: serde takes at most a MiB ahead of what is there, and bincode stops at the
    /// limit.
    fn take<P: DeserializeOwned + Any>(
        self,
        circuit: CircuitId,
        index: usize,
    ) -> Result<P, FilecoinError> {
        let decoded = bincode::DefaultOptions::new()
            .with_fixint_encoding()
            .reject_trailing_bytes()
            .with_limit(self.len() as u64)
            .deserialize(&self);
        decoded.map_err(|source| FilecoinError::Encoding {
            circuit,
            index,
            bytes: self.len(),
            source,
        })
    }
}

impl<Tree: 'static + MerkleTreeTrait> Vanilla for FallbackPoStSectorProof<Tree> {
    fn bytes(&self) -> u64 {
        encoded_bytes(self)
    }

    fn take<P: DeserializeOwned + Any>(
        self,
        circuit: CircuitId,
        index: usize,
    ) -> Result<P, FilecoinError> {
        same_type(self, circuit, index)
    }
}

impl<Tree: 'static + MerkleTreeTrait<Hasher = TreeRHasher>> Vanilla for PartitionProof<Tree> {
    fn bytes(&self) -> u64 {
        encoded_bytes(self)
    }

    fn take<P: DeserializeOwned + Any>(
        self,
        circuit: CircuitId,
        index: usize,
    ) -> Result<P, FilecoinError> {
        same_type(self, circuit, index)
    }
}

fn encoded_bytes<T: Serialize>(value: &T) -> u64 {
    // Lists whose length is known have one; were there none, nothing would be reserved for it.
    bincode::serialized_size(value).unwrap_or(0)
}

fn same_type<T: Any, P: Any>(
    value: T,
    circuit: CircuitId,
    index: usize,
) -> Result<P, FilecoinError> {
    let any: Box<dyn Any> = Box::new(value);
    any.downcast().map(|proof| *proof).map_err(|_| FilecoinError::Vanilla {
        circuit,
        what: format!(
            "vanilla proof {index} is of another kind, or of a sector with other trees than one of {} has",
            circuit.size
        ),
    })
}
