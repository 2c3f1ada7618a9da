//! Files that are refused, and by what error.

use std::fs;
use std::process::Command;

use bellperson::groth16::Parameters;
use blstrs::{Bls12, G1Affine, G2Affine};
use cuzk_core::ParametersShape;
use cuzk_core::parameters::{
    Layout, ParametersError, PointFault, Section, Trust, check, inspect, read, read_verifying_key,
};
use group::prime::PrimeCurveAffine;
use sha2::{Digest, Sha256};
use tempfile::tempdir;

use crate::common::{SMALL, TestFile, error, key_bytes, synthetic};
use crate::points::{g1_outside_subgroup, g2_outside_subgroup};

fn file() -> TestFile {
    TestFile::of(&synthetic(SMALL, 1))
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The same error in every way of reading, which for what is wrong with the layout needs no digest.
fn layout_error(file: &TestFile) -> ParametersError {
    let zeros = "0".repeat(64);
    let errors = [
        error(Layout::read(&file.path), &file.path),
        error(check(&file.path, &()), &file.path),
        error(read(&file.path, Trust::Check, &()), &file.path),
        error(read(&file.path, Trust::Unverified, &()), &file.path),
        error(read(&file.path, Trust::Sha256(&zeros), &()), &file.path),
        error(inspect(&file.path, Trust::Unverified, &()), &file.path),
        error(inspect(&file.path, Trust::Sha256(&zeros), &()), &file.path),
    ];
    let [first, rest @ ..] = errors;
    for other in rest {
        assert_eq!(other.to_string(), first.to_string());
    }
    first
}

#[test]
fn a_file_cut_at_a_section_is_named_with_the_section() {
    let file = file();
    let layout = file.layout();
    for (span, section) in layout.spans().iter().zip(Section::ALL) {
        // The count, if there is one, and the points.
        let begins = [span.offset.saturating_sub(4), span.offset];
        for cut in begins
            .into_iter()
            .flat_map(|at| [at.saturating_sub(1), at, at + 1])
        {
            let cut = TestFile::new(file.bytes[..cut as usize].to_vec());
            let ParametersError::Truncated { end, bytes, .. } = layout_error(&cut) else {
                panic!("cut in {section}");
            };
            assert!(bytes < end);
        }
        let cut = TestFile::new(file.bytes[..span.end() as usize - 1].to_vec());
        match layout_error(&cut) {
            ParametersError::Truncated {
                section: named,
                end,
                ..
            } => {
                assert_eq!((named, end), (section, span.end()));
            }
            other => panic!("{other}"),
        }
    }
}

#[test]
fn an_empty_file_and_one_byte_are_refused() {
    for bytes in [vec![], vec![0], vec![0; 863], vec![0; 864], vec![0; 867]] {
        let file = TestFile::new(bytes);
        assert!(matches!(
            layout_error(&file),
            ParametersError::Truncated { .. }
        ));
        let key = error(read_verifying_key(&file.path), &file.path);
        assert!(matches!(key, ParametersError::Truncated { .. }));
    }
}

#[test]
fn whatever_follows_the_last_section_is_refused() {
    let file = file();
    for more in [&b"\0"[..], b"\n", &[0; 96]] {
        let longer = TestFile::new([&file.bytes, more].concat());
        match layout_error(&longer) {
            ParametersError::Trailing { end, bytes, .. } => {
                assert_eq!(
                    (end, bytes),
                    (file.layout().bytes(), longer.bytes.len() as u64)
                );
            }
            other => panic!("{other}"),
        }
        let key = TestFile::new([&key_bytes(&synthetic(SMALL, 1)), more].concat());
        let key = error(read_verifying_key(&key.path), &key.path);
        assert!(matches!(key, ParametersError::Trailing { .. }));
    }
}

#[test]
fn a_count_that_claims_more_than_the_file_is_refused_before_anything_is_allocated() {
    let file = file();
    for section in &Section::ALL[1..] {
        let span = file.layout().span(*section);
        for count in [span.count as u32 + 1, 1 << 31, u32::MAX] {
            let huge = file.with(span.offset as usize - 4, &count.to_be_bytes());
            match layout_error(&huge) {
                // One more point of a section can eat up what follows it.
                ParametersError::Truncated { section: named, .. } => assert!(named >= *section),
                other => panic!("{section}, {count}: {other}"),
            }
        }
    }
    let key = TestFile::new(key_bytes(&synthetic(SMALL, 1)));
    let huge = key.with(864, &u32::MAX.to_be_bytes());
    let key = error(read_verifying_key(&huge.path), &huge.path);
    assert!(matches!(
        key,
        ParametersError::Truncated {
            section: Section::Ic,
            ..
        }
    ));
}

#[test]
fn counts_that_fit_no_circuit_are_refused() {
    let refused = |shape: ParametersShape| layout_error(&TestFile::of(&synthetic(shape, 1)));
    let no_inputs = refused(ParametersShape { ic: 0, ..SMALL });
    assert!(matches!(no_inputs, ParametersError::NoInputs { .. }));
    let wrong = [
        (Section::H, ParametersShape { h: 6, ..SMALL }),
        (Section::H, ParametersShape { h: 8, ..SMALL }),
        (Section::H, ParametersShape { h: 1, ..SMALL }),
        (Section::A, ParametersShape { a: 2, ..SMALL }),
        (Section::A, ParametersShape { a: 9, ..SMALL }),
        (
            Section::BG1,
            ParametersShape {
                b_g1: 9,
                b_g2: 9,
                ..SMALL
            },
        ),
        (Section::BG2, ParametersShape { b_g2: 3, ..SMALL }),
        (Section::BG2, ParametersShape { b_g2: 5, ..SMALL }),
    ];
    for (expected, shape) in wrong {
        match refused(shape) {
            ParametersError::Inconsistent { section, .. } => {
                assert_eq!(section, expected, "{shape}")
            }
            other => panic!("{shape}: {other}"),
        }
    }
}

#[test]
fn a_verifying_key_without_input_points_is_refused() {
    let mut parameters = synthetic(SMALL, 1);
    parameters.vk.ic.clear();
    let key = TestFile::new(key_bytes(&parameters));
    // bellperson takes it.
    assert!(bellperson::groth16::VerifyingKey::<Bls12>::read(&key.bytes[..]).is_ok());
    let refused = error(read_verifying_key(&key.path), &key.path);
    assert!(matches!(refused, ParametersError::NoInputs { .. }));
}

#[test]
fn what_is_no_file_is_refused() {
    let folder = tempdir().unwrap();
    let missing = folder.path().join("missing");
    let pipe = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    for path in [folder.path(), &pipe] {
        let refused = error(read(path, Trust::Unverified, &()), path);
        assert!(matches!(refused, ParametersError::NotAFile { .. }));
    }
    let refused = error(check(&missing, &()), &missing);
    assert!(matches!(
        refused,
        ParametersError::Io {
            action: "opening",
            ..
        }
    ));
}

/// Every point of a file, and the points to put in its place.
fn each_point(
    file: &TestFile,
    bad: impl Fn(Section, usize, &[u8]) -> Vec<u8>,
    fault: PointFault,
    trusted_too: bool,
) {
    for section in Section::ALL {
        let count = file.layout().span(section).count;
        for index in [0, count / 2, count - 1] {
            let range = file.point(section, index);
            let good = &file.bytes[range.clone()];
            let damaged = file.with(range.start, &bad(section, good.len(), good));
            let mut results = vec![
                check(&damaged.path, &()).err(),
                read(&damaged.path, Trust::Check, &()).err(),
            ];
            if trusted_too {
                results.push(read(&damaged.path, Trust::Unverified, &()).err());
                let digest = sha256(&damaged.bytes);
                results.push(read(&damaged.path, Trust::Sha256(&digest), &()).err());
            }
            for result in results {
                let refused = error(result.map_or(Ok(()), Err), &damaged.path);
                let place = refused.place().unwrap();
                assert_eq!((place.section, place.index), (section, index), "{refused}");
                let ParametersError::Point {
                    offset,
                    fault: found,
                    ..
                } = refused
                else {
                    panic!("{refused}");
                };
                assert_eq!((offset, found), (range.start as u64, fault));
            }
            assert!(!damaged.path.with_extension("params.checked").exists());
        }
    }
}

#[test]
fn the_identity_is_refused_wherever_it_stands() {
    let identity = |_, bytes, _: &[u8]| {
        let mut identity = vec![0; bytes];
        identity[0] = 0x40;
        identity
    };
    each_point(&file(), identity, PointFault::Identity, true);
    assert_eq!(
        identity(Section::A, 96, &[]),
        G1Affine::identity().to_uncompressed().as_ref()
    );
    assert_eq!(
        identity(Section::BG2, 192, &[]),
        G2Affine::identity().to_uncompressed().as_ref()
    );
}

#[test]
fn a_point_off_the_curve_is_refused_wherever_it_stands() {
    let flipped = |_, bytes: usize, good: &[u8]| {
        let mut flipped = good.to_vec();
        flipped[bytes / 2 + 40] ^= 1;
        flipped
    };
    each_point(&file(), flipped, PointFault::OffCurve, true);
}

#[test]
fn a_compressed_point_is_refused_wherever_it_stands() {
    let flagged = |_, _, good: &[u8]| {
        let mut flagged = good.to_vec();
        flagged[0] |= 0x80;
        flagged
    };
    each_point(&file(), flagged, PointFault::Encoding, true);
}

#[test]
fn a_point_outside_the_subgroup_is_refused_by_the_check_wherever_it_stands() {
    let outside = |_, bytes, _: &[u8]| match bytes {
        96 => g1_outside_subgroup(),
        _ => g2_outside_subgroup(),
    };
    let file = file();
    each_point(&file, outside, PointFault::OutsideSubgroup, false);

    // It is what distinguishes the two ways of reading: without the check it passes, but not into the verifying key.
    let at = file.point(Section::L, 2).start;
    let damaged = file.with(at, &g1_outside_subgroup());
    assert!(read(&damaged.path, Trust::Unverified, &()).is_ok());
    assert!(Parameters::<Bls12>::read(&damaged.bytes[..], true).is_err());
    let at = file.point(Section::Ic, 1).start;
    let damaged = file.with(at, &g1_outside_subgroup());
    let refused = error(read(&damaged.path, Trust::Unverified, &()), &damaged.path);
    assert_eq!(refused.place().unwrap().section, Section::Ic);
}

#[test]
fn the_first_of_two_bad_points_is_named_whatever_is_wrong_with_it() {
    let file = file();
    let outside = file.point(Section::H, 5).start;
    for (off_curve, first) in [(4, 4), (6, 5)] {
        let at = file.point(Section::H, off_curve).end - 1;
        let flipped = [file.bytes[at] ^ 1];
        let damaged = file
            .with(outside, &g1_outside_subgroup())
            .with(at, &flipped);
        let refused = error(check(&damaged.path, &()), &damaged.path);
        let place = refused.place().unwrap();
        assert_eq!(
            (place.section, place.index),
            (Section::H, first),
            "{refused}"
        );
    }
}

#[test]
fn a_flipped_byte_does_not_match_the_digest() {
    let file = file();
    let expected = sha256(&file.bytes);
    let blake2b = blake2b_simd::blake2b(&file.bytes).to_hex()[..32].to_string();
    for section in Section::ALL {
        let index = file.layout().span(section).count - 1;
        let at = file.point(section, index).end - 1;
        let damaged = file.with(at, &[file.bytes[at] ^ 0x10]);
        let refused = error(
            read(&damaged.path, Trust::Sha256(&expected), &()),
            &damaged.path,
        );
        // The bad point is named as well.
        let place = refused.place().unwrap();
        assert_eq!((place.section, place.index), (section, index));
        assert!(
            refused.to_string().contains("is not on the curve"),
            "{refused}"
        );
        let ParametersError::Digest {
            expected: named,
            actual,
            ..
        } = refused
        else {
            panic!("{refused}");
        };
        assert_eq!((&named, &actual), (&expected, &sha256(&damaged.bytes)));
        let refused = error(
            read(&damaged.path, Trust::Blake2b(&blake2b), &()),
            &damaged.path,
        );
        assert!(matches!(
            refused,
            ParametersError::Digest {
                algorithm: "BLAKE2b",
                ..
            }
        ));
    }
    // Another file, every point of which is good.
    let other = TestFile::of(&synthetic(SMALL, 2));
    let refused = error(
        read(&other.path, Trust::Sha256(&expected), &()),
        &other.path,
    );
    assert!(matches!(
        refused,
        ParametersError::Digest {
            first_bad: None,
            ..
        }
    ));
}

#[test]
fn a_digest_is_a_digest() {
    let file = file();
    let sha256 = sha256(&file.bytes);
    for trust in [
        Trust::Sha256(""),
        Trust::Sha256(&sha256[1..]),
        Trust::Blake2b(&sha256),
        Trust::Blake2b("0123456789abcdef0123456789abcdeg"),
    ] {
        let refused = error(read(&file.path, trust, &()), &file.path);
        assert!(
            matches!(refused, ParametersError::MalformedDigest { .. }),
            "{refused}"
        );
    }
    assert!(fs::exists(&file.path).unwrap());
}

/// Whoever reads the file after an inspection is spared what is bad as far as it was to be looked at.
#[test]
fn an_inspection_sees_what_it_was_asked_to_see() {
    let file = file();
    let digest = sha256(&file.bytes);
    let vk = file.with(file.point(Section::Ic, 0).start + 40, &[0x55]);
    let b_g2 = file.with(file.point(Section::BG2, 1).start + 40, &[0x55]);
    for (bad, trust) in [
        (&vk, Trust::Unverified),
        (&vk, Trust::Check),
        (&b_g2, Trust::Check),
    ] {
        let error = error(inspect(&bad.path, trust, &()), &bad.path);
        assert!(matches!(error, ParametersError::Point { .. }), "{error}");
    }
    for bad in [&vk, &b_g2] {
        let error = error(inspect(&bad.path, Trust::Sha256(&digest), &()), &bad.path);
        assert!(matches!(error, ParametersError::Digest { .. }), "{error}");
    }
    assert!(inspect(&b_g2.path, Trust::Unverified, &()).is_ok());
}
