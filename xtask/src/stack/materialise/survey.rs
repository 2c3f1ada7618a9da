//! How the trees on disk stand to what they must be.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context, Result};

use super::origin;
use crate::layout::Layout;
use crate::stack::manifest::{Manifest, Optimisation};
use crate::stack::stamp::{self, Difference, State};

/// The trees of one stack, checked file by file.
pub(super) struct Survey {
    /// Id of each tree that is as it must be.
    pub ids: BTreeMap<String, String>,
    /// The trees to be made.
    pub stale: BTreeSet<String>,
    /// The trees that a hand has touched, and how; none where there is no stamp.
    pub touched: BTreeMap<String, Option<Difference>>,
}

impl Survey {
    /// Checks `trees` against what `chosen` makes of the releases.
    pub fn take(
        layout: &Layout,
        manifest: &Manifest,
        chosen: &[&Optimisation],
        trees: &BTreeMap<String, PathBuf>,
    ) -> Result<Self> {
        let (mut ids, mut stale, mut touched) = (BTreeMap::new(), BTreeSet::new(), BTreeMap::new());
        for (name, place) in trees {
            let state = stamp::inspect(place)
                .with_context(|| format!("cannot check {}", layout.show(place)))?;
            match state {
                State::Clean(stamp) if stamp.origin == origin(manifest, chosen, name) => {
                    ids.insert(name.clone(), stamp.tree);
                    continue;
                }
                State::Clean(_) | State::Absent => {}
                State::Edited(difference) => {
                    touched.insert(name.clone(), Some(difference));
                }
                State::Foreign => {
                    touched.insert(name.clone(), None);
                }
            }
            stale.insert(name.clone());
        }
        Ok(Self {
            ids,
            stale,
            touched,
        })
    }
}
