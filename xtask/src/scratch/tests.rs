//! What comes out is what went in, whoever's git it is.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use pretty_assertions::assert_eq;

use super::hostile::Person;
use super::*;
use crate::patch::Mode;
use crate::stack::tree::File;
use crate::stack::tree::tests::tree;

pub(crate) fn message(subject: &str) -> Message {
    Message {
        author: "cuzk <cuzk@invalid>".to_owned(),
        date: "Sun, 29 Nov 2026 00:00:00 +0000".to_owned(),
        subject: subject.to_owned(),
        body: "Why.\n\nOrigin: this project".to_owned(),
    }
}

fn draft(branch: &str, parent: Option<usize>, tree: &Tree) -> Draft {
    Draft {
        branch: branch.to_owned(),
        parent,
        message: message(&format!("{branch}: change")),
        tree: tree.clone(),
    }
}

/// Bytes that git's conversions change, names that it quotes, a mode, a folder where a file was.
fn odd() -> (Tree, Tree) {
    let mut before = tree(&[
        ("crlf", "a\r\nb\r\n"),
        ("mixed", "a\r\nb\nc"),
        ("ident", "$Id$\n"),
        (
            ".gitattributes",
            "* text=auto eol=crlf ident\n*.bin filter=x working-tree-encoding=UTF-16\n",
        ),
        (".gitignore", "*\n"),
        ("x.bin", "text\n"),
        ("gr\u{fc}n \"q\"/\u{1}", "1"),
        ("a", "file"),
    ]);
    before.files.insert(
        "raw".to_owned(),
        File {
            mode: Mode::Plain,
            bytes: (0..=255).collect::<Vec<u8>>().into(),
        },
    );
    let mut after = before.clone();
    after.files.remove("a");
    after
        .files
        .extend(tree(&[("a/b", "folder\r\n"), ("empty", "")]).files);
    if let Some(file) = after.files.get_mut("crlf") {
        file.mode = Mode::Executable;
    }
    (before, after)
}

#[test]
fn trees_and_messages_come_back_as_they_went_in() {
    let temp = tempfile::tempdir().unwrap();
    let (before, after) = odd();
    let drafts = [
        draft("series", None, &before),
        draft("series", Some(0), &after),
        draft("off/x", Some(0), &tree(&[])),
    ];
    let (scratch, ids) = Scratch::make(&temp.path().join("c"), &drafts, "series").unwrap();
    let branches = scratch.branches().unwrap();
    assert_eq!(branches.keys().collect::<Vec<_>>(), ["off/x", "series"]);
    assert_eq!((branches["series"], branches["off/x"]), (ids[1], ids[2]));
    let head = scratch.head().unwrap();
    assert_eq!(
        (head.branch.as_deref(), head.commit),
        (Some("series"), ids[1])
    );
    let history = scratch.objects().unwrap().history(ids[1]).unwrap();
    let read: Vec<(&Tree, &Message)> = history.iter().map(|c| (&c.tree, &c.message)).collect();
    let sent: Vec<(&Tree, &Message)> = drafts[..2].iter().map(|d| (&d.tree, &d.message)).collect();
    assert_eq!(read, sent);
    assert_eq!(history[1].parents, [ids[0]]);
    assert!(scratch.loose(&after).unwrap().is_nothing());
    // The same for everybody.
    let (_, again) = Scratch::make(&temp.path().join("d"), &drafts, "series").unwrap();
    assert_eq!(again, ids);
}

#[test]
fn a_person_with_any_settings_commits_the_bytes_that_are_there() {
    let temp = tempfile::tempdir().unwrap();
    let person = Person::hostile(temp.path());
    let (before, after) = odd();
    let root = temp.path().join("c");
    let drafts = [
        draft("series", None, &before),
        draft("series", Some(0), &after),
    ];
    let (scratch, _) = Scratch::make(&root, &drafts, "series").unwrap();
    assert_eq!(person.git(&root, &["status", "--porcelain"]), "");
    fs::write(root.join("crlf"), "a\r\nB\r\n\n").unwrap();
    person.git(&root, &["commit", "-q", "-a", "-m", "one: x"]);
    person.git(&root, &["checkout", "-q", "HEAD~2"]);
    person.git(&root, &["checkout", "-q", "series"]);
    let head = scratch.head().unwrap().commit;
    let commit = scratch.objects().unwrap().commit(head).unwrap();
    let mut expected = after.clone();
    if let Some(file) = expected.files.get_mut("crlf") {
        file.bytes = b"a\r\nB\r\n\n"[..].into();
    }
    assert_eq!(commit.tree, expected);
    assert_eq!(commit.message.author, "cuzk <cuzk@invalid>");
    assert_eq!(commit.message.subject, "one: x");
    assert!(scratch.loose(&expected).unwrap().is_nothing());
}

#[test]
fn what_is_in_no_commit_is_named() {
    let temp = tempfile::tempdir().unwrap();
    let person = Person::plain(temp.path());
    let root = temp.path().join("c");
    let head = tree(&[
        (".gitignore", "ignored\n"),
        ("a", "1"),
        ("b", "2"),
        ("c", "3"),
    ]);
    let (scratch, _) = Scratch::make(&root, &[draft("series", None, &head)], "series").unwrap();
    let put = |name: &str, text: &str| {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    put("target/debug/x", "built");
    put("Cargo.lock", "resolved");
    assert!(scratch.loose(&head).unwrap().is_nothing());
    put("a", "other");
    put("ignored", "new");
    put("sub/target/x", "new");
    fs::remove_file(root.join("b")).unwrap();
    fs::set_permissions(root.join("c"), fs::Permissions::from_mode(0o755)).unwrap();
    let loose = scratch.loose(&head).unwrap();
    assert_eq!(
        loose.to_string(),
        "changed: `a`, `c`; new: `ignored`, `sub/target/x`; deleted: `b`"
    );
    person.git(&root, &["add", "a"]);
    put("a", "1");
    assert!(scratch.loose(&head).unwrap().staged);
    fs::create_dir(root.join(".git/rebase-merge")).unwrap();
    let said = scratch.loose(&head).unwrap().to_string();
    assert!(said.starts_with("a rebase is under way; "), "{said}");
}

#[test]
fn links_submodules_and_other_encodings_are_refused_by_name() {
    let temp = tempfile::tempdir().unwrap();
    let person = Person::plain(temp.path());
    let root = temp.path().join("c");
    let head = tree(&[("a", "1")]);
    let (scratch, ids) = Scratch::make(&root, &[draft("series", None, &head)], "series").unwrap();
    let refused = |what: &str| {
        let head = scratch.head().unwrap().commit;
        let error = scratch
            .objects()
            .unwrap()
            .history(head)
            .unwrap_err()
            .to_string();
        person.git(&root, &["reset", "-q", "--hard", &ids[0].to_string()]);
        assert!(error.contains(what), "{what} in {error}");
    };
    std::os::unix::fs::symlink("a", root.join("link")).unwrap();
    person.git(&root, &["add", "link"]);
    person.git(&root, &["commit", "-q", "-m", "one: x"]);
    refused("`link` is a symbolic link");
    let cache = format!("160000,{},sub", ids[0]);
    person.git(&root, &["update-index", "--add", "--cacheinfo", &cache]);
    person.git(&root, &["commit", "-q", "-m", "one: x"]);
    refused("`sub` is a submodule");
    person.git(
        &root,
        &[
            "-c",
            "i18n.commitEncoding=latin1",
            "commit",
            "-q",
            "--allow-empty",
            "-F",
            &latin1(temp.path()),
        ],
    );
    refused("is not UTF-8");
}

fn latin1(folder: &Path) -> String {
    let path = folder.join("message");
    fs::write(&path, b"one: gr\xfcn\n").unwrap();
    path.display().to_string()
}

#[test]
fn nothing_is_made_of_a_message_that_git_does_not_take() {
    let temp = tempfile::tempdir().unwrap();
    let mut bad = draft("series", None, &tree(&[("a", "1")]));
    "nobody".clone_into(&mut bad.message.author);
    let root = temp.path().join("c");
    assert!(Scratch::make(&root, &[bad], "series").is_err());
    assert!(!root.exists());
    assert!(Scratch::open(&root).is_none());
}
