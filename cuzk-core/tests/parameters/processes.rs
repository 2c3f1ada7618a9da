//! Makers in processes of their own, which are this program again: one that is killed, and many at once.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use cuzk_core::parameters::{ParametersError, Store};
use cuzk_core::progress::Progress;
use tempfile::tempdir;

use crate::common::{SMALL, entries, synthetic};

const NAME: &str = "v28-test";
const ROOT: &str = "CUZK_TEST_STORE";
const STOP: &str = "CUZK_TEST_STOP_IN";

/// Begins a maker, which stops in the phase `stop`, if there is such a phase, until it is killed.
fn maker(root: &Path, stop: &str) -> Child {
    Command::new(env::current_exe().unwrap())
        .args([
            "--exact",
            "processes::this_is_a_maker",
            "--ignored",
            "--nocapture",
        ])
        .env(ROOT, root)
        .env(STOP, stop)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until a maker says a line that begins like this, and returns the rest of it.
fn wait_for(maker: &mut Child, beginning: &str) -> String {
    let lines = BufReader::new(maker.stdout.as_mut().unwrap()).lines();
    let mut lines = lines.map(|line| line.unwrap());
    let found = lines.find_map(|line| Some(line.strip_prefix(beginning)?.trim().to_owned()));
    found.unwrap_or_else(|| panic!("the maker ended without saying {beginning:?}"))
}

/// Not a test: what [`maker`] runs.
#[test]
#[ignore = "a process that other tests start"]
fn this_is_a_maker() {
    let Some(root) = env::var_os(ROOT) else {
        return;
    };
    #[derive(Default)]
    struct StopIn(Mutex<String>);
    impl Progress for StopIn {
        fn begin(&self, phase: &str, _total: u64, _unit: &'static str) {
            *self.0.lock().unwrap() = phase.to_owned();
            say(&format!("phase {phase}"));
        }
        fn advance(&self, _amount: u64) {
            if env::var(STOP).unwrap() == *self.0.lock().unwrap() {
                say("stopped");
                thread::sleep(Duration::from_secs(600));
            }
        }
    }
    let root = Path::new(&root);
    let made = root.join("made");
    let make = || {
        let mut made = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&made)
            .unwrap();
        made.write_all(b"x").unwrap();
        // Long enough for the others to come and wait.
        thread::sleep(Duration::from_millis(200));
        Ok::<_, ParametersError>(synthetic(SMALL, 1))
    };
    let (set, _) = Store::at(root)
        .ensure(NAME, make, &StopIn::default())
        .unwrap();
    say(&format!("digest {}", set.digest));
}

/// On a line of its own, whatever the test harness prints, and at once.
fn say(what: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n{what}").unwrap();
    out.flush().unwrap();
}

#[test]
fn a_maker_that_is_killed_as_it_writes_leaves_no_set() {
    let folder = tempdir().unwrap();
    let store = Store::at(folder.path());
    let mut killed = maker(folder.path(), "writing parameters");
    wait_for(&mut killed, "stopped");
    // Another one waits for it, and goes on when it is gone.
    let mut waiting = maker(folder.path(), "");
    wait_for(&mut waiting, "phase waiting");
    let unfinished = entries(folder.path());
    let part = unfinished.iter().find(|name| name.starts_with(".part-"));
    let part = folder.path().join(part.expect("it was writing"));
    assert!(fs::metadata(part.join("v28-test.params")).unwrap().len() > 0);
    assert_eq!(store.find(NAME).unwrap(), None);

    killed.kill().unwrap();
    killed.wait().unwrap();
    let digest = wait_for(&mut waiting, "digest");
    assert!(waiting.wait().unwrap().success());
    let set = store.find(NAME).unwrap().unwrap();
    assert_eq!(set.digest, digest);
    assert!(set.read(&()).unwrap() == synthetic(SMALL, 1));
    let mut expected = [&digest, "made", "v28-test.json", "v28-test.lock"];
    expected.sort();
    assert_eq!(entries(folder.path()), expected);
    assert_eq!(fs::read(folder.path().join("made")).unwrap(), b"xx");
}

#[test]
fn of_many_processes_one_makes() {
    let folder = tempdir().unwrap();
    let mut makers: Vec<Child> = (0..4).map(|_| maker(folder.path(), "")).collect();
    let digests: Vec<String> = makers
        .iter_mut()
        .map(|maker| wait_for(maker, "digest"))
        .collect();
    for mut maker in makers {
        assert!(maker.wait().unwrap().success());
    }
    assert!(digests.iter().all(|digest| *digest == digests[0]));
    assert_eq!(fs::read(folder.path().join("made")).unwrap(), b"x");
}
