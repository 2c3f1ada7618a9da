//! The toolchain that a project selects, against what its files and ours ask of one.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use semver::Version;
use thiserror::Error;

use super::project::Project;
use crate::cargo;

/// Lock file versions and editions, with the first release of Rust that reads them.
const LOCKS: [(i64, Version); 2] = [(3, Version::new(1, 53, 0)), (4, Version::new(1, 78, 0))];
const EDITIONS: [(&str, Version); 3] = [
    ("2018", Version::new(1, 31, 0)),
    ("2021", Version::new(1, 56, 0)),
    ("2024", Version::new(1, 85, 0)),
];

/// The toolchain of a folder.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// Its release.
    pub release: Version,
    /// Its host, as a target triple.
    pub host: String,
    /// The file that selects it.
    pub selected_by: Option<PathBuf>,
}

/// The least release that something needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    /// The release.
    pub release: Version,
    /// What needs it, and why.
    pub what: String,
}

/// The toolchain is older than what it would have to read.
#[derive(Debug, Error, PartialEq, Eq)]
#[error(
    "{folder} selects Rust {found}, and {what}, which needs {needed}: {next}", folder = folder.display(), what = demand.what,
    needed = short(&demand.release)
)]
pub struct TooOld {
    folder: PathBuf,
    found: Version,
    demand: Demand,
    next: String,
}

impl Toolchain {
    /// Asks the cargo that a folder selects. Nothing is installed for that.
    pub fn of(project: &Project) -> Result<Self> {
        let selected_by = selecting_file(&project.folder);
        let asked = cargo::output(project.cargo().arg("-vV")).with_context(|| {
            let by = match &selected_by {
                Some(file) => format!("{} selects", file.display()),
                None => format!("{} selects, with no rust-toolchain file,", project.folder.display()),
            };
            format!("the toolchain that {by} does not run; where it is not installed, `rustup toolchain install` in that folder does that")
        });
        let (text, _) = asked?;
        let (release, host) = parse(&text).with_context(|| {
            format!(
                "`cargo -vV` printed what is not understood here:\n{}",
                text.trim_end()
            )
        })?;
        Ok(Self {
            release,
            host,
            selected_by,
        })
    }

    /// Holds it against every demand; the greatest is named.
    pub fn check(&self, folder: &Path, demands: Vec<Demand>) -> Result<(), Box<TooOld>> {
        // A nightly is written as a release before its own.
        let found = Version::new(self.release.major, self.release.minor, self.release.patch);
        let greatest = demands
            .into_iter()
            .rev()
            .max_by(|a, b| a.release.cmp(&b.release));
        match greatest {
            Some(demand) if demand.release > found => {
                let channel = short(&demand.release);
                let next = match &self.selected_by {
                    Some(file) => format!("name {channel} or later in {}", file.display()),
                    None => format!(
                        "write `[toolchain]` and `channel = \"{channel}\"`, or a later one, into a rust-toolchain.toml there, or run `rustup update`"
                    ),
                };
                Err(Box::new(TooOld {
                    folder: folder.to_path_buf(),
                    found: self.release.clone(),
                    demand,
                    next,
                }))
            }
            _ => Ok(()),
        }
    }
}

/// What a lock file needs.
pub fn of_lock(shown: &str, text: &str) -> Option<Demand> {
    let line = text.lines().find_map(|line| line.strip_prefix("version"));
    let version: i64 = line?.trim_start().strip_prefix('=')?.trim().parse().ok()?;
    let (_, release) = LOCKS.into_iter().find(|(known, _)| *known == version)?;
    Some(Demand {
        release,
        what: format!("{shown} is of version {version}"),
    })
}

/// What a manifest needs: by its edition and its rust-version, its own or those that members inherit.
pub fn of_manifest(shown: &str, manifest: &toml::Table) -> Vec<Demand> {
    let inherited = manifest.get("workspace").and_then(|w| w.get("package"));
    let mut demands = Vec::new();
    for package in [manifest.get("package"), inherited].into_iter().flatten() {
        let text = |key| package.get(key).and_then(toml::Value::as_str);
        if let Some(edition) = text("edition")
            && let Some((_, release)) = EDITIONS.into_iter().find(|(known, _)| *known == edition)
        {
            demands.push(Demand {
                release,
                what: format!("{shown} is of edition {edition}"),
            });
        }
        if let Some(least) = text("rust-version")
            && let Some(release) = release(least)
        {
            demands.push(Demand {
                release,
                what: format!("{shown} has rust-version {least}"),
            });
        }
    }
    demands
}

/// A release as manifests write it, with one to three numbers.
fn release(text: &str) -> Option<Version> {
    let mut numbers = text.split('.').map(|part| part.parse().ok());
    let first = numbers.next()??;
    let second = numbers.next().unwrap_or(Some(0))?;
    let third = numbers.next().unwrap_or(Some(0))?;
    Some(Version::new(first, second, third))
}

fn short(release: &Version) -> String {
    match release.patch {
        0 => format!("{}.{}", release.major, release.minor),
        _ => release.to_string(),
    }
}

fn parse(text: &str) -> Option<(Version, String)> {
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
    let release = Version::parse(field("release: ")?.trim()).ok()?;
    Some((release, field("host: ")?.trim().to_owned()))
}

/// The file that rustup goes by, if there is one.
fn selecting_file(folder: &Path) -> Option<PathBuf> {
    let names = ["rust-toolchain", "rust-toolchain.toml"];
    folder
        .ancestors()
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn toolchain(release: &str) -> Toolchain {
        Toolchain {
            release: Version::parse(release).unwrap(),
            host: "h".into(),
            selected_by: None,
        }
    }

    fn demands() -> Vec<Demand> {
        let manifest = "[package]\nedition = \"2021\"\nrust-version = \"1.70\"\n[workspace.package]\nedition = \"2024\"\n";
        let mut demands = of_manifest("app/Cargo.toml", &toml::from_str(manifest).unwrap());
        demands.extend(of_lock(
            "Cargo.lock",
            "# made by cargo\nversion = 4\n\n[[package]]\nversion = \"9\"\n",
        ));
        demands
    }

    #[test]
    fn what_files_need_is_read_from_them() {
        let found: Vec<(String, String)> = demands()
            .into_iter()
            .map(|d| (short(&d.release), d.what))
            .collect();
        let expected = [
            ("1.56", "app/Cargo.toml is of edition 2021"),
            ("1.70", "app/Cargo.toml has rust-version 1.70"),
            ("1.85", "app/Cargo.toml is of edition 2024"),
            ("1.78", "Cargo.lock is of version 4"),
        ];
        assert_eq!(found, expected.map(|(r, w)| (r.to_owned(), w.to_owned())));
        assert_eq!(
            of_lock(
                "Cargo.lock",
                "[[package]]\nname = \"a\"\nversion = \"0.1.0\"\n"
            ),
            None
        );
    }

    #[test]
    fn the_greatest_demand_is_named_with_what_to_do() {
        let folder = Path::new("/p");
        assert_eq!(toolchain("1.85.0").check(folder, demands()), Ok(()));
        assert_eq!(toolchain("1.85.0-nightly").check(folder, demands()), Ok(()));
        let text = toolchain("1.77.2")
            .check(folder, demands())
            .unwrap_err()
            .to_string();
        assert_eq!(
            text,
            "/p selects Rust 1.77.2, and app/Cargo.toml is of edition 2024, which needs 1.85: write `[toolchain]` and `channel = \
             \"1.85\"`, or a later one, into a rust-toolchain.toml there, or run `rustup update`"
        );
        let mut chosen = toolchain("1.77.2");
        chosen.selected_by = Some("/p/rust-toolchain".into());
        let lock = of_lock("Cargo.lock", "version = 4\n").into_iter().collect();
        let text = chosen.check(folder, lock).unwrap_err().to_string();
        assert!(
            text.contains("version 4, which needs 1.78: name 1.78 or later in /p/rust-toolchain"),
            "{text}"
        );
    }

    #[test]
    fn cargo_says_its_release_and_host() {
        let text = "cargo 1.95.0 (f2d3ce0bd 2026-03-21)\nrelease: 1.95.0\nhost: x86_64-unknown-linux-gnu\n";
        let (release, host) = parse(text).unwrap();
        assert_eq!(
            (release.to_string().as_str(), host.as_str()),
            ("1.95.0", "x86_64-unknown-linux-gnu")
        );
        assert!(parse("cargo\n").is_none());
    }
}
