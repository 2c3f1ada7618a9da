//! Flags of `cargo xtask verify`.

use std::path::PathBuf;

use clap::Args;

/// Verifies the proofs in a folder that `cargo xtask prove --out DIR` left.
///
/// The program that does it is built from the crates as they were published: no patch of this repository is in it. It
/// compares the files with their digests and counts in statement.json, then verifies the proof of every partition with
/// the verifying key and the public inputs that lie beside it. It does not say whether that key is Filecoin's, nor
/// whether those inputs are what a chain would have asked for.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cargo xtask verify proof\n\n\
    Exit code: 0 every proof verifies; 1 one or more do not; 2 they could not be judged.")]
pub struct VerifyArgs {
    /// The folder.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}
