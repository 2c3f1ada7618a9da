//! From bytes to a proof that can be made.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use blstrs::Scalar as Fr;
use ff::PrimeField;
use filecoin_proofs::{SealCommitPhase1Output, VanillaSealProof};
use serde::Deserialize;
use serde_json::value::RawValue;
use storage_proofs_core::merkle::MerkleTreeTrait;

use super::error::{C1Error, Part};
use super::json::Text;
use super::structure::{Challenge, Needs, Node};
use crate::filecoin::shape::with_tree;
use crate::filecoin::{
    CircuitId, FilecoinError, Owner, Porep, ProofKind, RegisteredSeal, SealVersion, SectorSize,
    StorageProof,
};

/// More than the JSON of any C1 output has.
pub const MAX_BYTES: u64 = 1 << 30;

/// What the caller knows about a C1 output; what it says itself must agree.
#[derive(Clone, Copy, Debug, Default)]
pub struct Expected {
    /// The size of the sector.
    pub size: Option<SectorSize>,
    /// The registered proof that the sector was sealed as. Where nothing says it, it is the interactive one of version
    /// 1.1.
    pub registered: Option<RegisteredSeal>,
    /// Who sealed it. Then the number of the sector has to be known as well.
    pub prover_id: Option<[u8; 32]>,
    /// The number of the sector.
    pub sector: Option<u64>,
}

/// In which form a C1 output came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// That of filecoin-proofs.
    Plain,
    /// That of filecoin-proofs-api, with its registered proof.
    Registered,
}

/// A C1 output that was read.
pub struct C1 {
    /// The registered proof that the sector was sealed as.
    pub registered: RegisteredSeal,
    /// The form of it, without the object with `Phase1Out` that may have been around it.
    pub form: Form,
    /// The number of the sector, where it is known.
    pub sector: Option<u64>,
    /// The proof to be made.
    pub proof: Box<dyn StorageProof>,
}

/// Reads the bytes of a file that should be a C1 output, however large it is or becomes.
///
/// # Errors
///
/// [`C1Error::Io`] and [`C1Error::TooLarge`].
pub fn read_file(path: &Path) -> Result<Vec<u8>, C1Error> {
    let io = |source| C1Error::Io {
        path: path.to_owned(),
        source,
    };
    let bytes = fs::metadata(path).map_err(io)?.len();
    let mut json = Vec::new();
    if bytes <= MAX_BYTES {
        let mut file = File::open(path).map_err(io)?.take(MAX_BYTES + 1);
        file.read_to_end(&mut json).map_err(io)?;
    }
    let bytes = bytes.max(json.len() as u64);
    if bytes > MAX_BYTES {
        let path = path.to_owned();
        return Err(C1Error::TooLarge { path, bytes });
    }
    Ok(json)
}

/// Reads a C1 output from its JSON, in any of the forms that the [module](super) describes.
///
/// # Errors
///
/// [`FilecoinError::C1`], and [`FilecoinError::Proofs`] where the vanilla proofs could not be verified.
pub fn read(json: &[u8], expected: &Expected) -> Result<C1, FilecoinError> {
    let whole = Text {
        part: Part::Whole,
        bytes: json,
    };
    let outer: Outer<'_> = whole.read()?;
    let Some(inner) = &outer.phase1_out else {
        return read_output(whole, &outer, expected, None);
    };
    let decoded = STANDARD.decode(inner.as_bytes()).map_err(C1Error::from)?;
    let text = Text {
        part: Part::Phase1Out,
        bytes: &decoded,
    };
    let sector = match (outer.sector_number, expected.sector) {
        (Some(file), Some(caller)) if file != caller => {
            return Err(disagree("SectorNum", file, "the caller", caller).into());
        }
        (file, caller) => file.or(caller),
    };
    let expected = Expected {
        sector,
        ..*expected
    };
    read_output(text, &text.read()?, &expected, outer.sector_size)
}

/// All the fields that one of the forms has.
#[derive(Deserialize)]
pub(super) struct Outer<'a> {
    #[serde(rename = "Phase1Out", borrow)]
    pub phase1_out: Option<Cow<'a, str>>,
    #[serde(rename = "SectorNum")]
    pub sector_number: Option<u64>,
    #[serde(rename = "SectorSize")]
    pub sector_size: Option<u64>,
    #[serde(borrow)]
    registered_proof: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub vanilla_proofs: Option<&'a RawValue>,
    comm_r: Option<[u8; 32]>,
    comm_d: Option<[u8; 32]>,
    #[serde(borrow)]
    replica_id: Option<&'a RawValue>,
    seed: Option<[u8; 32]>,
    ticket: Option<[u8; 32]>,
}

/// What a C1 output looks like.
pub(super) const VANILLA_HINT: &str = "C1 output is what seal_commit_phase1 wrote, or an object with SectorNum, Phase1Out and SectorSize";

/// The size that `SectorSize` says.
pub(super) fn size_of(bytes: u64) -> Result<SectorSize, C1Error> {
    SectorSize::from_bytes(bytes).ok_or_else(|| C1Error::Unknown {
        field: "SectorSize",
        value: bytes.to_string(),
    })
}

fn read_output(
    text: Text<'_>,
    outer: &Outer<'_>,
    expected: &Expected,
    sector_size: Option<u64>,
) -> Result<C1, FilecoinError> {
    let missing = |field, hint| C1Error::Missing {
        part: text.part,
        field,
        hint,
    };
    let vanilla = outer
        .vanilla_proofs
        .ok_or_else(|| missing("vanilla_proofs", VANILLA_HINT))?;
    let registered_proof = outer.registered_proof.as_deref();
    let registered_proof = registered_proof.map(registered_by_name).transpose()?;
    let (form, key, vanilla) = unwrap_vanilla(text, vanilla)?;
    let mut sizes = vec![
        ("the caller", expected.size),
        (
            "the registered proof that was named",
            expected.registered.map(|r| r.size),
        ),
        ("registered_proof", registered_proof.map(|r| r.size)),
        ("the key of vanilla_proofs", key),
    ];
    if let Some(bytes) = sector_size {
        sizes.push(("SectorSize", Some(size_of(bytes)?)));
    }
    let size = agreed(&sizes)?.ok_or(C1Error::NoSize)?;
    let registered = agreed(&[
        ("the caller", expected.registered),
        ("registered_proof", registered_proof),
    ])?
    .unwrap_or(RegisteredSeal::interactive(size));
    if registered.version == SealVersion::NonInteractive {
        return Err(C1Error::NonInteractive { registered }.into());
    }

    let bytes = "32 bytes, as a list of numbers";
    let replica_id = outer
        .replica_id
        .ok_or_else(|| missing("replica_id", bytes))?;
    let output = Output {
        text,
        vanilla,
        replica_id,
        comm_r: scalar(
            "comm_r",
            outer.comm_r.ok_or_else(|| missing("comm_r", bytes))?,
        )?,
        comm_d: scalar(
            "comm_d",
            outer.comm_d.ok_or_else(|| missing("comm_d", bytes))?,
        )?,
        seed: nonzero("seed", outer.seed.ok_or_else(|| missing("seed", bytes))?)?,
        ticket: outer.ticket.ok_or_else(|| missing("ticket", bytes))?,
    };
    let owner = match (expected.prover_id, expected.sector) {
        (Some(prover_id), Some(sector)) => Some(Owner { prover_id, sector }),
        (Some(_), None) => return Err(C1Error::NoSector.into()),
        (None, _) => None,
    };
    let proof = with_tree!(size, Tree => output.proof::<Tree>(registered, owner))?;
    Ok(C1 {
        registered,
        form,
        sector: expected.sector,
        proof,
    })
}

/// What is left of an output once its size is known.
struct Output<'a> {
    text: Text<'a>,
    vanilla: &'a RawValue,
    replica_id: &'a RawValue,
    comm_r: [u8; 32],
    comm_d: [u8; 32],
    seed: [u8; 32],
    ticket: [u8; 32],
}

impl Output<'_> {
    fn proof<Tree: 'static + MerkleTreeTrait>(
        &self,
        registered: RegisteredSeal,
        owner: Option<Owner>,
    ) -> Result<Box<dyn StorageProof>, FilecoinError> {
        // Only what was counted may meet the types of storage-proofs.
        let counted: Vec<Vec<Challenge>> = self.text.read_raw(self.vanilla)?;
        let Node = self.text.read_raw(self.replica_id)?;
        let needs = Needs::of(registered).map_err(failed(registered))?;
        needs.check(&counted)?;
        drop(counted);

        let vanilla: Vec<Vec<VanillaSealProof<Tree>>> = self.text.read_raw(self.vanilla)?;
        let porep = Porep::new(
            registered,
            owner,
            SealCommitPhase1Output {
                vanilla_proofs: vanilla,
                comm_r: self.comm_r,
                comm_d: self.comm_d,
                replica_id: self.text.read_raw(self.replica_id)?,
                seed: self.seed,
                ticket: self.ticket,
            },
        );
        if !porep.holds()? {
            return Err(C1Error::DoesNotHold { registered }.into());
        }
        if let Some(owner) = owner.filter(|owner| !porep.belongs_to(owner)) {
            return Err(C1Error::Owner { owner, registered }.into());
        }
        Ok(Box::new(porep))
    }
}

fn failed(registered: RegisteredSeal) -> impl FnOnce(anyhow::Error) -> FilecoinError {
    let circuit = CircuitId {
        kind: ProofKind::Porep,
        size: registered.size,
    };
    FilecoinError::proofs(circuit, "setting the circuit up")
}

fn unwrap_vanilla<'a>(
    text: Text<'a>,
    raw: &'a RawValue,
) -> Result<(Form, Option<SectorSize>, &'a RawValue), C1Error> {
    if !raw.get().starts_with('{') {
        return Ok((Form::Plain, None, raw));
    }
    let keyed: BTreeMap<Cow<'a, str>, &'a RawValue> = text.read_raw(raw)?;
    let keys = || keyed.keys().cloned().collect::<Vec<_>>().join(", ");
    let unknown = || C1Error::Unknown {
        field: "the key of vanilla_proofs",
        value: keys(),
    };
    let mut entries = keyed.iter();
    let (Some((key, inner)), None) = (entries.next(), entries.next()) else {
        return Err(unknown());
    };
    // A key is named like the first registered proof of its size, whatever the version of the seal.
    let seal = registered_by_name(key).map_err(|_| unknown())?;
    match seal.version {
        SealVersion::V1 => Ok((Form::Registered, Some(seal.size), inner)),
        _ => Err(unknown()),
    }
}

fn registered_by_name(name: &str) -> Result<RegisteredSeal, C1Error> {
    let found = RegisteredSeal::all().find(|seal| seal.to_string() == name);
    found.ok_or_else(|| C1Error::Unknown {
        field: "registered_proof",
        value: format!("{name:?}"),
    })
}

/// The one thing that all say who say anything.
fn agreed<T>(said: &[(&'static str, Option<T>)]) -> Result<Option<T>, C1Error>
where
    T: Copy + PartialEq + std::fmt::Display,
{
    let mut agreed: Option<(&'static str, T)> = None;
    for &(who, what) in said {
        match (agreed, what) {
            (Some((other, said)), Some(what)) if said != what => {
                return Err(disagree(who, what, other, said));
            }
            (None, Some(what)) => agreed = Some((who, what)),
            _ => {}
        }
    }
    Ok(agreed.map(|(_, what)| what))
}

fn disagree(
    one: &'static str,
    one_says: impl ToString,
    other: &'static str,
    other_says: impl ToString,
) -> C1Error {
    C1Error::Disagree {
        one,
        one_says: one_says.to_string(),
        other,
        other_says: other_says.to_string(),
    }
}

fn nonzero(field: &'static str, bytes: [u8; 32]) -> Result<[u8; 32], C1Error> {
    if bytes == [0; 32] {
        return Err(C1Error::Zero { field });
    }
    Ok(bytes)
}

fn scalar(field: &'static str, bytes: [u8; 32]) -> Result<[u8; 32], C1Error> {
    if Fr::from_repr_vartime(bytes).is_none() {
        return Err(C1Error::NoScalar { field });
    }
    nonzero(field, bytes)
}
