//! The real run: begins, stops at a conflict, goes on, leaves out, puts back, ends.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use super::desk;
use super::finish::{self, Finish};
use super::plan::Plan;
use super::replay::{Outcome, Row, Stop};
use super::report;
use super::session::{self, Decided, Session, State};
use super::todo;
use crate::layout::Layout;
use crate::patch::Patch;
use crate::patch::attempt::Conflict;
use crate::patch::diff;
use crate::progress::Progress;
use crate::upkeep::edit::{self, work};
use crate::upkeep::line::Line;

/// True when the rebase is through, false when it waits for a person.
type Through = bool;

/// Refuses what would change the series under a rebase.
pub fn none_under_way(layout: &Layout) -> Result<()> {
    match Session::new(layout).state()? {
        None => Ok(()),
        Some(state) => bail!(
            "the rebase of {} to {} is under way: `cargo xtask patch rebase --continue`, --skip or --abort",
            state.name,
            state.new
        ),
    }
}

/// Begins to bring the patches of `name` to `version`.
pub fn begin(layout: &Layout, name: &str, version: &str, progress: Progress) -> Result<Through> {
    let session = Session::new(layout);
    none_under_way(layout)?;
    // What a rebase left that is over.
    session.end()?;
    let plan = Plan::load(layout, name, version, progress)?;
    if let Some((scratch, edited)) = edit::find(layout, name)? {
        let work = work::of(&scratch, &edited)?;
        let place = layout.show(&edit::place(layout, name));
        ensure!(
            work.is_empty(),
            "{place} has work for {name} {} that was not exported ({}): `cargo xtask patch export {name}`, or \
             `cargo xtask patch edit {name} --discard`",
            plan.old.version,
            work.join("; ")
        );
    }
    let state = State {
        schema: 1,
        name: name.to_owned(),
        old: plan.old.version.clone(),
        new: version.to_owned(),
        begun_from: session::sources(layout, &plan.manifest, name)?,
        decisions: Vec::new(),
        stop: None,
    };
    session.remember(&state)?;
    let run = Run {
        layout,
        session,
        plan,
    };
    run.advance(state)
}

/// Takes what a person made of the patch in conflict, and goes on.
pub fn go_on(layout: &Layout, progress: Progress) -> Result<Through> {
    let (run, mut state) = Run::resume(layout, progress)?;
    let Some(stopped) = state.stop.take() else {
        // It ended between two steps: nothing waits for a person.
        return run.advance(state);
    };
    let line = run.plan.line()?;
    let rows = run.rows(&line, &state)?;
    let at = rows.len().saturating_sub(1);
    let conflict = match rows.last().map(|row| &row.outcome) {
        Some(Outcome::Conflict(conflict)) if line.steps[at].slug() == stopped.slug => conflict,
        _ => bail!(
            "the rebase does not stop at `{}` any more: `cargo xtask patch rebase --abort`, and begin again",
            stopped.slug
        ),
    };
    let folder = run.session.desk(&state.name);
    ensure!(
        folder.is_dir(),
        "{} is gone: `cargo xtask patch rebase --abort`, and begin again",
        layout.show(&folder)
    );
    let step = &line.steps[at];
    let tree = desk::mended(&folder, &rows[at].before, &conflict.tree, &stopped)?;
    let files = diff::between(&rows[at].before, &tree)
        .with_context(|| format!("what {} holds is no patch", layout.show(&folder)))?;
    let patch = Patch {
        files,
        ..step.patch.clone()
    };
    patch.allowed(step.optimisation.kind)?;
    run.session.keep(&stopped.slug, &tree)?;
    state.decisions.push(Decided {
        slug: stopped.slug,
        skipped: false,
    });
    run.session.remember(&state)?;
    run.advance(state)
}

/// Leaves the patch in conflict out, and goes on.
pub fn skip(layout: &Layout, progress: Progress) -> Result<Through> {
    let (run, mut state) = Run::resume(layout, progress)?;
    let Some(stopped) = state.stop.take() else {
        bail!("no patch waits for a person: `cargo xtask patch rebase --continue` goes on");
    };
    state.decisions.push(Decided {
        slug: stopped.slug.clone(),
        skipped: true,
    });
    let line = run.plan.line()?;
    let decisions = run.session.decisions(&state)?;
    let rows = run.plan.replay(&line, &decisions, Stop::Never)?;
    let gone = finish::gone(&line, &rows);
    let mut orphans = finish::orphans(&run.plan, &finish::leaving(&line, &rows));
    orphans.extend(finish::halves(&line, &gone));
    ensure!(
        orphans.is_empty(),
        "`{}` cannot be left out: {}. Resolve it, or end this with --abort and take those out first \
         (`cargo xtask patch export CRATE --drop SLUG`)",
        stopped.slug,
        orphans.join(", ")
    );
    let with_it: Vec<&str> = gone.into_iter().filter(|s| *s != stopped.slug).collect();
    if !with_it.is_empty() {
        println!(
            "left out, with what was left out before: {}",
            with_it.join(", ")
        );
    }
    run.session.remember(&state)?;
    run.advance(state)
}

/// Puts everything back to what it was, whatever the state of the rebase says.
pub fn abort(layout: &Layout) -> Result<()> {
    let session = Session::new(layout);
    ensure!(session.is_open(), session::NONE);
    let journal = session.journal();
    let interrupted = journal.is_open();
    if interrupted {
        journal.restore()?;
    }
    session.end()?;
    let how = match interrupted {
        true => "its last step was interrupted, and the files are as they were before",
        false => "nothing of the repository had changed",
    };
    println!("the rebase is given up: {how}");
    Ok(())
}

/// A rebase that is under way.
struct Run<'a> {
    layout: &'a Layout,
    session: Session,
    plan: Plan,
}

impl<'a> Run<'a> {
    /// The rebase that has stopped. Files that an interrupted last step changed are put back first.
    fn resume(layout: &'a Layout, progress: Progress) -> Result<(Self, State)> {
        let session = Session::new(layout);
        let state = session.under_way()?;
        let journal = session.journal();
        if journal.is_open() {
            journal.restore()?;
            progress.step("Restored", "what the interrupted last step had changed");
        }
        let plan = Plan::load(layout, &state.name, &state.new, progress)?;
        let now = session::sources(layout, &plan.manifest, &state.name)?;
        if let Some(path) = changed(&state, &now) {
            bail!(
                "{path} is not what the rebase was begun from: bring it back, or end the rebase with \
                 `cargo xtask patch rebase --abort` and begin again"
            );
        }
        let run = Self {
            layout,
            session,
            plan,
        };
        Ok((run, state))
    }

    fn rows(&self, line: &Line<'_>, state: &State) -> Result<Vec<Row>> {
        let decisions = self.session.decisions(state)?;
        self.plan.replay(line, &decisions, Stop::AtConflict)
    }

    /// Goes on to the next conflict, or to the end.
    fn advance(&self, mut state: State) -> Result<Through> {
        let line = self.plan.line()?;
        let rows = self.rows(&line, &state)?;
        if let Some(Row {
            outcome: Outcome::Conflict(conflict),
            ..
        }) = rows.last()
        {
            let folder = self.session.desk(&state.name);
            let (new, tree) = (&self.plan.new, &self.plan.new_tree);
            state.stop = Some(desk::lay(&folder, new, tree, &line, &rows, conflict)?);
            self.session.remember(&state)?;
            self.say_stop(&line, &rows, conflict, &folder);
            return Ok(false);
        }
        let finish = Finish::new(self.layout, &self.plan, &line, &rows)?;
        let journal = self.session.journal();
        journal.write(&finish.wanted)?;
        if let Err(error) = Finish::check(self.layout, &self.plan, &line, &rows) {
            journal.restore()?;
            return Err(error.context(
                "what comes out is not a series that this repository takes; everything is as it was, \
                 and the rebase is still under way (`cargo xtask patch rebase --abort` ends it)",
            ));
        }
        self.session.end()?;
        self.say_end(&line, &rows, &finish);
        Ok(true)
    }

    fn say_stop(&self, line: &Line<'_>, rows: &[Row], conflict: &Conflict, folder: &Path) {
        let at = rows.len() - 1;
        let (step, plan) = (&line.steps[at], &self.plan);
        let place = self.layout.show(folder);
        println!(
            "{} {} to {}: `{}` needs a person ({} of {})",
            plan.new.name,
            plan.old.version,
            plan.new.version,
            step.slug(),
            at + 1,
            line.steps.len()
        );
        for file in &conflict.files {
            for text in report::conflict_lines(file) {
                println!("  {text}");
            }
            match &file.place {
                Some(path) if file.marked > 0 => {
                    println!("    marked in {place}/{path}: {}", file.marked);
                }
                Some(path) => {
                    println!("    merged into {place}/{path}: see whether it belongs there")
                }
                None => println!("    what had no place is in {place}/{}.rej", file.path),
            }
        }
        println!(
            "\nThe folder has {} {} and the patches before this one as commits, and what fits of this one;\n\
             `git diff` there shows it. The patch as it was: extern/patches/{}.\n\n\
             Mend what is marked, delete what is named .rej, `git add` what is new, and then:\n  \
             cargo xtask patch rebase --continue\n\
             or leave the patch out, and what needs it: --skip; or give the rebase up: --abort.",
            plan.new.name, plan.new.version, step.patch.name
        );
    }

    fn say_end(&self, line: &Line<'_>, rows: &[Row], finish: &Finish) {
        let plan = &self.plan;
        let name = &plan.new.name;
        let on = rows.iter().filter(|row| row.outcome.applies()).count();
        println!(
            "{name} is at {} now, and was at {}: {on} of {} patches went on",
            plan.new.version,
            plan.old.version,
            rows.len()
        );
        for (step, row) in line.steps.iter().zip(rows) {
            let slug = step.slug();
            match &row.outcome {
                Outcome::Exact => {}
                Outcome::Upstream => {
                    println!("  {slug}: dropped, {name} {} has it", plan.new.version)
                }
                Outcome::Skipped => println!("  {slug}: left out, as you asked"),
                Outcome::Blocked(by) => {
                    let by: Vec<&str> = by.iter().map(String::as_str).collect();
                    println!("  {slug}: left out with {}, which it needs", by.join(", "));
                }
                other => println!("  {slug}: {}", other.word()),
            }
        }
        if !finish.leave.is_empty() {
            println!("left extern/stack.toml: {}", finish.leave.join(", "));
        }
        if !finish.pinned.is_empty() {
            println!("exact version changed in {}", finish.pinned.join(", "));
        }
        for (path, requirement) in &finish.others {
            println!(
                "{path} asks for {name} \"{requirement}\": see whether that admits {}",
                plan.new.version
            );
        }
        println!("\nTo do, in this order:");
        for line in todo::lines(self.layout, &plan.old, &plan.new) {
            println!("  {line}");
        }
    }
}

/// The first file that is not what the rebase was begun from.
fn changed<'s>(
    state: &'s State,
    now: &'s std::collections::BTreeMap<String, String>,
) -> Option<&'s str> {
    let paths = state.begun_from.keys().chain(now.keys());
    paths
        .into_iter()
        .find(|path| state.begun_from.get(*path) != now.get(*path))
        .map(String::as_str)
}
