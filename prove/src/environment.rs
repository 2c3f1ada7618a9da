//! What filecoin-proofs takes from its environment.
//!
//! It reads its settings once, when it is first asked something, from variables whose names begin with `FIL_PROOFS_`.
//! Those of a production prover must not decide on what happens here, and what is made here must not get into its
//! folders.

use std::path::{Path, PathBuf};

const PARAMETERS: &str = "FIL_PROOFS_PARAMETER_CACHE";
const PARENTS: &str = "FIL_PROOFS_PARENT_CACHE";
const DIGESTS: &str = "FIL_PROOFS_VERIFY_PRODUCTION_PARAMS";

/// What the user had set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserSettings {
    /// The folder of parameters; `None` too where it was set to nothing.
    pub parameters: Option<PathBuf>,
    /// The folder of parents of nodes.
    pub parents: Option<PathBuf>,
}

impl UserSettings {
    /// What is set now.
    pub fn read() -> Self {
        let folder = |name| {
            std::env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        Self {
            parameters: folder(PARAMETERS),
            parents: folder(PARENTS),
        }
    }
}

/// Frees filecoin-proofs of all settings of the user, and points it at `scratch` for verifying keys and, where no
/// folder is given, for parents of nodes.
///
/// # Safety
///
/// No other thread may have been started in this process yet, because it could be reading the environment.
pub unsafe fn isolate(scratch: &Path, parents: Option<&Path>) {
    let settings: Vec<_> = std::env::vars_os()
        .map(|(name, _)| name)
        .filter(|name| name.to_string_lossy().starts_with("FIL_PROOFS_"))
        .collect();
    for name in settings {
        // SAFETY: the caller vouches for there being no other thread.
        unsafe { std::env::remove_var(name) };
    }
    // SAFETY: as above.
    unsafe {
        std::env::set_var(PARAMETERS, scratch);
        std::env::set_var(PARENTS, parents.unwrap_or(scratch));
        // A file of settings in the working directory may ask for it, and keys made here are in no table.
        std::env::set_var(DIGESTS, "false");
    }
}
