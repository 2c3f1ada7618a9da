//! The check beyond single points, its record, and what is believed of flat production files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cuzk_core::ParametersShape;
use cuzk_core::parameters::{ParametersError, Section, Trust, check, read, resolve};
use cuzk_core::progress::Progress;
use tempfile::tempdir;

use crate::common::{SMALL, TestFile, bytes, entries, error, key_bytes, synthetic};

#[test]
fn points_of_b_that_do_not_belong_together_are_found() {
    let wide = ParametersShape {
        ic: 1,
        h: 511,
        l: 300,
        a: 1,
        b_g1: 300,
        b_g2: 300,
    };
    for index in [0, 1, 150, 298, 299] {
        let mut parameters = synthetic(wide, 1);
        let b_g1 = Arc::make_mut(&mut parameters.b_g1);
        b_g1[index] = parameters.h[0];
        let file = TestFile::of(&parameters);
        let refused = error(check(&file.path, &()), &file.path);
        match refused {
            ParametersError::BDiffers { index: found, .. } => assert_eq!(found, index as u64),
            other => panic!("{other}"),
        }
        assert!(read(&file.path, Trust::Unverified, &()).is_ok());
    }
    // Two that changed places: their sums without coefficients agree.
    let mut parameters = synthetic(wide, 1);
    Arc::make_mut(&mut parameters.b_g2).swap(20, 70);
    let file = TestFile::of(&parameters);
    let refused = error(check(&file.path, &()), &file.path);
    assert_eq!(refused.place().unwrap().index, 20);
    assert_eq!(refused.place().unwrap().section, Section::BG2);
}

#[test]
fn a_verifying_key_that_was_put_together_is_found() {
    let (one, other) = (synthetic(SMALL, 1), synthetic(SMALL, 2));
    let mut keys = [
        one.vk.clone(),
        one.vk.clone(),
        one.vk.clone(),
        one.vk.clone(),
    ];
    keys[0].beta_g1 = other.vk.beta_g1;
    keys[1].beta_g2 = other.vk.beta_g2;
    keys[2].delta_g1 = other.vk.delta_g1;
    keys[3].delta_g2 = other.vk.delta_g2;
    for vk in keys {
        let mut parameters = one.clone();
        parameters.vk = vk;
        let file = TestFile::of(&parameters);
        let refused = error(check(&file.path, &()), &file.path);
        assert!(matches!(refused, ParametersError::BetaDiffers { .. }));
    }
}

#[test]
fn a_check_leaves_a_record_that_later_changes_do_not_match() {
    let file = TestFile::of(&synthetic(SMALL, 1));
    assert!(Trust::recorded(&file.path).unwrap().is_none());
    let report = check(&file.path, &()).unwrap();
    let record = report.recorded.unwrap();
    assert_eq!(record, file.path.with_extension("params.checked"));
    assert_eq!(
        entries(file.path.parent().unwrap()),
        ["test.params", "test.params.checked"]
    );

    let recorded = Trust::recorded(&file.path).unwrap().unwrap();
    assert_eq!(
        (recorded.bytes, recorded.points),
        (report.bytes, report.points)
    );
    assert_eq!(recorded.trust(), Trust::Sha256(&report.sha256));
    assert!(read(&file.path, recorded.trust(), &()).is_ok());

    fs::write(&file.path, bytes(&synthetic(SMALL, 2))).unwrap();
    let refused = error(read(&file.path, recorded.trust(), &()), &file.path);
    assert!(matches!(refused, ParametersError::Digest { .. }));

    for (bad, expected) in [
        (
            r#"{"schema":2,"sha256":"","bytes":1,"points":1}"#,
            "schema 2",
        ),
        (
            "{\"schema\":1,\"sha256\":\"\",\"bytes\":1,\"points\":1}\0",
            "not a record",
        ),
        ("{}", "not a record"),
        ("", "not a record"),
    ] {
        fs::write(&record, bad).unwrap();
        let refused = error(Trust::recorded(&file.path), &record);
        assert!(refused.to_string().contains(expected), "{refused}");
    }
}

#[test]
fn a_record_that_cannot_be_written_takes_nothing_from_the_check() {
    let file = TestFile::of(&synthetic(SMALL, 1));
    let folder = file.path.parent().unwrap();
    // A folder in the place of the record: even an administrator cannot rename a file onto it.
    fs::create_dir(file.path.with_extension("params.checked")).unwrap();
    fs::set_permissions(&file.path, fs::Permissions::from_mode(0o444)).unwrap();
    let report = check(&file.path, &()).unwrap();
    assert!(matches!(report.recorded, Err(ParametersError::Io { .. })));
    assert_eq!(entries(folder), ["test.params", "test.params.checked"]);
}

#[test]
fn a_flat_file_needs_a_reason_to_be_believed() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    let name = "v28-test";
    let parameters = synthetic(SMALL, 1);
    let params = folder.join("v28-test.params");
    let vk = folder.join("v28-test.vk");
    assert!(resolve(name, folder, None).unwrap().is_none());
    fs::write(&params, bytes(&parameters)).unwrap();

    let refused = error(resolve(name, folder, None), &params);
    assert!(matches!(refused, ParametersError::Unverified { .. }));
    let message = refused.to_string();
    for way_out in ["cargo xtask params check", "--unverified-params"] {
        assert!(message.contains(way_out), "{message}");
    }

    // A published digest, which is compared.
    let digest = blake2b_simd::blake2b(&bytes(&parameters)).to_hex()[..32].to_string();
    let resolved = resolve(name, folder, Some(&digest)).unwrap().unwrap();
    assert!(resolved.read(&()).unwrap() == parameters);
    assert!(resolved.verifying_key().unwrap() == parameters.vk);
    let wrong = resolve(name, folder, Some(&"0".repeat(32)))
        .unwrap()
        .unwrap();
    let refused = error(wrong.read(&()), &params);
    assert!(matches!(refused, ParametersError::Digest { .. }));

    // A check.
    check(&params, &()).unwrap();
    let resolved = resolve(name, folder, None).unwrap().unwrap();
    assert!(resolved.read(&()).unwrap() == parameters);
    // It stands where another file was published under that name: somebody has looked at every point of this one.
    let other = resolve(name, folder, Some(&"0".repeat(32)))
        .unwrap()
        .unwrap();
    assert!(other.read(&()).unwrap() == parameters);

    // The key beside it.
    fs::write(&vk, key_bytes(&parameters)).unwrap();
    assert!(resolve(name, folder, None).unwrap().is_some());
    fs::write(&vk, key_bytes(&synthetic(SMALL, 2))).unwrap();
    let refused = error(resolve(name, folder, None), &vk);
    assert!(matches!(
        refused,
        ParametersError::ForeignVerifyingKey { .. }
    ));
}

#[test]
fn progress_adds_up_to_the_file() {
    #[derive(Default)]
    struct Seen {
        total: AtomicU64,
        done: AtomicU64,
    }
    impl Progress for Seen {
        fn begin(&self, _phase: &str, total: u64, unit: &'static str) {
            assert_eq!(unit, "bytes");
            self.total.fetch_add(total, Ordering::Relaxed);
        }
        fn advance(&self, amount: u64) {
            self.done.fetch_add(amount, Ordering::Relaxed);
        }
    }
    let file = TestFile::of(&synthetic(SMALL, 1));
    let length = file.bytes.len() as u64;
    let seen = Seen::default();
    read(&file.path, Trust::Unverified, &seen).unwrap();
    check(&file.path, &seen).unwrap();
    assert_eq!(seen.total.into_inner(), 2 * length);
    assert_eq!(seen.done.into_inner(), 2 * length);
}
