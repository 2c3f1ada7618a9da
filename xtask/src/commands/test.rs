//! `cargo xtask test` and `cargo xtask lint`.

use std::process::ExitCode;

use anyhow::Result;

use crate::flags::test::{LintArgs, TestArgs};
use crate::layout::Layout;
use crate::suite::{
    self, Outcome, Step, commands, cuda, downstream, gpu_suite, laboratory, proofs, released,
    stacks, upstream, verbs,
};

/// This program and the packages of its workspace, and where cargo builds them and their tests.
const XTASK: [&str; 6] = [
    "--workspace",
    "--locked",
    "--manifest-path",
    "xtask/Cargo.toml",
    "--target-dir",
    "target/xtask",
];

/// The program that profiles need heavy libraries for.
const FRAMES: [&str; 5] = [
    "--locked",
    "--manifest-path",
    "xtask/frames/Cargo.toml",
    "--target-dir",
    "target/xtask",
];

/// The workspace of the `released` arm; it shares what it can with the root's.
const RELEASED: [&str; 6] = [
    "--release",
    "--locked",
    "--manifest-path",
    "benches/released/Cargo.toml",
    "--target-dir",
    "target",
];

/// Runs the tests.
pub fn run(layout: &Layout, args: TestArgs) -> Result<ExitCode> {
    let steps = suite::choose(steps(&args), &args.only)?;
    if args.list {
        suite::list(&steps);
        return Ok(ExitCode::SUCCESS);
    }
    Ok(suite::run(layout, "test", &steps))
}

fn steps(args: &TestArgs) -> Vec<Step> {
    let update = args.update_upstream;
    let mut steps = vec![
        Step::new("xtask", "this program's own tests", |layout| {
            commands::cargo_test(layout, &XTASK)
        }),
        Step::new("frames", "tests of what profiles draw with", |layout| {
            commands::cargo_test(layout, &FRAMES)
        }),
        Step::new(
            "resolve",
            "the trees are made, and every upstream crate resolves once, to its tree",
            stacks::resolve_patched,
        ),
        Step::new(
            "workspace",
            "tests of the workspace on the patched stack",
            |layout| commands::cargo_test(layout, &["--release", "--locked", "--workspace"]),
        ),
        Step::new(
            "cuda",
            "what calls SupraSeal type-checks on patched and pristine, and its kernels compile where there is a toolkit",
            cuda::check,
        ),
        Step::new("released", "tests of the released arm", |layout| {
            commands::cargo_test(layout, &RELEASED)
        }),
    ];
    for suite in upstream::SUITES {
        let name = format!("upstream/{}", suite.krate);
        let shows = "upstream's own tests on the patched tree, by committed names";
        steps.push(Step::new(name, shows, move |layout| {
            upstream::run(layout, &suite, update)
        }));
    }
    steps.extend([
        Step::new(
            "answers",
            "every workload gives the same answers on pristine and patched",
            |layout| same_answers(layout, &["synth", "prove/sha256", "params/sha256"]),
        ),
        Step::new(
            "parameters",
            "circuits of unusual shape have the same parameters on released, pristine and patched",
            |layout| {
                let shapes = ["params/many-inputs", "params/sparse-b", "params/dense"];
                let arms = ["--arms", "released,pristine,patched", "--answers"];
                let size = ["--size", "2500"];
                commands::xtask(
                    layout,
                    &[&["bench"], &shapes[..], &arms[..], &size].concat(),
                )
            },
        ),
        Step::new(
            "verbs",
            "what `prove`, `verify` and `params check` cannot do, or find bad, ends as it must",
            verbs::failures,
        ),
        Step::new(
            "released-equals-pristine",
            "instrument patches change no byte of a proof and cost no time",
            released::equals_pristine,
        ),
    ]);
    // Steps that take minutes run where they are asked for.
    let wanted = |flag: bool, name: &str| flag || args.list || args.only.iter().any(|o| o == name);
    if wanted(args.proofs, "proofs") {
        steps.push(Step::new(
            "proofs",
            "a real proof of every kind, from a sealed sector to a program without patches that verifies it",
            proofs::end_to_end,
        ));
    }
    if wanted(args.proofs, "proofs/engine") {
        steps.push(Step::new(
            "proofs/engine",
            "real sectors through the engine, one cancelled, beside damaged input and a circuit that panics",
            proofs::through_engine,
        ));
    }
    if wanted(args.proofs, "answers/porep-2k") {
        steps.push(Step::new(
            "answers/porep-2k",
            "a real proof is the same bytes on pristine and patched",
            |layout| same_answers(layout, &["prove/porep-2k"]),
        ));
    }
    if wanted(args.downstream, "downstream") {
        steps.push(Step::new(
            "downstream",
            "projects of others pass on a dist of the stack: by path, from a git repository, by a local registry",
            downstream::run,
        ));
    }
    if wanted(args.gpu_suite, "gpu-suite") {
        steps.push(Step::new(
            "gpu-suite",
            "a kept run of every case on a GPU was good, and of what the tree has today",
            gpu_suite::check,
        ));
    }
    if wanted(args.laboratory, "laboratory") {
        steps.push(Step::new(
            "laboratory",
            "no difference of equal arms is claimed, and a known change is found where it is; wants a quiet machine",
            laboratory::tried,
        ));
    }
    if wanted(args.leave_one_out, "stacks") {
        steps.push(Step::new(
            "stacks",
            "cuzk-core, `prove` and the workloads compile on pristine and without any one optimisation",
            stacks::compile_others,
        ));
    }
    steps
}

fn same_answers(layout: &Layout, workloads: &[&str]) -> Outcome {
    let arms = ["--arms", "pristine,patched", "--answers"];
    commands::xtask(layout, &[&["bench"], workloads, &arms[..]].concat())
}

/// Runs the checks that compile and measure nothing.
pub fn lint(layout: &Layout, args: LintArgs) -> Result<ExitCode> {
    let steps = suite::choose(lint_steps(), &args.only)?;
    if args.list {
        suite::list(&steps);
        return Ok(ExitCode::SUCCESS);
    }
    Ok(suite::run(layout, "lint", &steps))
}

fn lint_steps() -> Vec<Step> {
    let warnings = ["--", "-D", "warnings"];
    let clippy = |args: &[&'static str]| {
        let args = [&["clippy", "--all-targets"], args, &warnings[..]].concat();
        move |layout: &Layout| commands::cargo_check(layout, &args, &[])
    };
    let format = |manifest: &'static str| {
        move |layout: &Layout| {
            let args = ["fmt", "--all", "--check", "--manifest-path", manifest];
            commands::cargo_check(layout, &args, &[])
        }
    };
    let rustdoc = |args: &[&'static str]| {
        let args = [&["doc", "--no-deps"], args].concat();
        move |layout: &Layout| {
            commands::cargo_check(layout, &args, &[("RUSTDOCFLAGS", "-D warnings")])
        }
    };
    vec![
        Step::new("format", "rustfmt of the workspace", format("Cargo.toml")),
        Step::new("format/xtask", "rustfmt", format("xtask/Cargo.toml")),
        Step::new(
            "format/frames",
            "rustfmt",
            format("xtask/frames/Cargo.toml"),
        ),
        Step::new(
            "format/released",
            "rustfmt",
            format("benches/released/Cargo.toml"),
        ),
        Step::new("format/downstream", "rustfmt", downstream::formatted),
        Step::new("resolve", "the trees are there", stacks::resolve_patched),
        Step::new("clippy/xtask", "clippy", clippy(&XTASK)),
        Step::new("clippy/frames", "clippy", clippy(&FRAMES)),
        Step::new(
            "clippy",
            "clippy",
            clippy(&["--release", "--locked", "--workspace"]),
        ),
        Step::new("clippy/released", "clippy", clippy(&RELEASED)),
        Step::new(
            "rustdoc",
            "the documentation builds without warnings",
            rustdoc(&["--release", "--locked", "--workspace"]),
        ),
        Step::new(
            "rustdoc/xtask",
            "the same for this program",
            rustdoc(&XTASK),
        ),
        Step::new(
            "rustdoc/frames",
            "the same for what profiles draw with",
            rustdoc(&FRAMES),
        ),
        Step::new(
            "rustdoc/released",
            "the same for the released arm",
            rustdoc(&RELEASED),
        ),
        Step::new(
            "patches",
            "patches are as an export writes them, keep their rules, and are backed by results",
            |layout| commands::xtask(layout, &["patch", "check"]),
        ),
        Step::new(
            "report",
            "what is generated from results is up to date",
            |layout| commands::xtask(layout, &["report", "--check"]),
        ),
    ]
}
