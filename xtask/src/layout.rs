//! Where things lie in the repository.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// The folders of one checkout. Every path that `xtask` writes to starts from here.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The repository's root: the folder of the workspace's Cargo.toml.
    pub root: PathBuf,
    /// `extern/`: the series, the patches, the trees of the default series.
    pub extern_dir: PathBuf,
    /// `extern/stack.toml`.
    pub stack_toml: PathBuf,
    /// `extern/patches/`.
    pub patches: PathBuf,
    /// `target/`, shared by every arm.
    pub target: PathBuf,
    /// `target/stacks/`: the trees of every stack but `patched`.
    pub stacks: PathBuf,
    /// `target/arms/`: the binaries, each under its stamp.
    pub arms: PathBuf,
    /// `target/fetch/`: the manifest through which cargo fetches the releases.
    pub fetch: PathBuf,
    /// `results/`: results that are kept.
    pub results: PathBuf,
    /// `target/results/`: results of this machine.
    pub target_results: PathBuf,
}

impl Layout {
    /// The checkout whose root is `root`.
    pub fn new(root: &Path) -> Self {
        let extern_dir = root.join("extern");
        let target = root.join("target");
        Self {
            root: root.to_path_buf(),
            stack_toml: extern_dir.join("stack.toml"),
            patches: extern_dir.join("patches"),
            extern_dir,
            stacks: target.join("stacks"),
            arms: target.join("arms"),
            fetch: target.join("fetch"),
            target_results: target.join("results"),
            target,
            results: root.join("results"),
        }
    }

    /// The checkout that `start` lies in.
    pub fn find(start: &Path) -> Result<Self> {
        let found = start
            .ancestors()
            .find(|folder| folder.join("extern/stack.toml").is_file());
        let Some(root) = found else {
            bail!(
                "no extern/stack.toml in {} or above it: run `cargo xtask` from the root of the cuzk repository",
                start.display()
            );
        };
        let root = root
            .canonicalize()
            .with_context(|| format!("cannot resolve {}", root.display()))?;
        Ok(Self::new(&root))
    }

    /// `path` as seen from the root, for messages.
    pub fn show(&self, path: &Path) -> String {
        path.strip_prefix(&self.root)
            .unwrap_or(path)
            .display()
            .to_string()
    }
}
