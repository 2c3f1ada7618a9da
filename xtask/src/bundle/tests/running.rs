//! What happens on the host.

use std::thread;
use std::time::{Duration, Instant};

use super::*;

/// A stub whose runs hang after so many of them.
fn hanging(world: &World, after: usize) -> PathBuf {
    let binary = world.folder.path().join("workload");
    let count = world.folder.path().join("count");
    program(
        &binary,
        &format!(
            "if [ \"$1\" = run ]; then\n    echo >>'{0}'\n    [ $(wc -l <'{0}') -le {after} ] || exec sleep 60\nfi\n\
             exec '{1}' \"$@\"",
            count.display(),
            stub().display()
        ),
    );
    binary
}

#[test]
fn it_measures_on_this_host_and_leaves_a_judged_result() {
    let world = world();
    let dir = world.bundle(&[W, P], 8);
    // `thin` and `speed` are taken by one workload each: `prove` has one arm left there, and compares nothing.
    let json = PathBuf::from("r.json");
    let wishes = RunWishes {
        limit: Some(Duration::from_secs(600)),
        json: Some(json.clone()),
    };
    assert_eq!(world.run(&dir, &wishes), Ok(good()));
    let found = results(&dir);
    assert_eq!(found.len(), 1, "{found:?}");
    let result = read(&found[0]);
    assert!(result.complete && !result.comparisons.is_empty());
    assert_eq!(result, read(&world.folder.path().join(json)));
    assert_eq!(result.host, crate::results::host::Host::this());
    assert_eq!(
        result.plan.workloads[1].threads,
        Some(result.host.cores as u64)
    );
    assert_eq!(result.plan.workloads[0].pairs, 8);
    assert_eq!(result.matrices.len(), 2, "carried, or asked for");
    assert!(
        !result.trials.iter().any(|t| t.round > 7),
        "warming up does not count"
    );
}

#[test]
fn a_limit_that_is_too_short_is_said_before_the_first_trial() {
    let world = world();
    let binary = world.workload("[ \"$1\" != run ] || sleep 1\nexec STUB");
    let dir = world.bundle_of(&binary, &[W], 20);
    let wishes = RunWishes {
        limit: Some(Duration::from_secs(12)),
        json: None,
    };
    let error = world.run(&dir, &wishes).expect_err("8 rounds of 2 s");
    assert!(
        error.contains("before its first trial") && error.contains("give at least"),
        "{error}"
    );
    assert!(results(&dir).is_empty());
}

#[test]
fn the_limit_ends_a_run_and_keeps_its_trials() {
    let world = world();
    // The uncounted round, a round, and half of the next.
    let dir = world.bundle_of(&hanging(&world, 5), &[W], 8);
    let begun = Instant::now();
    let wishes = RunWishes {
        limit: Some(Duration::from_secs(8)),
        json: None,
    };
    let error = world.run(&dir, &wishes).expect_err("it hangs");
    assert!(begun.elapsed() < Duration::from_secs(40));
    assert!(
        error.contains("the limit of 8.0 s is over") && error.contains("3 trials are kept"),
        "{error}"
    );
    let found = results(&dir);
    assert!(found[0].to_string_lossy().ends_with(".partial.json"));
    let result = read(&found[0]);
    assert!(!result.complete && result.comparisons.is_empty());
    assert_eq!(result.trials.len(), 3);
}

#[test]
fn trials_are_there_before_the_end_and_an_interruption_keeps_them() {
    let world = world();
    let dir = world.bundle_of(&hanging(&world, 5), &[W], 8);
    let (interrupt, watched) = (world.interrupt.clone(), dir.clone());
    let asker = thread::spawn(move || {
        let begun = Instant::now();
        while results(&watched).is_empty() && begun.elapsed() < Duration::from_secs(50) {
            thread::sleep(Duration::from_millis(20));
        }
        // As a host leaves it that vanishes now: a round of two trials.
        let kept = results(&watched)
            .first()
            .map(|path| read(path).trials.len());
        interrupt.raise();
        kept
    });
    let error = world
        .run(&dir, &RunWishes::default())
        .expect_err("interrupted");
    assert_eq!(asker.join().expect("it only waits"), Some(2));
    assert!(error.contains("interrupted"), "{error}");
    assert!(!read(&results(&dir)[0]).complete);
}

#[test]
fn a_host_that_asks_for_the_end_at_once_gets_it() {
    let world = world();
    let dir = world.bundle(&[W], 8);
    world.interrupt.raise();
    let error = world
        .run(&dir, &RunWishes::default())
        .expect_err("interrupted");
    assert!(error.contains("interrupted"), "{error}");
    assert!(results(&dir).is_empty());
}

#[test]
fn what_is_damaged_or_missing_is_refused_by_name() {
    let world = world();
    let dir = world.bundle(&[W], 8);
    let run = || {
        world
            .run(&dir, &RunWishes::default())
            .expect_err("not this one")
    };
    let binary = dir.join("bin/stub-workload.sh-patched-stamp");
    let whole = fs::read_to_string(&binary).expect("text");
    edit(&binary, |text| text[..text.len() / 2].to_owned());
    let error = run();
    assert!(
        error.contains("patched-stamp") && error.contains("damaged"),
        "{error}"
    );
    fs::remove_file(&binary).expect("removed");
    let error = run();
    assert!(
        error.contains("patched-stamp") && error.contains("missing"),
        "{error}"
    );
    fs::write(&binary, whole).expect("written");
    // A list that lacks a line vouches for nothing.
    edit(&dir.join(checksums::SUMS), |text| {
        let lines = text.lines().filter(|line| !line.contains("bin/stub"));
        lines.map(|line| format!("{line}\n")).collect()
    });
    assert!(run().contains("SHA256SUMS has no line for it"));
    fs::remove_file(dir.join(checksums::SUMS)).expect("removed");
    assert!(run().contains("no bundle, `SHA256SUMS` is missing"));
    let error = world.run(&dir.join("nowhere"), &RunWishes::default());
    assert!(error.expect_err("nothing there").contains("nowhere"));
}

#[test]
fn a_plan_of_another_time_is_refused() {
    let world = world();
    let dir = world.bundle(&[W], 8);
    let plan = dir.join("plan.json");
    let run = || {
        seal(&dir);
        world
            .run(&dir, &RunWishes::default())
            .expect_err("not this one")
    };
    edit(&plan, |text| {
        text.replace("\"bundle_schema\": 1", "\"bundle_schema\": 9")
    });
    assert!(run().contains("a bundle of schema 9"));
    edit(&plan, |text| text.replace("\"bundle_schema\": 9,", ""));
    assert!(run().contains("a bundle of schema missing"));
    fs::write(&plan, "{\"bundle_schema\": 1}").expect("written");
    assert!(run().contains("not the plan of a bundle"));
    fs::write(&plan, "{").expect("written");
    assert!(run().contains("not the plan of a bundle"));
    fs::remove_file(&plan).expect("removed");
    assert!(run().contains("no bundle, `plan.json` is missing"));
}

#[test]
fn a_bundle_for_another_machine_is_refused() {
    let world = world();
    let dir = world.bundle(&[W], 8);
    let here = format!("\"arch\": \"{}\",\n    \"os\"", std::env::consts::ARCH);
    edit(&dir.join("plan.json"), |text| {
        assert!(text.contains(&here), "{text}");
        text.replace(&here, "\"arch\": \"pdp11\",\n    \"os\"")
    });
    seal(&dir);
    let error = world.run(&dir, &RunWishes::default());
    assert!(error.expect_err("not here").contains("pdp11"));
}

#[test]
fn a_folder_that_cannot_be_written_to_leaves_its_result_elsewhere() {
    let world = world();
    let dir = world.bundle(&[W], 8);
    // A file in place of the folder keeps even root from writing there.
    fs::write(dir.join(RESULTS), "").expect("written");
    world.run(&dir, &RunWishes::default()).expect("it runs");
    let here = fs::read_dir(world.folder.path()).expect("the current folder");
    let found: Vec<PathBuf> = here
        .map(|e| e.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .collect();
    assert_eq!(found.len(), 1);
    assert!(read(&found[0]).complete);
}

#[test]
fn an_instruction_that_the_processor_lacks_is_explained() {
    let world = world();
    let binary = world.workload("[ \"$1\" != run ] || kill -ILL $$\nexec STUB");
    let dir = world.bundle_of(&binary, &[W], 8);
    let error = world.run(&dir, &RunWishes::default()).expect_err("SIGILL");
    assert!(
        error.contains("this processor lacks an instruction"),
        "{error}"
    );
}
