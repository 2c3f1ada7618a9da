//! The command line.

use std::path::PathBuf;

use anyhow::{Result, bail, ensure};
use clap::{Args, Parser, Subcommand};
use cuzk_core::backend::Backend;
use cuzk_core::budget::Bytes;
use cuzk_core::filecoin::CircuitId;
use cuzk_harness::process;
use cuzk_prove::environment::UserSettings;
use cuzk_prove::parameters::Lookup;
use cuzk_prove::{EngineRequest, GpuUse, Request, Source};
use rand_core::{OsRng, RngCore};

/// The command line of `prove`.
#[derive(Debug, Parser)]
#[command(
    name = "prove",
    about = "Make a real Filecoin proof from end to end, and have it verified",
    after_help = "Exit codes: 0 = verified, 1 = something falls short (a proof that does not verify, a bad point),\n\
        2 = it could not be done."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// What `prove` does.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Prove, from a sector of this program's own or from a C1 output, and verify the exact bytes.
    #[command(after_help = "\
Examples:
  prove run porep-2k                            seal a 2 KiB sector, prove its replication, verify_seal
  prove run winning-2k --out /tmp/winning       leave proof, public inputs and verifying key in a folder
  prove run porep-32g --c1 c1.json --params DIR prove what somebody else has sealed
  prove run porep-2k --backend gpu              prove on a GPU
  prove run porep-2k --engine --sectors 3       prove three sectors through the engine

Parameters are looked for in this order: the file of --unverified-params; NAME.params in the folder of --params, or else
of FIL_PROOFS_PARAMETER_CACHE, with the digest that Filecoin has published or with a check record; this program's own
folder, where parameters of the 2 KiB circuits are made when they are missing. Those are for tests only: they come from
a public seed, so anybody can forge proofs for them.")]
    Run(Box<RunArgs>),
    /// Check every point of a parameter file: on the curve, in the subgroup, not the identity. Leaves FILE.checked.
    CheckParams(CheckParamsArgs),
}

/// Arguments of `run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// What to prove: porep-2k, winning-2k, window-2k or snap-2k; with --c1 also porep-8m, porep-512m, porep-32g and
    /// porep-64g.
    #[arg(value_name = "KIND")]
    pub kind: String,
    /// Which prover: cpu, or gpu for NVIDIA's, in a program that was built with the cargo feature `cuda`. The proofs are the
    /// same, and verified the same way.
    #[arg(long, value_name = "PROVER", default_value = "cpu")]
    pub backend: Backend,
    /// With --backend gpu: use at most so much of each GPU's memory, in GiB; else what is free, less a reserve.
    #[arg(long, value_name = "GIB", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub gpu_memory: Option<u64>,
    /// With --backend gpu: use this GPU alone, by CUDA's number among those that are visible, from 0; else all of them.
    #[arg(long, value_name = "N")]
    pub gpu: Option<u32>,
    /// A C1 output made elsewhere, as JSON: filecoin-proofs' own, the registered one of filecoin-proofs-api, or either
    /// in the object with SectorNum, Phase1Out and SectorSize that clients send.
    #[arg(long, value_name = "FILE")]
    pub c1: Option<PathBuf>,
    /// The prover id that the sector of --c1 was sealed with, 64 hexadecimal digits. With it and the sector's number
    /// verify_seal is the judge; without, the proof is verified against what the C1 output holds.
    #[arg(long, value_name = "HEX", requires = "c1")]
    pub prover_id: Option<String>,
    /// The number of the sector of --c1, where the file does not hold it.
    #[arg(long, value_name = "N", requires = "prover_id")]
    pub sector_id: Option<u64>,
    /// The registered seal proof of --c1, by number or name, where the file does not hold it; the interactive one of
    /// version 1.1 when left out.
    #[arg(long, value_name = "PROOF", requires = "c1")]
    pub registered_proof: Option<String>,
    /// A folder for the result: what was proven, the proof, its public inputs and the verifying key. It must not be
    /// there yet, or be empty; it appears as a whole, or not at all.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The folder to look for parameters in, instead of the one that FIL_PROOFS_PARAMETER_CACHE names.
    #[arg(long, value_name = "DIR")]
    pub params: Option<PathBuf>,
    /// Use this parameter file as it is, whoever made it: nothing but its format is looked at.
    #[arg(long, value_name = "FILE")]
    pub unverified_params: Option<PathBuf>,
    /// Take the sector and the randomness of the proof from this number, so that the same bytes come again. Whoever
    /// knows it can take the witness out of the proof: this gives up zero knowledge.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Write what was done and measured to this file, as JSON.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Prove several sectors through the engine: synthesis and proving overlap, circuits are recorded once, memory stays
    /// inside --budget.
    #[arg(long, conflicts_with_all = ["c1", "out"])]
    pub engine: bool,
    /// With --engine: so many sectors.
    #[arg(long, value_name = "N", requires = "engine", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub sectors: u64,
    /// With --engine: what the whole process may take, as in 6GiB; else three quarters of what the machine has free.
    #[arg(long, value_name = "SIZE", requires = "engine")]
    pub budget: Option<Bytes>,
    /// With --engine: synthesise plainly, without recordings.
    #[arg(long, requires = "engine")]
    pub no_recordings: bool,
}

impl RunArgs {
    /// The checked request to an engine.
    pub fn engine_request(&self, user: &UserSettings) -> Result<EngineRequest> {
        let request = self.request(user)?;
        let Source::Sector { seed } = request.source else {
            unreachable!("--c1 is in conflict with --engine");
        };
        let free = process::available().map(|bytes| bytes / 4 * 3);
        let Some(budget) = self.budget.map(|bytes| bytes.0).or(free) else {
            bail!(
                "the system does not say how much memory is free: name a --budget, as in --budget 6GiB"
            );
        };
        Ok(EngineRequest {
            circuit: request.circuit,
            backend: request.backend,
            gpu: request.gpu,
            sectors: self.sectors,
            seed,
            budget,
            recordings: !self.no_recordings,
            parameters: request.parameters,
        })
    }

    /// The checked request.
    pub fn request(&self, user: &UserSettings) -> Result<Request> {
        let circuit: CircuitId = self.kind.parse()?;
        if let Some(folder) = &self.params {
            ensure!(
                folder.is_dir(),
                "--params {}: there is no such folder",
                folder.display()
            );
        }
        // The sector and the scalars of a proof have nothing in common, not even where both come from one number.
        let source = match &self.c1 {
            None => Source::Sector {
                seed: self.seed.unwrap_or_else(|| OsRng.next_u64()),
            },
            Some(path) => Source::C1 {
                path: path.clone(),
                registered: self
                    .registered_proof
                    .as_deref()
                    .map(str::parse)
                    .transpose()?,
                prover_id: self.prover_id.as_deref().map(prover_id).transpose()?,
                sector: self.sector_id,
            },
        };
        Ok(Request {
            circuit,
            backend: self.backend,
            gpu: GpuUse {
                memory_gib: self.gpu_memory,
                device: self.gpu,
            },
            source,
            parameters: Lookup::new(self.unverified_params.clone(), self.params.clone(), user),
            randomness: self.seed,
            out: self.out.clone(),
        })
    }
}

fn prover_id(text: &str) -> Result<[u8; 32]> {
    let digits = text.strip_prefix("0x").unwrap_or(text).as_bytes();
    ensure!(
        digits.len() == 64 && digits.iter().all(u8::is_ascii_hexdigit),
        "--prover-id has 64 hexadecimal digits, not {text:?}"
    );
    let mut id = [0; 32];
    for (byte, pair) in id.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = u8::from_str_radix(str::from_utf8(pair)?, 16)?;
    }
    Ok(id)
}

/// Arguments of `check-params`.
#[derive(Debug, Args)]
pub struct CheckParamsArgs {
    /// A parameter file in bellperson's format.
    pub file: PathBuf,
    /// Write the result to this file, as JSON.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prover_id_is_read_byte_by_byte() {
        let text = format!("0a{}ff", "00".repeat(30));
        let id = prover_id(&text).expect("32 bytes");
        assert_eq!((id[0], id[1], id[31]), (10, 0, 255));
        for text in [
            "",
            "0a",
            &text[1..],
            &format!("{text}0"),
            &format!("+1{}", &text[2..]),
        ] {
            let error = prover_id(text).expect_err("refused").to_string();
            assert!(error.contains("64 hexadecimal digits"), "{error}");
        }
    }

    #[test]
    fn a_prover_is_chosen_by_name() {
        let backend = |arguments: &[&str]| {
            let line = [&["prove", "run", "porep-2k"][..], arguments].concat();
            let cli = Cli::try_parse_from(line).map_err(|error| error.to_string())?;
            match cli.verb {
                Verb::Run(args) => Ok(args.backend),
                Verb::CheckParams(_) => Err("another verb".to_owned()),
            }
        };
        assert_eq!(backend(&[]), Ok(Backend::Cpu));
        assert_eq!(backend(&["--backend", "gpu"]), Ok(Backend::Gpu));
        let error = backend(&["--backend", "tpu"]).expect_err("refused");
        assert!(error.contains("cpu or gpu"), "{error}");
    }

    #[test]
    fn what_belongs_to_c1_output_needs_some() {
        for flags in [["--prover-id", "00"], ["--registered-proof", "5"]] {
            let line = [&["prove", "run", "porep-2k"][..], &flags].concat();
            let error = Cli::try_parse_from(line).expect_err("refused").to_string();
            assert!(error.contains("--c1"), "{error}");
        }
        let line = ["prove", "run", "porep-2k", "--c1", "x", "--sector-id", "1"];
        let error = Cli::try_parse_from(line).expect_err("refused").to_string();
        assert!(error.contains("--prover-id"), "{error}");
    }
}
