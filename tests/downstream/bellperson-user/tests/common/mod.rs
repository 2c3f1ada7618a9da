//! What the tests share: one message, and parameters that come from a seed.

use bellperson::groth16::{generate_random_parameters, Parameters};
use bellperson_user::{Preimage, MESSAGE_BYTES};
use blstrs::Bls12;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

pub const MESSAGE: [u8; MESSAGE_BYTES] = *b"patches change no answer, ever. ";

pub fn parameters() -> Parameters<Bls12> {
    let blank = Preimage { message: None };
    generate_random_parameters(blank, &mut ChaCha8Rng::seed_from_u64(5)).unwrap()
}

pub fn circuit() -> Preimage {
    Preimage {
        message: Some(MESSAGE),
    }
}
