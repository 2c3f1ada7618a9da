//! Every flag of `cargo xtask`. Each verb has one example in its `--help`.

pub mod adopt;
pub mod bench;
pub mod build;
pub mod compare;
pub mod cuda;
pub mod dist;
pub mod join;
pub mod params;
pub mod patch;
pub mod profile;
pub mod prove;
pub mod rebase;
pub mod report;
pub mod run_bundle;
pub mod test;
pub mod vendor;
pub mod verify;

use clap::{Parser, Subcommand};

/// Materialises the stacks of cuzk, builds its arms, compares them.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, about)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// The verbs of `cargo xtask`.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Make the patched trees: verify the releases, apply the series, stamp.
    Vendor(vendor::VendorArgs),
    /// Build the binaries of arms and print where they are.
    Build(build::BuildArgs),
    /// Find the CUDA toolkit, or install one, and say what it compiles for.
    Cuda(cuda::CudaArgs),
    /// Compare arms on real work and print a table with a verdict a row.
    Bench(bench::BenchArgs),
    /// Compare a result with earlier ones and say what regressed.
    Compare(compare::CompareArgs),
    /// Say where the time of a workload goes, and draw a flame graph.
    Profile(profile::ProfileArgs),
    /// Make a real proof, from a sealed sector to a verified proof.
    Prove(prove::ProveArgs),
    /// Verify proofs that `prove` left, with a program in which no patch is.
    Verify(verify::VerifyArgs),
    /// Check files of parameters.
    Params(params::ParamsArgs),
    /// Write what results/ says into the pages that show it.
    Report(report::ReportArgs),
    /// Run every test of the repository.
    Test(test::TestArgs),
    /// Check formatting, lints and documentation.
    Lint(test::LintArgs),
    /// Look after the patches of the series.
    Patch(patch::PatchArgs),
    /// Write the patched crates and cuzk-core for use elsewhere.
    Dist(dist::DistArgs),
    /// Make one more published crate part of the stack.
    Join(join::JoinArgs),
    /// Check a foreign workspace against the stack, and add the lines that it needs.
    Adopt(adopt::AdoptArgs),
    /// Measures what this folder was made for, prints a table, and leaves the result in results/.
    #[command(hide = true)]
    RunBundle(run_bundle::RunBundleArgs),
}
