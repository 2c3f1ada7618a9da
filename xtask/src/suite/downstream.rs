//! The step that uses the stack as others do: from a dist, in projects that know nothing of this repository.
//!
//! Each project of `tests/downstream/` is copied out of the repository, and gets what docs/consuming.md tells its owner to
//! add, by the verbs that it names. All of them are built by path. One is also built from a git repository that the dist
//! was committed to, and one from a local registry, both with an empty cargo home and no network.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use walkdir::WalkDir;

use super::{Outcome, commands};
use crate::cargo;
use crate::layout::Layout;
use crate::progress::Progress;

/// Where the projects lie, from the root.
const PROJECTS: &str = "tests/downstream";

/// A project, the upstream crates that its graph has, and what its tests need to be told.
struct Project {
    name: &'static str,
    crates: &'static [&'static str],
    features: Option<&'static str>,
    embeds: bool,
}
