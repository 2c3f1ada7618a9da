//! Builds arms, each binary once: it is kept under the stamp of everything that decides it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::inputs::Inputs;
use super::program::Program;
use super::purpose::Purpose;
use super::spec::ArmSpec;
use crate::cargo;
use crate::cuda::{self, Surroundings, Toolkit};
use crate::files;
use crate::layout::Layout;
use crate::progress::Progress;
use crate::resolve;
use crate::stack::manifest::Manifest;
use crate::stack::materialise::{Edited, Stack, materialise};
use crate::stack::selection::Selection;

/// An arm whose binary is there.
#[derive(Clone, Debug)]
pub struct BuiltArm {
    /// What was asked for.
    pub spec: ArmSpec,
    /// Names the binary: a hash of everything that decides it.
    pub stamp: String,
    /// The binary of the program.
    pub binary: PathBuf,
    /// What went into the stamp, for the record; the stack's stamp is in it.
    pub what: Inputs,
}

/// Builds what a comparison runs on each arm, where it is not built yet, in order.
pub fn build(layout: &Layout, specs: &[ArmSpec], progress: Progress) -> Result<Vec<BuiltArm>> {
    let manifest = Manifest::load(layout)?;
    // A name that is wrong is said before the first build, not after it.
    for spec in specs.iter().filter(|s| s.stack != Selection::Released) {
        spec.stack.optimisations(&manifest)?;
    }
    specs
        .iter()
        .map(|spec| {
            let program = Program::compared_on(&spec.stack);
            let purpose = Purpose::Measuring;
            one(layout, &manifest, program, spec, purpose, progress)
        })
        .collect()
}

/// Builds what a profile of an arm runs, where it is not built yet. It lies apart from what is measured.
pub fn build_for_profiling(
    layout: &Layout,
    spec: &ArmSpec,
    progress: Progress,
) -> Result<BuiltArm> {
    let manifest = Manifest::load(layout)?;
    let program = Program::compared_on(&spec.stack);
    let purpose = Purpose::Profiling;
    one(layout, &manifest, program, spec, purpose, progress)
}

/// Builds one program on one arm, where it is not built yet.
pub fn build_program(
    layout: &Layout,
    program: &Program,
    spec: &ArmSpec,
    progress: Progress,
) -> Result<BuiltArm> {
    let manifest = Manifest::load(layout)?;
    let purpose = Purpose::Measuring;
    one(layout, &manifest, program, spec, purpose, progress)
}

fn one(
    layout: &Layout,
    manifest: &Manifest,
    program: &Program,
    spec: &ArmSpec,
    purpose: Purpose,
    progress: Progress,
) -> Result<BuiltArm> {
    let stack = match &spec.stack {
        Selection::Released => None,
        selection => Some(materialise(
            layout,
            manifest,
            selection,
            Edited::Refuse,
            progress,
        )?),
    };
    let stack_stamp = stack.as_ref().map_or("released".to_owned(), |s| {
        s.stamp_with(manifest, &spec.features)
    });
    let toolkit =
        match spec.has_cuda() {
            true => Some(cuda::find(&Surroundings::of(layout)).with_context(|| {
                format!("arm `{spec}` needs a CUDA toolkit (`cargo xtask cuda`)")
            })?),
            false => None,
        };
    let toolkit = toolkit.as_ref();
    let take = || -> Result<Inputs> {
        let what = Inputs::take(layout, program, spec, &stack_stamp, toolkit)?;
        Ok(what.built_for(purpose))
    };
    let what = take()?;
    let stamp = what.stamp()?;
    let binary = purpose.arms(layout).join(&stamp).join(program.name);
    if !binary.is_file() {
        let shown = format!("`{}` on arm {spec}{}", program.name, purpose.suffix());
        if let Some(toolkit) = toolkit {
            let (root, version) = (layout.show(&toolkit.root), &toolkit.version.full);
            let architectures = &toolkit.architectures;
            progress.step("CUDA", format!("{version} of {root}, for {architectures}"));
            toolkit.try_out(&layout.target.join("cuda-trial"))?;
        }
        progress.step("Building", shown);
        if let Some(stack) = &stack {
            resolve::check(layout, manifest, stack, &spec.features)?;
        }
        let _lock = lock(layout)?;
        let made = compile(
            layout,
            program,
            spec,
            stack.as_ref(),
            purpose,
            toolkit,
            progress,
        )?;
        if take()? != what {
            bail!("sources changed while arm `{spec}` was being built: run again");
        }
        // The trees too: a binary under the stamp of trees that it was not made from would stay wrong for good.
        if let Some(stack) = &stack {
            let now = materialise(layout, manifest, &stack.selection, Edited::Refuse, progress)?;
            if now.stamp != stack.stamp || !now.made.is_empty() {
                bail!(
                    "the trees of stack `{}` changed while arm `{spec}` was being built: run again",
                    stack.selection
                );
            }
        }
        keep(layout, &made, &binary, &what)?;
    }
    Ok(BuiltArm {
        spec: spec.clone(),
        stamp,
        binary,
        what,
    })
}

/// All arms are linked to one place in the target folder, from where each is copied before the next is built.
fn lock(layout: &Layout) -> Result<fs::File> {
    let path = layout.target.join("arms.lock");
    let file = fs::create_dir_all(&layout.target)
        .and_then(|()| fs::File::create(&path))
        .and_then(|file| file.lock().map(|()| file));
    file.with_context(|| format!("cannot lock {}", layout.show(&path)))
}

fn compile(
    layout: &Layout,
    program: &Program,
    spec: &ArmSpec,
    stack: Option<&Stack>,
    purpose: Purpose,
    toolkit: Option<&Toolkit>,
    progress: Progress,
) -> Result<PathBuf> {
    let name = program.name;
    let mut command = command(layout, program, spec, stack, purpose);
    if let Some(toolkit) = toolkit {
        toolkit.apply(&mut command);
    }
    let output = cargo::run(&mut command, progress).with_context(|| {
        format!("`{name}` cannot be built on arm `{spec}`. Mend what cargo names and run the same command again")
    })?;
    executable(&output, name)
        .with_context(|| format!("cargo built arm `{spec}` and named no binary `{name}`"))
}

fn command(
    layout: &Layout,
    program: &Program,
    spec: &ArmSpec,
    stack: Option<&Stack>,
    purpose: Purpose,
) -> Command {
    let mut command = cargo::cargo(layout);
    command.args([
        "build",
        "--release",
        "--locked",
        "--message-format",
        "json-render-diagnostics",
    ]);
    command.arg("--target-dir").arg(purpose.target(layout));
    command.args(program.package);
    command.args(["--bin", program.name]);
    if let Some(config) = stack.and_then(|s| s.config.as_ref()) {
        command.arg("--config").arg(config);
    }
    if !spec.features.is_empty() {
        command.arg("--features").arg(spec.features.join(","));
    }
    for setting in purpose.settings(&spec.features) {
        command.arg("--config").arg(setting);
    }
    command
}

#[derive(Deserialize)]
struct Message {
    target: Option<Target>,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

/// The binary that cargo says it made.
fn executable(output: &str, name: &str) -> Option<PathBuf> {
    output
        .lines()
        .filter_map(|line| serde_json::from_str::<Message>(line).ok())
        .filter(|message| message.target.as_ref().is_some_and(|t| t.name == name))
        .find_map(|message| message.executable)
}

/// Copies the binary to its name: it is there whole or not at all.
fn keep(layout: &Layout, made: &Path, binary: &Path, what: &Inputs) -> Result<()> {
    let folder = binary.parent().unwrap_or(&layout.arms);
    let write = || -> Result<()> {
        fs::create_dir_all(folder)?;
        let inputs = serde_json::to_string_pretty(what)? + "\n";
        files::replace(&folder.join("inputs.json"), inputs.as_bytes())?;
        let beside = binary.with_extension("new");
        fs::copy(made, &beside)?;
        fs::rename(&beside, binary)?;
        Ok(())
    };
    write().with_context(|| {
        format!(
            "cannot copy {} to {}",
            layout.show(made),
            layout.show(binary)
        )
    })
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::super::program::PROVE;
    use super::*;

    fn line(program: &Program, spec: &str, stack: Option<&Stack>) -> String {
        line_for(Purpose::Measuring, program, spec, stack)
    }

    fn line_for(purpose: Purpose, program: &Program, spec: &str, stack: Option<&Stack>) -> String {
        let spec: ArmSpec = spec.parse().unwrap();
        let layout = Layout::new(Path::new("/w"));
        let command = command(&layout, program, &spec, stack, purpose);
        let arguments: Vec<_> = command.get_args().map(|a| a.to_string_lossy()).collect();
        arguments.join(" ")
    }

    #[test]
    fn an_arm_is_built_with_its_table_and_its_features() {
        let stack = Stack {
            selection: Selection::Pristine,
            stamp: String::new(),
            ids: Default::default(),
            folder: PathBuf::new(),
            trees: Default::default(),
            config: Some("/w/target/stacks/pristine/arm.toml".into()),
            made: Vec::new(),
        };
        let common = "build --release --locked --message-format json-render-diagnostics --target-dir /w/target";
        assert_eq!(
            line(
                Program::compared_on(&stack.selection),
                "pristine:features=a+b/c:k=v",
                Some(&stack)
            ),
            format!(
                "{common} -p cuzk-benches --bin workload --config /w/target/stacks/pristine/arm.toml --features a,b/c"
            )
        );
        assert_eq!(
            line(&PROVE, "pristine", Some(&stack)),
            format!(
                "{common} -p cuzk-prove --bin prove --config /w/target/stacks/pristine/arm.toml"
            )
        );
        assert_eq!(
            line(Program::compared_on(&Selection::Released), "released", None),
            format!("{common} --manifest-path benches/released/Cargo.toml --bin released")
        );
        assert_eq!(
            line_for(
                Purpose::Profiling,
                Program::compared_on(&stack.selection),
                "pristine",
                Some(&stack)
            ),
            format!(
                "{}/profile/build -p cuzk-benches --bin workload --config /w/target/stacks/pristine/arm.toml \
                 --config profile.release.debug=\"limited\" --config profile.release.strip=false",
                common
            )
        );
    }

    #[test]
    fn the_binary_is_the_one_that_cargo_names() {
        let output = "{\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"cuzk_core\"},\"executable\":null}\n\
                      not json\n{\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"workload\"},\"executable\":\"/t/release/workload\"}\n";
        assert_eq!(
            executable(output, "workload"),
            Some("/t/release/workload".into())
        );
        assert_eq!(executable(output, "released"), None);
    }
}
