//! A folder that carries a comparison to a host without cargo, rustc or network, and its result back.
//!
//! `make` writes it, `runner` measures with what is in it, `home` reads what came of it. A bundle is
//!
//! | file | what it is |
//! | --- | --- |
//! | `run` | starts the runner; says in words what a host lacks |
//! | `plan.json` | what is run: a result without trials, the arms, what they need of a host |
//! | `bin/` | the runner and the binaries of the arms, stripped |
//! | `cache/` | parameters and digests of matrices, made beforehand |
//! | `SHA256SUMS` | every file above, so that a copy that is not whole is refused by name |
//! | `results/` | what came of it |

pub mod checksums;
pub mod error;
pub mod home;
pub mod keep;
pub mod make;
pub mod manifest;
pub mod needs;
pub mod pace;
pub mod runner;
pub mod strip;

#[cfg(all(test, unix))]
mod tests;

/// The folder of binaries.
const BIN: &str = "bin";
/// The runner.
const RUNNER: &str = "bin/runner";
/// Parameters.
const PARAMS: &str = "cache/params";
/// Digests of matrices.
const MATRICES: &str = "cache/matrices";
/// Results.
const RESULTS: &str = "results";
/// The script that starts the runner.
const RUN: &str = "run";
