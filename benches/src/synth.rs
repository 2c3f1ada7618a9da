//! The `synth/*` workloads: synthesise a circuit, once with fresh pages and once more warm.
//!
//! Inside the clock there is the synthesis alone. The circuit is made and cloned before it, the answer is checked and
//! digested after it, and the first assignment is gone before the second synthesis starts. Answer and check are those
//! of the last synthesis only: one run more then costs exactly one synthesis more, which is how instructions a
//! constraint are counted.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use bellperson::Circuit;
use bellperson::groth16::ProvingAssignment;
use blstrs::Scalar as Fr;
use cuzk_core::synthesis::SynthesisOptions;
use cuzk_core::teardown;
use cuzk_harness::registry::OptionSpec;
use cuzk_harness::{Region, RegionCost, Request, Trial, digest, metric, process};
use ff::Field;

use crate::circuits::{Task, known_shape, with_circuit};
use crate::recorded::{Form, Way};
use crate::{pages, reserve};

/// How many.
pub const CIRCUITS: OptionSpec = OptionSpec {
    key: "circuits",
    values: &["1", "2", "4", "10"],
    help: "equal circuits that are synthesised at once; 1 when left out",
};

fn circuits(request: &Request) -> Result<usize> {
    let given = request.options.get(CIRCUITS.key).copied();
    given.unwrap_or("1").parse().context("option circuits")
}

/// One trial.
pub fn run(request: &Request) -> Result<Trial> {
    Ok(inspect(request, |_| Ok(()))?.0)
}

/// As [`run`], with a look at the last synthesis.
pub fn inspect<R>(
    request: &Request,
    then: impl FnOnce(&ProvingAssignment<Fr>) -> Result<R>,
) -> Result<(Trial, R)> {
    with_circuit(request, Measure { request, then })
}

struct Measure<'a, F> {
    request: &'a Request,
    then: F,
}

impl<R, F: FnOnce(&ProvingAssignment<Fr>) -> Result<R>> Task for Measure<'_, F> {
    type Output = (Trial, R);

    fn with<C>(self, circuit: C, inputs: Vec<Fr>) -> Result<Self::Output>
    where
        C: Circuit<Fr> + Clone + Send,
    {
        let request = self.request;
        let options = SynthesisOptions {
            capacity: reserve::capacity(request, &circuit)?,
        };
        let mut trial = request.trial();

        // What recording or sealing has freed is none of the synthesis, and not in its peak.
        let way = Way::of(request, &circuit, options, &mut trial)?;
        process::trim();
        pages::keep_freed_blocks();
        let circuits = vec![circuit; circuits(request)?];
        let (mut form, wall, mut cost) = measure(circuits.clone(), &way, &mut trial, "cold")?;
        trial.measured(metric::WALL_COLD, wall);
        trial.maybe_measured(metric::FAULTS_COLD, cost.minor_faults);
        if request.repeat > 1 {
            way.give_up(form);
            teardown::drain();
            let (second, wall, second_cost) = measure(circuits, &way, &mut trial, "warm")?;
            trial.measured(metric::WALL_WARM, wall);
            trial.maybe_measured(metric::FAULTS_WARM, second_cost.minor_faults);
            form = second;
            cost = cost.and(second_cost);
        }
        trial.cost(&cost);

        if let Form::Compact(compact) = &form {
            trial.measured(metric::COMPACT, compact.bytes());
        }
        let synthesis = way.expand(form)?;
        let (assignment, others) = synthesis
            .assignments
            .split_first()
            .context("a synthesis without an assignment")?;
        if let Some(i) = others.iter().position(|other| other != assignment) {
            bail!(
                "circuit {} of a batch of equals has another assignment than the first",
                i + 1
            );
        }
        let (rows, inputs_of_it) = (assignment.a().len(), assignment.input_assignment().len());
        trial.measured(metric::CONSTRAINTS, rows.saturating_sub(inputs_of_it));
        answer(&mut trial, assignment);
        match check(request, assignment, &inputs) {
            Ok(check) => trial.passed(check),
            Err(wrong) => trial.failed(wrong),
        }
        let result = (self.then)(assignment)?;
        Ok((trial, result))
    }
}

fn measure<C: Circuit<Fr> + Send>(
    circuits: Vec<C>,
    way: &Way,
    trial: &mut Trial,
    pass: &str,
) -> Result<(Form, Duration, RegionCost)> {
    let region = Region::start();
    let synthesised = way.synthesize(circuits)?;
    let (wall, cost) = region.stop();
    for (phase, wall) in synthesised.phases {
        trial.phase(&format!("{phase}.{pass}"), wall);
    }
    Ok((synthesised.form, wall, cost))
}

fn answer(trial: &mut Trial, assignment: &ProvingAssignment<Fr>) {
    for (vector, scalars) in scalar_vectors(assignment) {
        trial.answer(vector, digest::scalars(scalars));
    }
    for (vector, density) in [
        ("a_aux_density", assignment.a_aux_density()),
        ("b_input_density", assignment.b_input_density()),
        ("b_aux_density", assignment.b_aux_density()),
    ] {
        let digest = digest::density(density.words, density.len, density.total);
        trial.answer(vector, digest);
    }
}

/// The vectors of scalars of an assignment, by name.
pub fn scalar_vectors(assignment: &ProvingAssignment<Fr>) -> [(&'static str, &[Fr]); 5] {
    [
        ("input_assignment", assignment.input_assignment()),
        ("aux_assignment", assignment.aux_assignment()),
        ("a", assignment.a()),
        ("b", assignment.b()),
        ("c", assignment.c()),
    ]
}

/// What held, or what did not.
fn check(
    request: &Request,
    assignment: &ProvingAssignment<Fr>,
    inputs: &[Fr],
) -> Result<String, String> {
    let (a, b, c) = (assignment.a(), assignment.b(), assignment.c());
    let rows = a.len();
    if b.len() != rows || c.len() != rows {
        let lengths = [rows, b.len(), c.len()];
        return Err(format!("a, b and c have {lengths:?} values"));
    }
    if let Some(i) = (0..rows).find(|&i| a[i] * b[i] != c[i]) {
        return Err(format!("a∘b is not c at constraint {i} of {rows}"));
    }
    let (one, public) = assignment
        .input_assignment()
        .split_first()
        .ok_or("there is no input, not even the constant one")?;
    if *one != Fr::ONE {
        return Err("the first input is not the constant one".to_owned());
    }
    if public != inputs {
        let first = public
            .iter()
            .zip(inputs)
            .position(|(is, should)| is != should);
        return Err(match first {
            Some(i) => format!("public input {i} is not what it should be"),
            None => format!("{} public inputs, not {}", public.len(), inputs.len()),
        });
    }
    // The prover adds a constraint for each input to those of the circuit.
    let all_inputs = public.len() + 1;
    let shape = (rows.saturating_sub(all_inputs), all_inputs);
    if let Some(known) = known_shape(request)
        && shape != known
    {
        return Err(format!(
            "(constraints, inputs) are {shape:?}, not {known:?}"
        ));
    }
    Ok(format!(
        "a∘b = c over {} constraints and {all_inputs} inputs, public inputs as computed apart",
        shape.0
    ))
}
