//! Sets in a store, in one process.

use std::fs;
use std::path::Path;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use bellperson::groth16::Parameters;
use blstrs::Bls12;
use cuzk_core::parameters::{ParametersError, Set, Store};
use tempfile::{TempDir, tempdir};

use crate::common::{SMALL, bytes, entries, error, key_bytes, synthetic};

const NAME: &str = "v28-test";

fn make(seed: u64) -> impl FnOnce() -> Result<Parameters<Bls12>, ParametersError> {
    move || Ok(synthetic(SMALL, seed))
}

fn filled() -> (TempDir, Store, Set) {
    let folder = tempdir().unwrap();
    let store = Store::at(folder.path().join("made/on/demand"));
    let (set, made) = store.ensure(NAME, make(1), &()).unwrap();
    assert!(made);
    (folder, store, set)
}

#[test]
fn a_set_is_made_once() {
    let (_folder, store, set) = filled();
    assert_eq!(store.find("another").unwrap(), None);
    assert_eq!(store.find(NAME).unwrap().as_ref(), Some(&set));
    let not_again = || -> Result<_, ParametersError> { panic!("it is there") };
    let (again, made) = store.ensure(NAME, not_again, &()).unwrap();
    assert_eq!((again, made), (set.clone(), false));

    assert_eq!(set.folder, store.root().join(&set.digest));
    assert_eq!(
        entries(&set.folder),
        ["set.json", "v28-test.params", "v28-test.vk"]
    );
    let mut expected = [&set.digest, "v28-test.json", "v28-test.lock"];
    expected.sort();
    assert_eq!(entries(store.root()), expected);
    let record = fs::read_to_string(set.folder.join("set.json")).unwrap();
    assert!(
        record.contains("generated locally: for tests only"),
        "{record}"
    );
}

#[test]
fn a_maker_that_fails_leaves_nothing() {
    let folder = tempdir().unwrap();
    let store = Store::at(folder.path());
    let fails = || Err(cuzk_core::Error::NoCircuits);
    let result = store.ensure(NAME, fails, &());
    assert!(matches!(result, Err(cuzk_core::Error::NoCircuits)));
    // Parameters that could not be read again are not kept either.
    let mut no_inputs = synthetic(SMALL, 1);
    no_inputs.vk.ic.clear();
    let result = store.ensure(NAME, || Ok::<_, ParametersError>(no_inputs), &());
    assert!(matches!(result, Err(ParametersError::NoInputs { .. })));
    assert_eq!(entries(folder.path()), ["v28-test.lock"]);
    assert!(store.ensure(NAME, make(1), &()).unwrap().1);
}

#[test]
fn a_name_that_leads_elsewhere_is_refused() {
    let folder = tempdir().unwrap();
    let store = Store::at(folder.path().join("root"));
    for name in ["", "../x", "a/b", ".hidden", "x\0"] {
        let refused = error(store.ensure(name, make(1), &()), store.root());
        assert!(matches!(refused, ParametersError::Name { .. }));
        assert!(store.find(name).is_err());
    }
    assert_eq!(entries(folder.path()).len(), 0);
}

#[test]
fn what_interrupted_makers_left_is_swept_by_the_next_of_that_name() {
    let folder = tempdir().unwrap();
    let root = folder.path();
    let part = root.join(".part-v28-test~123-0");
    fs::create_dir(&part).unwrap();
    fs::write(part.join("v28-test.params"), "half").unwrap();
    fs::write(root.join(".part-v28-test.json~123-1"), "half").unwrap();
    fs::create_dir(root.join(".part-v28-test-b~123-0")).unwrap();
    let store = Store::at(root);
    assert_eq!(store.find(NAME).unwrap(), None);
    let (set, _) = store.ensure(NAME, make(1), &()).unwrap();
    let mut expected = [
        ".part-v28-test-b~123-0",
        &set.digest,
        "v28-test.json",
        "v28-test.lock",
    ];
    expected.sort();
    assert_eq!(entries(root), expected);
}

#[test]
fn a_set_that_was_removed_is_made_anew_and_a_lost_record_as_well() {
    let (_folder, store, set) = filled();
    fs::remove_dir_all(&set.folder).unwrap();
    assert_eq!(store.find(NAME).unwrap(), None);
    assert_eq!(
        store.ensure(NAME, make(1), &()).unwrap(),
        (set.clone(), true)
    );

    fs::remove_file(store.root().join("v28-test.json")).unwrap();
    assert_eq!(
        store.ensure(NAME, make(1), &()).unwrap(),
        (set.clone(), true)
    );

    // The folder that is in the way is looked at before it is taken for the same.
    fs::remove_file(store.root().join("v28-test.json")).unwrap();
    flip(&set.params, 2000);
    assert_eq!(
        store.ensure(NAME, make(1), &()).unwrap(),
        (set.clone(), true)
    );
    assert!(set.read(&()).is_ok());
    assert_eq!(entries(store.root()).len(), 3);
}

#[test]
fn two_names_can_have_the_same_parameters() {
    let (_folder, store, set) = filled();
    let (other, made) = store.ensure("other", make(1), &()).unwrap();
    assert!(made);
    assert_eq!(other, set);
    assert_eq!(store.find("other").unwrap(), Some(set));
}

fn flip(path: &Path, at: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[at] ^= 1;
    fs::write(path, bytes).unwrap();
}

#[test]
fn damaged_parameters_are_refused_when_they_are_read() {
    let (_folder, _, set) = filled();
    let length = fs::metadata(&set.params).unwrap().len() as usize;
    for at in [1500, length - 1] {
        flip(&set.params, at);
        let refused = error(set.read(&()), &set.params);
        let ParametersError::Digest {
            expected, actual, ..
        } = &refused
        else {
            panic!("{refused}");
        };
        assert!(*expected == set.digest && *actual != set.digest);
        flip(&set.params, at);
    }
    assert!(set.read(&()).is_ok());
}

#[test]
fn a_damaged_set_is_refused_and_not_replaced() {
    let other = synthetic(SMALL, 2);
    let longer = synthetic(cuzk_core::ParametersShape { ic: 4, ..SMALL }, 2);
    type Damage<'a> = (&'a str, &'a dyn Fn(&Set));
    let damages: [Damage<'_>; 9] = [
        ("is damaged", &|set| fs::remove_file(&set.params).unwrap()),
        ("is damaged", &|set| fs::remove_file(&set.vk).unwrap()),
        ("is damaged", &|set| {
            fs::remove_file(set.folder.join("set.json")).unwrap()
        }),
        ("is damaged", &|set| {
            fs::write(&set.params, "short").unwrap()
        }),
        ("not a record", &|set| {
            fs::write(set.folder.join("set.json"), "{").unwrap()
        }),
        // Another key of the same length, and one of another.
        ("does not match its digest", &|set| {
            fs::write(&set.vk, key_bytes(&other)).unwrap()
        }),
        ("is damaged", &|set| {
            fs::write(&set.vk, key_bytes(&longer)).unwrap()
        }),
        ("does not match its digest", &|set| flip(&set.vk, 100)),
        // Other parameters of the same length: the key no longer belongs to them.
        ("is not the verifying key of", &|set| {
            fs::write(&set.params, bytes(&other)).unwrap()
        }),
    ];
    for (expected, damage) in damages {
        let (_folder, store, set) = filled();
        damage(&set);
        let before = entries(&set.folder);
        for result in [
            store.find(NAME).map(|_| ()),
            store.ensure(NAME, make(1), &()).map(|_| ()),
        ] {
            let refused = error(result, &set.folder);
            assert!(refused.to_string().contains(expected), "{refused}");
        }
        assert_eq!(entries(&set.folder), before);
    }
}

#[test]
fn a_key_with_a_record_to_match_is_refused_all_the_same() {
    // Both files are whole by their own digests, but the key is that of other parameters.
    let (_folder, store, set) = filled();
    let other = Store::at(store.root().join("other"));
    let (other, _) = other.ensure(NAME, make(2), &()).unwrap();
    let record = |set: &Set| -> serde_json::Value {
        serde_json::from_slice(&fs::read(set.folder.join("set.json")).unwrap()).unwrap()
    };
    let mut forged = record(&set);
    forged["vk"] = record(&other)["vk"].clone();
    fs::write(set.folder.join("set.json"), forged.to_string()).unwrap();
    fs::copy(&other.vk, &set.vk).unwrap();
    let refused = error(store.find(NAME), &set.folder);
    assert!(
        matches!(refused, ParametersError::ForeignVerifyingKey { .. }),
        "{refused}"
    );

    // Nor does a record lead to files outside the folder.
    for (key, value) in [("name", "../x"), ("origin", "")] {
        let mut forged = record(&other);
        forged[key] = value.into();
        if key == "origin" {
            forged["more"] = 1.into();
        }
        fs::write(other.folder.join("set.json"), forged.to_string()).unwrap();
        let store = Store::at(store.root().join("other"));
        assert!(store.find(NAME).is_err(), "{key}");
    }
}

#[test]
fn a_record_of_the_current_set_is_read_strictly() {
    let (_folder, store, set) = filled();
    let path = store.root().join("v28-test.json");
    let good = fs::read_to_string(&path).unwrap();
    for bad in [
        String::new(),
        format!("{good}\0"),
        good.replace("\"schema\": 1", "\"schema\": 7"),
        good.replace(&set.digest, "../elsewhere"),
        good.replace(&set.digest, &set.digest[1..]),
    ] {
        fs::write(&path, bad).unwrap();
        error(store.find(NAME), &path);
    }
}

#[test]
fn of_many_makers_in_one_process_one_makes() {
    let folder = tempdir().unwrap();
    let store = Store::at(folder.path());
    let (made, makers) = (AtomicUsize::new(0), 6);
    let together = Barrier::new(makers);
    let sets = thread::scope(|scope| {
        let one = || {
            together.wait();
            let make = || {
                made.fetch_add(1, Ordering::Relaxed);
                Ok::<_, ParametersError>(synthetic(SMALL, 1))
            };
            store.ensure(NAME, make, &()).unwrap()
        };
        let threads: Vec<_> = (0..makers).map(|_| scope.spawn(one)).collect();
        let joined = threads.into_iter().map(|thread| thread.join().unwrap());
        joined.collect::<Vec<_>>()
    });
    assert_eq!(made.into_inner(), 1);
    assert_eq!(sets.iter().filter(|(_, made)| *made).count(), 1);
    assert!(sets.iter().all(|(set, _)| *set == sets[0].0));
}
