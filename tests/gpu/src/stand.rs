//! What a worker process holds from case to case: the prover, and parameters that are loaded.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use blstrs::Scalar as Fr;
use cuzk_core::backend::{Backend, LoadedParameters, Randomness};
use cuzk_core::synthesis::{Synthesis, synthesize};

use crate::batch::{Batch, NEXT};
use crate::circuit::Shape;
use crate::engine::Engine;
use crate::material;

/// How a case ended that did not fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// As it must; what was seen.
    Passed(String),
    /// This stack or this machine does not have what it is about.
    Skipped(String),
}

/// Ends a case as skipped, on a stack that lacks an option of a setting.
macro_rules! set_or_skip {
    ($stand:expr, $setting:expr) => {
        if let Err(missing) = $stand.engine.apply($setting) {
            return Ok($crate::stand::Done::Skipped(missing));
        }
    };
}
pub(crate) use set_or_skip;

/// The state of a worker.
pub struct Stand {
    /// The folder of parameters and expected proofs.
    pub folder: PathBuf,
    /// The prover.
    pub engine: Engine,
    loaded: BTreeMap<Shape, LoadedParameters>,
}

impl Stand {
    /// A worker's, at its beginning.
    pub fn new(folder: &Path, backend: Backend) -> Self {
        Self {
            folder: folder.to_owned(),
            engine: Engine::start(backend),
            loaded: BTreeMap::new(),
        }
    }

    /// Loads the parameters of a shape where they are not.
    pub fn load(&mut self, shape: Shape) -> Result<&LoadedParameters> {
        if !self.loaded.contains_key(&shape) {
            let path = material::parameters_of(&self.folder, shape);
            self.loaded.insert(shape, self.engine.load(&path)?);
        }
        self.loaded.get(&shape).context("what was loaded is there")
    }

    /// Takes parameters back.
    pub fn unload(&mut self, shape: Shape) {
        self.loaded.remove(&shape);
    }

    /// Parameters that are loaded already.
    pub fn loaded(&self, shape: Shape) -> Result<&LoadedParameters> {
        self.loaded
            .get(&shape)
            .context("parameters were not loaded before they were used")
    }

    /// Proves a batch, and verifies it.
    pub fn prove(&mut self, batch: &Batch) -> Result<Vec<u8>, cuzk_core::Error> {
        let parameters = match self.load(batch.shape) {
            Ok(parameters) => parameters,
            Err(error) => return Err(typed(error)),
        };
        let synthesis = synthesize(batch.circuits(), &Default::default())?;
        let proved = parameters.prove_verified(synthesis, &batch.randomness())?;
        Ok(material::bytes(&proved.proofs).unwrap_or_default())
    }

    /// That the proofs of a batch verify and are the CPU's.
    pub fn equal(&mut self, batch: &Batch) -> Result<()> {
        let proofs = self.prove(batch)?;
        same(&proofs, &material::expected(&self.folder, batch)?)
    }

    /// That the next proof works, with all options as they were.
    pub fn next(&mut self) -> Result<()> {
        self.engine.reset();
        self.equal(&NEXT).context("the next proof after it")
    }

    /// Proves what has been synthesised already, with the parameters of [`NEXT`].
    pub fn request(
        &mut self,
        synthesis: Synthesis,
        randomness: &Randomness,
    ) -> Result<(), cuzk_core::Error> {
        match self.load(NEXT.shape) {
            Ok(parameters) => parameters.prove_verified(synthesis, randomness).map(drop),
            Err(error) => Err(typed(error)),
        }
    }
}

/// The error of the engine in one of this program.
fn typed(error: anyhow::Error) -> cuzk_core::Error {
    error.downcast().unwrap_or_else(|other| {
        let message = format!("{other:#}");
        cuzk_core::Error::Panicked { message }
    })
}

/// Scalars for so many circuits.
pub fn scalars(circuits: usize) -> Randomness {
    Randomness {
        r: vec![Fr::from(3); circuits],
        s: vec![Fr::from(4); circuits],
    }
}

/// That proofs are those that are expected; else, which part of which is another.
pub fn same(proofs: &[u8], expected: &[u8]) -> Result<()> {
    const PROOF: usize = 192;
    if proofs.len() != expected.len() {
        bail!(
            "{} bytes of proofs instead of {}",
            proofs.len(),
            expected.len()
        );
    }
    let pairs = proofs.iter().zip(expected);
    let other = pairs.enumerate().filter(|(_, (is, should))| is != should);
    let parts: std::collections::BTreeSet<_> = other
        .map(|(at, _)| {
            let part = match at % PROOF {
                0..48 => "A",
                48..144 => "B",
                _ => "C",
            };
            (at / PROOF, part)
        })
        .collect();
    if parts.is_empty() {
        return Ok(());
    }
    let parts = parts
        .iter()
        .map(|(circuit, part)| format!("{part} of circuit {circuit}"));
    let parts: Vec<String> = parts.collect();
    bail!("not the CPU's bytes: {}", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_that_differs_is_named() {
        let good = vec![0; 384];
        assert!(same(&good, &good).is_ok());
        assert!(same(&good[1..], &good).is_err());
        let mut bad = good.clone();
        bad[192 + 60] = 1;
        bad[150] = 1;
        let text = same(&bad, &good).expect_err("other").to_string();
        assert!(text.ends_with("C of circuit 0, B of circuit 1"), "{text}");
    }
}
