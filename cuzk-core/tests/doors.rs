//! The two doors: what comes through them, and what is refused.

use bellperson::gadgets::boolean::AllocatedBit;
use bellperson::groth16::{
    Parameters, Proof, generate_random_parameters, prepare_verifying_key, verify_proof,
};
use bellperson::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::{Bls12, Scalar as Fr};
use cuzk_core::backend::{self, Backend, LoadedParameters, Randomness};
use cuzk_core::parameters::Trust;
use cuzk_core::synthesis::{Capacity, SynthesisOptions, synthesize};
use cuzk_core::{Error, ParametersShape};
use ff::{Field, PrimeField};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

/// Knows the bits of the public number: one constraint and one private variable a bit.
#[derive(Clone)]
struct Bits {
    bits: Vec<Option<bool>>,
    falsify: bool,
}

impl Bits {
    fn of(number: u64, width: usize) -> Self {
        let bits = (0..width)
            .map(|i| Some(i < 64 && number >> i & 1 == 1))
            .collect();
        Self {
            bits,
            falsify: false,
        }
    }

    fn blank(width: usize) -> Self {
        Self {
            bits: vec![None; width],
            falsify: false,
        }
    }
}

impl<F: PrimeField> Circuit<F> for Bits {
    fn synthesize<CS: ConstraintSystem<F>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let mut number = Some(F::ZERO);
        let mut power = F::ONE;
        let mut sum = Vec::new();
        for (i, bit) in self.bits.iter().enumerate() {
            let allocated = AllocatedBit::alloc(cs.namespace(|| format!("bit {i}")), *bit)?;
            sum.push((power, allocated.get_variable()));
            number = match (number, bit) {
                (Some(number), Some(true)) => Some(number + power),
                (number, Some(false)) => number,
                _ => None,
            };
            power = power.double();
        }
        let input = cs.alloc_input(
            || "number",
            || {
                let number = number.ok_or(SynthesisError::AssignmentMissing)?;
                Ok(if self.falsify {
                    number + F::ONE
                } else {
                    number
                })
            },
        )?;
        cs.enforce(
            || "sum",
            |lc| sum.iter().fold(lc, |lc, term| lc + *term),
            |lc| lc + CS::one(),
            |lc| lc + input,
        );
        Ok(())
    }
}

fn parameters(width: usize) -> Parameters<Bls12> {
    generate_random_parameters(Bits::blank(width), &mut ChaCha8Rng::seed_from_u64(1)).unwrap()
}

fn randomness(from: u64, count: u64) -> Randomness {
    Randomness {
        r: (from..from + count).map(Fr::from).collect(),
        s: (from..from + count).map(|i| Fr::from(i + 1000)).collect(),
    }
}

fn bytes(proofs: &[Proof<Bls12>]) -> Vec<Vec<u8>> {
    proofs
        .iter()
        .map(|proof| {
            let mut bytes = Vec::new();
            proof.write(&mut bytes).unwrap();
            bytes
        })
        .collect()
}

#[test]
fn a_batch_proves_what_its_circuits_prove_alone() {
    let params = parameters(20);
    let vk = prepare_verifying_key(&params.vk);
    let numbers = [0, 5, 0xfffff];
    let circuits: Vec<_> = numbers.iter().map(|n| Bits::of(*n, 20)).collect();

    let synthesis = synthesize(circuits.clone(), &SynthesisOptions::default()).unwrap();
    let batch = backend::prove(synthesis, &params, &randomness(7, 3)).unwrap();
    assert!(batch.phases.total <= batch.wall);
    for (i, number) in numbers.iter().enumerate() {
        let alone = synthesize(vec![circuits[i].clone()], &SynthesisOptions::default()).unwrap();
        let alone = backend::prove(alone, &params, &randomness(7 + i as u64, 1)).unwrap();
        assert_eq!(bytes(&alone.proofs)[0], bytes(&batch.proofs)[i]);
        assert!(verify_proof(&vk, &batch.proofs[i], &[Fr::from(*number)]).unwrap());
        assert!(!verify_proof(&vk, &batch.proofs[i], &[Fr::from(*number + 1)]).unwrap());
    }
}

#[test]
fn a_false_witness_does_not_verify() {
    let params = parameters(20);
    let circuit = Bits {
        falsify: true,
        ..Bits::of(41, 20)
    };
    let synthesis = synthesize(vec![circuit], &SynthesisOptions::default()).unwrap();
    let proved = backend::prove(synthesis, &params, &randomness(1, 1)).unwrap();
    let vk = prepare_verifying_key(&params.vk);
    for number in [41, 42] {
        assert!(!verify_proof(&vk, &proved.proofs[0], &[Fr::from(number)]).unwrap());
    }
}

#[test]
fn a_proof_that_does_not_verify_is_not_handed_out() {
    let params = parameters(20);
    let circuits = |false_one: Option<usize>| -> Vec<_> {
        let circuit = |i| Bits {
            falsify: Some(i) == false_one,
            ..Bits::of(40 + i as u64, 20)
        };
        (0..3).map(circuit).collect()
    };
    let synthesised = |false_one| synthesize(circuits(false_one), &SynthesisOptions::default());
    for wrong in 0..3 {
        let synthesis = synthesised(Some(wrong)).unwrap();
        let refused = backend::prove_verified(synthesis, &params, &randomness(1, 3));
        match refused.err().expect("refused") {
            Error::NotVerified {
                index, circuits, ..
            } => assert_eq!((index, circuits), (wrong, 3)),
            other => panic!("{other}"),
        }
    }
    let synthesis = synthesised(None).unwrap();
    let verified = backend::prove_verified(synthesis, &params, &randomness(1, 3)).unwrap();
    assert!(verified.verification.is_some());
    let plain = backend::prove(synthesised(None).unwrap(), &params, &randomness(1, 3)).unwrap();
    assert!(plain.verification.is_none());
    assert_eq!(bytes(&verified.proofs), bytes(&plain.proofs));
}

/// Parameters that the run has chosen a prover for prove what those in memory prove.
#[test]
fn loaded_parameters_prove_the_same() {
    let params = parameters(20);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bits.params");
    params.write(std::fs::File::create(&path).unwrap()).unwrap();
    let loaded = LoadedParameters::read(Backend::Cpu, &path, Trust::Check, &()).unwrap();
    loaded.wait();
    assert_eq!(loaded.backend(), Backend::Cpu);
    assert_eq!(loaded.shape(), ParametersShape::of(&params));
    assert!(*loaded.verifying_key() == params.vk);
    let synthesised = || synthesize(vec![Bits::of(77, 20)], &SynthesisOptions::default()).unwrap();
    let verified = loaded
        .prove_verified(synthesised(), &randomness(1, 1))
        .unwrap();
    let plain = loaded.prove(synthesised(), &randomness(1, 1)).unwrap();
    assert_eq!(bytes(&verified.proofs), bytes(&plain.proofs));

    // What cannot be had here is refused before the file is looked at.
    if Backend::Gpu.available().is_err() {
        let nowhere = folder.path().join("nowhere.params");
        let refused = LoadedParameters::read(Backend::Gpu, &nowhere, Trust::Check, &());
        let error = refused.err().expect("refused").to_string();
        assert!(!error.contains("nowhere"), "{error}");
    }
}

/// With a GPU its proofs are the CPU's, and what a file lacks is found before the GPU's loader sees it; without one, that is
/// said.
#[cfg(feature = "cuda")]
#[test]
fn a_gpu_proves_the_same_or_is_missed() {
    use cuzk_core::cuda::{CudaError, GpuOptions, GpuParameters, timings};
    use cuzk_core::parameters::ParametersError;

    let params = parameters(20);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bits.params");
    params.write(std::fs::File::create(&path).unwrap()).unwrap();
    if let Err(error) = Backend::Gpu.available() {
        assert!(matches!(error, Error::Cuda(_)), "{error}");
        let load = GpuParameters::load(&path).err().expect("no GPU");
        assert_eq!(load.to_string(), error.to_string());
        return;
    }
    let cut = folder.path().join("cut.params");
    let bytes_of_file = std::fs::read(&path).unwrap();
    std::fs::write(&cut, &bytes_of_file[..bytes_of_file.len() - 1]).unwrap();
    let error = GpuParameters::load(&cut).err().expect("cut short");
    let is_cut =
        |error: &Error| matches!(error, Error::Parameters(ParametersError::Truncated { .. }));
    assert!(is_cut(&error), "{error}");

    let options = GpuOptions {
        timings: true,
        switches: [("no-such-option".to_owned(), 1)].into(),
        ..GpuOptions::default()
    };
    assert_eq!(options.apply().unwrap(), ["no-such-option"]);
    let far = GpuOptions {
        device: Some(1000),
        ..GpuOptions::default()
    };
    assert!(matches!(far.apply(), Err(CudaError::NoSuchDevice { .. })));

    let gpu = GpuParameters::load(&path).unwrap();
    let circuits = || (0..3).map(|i| Bits::of(70 + i, 20)).collect::<Vec<_>>();
    let synthesised = || synthesize(circuits(), &SynthesisOptions::default()).unwrap();
    let on_cpu = backend::prove(synthesised(), &params, &randomness(1, 3)).unwrap();
    for _ in 0..2 {
        let on_gpu = backend::prove_verified(synthesised(), &gpu, &randomness(1, 3)).unwrap();
        assert_eq!(bytes(&on_gpu.proofs), bytes(&on_cpu.proofs));
        assert!(timings().iter().any(|phase| phase.name() == "body"));
    }
}

#[test]
fn capacity_changes_nothing_but_memory() {
    let plain = synthesize(vec![Bits::of(77, 100)], &SynthesisOptions::default()).unwrap();
    let shape = plain.shape();
    assert_eq!((shape.constraints, shape.inputs, shape.aux), (103, 2, 100));
    assert_eq!(shape.domain(), 128);
    for factor in [0, 1, 3] {
        let capacity = Capacity {
            constraints: shape.constraints * factor,
            inputs: shape.inputs * factor,
            aux: shape.aux * factor,
        };
        let options = SynthesisOptions {
            capacity: Some(capacity),
        };
        let hinted = synthesize(vec![Bits::of(77, 100)], &options).unwrap();
        assert!(hinted.assignments == plain.assignments);
    }
}

#[test]
fn no_circuit_is_refused() {
    let none = synthesize(Vec::<Bits>::new(), &SynthesisOptions::default());
    assert!(matches!(none, Err(Error::NoCircuits)));
}

#[test]
fn a_circuit_without_a_witness_is_refused() {
    let blank = synthesize(vec![Bits::blank(3)], &SynthesisOptions::default());
    assert!(matches!(
        blank,
        Err(Error::Synthesis(SynthesisError::AssignmentMissing))
    ));
}

#[test]
fn circuits_of_two_shapes_are_refused_by_name() {
    let circuits = vec![Bits::of(1, 8), Bits::of(1, 8), Bits::of(1, 9)];
    let error = synthesize(circuits, &SynthesisOptions::default())
        .err()
        .unwrap();
    let Error::UnequalCircuits {
        index: 2,
        first,
        other,
    } = &error
    else {
        panic!("{error}");
    };
    assert_eq!((first.aux, other.aux), (8, 9));

    // Batches that were put together by hand do not slip through.
    let mut batch = synthesize(vec![Bits::of(1, 8)], &SynthesisOptions::default()).unwrap();
    let other = synthesize(vec![Bits::of(1, 9)], &SynthesisOptions::default()).unwrap();
    batch.assignments.extend(other.assignments);
    let result = backend::prove(batch, &parameters(8), &randomness(1, 2));
    assert!(matches!(
        result,
        Err(Error::UnequalCircuits { index: 1, .. })
    ));
}

#[test]
fn parameters_of_another_circuit_are_refused_with_both_shapes() {
    let params = parameters(9);
    let synthesis = synthesize(vec![Bits::of(1, 8)], &SynthesisOptions::default()).unwrap();
    let circuit = synthesis.shape();
    let error = backend::prove(synthesis, &params, &randomness(1, 1))
        .err()
        .unwrap();
    let Error::WrongParameters {
        needed, parameters, ..
    } = &error
    else {
        panic!("{error}");
    };
    assert_eq!(*needed, circuit.parameters());
    assert_eq!(*parameters, ParametersShape::of(&params));
    let message = error.to_string();
    assert!(
        message.contains("l 9") && message.contains("l 8"),
        "{message}"
    );
}

#[test]
fn parameters_have_the_shape_of_their_circuit() {
    for width in [1, 8, 61, 62, 63, 100] {
        let synthesis = synthesize(vec![Bits::of(1, width)], &SynthesisOptions::default()).unwrap();
        let shape = synthesis.shape().parameters();
        assert_eq!(
            shape,
            ParametersShape::of(&parameters(width)),
            "{width} bits"
        );
    }
}

#[test]
fn one_pair_of_random_scalars_a_circuit() {
    let params = parameters(8);
    for (r, s) in [(0, 1), (1, 0), (2, 2)] {
        let synthesis = synthesize(vec![Bits::of(1, 8)], &SynthesisOptions::default()).unwrap();
        let randomness = Randomness {
            r: vec![Fr::ONE; r],
            s: vec![Fr::ONE; s],
        };
        let error = backend::prove(synthesis, &params, &randomness)
            .err()
            .unwrap();
        assert!(
            matches!(error, Error::Randomness { circuits: 1, .. }),
            "{error}"
        );
    }
}

#[test]
fn what_is_released_is_freed() {
    use std::sync::Arc;
    let value = Arc::new(vec![0u8; 4 << 20]);
    let seen = Arc::downgrade(&value);
    cuzk_core::teardown::release(4 << 20, value);
    cuzk_core::teardown::drain();
    assert!(seen.upgrade().is_none());
}
