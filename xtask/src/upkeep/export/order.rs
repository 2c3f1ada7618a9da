//! The order of stack.toml after an export: that of the exported crate's commits, as far as every other crate allows it.

use std::collections::BTreeSet;

use super::refusal::Refusal;
use crate::stack::manifest::Manifest;

/// The slugs in an order in which those of `series` come as they do there. What another crate changes in a common file
/// stays in order, what depends stays behind what it needs, and else everything stays where it is.
pub(super) fn arrange(
    slugs: &[String],
    series: &[&str],
    depends: &[(String, String)],
    name: &str,
    manifest: &Manifest,
) -> Result<Vec<String>, Refusal> {
    let mut graph = Graph {
        slugs,
        edges: BTreeSet::new(),
    };
    for pair in series.windows(2) {
        graph.add(pair[0], pair[1]);
    }
    for (first, second) in depends {
        if graph.reaches(second, first) {
            return Err(Refusal::DependsOrder {
                first: first.clone(),
                second: second.clone(),
            });
        }
        graph.add(first, second);
    }
    for release in manifest.releases.iter().filter(|r| r.name != name) {
        for (first, second, file) in common(manifest, &release.name) {
            if graph.reaches(&second, &first) {
                return Err(Refusal::OtherOrder {
                    name: name.to_owned(),
                    other: release.name.clone(),
                    first,
                    second,
                    file,
                });
            }
            graph.add(&first, &second);
        }
    }
    Ok(graph.sorted())
}

/// Pairs of patches of the default series that change a common file of a crate, in order, and one such file.
fn common(manifest: &Manifest, name: &str) -> Vec<(String, String, String)> {
    let own: Vec<(&str, BTreeSet<&str>)> = manifest
        .optimisations
        .iter()
        .filter(|o| o.default)
        .filter_map(|o| {
            let sides = o.patches.get(name)?.files.iter();
            let sides = sides.flat_map(|f| f.old.iter().chain(&f.new));
            Some((o.slug.as_str(), sides.map(|s| s.path.as_str()).collect()))
        })
        .collect();
    let mut pairs = Vec::new();
    for (at, (second, theirs)) in own.iter().enumerate() {
        for (first, ours) in &own[..at] {
            if let Some(file) = ours.intersection(theirs).next() {
                pairs.push((
                    (*first).to_owned(),
                    (*second).to_owned(),
                    (*file).to_owned(),
                ));
            }
        }
    }
    pairs
}

/// What must come before what, by position in `slugs`. Never a cycle: each edge is asked for before it is added.
struct Graph<'a> {
    slugs: &'a [String],
    edges: BTreeSet<(usize, usize)>,
}

impl Graph<'_> {
    fn at(&self, slug: &str) -> Option<usize> {
        self.slugs.iter().position(|own| own == slug)
    }

    /// What is not in the list has no place in it.
    fn add(&mut self, first: &str, second: &str) {
        if let (Some(first), Some(second)) = (self.at(first), self.at(second)) {
            self.edges.insert((first, second));
        }
    }

    /// True when `first` must come before `second`.
    fn reaches(&self, first: &str, second: &str) -> bool {
        let (Some(first), Some(second)) = (self.at(first), self.at(second)) else {
            return false;
        };
        let (mut seen, mut open) = (BTreeSet::new(), vec![first]);
        while let Some(node) = open.pop() {
            let next = self.edges.range((node, 0)..(node + 1, 0));
            for (_, to) in next {
                if *to == second {
                    return true;
                }
                if seen.insert(*to) {
                    open.push(*to);
                }
            }
        }
        false
    }

    /// Of all that may come next, what comes first now.
    fn sorted(&self) -> Vec<String> {
        let mut left: BTreeSet<usize> = (0..self.slugs.len()).collect();
        let mut sorted = Vec::with_capacity(left.len());
        while let Some(next) = left.iter().copied().find(|node| {
            let waits = |(from, to): &(usize, usize)| to == node && left.contains(from);
            !self.edges.iter().any(waits)
        }) {
            left.remove(&next);
            sorted.push(self.slugs[next].clone());
        }
        sorted
    }
}

#[cfg(test)]
#[path = "order_tests.rs"]
mod tests;
