//! Licences: what each crate's manifest says, which files of it hold the text, and the NOTICE that lists them.

use std::fmt::Write as _;

use toml::{Table, Value};

use super::registry::closure::Archive;
use super::{Crate, Made};
use crate::stack::tree::Tree;

/// How names of files begin that hold a licence, who owns the work, or what must be passed on.
const BEGINNINGS: [&str; 6] = [
    "license",
    "licence",
    "copying",
    "copyright",
    "notice",
    "unlicense",
];

/// The expression in a manifest; the file where it names one instead.
pub fn expression(manifest: &str) -> String {
    let manifest: Table = toml::from_str(manifest).unwrap_or_default();
    let package = manifest.get("package").or_else(|| manifest.get("project"));
    let text = |key: &str| package.and_then(|p| p.get(key)).and_then(Value::as_str);
    match (text("license"), text("license-file")) {
        (Some(expression), _) => expression.to_owned(),
        (None, Some(file)) => format!("see its file {file}"),
        (None, None) => "none stated".to_owned(),
    }
}

/// The files of a tree that speak of licences, at any depth.
pub fn files(tree: &Tree) -> Vec<&str> {
    let speaks = |path: &&str| {
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        // A module of that name is code.
        BEGINNINGS.iter().any(|b| name.starts_with(b)) && !name.ends_with(".rs")
    };
    tree.files
        .keys()
        .map(String::as_str)
        .filter(speaks)
        .collect()
}

/// NOTICE: every crate with its version, its licence, where the licence's text is, and what was changed. `own` are the
/// files at the top that hold the texts of our licence.
pub fn notice(crates: &[Crate], closure: &[Archive], own: &[String]) -> String {
    let own = own.join(", ");
    let mut text = format!(
        "This folder was made by the cuzk project. It holds crates of others, changed, and crates of its own.\n\n\
         The licence texts at the top of this folder ({own}) are those of the cuzk project's own work: its crates, its\n\
         changes, and this folder's other files.\n\n\
         Crates of others. You receive them changed: each folder's CUZK-CHANGES.md names the patches and every file that\n\
         they touch. The copyright of what was there before stays with those who wrote it.\n\n"
    );
    for made in crates
        .iter()
        .filter(|made| matches!(made.made, Made::Of(_)))
    {
        entry(&mut text, made, &own);
    }
    text.push_str("\nCrates of the cuzk project.\n\n");
    for made in crates.iter().filter(|made| matches!(made.made, Made::Here)) {
        entry(&mut text, made, &own);
    }
    if !closure.is_empty() {
        text.push_str(
            "\nArchives of crates.io in registry/, unchanged. Each holds the licence files that its authors published with it.\n\n",
        );
        for archive in closure {
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "  {} {}: {}",
                archive.name, archive.version, archive.licence
            );
        }
    }
    text
}

fn entry(text: &mut String, made: &Crate, own: &str) {
    let files = files(&made.tree);
    let place = if files.is_empty() {
        // Its authors published none; the text is the same as ours.
        format!("its release has no licence file; for the text of Apache-2.0 and MIT see {own}")
    } else {
        let paths: Vec<String> = files
            .iter()
            .map(|f| format!("crates/{}/{f}", made.name))
            .collect();
        paths.join(", ")
    };
    let changes = match made.made {
        Made::Of(0) => "; only files that no build needs were left out",
        Made::Of(_) => "; changed",
        Made::Here => "",
    };
    let _ = writeln!(
        text,
        "  {} {}: {}{changes}\n    {place}",
        made.name, made.version, made.licence
    );
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;
    use crate::stack::tree::tests::tree;

    fn made(name: &str, files: &[(&str, &str)], made: Made) -> Crate {
        Crate {
            name: name.into(),
            version: "1.0.0".into(),
            licence: "Apache-2.0".into(),
            tree: tree(files),
            made,
        }
    }

    #[test]
    fn expressions_and_files_are_found() {
        assert_eq!(expression("[package]\nlicense = \"MIT\"\n"), "MIT");
        assert_eq!(
            expression("[package]\nlicense-file = \"L\"\n"),
            "see its file L"
        );
        assert_eq!(expression("[package]\n"), "none stated");
        let tree = tree(&[
            ("COPYRIGHT", ""),
            ("LICENSE-MIT", ""),
            ("deps/x/Licence.txt", ""),
            ("src/license.rs", ""),
            ("src/lib.rs", ""),
        ]);
        assert_eq!(
            files(&tree),
            ["COPYRIGHT", "LICENSE-MIT", "deps/x/Licence.txt"]
        );
    }

    #[test]
    fn a_notice_says_where_texts_are_and_what_changed() {
        let crates = [
            made("lower", &[("LICENSE-MIT", "")], Made::Of(2)),
            made("upper", &[], Made::Of(0)),
            made("cuzk-core", &[("LICENSE-MIT", "")], Made::Here),
        ];
        let text = notice(
            &crates,
            &[],
            &["LICENSE-APACHE".into(), "LICENSE-MIT".into()],
        );
        for words in [
            "lower 1.0.0: Apache-2.0; changed\n    crates/lower/LICENSE-MIT\n",
            "upper 1.0.0: Apache-2.0; only files that no build needs were left out\n    its release has no licence file",
            "see LICENSE-APACHE, LICENSE-MIT\n",
            "cuzk-core 1.0.0: Apache-2.0\n",
        ] {
            assert!(text.contains(words), "{words} in {text}");
        }
        assert!(!text.contains("unchanged"));
    }
}
