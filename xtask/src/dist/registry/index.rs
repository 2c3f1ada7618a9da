//! One line of a registry's index, from the manifest of a release.
//!
//! Cargo's `metadata` says the same of packages that a graph has; a manifest says it of every archive, without a graph.
//! What the lines hold is described in the cargo book, "Registry Index".

use std::collections::BTreeMap;

use serde::Serialize;
use thiserror::Error;
use toml::{Table, Value};

/// What a line says.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    name: String,
    vers: String,
    deps: Vec<Dependency>,
    cksum: String,
    features: BTreeMap<String, Vec<String>>,
    /// Features in words that cargo before 1.60 does not understand: `dep:x` and `x?/y`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    features2: BTreeMap<String, Vec<String>>,
    yanked: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    links: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rust_version: Option<String>,
    /// 2 where `features2` is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    v: Option<u32>,
}

/// What a release asks for.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Dependency {
    name: String,
    req: String,
    features: Vec<String>,
    optional: bool,
    default_features: bool,
    target: Option<String>,
    kind: &'static str,
    /// Where it comes from, if not from the registry of this line.
    #[serde(skip_serializing_if = "Option::is_none")]
    registry: Option<String>,
    /// The crate's own name, where it is used by another.
    #[serde(skip_serializing_if = "Option::is_none")]
    package: Option<String>,
}

/// Why a manifest gives no line.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum IndexError {
    /// Not TOML.
    #[error("is not understood here: {0}")]
    Toml(String),
    /// A value is missing, or of another type.
    #[error("`{0}` is missing or of another type than cargo wants")]
    Value(String),
    /// No registry can say where it comes from.
    #[error("dependency `{0}` has no version: a registry knows neither paths nor repositories")]
    NoVersion(String),
}

/// The line for the release with this manifest and archive. `from` is the registry of all that it depends on, where that
/// is not the registry of the line itself.
pub fn line(manifest: &str, checksum: &str, from: Option<&str>) -> Result<Line, IndexError> {
    let manifest: Table =
        toml::from_str(manifest).map_err(|error| IndexError::Toml(error.to_string()))?;
    let package = manifest.get("package").or_else(|| manifest.get("project"));
    let text = |key: &str| package.and_then(|p| p.get(key)).and_then(Value::as_str);
    let needed = |key: &str| {
        text(key)
            .map(str::to_owned)
            .ok_or_else(|| IndexError::Value(format!("package.{key}")))
    };
    let (features, features2) = features(&manifest)?;
    Ok(Line {
        name: needed("name")?,
        vers: needed("version")?,
        deps: dependencies(&manifest, from)?,
        cksum: checksum.to_owned(),
        v: (!features2.is_empty()).then_some(2),
        features,
        features2,
        yanked: false,
        links: text("links").map(str::to_owned),
        rust_version: text("rust-version").map(str::to_owned),
    })
}

impl Line {
    /// The line as the index has it, with its end.
    pub fn print(&self) -> String {
        // Plain strings and numbers: it cannot fail.
        let mut text = serde_json::to_string(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

/// Where the index has a crate.
pub fn path(name: &str) -> String {
    let name = name.to_lowercase();
    match name.len() {
        1 | 2 => format!("{}/{name}", name.len()),
        3 => format!("3/{}/{name}", &name[..1]),
        _ => format!("{}/{}/{name}", &name[..2], &name[2..4]),
    }
}

type Features = BTreeMap<String, Vec<String>>;

fn features(manifest: &Table) -> Result<(Features, Features), IndexError> {
    let (mut plain, mut newer) = (Features::new(), Features::new());
    let table = manifest.get("features").and_then(Value::as_table);
    for (name, entry) in table.into_iter().flatten() {
        let enabled =
            strings(entry).ok_or_else(|| IndexError::Value(format!("features.{name}")))?;
        let is_newer = enabled
            .iter()
            .any(|e| e.starts_with("dep:") || e.contains("?/"));
        let place = if is_newer { &mut newer } else { &mut plain };
        place.insert(name.clone(), enabled);
    }
    Ok((plain, newer))
}

fn dependencies(manifest: &Table, from: Option<&str>) -> Result<Vec<Dependency>, IndexError> {
    let mut found = Vec::new();
    let targets = manifest.get("target").and_then(Value::as_table);
    let targets = targets.into_iter().flatten();
    let targets =
        targets.filter_map(|(name, table)| Some((Some(name.as_str()), table.as_table()?)));
    for (target, table) in std::iter::once((None, manifest)).chain(targets) {
        // Releases of years ago spell them with an underscore.
        for (keys, kind) in [
            (["dependencies", ""], "normal"),
            (["build-dependencies", "build_dependencies"], "build"),
            (["dev-dependencies", "dev_dependencies"], "dev"),
        ] {
            let entries = keys.iter().filter_map(|key| table.get(*key)?.as_table());
            for (name, entry) in entries.flatten() {
                found.push(dependency(name, entry, target, kind, from)?);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn dependency(
    name: &str,
    entry: &Value,
    target: Option<&str>,
    kind: &'static str,
    from: Option<&str>,
) -> Result<Dependency, IndexError> {
    let wrong = |key: &str| IndexError::Value(format!("{name}.{key}"));
    let get = |keys: [&str; 2]| keys.iter().find_map(|key| entry.get(*key));
    let flag = |keys: [&str; 2], default: bool| match get(keys) {
        None => Ok(default),
        Some(value) => value.as_bool().ok_or_else(|| wrong(keys[0])),
    };
    let version = entry.as_str().or_else(|| entry.get("version")?.as_str());
    let version = version.ok_or_else(|| IndexError::NoVersion(name.to_owned()))?;
    let features = match entry.get("features") {
        None => Vec::new(),
        Some(value) => strings(value).ok_or_else(|| wrong("features"))?,
    };
    Ok(Dependency {
        name: name.to_owned(),
        req: requirement(version),
        features,
        optional: flag(["optional", ""], false)?,
        default_features: flag(["default-features", "default_features"], true)?,
        target: target.map(str::to_owned),
        kind,
        registry: from.map(str::to_owned),
        package: entry
            .get("package")
            .and_then(Value::as_str)
            .map(str::to_owned),
    })
}

/// A requirement with the caret that a bare version means.
fn requirement(text: &str) -> String {
    let caret = |part: &str| {
        let part = part.trim();
        let bare = part.starts_with(|c: char| c.is_ascii_digit()) && !part.contains('*');
        if bare {
            format!("^{part}")
        } else {
            part.to_owned()
        }
    };
    text.split(',').map(caret).collect::<Vec<_>>().join(", ")
}

fn strings(value: &Value) -> Option<Vec<String>> {
    let list = value.as_array()?.iter();
    list.map(|item| item.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
