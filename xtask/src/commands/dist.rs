//! `cargo xtask dist`: the stack for others.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;

use crate::dist::{self, Done};
use crate::flags::dist::DistArgs;
use crate::layout::Layout;
use crate::lock;
use crate::progress::Progress;

/// Writes the dist, if the place does not have it already.
pub fn run(layout: &Layout, args: DistArgs) -> Result<ExitCode> {
    let start = Instant::now();
    // Two runs at a time would clear each other's unfinished folder away.
    let _lock = lock::take(layout, "dist", Progress::stderr())?;
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
