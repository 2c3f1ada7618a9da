//! What is refused, with the reason; nothing is written then.

use std::fs;

use crate::person::{DOUBLE, EVEN, Edit, LARGEST, SUM, kept, small, with};
use crate::world::{LOWER, message};

#[test]
fn what_is_in_no_commit() {
    let world = small();
    let edit = Edit::open(&world);
    edit.change(LARGEST);
    edit.refused(&[], &["changed: `src/lib.rs`: commit it"]);
    edit.git(&["checkout", "-q", "-f", "series"]);
    fs::write(edit.place.join(".gitignore"), "*.tmp\n").expect("written");
    edit.commit("ignore");
    fs::write(edit.place.join("x.tmp"), "ignored").expect("written");
    edit.refused(&[], &["new: `x.tmp`", "ignored files count as well"]);
    fs::remove_file(edit.place.join("x.tmp")).expect("deleted");
    fs::create_dir_all(edit.place.join("target/debug")).expect("made");
    fs::write(edit.place.join("target/debug/x"), "built").expect("written");
    fs::write(edit.place.join("Cargo.lock"), "resolved").expect("written");
    edit.export(&[], 0, &["wrote extern/patches/lower/ignore.patch"]);
}

#[test]
fn commits_that_are_no_patch() {
    let world = small();
    let edit = Edit::open(&world);
    let tip = edit.git(&["rev-parse", "series"]);
    let back = || edit.git(&["reset", "-q", "--hard", tip.trim()]);
    for (subject, says) in [
        ("no slug here", "its subject must be `slug: what it does`"),
        ("No Slug: here", "its subject must be `slug: what it does`"),
        ("even: again", "have one slug"),
        ("sum: that is off", "have one slug"),
        (
            "fixup! even: a made-up change",
            "git rebase -i --autosquash",
        ),
        (
            "squash! even: a made-up change",
            "git rebase -i --autosquash",
        ),
    ] {
        edit.change(LARGEST);
        edit.git(&["commit", "-q", "-a", "-m", subject]);
        edit.refused(&[], &[says]);
        back();
    }
    edit.git(&["commit", "-q", "--allow-empty", "-m", "nothing: new"]);
    edit.refused(&[], &["(`nothing: new`) changes no file"]);
    back();
    fs::write(edit.place.join("raw"), b"\0\x01\x02").expect("written");
    edit.commit("raw");
    edit.refused(&[], &["(`raw: a made-up change`): `raw` is binary"]);
    back();
    std::os::unix::fs::symlink("src/lib.rs", edit.place.join("link")).expect("linked");
    edit.commit("link");
    edit.refused(&[], &["`link` is a symbolic link"]);
    back();
    edit.git(&["checkout", "-q", "-b", "side", "series~1"]);
    edit.change(LARGEST);
    edit.commit("side");
    edit.git(&["checkout", "-q", "series"]);
    edit.git(&["merge", "-q", "-m", "merge: side", "side"]);
    edit.refused(&[], &["(`merge: side`) is a merge"]);
    back();
    // A branch of another name is the person's own.
    edit.export(&[], 0, &["branch `side` is not exported"]);
}

#[test]
fn a_series_that_does_not_begin_with_the_release() {
    let world = small();
    let edit = Edit::open(&world);
    edit.git(&["checkout", "-q", "--orphan", "other"]);
    edit.commit("even");
    edit.git(&["branch", "-q", "-M", "series"]);
    edit.refused(&[], &["`series` begins with tree", "lower 1.0.0"]);
    edit.git(&["checkout", "-q", "--detach"]);
    edit.git(&["branch", "-q", "-D", "series"]);
    edit.refused(&[], &["there is no branch `series`"]);
}

#[test]
fn branches_of_what_is_off() {
    let world = small();
    let edit = Edit::open(&world);
    edit.git(&["checkout", "-q", "off/sum"]);
    edit.change(LARGEST);
    edit.commit("sum");
    edit.refused(
        &[],
        &[
            "branch `off/sum` has 2 commits of its own",
            "git rebase --onto COMMIT off/sum~1 off/sum",
        ],
    );
    edit.git(&["reset", "-q", "--hard", "HEAD~1"]);
    edit.git(&["branch", "-q", "-m", "off/total"]);
    edit.refused(
        &[],
        &[
            "branch `off/total` holds commit",
            "branch and slug must agree",
        ],
    );
    edit.git(&["branch", "-q", "-m", "off/sum"]);
    edit.git(&["branch", "-q", "off/none", "series"]);
    edit.refused(&[], &["branch `off/none` has 0 commits of its own"]);
    edit.git(&["branch", "-q", "-D", "off/none"]);
    // One that is on, taken off the series.
    edit.git(&["branch", "-q", "off/even", "series"]);
    edit.git(&["branch", "-q", "-f", "series", "series~1"]);
    edit.refused(
        &[],
        &["`even` is on in extern/stack.toml, so its commit belongs on `series`"],
    );
    edit.git(&["branch", "-q", "-M", "off/even", "series"]);
    edit.git(&["checkout", "-q", "-b", "off/new", "series"]);
    edit.change(LARGEST);
    edit.commit("new");
    edit.refused(
        &["--kind", "fix"],
        &["branch `off/new` is for what is off, and kind fix is on"],
    );
    edit.export(&["--kind", "experiment"], 0, &["kind = \"experiment\""]);
}

#[test]
fn a_head_that_no_export_reads() {
    let world = small();
    let edit = Edit::open(&world);
    edit.git(&["checkout", "-q", "-b", "mine", "series"]);
    edit.export(&[], 0, &["branch `mine` is not exported"]);
    edit.change(LARGEST);
    edit.commit("mine");
    edit.refused(
        &[],
        &["branch `mine` is checked out, and no export reads it"],
    );
    edit.git(&["checkout", "-q", "--detach"]);
    edit.refused(&[], &["without a branch is checked out"]);
    edit.git(&["checkout", "-q", "series"]);
    fs::create_dir(edit.place.join(".git/rebase-merge")).expect("made");
    edit.refused(&[], &["a rebase is under way"]);
}

#[test]
fn patches_that_moved_on_are_not_overwritten() {
    let world = small();
    let edit = Edit::open(&world);
    let path = "extern/patches/lower/even.patch";
    let mine = world.read(path);
    world.write(
        path,
        &mine.replace("made-up change", "change of another person"),
    );
    edit.refused(
        &[],
        &["extern/ moved on since the edit was opened (`even` is another patch)"],
    );
    // Nothing would be lost, so it is opened anew.
    world.expect(
        &["patch", "edit", "lower"],
        0,
        &["2 patches on branch `series`"],
    );
    edit.export(&[], 0, &["3 patches of lower as before"]);
    // The same change made on both sides is none.
    world.write(path, &mine);
    edit.git(&["commit", "-q", "--amend", "-m", &message("even", &[])]);
    edit.export(&[], 0, &["3 patches of lower as before"]);
    // Work that was not exported is kept, and said.
    edit.change(LARGEST);
    edit.commit("largest");
    let stack = world.read("extern/stack.toml");
    let sum = "slug = \"sum\"\nkind = \"experiment\"";
    world.write(
        "extern/stack.toml",
        &stack
            .replace(sum, "slug = \"sum\"\nkind = \"perf\"")
            .replace("default = false", "default = true"),
    );
    let on = with(&with(&with(LOWER, DOUBLE), EVEN), SUM);
    let before = with(&with(LOWER, DOUBLE), EVEN);
    world.patch(
        "lower",
        "sum",
        &[("src/lib.rs", &before)],
        &[("src/lib.rs", &on)],
        &message("sum", &[]),
    );
    edit.refused(&[], &["(`sum` is on)"]);
    world.expect(
        &["patch", "edit", "lower"],
        0,
        &[
            "what was not exported is kept",
            "branch `series` has other commits",
            "`sum` is on",
        ],
    );
    world.expect(
        &["patch", "edit", "lower", "--discard"],
        0,
        &["3 patches on branch `series`"],
    );
}

#[test]
fn another_release_than_the_edit_was_opened_on() {
    let world = small();
    let edit = Edit::open(&world);
    edit.change(LARGEST);
    edit.commit("largest");
    world.publish("lower", "1.0.1", &[("src/lib.rs", LOWER), ("new", "")], &[]);
    let stack = world.read("extern/stack.toml");
    world.write("extern/stack.toml", &stack.replacen("1.0.0", "1.0.1", 1));
    edit.refused(
        &[],
        &["opened on lower 1.0.0, and extern/stack.toml has 1.0.1"],
    );
}

#[test]
fn what_the_manifest_does_not_allow_is_put_back() {
    let world = small();
    let edit = Edit::open(&world);
    fs::write(edit.place.join("build.rs"), "fn main() {}\n").expect("written");
    edit.commit("script");
    edit.refused(
        &[],
        &[
            "lower/script.patch: changes `build.rs`",
            "Nothing was changed",
        ],
    );
    assert!(!world.path("extern/patches/lower/script.patch").exists());
    edit.export(
        &["--kind", "build"],
        0,
        &["wrote extern/patches/lower/script.patch"],
    );
    // One that another depends on cannot go.
    edit.change(LARGEST);
    edit.git(&["commit", "-q", "-a", "-m", &message("largest", &["script"])]);
    edit.export(&["--kind", "fix"], 0, &[]);
    edit.git(&["checkout", "-q", "series~2"]);
    edit.git(&["cherry-pick", "series"]);
    edit.git(&["branch", "-q", "-f", "series", "HEAD"]);
    edit.git(&["checkout", "-q", "series"]);
    edit.refused(
        &["--drop", "script"],
        &["depends on `script`", "Nothing was changed"],
    );
}

#[test]
fn what_is_not_an_edit() {
    let world = small();
    let before = kept(&world);
    world.expect(
        &["patch", "export", "lower"],
        2,
        &["no edit of lower is open"],
    );
    world.expect(
        &["patch", "edit", "other"],
        2,
        &["no crate `other`, only lower, upper"],
    );
    world.write("target/edit/lower/mine", "kept\n");
    for verb in ["edit", "export"] {
        world.expect(
            &["patch", verb, "lower"],
            2,
            &["target/edit/lower is there, and `patch edit` did not make it"],
        );
    }
    assert_eq!(world.read("target/edit/lower/mine"), "kept\n");
    world.expect(&["patch", "edit", "lower", "--discard"], 0, &[]);
    world.write("target/edit/lower/.git/cuzk-edit.json", "{");
    world.expect(
        &["patch", "edit", "lower"],
        2,
        &["cuzk-edit.json: is not understood here", "--discard"],
    );
    world.expect(&["patch", "edit", "lower", "--discard"], 0, &[]);
    assert_eq!(kept(&world), before);
}
