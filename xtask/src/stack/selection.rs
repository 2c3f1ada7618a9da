//! Which optimisations a stack is made of.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::manifest::{Kind, Manifest, Optimisation};

/// A stack by name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Selection {
    /// No patch at all: benches/released, on crates.io. Not a tree.
    Released,
    /// Instrument and build patches only.
    Pristine,
    /// The default series.
    Patched,
    /// The default series without one optimisation and what depends on it.
    Without(String),
    /// Pristine, these, and what they depend on.
    Only(Vec<String>),
    /// The default series, these experiments, and what they depend on.
    With(Vec<String>),
    /// The default series up to and including one optimisation.
    Prefix(String),
}

/// Why a name is not a stack.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum SelectionError {
    /// Not in the grammar.
    #[error(
        "`{0}` is not a stack: use released, pristine, patched, patched-SLUG, prefix-SLUG, \
         pristine+SLUG[+SLUG…] or patched+SLUG[+SLUG…]"
    )]
    Grammar(String),
    /// No such optimisation.
    #[error("stack `{stack}`: no optimisation `{slug}` in extern/stack.toml, which has {known}")]
    UnknownSlug {
        /// The stack asked for.
        stack: String,
        /// The name that is not there.
        slug: String,
        /// The names that are.
        known: String,
    },
    /// Instrument and build patches belong to every stack.
    #[error(
        "stack `{stack}`: `{slug}` is of kind {kind} and belongs to every stack; it can neither be left out nor added"
    )]
    Always {
        /// The stack asked for.
        stack: String,
        /// The optimisation.
        slug: String,
        /// Its kind.
        kind: Kind,
    },
    /// It is asked to leave out, or to stop at, what is not there.
    #[error("stack `{stack}`: `{slug}` is not in the default series; try `patched+{slug}`")]
    NotDefault {
        /// The stack asked for.
        stack: String,
        /// The optimisation.
        slug: String,
    },
    /// It is asked to add what is there.
    #[error("stack `{stack}`: `{slug}` is in the default series already; try `patched-{slug}`")]
    AlreadyDefault {
        /// The stack asked for.
        stack: String,
        /// The optimisation.
        slug: String,
    },
    /// `released` is not a tree.
    #[error("`released` has no tree: it is built from crates.io by benches/released")]
    ReleasedHasNoTree,
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Released => f.write_str("released"),
            Self::Pristine => f.write_str("pristine"),
            Self::Patched => f.write_str("patched"),
            Self::Without(slug) => write!(f, "patched-{slug}"),
            Self::Only(slugs) => write!(f, "pristine+{}", slugs.join("+")),
            Self::With(slugs) => write!(f, "patched+{}", slugs.join("+")),
            Self::Prefix(slug) => write!(f, "prefix-{slug}"),
        }
    }
}

impl FromStr for Selection {
    type Err = SelectionError;

    fn from_str(name: &str) -> Result<Self, SelectionError> {
        let grammar = || SelectionError::Grammar(name.to_owned());
        let one = |slug: &str| {
            is_slug(slug)
                .then(|| slug.to_owned())
                .ok_or_else(|| SelectionError::Grammar(name.to_owned()))
        };
        let many = |slugs: &str| slugs.split('+').map(one).collect::<Result<Vec<_>, _>>();
        match name {
            "released" => return Ok(Self::Released),
            "pristine" => return Ok(Self::Pristine),
            "patched" => return Ok(Self::Patched),
            _ => {}
        }
        if let Some(slugs) = name.strip_prefix("pristine+") {
            Ok(Self::Only(many(slugs)?))
        } else if let Some(slugs) = name.strip_prefix("patched+") {
            Ok(Self::With(many(slugs)?))
        } else if let Some(slug) = name.strip_prefix("patched-") {
            Ok(Self::Without(one(slug)?))
        } else if let Some(slug) = name.strip_prefix("prefix-") {
            Ok(Self::Prefix(one(slug)?))
        } else {
            Err(grammar())
        }
    }
}

/// True for what may name an optimisation: lower-case letters, digits, single hyphens inside.
pub fn is_slug(text: &str) -> bool {
    !text.is_empty()
        && text.split('-').all(|part| {
            !part.is_empty()
                && part
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        })
}

impl Selection {
    /// The optimisations of this stack, in the order in which they apply: that of the series.
    pub fn optimisations<'m>(
        &self,
        manifest: &'m Manifest,
    ) -> Result<Vec<&'m Optimisation>, SelectionError> {
        let chosen = match self {
            Self::Released => return Err(SelectionError::ReleasedHasNoTree),
            Self::Pristine => BTreeSet::new(),
            Self::Patched => default_series(manifest),
            Self::Without(slug) => {
                let optimisation = self.optional(manifest, slug)?;
                if !optimisation.default {
                    return Err(self.not_default(slug));
                }
                let mut chosen = default_series(manifest);
                for gone in with_dependents(manifest, slug) {
                    chosen.remove(gone);
                }
                chosen
            }
            Self::Only(slugs) => {
                let mut chosen = BTreeSet::new();
                for slug in slugs {
                    self.optional(manifest, slug)?;
                    chosen.extend(with_dependencies(manifest, slug));
                }
                chosen
            }
            Self::With(slugs) => {
                let mut chosen = default_series(manifest);
                for slug in slugs {
                    if self.optional(manifest, slug)?.default {
                        return Err(SelectionError::AlreadyDefault {
                            stack: self.to_string(),
                            slug: slug.clone(),
                        });
                    }
                    chosen.extend(with_dependencies(manifest, slug));
                }
                chosen
            }
            Self::Prefix(slug) => {
                if !self.known(manifest, slug)?.default {
                    return Err(self.not_default(slug));
                }
                let mut chosen = BTreeSet::new();
                for optimisation in manifest.optimisations.iter().filter(|o| o.default) {
                    chosen.insert(optimisation.slug.as_str());
                    if optimisation.slug == *slug {
                        break;
                    }
                }
                chosen
            }
        };
        let mut chosen: Vec<&Optimisation> = manifest
            .optimisations
            .iter()
            .filter(|o| o.kind.is_in_every_stack() || chosen.contains(o.slug.as_str()))
            .collect();
        if matches!(self, Self::With(_)) {
            // On top: the default series then applies exactly, and only the experiment has to fit.
            chosen.sort_by_key(|o| !o.default);
        }
        Ok(chosen)
    }

    fn known<'m>(
        &self,
        manifest: &'m Manifest,
        slug: &str,
    ) -> Result<&'m Optimisation, SelectionError> {
        manifest
            .optimisation(slug)
            .ok_or_else(|| SelectionError::UnknownSlug {
                stack: self.to_string(),
                slug: slug.to_owned(),
                known: manifest.slugs(),
            })
    }

    fn optional<'m>(
        &self,
        manifest: &'m Manifest,
        slug: &str,
    ) -> Result<&'m Optimisation, SelectionError> {
        let optimisation = self.known(manifest, slug)?;
        if optimisation.kind.is_in_every_stack() {
            return Err(SelectionError::Always {
                stack: self.to_string(),
                slug: slug.to_owned(),
                kind: optimisation.kind,
            });
        }
        Ok(optimisation)
    }

    fn not_default(&self, slug: &str) -> SelectionError {
        SelectionError::NotDefault {
            stack: self.to_string(),
            slug: slug.to_owned(),
        }
    }
}

/// `patched-SLUG` for each optimisation of the default series that may be left out.
pub fn leave_one_out(manifest: &Manifest) -> Vec<Selection> {
    manifest
        .optimisations
        .iter()
        .filter(|o| o.default && !o.kind.is_in_every_stack())
        .map(|o| Selection::Without(o.slug.clone()))
        .collect()
}

fn default_series(manifest: &Manifest) -> BTreeSet<&str> {
    manifest
        .optimisations
        .iter()
        .filter(|o| o.default)
        .map(|o| o.slug.as_str())
        .collect()
}

/// `slug` and what it depends on, directly or not.
fn with_dependencies<'m>(manifest: &'m Manifest, slug: &str) -> BTreeSet<&'m str> {
    let mut found = BTreeSet::new();
    let mut open = vec![slug];
    while let Some(slug) = open.pop() {
        if let Some(optimisation) = manifest.optimisation(slug)
            && found.insert(optimisation.slug.as_str())
        {
            open.extend(optimisation.depends.iter().map(String::as_str));
        }
    }
    found
}

/// `slug` and what depends on it, directly or not. The manifest has checked that a dependency comes earlier.
fn with_dependents<'m>(manifest: &'m Manifest, slug: &str) -> BTreeSet<&'m str> {
    let mut found = BTreeSet::new();
    for optimisation in &manifest.optimisations {
        if optimisation.slug == slug
            || optimisation
                .depends
                .iter()
                .any(|d| found.contains(d.as_str()))
        {
            found.insert(optimisation.slug.as_str());
        }
    }
    found
}

#[cfg(test)]
#[path = "selection_tests.rs"]
mod tests;
