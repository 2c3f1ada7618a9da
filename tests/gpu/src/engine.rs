//! The prover that is looked at, with its options. A process has one.

use std::collections::BTreeMap;
use std::path::Path;

use cuzk_core::backend::{Backend, LoadedParameters};
use cuzk_core::parameters::Trust;

use crate::setting::{OFF, OPTIONS, Setting};

/// The prover.
pub struct Engine {
    /// Which one.
    pub backend: Backend,
    /// The options that this stack has, with the values that they had when the process began.
    defaults: BTreeMap<&'static str, u64>,
}

impl Engine {
    /// The prover of a backend, before anything has been set.
    pub fn start(backend: Backend) -> Self {
        let known = |name: &&'static str| Some((*name, option(backend, name)?));
        Self {
            backend,
            defaults: OPTIONS.iter().filter_map(known).collect(),
        }
    }

    /// Whether the stack has an option.
    pub fn has(&self, name: &str) -> bool {
        self.defaults.contains_key(name)
    }

    /// Every option as it was when the process began.
    pub fn reset(&self) {
        for (name, value) in &self.defaults {
            set(name, *value);
        }
    }

    /// Options as a setting wants them, and all others as they were. Where the stack lacks one, says which.
    pub fn apply(&self, setting: Setting) -> Result<(), String> {
        // A stack without the pipeline does what others do when it is off.
        let needed = setting.options.iter().filter(|option| **option != OFF);
        let names = needed.map(|(name, _)| *name);
        let missing: Vec<&str> = names.filter(|name| !self.has(name)).collect();
        if !missing.is_empty() {
            return Err(format!("this stack has no option {}", missing.join(", ")));
        }
        self.reset();
        for (name, value) in setting.options {
            self.set(name, *value);
        }
        Ok(())
    }

    /// Sets one option, where the stack has it.
    pub fn set(&self, name: &str, value: u64) -> bool {
        self.has(name) && set(name, value)
    }

    /// The value that an option has now.
    pub fn option(&self, name: &str) -> Option<u64> {
        option(self.backend, name)
    }

    /// Loads a file, looking at no more of it than has to be.
    pub fn load(&self, path: &Path) -> Result<LoadedParameters, cuzk_core::Error> {
        LoadedParameters::read(self.backend, path, Trust::Unverified, &())
    }
}

#[cfg(feature = "cuda")]
fn option(backend: Backend, name: &str) -> Option<u64> {
    supraseal_c2::option(name).filter(|_| backend == Backend::Gpu)
}

#[cfg(not(feature = "cuda"))]
fn option(_: Backend, _: &str) -> Option<u64> {
    None
}

#[cfg(feature = "cuda")]
fn set(name: &str, value: u64) -> bool {
    supraseal_c2::set_option(name, value)
}

#[cfg(not(feature = "cuda"))]
fn set(_: &str, _: u64) -> bool {
    false
}
