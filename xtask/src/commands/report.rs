//! `cargo xtask report`.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::arm::{ArmSpec, Inputs, Program};
use crate::files;
use crate::flags::report::ReportArgs;
use crate::layout::Layout;
use crate::patch::apply::ApplyError;
use crate::progress::Progress;
use crate::report::{self, Kept, Today};
use crate::stack::manifest::Manifest;
use crate::stack::materialise::{Edited, materialise};
use crate::stack::selection::{Selection, SelectionError};

/// Brings the pages up to date, or says which are not.
pub fn run(layout: &Layout, args: ReportArgs) -> Result<ExitCode> {
    let progress = Progress::stderr();
    let html = match &args.html {
        Some(path) => {
            files::destination("--html", path, Some(&layout.results), report::html::is_page)?
        }
        None => layout.target.join("report/index.html"),
    };
    let manifest = Manifest::load(layout)?;
    let mut found = report::found(layout)?;
    report::set_aside_contradictions(&mut found);
    for why in &found.unreadable {
        eprintln!("error: {why}");
    }
    let today = today(layout, &manifest, &found.results, progress)?;
    // Pages of the repository must not lose a row because a file is damaged today.
    let pages = if found.unreadable.is_empty() {
        report::pages(layout, &manifest, &found.results, &today)?
    } else {
        eprintln!(
            "README.md, results/README.md and docs/optimisations are left as they are: mend or remove what is named above"
        );
        Vec::new()
    };
    let changed: Vec<_> = pages.iter().filter(|page| page.differs()).collect();
    let falls_short = !found.unreadable.is_empty() || (args.check && !changed.is_empty());
    if args.check {
        for page in &changed {
            println!(
                "{} does not say what results/ says: run `cargo xtask report`",
                layout.show(&page.path)
            );
        }
    } else {
        report::write(&pages)?;
        for page in &changed {
            progress.step("Wrote", layout.show(&page.path));
        }
        report::html::write(&html, &report::html::text(&found, &manifest, &today))?;
        progress.step("Wrote", layout.show(&html));
        println!(
            "{} results, {} profiles, {} pages, {} of them changed. Plots: {}",
            found.results.len(),
            found.profiles.len(),
            pages.len(),
            changed.len(),
            layout.show(&html)
        );
    }
    Ok(if falls_short {
        ExitCode::from(1)
    } else {
        ExitCode::SUCCESS
    })
}

/// What each measured arm would be made of today.
///
/// Only that an arm cannot be made from this series is a fact for the pages. Any other failure is one of this machine,
/// and must not get into them.
pub(super) fn today(
    layout: &Layout,
    manifest: &Manifest,
    results: &[Kept],
    progress: Progress,
) -> Result<Today> {
    let names: BTreeSet<&String> = results
        .iter()
        .flat_map(|kept| &kept.result.arms)
        .map(|arm| &arm.name)
        .collect();
    let mut known = Known::default();
    names
        .into_iter()
        .map(|name| {
            let inputs = match known.inputs(layout, manifest, name, progress) {
                Ok(inputs) => Ok(inputs),
                Err(error) if is_of_the_series(&error) => Err(first_line(&error)),
                Err(error) => {
                    return Err(error.context(format!("what arm `{name}` would be made of today")));
                }
            };
            Ok((name.clone(), inputs))
        })
        .collect()
}

fn is_of_the_series(error: &anyhow::Error) -> bool {
    error.downcast_ref::<SelectionError>().is_some() || ApplyError::is_not_constructible(error)
}

/// What arms have in common, which takes long to find out: dozens of arms share a few stacks and one compiler.
#[derive(Default)]
struct Known {
    stacks: BTreeMap<Selection, String>,
    /// By what they are built for and with; the stack of any.
    inputs: BTreeMap<(bool, Vec<String>), Inputs>,
}

impl Known {
    fn inputs(
        &mut self,
        layout: &Layout,
        manifest: &Manifest,
        name: &str,
        progress: Progress,
    ) -> Result<Value> {
        let spec: ArmSpec = name.parse()?;
        let released = spec.stack == Selection::Released;
        let stack = match self.stacks.get(&spec.stack) {
            Some(stamp) => stamp.clone(),
            None => {
                let stamp = if released {
                    "released".to_owned()
                } else {
                    materialise(layout, manifest, &spec.stack, Edited::Refuse, progress)?.stamp
                };
                self.stacks.insert(spec.stack.clone(), stamp.clone());
                stamp
            }
        };
        let key = (released, spec.features.clone());
        let inputs = match self.inputs.get(&key) {
            Some(shared) => Inputs {
                stack,
                ..shared.clone()
            },
            None => {
                let program = Program::compared_on(&spec.stack);
                let taken = Inputs::take(layout, program, &spec, &stack)?;
                self.inputs.insert(key, taken.clone());
                taken
            }
        };
        serde_json::to_value(inputs).context("what an arm is made of")
    }
}

/// The reason without its details, for a table.
fn first_line(error: &anyhow::Error) -> String {
    error
        .to_string()
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::bench::judge::judge;
    use crate::bench::testing::{add_pairs, empty_result};
    use crate::report::Found;
    use crate::results::ResultFile;

    fn args(check: bool, html: Option<&str>) -> ReportArgs {
        ReportArgs {
            check,
            html: html.map(Into::into),
        }
    }

    #[test]
    fn a_row_that_its_trials_contradict_is_named_and_not_shown() {
        let mut result = empty_result(&["synth/sha256"], 6);
        add_pairs(&mut result, "synth/sha256", &[0.8; 6]);
        result.comparisons = judge(&result).expect("numbers").comparisons;
        let kept = |path: &str, result: &ResultFile| Kept {
            path: path.to_owned(),
            result: result.clone(),
        };
        let mut edited = result.clone();
        edited.comparisons[0].ratio = 0.1;
        let mut found = Found {
            results: vec![
                kept("good.json", &result),
                kept("edited.json", &edited),
                kept("more.json", &result),
            ],
            ..Found::default()
        };
        report::set_aside_contradictions(&mut found);
        let left: Vec<&str> = found
            .results
            .iter()
            .map(|kept| kept.path.as_str())
            .collect();
        assert_eq!(left, ["good.json", "more.json"]);
        assert!(
            found.unreadable[0].starts_with("edited.json: comparisons[0]"),
            "{:?}",
            found.unreadable
        );
    }

    #[test]
    fn a_bad_result_is_named_on_the_page_and_the_repository_is_left_alone() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let layout = Layout::new(folder.path());
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        };
        write("extern/stack.toml", "schema = 1\ncrate = []\n");
        write("Cargo.toml", "[patch.crates-io]\n");
        write(
            "README.md",
            "# x\n<!-- bench:begin -->\n<!-- bench:end -->\n",
        );
        write("results/some-2c-24g/half.json", "{\"schema\": 1,");
        let code = |args| format!("{:?}", run(&layout, args).expect("done"));
        let one = format!("{:?}", ExitCode::from(1));
        assert_eq!(code(args(true, None)), one);
        assert!(
            !layout.target.join("report").exists(),
            "--check writes nothing"
        );
        assert_eq!(code(args(false, None)), one);
        let page = fs::read_to_string(layout.target.join("report/index.html")).expect("there");
        assert!(page.contains("results/some-2c-24g/half.json: not a whole JSON document"));
        assert!(!layout.results.join("README.md").exists());

        fs::remove_file(layout.results.join("some-2c-24g/half.json")).expect("removed");
        let good = format!("{:?}", ExitCode::SUCCESS);
        let elsewhere = folder.path().join("page.html");
        assert_eq!(code(args(false, elsewhere.to_str())), good);
        assert!(elsewhere.is_file() && layout.results.join("README.md").is_file());
        assert_eq!(code(args(true, None)), good);
    }
}
