use std::collections::BTreeMap;
use std::sync::LazyLock;

use bellperson::groth16::{Parameters, create_proof_batch, generate_random_parameters};
use blstrs::{Bls12, Scalar};
use ff::PrimeField;
use serde_json::{Value, json};

use super::*;
use crate::verify::tests::Root;

/// Parameters of the circuit, and the proofs that three partitions know the roots of 9, 16 and 25.
static PROVEN: LazyLock<(Parameters<Bls12>, Vec<u8>)> = LazyLock::new(|| {
    let mut rng = cuzk_circuits::parameters::public_rng();
    let parameters = generate_random_parameters::<Bls12, _, _>(Root(None), &mut rng)
        .expect("parameters of a small circuit");
    let roots = (3..6).map(|root| Root(Some(root))).collect();
    let (r, s) = cuzk_circuits::parameters::blinding(1);
    let proofs = create_proof_batch(roots, &parameters, vec![r; 3], vec![s; 3])
        .expect("proofs of a small circuit");
    let mut bytes = Vec::new();
    for proof in proofs {
        proof.write(&mut bytes).expect("memory");
    }
    (parameters, bytes)
});

/// A folder in memory, until it is written to be judged.
struct Folder {
    statement: Value,
    files: BTreeMap<&'static str, Vec<u8>>,
}

impl Folder {
    fn good() -> Self {
        let (parameters, proofs) = &*PROVEN;
        let mut key = Vec::new();
        parameters.vk.write(&mut key).expect("memory");
        let squares = [9, 16, 25].map(|square| Scalar::from(square).to_repr());
        let mut folder = Folder {
            statement: json!({
                "schema": 1,
                "circuit": "root-3",
                "partitions": 3,
                "inputs_per_partition": 1,
                "verified_by": ["nobody"],
            }),
            files: BTreeMap::from([
                (PROOFS, proofs.clone()),
                (INPUTS, squares.concat()),
                (KEY, key),
                (VANILLA, b"{}".to_vec()),
            ]),
        };
        folder.sign();
        folder
    }

    /// Makes the statement name the files as they are now.
    fn sign(&mut self) {
        let digest = |bytes: &Vec<u8>| {
            let digest = Sha256::digest(bytes);
            digest.iter().map(|byte| format!("{byte:02x}")).collect()
        };
        let digests: BTreeMap<&str, String> = self
            .files
            .iter()
            .map(|(name, bytes)| (*name, digest(bytes)))
            .collect();
        self.statement["sha256"] = json!(digests);
    }

    fn file(&mut self, name: &str) -> &mut Vec<u8> {
        self.files.get_mut(name).expect("one of the files")
    }

    fn write(&self) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes);
        write(STATEMENT, self.statement.to_string().as_bytes()).expect("writable");
        for (name, bytes) in &self.files {
            write(name, bytes).expect("writable");
        }
        folder
    }

    fn verify(&self) -> Result<Verified, FolderError> {
        verify(self.write().path())
    }

    /// Was judged, and does not hold; gives what was said.
    fn falls_short(&self) -> String {
        let error = self.verify().expect_err("not good");
        assert!(error.falls_short(), "{error}");
        format!("{:#}", anyhow::Error::from(error))
    }

    /// Could not be judged; gives what was said.
    fn is_no_folder(&self) -> String {
        let error = self.verify().expect_err("not good");
        assert!(!error.falls_short(), "{error}");
        format!("{:#}", anyhow::Error::from(error))
    }
}

fn has(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "{word:?} is not in: {text}");
    }
}

#[test]
fn a_folder_as_it_was_left_verifies() {
    let said = Folder::good().verify().expect("good").to_string();
    has(&said, &["Each of the 3 proofs", "root-3", "1 public input"]);
}

#[test]
fn a_flipped_byte_of_any_file_is_noticed_and_the_file_named() {
    for name in [PROOFS, INPUTS, KEY, VANILLA] {
        let length = Folder::good().file(name).len();
        for at in [0, length / 2, length - 1] {
            let mut folder = Folder::good();
            folder.file(name)[at] ^= 1;
            has(&folder.falls_short(), &[name, "SHA-256"]);
        }
    }
}

#[test]
fn a_missing_file_is_named() {
    for name in [PROOFS, INPUTS, KEY, VANILLA] {
        let mut folder = Folder::good();
        folder.files.remove(name);
        has(&folder.is_no_folder(), &["reading", name]);
    }
    let empty = tempfile::tempdir().expect("a temporary folder");
    let error = verify(empty.path()).expect_err("nothing there").to_string();
    has(&error, &["reading", STATEMENT]);
}

#[test]
fn a_statement_is_taken_word_by_word() {
    let cases: [(&str, Value, &[&str]); 9] = [
        ("schema", json!(2), &["schema 2"]),
        ("schema", json!("1"), &[STATEMENT, "line 1"]),
        ("partitions", json!(0), &[STATEMENT, "nonzero"]),
        ("partitions", json!(-1), &[STATEMENT]),
        ("partitions", json!(1.5), &[STATEMENT]),
        ("inputs_per_partition", json!(0), &[STATEMENT, "nonzero"]),
        ("circuit", Value::Null, &[STATEMENT]),
        ("surprise", json!(1), &["surprise"]),
        ("sha256", json!({}), &["missing field"]),
    ];
    for (key, value, words) in cases {
        let mut folder = Folder::good();
        folder.statement[key] = value;
        has(&folder.is_no_folder(), words);
    }
    for name in ["schema", "circuit", "partitions", "sha256", "verified_by"] {
        let mut folder = Folder::good();
        folder.statement.as_object_mut().expect("one").remove(name);
        has(&folder.is_no_folder(), &[STATEMENT, name]);
    }
    for text in ["", "{", "null", "{\"schema\":1,\"schema\":1}"] {
        let folder = Folder::good().write();
        fs::write(folder.path().join(STATEMENT), text).expect("writable");
        let error = verify(folder.path()).expect_err("no statement");
        assert!(!error.falls_short(), "{text}: {error}");
    }
    let folder = Folder::good();
    let written = folder.write();
    let doubled = folder.statement.to_string() + &folder.statement.to_string();
    fs::write(written.path().join(STATEMENT), doubled).expect("writable");
    assert!(verify(written.path()).is_err());
}

#[test]
fn files_beyond_the_known_ones_are_not_vouched_for() {
    let mut folder = Folder::good();
    folder.statement["sha256"]["../secret"] = json!("00");
    has(&folder.is_no_folder(), &["../secret"]);

    let mut folder = Folder::good();
    folder.files.insert(C1, b"{}".to_vec());
    folder.sign();
    has(&folder.is_no_folder(), &["2 of c1.json"]);

    let mut folder = Folder::good();
    folder.files.remove(VANILLA);
    folder.sign();
    has(&folder.is_no_folder(), &["0 of c1.json"]);
}

#[test]
fn counts_are_those_of_the_files() {
    for partitions in [1, 2, 4] {
        let mut folder = Folder::good();
        folder.statement["partitions"] = json!(partitions);
        has(
            &folder.falls_short(),
            &[PROOFS, "576 bytes", "proofs of 192"],
        );
    }
    for inputs in [2, 3] {
        let mut folder = Folder::good();
        folder.statement["inputs_per_partition"] = json!(inputs);
        has(&folder.falls_short(), &[INPUTS, "96 bytes"]);
    }
    let mut folder = Folder::good();
    folder.statement["partitions"] = json!(usize::MAX);
    has(&folder.falls_short(), &[PROOFS, "more than memory"]);
}

#[test]
fn a_partition_too_many_or_too_few_is_refused_although_its_digest_holds() {
    for change in [1, 191, 192] {
        let mut folder = Folder::good();
        let more = folder.file(PROOFS)[..change].to_vec();
        folder.file(PROOFS).extend(more);
        folder.sign();
        has(&folder.falls_short(), &[PROOFS]);

        let mut folder = Folder::good();
        let length = folder.file(PROOFS).len();
        folder.file(PROOFS).truncate(length - change);
        folder.sign();
        has(&folder.falls_short(), &[PROOFS]);
    }
}

#[test]
fn a_proof_counts_once() {
    let mut folder = Folder::good();
    folder.file(PROOFS).copy_within(0..PROOF, 2 * PROOF);
    folder.file(INPUTS).copy_within(0..INPUT, 2 * INPUT);
    folder.sign();
    has(&folder.falls_short(), &["partitions 1 and 3"]);
}

#[test]
fn inputs_of_another_order_of_partitions_do_not_verify() {
    let mut folder = Folder::good();
    folder.file(INPUTS).rotate_left(INPUT);
    folder.sign();
    has(&folder.falls_short(), &["partition 1, 2, 3"]);

    let mut folder = Folder::good();
    let inputs = folder.file(INPUTS);
    let (first, rest) = inputs.split_at_mut(INPUT);
    first.swap_with_slice(&mut rest[..INPUT]);
    folder.sign();
    has(&folder.falls_short(), &["not verify: partition 1, 2"]);
}

#[test]
fn a_statement_that_lies_with_true_digests_is_found_out() {
    // Another public input.
    let mut folder = Folder::good();
    folder.file(INPUTS)[2 * INPUT] ^= 1;
    folder.sign();
    has(&folder.falls_short(), &["not verify: partition 3"]);

    // The proofs of a circuit with other inputs: as many bytes, in one partition.
    let mut folder = Folder::good();
    folder.file(PROOFS).truncate(PROOF);
    folder.statement["partitions"] = json!(1);
    folder.statement["inputs_per_partition"] = json!(3);
    folder.sign();
    has(
        &folder.falls_short(),
        &["partition 1 of 1", "1 public input"],
    );

    // No scalar, no proof, no key.
    let mut folder = Folder::good();
    folder.file(INPUTS)[INPUT..2 * INPUT].fill(0xff);
    folder.sign();
    has(&folder.falls_short(), &["partition 2 of 3", "modulus"]);

    let mut folder = Folder::good();
    folder.file(PROOFS)[PROOF..2 * PROOF].fill(0xff);
    folder.sign();
    has(&folder.falls_short(), &["partition 2 of 3", "not a proof"]);

    let mut folder = Folder::good();
    folder.file(KEY).pop();
    folder.sign();
    has(&folder.falls_short(), &[KEY, "not a verifying key"]);
}

#[test]
fn a_digest_is_compared_whole() {
    let mut folder = Folder::good();
    let digest = folder.statement["sha256"][PROOFS].as_str().expect("text");
    let short = digest[..63].to_owned();
    folder.statement["sha256"][PROOFS] = json!(short);
    has(&folder.falls_short(), &[PROOFS, &short]);
}
