//! What is read is what was written, and what bellperson's own reader, the plain one beside ours, reads.

use bellperson::groth16::{Parameters, VerifyingKey};
use blake2b_simd::blake2b;
use blstrs::Bls12;
use cuzk_core::ParametersShape;
use cuzk_core::parameters::{Section, Store, Trust, check, inspect, read, read_verifying_key};
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};
use sha2::{Digest, Sha256};
use tempfile::tempdir;

use crate::common::{SMALL, TestFile, bytes, key_bytes, synthetic};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads a file in every way there is; all have to agree with bellperson.
fn agrees(parameters: &Parameters<Bls12>) {
    let file = TestFile::of(parameters);
    let reference = Parameters::<Bls12>::read(&file.bytes[..], true).unwrap();
    assert!(reference == *parameters);

    let sha256 = hex(&Sha256::digest(&file.bytes));
    let blake2b = blake2b(&file.bytes).to_hex()[..32].to_string();
    let upper = sha256.to_ascii_uppercase();
    let trusts = [
        Trust::Sha256(&sha256),
        Trust::Sha256(&upper),
        Trust::Blake2b(&blake2b),
        Trust::Check,
        Trust::Unverified,
    ];
    for trust in trusts {
        assert!(
            read(&file.path, trust, &()).unwrap() == reference,
            "{trust:?}"
        );
        let (layout, vk) = inspect(&file.path, trust, &()).unwrap();
        assert!(
            (layout == file.layout()) && (vk == reference.vk),
            "{trust:?}"
        );
    }
    let report = check(&file.path, &()).unwrap();
    assert_eq!(report.shape, ParametersShape::of(&reference));
    assert_eq!(
        (report.bytes, report.sha256),
        (file.bytes.len() as u64, sha256)
    );
    assert_eq!(report.points, file.layout().points());

    let key = TestFile::new(key_bytes(parameters));
    let reference = VerifyingKey::<Bls12>::read(&key.bytes[..]).unwrap();
    assert!(read_verifying_key(&key.path).unwrap() == reference);
    assert_eq!(file.layout().verifying_key_bytes(), key.bytes.len() as u64);
}

/// Any shape that parameters can have.
fn random_shape(rng: &mut ChaCha8Rng, largest_domain_log: u32) -> ParametersShape {
    let mut up_to = |most: usize| rng.next_u32() as usize % (most + 1);
    let domain = 1_usize << up_to(largest_domain_log as usize);
    let ic = 1 + up_to(domain - 1);
    let l = up_to(2 * domain);
    let b = up_to(ic + l);
    ParametersShape {
        ic,
        h: domain - 1,
        l,
        a: ic + up_to(l),
        b_g1: b,
        b_g2: b,
    }
}

#[test]
fn any_shape_is_read_as_bellperson_reads_it() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for seed in 0..24 {
        agrees(&synthetic(random_shape(&mut rng, 5), seed));
    }
}

#[test]
fn the_least_of_all_shapes_is_read() {
    let least = ParametersShape {
        ic: 1,
        h: 0,
        l: 0,
        a: 1,
        b_g1: 0,
        b_g2: 0,
    };
    agrees(&synthetic(least, 1));
}

#[test]
fn what_the_store_writes_is_what_bellperson_writes() {
    let folder = tempdir().unwrap();
    let store = Store::at(folder.path());
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for seed in 0..8 {
        let parameters = synthetic(random_shape(&mut rng, 4), seed);
        let name = format!("test-{seed}");
        let make = || Ok::<_, cuzk_core::Error>(parameters.clone());
        let (set, made) = store.ensure(&name, make, &()).unwrap();
        assert!(made);
        assert_eq!(std::fs::read(&set.params).unwrap(), bytes(&parameters));
        assert_eq!(std::fs::read(&set.vk).unwrap(), key_bytes(&parameters));
        assert!(set.read(&()).unwrap() == parameters);
        assert!(set.verifying_key().unwrap() == parameters.vk);
    }
}

#[test]
fn every_byte_has_its_place() {
    let file = TestFile::of(&synthetic(SMALL, 1));
    let layout = file.layout();
    assert_eq!(layout.bytes(), file.bytes.len() as u64);
    assert_eq!(layout.points(), 6 + 3 + 7 + 5 + 6 + 4 + 4);
    let mut counts = 0;
    for offset in 0..layout.bytes() {
        match layout.place_of(offset) {
            Some(place) => assert!(
                file.point(place.section, place.index)
                    .contains(&(offset as usize))
            ),
            None => counts += 1,
        }
    }
    assert_eq!(
        counts,
        4 * 6,
        "four bytes before each section but the first"
    );
    assert_eq!(layout.place_of(layout.bytes()), None);
    let names: Vec<String> = Section::ALL.iter().map(Section::to_string).collect();
    assert_eq!(
        names,
        ["verifying key", "ic", "h", "l", "a", "b_g1", "b_g2"]
    );
}
