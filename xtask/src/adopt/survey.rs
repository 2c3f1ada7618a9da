//! One row for each crate of the stack: how it stands in a foreign graph. A pure function of what cargo and files say.

use std::path::{Path, PathBuf};

use semver::{Version, VersionReq};

use super::entries::{Entries, Entry};
use super::reason::Reason;
use crate::resolve::{self, Copy, Fault, Lock, Metadata, Package};
use crate::stack::release::CRATES_IO;

/// What is looked at.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The graph, with the paths of local packages resolved.
    pub metadata: &'a Metadata,
    /// The lock file.
    pub lock: &'a Lock,
    /// What the workspace says about where crates come from.
    pub entries: &'a Entries,
    /// The root manifest.
    pub root: &'a Path,
    /// The stack's crates, with their paths resolved.
    pub copies: &'a [Copy],
}

/// How one crate of the stack stands.
#[derive(Debug)]
pub struct Row {
    /// The crate.
    pub name: String,
    /// The stack's version.
    pub version: String,
    /// The stack's folder of it.
    pub path: PathBuf,
    /// How it stands.
    pub state: State,
    /// True when a line of the workspace leads to the stack's folder.
    pub has_line: bool,
    /// Why it is not, or what is to be known.
    pub reasons: Vec<Reason>,
}

/// How a crate of the stack stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It resolves once, to the stack's folder.
    Patched,
    /// It would, with a line or a step more.
    WouldBe,
    /// Nothing in the graph depends on it.
    NotUsed,
    /// It does not and would not.
    Not,
}

impl State {
    /// In words, for the table.
    pub fn words(self) -> &'static str {
        match self {
            Self::Patched => "patched",
            Self::WouldBe => "would be patched",
            Self::NotUsed => "not used",
            Self::Not => "not patched",
        }
    }

    /// For JSON.
    pub fn key(self) -> &'static str {
        match self {
            Self::Patched => "patched",
            Self::WouldBe => "would-be-patched",
            Self::NotUsed => "not-used",
            Self::Not => "not-patched",
        }
    }
}

/// A row for each copy, in order.
pub fn rows(subject: &Subject<'_>) -> Vec<Row> {
    subject
        .copies
        .iter()
        .map(|copy| subject.row(copy))
        .collect()
}

impl Subject<'_> {
    fn row(&self, copy: &Copy) -> Row {
        let has_line = self.entries_of(copy).any(|entry| self.is_ours(entry, copy));
        let (state, reasons) = self.judge(copy, has_line);
        Row {
            name: copy.name.clone(),
            version: copy.version.clone(),
            path: copy.path.clone(),
            state,
            has_line,
            reasons,
        }
    }

    fn judge(&self, copy: &Copy, has_line: bool) -> (State, Vec<Reason>) {
        let found = self.packages(&copy.name);
        let mut reasons = match found[..] {
            [] => {
                let reasons = if has_line {
                    vec![Reason::IdleLine]
                } else {
                    Vec::new()
                };
                return (State::NotUsed, reasons);
            }
            [one] if self.is_copy(one, copy) => {
                let faults = self.faults(copy);
                if faults.is_empty() {
                    return (State::Patched, Vec::new());
                }
                faults
            }
            [one] => self.why_not(copy, one),
            _ => vec![Reason::Copies {
                found: found.iter().map(|package| self.describe(package)).collect(),
            }],
        };
        let ignored = self
            .entries
            .ignored
            .iter()
            .filter(|entry| entry.name == copy.name);
        reasons.extend(ignored.map(|entry| Reason::LineOfMember {
            file: entry.file.clone(),
            root: self.root.to_path_buf(),
        }));
        if has_line && reasons.is_empty() {
            reasons.push(Reason::Unexplained {
                found: found.iter().map(|package| self.describe(package)).collect(),
            });
        }
        if reasons.iter().any(Reason::blocks) {
            return (State::Not, reasons);
        }
        (State::WouldBe, reasons)
    }

    /// Why the one package of that name is not the stack's, or is not yet.
    fn why_not(&self, copy: &Copy, found: &Package) -> Vec<Reason> {
        let elsewhere = self
            .entries_of(copy)
            .find(|entry| !self.is_ours(entry, copy));
        if let Some(entry) = elsewhere {
            return vec![Reason::LineElsewhere {
                file: entry.file.clone(),
                line: entry.text.clone(),
            }];
        }
        if let Some(entry) = self
            .entries
            .replaced
            .iter()
            .find(|entry| entry.name == copy.name)
        {
            return vec![Reason::Replaced {
                file: entry.file.clone(),
                line: entry.text.clone(),
            }];
        }
        if !found.source.as_deref().is_some_and(is_crates_io) {
            return vec![Reason::Source {
                found: self.describe(found),
            }];
        }
        let mut reasons = self.out_of_range(copy, found);
        if reasons.is_empty() && found.version != copy.version {
            reasons.push(Reason::Locked {
                found: found.version.clone(),
                command: update(copy, found),
            });
        }
        reasons.extend(self.faults(copy));
        reasons
    }

    /// Who asks for versions among which the stack's is not.
    fn out_of_range(&self, copy: &Copy, found: &Package) -> Vec<Reason> {
        let Ok(version) = Version::parse(&copy.version) else {
            return Vec::new();
        };
        let asked = self.asked(found).into_iter().filter(|asking| {
            VersionReq::parse(&asking.requirement).is_ok_and(|r| !r.matches(&version))
        });
        asked
            .map(|asking| Reason::Range {
                asked_by: asking.by,
                requirement: asking.requirement,
                found: found.version.clone(),
            })
            .collect()
    }

    /// What the check of graphs finds in how the copy would stand here: features and native libraries.
    fn faults(&self, copy: &Copy) -> Vec<Reason> {
        let copies = std::slice::from_ref(copy);
        let subject = resolve::Subject {
            metadata: self.metadata,
            lock: self.lock,
            messages: "",
            copies,
            features: &[],
        };
        let features = resolve::find(&subject)
            .into_iter()
            .filter_map(|fault| match fault {
                Fault::Feature {
                    feature,
                    asked_by,
                    has,
                    ..
                } => Some(Reason::Feature {
                    feature,
                    asked_by,
                    has,
                }),
                _ => None,
            });
        features.chain(self.same_links(copy)).collect()
    }

    /// Packages of another name that claim the native library of the copy.
    fn same_links(&self, copy: &Copy) -> Vec<Reason> {
        let claiming = self.metadata.packages.iter().filter(|package| {
            copy.links.is_some() && package.links == copy.links && package.name != copy.name
        });
        claiming
            .map(|package| Reason::Links {
                links: copy.links.clone().unwrap_or_default(),
                ours: format!("{} {}", copy.name, copy.version),
                other: self.describe(package),
            })
            .collect()
    }

    fn entries_of(&self, copy: &Copy) -> impl Iterator<Item = &Entry> {
        self.entries
            .patches
            .iter()
            .filter(|entry| entry.name == copy.name)
    }

    fn is_ours(&self, entry: &Entry, copy: &Copy) -> bool {
        entry.path.as_ref() == Some(&copy.path)
    }

    fn is_copy(&self, package: &Package, copy: &Copy) -> bool {
        package.source.is_none() && package.manifest_path == copy.path.join("Cargo.toml")
    }

    fn packages(&self, name: &str) -> Vec<&Package> {
        self.metadata
            .packages
            .iter()
            .filter(|package| package.name == name)
            .collect()
    }

    /// Who depends on a package, and which versions of it each admits.
    fn asked(&self, package: &Package) -> Vec<Asking> {
        let nodes = self.metadata.resolve.nodes.iter();
        let asking = nodes.filter(|node| node.deps.iter().any(|edge| edge.pkg == package.id));
        let packages =
            asking.filter_map(|node| self.metadata.packages.iter().find(|p| p.id == node.id));
        let mut asked: Vec<Asking> = packages
            .flat_map(|by| {
                let dependencies = by.dependencies.iter().filter(|d| d.name == package.name);
                dependencies.map(|dependency| Asking {
                    by: format!("{} {}", by.name, by.version),
                    requirement: dependency.req.clone(),
                })
            })
            .collect();
        asked.sort();
        asked.dedup();
        asked
    }

    /// A package, where it is from, and who asks for which versions of it.
    fn describe(&self, package: &Package) -> String {
        let from = match (&package.source, package.manifest_path.parent()) {
            (Some(source), _) if is_crates_io(source) => "crates.io".to_owned(),
            (Some(source), _) => source.clone(),
            (None, Some(folder)) => folder.display().to_string(),
            (None, None) => "nowhere".to_owned(),
        };
        let by: Vec<String> = self
            .asked(package)
            .iter()
            .map(|asking| format!("{} (`{}`)", asking.by, asking.requirement))
            .collect();
        let by = if by.is_empty() {
            "nobody".to_owned()
        } else {
            by.join(" and ")
        };
        format!(
            "{} {} from {from}, asked for by {by}",
            package.name, package.version
        )
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Asking {
    by: String,
    requirement: String,
}

/// The line that moves a lock file to the stack's version.
fn update(copy: &Copy, found: &Package) -> String {
    format!(
        "cargo update -p {}@{} --precise {}",
        copy.name, found.version, copy.version
    )
}

/// True for crates.io, which cargo names alike whatever it is reached by.
fn is_crates_io(source: &str) -> bool {
    source.strip_prefix("registry+") == Some(CRATES_IO)
}

#[cfg(test)]
#[path = "survey_tests.rs"]
mod tests;
