//! The stack for others: a folder that builds elsewhere, by path, from git and as a registry.
//!
//!     README.md, patch*.toml     how it is used, and the lines for a manifest
//!     NOTICE, LICENSE-*          whose work it is, under which licences
//!     crates/<crate>/            the patched crates, and ours
//!     registry/                  the same as archives, in a registry that is a folder
//!     stamp.json                 what it is made of, and the hash of every file
//!
//! All of it is planned in memory first; then the folder is written beside its place and exchanged with what is there.

mod install;
mod licences;
mod manifest;
mod pages;
mod registry;
mod stamp;
mod tree;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

pub use install::{Done, check, install, list, place};
pub use stamp::{State, inspect};

use crate::stack::release::CRATES_IO;
use registry::closure::Archive;
use registry::index;
use registry::{archive, closure};

use crate::layout::Layout;
use crate::patch::{Mode, Patch};
use crate::progress::Progress;
use crate::stack::manifest::Manifest;
use crate::stack::materialise::{Edited, Stack, materialise};
use crate::stack::selection::Selection;
use crate::stack::stamp::STAMP_FILE;
use crate::stack::tree::Tree;

/// The crates of this repository that are handed out.
const OWN: [&str; 1] = ["cuzk-core"];

/// Keeps what a person's git ignores elsewhere. Nothing here is to be ignored.
const GITIGNORE: &str =
    "# Every file of this folder belongs to it, whatever is ignored elsewhere.\n!*\n";

/// Keeps bytes as they are, whatever a person's git does to line ends and contents elsewhere. No line of it ends: cargo's git
/// checks this file out before it knows the rules in it, and would write CRLF where a person's configuration asks for that.
const GITATTRIBUTES: &str = "* -text !eol -ident !filter !working-tree-encoding";

/// A dist that is not written yet.
pub struct Plan {
    /// Every file but the stamp, by path.
    files: BTreeMap<String, Item>,
    /// The text of the stamp.
    stamp: String,
}

/// One file.
struct Item {
    mode: Mode,
    content: Content,
}

/// What is in a file.
enum Content {
    /// These bytes.
    Bytes(Arc<[u8]>),
    /// The same as in this file.
    File(PathBuf),
}

/// One crate as it is handed out.
struct Crate {
    name: String,
    version: String,
    /// What its manifest says.
    licence: String,
    tree: Tree,
    made: Made,
}

/// Who made a crate.
#[derive(Clone, Copy)]
enum Made {
    /// Others; so many patches are on it.
    Of(usize),
    /// This repository.
    Here,
}

/// Plans the dist of the default series, as its trees are now.
pub fn plan(layout: &Layout, closure: bool, progress: Progress) -> Result<Plan> {
    let manifest = Manifest::load(layout)?;
    let stack = materialise(
        layout,
        &manifest,
        &Selection::Patched,
        Edited::Refuse,
        progress,
    )?;
    let texts = licence_texts(layout)?;
    let (mut crates, mut entries) = (Vec::new(), Vec::new());
    for release in &manifest.releases {
        let (made, origin) = upstream(&manifest, &stack, &release.name)?;
        crates.push(made);
        entries.push(Some(origin));
    }
    for name in OWN {
        crates.push(own(layout, name, &crates, &texts)?);
        entries.push(None);
    }
    let archives = if closure {
        closure::find(layout, progress)?
    } else {
        Vec::new()
    };
    let mut files = Files::default();
    let mut stamped = Vec::new();
    for (made, release) in crates.iter().zip(entries) {
        let packed = files.add_crate(made)?;
        stamped.push(stamp::Entry {
            name: made.name.clone(),
            version: made.version.clone(),
            tree: made.tree.id().to_string(),
            archive: packed,
            release,
        });
    }
    for archive in &archives {
        files.add_archive(archive);
    }
    let names: Vec<String> = texts.keys().cloned().collect();
    for (name, text) in texts {
        files.add(&name, text.as_bytes());
    }
    files.add(
        "NOTICE",
        licences::notice(&crates, &archives, &names).as_bytes(),
    );
    files.add(
        "README.md",
        pages::readme(&crates, &stack.stamp, closure).as_bytes(),
    );
    for (name, text) in pages::patches(&crates) {
        files.add(name, text.as_bytes());
    }
    files.add(".gitignore", GITIGNORE.as_bytes());
    files.add(".gitattributes", GITATTRIBUTES.as_bytes());
    let stamp =
        stamp::Stamp::print(&stack.stamp, closure, stamped, files.hashes).context("the stamp")?;
    Ok(Plan {
        files: files.items,
        stamp,
    })
}

impl Plan {
    /// How many files it has, the stamp included.
    pub fn count(&self) -> usize {
        self.files.len() + 1
    }
}

/// The texts of our licence, by name.
fn licence_texts(layout: &Layout) -> Result<BTreeMap<String, String>> {
    let mut texts = BTreeMap::new();
    for entry in fs::read_dir(&layout.root).context("cannot read the root")? {
        let entry = entry.context("cannot read the root")?;
        if let Some(name) = entry
            .file_name()
            .to_str()
            .filter(|name| name.starts_with("LICENSE"))
        {
            let text =
                fs::read_to_string(entry.path()).with_context(|| format!("cannot read {name}"))?;
            texts.insert(name.to_owned(), text);
        }
    }
    if texts.is_empty() {
        bail!("the root has no LICENSE file: nothing can be handed out without its licence");
    }
    Ok(texts)
}

/// A crate of the stack, from its tree.
fn upstream(manifest: &Manifest, stack: &Stack, name: &str) -> Result<(Crate, stamp::Origin)> {
    let release = manifest.releases.iter().find(|r| r.name == name);
    let (release, folder) = release
        .zip(stack.trees.get(name))
        .context("a stack without one of its crates")?;
    let mut tree = Tree::read(folder, &[STAMP_FILE])?;
    let patched = tree.id().to_string();
    let series = manifest.optimisations.iter().filter(|o| o.default);
    let patches: Vec<(&str, &Patch)> = series
        .filter_map(|o| Some((o.slug.as_str(), o.patches.get(name)?)))
        .collect();
    let left_out = tree::strip(&mut tree);
    tree::add(
        &mut tree,
        tree::CHANGES,
        &tree::changes(release, &patches, &left_out),
    );
    let origin = stamp::Origin {
        checksum: release.checksum.clone(),
        tree: release.tree.clone(),
        patched,
        patches: patches
            .iter()
            .map(|(slug, patch)| ((*slug).to_owned(), patch.sha256.clone()))
            .collect(),
    };
    let made = Crate {
        name: name.to_owned(),
        version: release.version.clone(),
        licence: licences::expression(&text_of(&tree, "Cargo.toml", name)?),
        made: Made::Of(patches.len()),
        tree,
    };
    Ok((made, origin))
}

/// A crate of this repository, with a manifest that stands alone. `before` are those that it may ask for.
fn own(
    layout: &Layout,
    name: &str,
    before: &[Crate],
    texts: &BTreeMap<String, String>,
) -> Result<Crate> {
    let folder = layout.root.join(name);
    let mut tree = Tree::read(&folder, &[]).with_context(|| format!("{name} is handed out"))?;
    tree::strip(&mut tree);
    tree::strip_own(&mut tree);
    let strange = tree::strangers(&folder, &tree);
    if !strange.is_empty() {
        bail!(
            "{name} is handed out, and git does not hold all of it: add or remove {}",
            strange.join(", ")
        );
    }
    let member = text_of(&tree, "Cargo.toml", name)?;
    let root =
        fs::read_to_string(layout.root.join("Cargo.toml")).context("cannot read Cargo.toml")?;
    let versions = before
        .iter()
        .map(|made| (made.name.clone(), made.version.clone()))
        .collect();
    let sources = tree.files.iter().filter(|(path, _)| path.ends_with(".rs"));
    let sources = sources
        .map(|(path, file)| {
            (
                path.clone(),
                String::from_utf8_lossy(&file.bytes).into_owned(),
            )
        })
        .collect();
    let resolved = manifest::resolve(&member, &root, &versions, &sources)
        .with_context(|| format!("{name}/Cargo.toml cannot stand alone"))?;
    tree.files.retain(|path, _| {
        let mut dropped = resolved.dropped.iter();
        !dropped.any(|gone| path == gone || path.starts_with(&format!("{gone}/")))
    });
    let text = format!(
        "# Written by `cargo xtask dist` from {name}/Cargo.toml of the cuzk repository.\n\n{}",
        resolved.text
    );
    tree::add(&mut tree, "Cargo.toml", &text);
    for (file, text) in texts {
        if !tree.files.contains_key(file) {
            tree::add(&mut tree, file, text);
        }
    }
    let table: toml::Table = toml::from_str(&text).context("a manifest that was just written")?;
    let version = table
        .get("package")
        .and_then(|p| p.get("version"))
        .and_then(toml::Value::as_str);
    Ok(Crate {
        name: name.to_owned(),
        version: version
            .with_context(|| format!("{name}/Cargo.toml has no version"))?
            .to_owned(),
        licence: licences::expression(&text),
        tree,
        made: Made::Here,
    })
}

fn text_of(tree: &Tree, path: &str, name: &str) -> Result<String> {
    let file = tree
        .files
        .get(path)
        .with_context(|| format!("{name} has no {path}"))?;
    String::from_utf8(file.bytes.to_vec()).with_context(|| format!("{name}/{path} is not UTF-8"))
}

/// The files of a plan, with their hashes.
#[derive(Default)]
struct Files {
    items: BTreeMap<String, Item>,
    hashes: BTreeMap<String, String>,
}

impl Files {
    fn add(&mut self, path: &str, bytes: &[u8]) -> String {
        self.put(path, Mode::Plain, bytes.into())
    }

    fn put(&mut self, path: &str, mode: Mode, bytes: Arc<[u8]>) -> String {
        let hash = hex::encode(Sha256::digest(&bytes));
        self.hashes.insert(path.to_owned(), hash.clone());
        let content = Content::Bytes(bytes);
        self.items.insert(path.to_owned(), Item { mode, content });
        hash
    }

    /// Its folder, its archive, its line of the index. Returns the archive's SHA-256.
    fn add_crate(&mut self, made: &Crate) -> Result<String> {
        let Crate {
            name,
            version,
            tree,
            ..
        } = made;
        for (path, file) in &tree.files {
            self.put(
                &format!("crates/{name}/{path}"),
                file.mode,
                file.bytes.clone(),
            );
        }
        let packed =
            archive::pack(name, version, tree).with_context(|| format!("cannot pack {name}"))?;
        let hash = self.add(&format!("registry/{name}-{version}.crate"), &packed);
        // What it depends on comes from crates.io, also where the registry has a name of its own.
        let line = index::line(&text_of(tree, "Cargo.toml", name)?, &hash, Some(CRATES_IO))
            .with_context(|| format!("{name}/Cargo.toml"))?;
        self.add_line(name, &line);
        Ok(hash)
    }

    fn add_archive(&mut self, archive: &Archive) {
        let Archive {
            name,
            version,
            checksum,
            path,
            line,
            ..
        } = archive;
        let file = format!("registry/{name}-{version}.crate");
        self.hashes.insert(file.clone(), checksum.clone());
        let content = Content::File(path.clone());
        self.items.insert(
            file,
            Item {
                mode: Mode::Plain,
                content,
            },
        );
        self.add_line(name, line);
    }

    /// A file of the index has the lines of all versions.
    fn add_line(&mut self, name: &str, line: &index::Line) {
        let path = format!("registry/index/{}", index::path(name));
        let mut text = match self.items.get(&path).map(|item| &item.content) {
            Some(Content::Bytes(bytes)) => bytes.to_vec(),
            _ => Vec::new(),
        };
        text.extend_from_slice(line.print().as_bytes());
        self.add(&path, &text);
    }
}
