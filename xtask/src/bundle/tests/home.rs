//! What comes home, and what does not.

use super::*;
use crate::bundle::home::{HomeWishes, bring};
use crate::results::Verdict;

fn home(world: &World, dir: &Path, wishes: &HomeWishes) -> Result<String, String> {
    bring(&world.layout, dir, wishes, Progress::stderr())
        .map(|code| format!("{code:?}"))
        .map_err(|e| format!("{e:#}"))
}

fn refused(world: &World, dir: &Path) -> String {
    let error = home(world, dir, &HomeWishes::default()).expect_err("refused");
    assert!(!world.layout.target_results.exists(), "nothing was written");
    error
}

#[test]
fn a_result_comes_home_and_is_kept_once() {
    let world = world();
    let (dir, path) = world.ran(8);
    let wishes = HomeWishes {
        keep: true,
        json: Some(world.folder.path().join("r.json")),
    };
    assert_eq!(home(&world, &dir, &wishes), Ok(good()));
    let result = read(&path);
    let kept = store::kept(&world.layout.results).expect("kept results");
    assert_eq!(kept.len(), 1);
    assert!(
        kept[0]
            .0
            .parent()
            .expect("a folder")
            .ends_with(&result.host.class)
    );
    // Judging is a function of the file: nothing changed on the way.
    assert_eq!(kept[0].1, result);
    assert_eq!(read(&world.folder.path().join("r.json")), result);
    assert_eq!(result.comparisons[0].verdict, Verdict::Improved);
    // What is kept already is no reason to refuse the rest.
    assert_eq!(home(&world, &dir, &wishes), Ok(good()));
    let count = |world: &World| store::kept(&world.layout.results).map(|kept| kept.len());
    assert!(count(&world).is_ok_and(|count| count == 1));
    let mut other = result.clone();
    other.notes.push("something else".to_owned());
    store::write(&path, &other).expect("written");
    let again = home(&world, &dir, &wishes).expect_err("never overwritten");
    assert!(again.contains("never overwritten"), "{again}");
    assert_eq!(home(&world, &dir, &HomeWishes::default()), Ok(good()));
}

#[test]
fn verdicts_follow_from_the_trials_and_not_from_what_is_written() {
    let world = world();
    let (dir, path) = world.ran(8);
    edit(&path, |text| text.replace("\"improved\"", "\"regressed\""));
    assert_eq!(home(&world, &dir, &HomeWishes::default()), Ok(good()));
    let ours = store::results_in(&world.layout.target_results).expect("a folder");
    assert_eq!(read(&ours[0]).comparisons[0].verdict, Verdict::Improved);
}

#[test]
fn a_partial_result_is_brought_home_unjudged() {
    let world = world();
    let (dir, path) = world.ran(8);
    let mut result = read(&path);
    result.complete = false;
    result.trials.truncate(5);
    result.comparisons.clear();
    fs::remove_file(&path).expect("removed");
    store::write(&dir.join(RESULTS).join(store::file_name(&result)), &result).expect("written");
    let wishes = HomeWishes {
        keep: true,
        json: None,
    };
    assert_eq!(home(&world, &dir, &wishes), Ok(falls_short()));
    assert!(!world.layout.results.exists());
    let ours = world.layout.target_results.join(store::file_name(&result));
    assert_eq!(read(&ours), result);
}

#[test]
fn a_bundle_that_was_not_run_or_is_damaged_stays_where_it_is() {
    let world = world();
    let dir = world.bundle(&[W], 8);
    let error = refused(&world, &dir);
    assert!(error.contains("run the bundle first"), "{error}");
    world.run(&dir, &RunWishes::default()).expect("it runs");
    edit(&dir.join("bin/stub-workload.sh-patched-stamp"), |text| {
        text + "#"
    });
    assert!(refused(&world, &dir).contains("damaged"));
    assert!(refused(&world, world.folder.path()).contains("no bundle"));
}

#[test]
fn a_result_of_something_else_is_refused() {
    let world = world();
    let (dir, path) = world.ran(8);
    let whole = read(&path);
    let refused_as = |change: &dyn Fn(&mut ResultFile), expected: &str| {
        let mut result = whole.clone();
        change(&mut result);
        store::write(&path, &result).expect("written");
        let error = refused(&world, &dir);
        assert!(error.contains(expected), "{error}");
    };
    refused_as(&|r| r.arms[1].stamp = "other".to_owned(), "arm `patched`");
    refused_as(&|r| r.arms.truncate(1), "not among the arms");
    refused_as(&|r| r.plan.seed += 1, "the seed differs");
    refused_as(&|r| r.plan.rules.alpha = 0.5, "the rules differ");
    refused_as(&|r| r.plan.contrasts.clear(), "the contrasts differ");
    refused_as(&|r| r.plan.workloads.clear(), "the workloads differ");
    refused_as(
        &|r| r.plan.workloads[0].size = Some(3),
        "otherwise than planned",
    );
    refused_as(
        &|r| r.plan.workloads[0].threads = Some(3),
        "otherwise than planned",
    );
    refused_as(&|r| r.plan.workloads[0].pairs = 9, "otherwise than planned");
    refused_as(&|r| r.plan.workloads[0].pairs = 7, "trial 1");
    refused_as(&|r| r.trials[3].arm = "released".to_owned(), "trial 3");
}

#[test]
fn a_file_that_is_no_result_is_refused_and_nothing_is_brought() {
    let world = world();
    let (dir, path) = world.ran(8);
    let text = fs::read_to_string(&path).expect("text");
    let other = path.with_file_name("z.json");
    for (content, expected) in [
        (String::new(), "empty"),
        (text[..text.len() / 2].to_owned(), "not a whole JSON"),
        (text.replace("\"schema\": 1", "\"schema\": 9"), "schema 9"),
    ] {
        fs::write(&other, content).expect("written");
        let error = refused(&world, &dir);
        assert!(
            error.contains("z.json") && error.contains(expected),
            "{error}"
        );
    }
}

#[test]
fn one_file_takes_one_result() {
    let world = world();
    let (dir, path) = world.ran(8);
    fs::copy(&path, path.with_file_name("again.json")).expect("copied");
    let wishes = HomeWishes {
        keep: false,
        json: Some(world.folder.path().join("r.json")),
    };
    let error = home(&world, &dir, &wishes).expect_err("two results");
    assert!(error.contains("run 2 times"), "{error}");
}
