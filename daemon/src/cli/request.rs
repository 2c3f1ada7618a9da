//! What is to be proven, on the command line.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use cuzk_core::filecoin::{CircuitId, ProofKind, c1};
use cuzk_core::job::Priority;

use crate::client::hex;
use crate::convert;
use crate::proto::{self, SubmitProofRequest};

/// Arguments of `prove` and `submit`.
#[derive(Debug, Args)]
pub struct RequestArgs {
    /// The circuit, as in porep-32g, wpost-32g, winning-32g or snap-32g.
    #[arg(value_name = "CIRCUIT")]
    circuit: CircuitId,
    /// PoRep: the C1 output, as JSON.
    #[arg(long, value_name = "FILE", conflicts_with = "vanilla")]
    c1: Option<PathBuf>,
    /// Every other kind: a vanilla proof as bincode writes it, of a sector, or for SnapDeals of a partition; once for each.
    #[arg(long, value_name = "FILE")]
    vanilla: Vec<PathBuf>,
    /// The network's number of the proof type; without it the one that most proofs of the circuit have.
    #[arg(long, value_name = "N")]
    registered_proof: Option<u64>,
    /// The number of the miner.
    #[arg(long, value_name = "N", default_value_t = 0)]
    miner: u64,
    /// The number of the sector.
    #[arg(long, value_name = "N", default_value_t = 0)]
    sector: u64,
    /// WinningPoSt and WindowPoSt: the challenge seed, 64 hexadecimal digits.
    #[arg(long, value_name = "HEX", default_value = "")]
    randomness: String,
    /// WindowPoSt: which partition.
    #[arg(long, value_name = "N", default_value_t = 0)]
    partition: u32,
    /// SnapDeals: the commitment to the replica before, 64 hexadecimal digits.
    #[arg(long, value_name = "HEX", default_value = "")]
    comm_r_old: String,
    /// SnapDeals: the commitment to the replica now.
    #[arg(long, value_name = "HEX", default_value = "")]
    comm_r_new: String,
    /// SnapDeals: the commitment to the data now.
    #[arg(long, value_name = "HEX", default_value = "")]
    comm_d_new: String,
    /// Which jobs go first: low, normal, high or critical.
    #[arg(long, value_name = "PRIORITY", default_value = "normal")]
    priority: Priority,
    /// A name for the job: the same name joins it. Without it the daemon makes one up.
    #[arg(long, value_name = "ID", default_value = "")]
    id: String,
}

impl RequestArgs {
    /// The message that they make. The daemon looks at what is in it.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, or digits that are none.
    pub fn message(&self) -> Result<SubmitProofRequest> {
        let digits = |flag: &str, text: &str| {
            hex::read(text)
                .with_context(|| format!("--{flag} has other than pairs of hexadecimal digits"))
        };
        let is_porep = self.circuit.kind == ProofKind::Porep;
        ensure!(
            is_porep == self.c1.is_some(),
            "a PoRep is made from --c1 FILE, and every other kind from --vanilla FILE, once for each"
        );
        let vanilla_proof = match &self.c1 {
            Some(path) => c1::read_file(path)?,
            None => Vec::new(),
        };
        let read = |path: &PathBuf| read(path);
        Ok(SubmitProofRequest {
            request_id: self.id.clone(),
            proof_kind: kind(self.circuit.kind).into(),
            sector_size: self.circuit.size.bytes(),
            registered_proof: self
                .registered_proof
                .unwrap_or(convert::usual(self.circuit)),
            priority: priority(self.priority).into(),
            vanilla_proof,
            vanilla_proofs: self.vanilla.iter().map(read).collect::<Result<_>>()?,
            sector_number: self.sector,
            miner_id: self.miner,
            randomness: digits("randomness", &self.randomness)?,
            partition_index: self.partition,
            comm_r_old: digits("comm-r-old", &self.comm_r_old)?,
            comm_r_new: digits("comm-r-new", &self.comm_r_new)?,
            comm_d_new: digits("comm-d-new", &self.comm_d_new)?,
        })
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("reading {}", path.display()))
}

fn kind(kind: ProofKind) -> proto::ProofKind {
    match kind {
        ProofKind::Porep => proto::ProofKind::PorepSealCommit,
        ProofKind::Snap => proto::ProofKind::SnapDealsUpdate,
        ProofKind::Window => proto::ProofKind::WindowPostPartition,
        ProofKind::Winning => proto::ProofKind::WinningPost,
    }
}

fn priority(priority: Priority) -> proto::Priority {
    match priority {
        Priority::Low => proto::Priority::Low,
        Priority::Normal => proto::Priority::Normal,
        Priority::High => proto::Priority::High,
        Priority::Critical => proto::Priority::Critical,
    }
}
