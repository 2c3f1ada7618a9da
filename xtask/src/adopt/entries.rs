//! What a workspace says already about where crates come from: `[patch]` and `[replace]`, in every place that has them.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::project::{Manifest, Workspace};
use crate::stack::release::CRATES_IO;

/// What a workspace says about crates.
#[derive(Debug, Default)]
pub struct Entries {
    /// Those of the root manifest and of cargo's configuration, which count.
    pub patches: Vec<Entry>,
    /// Those of manifests of members, which do not.
    pub ignored: Vec<Entry>,
    /// Those of the root's `[replace]` table.
    pub replaced: Vec<Entry>,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The crate.
    pub name: String,
    /// The file.
    pub file: PathBuf,
    /// The folder that it leads to, resolved; none for a repository or another registry.
    pub path: Option<PathBuf>,
    /// What it says.
    pub text: String,
}

impl Entries {
    /// Reads them. `home` is cargo's own folder, whose configuration counts too.
    pub fn read(workspace: &Workspace, folder: &Path, home: Option<&Path>) -> Result<Self> {
        let root = Manifest::read(&workspace.manifest())?;
        let mut entries = Self {
            patches: patches(&root.table, &root.path, &workspace.workspace_root),
            ignored: Vec::new(),
            replaced: replaced(&root),
        };
        for member in &workspace.packages {
            if member.manifest_path != root.path {
                let manifest = Manifest::read(&member.manifest_path)?;
                let folder = member.manifest_path.parent().unwrap_or(folder);
                entries
                    .ignored
                    .extend(patches(&manifest.table, &manifest.path, folder));
            }
        }
        let folders = folder.ancestors().map(|above| above.join(".cargo"));
        for place in folders.chain(home.map(Path::to_path_buf)) {
            // Where both are there, cargo takes the one without an ending.
            let files = ["config", "config.toml"].map(|name| place.join(name));
            if let Some(file) = files.iter().find(|path| path.is_file())
                && !entries.patches.iter().any(|entry| entry.file == *file)
            {
                let config = Manifest::read(file)?;
                let base = place.parent().unwrap_or(&place);
                entries.patches.extend(patches(&config.table, file, base));
            }
        }
        Ok(entries)
    }
}

fn patches(table: &toml::Table, file: &Path, base: &Path) -> Vec<Entry> {
    let patch = table.get("patch");
    let tables = ["crates-io", CRATES_IO]
        .into_iter()
        .filter_map(|name| patch?.get(name)?.as_table());
    tables
        .flatten()
        .map(|(key, value)| entry(key, value, file, base))
        .collect()
}

fn entry(key: &str, value: &toml::Value, file: &Path, base: &Path) -> Entry {
    let name = value
        .get("package")
        .and_then(toml::Value::as_str)
        .unwrap_or(key);
    let path = value
        .get("path")
        .and_then(toml::Value::as_str)
        .map(|path| base.join(path));
    Entry {
        name: name.to_owned(),
        file: file.to_path_buf(),
        path: path.map(|path| path.canonicalize().unwrap_or(path)),
        text: format!("{key} = {value}"),
    }
}

/// Keys of `[replace]` are package ids: `name`, `name:version`, or a registry's address with one of them behind `#`.
fn replaced(root: &Manifest) -> Vec<Entry> {
    let table = root.table.get("replace").and_then(toml::Value::as_table);
    let base = root.path.parent().unwrap_or(&root.path);
    let named = table.into_iter().flatten().map(|(key, value)| {
        let id = key.rsplit('#').next().unwrap_or(key);
        let name = id.split([':', '@']).next().unwrap_or(id);
        let mut entry = entry(key, value, &root.path, base);
        entry.name = name.to_owned();
        entry
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use pretty_assertions::assert_eq;

    use super::super::project::Member;
    use super::*;

    #[test]
    fn every_place_that_says_where_a_crate_comes_from_is_read() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let write = |name: &str, text: &str| {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            path
        };
        fs::create_dir_all(root.join("ours/lower")).unwrap();
        let manifest = write(
            "w/Cargo.toml",
            "[patch.crates-io]\nlower = { path = \"../ours/lower\" }\nu = { package = \"upper\", git = \"g\" }\n\
             [patch.\"https://github.com/rust-lang/crates.io-index\"]\nthird = { path = \"none\" }\n\
             [replace]\n\"fourth:1.0.0\" = { path = \"x\" }\n\"registry+x#fifth@2.0.0\" = { path = \"x\" }\n",
        );
        let member = write(
            "w/m/Cargo.toml",
            "[patch.crates-io]\nlower = { path = \"x\" }\n",
        );
        let config = write(
            ".cargo/config.toml",
            "[patch.crates-io]\nsixth = { path = \"y\" }\n",
        );
        let workspace = Workspace {
            workspace_root: root.join("w"),
            packages: [&manifest, &member]
                .map(|path| Member {
                    manifest_path: path.clone(),
                })
                .into(),
        };
        let home = root.join(".cargo");
        let entries = Entries::read(&workspace, &root.join("w/m"), Some(&home)).unwrap();
        let shown = |list: &[Entry]| -> Vec<(String, PathBuf, Option<PathBuf>)> {
            list.iter()
                .map(|e| (e.name.clone(), e.file.clone(), e.path.clone()))
                .collect()
        };
        assert_eq!(
            shown(&entries.patches),
            [
                (
                    "lower".into(),
                    manifest.clone(),
                    Some(root.join("ours/lower"))
                ),
                ("upper".into(), manifest.clone(), None),
                ("third".into(), manifest.clone(), Some(root.join("w/none"))),
                ("sixth".into(), config, Some(root.join("y"))),
            ]
        );
        assert_eq!(
            shown(&entries.ignored),
            [("lower".into(), member, Some(root.join("w/m/x")))]
        );
        let replaced: Vec<&str> = entries.replaced.iter().map(|e| e.name.as_str()).collect();
        assert_eq!(replaced, ["fourth", "fifth"]);
        assert_eq!(
            entries.patches[1].text,
            "u = { git = \"g\", package = \"upper\" }"
        );
    }
}
