//! Where the parameters of a circuit come from.

use std::path::PathBuf;

use bellperson::groth16::Parameters;
use blstrs::Bls12;
use cuzk_core::filecoin::{CircuitId, CircuitVisitor, SectorSize};
use cuzk_core::parameters::{GenerateError, generate};
use cuzk_core::progress::Progress;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use serde::Serialize;

use crate::ProveError;
use crate::phases::Phases;

/// Where to look for parameters.
#[derive(Clone, Debug, Default)]
pub struct Lookup {
    /// A file to take as it is.
    pub unverified: Option<PathBuf>,
    /// A folder of published files.
    pub folder: Option<PathBuf>,
}

/// Where parameters came from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Origin {
    /// The file.
    pub path: PathBuf,
}

impl Origin {
    /// What is to be said about proofs made with them.
    pub(crate) fn caveat(&self) -> &'static str {
        ", with parameters for tests only"
    }
}

pub(crate) struct Found;

pub(crate) struct Loaded {
    pub parameters: Parameters<Bls12>,
    pub origin: Origin,
}

impl Lookup {
    pub(crate) fn find(&self, _circuit: CircuitId) -> Result<Found, ProveError> {
        Ok(Found)
    }
}

pub(crate) fn load(
    circuit: CircuitId,
    _found: Found,
    phases: &mut Phases<'_>,
) -> Result<Loaded, ProveError> {
    let path = PathBuf::from(format!("/tmp/w/B-params/{circuit}.params"));
    if !path.exists() {
        let p = phases.listener().progress();
        let params = phases
            .run("parameters: generate", || circuit.visit_blank(Make(p)))?
            .expect("x");
        std::fs::create_dir_all("/tmp/w/B-params").expect("x");
        params
            .write(std::io::BufWriter::new(
                std::fs::File::create(&path).expect("x"),
            ))
            .expect("x");
    }
    let parameters = phases.run("parameters: read", || {
        Ok::<_, ProveError>(
            Parameters::read(
                std::io::BufReader::with_capacity(1 << 20, std::fs::File::open(&path).expect("x")),
                false,
            )
            .expect("x"),
        )
    })?;
    Ok(Loaded {
        parameters,
        origin: Origin { path },
    })
}

struct Make<'a>(&'a dyn Progress);

impl CircuitVisitor for Make<'_> {
    type Output = Result<Parameters<Bls12>, GenerateError>;
    fn visit<C: bellperson::Circuit<blstrs::Scalar> + Send>(
        self,
        blank: impl Fn() -> C,
    ) -> Self::Output {
        generate(blank, &mut ChaCha20Rng::seed_from_u64(7), self.0)
    }
}
const _: SectorSize = SectorSize::Kib2;
