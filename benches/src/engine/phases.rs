//! Synthesis of all, then all proofs, then their verification.

use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use bellperson::Circuit;
use bellperson::groth16::Proof;
use blstrs::{Bls12, Scalar as Fr};
use cuzk_core::backend::{Backend, LoadedParameters, Randomness, rejections};
use cuzk_core::engine::{Busy, seeded};
use cuzk_core::synthesis::Synthesis;
use cuzk_harness::Region;

use super::{Done, Work};
use crate::prove::gpu::{self, Setup};
use crate::recorded::{Form, Way};

pub(super) fn run<C>(work: Work<C>, setup: &mut Setup) -> Result<Done>
where
    C: Circuit<Fr> + Clone + Send,
{
    let Work {
        circuit,
        partitions,
        recording,
        parameters,
        backend,
        seed,
        ..
    } = work;
    let parameters = setup.load(&parameters, backend)?;
    let way = Way::Recorded(Box::new(recording));
    let randomness: Vec<_> = (0..partitions)
        .map(|partition| seeded(seed, partition, 0))
        .collect();
    // The CPU's prover gains nothing from company, and would take the memory of all.
    let most = match backend {
        Backend::Cpu => 1,
        Backend::Gpu => partitions,
    };

    let region = Region::start();
    let (phases, gpu_peak) = gpu::watched(setup.before, || {
        one_after_another(
            &way,
            vec![circuit; partitions],
            &parameters,
            &randomness,
            most,
        )
    });
    let (_, cost) = region.stop();
    let phases = phases?;
    let proving = phases.proving + phases.verification;
    Ok(Done {
        wall: phases.synthesis + proving,
        cost,
        gpu_peak,
        busy: Busy {
            synthesis: phases.synthesis,
            proving,
            both: Duration::ZERO,
        },
        verification: phases.verification,
        parts: phases.parts,
        proofs: phases.proofs,
    })
}

struct Phases {
    synthesis: Duration,
    parts: Vec<(&'static str, Duration)>,
    proving: Duration,
    verification: Duration,
    proofs: Vec<Proof<Bls12>>,
}

/// The phases, with calls of `most` partitions.
fn one_after_another<C: Circuit<Fr> + Send>(
    way: &Way,
    circuits: Vec<C>,
    parameters: &LoadedParameters,
    randomness: &[(Fr, Fr)],
    most: usize,
) -> Result<Phases> {
    let start = Instant::now();
    let synthesised = way.synthesize(circuits)?;
    let Form::Prover(synthesis) = synthesised.form else {
        bail!("a synthesis that no prover takes");
    };
    let synthesised_after = start.elapsed();

    let assignments = &synthesis.assignments;
    let public = |inputs: &[Fr]| inputs.get(1..).unwrap_or_default().to_vec();
    let inputs: Vec<Vec<Fr>> = assignments
        .iter()
        .map(|assignment| public(assignment.input_assignment()))
        .collect();
    let mut proofs = Vec::with_capacity(inputs.len());
    let mut assignments = synthesis.assignments.into_iter();
    for randomness in randomness.chunks(most) {
        let (r, s) = randomness.iter().copied().unzip();
        let batch = Synthesis {
            assignments: assignments.by_ref().take(most).collect(),
            wall: Duration::ZERO,
        };
        let proved = parameters.prove(batch, &Randomness { r, s })?;
        proofs.extend(proved.proofs);
    }
    let proven_after = start.elapsed();

    let (is, should) = (proofs.len(), inputs.len());
    ensure!(is == should, "{is} proofs of {should} partitions");
    let rejected = rejections(parameters.verifying_key(), &proofs, &inputs);
    let verified_after = start.elapsed();
    if let Some((partition, Some(why))) = rejected.iter().enumerate().find(|(_, why)| why.is_some())
    {
        bail!("the proof of partition {partition} does not verify: {why}");
    }
    Ok(Phases {
        synthesis: synthesised_after,
        parts: synthesised.phases,
        proving: proven_after - synthesised_after,
        verification: verified_after - proven_after,
        proofs,
    })
}
