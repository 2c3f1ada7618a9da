//! `cargo xtask prove`: the program `prove`, built on a stack.

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::arm::{self, ArmSpec, PROVE};
use crate::flags::prove::ProveArgs;
use crate::handover::{self, Arguments};
use crate::layout::Layout;
use crate::progress::Progress;
use crate::stack::selection::Selection;

/// Builds the program on the stack that is wanted and becomes it.
pub fn run(layout: &Layout, args: ProveArgs) -> Result<ExitCode> {
    let stack: Selection = args.stack.parse()?;
    if stack == Selection::Released {
        bail!(
            "--stack released: what upstream published lacks the doors that `prove` uses; try `pristine`"
        );
    }
    let on_gpu = args.backend == GPU;
    if !on_gpu && (args.gpu_memory.is_some() || args.gpu.is_some()) {
        bail!(
            "--gpu-memory and --gpu are for NVIDIA's prover: add --backend gpu, or leave them out"
        );
    }
    let spec = ArmSpec {
        stack,
        features: Vec::new(),
        options: Vec::new(),
        again: None,
    };
    // One program proves on both; without a GPU in sight nobody should need nvcc.
    let spec = if on_gpu { spec.with_cuda() } else { spec };
    hand_over(layout, spec.stack, spec.features, &passed_on(args))
}

/// The backend that takes a feature.
const GPU: &str = "gpu";

/// Becomes the program `prove`, built on a stack with these features.
pub fn hand_over(
    layout: &Layout,
    stack: Selection,
    features: Vec<String>,
    arguments: &[OsString],
) -> Result<ExitCode> {
    let spec = ArmSpec {
        stack,
        features,
        options: Vec::new(),
        again: None,
    };
    let built = arm::build_program(layout, &PROVE, &spec, Progress::stderr())?;
    handover::run(&built.binary, arguments)
}

/// Everything but the stack. Paths stay as they are: the program runs in the person's own folder.
fn passed_on(args: ProveArgs) -> Vec<OsString> {
    Arguments::verb("run")
        .option("backend", (args.backend == GPU).then_some(args.backend))
        .option("gpu-memory", args.gpu_memory.map(|gib| gib.to_string()))
        .option("gpu", args.gpu.map(|n| n.to_string()))
        .option("c1", args.c1)
        .option("prover-id", args.prover_id)
        .option("sector-id", args.sector_id.map(|n| n.to_string()))
        .option("registered-proof", args.registered_proof)
        .option("out", args.out)
        .option("params", args.params)
        .option("unverified-params", args.unverified_params)
        .option("seed", args.seed.map(|n| n.to_string()))
        .option("json", args.json)
        .switch("engine", args.engine)
        .option("sectors", args.sectors.map(|n| n.to_string()))
        .option("budget", args.budget)
        .switch("no-recordings", args.no_recordings)
        .value(args.kind)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::flags::{Cli, Verb};

    fn parsed(arguments: &[&str]) -> Result<ProveArgs, String> {
        let line = ["xtask", "prove"].iter().chain(arguments);
        match Cli::try_parse_from(line)
            .map_err(|error| error.to_string())?
            .verb
        {
            Verb::Prove(args) => Ok(args),
            other => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn every_flag_is_passed_on() {
        let line = "porep-32g --backend gpu --gpu-memory 16 --gpu 1 --c1 c1.json --prover-id 00 --sector-id 7 --registered-proof 8 --out o --params p --unverified-params u \
                    --seed 9 --json j --stack pristine";
        let words: Vec<&str> = line.split_whitespace().collect();
        let passed = passed_on(parsed(&words).expect("good flags"));
        let expected = "run --backend=gpu --gpu-memory=16 --gpu=1 --c1=c1.json --prover-id=00 --sector-id=7 --registered-proof=8 --out=o --params=p --unverified-params=u \
                        --seed=9 --json=j -- porep-32g";
        let expected: Vec<&str> = expected.split_whitespace().collect();
        assert_eq!(passed, expected);
        let line = "porep-2k --engine --sectors 3 --budget 6GiB --no-recordings";
        let words: Vec<&str> = line.split_whitespace().collect();
        let passed = passed_on(parsed(&words).expect("good flags"));
        let expected = "run --engine --sectors=3 --budget=6GiB --no-recordings -- porep-2k";
        assert_eq!(passed, expected.split_whitespace().collect::<Vec<_>>());
        assert_eq!(
            passed_on(parsed(&["snap-2k"]).expect("good flags")),
            ["run", "--", "snap-2k"]
        );
    }

    /// Before anything is built, which takes minutes.
    #[test]
    fn what_cannot_be_is_refused_at_once() {
        for (line, said) in [
            (vec!["porep-3k"], "porep-2k"),
            (vec![], "KIND"),
            (vec!["porep-2k", "--prover-id", "00"], "--c1"),
            (vec!["porep-2k", "--sector-id", "7"], "--prover-id"),
            (
                vec!["porep-2k", "--c1", "x", "--sector-id", "7"],
                "--prover-id",
            ),
            (vec!["porep-2k", "--seed", "x"], "--seed"),
            (vec!["porep-2k", "--backend", "tpu"], "cpu, gpu"),
            (vec!["porep-2k", "--gpu-memory", "0"], "--gpu-memory"),
            (vec!["porep-2k", "--sectors", "2"], "--engine"),
            (vec!["porep-2k", "--engine", "--out", "o"], "--out"),
        ] {
            let error = parsed(&line).expect_err("bad flags");
            assert!(error.contains(said), "{line:?}: {error}");
        }
        let args = parsed(&["porep-2k", "--gpu", "0"]).expect("good flags");
        let error = run(&Layout::new(std::path::Path::new("/nowhere")), args).expect_err("no GPU");
        assert!(error.to_string().contains("--backend gpu"), "{error}");
        let mut args = parsed(&["porep-2k"]).expect("good flags");
        args.stack = "released".to_owned();
        let layout = Layout::new(std::path::Path::new("/nowhere"));
        let error = run(&layout, args).expect_err("no such arm").to_string();
        assert!(error.contains("pristine"), "{error}");
    }
}
