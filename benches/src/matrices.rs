//! The verb `matrices`: digests of a circuit's constraint matrices.

use anyhow::Result;
use bellperson::Circuit;
use blstrs::Scalar as Fr;
use cuzk_circuits::{Matrices, generation};
use cuzk_harness::{Request, cli};

use crate::circuits::{Task, with_circuit};
use crate::workloads::Kind;

/// Prints them as one line of JSON.
pub fn print(request: &Request) -> Result<()> {
    let matrices = match Kind::of(request.workload) {
        Kind::Params(_) => generation::matrices(request)?,
        _ => with_circuit(request, Digest)?,
    };
    cli::print_line(&matrices.to_json())
}

struct Digest;

impl Task for Digest {
    type Output = Matrices;

    fn with<C>(self, circuit: C, _: Vec<Fr>) -> Result<Matrices>
    where
        C: Circuit<Fr> + Clone + Send,
    {
        Ok(Matrices::of(circuit)?)
    }
}
