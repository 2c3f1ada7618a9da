//! The measured block of an optimisation's page.

use std::fmt::Write;

use super::block::{self, BlockError};
use super::contrast::{Side, arms_for, optimisation};
use super::rows::{self, Row, markdown};
use super::{Kept, Today};
use crate::stack::manifest::Manifest;

/// The block's name in the page.
const BLOCK: &str = "measured";

/// The page with its measured block brought up to date.
pub fn page(
    page: &str,
    slug: &str,
    manifest: &Manifest,
    results: &[Kept],
    today: &Today,
) -> Result<String, BlockError> {
    let named = block::setting(page, BLOCK, "arms")?;
    let in_every_stack = manifest
        .optimisations
        .iter()
        .any(|o| o.slug == slug && o.kind.is_in_every_stack());
    let wanted = |arms: [&str; 2]| match &named {
        Some(names) => (*names == arms.join(",")).then_some(Side::Contender),
        // What is in every stack but `released` can only be measured against that one, all together.
        None if in_every_stack => match arms {
            ["released", "pristine"] => Some(Side::Contender),
            ["pristine", "released"] => Some(Side::Baseline),
            _ => None,
        },
        None => optimisation(arms, manifest)
            .filter(|(found, _)| found == slug)
            .map(|(_, side)| side),
    };
    let rows = rows::newest(results, today, wanted);
    let together = in_every_stack && named.is_none();
    let arms = match named {
        Some(arms) => arms,
        None if together => "released,pristine".to_owned(),
        None => arms_for(slug, manifest).join(","),
    };
    block::replace(page, BLOCK, &text(&rows, together, &arms))
}

fn text(rows: &[Row], together: bool, arms: &str) -> String {
    let mut text = String::new();
    if together {
        text.push_str("This patch is in every stack, so it is not measured alone. All instrument and build patches together:\n\n");
    }
    if rows.is_empty() {
        // Upstream's public API shows no other work than this.
        let workload = if together { "prove/sha256 " } else { "" };
        let _ = writeln!(
            text,
            "Not measured yet: `cargo xtask bench {workload}--arms {arms} --keep`."
        );
        return text;
    }
    text.push_str("Ratio: with / without, below 1 is better.\n");
    let mut files: Vec<&Kept> = Vec::new();
    for row in rows {
        if !files.iter().any(|kept| kept.path == row.kept.path) {
            files.push(row.kept);
        }
    }
    for kept in files {
        let of_file: Vec<&Row> = rows
            .iter()
            .filter(|row| row.kept.path == kept.path)
            .collect();
        let host = &kept.result.host;
        let _ = writeln!(
            text,
            "\n{}, {} cores, `{}`, {}: [{}](../../{})\n",
            rows::plain(&host.cpu),
            host.cores,
            host.class,
            &kept.result.time.get(..10).unwrap_or(&kept.result.time),
            kept.path.rsplit('/').next().unwrap_or(&kept.path),
            kept.path
        );
        let cells: Vec<Vec<String>> = of_file.iter().map(|row| cells(row)).collect();
        text.push_str(&markdown(
            &[
                "workload",
                "metric",
                "with / without",
                "ratio [95 %]",
                "verdict",
            ],
            &cells,
        ));
        if let Some(reason) = of_file.iter().find_map(|row| row.stale.as_ref()) {
            let _ = writeln!(text, "\nStale: {reason}.");
        }
    }
    text
}

fn cells(row: &Row) -> Vec<String> {
    let [without, with] = &row.comparison.arms;
    vec![
        row.workload(),
        row.comparison.metric.clone(),
        format!("{with} / {without}"),
        row.ratio(),
        row.verdict(),
    ]
}
