//! Parameters from the one public function that makes them.

use bellperson::groth16::{Parameters, generate_random_parameters};
use bellperson::{Circuit, SynthesisError};
use blstrs::{Bls12, Scalar};
use cuzk_circuits::generation::Generator;
use rand_chacha::ChaCha20Rng;

/// bellperson's generator as published.
pub struct Published;

impl Generator for Published {
    type Error = SynthesisError;

    fn generate<C: Circuit<Scalar> + Clone>(
        &mut self,
        circuit: C,
        rng: &mut ChaCha20Rng,
    ) -> Result<Parameters<Bls12>, SynthesisError> {
        generate_random_parameters(circuit, rng)
    }
}
