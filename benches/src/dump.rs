//! The verb `dump`: one vector of an answer as it is, so that a difference between arms can be located.

use std::io::Write;
use std::path::Path;

use anyhow::{Result, ensure};
use bellperson::groth16::{DensityView, ProvingAssignment};
use blstrs::Scalar as Fr;
use cuzk_harness::{Request, cli, digest};

use crate::workloads::Kind;
use crate::{engine, params, prove, synth};

/// Writes the vector to a file or to stdout.
pub fn write(request: &Request, vector: &str, out: Option<&Path>) -> Result<()> {
    cli::write_out(out, |out| {
        let whole = match Kind::of(request.workload) {
            Kind::Prove(_) => Some(prove::prove(request)?),
            Kind::Engine(_) => Some(engine::prove(request)?),
            Kind::Params(_) => Some(params::generate(request)?),
            Kind::Synth(_) | Kind::Teardown => None,
        };
        let trial = match whole {
            Some((trial, bytes)) => {
                out.write_all(&bytes)?;
                trial
            }
            None => synth::inspect(request, |assignment| write_vector(assignment, vector, out))?.0,
        };
        if !trial.ok {
            eprintln!("warning: the answer is wrong: {}", trial.check);
        }
        Ok(())
    })
}

fn write_vector(
    assignment: &ProvingAssignment<Fr>,
    vector: &str,
    mut out: &mut dyn Write,
) -> Result<()> {
    let scalars = synth::scalar_vectors(assignment);
    if let Some((_, scalars)) = scalars.iter().find(|(name, _)| *name == vector) {
        return Ok(digest::write_scalars(scalars, &mut out)?);
    }
    let density: Option<DensityView<'_>> = match vector {
        "a_aux_density" => Some(assignment.a_aux_density()),
        "b_input_density" => Some(assignment.b_input_density()),
        "b_aux_density" => Some(assignment.b_aux_density()),
        _ => None,
    };
    ensure!(density.is_some(), "there is no vector {vector}");
    if let Some(density) = density {
        digest::write_density(density.words, density.len, &mut out)?;
    }
    Ok(())
}
