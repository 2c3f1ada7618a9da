//! The tree of one crate as it is handed out: the stack's own, without what only upstream's repository needs, and with a
//! file that says what was changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use crate::git;
use crate::patch::{Mode, Patch};
use crate::stack::manifest::Release;
use crate::stack::tree::{File, Tree};

/// Says in each crate what was changed; an archive travels alone.
pub const CHANGES: &str = "CUZK-CHANGES.md";

/// Names at any depth that mean something to git alone; as rules of a repository that the tree is committed to, they
/// would lose files of it or change their bytes.
const RULES: [&str; 3] = [".gitignore", ".gitattributes", ".gitmodules"];

/// Names at the top that nobody needs who builds the crate as a dependency: what services run, what cargo writes into an
/// archive, and what would take over from the settings of whoever looks into the folder.
const TOP: [&str; 15] = [
    ".appveyor.yml",
    ".cargo",
    ".cargo_vcs_info.json",
    ".circleci",
    ".editorconfig",
    ".github",
    ".gitlab",
    ".gitlab-ci.yml",
    ".rustfmt.toml",
    ".travis.yml",
    "Cargo.lock",
    "Cargo.toml.orig",
    "rust-toolchain",
    "rust-toolchain.toml",
    "rustfmt.toml",
];

/// Takes out what is not handed out, and returns the paths.
pub fn strip(tree: &mut Tree) -> Vec<String> {
    let goes = |path: &str| {
        let top = path.split('/').next().unwrap_or(path);
        let name = path.rsplit('/').next().unwrap_or(path);
        TOP.contains(&top) || RULES.contains(&name)
    };
    let gone: Vec<String> = tree.files.keys().filter(|p| goes(p)).cloned().collect();
    tree.files.retain(|path, _| !goes(path));
    gone
}

/// Takes out of a folder of this repository hidden files, as editors leave them, and what cargo builds.
pub fn strip_own(tree: &mut Tree) {
    tree.files.retain(|path, _| {
        !path.starts_with("target/") && !path.split('/').any(|part| part.starts_with('.'))
    });
}

/// The files of a folder that git does not hold; none where the folder is in no repository of git, or as a whole not in it.
pub fn strangers(folder: &Path, tree: &Tree) -> Vec<String> {
    let listed = git::command(folder)
        .args(["ls-files", "-z", "--", "."])
        .output();
    let Some(listed) = listed.ok().filter(|listed| listed.status.success()) else {
        return Vec::new();
    };
    let held: BTreeSet<&[u8]> = listed.stdout.split(|b| *b == 0).collect();
    if tree
        .files
        .keys()
        .all(|path| !held.contains(path.as_bytes()))
    {
        return Vec::new();
    }
    let strange = tree.files.keys().filter(|p| !held.contains(p.as_bytes()));
    strange.cloned().collect()
}

/// Adds a plain file.
pub fn add(tree: &mut Tree, path: &str, text: &str) {
    let file = File {
        mode: Mode::Plain,
        bytes: text.as_bytes().into(),
    };
    tree.files.insert(path.to_owned(), file);
}

/// What was done to a release: its patches, in order, and the files that were left out.
pub fn changes(release: &Release, patches: &[(&str, &Patch)], left_out: &[String]) -> String {
    let Release {
        name,
        version,
        checksum,
        ..
    } = release;
    let mut text = format!(
        "# {name} {version}, changed\n\nThis is not the published crate. It was made by the cuzk project from the release \
         {name} {version} of crates.io\n(archive with SHA-256 `{checksum}`).\n"
    );
    // Writing to a string cannot fail.
    if patches.is_empty() {
        text.push_str("\nNo file that is left was changed.\n");
    } else {
        text.push_str("\nPatches, in the order in which they were applied:\n\n");
        for (slug, patch) in patches {
            let what = patch.message.subject.strip_prefix(&format!("{slug}: "));
            let _ = writeln!(
                text,
                "- `{slug}`: {}",
                what.unwrap_or(&patch.message.subject)
            );
        }
        text.push_str("\nFiles that were changed, added or removed, and by which of them:\n\n");
        for (path, slugs) in changed(patches) {
            let _ = writeln!(text, "- `{path}`: {}", slugs.join(", "));
        }
    }
    if !left_out.is_empty() {
        text.push_str("\nLeft out, since no build needs them:\n\n");
        for path in left_out {
            let _ = writeln!(text, "- `{path}`");
        }
    }
    text
}

/// The files that patches touch, each with the slugs that do.
pub fn changed<'p>(patches: &[(&'p str, &'p Patch)]) -> BTreeMap<&'p str, Vec<&'p str>> {
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (slug, patch) in patches {
        for side in patch.files.iter().flat_map(|f| f.old.iter().chain(&f.new)) {
            let slugs = found.entry(&side.path).or_default();
            if slugs.last() != Some(slug) {
                slugs.push(slug);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;
    use crate::stack::tree::tests::tree;

    #[test]
    fn files_that_git_does_not_hold_are_named() {
        let temp = tempfile::tempdir().unwrap();
        let git = |arguments: &[&str]| crate::patch::git_tests::git(temp.path(), arguments);
        let folder = temp.path().join("own");
        let held = tree(&[("src/lib.rs", "1"), ("\u{fc}", "1")]);
        held.write(&folder, None).unwrap();
        let more = tree(&[
            ("src/lib.rs", "1"),
            ("\u{fc}", "1"),
            ("src/lib.rs.orig", "0"),
        ]);
        assert!(strangers(&folder, &more).is_empty(), "no repository");
        git(&["init", "-q"]);
        assert!(strangers(&folder, &more).is_empty(), "not in it");
        git(&["add", "."]);
        assert!(strangers(&folder, &held).is_empty());
        assert_eq!(strangers(&folder, &more), ["src/lib.rs.orig"]);
    }

    #[test]
    fn what_belongs_to_a_repository_is_left_out() {
        let mut found = tree(&[
            (".cargo_vcs_info.json", ""),
            (".github/workflows/ci.yml", ""),
            (".gitignore", "src"),
            ("Cargo.lock", ""),
            ("Cargo.toml", ""),
            ("LICENSE-MIT", ""),
            ("rust-toolchain", ""),
            ("src/.gitattributes", "* text"),
            ("src/lib.rs", ""),
            ("tests/data/Cargo.lock", ""),
            ("tests/rust-toolchain", ""),
        ]);
        let gone = strip(&mut found);
        assert_eq!(gone.len(), 6, "{gone:?}");
        let left: Vec<&str> = found.files.keys().map(String::as_str).collect();
        let expected = [
            "Cargo.toml",
            "LICENSE-MIT",
            "src/lib.rs",
            "tests/data/Cargo.lock",
            "tests/rust-toolchain",
        ];
        assert_eq!(left, expected);
    }

    #[test]
    fn what_editors_and_cargo_leave_is_not_ours() {
        let mut found = tree(&[
            (".x", ""),
            ("src/.lib.rs.swp", ""),
            ("src/target/x.rs", ""),
            ("target/debug/x", ""),
        ]);
        strip_own(&mut found);
        assert_eq!(found, tree(&[("src/target/x.rs", "")]));
    }

    #[test]
    fn changes_name_patches_files_and_what_is_left_out() {
        let release = Release {
            name: "lower".into(),
            version: "1.0.0".into(),
            checksum: "c0ffee".into(),
            tree: String::new(),
            feature: None,
        };
        let text = changes(&release, &[], &[".gitignore".into()]);
        for words in [
            "lower 1.0.0",
            "`c0ffee`",
            "No file that is left was changed",
            "- `.gitignore`",
        ] {
            assert!(text.contains(words), "{words} in {text}");
        }
        let patch = crate::patch::Patch {
            name: "lower/quick.patch".into(),
            sha256: String::new(),
            message: crate::patch::message::Message {
                author: String::new(),
                date: String::new(),
                subject: "quick: do less".into(),
                body: String::new(),
            },
            files: vec![crate::patch::FileChange {
                old: None,
                new: Some(crate::patch::Side {
                    path: "src/new.rs".into(),
                    mode: None,
                }),
                blobs: None,
                similarity: None,
                hunks: Vec::new(),
            }],
        };
        let text = changes(&release, &[("quick", &patch), ("again", &patch)], &[]);
        for words in ["- `quick`: do less\n", "- `src/new.rs`: quick, again\n"] {
            assert!(text.contains(words), "{words} in {text}");
        }
        assert!(!text.contains("Left out"));
    }
}
