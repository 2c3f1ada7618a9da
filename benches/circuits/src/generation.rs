//! The `params/*` workloads, whoever generates: parameters of a circuit from the trial's seed, and their bytes as the
//! answer.
//!
//! Timed is the generator alone. What it made is then written, read back, and proves and verifies a statement of its
//! circuit: that costs little beside a generator of one multiplication a point, where a check of every point would
//! cost as much as the generator. A point that no witness of this seed weighs is left to the comparison of bytes.

use std::error::Error;

use bellperson::groth16::{Parameters, create_proof_batch, prepare_verifying_key, verify_proof};
use bellperson::{Circuit, SynthesisError};
use blstrs::{Bls12, Scalar};
use cuzk_harness::registry::Size;
use cuzk_harness::{Region, Request, Step, Timed, Trial, Workload, digest, metric};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use thiserror::Error;

use crate::matrices::{Matrices, Shape};
use crate::parameters::{blinding, parse};
use crate::{Sha256Circuit, Shaped, ShapedCircuit};

/// The vector that is the answer: parameters in bellperson's format.
pub const VECTOR: &str = "parameters";

// The generator synthesises the circuit to learn its matrices.
const TIMED: &[Timed] = &[metric::WALL_GENERATE.of(&[Step::Synthesis, Step::Generation])];

const fn workload(name: &'static str, summary: &'static str, size: Size) -> Workload {
    Workload {
        name,
        summary,
        size: Some(size),
        headline: &[metric::WALL_GENERATE, metric::PEAK],
        timed: TIMED,
        repeats: false,
        vectors: &[VECTOR],
        options: &[],
        needs_parameters: false,
        has_matrices: true,
    }
}

const fn shaped(name: &'static str, summary: &'static str, default: u64) -> Workload {
    let size = Size {
        default,
        max: 1 << 20,
        unit: "constraints",
    };
    workload(name, summary, size)
}

/// Of SHA-256.
pub const SHA256: Workload = workload(
    "params/sha256",
    "Generate parameters of the SHA-256 circuit.",
    Size {
        default: 1,
        max: 64,
        unit: "blocks of 64 bytes",
    },
);
/// Of [`Shaped::ManyInputs`].
pub const MANY_INPUTS: Workload = shaped(
    "params/many-inputs",
    "Generate parameters of a circuit with as many inputs as auxiliary variables.",
    // Verifying costs a multiplication an input.
    3000,
);
/// Of [`Shaped::SparseB`].
pub const SPARSE_B: Workload = shaped(
    "params/sparse-b",
    "Generate parameters of a circuit with less than one variable of a hundred in B.",
    10_000,
);
/// Of [`Shaped::Dense`].
pub const DENSE: Workload = shaped(
    "params/dense",
    "Generate parameters of a circuit with every variable in A and in B.",
    10_000,
);

/// What makes parameters.
pub trait Generator {
    /// Why it could not.
    type Error: Error + Send + Sync + 'static;

    /// Makes them from these random numbers.
    fn generate<C: Circuit<Scalar> + Clone>(
        &mut self,
        circuit: C,
        rng: &mut ChaCha20Rng,
    ) -> Result<Parameters<Bls12>, Self::Error>;
}

/// Why there is no trial.
#[derive(Debug, Error)]
pub enum GenerationError {
    /// The workload is none of these.
    #[error("{0} generates no parameters")]
    Unknown(&'static str),
    /// The generator refused.
    #[error("generating parameters")]
    Generate(#[source] Box<dyn Error + Send + Sync>),
    /// The circuit refused.
    #[error("synthesising the circuit")]
    Synthesis(#[from] SynthesisError),
    /// The parameters could not be written to memory.
    #[error("writing parameters")]
    Write(#[source] std::io::Error),
}

/// A circuit with its public inputs, of one of a few types.
trait Task {
    type Output;
    fn with<C>(self, circuit: C, inputs: Vec<Scalar>) -> Result<Self::Output, GenerationError>
    where
        C: Circuit<Scalar> + Clone + Send;
}

fn with_circuit<T: Task>(request: &Request, task: T) -> Result<T::Output, GenerationError> {
    // A size is at most 2^20.
    let size = request.size.unwrap_or(1) as usize;
    let shape = match request.workload.name {
        name if name == SHA256.name => {
            let circuit = Sha256Circuit::from_seed(request.seed, size);
            let inputs = circuit.public_inputs().unwrap_or_default();
            return task.with(circuit, inputs);
        }
        name if name == MANY_INPUTS.name => Shaped::ManyInputs,
        name if name == SPARSE_B.name => Shaped::SparseB,
        name if name == DENSE.name => Shaped::Dense,
        name => return Err(GenerationError::Unknown(name)),
    };
    let circuit = ShapedCircuit::from_seed(shape, request.seed, size);
    let inputs = circuit.public_inputs();
    task.with(circuit, inputs)
}

/// One trial, and the bytes of the parameters.
pub fn trial<G: Generator>(
    request: &Request,
    generator: &mut G,
) -> Result<(Trial, Vec<u8>), GenerationError> {
    with_circuit(request, Measure { request, generator })
}

/// The matrices of the workload's circuit.
pub fn matrices(request: &Request) -> Result<Matrices, GenerationError> {
    struct Digest;
    impl Task for Digest {
        type Output = Matrices;
        fn with<C>(self, circuit: C, _: Vec<Scalar>) -> Result<Matrices, GenerationError>
        where
            C: Circuit<Scalar> + Clone + Send,
        {
            Ok(Matrices::of::<Scalar, _>(circuit)?)
        }
    }
    with_circuit(request, Digest)
}

struct Measure<'a, G> {
    request: &'a Request,
    generator: &'a mut G,
}

impl<G: Generator> Task for Measure<'_, G> {
    type Output = (Trial, Vec<u8>);

    fn with<C>(self, circuit: C, inputs: Vec<Scalar>) -> Result<Self::Output, GenerationError>
    where
        C: Circuit<Scalar> + Clone + Send,
    {
        let seed = self.request.seed;
        let mut trial = self.request.trial();
        let shape = Shape::of::<Scalar, _>(circuit.clone())?;
        trial.measured(metric::CONSTRAINTS, shape.constraints - shape.inputs);
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        let copy = circuit.clone();

        let region = Region::start();
        let parameters = self
            .generator
            .generate(copy, &mut rng)
            .map_err(|error| GenerationError::Generate(error.into()))?;
        let (wall, cost) = region.stop();

        trial.measured(metric::WALL_GENERATE, wall);
        trial.cost(&cost);
        let mut bytes = Vec::new();
        parameters
            .write(&mut bytes)
            .map_err(GenerationError::Write)?;
        drop(parameters);
        trial.answer(VECTOR, digest::bytes(&bytes));
        match proves(&bytes, circuit, &inputs, seed) {
            Ok(true) => trial.passed(
                "parameters that were written and read back prove what verifies, with the key among them",
            ),
            Ok(false) => trial.failed("a proof made with these parameters does not verify"),
            Err(wrong) => trial.failed(wrong.to_string()),
        }
        Ok((trial, bytes))
    }
}

/// Whether a proof made with these parameters verifies with their own key.
fn proves<C>(bytes: &[u8], circuit: C, inputs: &[Scalar], seed: u64) -> Result<bool, Box<dyn Error>>
where
    C: Circuit<Scalar> + Send,
{
    let parameters = parse(bytes)?;
    let (r, s) = blinding(seed);
    let proofs = create_proof_batch::<Bls12, _, _>(vec![circuit], &parameters, vec![r], vec![s])?;
    let proof = proofs.first().ok_or("no proof was returned")?;
    let key = prepare_verifying_key(&parameters.vk);
    Ok(verify_proof(&key, proof, inputs)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellperson::groth16::generate_random_parameters;

    /// The generator of this stack, and one that spoils a point of what it makes.
    struct Plain {
        spoil: Option<fn(&mut Parameters<Bls12>)>,
    }

    impl Generator for Plain {
        type Error = SynthesisError;

        fn generate<C: Circuit<Scalar> + Clone>(
            &mut self,
            circuit: C,
            rng: &mut ChaCha20Rng,
        ) -> Result<Parameters<Bls12>, SynthesisError> {
            let mut parameters = generate_random_parameters(circuit, rng)?;
            if let Some(spoil) = self.spoil {
                spoil(&mut parameters);
            }
            Ok(parameters)
        }
    }

    fn request(workload: &'static Workload) -> Request {
        Request {
            workload,
            seed: 7,
            size: Some(40),
            threads: 1,
            repeat: 1,
            options: Default::default(),
            cache: Default::default(),
        }
    }

    fn run(workload: &'static Workload, spoil: Option<fn(&mut Parameters<Bls12>)>) -> Trial {
        let made = trial(&request(workload), &mut Plain { spoil });
        let (trial, bytes) = made.expect("generates");
        assert_eq!(trial.answers[VECTOR], digest::bytes(&bytes));
        trial
    }

    #[test]
    fn every_shape_has_parameters_that_prove() {
        for workload in [&MANY_INPUTS, &SPARSE_B, &DENSE] {
            let trial = run(workload, None);
            assert!(trial.ok, "{}: {}", workload.name, trial.check);
            let constraints = trial.metrics[metric::CONSTRAINTS.name].as_f64();
            assert_eq!(constraints, 40.0);
            assert_eq!(run(workload, None).answers, trial.answers);
        }
    }

    #[test]
    fn a_point_that_is_another_is_noticed() {
        fn swap(points: &mut std::sync::Arc<Vec<blstrs::G1Affine>>) {
            let mut own = points.to_vec();
            own.swap(0, 1);
            *points = own.into();
        }
        let spoils: [fn(&mut Parameters<Bls12>); 5] = [
            |p| swap(&mut p.h),
            |p| swap(&mut p.l),
            |p| swap(&mut p.a),
            |p| swap(&mut p.b_g1),
            |p| p.vk.ic.swap(0, 1),
        ];
        for spoil in spoils {
            let trial = run(&DENSE, Some(spoil));
            assert!(!trial.ok, "{}", trial.check);
        }
    }

    #[test]
    fn other_workloads_are_refused() {
        static OTHER: Workload = Workload {
            name: "params/other",
            ..SHA256
        };
        let error = matrices(&request(&OTHER)).expect_err("not there");
        assert!(error.to_string().contains("params/other"), "{error}");
    }
}
