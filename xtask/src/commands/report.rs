//! `cargo xtask report`.

use std::collections::BTreeSet;
use std::process::ExitCode;

use anyhow::Result;

use crate::files;
use crate::flags::report::ReportArgs;
use crate::layout::Layout;
use crate::progress::Progress;
use crate::report::{self, Kept, Today};
use crate::stack::manifest::Manifest;
use crate::stack::materialise::{Edited, materialise};
use crate::stack::selection::Selection;

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
    report::lasting::rename(&mut found, &manifest, |selection, features| {
        stamp(layout, &manifest, selection, features, progress).ok()
    })?;
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

/// What each measured arm would be made of today. The trees of its stack are made for that.
pub(super) fn today(
    layout: &Layout,
    manifest: &Manifest,
    results: &[Kept],
    progress: Progress,
) -> Result<Today> {
    let names: BTreeSet<&str> = results
        .iter()
        .flat_map(|kept| &kept.result.arms)
        .map(|arm| arm.name.as_str())
        .collect();
    report::today::of(layout, names, |selection, features| {
        stamp(layout, manifest, selection, features, progress)
    })
}

/// The stamp of a stack for an arm with some features. Its trees are made.
fn stamp(
    layout: &Layout,
    manifest: &Manifest,
    selection: &Selection,
    features: &[String],
    progress: Progress,
) -> Result<String> {
    let stack = materialise(layout, manifest, selection, Edited::Refuse, progress)?;
    Ok(stack.stamp_with(manifest, features))
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
