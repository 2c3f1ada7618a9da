//! Files that moved: a patch that moves a file holds the lines that change, not the file.

use std::collections::{BTreeMap, BTreeSet};

use super::diff::{changed, lines};
use crate::stack::tree::Tree;

/// From so many per cent on, a file that is gone and one that is new are one file.
const ALIKE: u8 = 50;

/// A file that moved.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Moved {
    pub from: String,
    pub to: String,
    /// How much of it stays, in per cent.
    pub similarity: u8,
}

/// The moves among files that are `gone` from `before` and `new` in `after`: equal ones first, then the most alike; by
/// name where that does not decide.
pub(super) fn find(before: &Tree, gone: &[String], after: &Tree, new: &[String]) -> Vec<Moved> {
    let base = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let mut pairs = Vec::new();
    for from in gone {
        for to in new {
            let (old, made) = (&before.files[from].bytes, &after.files[to].bytes);
            let similarity = similarity(old, made);
            if similarity >= ALIKE {
                let renamed = base(from) != base(to);
                pairs.push((100 - similarity, renamed, from, to));
            }
        }
    }
    pairs.sort();
    let (mut left, mut taken) = (BTreeSet::new(), BTreeSet::new());
    let mut moves = Vec::new();
    for (distance, _, from, to) in pairs {
        if !left.contains(from) && !taken.contains(to) {
            left.insert(from);
            taken.insert(to);
            moves.push(Moved {
                from: from.clone(),
                to: to.clone(),
                similarity: 100 - distance,
            });
        }
    }
    moves
}

/// How much of the longer of two contents stays in the other, in per cent, by whole lines; 100 only where they are equal.
/// Nothing is alike an empty file.
pub fn similarity(before: &[u8], after: &[u8]) -> u8 {
    let longer = before.len().max(after.len());
    if before.is_empty() || after.is_empty() {
        return 0;
    }
    if before == after {
        return 100;
    }
    let (old, new) = (lines(before), lines(after));
    if common(&old, &new) * 100 < longer * usize::from(ALIKE) {
        return 0;
    }
    let removed = changed(&old, &new).into_iter().map(|(old, _)| old);
    let lost: usize = removed.flatten().map(|at| old[at].len()).sum();
    let kept = (before.len() - lost) * 100 / longer;
    u8::try_from(kept).unwrap_or(99).min(99)
}

/// Bytes of the lines that both have, in whatever order: never less than what stays, and quickly found.
fn common(before: &[&[u8]], after: &[&[u8]]) -> usize {
    let mut counts: BTreeMap<&[u8], usize> = BTreeMap::new();
    for line in before {
        *counts.entry(line).or_default() += 1;
    }
    let mut bytes = 0;
    for line in after {
        if let Some(count) = counts.get_mut(line).filter(|count| **count > 0) {
            *count -= 1;
            bytes += line.len();
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;
    use crate::stack::tree::tests::tree;

    fn moves(before: &[(&str, &str)], after: &[(&str, &str)]) -> Vec<(String, String, u8)> {
        let (before, after) = (tree(before), tree(after));
        let names = |tree: &Tree| tree.files.keys().cloned().collect::<Vec<_>>();
        find(&before, &names(&before), &after, &names(&after))
            .into_iter()
            .map(|moved| (moved.from, moved.to, moved.similarity))
            .collect()
    }

    #[test]
    fn equal_files_go_first_and_those_of_one_name_before_others() {
        let found = moves(
            &[("a/x", "1\n2\n3\n"), ("a/y", "1\n2\n3\n")],
            &[("b/y", "1\n2\n3\n"), ("b/z", "1\n2\n4\n")],
        );
        let expected = [("a/y", "b/y", 100), ("a/x", "b/z", 66)];
        assert_eq!(found, expected.map(|(a, b, n)| (a.into(), b.into(), n)));
    }

    #[test]
    fn what_has_less_than_half_in_common_did_not_move() {
        assert_eq!(moves(&[("a", "1\n2\n3\n")], &[("b", "1\n4\n5\n")]), []);
        assert_eq!(moves(&[("a", "")], &[("b", "")]), []);
        // The same lines in another order: half of them stay.
        assert_eq!(similarity(b"1\n2\n3\n4\n", b"3\n4\n1\n2\n"), 50);
    }
}
