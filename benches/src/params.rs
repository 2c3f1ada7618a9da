//! The `params/*` workloads on this stack: parameters from the engine's generator, with its phases. Beside what any stack
//! checks of them, every point is looked at.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use bellperson::Circuit;
use bellperson::groth16::Parameters;
use blstrs::{Bls12, Scalar as Fr};
use cuzk_circuits::generation::{self, Generator};
use cuzk_core::parameters::{self, GenerateError, ParametersError};
use cuzk_core::progress::Progress;
use cuzk_harness::{Request, Trial};
use rand_chacha::ChaCha20Rng;

/// One trial, and the bytes of the parameters.
pub fn generate(request: &Request) -> Result<(Trial, Vec<u8>)> {
    let mut engine = Engine::default();
    let (mut trial, bytes) = generation::trial(request, &mut engine)?;
    for (phase, wall) in engine.phases.ended() {
        trial.phase(&phase, wall);
    }
    if trial.ok {
        match check(&bytes)? {
            Ok(points) => trial.passed(format!("{}; each of {points} points is good", trial.check)),
            Err(wrong) => trial.failed(wrong.to_string()),
        }
    }
    Ok((trial, bytes))
}

/// The number of points, where all of them are good in a file that is read strictly.
fn check(bytes: &[u8]) -> Result<Result<u64, ParametersError>> {
    let folder = tempfile::tempdir().context("making a folder for parameters")?;
    let path = folder.path().join("generated.params");
    std::fs::write(&path, bytes).with_context(|| format!("writing {}", path.display()))?;
    Ok(parameters::check(&path, &()).map(|report| report.points))
}

/// The engine's generator, watched.
#[derive(Default)]
struct Engine {
    phases: Phases,
}

impl Generator for Engine {
    type Error = GenerateError;

    fn generate<C: Circuit<Fr> + Clone>(
        &mut self,
        circuit: C,
        rng: &mut ChaCha20Rng,
    ) -> Result<Parameters<Bls12>, GenerateError> {
        let parameters = parameters::generate(|| circuit.clone(), rng, &self.phases);
        self.phases.end();
        parameters
    }
}

/// Takes the time of each phase, from its beginning to that of the next.
#[derive(Default)]
struct Phases(Mutex<Timed>);

#[derive(Default)]
struct Timed {
    ended: BTreeMap<String, Duration>,
    open: Option<(String, Instant)>,
}

impl Timed {
    fn end(&mut self, now: Instant) {
        if let Some((name, begun)) = self.open.take() {
            *self.ended.entry(name).or_default() += now - begun;
        }
    }
}

impl Phases {
    fn lock(&self) -> MutexGuard<'_, Timed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the last phase.
    fn end(&self) {
        self.lock().end(Instant::now());
    }

    /// The phases that have ended, by their names in a result.
    fn ended(&self) -> BTreeMap<String, Duration> {
        let ended = &self.lock().ended;
        ended
            .iter()
            .map(|(name, wall)| (slug(name), *wall))
            .collect()
    }
}

impl Progress for Phases {
    fn begin(&self, phase: &str, _total: u64, _unit: &'static str) {
        let now = Instant::now();
        let mut timed = self.lock();
        timed.end(now);
        timed.open = Some((phase.to_owned(), now));
    }
}

/// Words in small letters, with hyphens between.
fn slug(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric());
    let words: Vec<String> = words
        .filter(|w| !w.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_parameters_is_found_bad() {
        let wrong = check(&[7; 100]).expect("checked").expect_err("bad");
        assert!(wrong.to_string().contains("generated.params"), "{wrong}");
    }

    #[test]
    fn phases_follow_one_another_and_the_last_one_ends() {
        let phases = Phases::default();
        phases.begin("points of A, B and L", 0, "");
        phases.begin("points of H", 0, "");
        assert_eq!(phases.ended().len(), 1);
        phases.end();
        phases.end();
        phases.begin("points of H", 0, "");
        let names: Vec<String> = phases.ended().into_keys().collect();
        assert_eq!(names, ["points-of-a-b-and-l", "points-of-h"]);
    }
}
