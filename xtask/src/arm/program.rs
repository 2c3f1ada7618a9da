//! The programs that are built on stacks.

use crate::stack::selection::Selection;

/// A binary, where cargo finds it, and what it is compiled from.
#[derive(Debug, PartialEq, Eq)]
pub struct Program {
    /// The binary's name.
    pub name: &'static str,
    /// What names its package to cargo, at the root.
    pub package: &'static [&'static str],
    /// Folders of the packages of this repository that it is built from.
    pub sources: &'static [&'static str],
    /// The lock file that it is built with.
    pub lock: &'static str,
}

/// Runs the workloads of a comparison, on any stack with a tree.
pub static WORKLOAD: Program = Program {
    name: "workload",
    package: &["-p", "cuzk-benches"],
    sources: &[
        "cuzk-core",
        "prove",
        "benches",
        "benches/harness",
        "benches/circuits",
    ],
    lock: "Cargo.lock",
};

/// Proves, and verifies what others proved, without any patch.
pub static RELEASED: Program = Program {
    name: "released",
    package: &["--manifest-path", "benches/released/Cargo.toml"],
    sources: &["benches/released", "benches/harness", "benches/circuits"],
    lock: "benches/released/Cargo.lock",
};

/// Makes real proofs of Filecoin's kinds and checks parameters, on any stack with a tree.
pub static PROVE: Program = Program {
    name: "prove",
    package: &["-p", "cuzk-prove"],
    sources: &["cuzk-core", "prove", "benches/harness"],
    lock: "Cargo.lock",
};

/// Tries the GPU's prover, on a machine that has one and no cargo.
pub static GPU_SUITE: Program = Program {
    name: "gpu-suite",
    package: &["-p", "cuzk-gpu-suite"],
    sources: &["cuzk-core", "tests/gpu"],
    lock: "Cargo.lock",
};

impl Program {
    /// What a comparison runs on a stack.
    pub fn compared_on(stack: &Selection) -> &'static Program {
        match stack {
            Selection::Released => &RELEASED,
            _ => &WORKLOAD,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    use super::*;

    /// The folders of the packages that a manifest names by path, and those that these name.
    fn packages(root: &Path, manifest: &Path, found: &mut BTreeSet<PathBuf>) {
        let folder = manifest.parent().expect("a manifest lies in a folder");
        if !found.insert(folder.canonicalize().expect("it is there")) {
            return;
        }
        let table = read(manifest);
        let workspace = read(&root.join("Cargo.toml"));
        for (name, dependency) in table["dependencies"].as_table().expect("a table") {
            let inherited = dependency.get("workspace").is_some();
            let path = if inherited {
                let entry = &workspace["workspace"]["dependencies"][name];
                entry.get("path").map(|path| (root, path))
            } else {
                dependency.get("path").map(|path| (folder, path))
            };
            if let Some((base, path)) = path {
                let path = path.as_str().expect("a path is text");
                packages(root, &base.join(path).join("Cargo.toml"), found);
            }
        }
    }

    fn read(path: &Path) -> toml::Table {
        let text = std::fs::read_to_string(path).expect("a manifest");
        toml::from_str(&text).expect("TOML")
    }

    /// Otherwise a binary would be taken for up to date after a change of what it is made from.
    #[test]
    fn every_package_that_is_compiled_in_counts() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for program in [&WORKLOAD, &RELEASED, &PROVE, &GPU_SUITE] {
            let folder = program.sources.iter().map(|source| root.join(source));
            let listed: BTreeSet<PathBuf> = folder
                .map(|folder| folder.canonicalize().expect("it is there"))
                .collect();
            let own = match program.package {
                ["-p", "cuzk-benches"] => "benches/Cargo.toml",
                ["-p", "cuzk-prove"] => "prove/Cargo.toml",
                ["-p", "cuzk-gpu-suite"] => "tests/gpu/Cargo.toml",
                [_, manifest] => manifest,
                other => panic!("{other:?}"),
            };
            let mut needed = BTreeSet::new();
            packages(&root, &root.join(own), &mut needed);
            assert_eq!(listed, needed, "{}", program.name);
        }
    }
}
