use std::collections::BTreeMap;

use pretty_assertions::assert_eq;
use sha2::{Digest, Sha256};

use super::*;
use crate::dist::Item;
use crate::dist::stamp::Stamp;

fn plan(files: &[(&str, &str)]) -> Plan {
    let item = |text: &str| Item {
        mode: Mode::Plain,
        content: Content::Bytes(text.as_bytes().into()),
    };
    let hash = |text: &str| hex::encode(Sha256::digest(text));
    let hashes = files
        .iter()
        .map(|(name, text)| ((*name).to_owned(), hash(text)));
    Plan {
        files: files
            .iter()
            .map(|(name, text)| ((*name).to_owned(), item(text)))
            .collect(),
        stamp: Stamp::print("s", false, Vec::new(), hashes.collect::<BTreeMap<_, _>>())
            .expect("printed"),
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("listed");
    let mut names: Vec<String> = entries
        .map(|e| {
            e.expect("an entry")
                .file_name()
                .into_string()
                .expect("UTF-8")
        })
        .collect();
    names.sort();
    names
}

#[test]
fn it_is_written_replaced_and_left_alone() {
    let temp = tempfile::tempdir().expect("a folder");
    let place = temp.path().join("dist");
    let first = plan(&[("same", "1"), ("gone", "1")]);
    assert_eq!(install(&place, &first).expect("written"), Done::Written);
    assert_eq!(install(&place, &first).expect("looked"), Done::Unchanged);
    let time = |name: &str| {
        fs::metadata(place.join(name))
            .and_then(|m| m.modified())
            .expect("a time")
    };
    let (before, second) = (time("same"), plan(&[("same", "1"), ("new/x", "1")]));
    assert_eq!(install(&place, &second).expect("written"), Done::Written);
    assert_eq!(time("same"), before);
    assert_eq!(names(&place), ["new", "same", "stamp.json"]);
    assert_eq!(names(temp.path()), ["dist"]);
}

#[test]
fn what_is_not_ours_or_was_touched_stays() {
    let temp = tempfile::tempdir().expect("a folder");
    let place = temp.path().join("dist");
    fs::create_dir(&place).expect("made");
    fs::write(place.join("mine"), "kept").expect("written");
    let error = install(&place, &plan(&[("a", "1")]))
        .expect_err("refused")
        .to_string();
    assert!(error.contains("is no earlier dist"), "{error}");
    assert_eq!(names(&place), ["mine"]);
    fs::remove_file(place.join("mine")).expect("removed");
    install(&place, &plan(&[("a", "1")])).expect("written");
    fs::write(place.join("a"), "edited").expect("written");
    let error = install(&place, &plan(&[("a", "2")]))
        .expect_err("refused")
        .to_string();
    assert!(error.contains("changed a"), "{error}");
    assert_eq!(fs::read(place.join("a")).expect("read"), b"edited");
}

#[test]
fn a_repository_goes_on_in_the_new_folder_and_survives_an_interruption() {
    let temp = tempfile::tempdir().expect("a folder");
    let place = temp.path().join("dist");
    install(&place, &plan(&[("a", "1")])).expect("written");
    fs::create_dir(place.join(GIT)).expect("made");
    fs::write(place.join(".git/HEAD"), "x").expect("written");
    install(&place, &plan(&[("a", "2")])).expect("written");
    assert_eq!(fs::read(place.join(".git/HEAD")).expect("kept"), b"x");
    // Interrupted between moving the repository and the exchange.
    let new = swap::beside(&place);
    fs::create_dir(&new).expect("made");
    fs::rename(place.join(GIT), new.join(GIT)).expect("moved");
    install(&place, &plan(&[("a", "3")])).expect("written");
    assert_eq!(fs::read(place.join(".git/HEAD")).expect("kept"), b"x");
    assert_eq!(fs::read(place.join("a")).expect("read"), b"3");
    // Interrupted between the two renames that stand in for an exchange.
    fs::create_dir(&new).expect("made");
    fs::rename(place.join(GIT), new.join(GIT)).expect("moved");
    fs::rename(&place, swap::parked(&place)).expect("moved");
    install(&place, &plan(&[("a", "4")])).expect("written");
    assert_eq!(fs::read(place.join(".git/HEAD")).expect("kept"), b"x");
    assert_eq!(names(temp.path()), ["dist"]);
}

#[test]
fn a_failure_on_the_way_changes_nothing_and_leaves_nothing() {
    let temp = tempfile::tempdir().expect("a folder");
    let place = temp.path().join("dist");
    install(&place, &plan(&[("a", "1")])).expect("written");
    let mut second = plan(&[("a", "2"), ("z", "2")]);
    let gone = temp.path().join("gone.crate");
    let item = second.files.get_mut("z").expect("there");
    item.content = Content::File(gone.clone());
    let error = install(&place, &second).expect_err("refused").to_string();
    assert!(
        error.contains("cannot copy") && error.contains("gone.crate"),
        "{error}"
    );
    assert_eq!(fs::read(place.join("a")).expect("read"), b"1");
    assert_eq!(names(temp.path()), ["dist"]);
}

#[test]
fn a_place_inside_what_it_is_made_from_is_refused() {
    let temp = tempfile::tempdir().expect("a folder");
    let root = temp.path().canonicalize().expect("resolved");
    let layout = Layout::new(&root);
    fs::create_dir_all(root.join("extern")).expect("made");
    fs::create_dir_all(root.join("cuzk-core")).expect("made");
    for dir in ["extern/x", "extern", "cuzk-core/dist"] {
        let error = place(&layout, &root.join(dir))
            .expect_err("refused")
            .to_string();
        assert!(error.contains("is made from"), "{error}");
    }
    let error = place(&layout, &root.join("no/such"))
        .expect_err("refused")
        .to_string();
    assert!(error.contains("is not there"), "{error}");
    assert_eq!(
        place(&layout, &root.join("dist")).expect("free"),
        root.join("dist")
    );
}
