//! Stacks added up by category.

use std::collections::BTreeMap;

use super::categories::{self, Place};
use super::timed;
use super::{Stack, Taken};
use crate::results::profile::{Category, Function};

/// Functions that are named with a category.
const NAMED: usize = 8;

/// Where it all went.
#[derive(Debug, Default, PartialEq)]
pub struct Account {
    /// By category, largest first.
    pub categories: Vec<Category>,
    /// All of them.
    pub total: u64,
    /// What ran outside of the timed work.
    pub outside: u64,
    /// The part of `total` whose functions no category knows; it counts as `other`.
    pub unmatched: u64,
    /// The timed part of each stack, outermost function first, as flame graphs are drawn from.
    pub folded: BTreeMap<String, u64>,
}

/// Adds up.
pub fn of(workload: &str, taken: &Taken, stacks: &[Stack]) -> Account {
    let mut account = Account::default();
    let mut sums: BTreeMap<&str, BTreeMap<String, u64>> = BTreeMap::new();
    for stack in stacks {
        let timed = if taken.only_timed {
            Some(timed::part(workload, stack).unwrap_or(&stack.frames))
        } else {
            timed::part(workload, stack)
        };
        let Some(frames) = timed else {
            account.outside += stack.weight;
            continue;
        };
        account.total += stack.weight;
        let (category, function) = match categories::place(frames) {
            Place::Known { category, function } => (category, function),
            Place::Unknown { function } => {
                account.unmatched += stack.weight;
                (categories::OTHER, function)
            }
        };
        let function = categories::short(function);
        *sums
            .entry(category)
            .or_default()
            .entry(function)
            .or_default() += stack.weight;
        *account.folded.entry(fold(frames)).or_default() += stack.weight;
    }
    account.categories = sums
        .into_iter()
        .map(|(name, functions)| Category {
            name: name.to_owned(),
            value: functions.values().sum(),
            functions: largest(functions),
        })
        .collect();
    account
        .categories
        .sort_by_key(|category| std::cmp::Reverse(category.value));
    account
}

fn largest(functions: BTreeMap<String, u64>) -> Vec<Function> {
    let mut functions: Vec<Function> = functions
        .into_iter()
        .map(|(name, value)| Function { name, value })
        .collect();
    functions.sort_by_key(|function| std::cmp::Reverse(function.value));
    functions.truncate(NAMED);
    functions
}

/// Outermost first, `;` between them, which is therefore in no name.
fn fold(frames: &[String]) -> String {
    let names: Vec<String> = frames
        .iter()
        .rev()
        .map(|name| categories::short(name).replace(';', ":"))
        .collect();
    names.join(";")
}

impl Account {
    /// Folded stacks, one a line.
    pub fn folded_lines(&self) -> String {
        let lines = self
            .folded
            .iter()
            .map(|(stack, weight)| format!("{stack} {weight}\n"));
        lines.collect()
    }
}

#[cfg(test)]
#[path = "account_tests.rs"]
mod tests;
