//! Cases on what the prover does where something is wrong: an error that says what, and the next proof works.

use anyhow::{Context, Result, bail, ensure};
use cuzk_core::Error;
use cuzk_core::backend::{Backend, prove_verified};
use cuzk_core::parameters::{self, Section, Trust};
use cuzk_core::synthesis::{Synthesis, synthesize};

use crate::batch::{Batch, NEXT};
use crate::case::{OTHERS, Reader};
use crate::damage::Damage;
use crate::material;
use crate::setting::Setting;
use crate::stand::{Done, Stand, same, scalars, set_or_skip};

/// More allocations than any proof makes.
const MOST_ALLOCATIONS: u64 = 2000;

/// The whole of an error, its causes too.
fn text(error: &Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}

/// Whether the prover itself returned an error.
fn is_returned(error: &Error) -> bool {
    match error {
        #[cfg(feature = "cuda")]
        Error::Cuda(_) => true,
        Error::Proving(_) => true,
        _ => false,
    }
}

/// Whether it is that memory did not suffice.
#[cfg(feature = "cuda")]
fn is_out_of_memory(error: &Error) -> bool {
    use cuzk_core::cuda::CudaError;

    matches!(error, Error::Cuda(CudaError::OutOfMemory { .. }))
}

#[cfg(not(feature = "cuda"))]
fn is_out_of_memory(_: &Error) -> bool {
    false
}

/// [`What::Damaged`](crate::case::What::Damaged).
pub fn damaged(stand: &mut Stand, damage: Damage, reader: Reader) -> Result<Done> {
    stand.engine.reset();
    let good = material::parameters_of(&stand.folder, NEXT.shape);
    let bad = tempfile::Builder::new()
        .prefix("damaged-")
        .tempfile_in(&stand.folder)
        .context("a damaged copy")?;
    damage.apply(&good, bad.path())?;
    let tried = match reader {
        Reader::Checked => checked(stand, bad.path()),
        Reader::Raw if stand.engine.backend == Backend::Cpu => return Ok(no_loader()),
        Reader::Raw => raw(stand, bad.path(), &NEXT)?,
    };
    let said = match tried {
        Err(said) => said,
        // The loader needs neither what is behind the last section nor most of the verifying key.
        Ok(proofs) if reader == Reader::Raw && is_needless(damage) => {
            same(&proofs, &material::expected(&stand.folder, &NEXT)?)?;
            "not needed, and the proof is good".to_owned()
        }
        Ok(_) => bail!("a proof was made with it"),
    };
    if let Some(section) = damage.of_points() {
        let upper = said.to_uppercase();
        let name = section.to_string().to_uppercase();
        ensure!(
            upper.contains(&format!("OF {name}")) || upper.contains(&format!("SECTION {name}")),
            "the error does not say that {name} is damaged: {said}"
        );
    }
    drop(bad);
    stand.next()?;
    Ok(Done::Passed(said))
}

fn is_needless(damage: Damage) -> bool {
    let key = [Section::VerifyingKey, Section::Ic];
    match damage {
        Damage::OneMore => true,
        Damage::Bit(section) | Damage::NoPoint(section) => key.contains(&section),
        _ => false,
    }
}

fn no_loader() -> Done {
    Done::Skipped("the CPU's prover has no loader of its own".to_owned())
}

/// Loads a file as everybody does, and proves with it. The text of the error where that is one.
fn checked(stand: &Stand, path: &std::path::Path) -> Result<Vec<u8>, String> {
    let prove = || -> Result<Vec<u8>, Error> {
        let parameters = stand.engine.load(path)?;
        let synthesis = synthesize(NEXT.circuits(), &Default::default())?;
        let proved = parameters.prove_verified(synthesis, &NEXT.randomness())?;
        Ok(material::bytes(&proved.proofs).unwrap_or_default())
    };
    prove().map_err(|error| text(&error))
}

/// Gives a file to the prover's loader, and proves a batch with it. The text of the error where that is one.
#[cfg(feature = "cuda")]
fn raw(stand: &Stand, path: &std::path::Path, batch: &Batch) -> Result<Result<Vec<u8>, String>> {
    use crate::raw::RawParameters;

    let good = material::parameters_of(&stand.folder, NEXT.shape);
    let (_, vk) = parameters::inspect(&good, Trust::Unverified, &())?;
    let synthesis = synthesize(batch.circuits(), &Default::default())?;
    let parameters = match RawParameters::load(path, vk) {
        Ok(parameters) => parameters,
        Err(error) => return Ok(Err(error.to_string())),
    };
    match prove_verified(synthesis, &parameters, &batch.randomness()) {
        Ok(proved) => Ok(Ok(material::bytes(&proved.proofs)?)),
        Err(error @ (Error::NotVerified { .. } | Error::Panicked { .. })) => {
            bail!(
                "the prover did not return the error itself: {}",
                text(&error)
            )
        }
        Err(error) => Ok(Err(text(&error))),
    }
}

#[cfg(not(feature = "cuda"))]
fn raw(_: &Stand, _: &std::path::Path, _: &Batch) -> Result<Result<Vec<u8>, String>> {
    Ok(Err("there is no such loader in this program".to_owned()))
}

/// [`What::OtherShape`](crate::case::What::OtherShape).
pub fn other_shape(stand: &mut Stand, other: &Batch, reader: Reader) -> Result<Done> {
    stand.engine.reset();
    let said = match reader {
        Reader::Checked => {
            let synthesis = synthesize(other.circuits(), &Default::default())?;
            match stand.request(synthesis, &other.randomness()) {
                Err(error @ Error::WrongParameters { .. }) => text(&error),
                Err(error) => bail!("another error: {}", text(&error)),
                Ok(()) => bail!("a proof was made"),
            }
        }
        Reader::Raw if stand.engine.backend == Backend::Cpu => return Ok(no_loader()),
        Reader::Raw => {
            let good = material::parameters_of(&stand.folder, NEXT.shape);
            match raw(stand, &good, other)? {
                Err(said) => said,
                Ok(_) => bail!("a proof was made"),
            }
        }
    };
    stand.next()?;
    Ok(Done::Passed(said))
}

/// [`What::Alloc`](crate::case::What::Alloc).
pub fn alloc(stand: &mut Stand, setting: Setting, batch: &Batch) -> Result<Done> {
    set_or_skip!(stand, setting);
    if !stand.engine.has("fail-alloc") {
        return Ok(Done::Skipped(
            "this stack has no option fail-alloc".to_owned(),
        ));
    }
    let expected = material::expected(&stand.folder, batch)?;
    let (mut failed, mut went_on) = (0, 0);
    for call in 1..=MOST_ALLOCATIONS {
        stand.engine.set("fail-alloc", call);
        let proved = stand.prove(batch);
        let left = stand.engine.option("fail-alloc");
        stand.engine.set("fail-alloc", 0);
        match proved {
            Ok(proofs) => {
                same(&proofs, &expected).with_context(|| format!("allocation {call} failed"))?;
                if left != Some(0) {
                    ensure!(failed + went_on > 0, "no allocation asks fail-alloc");
                    return Ok(Done::Passed(format!(
                        "{failed} allocations failed a proof, {went_on} did not"
                    )));
                }
                went_on += 1;
            }
            Err(error) if is_out_of_memory(&error) => failed += 1,
            Err(error) => bail!("allocation {call} failed: {}", text(&error)),
        }
        stand
            .equal(batch)
            .with_context(|| format!("the proof after allocation {call} had failed"))?;
    }
    bail!("a proof makes more than {MOST_ALLOCATIONS} allocations")
}

/// [`What::Worker`](crate::case::What::Worker).
pub fn worker(stand: &mut Stand, place: u64, setting: Setting) -> Result<Done> {
    set_or_skip!(stand, setting);
    // Without an error to look at, the proof is one as any other.
    stand.equal(&NEXT)?;
    if !stand.engine.set("fail-worker", place) {
        return Ok(Done::Skipped(
            "this stack has no option fail-worker".to_owned(),
        ));
    }
    let proved = stand.prove(&NEXT);
    let left = stand.engine.option("fail-worker");
    stand.engine.set("fail-worker", 0);
    let said = match proved {
        Err(error) if is_returned(&error) => text(&error),
        Err(error) => bail!("the prover did not return the error: {}", text(&error)),
        Ok(_) if left == Some(place) => {
            return Ok(Done::Skipped("no thread came there".to_owned()));
        }
        Ok(_) => bail!("a thread threw, and a proof came"),
    };
    stand.equal(&NEXT).context("the next proof after it")?;
    stand.next()?;
    Ok(Done::Passed(said))
}

/// [`What::Device`](crate::case::What::Device).
pub fn device(stand: &mut Stand) -> Result<Done> {
    const NONE: u64 = 99;
    stand.engine.reset();
    let mut said = no_such_device(NONE as u32)?;
    if stand.engine.set("device", NONE) {
        match stand.prove(&NEXT) {
            Err(error) if is_returned(&error) => said = format!("{said}; {}", text(&error)),
            Err(error) => bail!("the prover did not return the error: {}", text(&error)),
            Ok(_) => bail!("a proof was made on GPU {NONE}"),
        }
    }
    stand.next()?;
    Ok(Done::Passed(said))
}

#[cfg(feature = "cuda")]
fn no_such_device(device: u32) -> Result<String> {
    use cuzk_core::cuda::{CudaError, GpuOptions, Gpus};

    let options = GpuOptions {
        device: Some(Gpus::Only(device)),
        ..GpuOptions::default()
    };
    match options.apply() {
        Err(error @ (CudaError::NoSuchDevice { .. } | CudaError::NoDriver { .. })) => {
            Ok(error.to_string())
        }
        Err(error) => bail!("another error: {error}"),
        Ok(_) => bail!("GPU {device} was taken"),
    }
}

#[cfg(not(feature = "cuda"))]
fn no_such_device(_: u32) -> Result<String> {
    Ok("no GPU was asked".to_owned())
}

/// [`What::LittleMemory`](crate::case::What::LittleMemory).
pub fn little_memory(stand: &mut Stand, setting: Setting) -> Result<Done> {
    const LITTLE: u64 = 4096;
    set_or_skip!(stand, setting);
    if !stand.engine.set("gpu-memory", LITTLE) {
        return Ok(Done::Skipped(
            "this stack has no option gpu-memory".to_owned(),
        ));
    }
    let said = match stand.prove(&NEXT) {
        Err(error) if is_returned(&error) => text(&error),
        Err(error) => bail!("the prover did not return the error: {}", text(&error)),
        Ok(_) => bail!("a proof was made within {LITTLE} bytes"),
    };
    let is_number = |word: &&str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    let numbers = said.split(|c: char| !c.is_ascii_digit()).filter(is_number);
    ensure!(
        numbers.count() >= 2,
        "the error does not name both numbers: {said}"
    );
    stand.next()?;
    Ok(Done::Passed(said))
}

/// [`What::Unequal`](crate::case::What::Unequal).
pub fn unequal(stand: &mut Stand) -> Result<Done> {
    stand.engine.reset();
    let mut synthesis = synthesize(NEXT.circuits(), &Default::default())?;
    let (_, other) = OTHERS[0];
    let other = synthesize(other.circuits(), &Default::default())?;
    synthesis.assignments.extend(other.assignments);
    let randomness = scalars(synthesis.assignments.len());
    let said = match stand.request(synthesis, &randomness) {
        Err(error @ Error::UnequalCircuits { index: 2, .. }) => text(&error),
        Err(error) => bail!("another error: {}", text(&error)),
        Ok(()) => bail!("a proof was made"),
    };
    stand.next()?;
    Ok(Done::Passed(said))
}

/// [`What::NoCircuits`](crate::case::What::NoCircuits).
pub fn no_circuits(stand: &mut Stand) -> Result<Done> {
    stand.engine.reset();
    let none = Synthesis {
        assignments: Vec::new(),
        wall: std::time::Duration::ZERO,
    };
    let said = match stand.request(none, &scalars(0)) {
        Err(error @ Error::NoCircuits) => text(&error),
        Err(error) => bail!("another error: {}", text(&error)),
        Ok(()) => bail!("a proof of nothing was made"),
    };
    stand.next()?;
    Ok(Done::Passed(said))
}

/// [`What::NoRandomness`](crate::case::What::NoRandomness).
pub fn no_randomness(stand: &mut Stand) -> Result<Done> {
    stand.engine.reset();
    let synthesis = synthesize(NEXT.circuits(), &Default::default())?;
    let said = match stand.request(synthesis, &scalars(NEXT.circuits - 1)) {
        Err(error @ Error::Randomness { .. }) => text(&error),
        Err(error) => bail!("another error: {}", text(&error)),
        Ok(()) => bail!("a proof was made"),
    };
    stand.next()?;
    Ok(Done::Passed(said))
}

/// [`What::Falsified`](crate::case::What::Falsified).
pub fn falsified(stand: &mut Stand, setting: Setting) -> Result<Done> {
    set_or_skip!(stand, setting);
    let mut circuits = NEXT.circuits();
    let last = circuits.len() - 1;
    circuits[last].is_false = true;
    let synthesis = synthesize(circuits, &Default::default())?;
    let said = match stand.request(synthesis, &NEXT.randomness()) {
        Err(error @ Error::NotVerified { index, .. }) if index == last => text(&error),
        Err(error) => bail!("another error: {}", text(&error)),
        Ok(()) => bail!("a proof of what is false was handed out"),
    };
    stand.next()?;
    Ok(Done::Passed(said))
}

/// [`What::NoGpu`](crate::case::What::NoGpu). The process was started with `CUDA_VISIBLE_DEVICES` set.
pub fn no_gpu(stand: &mut Stand, visible: &str, reader: Reader) -> Result<Done> {
    if stand.engine.backend == Backend::Cpu {
        return Ok(Done::Skipped("the CPU's prover sees no GPU".to_owned()));
    }
    let good = material::parameters_of(&stand.folder, NEXT.shape);
    let tried = match reader {
        Reader::Checked => checked(stand, &good),
        Reader::Raw => raw(stand, &good, &NEXT)?,
    };
    let said = match tried {
        Err(said) => said,
        Ok(proofs) if visible == "1" => {
            same(&proofs, &material::expected(&stand.folder, &NEXT)?)?;
            return Ok(Done::Passed("there is a GPU 1, and it proves".to_owned()));
        }
        Ok(_) => bail!("a proof was made where no GPU is to be seen"),
    };
    // The same process goes on, on the CPU.
    let parameters = parameters::read(&good, Trust::Unverified, &())?;
    let synthesis = synthesize(NEXT.circuits(), &Default::default())?;
    let proved = prove_verified(synthesis, &parameters, &NEXT.randomness())?;
    same(
        &material::bytes(&proved.proofs)?,
        &material::expected(&stand.folder, &NEXT)?,
    )
    .context("the CPU's proof after it")?;
    Ok(Done::Passed(said))
}
