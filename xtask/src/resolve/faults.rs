//! What can be wrong with a graph. A pure function over what cargo says.

use std::collections::{BTreeMap, BTreeSet};

use thiserror::Error;

use super::graph::{Copy, Dependency, Lock, Metadata, Node, Package};

/// What is checked.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The graph.
    pub metadata: &'a Metadata,
    /// The lock file.
    pub lock: &'a Lock,
    /// What cargo said while it resolved.
    pub messages: &'a str,
    /// The upstream crates of the stack in use.
    pub copies: &'a [Copy],
    /// Features that the arm asks for, `CRATE/FEATURE` or `FEATURE`.
    pub features: &'a [String],
}

/// Something wrong, and who asked for it.
#[derive(Clone, Debug, Error, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// "patch was not used".
    #[error("the stack's {name} {version} is used by nobody: {asked}")]
    Unused {
        /// The crate.
        name: String,
        /// The stack's version.
        version: String,
        /// What is asked for instead, and by whom.
        asked: String,
    },
    /// More than one package of that name.
    #[error("{name} is in the graph {} times, and types of one are not those of another: {}", found.len(), found.join("; "))]
    SecondCopy {
        /// The crate.
        name: String,
        /// Each, and who asked for it.
        found: Vec<String>,
    },
    /// One package, and not the stack's.
    #[error("{name} is not the stack's ({expected}), but {found}")]
    Elsewhere {
        /// The crate.
        name: String,
        /// Where it must be.
        expected: String,
        /// What it is, and who asked for it.
        found: String,
    },
    /// A feature that the stack's copy lacks.
    #[error(
        "{asked_by} asks for feature `{feature}` of {name}, which the stack's {name} {version} does not have; it has {has}"
    )]
    Feature {
        /// The crate.
        name: String,
        /// The stack's version.
        version: String,
        /// The feature.
        feature: String,
        /// Who asked for it.
        asked_by: String,
        /// The features that it has.
        has: String,
    },
    /// Two packages that claim one native library.
    #[error("native library `{links}` is claimed by {}", claimed_by.join(" and by "))]
    Links {
        /// The `links` key.
        links: String,
        /// The packages, and who asked for each.
        claimed_by: Vec<String>,
    },
}

impl Fault {
    /// The crate to look for in the graph; the other faults name everyone who is concerned.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Elsewhere { name, .. } => Some(name),
            _ => None,
        }
    }
}

/// Every fault of a graph, in order.
pub fn find(subject: &Subject<'_>) -> Vec<Fault> {
    let mut faults = BTreeSet::new();
    for copy in subject.copies {
        faults.extend(subject.place(copy));
        faults.extend(subject.missing_features(copy));
        faults.extend(subject.unused(copy));
    }
    faults.extend(subject.same_links());
    faults.into_iter().collect()
}

impl Subject<'_> {
    fn place(&self, copy: &Copy) -> Option<Fault> {
        let found: Vec<&Package> = self
            .metadata
            .packages
            .iter()
            .filter(|p| p.name == copy.name)
            .collect();
        match found[..] {
            [] => None,
            [one] if one.source.is_none() && one.manifest_path == copy.path.join("Cargo.toml") => {
                None
            }
            [one] => Some(Fault::Elsewhere {
                name: copy.name.clone(),
                expected: format!("{} at {}", copy.version, copy.path.display()),
                found: self.describe(one),
            }),
            _ => Some(Fault::SecondCopy {
                name: copy.name.clone(),
                found: found.iter().map(|p| self.describe(p)).collect(),
            }),
        }
    }

    fn unused(&self, copy: &Copy) -> Option<Fault> {
        let in_lock = self
            .lock
            .patch
            .unused
            .iter()
            .any(|u| u.name == copy.name && u.version == copy.version);
        // Cargo has begun this warning with a capital letter and with a small one.
        let warning = format!("atch `{} v{}", copy.name, copy.version);
        let in_messages = self
            .messages
            .lines()
            .any(|line| line.contains(&warning) && line.contains("was not used"));
        let in_graph = self
            .metadata
            .packages
            .iter()
            .any(|p| p.manifest_path == copy.path.join("Cargo.toml"));
        if !in_lock && !in_messages && in_graph {
            return None;
        }
        let others: Vec<String> = self
            .metadata
            .packages
            .iter()
            .filter(|p| p.name == copy.name)
            .map(|p| self.describe(p))
            .collect();
        let asked = if others.is_empty() {
            "nothing in the graph depends on it".to_owned()
        } else {
            format!("the graph has {}", others.join("; "))
        };
        Some(Fault::Unused {
            name: copy.name.clone(),
            version: copy.version.clone(),
            asked,
        })
    }

    fn missing_features(&self, copy: &Copy) -> Vec<Fault> {
        let mut asked: Vec<(String, String)> = Vec::new();
        for package in &self.metadata.packages {
            let Some(node) = self.node(package) else {
                continue;
            };
            for dependency in package
                .dependencies
                .iter()
                .filter(|d| d.name == copy.name && self.is_used(d, package, node))
            {
                let wanted = dependency
                    .features
                    .iter()
                    .cloned()
                    .chain(passed_on(package, node, dependency));
                asked.extend(
                    wanted
                        .map(|feature| (feature, format!("{} {}", package.name, package.version))),
                );
            }
        }
        let of_arm = self
            .features
            .iter()
            .filter_map(|f| f.split_once('/'))
            .filter(|(name, _)| *name == copy.name);
        asked.extend(of_arm.map(|(_, feature)| (feature.to_owned(), "the arm".to_owned())));
        let lacking = asked
            .into_iter()
            .filter(|(feature, _)| feature != "default" && !copy.features.contains(feature));
        lacking
            .map(|(feature, asked_by)| Fault::Feature {
                name: copy.name.clone(),
                version: copy.version.clone(),
                feature,
                asked_by,
                has: copy
                    .features
                    .iter()
                    .map(String::as_str)
                    .collect::<Vec<_>>()
                    .join(", "),
            })
            .collect()
    }

    fn same_links(&self) -> Vec<Fault> {
        let mut claims: BTreeMap<&str, Vec<&Package>> = BTreeMap::new();
        for package in &self.metadata.packages {
            if let Some(links) = &package.links {
                claims.entry(links).or_default().push(package);
            }
        }
        let twice = claims
            .into_iter()
            .filter(|(_, packages)| packages.len() > 1);
        twice
            .map(|(links, packages)| Fault::Links {
                links: links.to_owned(),
                claimed_by: packages.iter().map(|p| self.describe(p)).collect(),
            })
            .collect()
    }

    fn node(&self, package: &Package) -> Option<&Node> {
        self.metadata
            .resolve
            .nodes
            .iter()
            .find(|n| n.id == package.id)
    }

    /// True when some copy of the crate is reached over this dependency: an optional one may be off, and what tests need
    /// counts for the workspace's own packages alone.
    fn is_used(&self, dependency: &Dependency, package: &Package, node: &Node) -> bool {
        let own = self.metadata.workspace_members.contains(&package.id);
        (own || dependency.kind.as_deref() != Some("dev"))
            && self
                .metadata
                .packages
                .iter()
                .filter(|p| p.name == dependency.name)
                .any(|p| node.deps.iter().any(|edge| edge.pkg == p.id))
    }

    /// A package, where it is from, and who asks for it.
    fn describe(&self, package: &Package) -> String {
        let from = match (&package.source, package.manifest_path.parent()) {
            (Some(source), _) => source.clone(),
            (None, Some(folder)) => folder.display().to_string(),
            (None, None) => "nowhere".to_owned(),
        };
        let nodes = self.metadata.resolve.nodes.iter();
        let asking = nodes.filter(|n| n.deps.iter().any(|edge| edge.pkg == package.id));
        let mut by: Vec<String> = asking
            .filter_map(|n| self.metadata.packages.iter().find(|p| p.id == n.id))
            .map(|p| format!("{} {}", p.name, p.version))
            .collect();
        by.sort();
        let by = if by.is_empty() {
            "nobody".to_owned()
        } else {
            by.join(", ")
        };
        format!(
            "{} {} from {from}, asked for by {by}",
            package.name, package.version
        )
    }
}

/// The features that a package's own features, those that are on, pass on to a dependency.
fn passed_on(package: &Package, node: &Node, dependency: &Dependency) -> Vec<String> {
    let name = dependency.rename.as_ref().unwrap_or(&dependency.name);
    let on = node
        .features
        .iter()
        .filter_map(|feature| package.features.get(feature))
        .flatten();
    on.filter_map(|entry| entry.split_once('/'))
        .filter(|(target, _)| target.strip_suffix('?').unwrap_or(target) == name)
        .map(|(_, feature)| feature.to_owned())
        .collect()
}

#[cfg(test)]
#[path = "faults_tests.rs"]
mod tests;
