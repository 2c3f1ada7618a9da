//! Flags of `cargo xtask bench`.

use std::path::PathBuf;

use clap::Args;

/// Compares arms on real work, process against process, and prints a table with a verdict a row.
///
/// Nothing is sent anywhere and nothing is kept outside target/, unless --keep says so.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask bench --quick\n  \
    cargo xtask bench synth/porep-2k --arms pristine,patched --pairs 12 --keep\n  \
    cargo xtask bench synth/sha256 --arms pristine,pristine+smallvec-lc,\
    pristine+smallvec-lc:features=lc-inline-1,pristine+smallvec-lc:features=lc-inline-2\n  \
    cargo xtask bench synth/sha256 --arms pristine,pristine\n  \
    cargo xtask bench --ablate=eval-bits,lc-merge\n  \
    cargo xtask bench --quick --bundle /tmp/bundle      (then there: ./run --limit 10m)\n  \
    cargo xtask bench --from /tmp/bundle --keep\n\n\
    Exit code: 0 rows were compared, none regressed and none is invalid; 1 otherwise; 2 the comparison could not be \
    made.")]
pub struct BenchArgs {
    /// Workloads, or the beginning of their names (synth/gadgets); two that cover most when none is named.
    #[arg(value_name = "WORKLOAD")]
    pub workloads: Vec<String>,
    /// Arms, STACK[:key=value…] each; the first is what the others are compared with, and itself in every run. One that
    /// is named again runs again, as an arm of its own.
    #[arg(
        long,
        value_name = "ARM",
        value_delimiter = ',',
        conflicts_with = "ablate"
    )]
    pub arms: Vec<String>,
    /// Pairs of processes for each workload. The number is fixed before the run; it never stops early.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..=500))]
    pub pairs: Option<u16>,
    /// Fewer pairs, and one workload unless some are named: it shows differences of some per cent.
    #[arg(long)]
    pub quick: bool,
    /// Compare answers only: two rounds unless --pairs says otherwise, without the control that times need.
    #[arg(long, conflicts_with_all = ["quick", "counters", "keep"])]
    pub answers: bool,
    /// Size of each workload, in its own unit.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub size: Option<u64>,
    /// Threads of each workload; all cores for proofs and parameters, one for everything else when not given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub threads: Option<u64>,
    /// Seed of inputs, order and bootstrap; a new one is drawn, printed and recorded when not given.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Write the result to FILE as JSON too (docs/results.md).
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Add the result to results/, where it is never overwritten.
    #[arg(long)]
    pub keep: bool,
    /// Measure each optimisation of the default series, or of SLUGS: as a step of the series, alone, and last of all.
    #[arg(long, value_name = "SLUGS", num_args = 0..=1, require_equals = true, value_delimiter = ',', default_missing_value = "all")]
    pub ablate: Option<Vec<String>>,
    /// Count instructions a constraint and what else can be counted (synthesis only; runs of their own; by perf where the
    /// kernel gives counters, else by callgrind, which is about 50 times slower than native).
    #[arg(long, visible_alias = "instructions")]
    pub counters: bool,
    /// Measure nothing here: make DIR, which runs the comparison on a host without cargo, rustc or network.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["json", "keep"])]
    pub bundle: Option<PathBuf>,
    /// Bring home what the bundle DIR measured elsewhere, and judge it again. Nothing is built.
    #[arg(long, value_name = "DIR", conflicts_with_all = [
        "workloads", "arms", "pairs", "quick", "size", "threads", "seed", "ablate", "counters", "answers", "bundle",
    ])]
    pub from: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use crate::flags::Cli;

    fn parses(line: &str) -> bool {
        let words = ["xtask", "bench"].into_iter().chain(line.split(' '));
        Cli::try_parse_from(words).is_ok()
    }

    #[test]
    fn what_is_brought_home_was_planned_elsewhere() {
        assert!(parses("--from b --keep --json f"));
        for plans in [
            "synth/sha256",
            "--arms a,b",
            "--pairs 9",
            "--quick",
            "--size 2",
            "--threads 2",
            "--seed 1",
            "--ablate",
            "--counters",
            "--answers",
            "--bundle c",
        ] {
            assert!(!parses(&format!("--from b {plans}")), "{plans}");
            assert!(
                plans.starts_with("--bundle") || parses(&format!("--bundle b {plans}")),
                "{plans}"
            );
        }
        assert!(!parses("--bundle b --keep") && !parses("--bundle b --json f"));
    }
}
