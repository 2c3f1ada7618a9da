//! `cargo xtask`: materialises the stacks of cuzk, builds its arms, compares them.

mod adopt;
mod arm;
mod bench;
mod bundle;
mod cargo;
mod commands;
mod compare;
mod cuda;
mod dist;
mod files;
mod flags;
mod git;
mod handover;
mod layout;
mod lock;
mod patch;
mod profile;
mod progress;
mod report;
mod resolve;
mod results;
mod scratch;
mod stack;
mod suite;
mod upkeep;

use std::any::Any;
use std::process::ExitCode;

use clap::Parser;

use flags::{Cli, Verb};
use layout::Layout;

/// 0 = done and good, 1 = done and something falls short, 2 = could not be done.
fn main() -> ExitCode {
    let cli = Cli::parse();
    silence_closed_pipes();
    match std::panic::catch_unwind(|| run(cli)) {
        Ok(Ok(code)) => code,
        Ok(Err(error)) => {
            eprintln!("error: {}", chain(&error));
            ExitCode::from(2)
        }
        // What was begun has been put back on the way. The code is a shell's for SIGPIPE, or Rust's for a panic.
        Err(panic) => ExitCode::from(if is_closed_pipe(&*panic) { 141 } else { 101 }),
    }
}

/// A pipe that is closed early, as `| head` does, ends the program without a word.
fn silence_closed_pipes() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !is_closed_pipe(panic.payload()) {
            hook(panic);
        }
    }));
}

/// True for the panic of a `println!` that nobody reads.
fn is_closed_pipe(panic: &(dyn Any + Send)) -> bool {
    let text = panic.downcast_ref::<String>().map_or("", String::as_str);
    text.starts_with("failed printing to std") && text.contains("Broken pipe")
}

/// An error with its causes, without those that the text before them ends with already.
fn chain(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        if !text.ends_with(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
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
        Verb::Cuda(args) => commands::cuda::run(&layout, args),
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
        Verb::Dist(args) => commands::dist::run(&layout, args),
        Verb::Join(args) => commands::join::run(&layout, args),
        Verb::Adopt(args) => commands::adopt::run(&layout, args),
        Verb::RunBundle(args) => commands::run_bundle::run(args),
    }
}

#[cfg(test)]
mod tests {
    use anyhow::{Context, anyhow};

    use super::*;

    #[test]
    fn only_the_panic_of_a_closed_pipe_is_silent() {
        let said = |text: &str| is_closed_pipe(&text.to_owned());
        assert!(said("failed printing to stdout: Broken pipe (os error 32)"));
        assert!(!said("index out of bounds") && !is_closed_pipe(&7));
    }

    #[test]
    fn a_cause_is_said_once() {
        let error = Err::<(), _>(anyhow!("no such file")).context("x.json: no such file");
        let error = error.context("the result").expect_err("an error");
        assert_eq!(chain(&error), "the result: x.json: no such file");
    }
}
