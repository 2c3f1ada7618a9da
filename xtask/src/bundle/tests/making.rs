//! What a bundle is made of.

use super::*;
use crate::bundle::manifest::Bundle;

#[test]
fn a_bundle_holds_what_a_host_needs() {
    let world = world();
    let dir = world.bundle(&[W, P], 7);
    let bundle = Bundle::open(&dir).expect("whole");
    let sums = checksums::check(&dir).expect("whole");
    let files: Vec<&str> = sums.keys().map(String::as_str).collect();
    assert_eq!(
        files,
        [
            "README.txt",
            "bin/runner",
            "bin/stub-workload.sh-patched-stamp",
            "bin/stub-workload.sh-pristine-stamp",
            "cache/matrices/patched-stamp-synth-sha256-default.json",
            "cache/matrices/pristine-stamp-synth-sha256-default.json",
            "cache/params/prepared",
            "plan.json",
            "run",
        ]
    );
    let plan = &bundle.file.planned.plan;
    // The host that runs it has cores of its own; one thread is one thread everywhere.
    assert_eq!(
        (plan.workloads[0].threads, plan.workloads[1].threads),
        (Some(1), None)
    );
    let readme = fs::read_to_string(dir.join("README.txt")).expect("text");
    assert!(
        readme.contains("pristine, patched") && !readme.contains('@'),
        "{readme}"
    );
    // Whoever carries it is not always who made it.
    for file in files {
        let mode = fs::metadata(dir.join(file)).expect("there").permissions();
        assert_eq!(mode.mode() & 0o044, 0o044, "{file}");
    }
    let runner = fs::metadata(dir.join("bin/runner")).expect("there");
    assert_eq!(runner.permissions().mode() & 0o777, 0o755);
}

#[test]
fn arms_of_one_stamp_share_a_binary() {
    let world = world();
    let mut arms = pair(&stub());
    arms[1].stamp = arms[0].stamp.clone();
    let dir = world.folder.path().join("b");
    world
        .make(&dir, &arms, &planned(&arms, &[W], 7))
        .expect("made");
    let bundle = Bundle::open(&dir).expect("whole");
    assert_eq!(bundle.file.arms[0].file, bundle.file.arms[1].file);
    assert_eq!(bundle.file.arms[1].options.len(), 1);
}

#[test]
fn a_place_that_is_taken_is_left_alone() {
    let world = world();
    let arms = pair(&stub());
    let plan = planned(&arms, &[W], 7);
    let dir = world.folder.path().join("taken");
    fs::create_dir(&dir).expect("made");
    fs::write(dir.join("mine"), "").expect("written");
    for path in [dir.clone(), dir.join("mine")] {
        let error = world.make(&path, &arms, &plan).expect_err("taken");
        assert!(error.to_string().contains("not an empty folder"), "{error}");
    }
    fs::remove_file(dir.join("mine")).expect("removed");
    world
        .make(&dir, &arms, &plan)
        .expect("an empty one will do");
}

#[test]
fn one_that_is_too_large_is_named_by_its_files_and_leaves_nothing() {
    let world = world();
    let file = fs::File::create(&world.runner).expect("made");
    file.set_len(61_000_000).expect("a sparse file");
    let arms = pair(&stub());
    let parent = world.folder.path().join("out");
    let error = world
        .make(&parent.join("b"), &arms, &planned(&arms, &[W], 7))
        .expect_err("61 MB");
    let text = error.to_string();
    assert!(text.contains("bin/runner (61.0 MB)"), "{text}");
    assert_eq!(fs::read_dir(&parent).expect("there").count(), 0);
    let mut cuda = arms;
    cuda[0].inputs = serde_json::json!({ "features": ["cuda"] });
    let made = world
        .make(&parent.join("b"), &cuda, &planned(&cuda, &[W], 7))
        .expect("code for a GPU is large");
    assert!(made.bytes > 61_000_000);
}

#[test]
fn parameters_that_are_too_large_are_made_where_it_runs() {
    let world = world();
    let binary = world.workload(
        "STUB || exit\n[ \"$1\" != prepare ] || head -c 61000000 /dev/zero >\"$4/prepared\"",
    );
    let dir = world.bundle_of(&binary, &[P], 7);
    let sums = checksums::check(&dir).expect("whole");
    assert!(!sums.contains_key("cache/params/prepared"));
    world.run(&dir, &RunWishes::default()).expect("it runs");
    assert!(dir.join("cache/params/prepared").exists());
    Bundle::open(&dir).expect("what a host adds is no damage");
}

#[test]
fn an_arm_that_cannot_prepare_ends_it() {
    let world = world();
    let binary = world.workload("echo 'no memory left' >&2; exit 2");
    let arms = pair(&binary);
    let dir = world.folder.path().join("b");
    let error = world
        .make(&dir, &arms, &planned(&arms, &[P], 7))
        .expect_err("no parameters");
    assert!(format!("{error:#}").contains("no memory left"), "{error:#}");
    assert!(!dir.exists());
}
