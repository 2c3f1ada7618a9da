//! Changes that are interrupted at every place.

use pretty_assertions::assert_eq;

use super::*;

/// A root with `a` and `b`, and what is wanted: another `a`, no `b`, a new `n/c`.
fn some() -> (tempfile::TempDir, Journal, Wanted) {
    let temp = tempfile::tempdir().expect("a folder");
    let root = temp.path();
    for name in ["a", "b"] {
        fs::write(root.join(name), format!("old {name}")).expect("written");
    }
    let wanted = Wanted::from([
        (root.join("a"), Some(b"new a".to_vec())),
        (root.join("b"), None),
        (root.join("n/c"), Some(b"new c".to_vec())),
    ]);
    let journal = Journal::new(&root.join("journal"), root);
    (temp, journal, wanted)
}

fn state(temp: &tempfile::TempDir) -> Vec<(String, String)> {
    let files = walkdir::WalkDir::new(temp.path()).sort_by_file_name();
    files
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let name = entry.path().strip_prefix(temp.path()).expect("below");
            let text = fs::read_to_string(entry.path()).expect("read");
            (name.display().to_string(), text)
        })
        .collect()
}

#[test]
fn all_is_written_and_all_comes_back() {
    let (temp, journal, wanted) = some();
    let before = state(&temp);
    journal.write(&wanted).expect("written");
    assert!(journal.is_open());
    assert_eq!(fs::read(temp.path().join("n/c")).expect("there"), b"new c");
    assert!(!temp.path().join("b").exists());
    journal.restore().expect("restored");
    assert_eq!(state(&temp), before);
    assert!(!temp.path().join("n").exists() && !journal.is_open());
}

#[test]
fn a_process_that_died_at_any_file_has_lost_nothing() {
    for steps in 0..=3 {
        let (temp, journal, wanted) = some();
        let before = state(&temp);
        journal.begin(&wanted).expect("noted");
        for (path, bytes) in wanted.iter().take(steps) {
            put(path, bytes.as_deref()).expect("put");
        }
        // Half of the next one.
        fs::write(staged(&temp.path().join("a")), "ne").expect("written");
        journal.restore().expect("restored");
        assert_eq!(state(&temp), before);
    }
}

#[test]
fn a_file_that_cannot_be_written_leaves_everything_as_it_was() {
    let (temp, journal, mut wanted) = some();
    fs::create_dir_all(temp.path().join("z/x")).expect("made");
    let before = state(&temp);
    let mut unread = wanted.clone();
    unread.insert(temp.path().join("z"), Some(Vec::new()));
    let error = journal.write(&unread).expect_err("a folder is there");
    assert!(format!("{error:#}").contains("/z"), "{error:#}");
    assert_eq!(state(&temp), before);
    // Found only after the others were written: its folder is a link that leads nowhere.
    std::os::unix::fs::symlink("nowhere/at/all", temp.path().join("y")).expect("linked");
    wanted.insert(temp.path().join("y/last"), Some(b"text".to_vec()));
    let error = journal.write(&wanted).expect_err("no folder");
    let words = "y/last; everything is as it was";
    assert!(format!("{error:#}").contains(words), "{error:#}");
    assert_eq!(state(&temp), before);
    assert!(!journal.is_open() && !temp.path().join("n").exists());
}

#[test]
fn what_was_begun_is_not_forgotten() {
    let (temp, journal, wanted) = some();
    let before = state(&temp);
    journal.write(&wanted).expect("written");
    let error = journal.write(&wanted).expect_err("it is open");
    assert!(error.to_string().contains("interrupted"), "{error}");
    journal.restore().expect("restored");
    assert_eq!(state(&temp), before);
    journal.write(&wanted).expect("written");
    journal.close().expect("closed");
    let mode = |name: &str| {
        let found = fs::metadata(temp.path().join(name)).expect("there");
        found.permissions().mode() & 0o777
    };
    assert_eq!(mode("n/c"), 0o644);
    assert!(!temp.path().join("journal").exists());
}

#[test]
fn an_export_that_died_is_put_back() {
    let (temp, _, _) = some();
    let layout = Layout::new(temp.path());
    let before = state(&temp);
    let (path, bytes) = (layout.patches.join("c/new.patch"), Some(b"new".to_vec()));
    let wanted = Wanted::from([(path, bytes)]);
    Journal::of_export(&layout).write(&wanted).expect("written");
    let progress = Progress::stderr();
    recover(&layout, progress).expect("restored");
    fs::remove_file(layout.target.join("series.lock")).expect("removed");
    assert_eq!(state(&temp), before);
    recover(&layout, progress).expect("nothing to do");
    assert_eq!(state(&temp), before);
}
