//! Why a patch does not apply.

use std::io;

use thiserror::Error;

use super::object::ObjectId;

/// Why a patch is refused. The tree stays as it was.
#[derive(Debug, Error)]
pub enum ApplyError {
    /// Every change of the patch is in the tree.
    #[error("extern/patches/{patch}: already applied, every change of it is in the tree")]
    AlreadyApplied {
        /// The patch.
        patch: String,
    },
    /// The file is another than the patch was made for.
    #[error(
        "extern/patches/{patch}: `{file}` is not the file that it was made for (blob {expected}, found {found}){hunk}; \
         export the patch anew on top of the patches before it in extern/stack.toml"
    )]
    PreImage {
        /// The patch.
        patch: String,
        /// The file.
        file: String,
        /// The blob before, as the patch has it.
        expected: ObjectId,
        /// The blob in the tree.
        found: ObjectId,
        /// The first hunk that does not fit, or nothing.
        hunk: String,
    },
    /// A file that must be there is not, or the other way round, or its mode differs.
    #[error("extern/patches/{patch}: `{file}` {text}")]
    File {
        /// The patch.
        patch: String,
        /// The file.
        file: String,
        /// What about it.
        text: String,
    },
    /// The patch contradicts its own blob ids.
    #[error(
        "extern/patches/{patch}: `{file}`{hunk}: {text}; the patch file was changed after its export, export it anew"
    )]
    Corrupt {
        /// The patch.
        patch: String,
        /// The file.
        file: String,
        /// ` hunk N (@@ … @@)`, or nothing.
        hunk: String,
        /// What contradicts.
        text: String,
    },
    /// This subset of the series cannot be made.
    #[error("extern/patches/{patch} does not fit this stack: `{file}`{hunk}: {text}")]
    NotConstructible {
        /// The patch.
        patch: String,
        /// The file.
        file: String,
        /// ` hunk N (@@ … @@)`, or nothing.
        hunk: String,
        /// Why.
        text: String,
    },
    /// Git could not be run.
    #[error("extern/patches/{patch}: `{file}`: {source}")]
    Git {
        /// The patch.
        patch: String,
        /// The file.
        file: String,
        /// The system's answer.
        source: io::Error,
    },
}

impl ApplyError {
    /// True for an error that says that a subset of the series cannot be made, which is no fault of the series.
    pub fn is_not_constructible(error: &anyhow::Error) -> bool {
        matches!(error.downcast_ref(), Some(Self::NotConstructible { .. }))
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn only_a_subset_that_cannot_be_made_is_not_constructible() {
        let no = || ApplyError::NotConstructible {
            patch: "c/one.patch".to_owned(),
            file: "src/lib.rs".to_owned(),
            hunk: String::new(),
            text: "it is elsewhere".to_owned(),
        };
        let with_more: anyhow::Result<()> = Err(no()).context("stack `patched-one`");
        for error in [anyhow::Error::new(no()), with_more.unwrap_err()] {
            assert!(ApplyError::is_not_constructible(&error), "{error:#}");
        }
        let other = anyhow::Error::new(ApplyError::AlreadyApplied {
            patch: "c/one.patch".to_owned(),
        });
        assert!(!ApplyError::is_not_constructible(&other));
    }
}
