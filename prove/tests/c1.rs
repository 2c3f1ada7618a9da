//! C1 output in every form that is in circulation, whole and damaged.

mod isolated;

use std::collections::HashSet;
use std::mem::discriminant;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cuzk_core::filecoin::c1::{self, C1, C1Error, Expected, Form, Place};
use cuzk_core::filecoin::{FilecoinError, RegisteredSeal, SectorSize};
use cuzk_prove::sector::{Sector, Tree};
use filecoin_proofs::SealCommitPhase1Output;
use filecoin_proofs_api::RegisteredSealProof;
use filecoin_proofs_api::seal::{
    SealCommitPhase1Output as RegisteredOutput, VanillaSealProof as RegisteredVanilla,
};
use serde_json::{Value, json};

fn sealed() -> (Sector, SealCommitPhase1Output<Tree>) {
    let sector = Sector::seal(7).expect("seals");
    let c1 = sector.c1().expect("has vanilla proofs");
    (sector, c1)
}

fn to_json<T: serde::Serialize>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).expect("is JSON")
}

/// As filecoin-proofs-api writes it.
fn registered(c1: &SealCommitPhase1Output<Tree>) -> Vec<u8> {
    to_json(&RegisteredOutput {
        registered_proof: RegisteredSealProof::StackedDrg2KiBV1_1,
        vanilla_proofs: RegisteredVanilla::StackedDrg2KiBV1(c1.vanilla_proofs.clone()),
        comm_r: c1.comm_r,
        comm_d: c1.comm_d,
        replica_id: c1.replica_id,
        seed: c1.seed,
        ticket: c1.ticket,
    })
}

/// As clients send it.
fn wrapped(inner: &[u8]) -> Vec<u8> {
    to_json(&json!({
        "SectorNum": 42,
        "Phase1Out": STANDARD.encode(inner),
        "SectorSize": 2048,
    }))
}

fn of_2k() -> Expected {
    Expected {
        size: Some(SectorSize::Kib2),
        ..Expected::default()
    }
}

fn good(json: &[u8], expected: &Expected) -> C1 {
    c1::read(json, expected).unwrap_or_else(|error| panic!("{error:?}"))
}

/// What is wrong with it.
fn bad(json: &[u8], expected: &Expected) -> C1Error {
    match c1::read(json, expected) {
        Err(FilecoinError::C1(error)) => error,
        Err(error) => panic!("{error:?}"),
        Ok(_) => panic!("was taken"),
    }
}

fn place(error: &C1Error) -> Place {
    match error {
        C1Error::Json { place, .. } => *place,
        other => panic!("{other:?}"),
    }
}

#[test]
fn registered_proofs_are_those_of_the_network() {
    for seal in RegisteredSeal::all() {
        let name = seal.to_string();
        let theirs: RegisteredSealProof =
            serde_json::from_value(Value::String(name.clone())).expect("a name of theirs");
        assert_eq!(theirs as u64, seal.number(), "{name}");
        let (ours, theirs) = (seal.config(), theirs.as_v1_config());
        assert_eq!(format!("{ours:?}"), format!("{theirs:?}"), "{name}");
    }
}

#[test]
fn the_c1_output_of_a_seed_is_always_the_same() {
    let Some(_) = isolated::child("the_c1_output_of_a_seed_is_always_the_same") else {
        return;
    };
    let digest = cuzk_harness::digest::bytes(&to_json(&sealed().1));
    assert_eq!(
        digest,
        "ffe02b5a13560c380422c0c209783887fbf29699eee6a7f165c5ef40e8cc4d84"
    );
}

#[test]
fn every_form_is_read() {
    let Some(_) = isolated::child("every_form_is_read") else {
        return;
    };
    let (sector, output) = sealed();
    let (plain, registered) = (to_json(&output), registered(&output));
    let inputs = good(&plain, &of_2k())
        .proof
        .public_inputs()
        .expect("inputs");
    assert_eq!((inputs.len(), inputs[0].len()), (1, 39));
    for (json, form, sector_number) in [
        (plain.clone(), Form::Plain, None),
        (registered.clone(), Form::Registered, None),
        (wrapped(&plain), Form::Plain, Some(42)),
        (wrapped(&registered), Form::Registered, Some(42)),
        ([&b" \n"[..], &plain, b"\n"].concat(), Form::Plain, None),
    ] {
        let c1 = good(&json, &of_2k());
        assert_eq!((c1.form, c1.sector), (form, sector_number));
        assert_eq!(c1.registered, Sector::registered());
        assert_eq!(c1.proof.public_inputs().expect("inputs"), inputs);
        assert_eq!(c1.proof.verifier(), None);
    }
    // These say how large the sector is.
    for json in [registered.clone(), wrapped(&plain)] {
        good(&json, &Expected::default());
    }
    assert!(matches!(bad(&plain, &Expected::default()), C1Error::NoSize));

    let owner = sector.owner();
    let known = Expected {
        prover_id: Some(owner.prover_id),
        sector: Some(owner.sector),
        ..of_2k()
    };
    let verifier = good(&registered, &known).proof.verifier();
    assert_eq!(verifier, Some("verify_seal"));
    let nameless = Expected {
        sector: None,
        ..known
    };
    let error = bad(&registered, &nameless);
    assert!(matches!(error, C1Error::NoSector), "{error}");
    let wrong = Expected {
        sector: Some(owner.sector ^ 1),
        ..known
    };
    let error = bad(&registered, &wrong);
    assert!(matches!(error, C1Error::Owner { .. }), "{error}");
    let error = bad(&wrapped(&registered), &known).to_string();
    assert!(error.contains("SectorNum says 42"), "{error}");
}

#[test]
fn text_that_is_not_whole_is_refused_where_it_is_not() {
    let Some(_) = isolated::child("text_that_is_not_whole_is_refused_where_it_is_not") else {
        return;
    };
    let output = sealed().1;
    for whole in [
        to_json(&output),
        registered(&output),
        wrapped(&registered(&output)),
    ] {
        let length = whole.len();
        for cut in [0, 1, 2, length / 3, length / 2, length - 2, length - 1] {
            let place = place(&bad(&whole[..cut], &of_2k()));
            assert!(place.offset <= cut && place.line == 1, "{cut}: {place:?}");
        }
        let doubled = place(&bad(&[&whole[..], &whole].concat(), &of_2k()));
        assert_eq!((doubled.offset, doubled.column), (length, length + 1));
        let nul = place(&bad(&[&whole[..], b"\0"].concat(), &of_2k()));
        assert_eq!(nul.offset, length);
    }
    // Inside of Phase1Out places are counted in what was encoded.
    let inner = to_json(&output);
    let error = bad(&wrapped(&[&inner[..], b"\0"].concat()), &of_2k());
    assert_eq!(place(&error).offset, inner.len());
    assert!(error.to_string().contains("Phase1Out"), "{error}");
    let no_base64 = json!({"Phase1Out": "e30=*", "SectorNum": 1, "SectorSize": 2048});
    let error = bad(&to_json(&no_base64), &of_2k());
    assert!(matches!(error, C1Error::Base64(_)), "{error}");
    for other in [
        "[]",
        "{}",
        "null",
        "17",
        "\"text\"",
        "{\"comm_r\": 1}",
        "\u{feff}{}",
    ] {
        bad(other.as_bytes(), &of_2k());
    }
    bad(&[0xff, 0xfe, b'{'], &of_2k());
}

#[test]
fn statements_about_the_size_agree_or_are_refused() {
    let Some(_) = isolated::child("statements_about_the_size_agree_or_are_refused") else {
        return;
    };
    let output = sealed().1;
    let (plain, registered) = (to_json(&output), registered(&output));
    let expected = |text: &str| Expected {
        registered: Some(text.parse().expect("registered")),
        ..Expected::default()
    };
    for (json, expected) in [
        (
            &registered,
            Expected {
                size: Some(SectorSize::Gib32),
                ..Expected::default()
            },
        ),
        (&registered, expected("8")),
        (&registered, expected("0")),
    ] {
        let error = bad(json, &expected);
        assert!(matches!(error, C1Error::Disagree { .. }), "{error}");
    }
    let change = |json: &[u8], field: &str, value: Value| {
        let mut object: Value = serde_json::from_slice(json).expect("JSON");
        object[field] = value;
        to_json(&object)
    };
    let of_size = |size: u64| change(&wrapped(&registered), "SectorSize", json!(size));
    let error = bad(&of_size(8 << 20), &Expected::default());
    assert!(matches!(error, C1Error::Disagree { .. }), "{error}");
    let error = bad(&of_size(4096), &Expected::default());
    assert!(matches!(error, C1Error::Unknown { .. }), "{error}");
    for name in ["StackedDrg2KiBV2", "", "5"] {
        let error = bad(
            &change(&registered, "registered_proof", json!(name)),
            &of_2k(),
        );
        assert!(matches!(error, C1Error::Unknown { .. }), "{error}");
    }
    let proofs = serde_json::to_value(&output.vanilla_proofs).expect("JSON");
    for keyed in [
        json!({}),
        json!({"StackedDrg2KiBV1_1": proofs}),
        json!({"StackedDrg2KiBV1": proofs, "StackedDrg8MiBV1": []}),
    ] {
        let error = bad(&change(&registered, "vanilla_proofs", keyed), &of_2k());
        assert!(matches!(error, C1Error::Unknown { .. }), "{error}");
    }
    let error = bad(
        &plain,
        &expected("StackedDrg2KiBV1_2_Feat_NonInteractivePoRep"),
    );
    assert!(matches!(error, C1Error::NonInteractive { .. }), "{error}");
    // Of another version there is the same structure, and nothing in it holds.
    for other in ["StackedDrg2KiBV1", "StackedDrg2KiBV1_1_Feat_SyntheticPoRep"] {
        let error = bad(&plain, &expected(other));
        assert!(matches!(error, C1Error::DoesNotHold { .. }), "{error}");
    }
    // For another size too little is there.
    for size in SectorSize::ALL.into_iter().skip(1) {
        let error = bad(
            &plain,
            &Expected {
                size: Some(size),
                ..Expected::default()
            },
        );
        assert!(matches!(error, C1Error::Length { .. }), "{size}: {error}");
    }
}

/// Every list and every number of the JSON is damaged in its turn: nothing panics, and nothing is taken.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes without optimisation")]
fn no_damage_gets_through() {
    let Some(_) = isolated::child("no_damage_gets_through") else {
        return;
    };
    let (sector, output) = sealed();
    let whole: Value = serde_json::from_slice(&to_json(&output)).expect("JSON");
    // Without these nothing could be said about the ticket.
    let expected = Expected {
        prover_id: Some(sector.owner().prover_id),
        sector: Some(sector.owner().sector),
        ..of_2k()
    };
    let mut places = Vec::new();
    find(&whole, &mut String::new(), &mut places);
    assert!(places.len() > 500, "{}", places.len());
    let mut refused = HashSet::new();
    for pointer in &places {
        for damage in DAMAGES {
            let mut damaged = whole.clone();
            let value = damaged.pointer_mut(pointer).expect("was found");
            if !damage(value) {
                continue;
            }
            match c1::read(&to_json(&damaged), &expected) {
                Err(FilecoinError::C1(error)) => {
                    refused.insert(discriminant(&error));
                }
                Err(error) => panic!("{pointer}: {error:?}"),
                // It says what the path of its proof says as well, and nobody looks at it.
                Ok(_) if pointer.ends_with("/column/index") => {}
                Ok(_) => panic!("{pointer}: was taken"),
            }
        }
    }
    // Json, Zero, NoScalar, Length, Path, DoesNotHold, Owner.
    assert!(refused.len() >= 5, "{refused:?}");
}

/// Whether it could be done to the value.
type Damage = fn(&mut Value) -> bool;

const DAMAGES: [Damage; 6] = [
    |value| of_list(value, |list| list.pop().is_some()),
    |value| of_list(value, |list| list.drain(..).next().is_some()),
    |value| {
        of_list(value, |list| {
            let first = list.first().cloned();
            list.extend(first.clone());
            first.is_some()
        })
    },
    // Another scalar, and none.
    |value| {
        of_list(value, |list| {
            list.first_mut().is_some_and(|byte| flip(byte, 1))
        })
    },
    |value| {
        of_list(value, |list| {
            list.last_mut().is_some_and(|byte| flip(byte, 0x80))
        })
    },
    |value| flip(value, u64::from(u32::MAX)),
];

fn of_list(value: &mut Value, damage: impl FnOnce(&mut Vec<Value>) -> bool) -> bool {
    value.as_array_mut().is_some_and(damage)
}

fn flip(value: &mut Value, bits: u64) -> bool {
    let number = value.as_u64();
    if let Some(number) = number {
        *value = json!(number ^ bits);
    }
    number.is_some()
}

/// Lists, and numbers that are not bytes of a list.
fn find(value: &Value, pointer: &mut String, found: &mut Vec<String>) {
    let length = pointer.len();
    let mut descend = |key: &str, value: &Value| {
        pointer.push('/');
        pointer.push_str(key);
        find(value, pointer, found);
        pointer.truncate(length);
    };
    match value {
        Value::Array(list) => {
            for (i, value) in list.iter().enumerate().filter(|(_, v)| !v.is_number()) {
                descend(&i.to_string(), value);
            }
            found.push(pointer.clone());
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                descend(key, value);
            }
        }
        Value::Number(_) => found.push(pointer.clone()),
        _ => {}
    }
}
