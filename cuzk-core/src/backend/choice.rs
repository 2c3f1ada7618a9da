//! Which prover.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// Where proofs are computed. One program has both when it was built with the feature `cuda`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Backend {
    /// By bellperson's own prover, on all cores.
    #[default]
    Cpu,
    /// By SupraSeal, on NVIDIA's GPUs.
    Gpu,
}

impl Backend {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Cpu, Self::Gpu];

    /// Whether it can be used here and now. Nothing is kept of the answer: it costs little, and a GPU may come and go.
    ///
    /// # Errors
    ///
    /// Why it cannot, and what would help: [`Error::NoGpuProver`] in a program without the feature `cuda`, and with it those
    /// of `cuda::devices` where there is no GPU.
    pub fn available(self) -> Result<(), Error> {
        match self {
            Self::Cpu => Ok(()),
            #[cfg(feature = "cuda")]
            Self::Gpu => Ok(crate::cuda::devices().map(drop)?),
            #[cfg(not(feature = "cuda"))]
            Self::Gpu => Err(Error::NoGpuProver),
        }
    }

    /// Its name: "cpu" or "gpu".
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no backend has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no prover is called {name:?}: it is cpu or gpu")]
pub struct UnknownBackend {
    /// The name.
    pub name: String,
}

impl FromStr for Backend {
    type Err = UnknownBackend;

    fn from_str(name: &str) -> Result<Self, UnknownBackend> {
        let found = Self::ALL.into_iter().find(|backend| backend.name() == name);
        found.ok_or_else(|| UnknownBackend {
            name: name.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for backend in Backend::ALL {
            assert_eq!(backend.to_string().parse(), Ok(backend));
        }
        let error = "tpu".parse::<Backend>().expect_err("unknown").to_string();
        assert!(error.contains("cpu or gpu"), "{error}");
    }

    #[test]
    fn a_cpu_is_always_there() {
        assert!(Backend::default().available().is_ok());
    }

    #[cfg(not(feature = "cuda"))]
    #[test]
    fn without_the_feature_there_is_no_gpu_and_a_way_out() {
        let error = Backend::Gpu.available().expect_err("no GPU").to_string();
        assert!(error.contains("feature `cuda`"), "{error}");
    }
}
