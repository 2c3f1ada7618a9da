//! `cargo xtask patch rebase`: the patches of one crate on another release of it.

use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::files;
use crate::flags::rebase::RebaseArgs;
use crate::layout::Layout;
use crate::lock;
use crate::progress::Progress;
use crate::upkeep::rebase::plan::Plan;
use crate::upkeep::rebase::run;

/// Surveys, begins, or goes on.
pub fn rebase(layout: &Layout, args: RebaseArgs) -> Result<ExitCode> {
    let progress = Progress::stderr();
    let _lock = lock::take(layout, "series", progress)?;
    let (Some(name), Some(version)) = (&args.krate, &args.version) else {
        let through = match (args.on.go_on, args.on.skip) {
            (true, _) => run::go_on(layout, progress)?,
            (_, true) => run::skip(layout, progress)?,
            _ => {
                run::abort(layout)?;
                true
            }
        };
        return Ok(code(through));
    };
    let json = args
        .json
        .map(|path| files::destination("--json", &path, Some(&layout.results), files::is_document))
        .transpose()?;
    if args.survey {
        let plan = Plan::load(layout, name, version, progress)?;
        let (text, value, good) = plan.survey()?;
        print!("{text}");
        if let Some(path) = json {
            let text = serde_json::to_string_pretty(&value)? + "\n";
            files::replace(&path, text.as_bytes())
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        return Ok(code(good));
    }
    Ok(code(run::begin(layout, name, version, progress)?))
}

/// 1 where a person is needed.
fn code(good: bool) -> ExitCode {
    ExitCode::from(u8::from(!good))
}
