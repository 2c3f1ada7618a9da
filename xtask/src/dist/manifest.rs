//! The manifest of a member of this workspace, made to stand alone: nothing inherited, nothing by path.

use std::collections::{BTreeMap, BTreeSet};

use thiserror::Error;
use toml::{Table, Value};

/// A manifest that stands alone.
#[derive(Debug, PartialEq, Eq)]
pub struct Resolved {
    /// Its text.
    pub text: String,
    /// Tests, benches and examples that are left out, as the first two parts of their path: they need what was dropped.
    pub dropped: BTreeSet<String>,
}

/// Why a manifest cannot stand alone.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum StandError {
    /// Not TOML.
    #[error("{0} is not understood here: {1}")]
    Toml(&'static str, String),
    /// It says `workspace = true` of what the root does not have.
    #[error("`{0}` is inherited, and the root's manifest does not have it")]
    NotInherited(String),
    /// It inherits the path of a file, which lies at the root.
    #[error(
        "`package.{0}` is inherited, and its file lies outside the crate: name it in the crate"
    )]
    InheritedPath(&'static str),
    /// It is built from a member that is not handed out.
    #[error(
        "`{0}` is a member of this workspace that is not handed out, and the crate is built from it"
    )]
    Member(String),
}

/// The tables of dependencies, and whether a crate is built without them.
const DEPENDENCIES: [(&str, bool); 3] = [
    ("dependencies", false),
    ("build-dependencies", false),
    ("dev-dependencies", true),
];

/// Folders of targets that only tests and the like are made of, with the names of their tables.
const TARGETS: [(&str, &str); 3] = [
    ("tests", "test"),
    ("benches", "bench"),
    ("examples", "example"),
];

/// Resolves a member's manifest against the root's. `versions` are the crates that are handed out with it; `sources` are
/// its files, by path. Dependencies of tests on other members are dropped with the targets that name them.
pub fn resolve(
    member: &str,
    root: &str,
    versions: &BTreeMap<String, String>,
    sources: &BTreeMap<String, String>,
) -> Result<Resolved, StandError> {
    let parse = |which: &'static str, text: &str| {
        toml::from_str::<Table>(text).map_err(|error| StandError::Toml(which, error.to_string()))
    };
    let mut manifest = parse("the crate's manifest", member)?;
    let root = parse("the root's manifest", root)?;
    let empty = Table::new();
    let workspace = table(&root, "workspace").unwrap_or(&empty);
    package(&mut manifest, table(workspace, "package").unwrap_or(&empty))?;
    // They are this repository's taste, for the compiler that it is built with.
    manifest.remove("lints");
    let shared = table(workspace, "dependencies").unwrap_or(&empty);
    let mut gone = BTreeSet::new();
    dependencies(&mut manifest, shared, versions, &mut gone)?;
    if let Some(Value::Table(targets)) = manifest.get_mut("target") {
        for target in targets
            .iter_mut()
            .filter_map(|(_, value)| value.as_table_mut())
        {
            dependencies(target, shared, versions, &mut gone)?;
        }
    }
    let dropped = drop_targets(&mut manifest, &gone, sources);
    let text = print(manifest)?;
    Ok(Resolved { text, dropped })
}

/// What a manifest begins with, as people write it.
const FIRST: [&str; 3] = ["package", "lib", "features"];

fn print(mut manifest: Table) -> Result<String, StandError> {
    // Values that are no tables would belong to the table before them.
    let (tables, plain): (Vec<_>, Vec<_>) = manifest.keys().cloned().partition(|key| {
        let value = manifest.get(key);
        value.is_some_and(|v| {
            v.is_table()
                || v.as_array()
                    .is_some_and(|list| list.iter().all(Value::is_table))
        })
    });
    let rest = tables
        .into_iter()
        .filter(|key| !FIRST.contains(&key.as_str()));
    let first = FIRST.map(str::to_owned);
    let mut parts = Vec::new();
    for key in plain.into_iter().chain(first).chain(rest) {
        if let Some(value) = manifest.remove(&key) {
            let part = toml::to_string(&Table::from_iter([(key, value)]));
            parts.push(
                part.map_err(|error| StandError::Toml("the crate's manifest", error.to_string()))?,
            );
        }
    }
    Ok(parts.join("\n"))
}

fn table<'t>(of: &'t Table, key: &str) -> Option<&'t Table> {
    of.get(key).and_then(Value::as_table)
}

fn is_inherited(value: &Value) -> bool {
    value.get("workspace").and_then(Value::as_bool) == Some(true)
}

fn package(manifest: &mut Table, shared: &Table) -> Result<(), StandError> {
    let Some(Value::Table(package)) = manifest.get_mut("package") else {
        return Ok(());
    };
    for (key, value) in package.iter_mut().filter(|(_, value)| is_inherited(value)) {
        for path in ["license-file", "readme"] {
            if key == path {
                return Err(StandError::InheritedPath(path));
            }
        }
        let found = shared.get(key);
        *value = found
            .ok_or_else(|| StandError::NotInherited(format!("package.{key}")))?
            .clone();
    }
    // Where the root is, if it is no parent.
    package.remove("workspace");
    Ok(())
}

fn dependencies(
    manifest: &mut Table,
    shared: &Table,
    versions: &BTreeMap<String, String>,
    gone: &mut BTreeSet<String>,
) -> Result<(), StandError> {
    for (key, only_tests) in DEPENDENCIES {
        let Some(Value::Table(entries)) = manifest.get_mut(key) else {
            continue;
        };
        for name in entries.keys().cloned().collect::<Vec<_>>() {
            let Some(entry) = entries.get_mut(&name) else {
                continue;
            };
            if is_inherited(entry) {
                let base = shared.get(&name);
                let base = base.ok_or_else(|| StandError::NotInherited(format!("{key}.{name}")))?;
                *entry = merge(base, entry);
            }
            let Some(own) = entry.as_table_mut().filter(|own| own.contains_key("path")) else {
                continue;
            };
            let package = own.get("package").and_then(Value::as_str).unwrap_or(&name);
            match versions.get(package) {
                Some(version) => {
                    own.insert("version".to_owned(), Value::from(format!("={version}")));
                    own.remove("path");
                }
                None if only_tests => {
                    entries.remove(&name);
                    gone.insert(name.replace('-', "_"));
                }
                None => return Err(StandError::Member(package.to_owned())),
            }
        }
        if entries.is_empty() {
            manifest.remove(key);
        }
    }
    Ok(())
}

/// What the root says of a dependency, and what the member adds: features are added, all else is the member's word.
fn merge(base: &Value, own: &Value) -> Value {
    let mut merged = match base {
        Value::Table(table) => table.clone(),
        version => Table::from_iter([("version".to_owned(), version.clone())]),
    };
    for (key, value) in own.as_table().into_iter().flatten() {
        match (merged.get_mut(key), value) {
            _ if key == "workspace" => {}
            (Some(Value::Array(list)), Value::Array(more)) => {
                let new: Vec<Value> = more.iter().filter(|m| !list.contains(m)).cloned().collect();
                list.extend(new);
            }
            _ => {
                merged.insert(key.clone(), value.clone());
            }
        }
    }
    Value::Table(merged)
}

/// Takes out the targets whose sources name one of `gone`, and returns them.
fn drop_targets(
    manifest: &mut Table,
    gone: &BTreeSet<String>,
    sources: &BTreeMap<String, String>,
) -> BTreeSet<String> {
    let mut dropped = BTreeSet::new();
    for (path, text) in sources {
        let mut parts = path.splitn(3, '/');
        let (Some(folder), Some(name)) = (parts.next(), parts.next()) else {
            continue;
        };
        if TARGETS.iter().any(|(own, _)| *own == folder) && gone.iter().any(|g| names(text, g)) {
            dropped.insert(format!("{folder}/{name}"));
        }
    }
    for (folder, key) in TARGETS {
        let Some(Value::Array(list)) = manifest.get_mut(key) else {
            continue;
        };
        list.retain(|target| {
            let text = |key: &str| target.get(key).and_then(Value::as_str);
            let name = text("name").unwrap_or_default();
            let usual = [format!("{folder}/{name}.rs"), format!("{folder}/{name}")];
            let place = text("path").map(|path| {
                let parts: Vec<&str> = path.splitn(3, '/').take(2).collect();
                parts.join("/")
            });
            let is_dropped = |place: &String| dropped.contains(place);
            !place.map_or_else(|| usual.iter().any(is_dropped), |place| is_dropped(&place))
        });
        if list.is_empty() {
            manifest.remove(key);
        }
    }
    dropped
}

/// True where a text has a name as a word.
fn names(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.split(|c| !part(c)).any(|word| word == name)
}

#[cfg(test)]
#[path = "manifest_tests.rs"]
mod tests;
