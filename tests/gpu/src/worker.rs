//! The process that does cases, one after another, and says how each ended.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use cuzk_core::backend::Backend;

use crate::case::{self, What};
use crate::report::{Line, Row, Verdict};
use crate::stand::{Done, Stand};
use crate::{checks, faults};

/// Does the cases of these names.
pub fn run(folder: &Path, backend: Backend, names: &[String]) -> Result<()> {
    let all = case::all();
    let mut stand = Stand::new(folder, backend);
    for name in names {
        let case = all.iter().find(|case| case.name == *name);
        let case = case.with_context(|| format!("there is no case {name}"))?;
        say(&Line::Begin(name.clone()))?;
        let begun = Instant::now();
        let done = catch_unwind(AssertUnwindSafe(|| work(&mut stand, &case.what)));
        let (verdict, detail) = match done {
            Ok(Ok(Done::Passed(detail))) => (Verdict::Passed, detail),
            Ok(Ok(Done::Skipped(why))) => (Verdict::Skipped, why),
            Ok(Err(error)) => (Verdict::Failed, format!("{error:#}")),
            Err(panic) => {
                let words = panic.downcast_ref::<String>().map(String::as_str);
                let words = words.or(panic.downcast_ref::<&str>().copied());
                let words = words.unwrap_or("without words");
                (Verdict::Failed, format!("panicked: {words}"))
            }
        };
        say(&Line::End(Row {
            name: name.clone(),
            verdict,
            detail,
            seconds: begun.elapsed().as_secs_f64(),
        }))?;
    }
    Ok(())
}

fn say(line: &Line) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", line.print())?;
    Ok(out.flush()?)
}

fn work(stand: &mut Stand, what: &What) -> Result<Done> {
    match what {
        What::Equal(batch, setting) => checks::equal(stand, batch, *setting),
        What::Threads(setting) => checks::threads(stand, *setting),
        What::Reload => checks::reload(stand),
        What::Cap(mib, setting) => checks::cap(stand, *mib, *setting),
        What::Damaged(damage, reader) => faults::damaged(stand, *damage, *reader),
        What::OtherShape(batch, reader) => faults::other_shape(stand, batch, *reader),
        What::Alloc(setting, batch) => faults::alloc(stand, *setting, batch),
        What::Worker(place, setting) => faults::worker(stand, *place, *setting),
        What::Device => faults::device(stand),
        What::LittleMemory(setting) => faults::little_memory(stand, *setting),
        What::Unequal => faults::unequal(stand),
        What::NoCircuits => faults::no_circuits(stand),
        What::NoRandomness => faults::no_randomness(stand),
        What::Falsified(setting) => faults::falsified(stand, *setting),
        What::NoGpu(visible, reader) => faults::no_gpu(stand, visible, *reader),
    }
}
