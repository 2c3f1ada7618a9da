//! `cargo xtask cuda`: the toolkit for device code.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, ensure};

use crate::cuda::{self, Surroundings, install, report};
use crate::files;
use crate::flags::cuda::CudaArgs;
use crate::layout::Layout;
use crate::lock;
use crate::progress::Progress;
use crate::results::store;

/// Finds the toolkit, or installs it first, tries it out and prints what it is.
pub fn run(layout: &Layout, args: CudaArgs) -> Result<ExitCode> {
    let progress = Progress::stderr();
    let printed = args.json.as_deref() == Some(Path::new("-"));
    let json = args
        .json
        .filter(|_| !printed)
        .map(|path| files::destination("--json", &path, Some(&layout.results), files::is_document))
        .transpose()?;
    let around = Surroundings::of(layout);
    if args.install {
        let _lock = lock::take(layout, "cuda", progress)?;
        install::install(layout, &around, progress)?;
    }
    let toolkit = cuda::find(&around)?;
    toolkit.try_out(&layout.target.join("cuda-trial"))?;
    let document = report::document(&toolkit);
    if let Some(path) = json {
        store::write_document(&path, &document)?;
    }
    match printed {
        true => println!("{}", serde_json::to_string_pretty(&document)?),
        false => print!("{}", report::text(&toolkit, true)),
    }
    if args.install {
        let installed = install::root(layout);
        ensure!(
            toolkit.root == installed,
            "{} is installed, and another one is used: {}; unset the variable that names that",
            layout.show(&installed),
            toolkit.why
        );
    }
    Ok(ExitCode::SUCCESS)
}
