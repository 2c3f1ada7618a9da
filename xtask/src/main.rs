//! `cargo xtask`: materialises the stacks of cuzk, builds its arms, compares them.

mod arm;
mod bench;
mod bundle;
mod cargo;
mod commands;
mod compare;
mod flags;
mod handover;
mod layout;
mod patch;
mod profile;
mod progress;
mod report;
mod resolve;
mod results;
mod stack;
mod suite;

use std::process::ExitCode;

use clap::Parser;

use flags::{Cli, Verb};
use layout::Layout;

/// 0 = done and good, 1 = done and something falls short, 2 = could not be done.
fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(cli) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    // A bundle runs where no repository is.
    if let Verb::RunBundle(args) = cli.verb {
        return commands::run_bundle::run(args);
    }
    let layout = Layout::find(&std::env::current_dir()?)?;
    match cli.verb {
        Verb::Vendor(args) => commands::vendor::run(&layout, args),
        Verb::Build(args) => commands::build::run(&layout, args),
        Verb::Bench(args) => commands::bench::run(&layout, args),
        Verb::Compare(args) => commands::compare::run(&layout, args),
        Verb::Profile(args) => commands::profile::run(&layout, args),
        Verb::Prove(args) => commands::prove::run(&layout, args),
        Verb::Verify(args) => commands::verify::run(&layout, args),
        Verb::Params(args) => commands::params::run(&layout, args),
        Verb::Report(args) => commands::report::run(&layout, args),
        Verb::Test(args) => commands::test::run(&layout, args),
        Verb::Lint(args) => commands::test::lint(&layout, args),
        Verb::Patch(args) => commands::patch::run(&layout, args),
        Verb::RunBundle(args) => commands::run_bundle::run(args),
    }
}
