//! Steps of a test run as data: a name, what it shows, and what does it. All of them run, and the end sums up.

pub mod commands;
pub mod cuda;
pub mod downstream;
pub mod gpu_suite;
pub mod laboratory;
pub mod proofs;
pub mod released;
pub mod stacks;
pub mod upstream;
pub mod verbs;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::layout::Layout;
use crate::progress::Progress;

/// What a step returns: a few words on what it found, or why it failed.
pub type Outcome = Result<String>;

/// One step.
pub struct Step {
    /// How `--only` and the summary name it.
    pub name: String,
    /// What it shows, for `--list`.
    pub shows: &'static str,
    /// Does it.
    pub run: Box<dyn Fn(&Layout) -> Outcome>,
}

impl Step {
    /// A step that `run` does.
    pub fn new(
        name: impl Into<String>,
        shows: &'static str,
        run: impl Fn(&Layout) -> Outcome + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            shows,
            run: Box::new(run),
        }
    }
}

/// Keeps the steps that are named, all of them where none is.
pub fn choose(steps: Vec<Step>, only: &[String]) -> Result<Vec<Step>> {
    for wish in only {
        if !steps.iter().any(|step| step.name == *wish) {
            let names: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
            bail!("no step `{wish}`; there are: {}", names.join(", "));
        }
    }
    let wanted = |step: &Step| only.is_empty() || only.contains(&step.name);
    Ok(steps.into_iter().filter(wanted).collect())
}

/// Prints the steps, for `--list`.
pub fn list(steps: &[Step]) {
    for step in steps {
        println!("{:<26} {}", step.name, step.shows);
    }
}

/// How to run a failed step alone.
fn again(verb: &str, name: &str) -> String {
    format!("Again: cargo xtask {verb} --only {name}")
}

/// Runs the steps in order and prints, last, what passed and what failed. `verb` is that of the command line, for what to run next.
pub fn run(layout: &Layout, verb: &str, steps: &[Step]) -> ExitCode {
    let progress = Progress::stderr();
    let mut failed = Vec::new();
    let mut lines = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        progress.step(
            "Testing",
            format!("{} ({} of {})", step.name, at + 1, steps.len()),
        );
        let begun = Instant::now();
        let outcome = (step.run)(layout);
        let took = begun.elapsed().as_secs();
        let (word, what) = match outcome {
            Ok(what) => ("ok", what),
            Err(error) => {
                eprintln!("error: {}: {error:#}", step.name);
                failed.push((step.name.as_str(), format!("{error:#}")));
                ("FAILED", String::new())
            }
        };
        lines.push(format!("{:<26} {word:<6} {took:>4} s  {what}", step.name));
    }
    println!();
    lines.iter().for_each(|line| println!("{line}"));
    for (name, error) in &failed {
        println!("\n{name} failed: {error}\n{}", again(verb, name));
    }
    println!(
        "\n{} passed, {} failed",
        steps.len() - failed.len(),
        failed.len()
    );
    if failed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(name: &str, good: bool) -> Step {
        Step::new(name, "a test", move |_| {
            anyhow::ensure!(good, "it is bad");
            Ok(String::new())
        })
    }

    #[test]
    fn unknown_steps_are_refused_and_named_ones_kept_in_order() {
        let steps = || vec![step("a", true), step("b", true)];
        let error = choose(steps(), &["c".to_owned()]).err();
        let error = error.map(|e| e.to_string()).unwrap_or_default();
        assert!(error.contains("no step `c`") && error.contains("a, b"));
        for (only, left) in [(vec![], 2), (vec!["b".to_owned()], 1)] {
            let chosen = choose(steps(), &only);
            assert_eq!(chosen.map(|c| c.len()).ok(), Some(left));
        }
    }

    #[test]
    fn a_failed_step_says_how_to_run_it_again() {
        assert_eq!(
            again("lint", "format"),
            "Again: cargo xtask lint --only format"
        );
        assert_eq!(again("test", "cuda"), "Again: cargo xtask test --only cuda");
    }

    #[test]
    fn one_failure_fails_the_run_and_stops_nothing() {
        let layout = Layout::new(std::path::Path::new("."));
        let ran = std::rc::Rc::new(std::cell::Cell::new(false));
        let seen = ran.clone();
        let last = Step::new("last", "a test", move |_| {
            seen.set(true);
            Ok(String::new())
        });
        let code = run(
            &layout,
            "test",
            &[step("good", true), step("bad", false), last],
        );
        assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::from(1)));
        assert!(ran.get());
        let code = run(&layout, "test", &[step("good", true)]);
        assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::SUCCESS));
    }
}
