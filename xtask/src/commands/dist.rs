//! `cargo xtask dist`: the stack for others.

use std::fs;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};

use crate::dist::{self, Done};
use crate::flags::dist::DistArgs;
use crate::layout::Layout;
use crate::progress::Progress;

/// Writes the dist, if the place does not have it already.
pub fn run(layout: &Layout, args: DistArgs) -> Result<ExitCode> {
    let start = Instant::now();
    let _lock = lock(layout).context("cannot lock target/dist.lock")?;
    let place = dist::place(layout, &args.dir)?;
    // A place that cannot be written to is said before the work is done.
    dist::check(&place)?;
    let plan = dist::plan(layout, args.closure, Progress::stderr())?;
    let done = dist::install(&place, &plan)?;
    let (shown, seconds) = (place.display(), start.elapsed().as_secs_f64());
    match done {
        Done::Written => println!(
            "wrote {} files to {shown} in {seconds:.1} s; README.md there says how they are used",
            plan.count()
        ),
        Done::Unchanged => {
            println!("{shown} is as it must be; nothing was written ({seconds:.1} s)")
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Two runs at a time would clear each other's unfinished folder away. Released at the end of the run.
fn lock(layout: &Layout) -> std::io::Result<fs::File> {
    fs::create_dir_all(&layout.target)?;
    let file = fs::File::create(layout.target.join("dist.lock"))?;
    file.lock()?;
    Ok(file)
}
