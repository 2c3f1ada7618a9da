//! Files of more than one block, and files that change while they are read.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use bellperson::groth16::Parameters;
use blstrs::Bls12;
use cuzk_core::parameters::{ParametersError, Section, Store, Trust, check, read};
use cuzk_core::progress::Progress;
use group::Curve;
use group::prime::PrimeCurveAffine;
use tempfile::tempdir;

use crate::common::{SMALL, TestFile, bytes, error, synthetic};
use crate::points::g1_outside_subgroup;

/// Points that are read at a time.
const BLOCK: u64 = 1 << 17;

/// h has two blocks, less one point, and b two, the second a short one.
fn large() -> &'static TestFile {
    static LARGE: LazyLock<TestFile> = LazyLock::new(|| TestFile::of(&large_parameters()));
    &LARGE
}

fn large_parameters() -> Parameters<Bls12> {
    let mut parameters = synthetic(SMALL, 1);
    let b = BLOCK as usize + 1000;
    parameters.h = multiples(parameters.h[0], 2 * BLOCK as usize - 1);
    parameters.l = multiples(parameters.l[0], b);
    // The deltas are the same multiple of the bases, and so are their own multiples.
    parameters.b_g1 = multiples(parameters.vk.delta_g1, b);
    parameters.b_g2 = multiples(parameters.vk.delta_g2, b);
    parameters
}

/// The multiples of a point, without a multiplication each.
fn multiples<P: PrimeCurveAffine>(of: P, count: usize) -> Arc<Vec<P>> {
    let points = std::iter::successors(Some(of.to_curve()), |point| Some(*point + of));
    let points: Vec<P::Curve> = points.take(count).collect();
    let mut affine = vec![P::identity(); count];
    P::Curve::batch_normalize(&points, &mut affine);
    Arc::new(affine)
}

#[test]
fn blocks_add_up() {
    let file = large();
    let reference = Parameters::<Bls12>::read(&file.bytes[..], false).unwrap();
    let report = check(&file.path, &()).unwrap();
    let read_again = read(&file.path, Trust::Sha256(&report.sha256), &()).unwrap();
    assert!(read_again == reference);

    let folder = tempdir().unwrap();
    let make = || Ok::<_, ParametersError>(reference.clone());
    let store = Store::at(folder.path());
    let (set, _) = store.ensure("test", make, &()).unwrap();
    assert_eq!(set.digest, report.sha256);
    assert!(fs::read(&set.params).unwrap() == file.bytes);
}

#[test]
fn bad_points_about_the_edge_of_a_block_are_named() {
    let file = large();
    let named = |damaged: &TestFile, index, refused: Option<ParametersError>| {
        let refused = error(refused.map_or(Ok(()), Err), &damaged.path);
        let place = refused.place().unwrap();
        assert_eq!(
            (place.section, place.index),
            (Section::H, index),
            "{refused}"
        );
        let at = file.point(Section::H, index).start as u64;
        assert!(matches!(refused, ParametersError::Point { offset, .. } if offset == at));
    };
    for index in [BLOCK - 1, BLOCK, 2 * BLOCK - 2] {
        let last = file.point(Section::H, index).end - 1;
        let damaged = file.with(last, &[file.bytes[last] ^ 1]);
        named(
            &damaged,
            index,
            read(&damaged.path, Trust::Unverified, &()).err(),
        );
    }
    let damaged = file.with(file.point(Section::H, BLOCK).start, &g1_outside_subgroup());
    named(&damaged, BLOCK, check(&damaged.path, &()).err());
}

#[test]
fn points_of_b_are_compared_past_the_first_block() {
    let file = large();
    let other = file.point(Section::L, 0);
    let at = file.point(Section::BG1, BLOCK + 7).start;
    let forged = file.with(at, &file.bytes[other]);
    match error(check(&forged.path, &()), &forged.path) {
        ParametersError::BDiffers { index, .. } => assert_eq!(index, BLOCK + 7),
        other => panic!("{other}"),
    }
}

/// Does something to a file once so many pieces of it have been read.
struct Meddler<'a, F> {
    after: u64,
    seen: AtomicU64,
    path: &'a Path,
    what: F,
}

impl<F: Fn(&Path) + Sync> Progress for Meddler<'_, F> {
    fn advance(&self, _amount: u64) {
        if self.seen.fetch_add(1, Ordering::Relaxed) == self.after {
            (self.what)(self.path);
        }
    }
}

#[test]
fn a_file_that_changes_while_it_is_read_is_refused() {
    let parameters = synthetic(SMALL, 1);
    let refused = |what: &(dyn Fn(&Path) + Sync), by: &str| {
        let file = TestFile::of(&parameters);
        let meddler = Meddler {
            after: 0,
            seen: AtomicU64::new(0),
            path: &file.path,
            what,
        };
        let trust = Trust::Unverified;
        let refused = error(read(&file.path, trust, &meddler), &file.path);
        assert!(refused.to_string().contains(by), "{refused}");
    };
    let open = |path: &Path| OpenOptions::new().write(true).open(path).unwrap();
    // While the verifying key is looked at, ic has been read already.
    refused(
        &|path| open(path).set_len(1300).unwrap(),
        "changed while it was read",
    );
    let append = |path: &Path| {
        let file = OpenOptions::new().append(true).open(path);
        file.unwrap().write_all(b"\0").unwrap();
    };
    refused(&append, "changed while it was read");
    let file = TestFile::of(&parameters);
    let count = file.layout().span(Section::A).offset - 4;
    let recount = move |path: &Path| open(path).write_all_at(&[0, 0, 0, 5], count).unwrap();
    refused(&recount, "changed while it was read");

    // A file that is replaced is another file: the one that was opened is read to its end.
    let other = synthetic(SMALL, 2);
    let replace = |path: &Path| {
        let new: PathBuf = path.with_extension("new");
        fs::write(&new, bytes(&other)).unwrap();
        fs::rename(new, path).unwrap();
    };
    let meddler = Meddler {
        after: 0,
        seen: AtomicU64::new(0),
        path: &file.path,
        what: replace,
    };
    assert!(read(&file.path, Trust::Unverified, &meddler).unwrap() == parameters);
}
