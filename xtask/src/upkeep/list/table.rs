//! The list as a table of 120 columns, with cells that wrap.

use std::collections::BTreeMap;

use super::{Entry, Measured};
use crate::bench::table::interval;
use crate::results::{Family, Verdict};

/// Header and width of each column; two spaces stand between them. A terminal of 120 columns holds it.
const COLUMNS: [(&str, usize); 7] = [
    ("slug", 20),
    ("kind", 10),
    ("on", 3),
    ("crates", 15),
    ("lines", 11),
    ("measured", 29),
    ("may go", 20),
];

/// The table, and what its numbers of hosts mean.
pub(super) fn text(entries: &[Entry]) -> String {
    let hosts = hosts(entries);
    let mut text = row(&COLUMNS.map(|(name, _)| vec![name.to_owned()]));
    for entry in entries {
        text.push_str(&row(&cells(entry, &hosts)));
    }
    for (class, number) in &hosts {
        text.push_str(&format!("\nhost {number}: {class}"));
    }
    if !hosts.is_empty() {
        text.push_str("\nRatio: with / without, below 1 is better.\n");
    }
    text
}

/// The classes of hosts that are shown, numbered in the order of their names.
fn hosts(entries: &[Entry]) -> BTreeMap<&str, usize> {
    let shown = entries.iter().filter_map(|entry| entry.verdict.as_ref());
    let mut hosts: BTreeMap<&str, usize> = shown.map(|row| (row.host.as_str(), 0)).collect();
    for (at, number) in hosts.values_mut().enumerate() {
        *number = at + 1;
    }
    hosts
}

fn cells(entry: &Entry, hosts: &BTreeMap<&str, usize>) -> [Vec<String>; 7] {
    let measured = match &entry.verdict {
        Some(row) => measured(row, entry, hosts),
        None if entry.kind.is_in_every_stack() => vec!["not alone: in every stack".to_owned()],
        None => vec!["not yet".to_owned()],
    };
    [
        vec![entry.slug.clone()],
        vec![entry.kind.to_string()],
        vec![if entry.default { "on" } else { "off" }.to_owned()],
        entry.crates.clone(),
        vec![format!("+{} -{}", entry.lines_added, entry.lines_removed)],
        measured,
        vec![entry.removal.clone().unwrap_or_else(|| "?".to_owned())],
    ]
}

/// Verdict and ratio, what of, when and where, whether it holds, and how many other rows say what.
fn measured(row: &Measured, entry: &Entry, hosts: &BTreeMap<&str, usize>) -> Vec<String> {
    let ratio = match row.exact {
        true => format!("{:.3} exact", row.ratio),
        false => interval(row.ratio, row.ci95),
    };
    let day = row.time.get(..10).unwrap_or(&row.time);
    let host = hosts.get(row.host.as_str()).copied().unwrap_or_default();
    let mut lines = vec![
        format!("{} {ratio}", row.verdict.word()),
        format!("{} {}", row.workload, row.metric),
        format!("{day}, host {host}"),
    ];
    if let Some(why) = &row.stale {
        lines.push(format!("stale: {why}"));
    }
    let also: Vec<String> = [Verdict::Improved, Verdict::Regressed]
        .into_iter()
        .filter_map(|verdict| {
            let alike = |other: &&Measured| {
                other.verdict == verdict
                    && other.stale.is_some() == row.stale.is_some()
                    && matches!(other.family, Family::Headline | Family::Instructions)
            };
            let others = entry.measured.iter().filter(alike).count();
            let others = others - usize::from(alike(&row));
            (others > 0).then(|| format!("{others} {}", verdict.word()))
        })
        .collect();
    if !also.is_empty() {
        lines.push(format!("also {}", also.join(", ")));
    }
    lines
}

/// One row; each cell is lines, of which those that are too long are broken.
fn row(cells: &[Vec<String>; 7]) -> String {
    let columns: Vec<Vec<String>> = cells
        .iter()
        .zip(COLUMNS)
        .map(|(lines, (_, width))| lines.iter().flat_map(|line| wrap(line, width)).collect())
        .collect();
    let height = columns.iter().map(Vec::len).max().unwrap_or(0);
    let mut text = String::new();
    for at in 0..height {
        let mut line = String::new();
        for (cells, (_, width)) in columns.iter().zip(COLUMNS) {
            let cell = cells.get(at).map_or("", String::as_str);
            line.push_str(&format!("{cell:<width$}  "));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Breaks a text at spaces, and inside a word only where that alone is too long.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut rest: Vec<char> = word.chars().collect();
        loop {
            let line = lines.last().map_or(0, |line| line.chars().count());
            let gap = usize::from(line > 0);
            if line + gap + rest.len() <= width {
                if let Some(last) = lines.last_mut() {
                    last.extend(std::iter::repeat_n(' ', gap).chain(rest));
                }
                break;
            }
            if line > 0 {
                lines.push(String::new());
                continue;
            }
            let tail = rest.split_off(width);
            if let Some(last) = lines.last_mut() {
                last.extend(rest);
            }
            lines.push(String::new());
            rest = tail;
        }
    }
    lines
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
