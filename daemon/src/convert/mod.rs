//! From a message to something that can be proven, field by field.
//!
//! What can be told without reading vanilla proofs is told here, before anything is queued. Fields that a kind of proof has no use
//! for are not looked at, as clients may fill them.

mod error;
mod registered;

use blake2b_simd::Params;
use cuzk_core::filecoin::c1::{self, Expected};
use cuzk_core::filecoin::{CircuitId, ProofKind, SectorSize, Update};
use cuzk_core::job::Priority;

pub use error::{Invalid, Wrong};
pub use registered::usual;

use crate::proto;

/// Bytes of a client's id, at most.
pub const ID_BYTES: usize = 256;

/// A message whose fields are good.
pub struct Valid {
    /// The client's id, where it has given one.
    pub id: Option<String>,
    /// The circuit.
    pub circuit: CircuitId,
    /// The priority.
    pub priority: Priority,
    /// The same for two messages that ask for the same proof, whatever their ids and priorities.
    pub digest: Digest,
    /// What is to be proven.
    pub asked: Asked,
}

/// Tells two requests apart.
pub type Digest = [u8; 32];

/// What a client wants to be proven.
pub enum Asked {
    /// A PoRep.
    Porep {
        /// The C1 output.
        json: Vec<u8>,
        /// What the message says of it.
        expected: Expected,
    },
    /// A WinningPoSt.
    Winning {
        /// The challenge seed.
        randomness: [u8; 32],
        /// The miner.
        prover_id: [u8; 32],
        /// The vanilla proof of its sector.
        sector: Vec<u8>,
    },
    /// A partition of a WindowPoSt.
    Window {
        /// The challenge seed.
        randomness: [u8; 32],
        /// The miner.
        prover_id: [u8; 32],
        /// The vanilla proofs of its sectors.
        sectors: Vec<Vec<u8>>,
        /// Which partition.
        partition: usize,
    },
    /// A SnapDeals proof.
    Snap {
        /// The commitments.
        update: Update,
        /// The vanilla proofs of its partitions.
        partitions: Vec<Vec<u8>>,
    },
}

/// Checks a message.
///
/// # Errors
///
/// The first field that is wrong.
pub fn check(message: proto::SubmitProofRequest) -> Result<Valid, Invalid> {
    let id = id(&message.request_id)?;
    let kind = kind(message.proof_kind)?;
    let size = size(message.sector_size)?;
    let circuit = CircuitId { kind, size };
    let seal = registered::check(circuit, message.registered_proof)
        .map_err(|wrong| wrong.of("registered_proof"))?;
    let priority = priority(message.priority)?;
    let digest = digest(&message);
    let asked = match kind {
        ProofKind::Porep => Asked::Porep {
            expected: Expected {
                size: Some(size),
                registered: seal,
                ..sector(&message, size)?
            },
            json: message.vanilla_proof,
        },
        ProofKind::Winning => {
            let mut sectors = vanilla(message.vanilla_proofs, message.vanilla_proof)?;
            let (expected, actual) = (1, sectors.len());
            if actual != expected {
                let kind = "WinningPoSt";
                return Err(Wrong::Count {
                    kind,
                    actual,
                    expected,
                }
                .of("vanilla_proofs"));
            }
            Asked::Winning {
                randomness: bytes("randomness", &message.randomness)?,
                prover_id: prover_id(message.miner_id),
                sector: sectors.remove(0),
            }
        }
        ProofKind::Window => Asked::Window {
            randomness: bytes("randomness", &message.randomness)?,
            prover_id: prover_id(message.miner_id),
            sectors: vanilla(message.vanilla_proofs, message.vanilla_proof)?,
            partition: message.partition_index as usize,
        },
        ProofKind::Snap => Asked::Snap {
            update: Update {
                comm_r_old: bytes("comm_r_old", &message.comm_r_old)?,
                comm_r_new: bytes("comm_r_new", &message.comm_r_new)?,
                comm_d_new: bytes("comm_d_new", &message.comm_d_new)?,
            },
            partitions: vanilla(message.vanilla_proofs, message.vanilla_proof)?,
        },
    };
    Ok(Valid {
        id,
        circuit,
        priority,
        digest,
        asked,
    })
}

fn id(id: &str) -> Result<Option<String>, Invalid> {
    if id.len() > ID_BYTES || id.chars().any(char::is_control) {
        let (bytes, limit) = (id.len(), ID_BYTES);
        return Err(Wrong::Id { bytes, limit }.of("request_id"));
    }
    Ok(Some(id.to_owned()).filter(|id| !id.is_empty()))
}

fn kind(number: i32) -> Result<ProofKind, Invalid> {
    let hint =
        "POREP_SEAL_COMMIT is 1, SNAP_DEALS_UPDATE 2, WINDOW_POST_PARTITION 3, WINNING_POST 4";
    let wrong = match proto::ProofKind::try_from(number) {
        Ok(proto::ProofKind::PorepSealCommit) => return Ok(ProofKind::Porep),
        Ok(proto::ProofKind::SnapDealsUpdate) => return Ok(ProofKind::Snap),
        Ok(proto::ProofKind::WindowPostPartition) => return Ok(ProofKind::Window),
        Ok(proto::ProofKind::WinningPost) => return Ok(ProofKind::Winning),
        Ok(proto::ProofKind::Unspecified) => Wrong::Missing { hint },
        Err(_) => Wrong::Number { number, hint },
    };
    Err(wrong.of("proof_kind"))
}

fn size(bytes: u64) -> Result<SectorSize, Invalid> {
    let wrong = match bytes {
        0 => Wrong::Missing {
            hint: "the size of the sector, in bytes",
        },
        _ => Wrong::SectorSize { bytes },
    };
    SectorSize::from_bytes(bytes).ok_or_else(|| wrong.of("sector_size"))
}

fn priority(number: i32) -> Result<Priority, Invalid> {
    let hint = "LOW is 1, NORMAL 2, HIGH 3, CRITICAL 4";
    match proto::Priority::try_from(number) {
        Ok(proto::Priority::Unspecified | proto::Priority::Normal) => Ok(Priority::Normal),
        Ok(proto::Priority::Low) => Ok(Priority::Low),
        Ok(proto::Priority::High) => Ok(Priority::High),
        Ok(proto::Priority::Critical) => Ok(Priority::Critical),
        Err(_) => Err(Wrong::Number { number, hint }.of("priority")),
    }
}

/// Who a PoRep's sector belongs to, as far as message and JSON say. The 0 of a field that was left out is no miner's number, and a
/// sector's only where the JSON says no other.
fn sector(message: &proto::SubmitProofRequest, size: SectorSize) -> Result<Expected, Invalid> {
    const FIELD: &str = "vanilla_proof";
    if message.vanilla_proof.is_empty() {
        let hint = "a PoRep is made from one JSON object with SectorNum, Phase1Out and SectorSize";
        return Err(Wrong::Missing { hint }.of(FIELD));
    }
    let outline =
        c1::outline(&message.vanilla_proof).map_err(|error| Wrong::from(error).of(FIELD))?;
    let contradicts = |field: &dyn ToString, inside, said: &dyn ToString| Wrong::Contradicts {
        field: field.to_string(),
        inside,
        said: said.to_string(),
    };
    if let Some(said) = outline.size.filter(|said| *said != size) {
        return Err(contradicts(&size, "SectorSize", &said).of("sector_size"));
    }
    let number = message.sector_number;
    if let Some(said) = outline.sector.filter(|said| number != 0 && *said != number) {
        return Err(contradicts(&number, "SectorNum", &said).of("sector_number"));
    }
    Ok(Expected {
        sector: Some(outline.sector.unwrap_or(number)),
        prover_id: (message.miner_id != 0).then(|| prover_id(message.miner_id)),
        ..Expected::default()
    })
}

fn bytes(field: &'static str, bytes: &[u8]) -> Result<[u8; 32], Invalid> {
    let (actual, expected) = (bytes.len(), 32);
    let wrong = match actual {
        0 => Wrong::Missing { hint: "32 bytes" },
        _ => Wrong::Length { actual, expected },
    };
    bytes.try_into().map_err(|_| wrong.of(field))
}

fn vanilla(proofs: Vec<Vec<u8>>, single: Vec<u8>) -> Result<Vec<Vec<u8>>, Invalid> {
    const FIELD: &str = "vanilla_proofs";
    if proofs.is_empty() {
        let hint = match single.is_empty() {
            true => "the vanilla proofs, as bincode writes them",
            false => "vanilla_proof is for PoRep, and every other kind has its proofs here",
        };
        return Err(Wrong::Missing { hint }.of(FIELD));
    }
    match proofs.iter().position(Vec::is_empty) {
        Some(index) => Err(Wrong::Empty { index }.of(FIELD)),
        None => Ok(proofs),
    }
}

/// A miner as provers name it: the payload of its address, which is its number in groups of seven bits, the lowest first, and zeros.
pub fn prover_id(miner: u64) -> [u8; 32] {
    let mut id = [0; 32];
    let mut rest = miner;
    for byte in &mut id {
        *byte = (rest & 0x7f) as u8;
        rest >>= 7;
        if rest == 0 {
            break;
        }
        *byte |= 0x80;
    }
    id
}

fn digest(message: &proto::SubmitProofRequest) -> Digest {
    let mut state = Params::new().hash_length(32).to_state();
    for number in [
        message.proof_kind as u64,
        message.sector_size,
        message.registered_proof,
        message.sector_number,
        message.miner_id,
        message.partition_index.into(),
    ] {
        state.update(&number.to_le_bytes());
    }
    let fields = [
        &message.vanilla_proof,
        &message.randomness,
        &message.comm_r_old,
        &message.comm_r_new,
        &message.comm_d_new,
    ];
    for bytes in fields.into_iter().chain(&message.vanilla_proofs) {
        state.update(&(bytes.len() as u64).to_le_bytes());
        state.update(bytes);
    }
    let mut digest = Digest::default();
    digest.copy_from_slice(state.finalize().as_bytes());
    digest
}
