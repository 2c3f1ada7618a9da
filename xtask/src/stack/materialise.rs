//! From the releases and a selection to trees on disk.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use super::manifest::{Manifest, Optimisation};
use super::selection::Selection;
use super::series::{self, Trees};
use super::stamp::{self, Difference, Origin, Stamp, State};
use super::{release, swap};
use crate::layout::Layout;
use crate::patch::apply::ApplyError;
use crate::progress::Progress;

/// A stack that is there.
#[derive(Clone, Debug)]
pub struct Stack {
    /// Which one.
    pub selection: Selection,
    /// Hash of its trees: stacks with equal trees are one stack.
    pub stamp: String,
    /// Where its trees are.
    pub folder: PathBuf,
    /// Where each crate's tree is.
    pub trees: BTreeMap<String, PathBuf>,
    /// The file for `cargo --config`; none for `patched`, which the workspace's own table points at.
    pub config: Option<PathBuf>,
    /// The trees that had to be made.
    pub made: Vec<String>,
}

/// What to do with trees that were edited by hand.
#[derive(Clone, Copy, Debug)]
pub enum Edited<'a> {
    /// Refuse, and name them.
    Refuse,
    /// Throw the edits away.
    Discard,
    /// Move each edited tree into this folder first.
    Keep(&'a Path),
}

/// Makes the trees of a stack where they are not as they must be.
pub fn materialise(
    layout: &Layout,
    manifest: &Manifest,
    selection: &Selection,
    edited: Edited<'_>,
    progress: Progress,
) -> Result<Stack> {
    let load = || release::load(layout, &manifest.releases, progress);
    materialise_on(layout, manifest, selection, edited, progress, load)
}

/// `load` gives the releases; it is called when a tree has to be made.
fn materialise_on(
    layout: &Layout,
    manifest: &Manifest,
    selection: &Selection,
    edited: Edited<'_>,
    progress: Progress,
    load: impl FnOnce() -> Result<Trees>,
) -> Result<Stack> {
    let chosen = selection.optimisations(manifest)?;
    let folder = folder(layout, selection);
    fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create {}", layout.show(&folder)))?;
    let _lock = lock(layout, progress)?;
    let trees: BTreeMap<String, PathBuf> = manifest
        .releases
        .iter()
        .map(|r| (r.name.clone(), folder.join(&r.name)))
        .collect();
    for place in trees.values() {
        swap::recover(place)?;
    }
    let Survey {
        mut ids,
        stale,
        touched,
    } = Survey::take(layout, manifest, &chosen, &trees)?;
    if !touched.is_empty() && matches!(edited, Edited::Refuse) {
        bail!("{}", refusal(layout, selection, &touched));
    }
    if let Edited::Keep(keep) = edited {
        check_keep(keep, touched.keys())?;
    }
    if !stale.is_empty() {
        progress.step(
            "Vendoring",
            format!(
                "{selection}: {}",
                stale.iter().cloned().collect::<Vec<_>>().join(", ")
            ),
        );
        let releases = load()?;
        let made = series::build(&releases, manifest, &chosen)
            .map_err(|error| explain(error, selection, manifest))?;
        // Everything is known to be good from here on; only now the disk changes.
        for name in &stale {
            let (Some(tree), Some(place)) = (made.get(name), trees.get(name)) else {
                continue;
            };
            if let (Edited::Keep(keep), true) = (edited, touched.contains_key(name)) {
                swap::move_away(place, &keep.join(name))?;
                progress.step(
                    "Kept",
                    format!(
                        "the edited {} as {}",
                        layout.show(place),
                        keep.join(name).display()
                    ),
                );
            }
            let stamp = Stamp::new(origin(manifest, &chosen, name), tree);
            swap::install(place, tree, &stamp)?;
            ids.insert(name.clone(), stamp.tree);
        }
    }
    let config = match selection {
        Selection::Patched => None,
        _ => Some(write_config(layout, &folder, &trees)?),
    };
    Ok(Stack {
        selection: selection.clone(),
        stamp: stack_stamp(&ids),
        folder,
        trees,
        config,
        made: stale.into_iter().collect(),
    })
}

/// Where the trees of a stack are.
fn folder(layout: &Layout, selection: &Selection) -> PathBuf {
    match selection {
        Selection::Patched => layout.extern_dir.clone(),
        other => layout.stacks.join(other.to_string()),
    }
}

/// Two runs at a time would swap each other's trees.
fn lock(layout: &Layout, progress: Progress) -> Result<fs::File> {
    let path = layout.target.join("vendor.lock");
    let open = || {
        fs::create_dir_all(&layout.target)?;
        let file = fs::File::create(&path)?;
        if file.try_lock().is_err() {
            progress.step("Waiting", "for another `cargo xtask` that makes trees");
            file.lock()?;
        }
        Ok::<_, std::io::Error>(file)
    };
    open().with_context(|| format!("cannot lock {}", layout.show(&path)))
}

/// How the trees on disk stand to what they must be.
struct Survey {
    /// Id of each tree that is as it must be.
    ids: BTreeMap<String, String>,
    /// The trees to be made.
    stale: BTreeSet<String>,
    /// The trees that a hand has touched, and how; none where there is no stamp.
    touched: BTreeMap<String, Option<Difference>>,
}

impl Survey {
    fn take(
        layout: &Layout,
        manifest: &Manifest,
        chosen: &[&Optimisation],
        trees: &BTreeMap<String, PathBuf>,
    ) -> Result<Self> {
        let (mut ids, mut stale, mut touched) = (BTreeMap::new(), BTreeSet::new(), BTreeMap::new());
        for (name, place) in trees {
            let state = stamp::inspect(place)
                .with_context(|| format!("cannot check {}", layout.show(place)))?;
            match state {
                State::Clean(stamp) if stamp.origin == origin(manifest, chosen, name) => {
                    ids.insert(name.clone(), stamp.tree);
                    continue;
                }
                State::Clean(_) | State::Absent => {}
                State::Edited(difference) => {
                    touched.insert(name.clone(), Some(difference));
                }
                State::Foreign => {
                    touched.insert(name.clone(), None);
                }
            }
            stale.insert(name.clone());
        }
        Ok(Self {
            ids,
            stale,
            touched,
        })
    }
}

/// What the tree of one crate is made of.
fn origin(manifest: &Manifest, chosen: &[&Optimisation], name: &str) -> Origin {
    let release = manifest.releases.iter().find(|r| r.name == name);
    let patches = chosen
        .iter()
        .filter_map(|o| Some((o.slug.clone(), o.patches.get(name)?.sha256.clone())));
    Origin::new(release.map_or("", |r| &r.tree), patches.collect())
}

fn stack_stamp(ids: &BTreeMap<String, String>) -> String {
    let mut hasher = Sha256::new();
    for (name, id) in ids {
        hasher.update(format!("{name} {id}\n"));
    }
    hex::encode(hasher.finalize())
}

fn write_config(
    layout: &Layout,
    folder: &Path,
    trees: &BTreeMap<String, PathBuf>,
) -> Result<PathBuf> {
    let mut table = toml::Table::new();
    for (name, place) in trees {
        let place = place.to_str().with_context(|| {
            format!(
                "{} is not UTF-8, which cargo's configuration must be",
                place.display()
            )
        })?;
        table.insert(name.clone(), toml::toml! { path = place }.into());
    }
    let registry = toml::Table::from_iter([("crates-io".to_owned(), table.into())]);
    let text =
        toml::Table::from_iter([("patch".to_owned(), toml::Value::from(registry))]).to_string();
    let path = folder.join("arm.toml");
    if !fs::read_to_string(&path).is_ok_and(|found| found == text) {
        fs::write(&path, text).with_context(|| format!("cannot write {}", layout.show(&path)))?;
    }
    Ok(path)
}

/// At most so many files of an edited tree are named.
const NAMED: usize = 12;

fn refusal(
    layout: &Layout,
    selection: &Selection,
    touched: &BTreeMap<String, Option<Difference>>,
) -> String {
    let mut text = String::from("generated trees were changed by hand, and nothing was done:\n");
    for (name, difference) in touched {
        let place = layout.show(&folder(layout, selection).join(name));
        let Some(difference) = difference else {
            let _ = writeln!(
                text,
                "  {place}: has no stamp that fits; was it made by `cargo xtask vendor`?"
            );
            continue;
        };
        let kinds = [
            ("changed", &difference.changed),
            ("added", &difference.added),
            ("removed", &difference.removed),
        ];
        let files: Vec<(&str, &String)> = kinds
            .iter()
            .flat_map(|(kind, files)| files.iter().map(|f| (*kind, f)))
            .collect();
        for (kind, file) in files.iter().take(NAMED) {
            let _ = writeln!(text, "  {kind:<8} {place}/{file}");
        }
        if files.len() > NAMED {
            let _ = writeln!(text, "  and {} more in {place}", files.len() - NAMED);
        }
    }
    let _ = write!(
        text,
        "run `cargo xtask vendor --keep DIR {selection}` to move the trees to DIR and make new ones, \
         or `cargo xtask vendor --discard {selection}` to throw the changes away"
    );
    text
}

fn check_keep<'a>(keep: &Path, names: impl Iterator<Item = &'a String>) -> Result<()> {
    for name in names {
        let target = keep.join(name);
        if target.symlink_metadata().is_ok() {
            bail!(
                "{} is there already: give --keep another folder",
                target.display()
            );
        }
    }
    Ok(())
}

/// Two stacks that differ in `slug` alone and can always be made.
fn along_the_series(slug: &str, manifest: &Manifest) -> String {
    let default: Vec<&Optimisation> = manifest
        .optimisations
        .iter()
        .filter(|o| o.default)
        .collect();
    match default.iter().position(|o| o.slug == slug) {
        Some(0) => format!("pristine,prefix-{slug}"),
        Some(at) => format!("prefix-{},prefix-{slug}", default[at - 1].slug),
        None => format!("pristine,pristine+{slug}"),
    }
}

/// What to run next, by the kind of failure.
fn explain(error: ApplyError, selection: &Selection, manifest: &Manifest) -> anyhow::Error {
    let advice = match &error {
        ApplyError::NotConstructible { patch, .. } => {
            let slug = patch
                .rsplit('/')
                .next()
                .and_then(|file| file.strip_suffix(".patch"))
                .unwrap_or(patch);
            let along = along_the_series(slug, manifest);
            format!(
                "stack `{selection}` cannot be made and the trees are as they were. Measure `{slug}` where it always applies: \
                 `cargo xtask bench --arms {along}`; or, if it needs what this stack leaves out, say so with a Depends trailer in its message"
            )
        }
        ApplyError::AlreadyApplied { patch } => format!(
            "stack `{selection}` was not made and the trees are as they were. If the release has the change, take it out of extern/stack.toml and delete extern/patches/{patch}"
        ),
        _ => format!("stack `{selection}` was not made and the trees are as they were"),
    };
    anyhow::Error::new(error).context(advice)
}

#[cfg(test)]
#[path = "materialise_tests.rs"]
mod tests;
