//! Where the parameters of a circuit come from: the file of `--unverified-params`, or where [`SrsFolder`] finds them.
//!
//! Parameters of circuits for 2 KiB sectors are made where there are none, from a
//! seed that stands in this file. So everybody knows the trapdoor of these and can forge proofs for them: they are for
//! tests.

use std::path::PathBuf;

use bellperson::Circuit;
use bellperson::groth16::Parameters;
use blstrs::{Bls12, Scalar as Fr};
use cuzk_core::backend::{Backend, LoadedParameters};
use cuzk_core::filecoin::{self, CircuitId, CircuitVisitor, FilecoinError, SectorSize, SrsFolder};
use cuzk_core::parameters::{GenerateError, Resolved, Set, Store, Trust, generate};
use cuzk_core::progress::Progress;
use cuzk_core::srs::SrsFile;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use serde::Serialize;

use crate::ProveError;
use crate::environment::UserSettings;
use crate::phases::Phases;

/// What all parameters that are made here come from.
const PUBLIC_SEED: u64 = 0x6375_7a6b;

/// Where to look for parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// A file to take as it is.
    pub unverified: Option<PathBuf>,
    /// A folder of published files.
    pub folder: Option<PathBuf>,
    /// A store of our own.
    pub store: Store,
}

impl Lookup {
    /// In the user's folders, or in `params` instead of the one that the environment names. Call it before the
    /// environment is [changed](crate::environment::isolate).
    pub fn new(unverified: Option<PathBuf>, params: Option<PathBuf>, user: &UserSettings) -> Self {
        let root = match &params {
            Some(folder) => folder.join("cuzk"),
            None => Store::default_root(),
        };
        Self {
            unverified,
            folder: params.or_else(|| user.parameters.clone()),
            store: Store::at(root),
        }
    }

    /// The first that is there. Nothing but names and sizes is looked at, so that what is missing is missed at once.
    pub(crate) fn find(&self, circuit: CircuitId) -> Result<Found, ProveError> {
        let folder = SrsFolder {
            unverified: self.unverified.clone(),
            folder: self.folder.clone(),
            store: self.store.clone(),
        };
        match folder.find(circuit) {
            Ok(Some(filecoin::Found::Unverified(path))) => return Ok(Found::Unverified(path)),
            Ok(Some(filecoin::Found::Flat(resolved))) => return Ok(Found::Flat(resolved)),
            Ok(Some(filecoin::Found::Set(set))) => return Ok(Found::Set(set)),
            Ok(None) => {}
            Err(FilecoinError::Parameters(error)) => return Err(error.into()),
            Err(error) => return Err(error.into()),
        }
        if can_be_made(circuit) {
            return Ok(Found::ToMake(self.store.clone()));
        }
        Err(ProveError::NoParameters {
            circuit,
            file: format!("{}.params", circuit.parameters_name()?),
            folder: self.folder.clone(),
            store: self.store.root().to_owned(),
        })
    }
}

fn can_be_made(circuit: CircuitId) -> bool {
    circuit.size == SectorSize::Kib2
}

/// What was found.
#[derive(Debug)]
pub(crate) enum Found {
    Unverified(PathBuf),
    Flat(Resolved),
    Set(Set),
    ToMake(Store),
}

/// Where parameters came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// The file.
    pub path: PathBuf,
    /// Why it is believed.
    pub trust: Reason,
    /// Whether it was made by this run.
    pub made: bool,
}

/// Why parameters are believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Their digest is the one that Filecoin has published.
    Published,
    /// They were checked in full once, and have the digest that they had then.
    Checked,
    /// They were made here, for tests only.
    MadeHere,
    /// Somebody asked for the file by name.
    Unverified,
}

impl Origin {
    /// What is to be said with a verdict about a proof made with them.
    pub(crate) fn caveat(&self) -> &'static str {
        match self.trust {
            Reason::Published => "",
            Reason::Checked => {
                ", with parameters that were checked in full and not compared with the published ones"
            }
            Reason::MadeHere => ", with parameters that are for tests only",
            Reason::Unverified => ", with parameters that nobody vouches for",
        }
    }
}

/// Parameters where the prover that was chosen wants them.
pub(crate) struct Loaded {
    pub parameters: LoadedParameters,
    pub origin: Origin,
}

/// A file of parameters that is there.
pub(crate) struct Chosen {
    pub origin: Origin,
    found: filecoin::Found,
}

impl Chosen {
    /// It as a source for an engine.
    pub fn srs(&self, circuit: CircuitId) -> SrsFile {
        self.found.srs(circuit.to_string())
    }
}

/// Takes what was found, and makes it where it is to be made.
pub(crate) fn choose(
    circuit: CircuitId,
    found: Found,
    phases: &mut Phases<'_>,
) -> Result<Chosen, ProveError> {
    let progress = phases.listener().progress();
    let (found, trust, made) = match found {
        Found::Unverified(path) => (filecoin::Found::Unverified(path), Reason::Unverified, false),
        Found::Flat(resolved) => {
            let trust = match resolved.trust() {
                Trust::Blake2b(_) => Reason::Published,
                _ => Reason::Checked,
            };
            (filecoin::Found::Flat(resolved), trust, false)
        }
        Found::Set(set) => (filecoin::Found::Set(set), Reason::MadeHere, false),
        Found::ToMake(store) => {
            let make = || test_parameters(circuit, &store, progress);
            let (set, made) = phases.run("parameters: make", make)?;
            (filecoin::Found::Set(set), Reason::MadeHere, made)
        }
    };
    let path = found.path().to_owned();
    let origin = Origin { path, trust, made };
    Ok(Chosen { origin, found })
}

/// Reads what was found, and makes it before where it is to be made.
pub(crate) fn load(
    circuit: CircuitId,
    backend: Backend,
    found: Found,
    phases: &mut Phases<'_>,
) -> Result<Loaded, ProveError> {
    let Chosen { origin, found } = choose(circuit, found, phases)?;
    let trust = match &found {
        filecoin::Found::Unverified(_) => Trust::Unverified,
        filecoin::Found::Flat(resolved) => resolved.trust(),
        filecoin::Found::Set(set) => Trust::Sha256(&set.digest),
    };
    let progress = phases.listener().progress();
    let parameters = phases.run("parameters: read", || {
        LoadedParameters::read(backend, found.path(), trust, progress)
    })?;
    Ok(Loaded { parameters, origin })
}

/// The parameters of a circuit for 2 KiB sectors in a store, and whether this call has made them. They are the same
/// everywhere, and for tests only: whoever reads this file can forge proofs for them.
///
/// # Errors
///
/// [`ProveError::NotMadeHere`] for other circuits, [`ProveError::Generate`], [`ProveError::Parameters`].
pub fn test_parameters(
    circuit: CircuitId,
    store: &Store,
    progress: &dyn Progress,
) -> Result<(Set, bool), ProveError> {
    if !can_be_made(circuit) {
        return Err(ProveError::NotMadeHere { circuit });
    }
    let make = || -> Result<_, ProveError> { Ok(circuit.visit_blank(Make { progress })??) };
    store.ensure(&circuit.parameters_name()?, make, progress)
}

struct Make<'a> {
    progress: &'a dyn Progress,
}

impl CircuitVisitor for Make<'_> {
    type Output = Result<Parameters<Bls12>, GenerateError>;

    fn visit<C: Circuit<Fr> + Send>(self, blank: impl Fn() -> C) -> Self::Output {
        let mut rng = ChaCha20Rng::seed_from_u64(PUBLIC_SEED);
        generate(blank, &mut rng, self.progress)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn lookup(folder: Option<&Path>, store: &Path) -> Lookup {
        Lookup {
            unverified: None,
            folder: folder.map(Path::to_owned),
            store: Store::at(store),
        }
    }

    fn id(text: &str) -> CircuitId {
        text.parse().expect("an id")
    }

    #[test]
    fn what_is_missing_and_cannot_be_made_is_missed_by_name_and_folder() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = folder.path().join("cuzk");
        let find = |circuit: &str, folder: Option<&Path>| lookup(folder, &store).find(id(circuit));
        for circuit in ["porep-32g", "porep-8m", "wpost-64g"] {
            let error = find(circuit, Some(folder.path()))
                .expect_err("missing")
                .to_string();
            let name = id(circuit).parameters_name().expect("a name");
            for part in [
                circuit,
                &format!("{name}.params"),
                &folder.path().display().to_string(),
                &store.display().to_string(),
                "--params",
            ] {
                assert!(error.contains(part), "{part}: {error}");
            }
            let error = find(circuit, None).expect_err("missing").to_string();
            assert!(error.contains("FIL_PROOFS_PARAMETER_CACHE"), "{error}");
        }
        for circuit in ["porep-2k", "winning-2k", "wpost-2k", "snap-2k"] {
            let found = find(circuit, Some(folder.path()));
            assert!(matches!(found, Ok(Found::ToMake(_))), "{found:?}");
        }
        assert!(!store.exists(), "looking makes nothing");
    }

    #[test]
    fn a_published_file_goes_before_the_store_and_a_named_one_before_all() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let circuit = id("winning-2k");
        let name = circuit.parameters_name().expect("a name");
        let file = folder.path().join(format!("{name}.params"));
        std::fs::write(&file, b"cut short").expect("writable");
        let mut lookup = lookup(Some(folder.path()), &folder.path().join("cuzk"));
        match lookup.find(circuit) {
            Ok(Found::Flat(resolved)) => {
                let digest = circuit
                    .published()
                    .expect("in the table")
                    .expect("published");
                assert_eq!(resolved.trust(), Trust::Blake2b(digest.params));
            }
            other => panic!("{other:?}"),
        }
        lookup.unverified = Some("somewhere.params".into());
        assert!(matches!(lookup.find(circuit), Ok(Found::Unverified(_))));
    }

    #[test]
    fn only_circuits_of_the_smallest_sectors_are_generated() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = Store::at(folder.path());
        let error = test_parameters(id("porep-8m"), &store, &()).expect_err("refused");
        assert!(matches!(error, ProveError::NotMadeHere { .. }), "{error}");
        assert_eq!(
            std::fs::read_dir(folder.path()).expect("is there").count(),
            0
        );
    }
}
