//! A circuit for those who know a message: its SHA-256 is public.

use bellperson::gadgets::boolean::{AllocatedBit, Boolean};
use bellperson::gadgets::multipack;
use bellperson::gadgets::sha256::sha256;
use bellperson::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar;

/// Bytes of a message.
pub const MESSAGE_BYTES: usize = 32;

/// Knows a message.
#[derive(Clone)]
pub struct Preimage {
    /// The message; none to make parameters of the circuit.
    pub message: Option<[u8; MESSAGE_BYTES]>,
}

impl Circuit<Scalar> for Preimage {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let bits = (0..8 * MESSAGE_BYTES).map(|i| {
            let bit = self.message.map(|m| m[i / 8] >> (7 - i % 8) & 1 == 1);
            let bit = AllocatedBit::alloc(cs.namespace(|| format!("message bit {i}")), bit)?;
            Ok(Boolean::from(bit))
        });
        let bits = bits.collect::<Result<Vec<_>, SynthesisError>>()?;
        let digest = sha256(cs.namespace(|| "sha256"), &bits)?;
        multipack::pack_into_inputs(cs.namespace(|| "digest"), &digest)
    }
}

/// The public inputs that belong to a digest.
pub fn inputs(digest: &[u8; 32]) -> Vec<Scalar> {
    multipack::compute_multipacking(&multipack::bytes_to_bits(digest))
}
