//! The table in README.md: the patched stack against the pristine one.

use std::fmt::Write;

use super::block::{self, BlockError};
use super::contrast::Side;
use super::rows::{self, Row, markdown, plain};
use super::{Kept, Today};

/// The block's name in the page.
const BLOCK: &str = "bench";

/// The page with its table brought up to date.
pub fn page(page: &str, results: &[Kept], today: &Today) -> Result<String, BlockError> {
    let wanted = |arms: [&str; 2]| (arms == ["pristine", "patched"]).then_some(Side::Contender);
    block::replace(page, BLOCK, &text(&rows::newest(results, today, wanted)))
}

fn text(rows: &[Row]) -> String {
    let Some(newest) = rows.first() else {
        return "Not measured yet: `cargo xtask bench --keep`, then `cargo xtask report`.\n"
            .to_owned();
    };
    let host = &newest.kept.result.host;
    // One table speaks of one machine: the one that was measured last.
    let rows: Vec<&Row> = rows
        .iter()
        .filter(|row| row.kept.result.host.class == host.class)
        .collect();
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            vec![
                row.workload(),
                row.comparison.metric.clone(),
                row.median(0),
                row.median(1),
                row.ratio(),
                row.p(),
                row.pairs(),
                row.verdict(),
            ]
        })
        .collect();
    let header = [
        "workload",
        "metric",
        "pristine",
        "patched",
        "ratio [95 %]",
        "p",
        "pairs",
        "verdict",
    ];
    let mut text = markdown(&header, &cells);
    let _ = writeln!(
        text,
        "\n{}, {} cores, {:.0} GB of memory, {}.",
        plain(&host.cpu),
        host.cores,
        host.memory_bytes as f64 / 1e9,
        plain(&host.os)
    );
    let mut files: Vec<&str> = rows.iter().map(|row| row.kept.path.as_str()).collect();
    files.dedup();
    let links: Vec<String> = files
        .iter()
        .map(|path| format!("[{}]({path})", path.rsplit('/').next().unwrap_or(path)))
        .collect();
    let _ = writeln!(text, "Every trial: {}.", links.join(", "));
    if let Some(reason) = rows.iter().find_map(|row| row.stale.as_ref()) {
        let _ = writeln!(text, "Stale: {reason}.");
    }
    text
}
