//! What only a GPU can try, and its stamp.
//!
//! A run on a GPU speaks of the trees of the crates with CUDA in them, of how cuzk-core calls them, and of the cases that
//! were tried. Everything else that the program is compiled from has tests that need no GPU, and would make every change of
//! the repository void what a GPU said. Compilers, toolkit and lock file do not count either: CI could not know them.

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use super::inputs::add_folder;
use super::spec::ArmSpec;
use crate::layout::Layout;
use crate::progress::Progress;
use crate::stack::manifest::{Manifest, Release};
use crate::stack::materialise::{Edited, materialise};
use crate::stack::selection::Selection;

/// The suite with its list of cases, and the calls across the boundary.
const SOURCES: [&str; 2] = ["tests/gpu", "cuzk-core/src/cuda"];

/// The stamp of what a GPU tries of an arm.
pub fn stamp(layout: &Layout, spec: &ArmSpec, progress: Progress) -> Result<String> {
    if spec.stack == Selection::Released {
        bail!("`released` has no prover for a GPU to try");
    }
    let manifest = Manifest::load(layout)?;
    let stack = materialise(layout, &manifest, &spec.stack, Edited::Refuse, progress)?;
    let mut hasher = Sha256::new();
    for Release { name, .. } in manifest.releases.iter().filter(|r| is_of_cuda(r)) {
        let tree = stack.ids.get(name);
        let tree = tree.with_context(|| format!("the stack `{}` has no {name}", spec.stack))?;
        hasher.update(format!("{name} {tree}\n"));
    }
    for folder in SOURCES {
        add_folder(layout, &mut hasher, folder)?;
    }
    Ok(hex::encode(hasher.finalize()))
}

fn is_of_cuda(release: &Release) -> bool {
    release.is_compiled(&["cuda".to_owned()]) && !release.is_compiled(&[])
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_crates_of_the_gpu_and_what_calls_them_are_there() {
        let layout = Layout::new(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")));
        let manifest = Manifest::load(&layout).expect("the series");
        let crates = manifest
            .releases
            .iter()
            .filter(|release| is_of_cuda(release));
        let names: Vec<&str> = crates.map(|release| release.name.as_str()).collect();
        assert_eq!(names, ["supraseal-c2", "sppark"]);
        for folder in SOURCES {
            assert!(layout.root.join(folder).is_dir(), "{folder}");
        }
    }
}
