//! What a manifest must be like.

use std::collections::BTreeSet;
use std::path::Path;

use super::{Kind, ManifestError, Optimisation, RawManifest, Release};
use crate::patch::Patch;
use crate::patch::object::ObjectId;
use crate::stack::selection::is_slug;

/// The workspace's `[patch.crates-io]` must name each upstream crate, by its path under extern/, and no other.
pub(super) fn workspace(releases: &[Release], text: &str) -> Result<(), ManifestError> {
    let table: toml::Table = toml::from_str(text).map_err(|source| ManifestError::Toml {
        path: "Cargo.toml".to_owned(),
        source: Box::new(source),
    })?;
    let patched = table
        .get("patch")
        .and_then(|p| p.get("crates-io"))
        .and_then(toml::Value::as_table);
    let empty = toml::Table::new();
    let patched = patched.unwrap_or(&empty);
    for release in releases {
        let path = format!("extern/{}", release.name);
        let found = patched
            .get(&release.name)
            .and_then(|entry| entry.get("path"));
        if found.and_then(toml::Value::as_str) != Some(&path) {
            let text = format!(
                "must have `{} = {{ path = \"{path}\" }}`, as extern/stack.toml has the crate",
                release.name
            );
            return Err(ManifestError::Workspace(text));
        }
    }
    match patched
        .keys()
        .find(|name| releases.iter().all(|r| r.name != **name))
    {
        Some(name) => Err(ManifestError::Workspace(format!(
            "has `{name}`, which extern/stack.toml does not have"
        ))),
        None => Ok(()),
    }
}

/// The values of stack.toml; everything that is wrong with them, in one sentence.
pub(super) fn raw(raw: &RawManifest) -> Result<(), String> {
    if raw.schema != 1 {
        return Err(format!(
            "schema {} is not known to this xtask, which reads schema 1",
            raw.schema
        ));
    }
    let faults = [releases(raw), optimisations(raw)].concat();
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults.join("; "))
    }
}

fn releases(raw: &RawManifest) -> Vec<String> {
    let mut faults = Vec::new();
    let mut names = BTreeSet::new();
    for release in &raw.releases {
        let name = &release.name;
        let plain = !name.is_empty()
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        if !plain || name == "patches" {
            faults.push(format!("`{name}` is not the name of a crate"));
        }
        if !names.insert(name.as_str()) {
            faults.push(format!("crate `{name}` is there twice"));
        }
        let hash = |text: &str| {
            text.len() == 64
                && text
                    .bytes()
                    .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        };
        if !hash(&release.checksum) {
            faults.push(format!(
                "crate `{name}`: checksum is not 64 lower-case hex digits"
            ));
        }
        if release.tree.parse::<ObjectId>().is_err() {
            faults.push(format!("crate `{name}`: tree is not 40 hex digits"));
        }
        if release
            .feature
            .as_ref()
            .is_some_and(|f| !is_slug(f) || f.contains('-'))
        {
            faults.push(format!(
                "crate `{name}`: feature is one word of a cargo feature's name, such as \"cuda\""
            ));
        }
        if !release.version.starts_with(|c: char| c.is_ascii_digit()) {
            faults.push(format!(
                "crate `{name}`: version `{}` is not an exact version",
                release.version
            ));
        }
    }
    faults
}

fn optimisations(raw: &RawManifest) -> Vec<String> {
    let mut faults = Vec::new();
    let names: BTreeSet<&str> = raw.releases.iter().map(|r| r.name.as_str()).collect();
    let mut slugs = BTreeSet::new();
    for optimisation in &raw.optimisations {
        let slug = &optimisation.slug;
        if !is_slug(slug) {
            faults.push(format!(
                "slug `{slug}` must be lower-case letters and digits with single hyphens between"
            ));
        }
        if !slugs.insert(slug.as_str()) {
            faults.push(format!("optimisation `{slug}` is there twice"));
        }
        if optimisation.kind.is_in_every_stack() && !optimisation.default {
            faults.push(format!(
                "optimisation `{slug}` is of kind {}, which belongs to every stack: set default = true",
                optimisation.kind
            ));
        }
        if optimisation.kind == Kind::Experiment && optimisation.default {
            faults.push(format!(
                "optimisation `{slug}` is an experiment, which is off: set default = false, or give it another kind"
            ));
        }
        if optimisation.crates.is_empty() {
            faults.push(format!("optimisation `{slug}` touches no crate"));
        }
        if let Some(steps) = &optimisation.steps {
            let distinct: BTreeSet<_> = steps.iter().collect();
            if steps.is_empty() || distinct.len() < steps.len() {
                faults.push(format!(
                    "optimisation `{slug}`: steps names each step once that it may change; leave it out for all"
                ));
            }
        }
        let mut own = BTreeSet::new();
        for name in &optimisation.crates {
            if !names.contains(name.as_str()) {
                let known: Vec<&str> = names.iter().copied().collect();
                faults.push(format!(
                    "optimisation `{slug}`: no crate `{name}`, only {}",
                    known.join(", ")
                ));
            }
            if !own.insert(name) {
                faults.push(format!("optimisation `{slug}` names crate `{name}` twice"));
            }
        }
    }
    faults
}

/// No patch changes a lock file, and only a build patch what decides dependencies and how a crate is built: a binary
/// must never differ by those because of an optimisation.
pub(super) fn files(patch: &Patch, kind: Kind) -> Result<(), ManifestError> {
    for file in &patch.files {
        for side in file.old.iter().chain(&file.new) {
            let name = side.path.rsplit('/').next().unwrap_or(&side.path);
            let text = match name {
                "Cargo.lock" => {
                    "and no stack has a lock file of its own: take it out of the patch".to_owned()
                }
                // A build script lies at the top; elsewhere the name means nothing.
                "Cargo.toml" | "build.rs"
                    if kind != Kind::Build && (name == "Cargo.toml" || side.path == name) =>
                {
                    format!(
                        "which only kind build may, and this one is {kind}: give it a patch of its own"
                    )
                }
                _ => continue,
            };
            return Err(ManifestError::Forbidden {
                patch: patch.name.clone(),
                file: side.path.clone(),
                text,
            });
        }
    }
    Ok(())
}

/// A dependency comes earlier, and is in every stack that its dependent is in by default.
pub(super) fn dependency(
    earlier: &[Optimisation],
    slug: &str,
    kind: Kind,
    default: bool,
    needs: &str,
) -> Result<(), String> {
    let Some(needed) = earlier.iter().find(|o| o.slug == needs) else {
        return Err(format!(
            "depends on `{needs}`, which extern/stack.toml does not have before `{slug}`"
        ));
    };
    if default && !needed.default {
        return Err(format!(
            "depends on `{needs}`, which is off by default while `{slug}` is on"
        ));
    }
    if kind.is_in_every_stack() && !needed.kind.is_in_every_stack() {
        return Err(format!(
            "is of kind {kind}, which belongs to every stack, and depends on `{needs}`, which does not"
        ));
    }
    Ok(())
}

/// The files below extern/patches that belong to no optimisation. Fails where the folder cannot be read.
pub(super) fn stray(
    patches: &Path,
    expected: &BTreeSet<String>,
) -> Result<Vec<ManifestError>, ManifestError> {
    let mut stray = Vec::new();
    if !patches.exists() {
        return Ok(stray);
    }
    for entry in walkdir::WalkDir::new(patches).sort_by_file_name() {
        let entry = entry.map_err(|error| ManifestError::Read {
            path: error.path().unwrap_or(patches).to_path_buf(),
            source: error.into(),
        })?;
        if entry.file_type().is_dir() {
            continue;
        }
        let name = entry
            .path()
            .strip_prefix(patches)
            .unwrap_or(entry.path())
            .display()
            .to_string();
        if name != "README.md" && !expected.contains(&name) {
            let text = "no optimisation of extern/stack.toml has it; add one, or delete the file"
                .to_owned();
            stray.push(ManifestError::PatchFile { patch: name, text });
        }
    }
    Ok(stray)
}
