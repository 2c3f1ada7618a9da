//! What the engine is asked for what a client asks for.

use std::sync::Arc;

use cuzk_core::filecoin::{CircuitId, ProofRequest, Sources};
use cuzk_core::job::{Request, WorkError};
use cuzk_core::srs::Srs;

use crate::convert::{Asked, Valid};

/// Makes requests of messages that were found good.
pub trait Requests: Send + Sync + 'static {
    /// The request.
    ///
    /// # Errors
    ///
    /// What is wrong with it after all.
    fn request(&self, valid: Valid) -> Result<Box<dyn Request>, WorkError>;

    /// The parameters of a circuit, under the id of the circuit.
    ///
    /// # Errors
    ///
    /// Why they cannot be had.
    fn parameters(&self, circuit: CircuitId) -> Result<Arc<dyn Srs>, WorkError>;
}

/// Filecoin's proofs.
impl Requests for Sources {
    fn request(&self, valid: Valid) -> Result<Box<dyn Request>, WorkError> {
        let size = valid.circuit.size;
        Ok(Box::new(match valid.asked {
            Asked::Porep { json, expected } => ProofRequest::porep(json, expected, self)?,
            Asked::Winning {
                randomness,
                prover_id,
                sector,
            } => ProofRequest::winning(size, randomness, prover_id, sector, self),
            Asked::Window {
                randomness,
                prover_id,
                sectors,
                partition,
            } => {
                let partition = Some(partition);
                ProofRequest::window(size, randomness, prover_id, sectors, partition, self)
            }
            Asked::Snap { update, partitions } => {
                ProofRequest::snap(size, update, partitions, self)
            }
        }))
    }

    fn parameters(&self, circuit: CircuitId) -> Result<Arc<dyn Srs>, WorkError> {
        Ok(self.parameters.srs(circuit)?.srs)
    }
}
