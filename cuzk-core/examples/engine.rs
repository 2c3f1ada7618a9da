//! Proves a batch of small jobs through an engine, with priorities, a cancellation and a bad circuit, and says what it saw.
//!
//!     cargo run --release -p cuzk-core --example engine

use std::error::Error;
use std::sync::Arc;

use bellperson::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar as Fr;
use cuzk_core::backend::Backend;
use cuzk_core::budget::{Bytes, Sizes};
use cuzk_core::engine::{Engine, EngineConfig, Submission};
use cuzk_core::job::{CircuitWork, Priority, RecordingSource};
use cuzk_core::parameters::generate;
use cuzk_core::recorded::Recorder;
use cuzk_core::srs::SrsInMemory;
use ff::Field;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

const STEPS: usize = 20_000;

/// Knows a number that becomes the public one when it has been squared so many times.
#[derive(Clone)]
struct Squares(Option<Fr>);

impl Circuit<Fr> for Squares {
    fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let missing = SynthesisError::AssignmentMissing;
        let mut value = self.0;
        let mut variable = cs.alloc(|| "root", || value.ok_or(missing))?;
        for step in 0..STEPS {
            value = value.map(|value| value.square());
            let square = || value.ok_or(SynthesisError::AssignmentMissing);
            let next = match step + 1 == STEPS {
                true => cs.alloc_input(|| "square", square)?,
                false => cs.alloc(|| "square", square)?,
            };
            cs.enforce(
                || "square",
                |lc| lc + variable,
                |lc| lc + variable,
                |lc| lc + next,
            );
            variable = next;
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // Whoever knows the seed of parameters can forge proofs for them.
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let parameters = Arc::new(generate(|| Squares(None), &mut rng, &())?);
    let srs = Arc::new(SrsInMemory::new("squares", parameters));
    let sizes = Sizes {
        constraints: STEPS as u64 + 2,
        inputs: 2,
        aux: STEPS as u64,
    };
    let recording = RecordingSource {
        id: "squares".to_owned(),
        bytes: 1 << 20,
        load: Arc::new(|| Ok(Recorder::record(Squares(None))?)),
    };

    let engine = Engine::start(EngineConfig::new(Backend::Cpu, 2 << 30))?;
    let submit = |id: &str, partitions, priority| {
        let circuit = |partition| Ok(Squares(Some(Fr::from(partition as u64 + 2))));
        let work = CircuitWork::new("squares", partitions, circuit, srs.clone(), sizes);
        let request = Box::new(work.recorded(recording.clone()));
        engine.submit(Submission::new(id, request).priority(priority))
    };
    let slow = submit("slow", 4, Priority::Low)?.handle;
    let unwanted = submit("unwanted", 2, Priority::Low)?.handle;
    let urgent = submit("urgent", 1, Priority::Critical)?.handle;
    assert!(
        submit("urgent", 1, Priority::Critical)?.joined,
        "the id is that of a job that is there"
    );
    unwanted.cancel();

    for job in [&urgent, &slow, &unwanted] {
        let ended = job.wait();
        let report = &ended.report;
        match &ended.result {
            Ok(proof) => println!(
                "{}: {} bytes in {:.0?}: queue {:.0?}, parameters {:.0?}, synthesis {:.0?}, prover {:.0?}",
                job.id(),
                proof.len(),
                report.total,
                report.queue,
                report.parameters,
                report.synthesis,
                report.prover
            ),
            Err(error) => println!("{}: {}", job.id(), error.chain()),
        }
    }
    let metrics = engine.metrics();
    println!(
        "{} jobs proven, {} cancelled; at most {} of {} were reserved; {:.0} % of the shorter stage was hidden",
        metrics.proven,
        metrics.cancelled,
        Bytes(metrics.reserved_most),
        Bytes(metrics.capacity),
        100.0 * engine.busy().overlap()
    );
    Ok(())
}
