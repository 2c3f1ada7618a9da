//! Rows of kept results as the pages show them: the newest of each kind, turned the right way round.

use std::collections::BTreeMap;

use super::contrast::Side;
use super::{Kept, Today, stale_reason};
use crate::bench::{metrics, table};
use crate::results::{ArmRecord, Comparison, Rules, Verdict};

/// A row of a result.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// The result it stands in.
    pub kept: &'a Kept,
    /// What the result says, with the optimisation on the contender's side.
    pub comparison: Comparison,
    /// Why it doesn't hold any more.
    pub stale: Option<String>,
}

/// The newest row for each workload, metric and pair of arms on each class of host, for the contrasts that `wanted`
/// picks. Results come newest first; rows are in the order of their results.
pub fn newest<'a>(
    results: &'a [Kept],
    today: &Today,
    wanted: impl Fn([&str; 2]) -> Option<Side>,
) -> Vec<Row<'a>> {
    let mut rows: Vec<Row> = Vec::new();
    // Hundreds of results compare the same few pairs.
    let mut sides: BTreeMap<&[String; 2], Option<Side>> = BTreeMap::new();
    for kept in results.iter().filter(|kept| kept.result.complete) {
        for comparison in kept.result.comparisons.iter().filter(|c| c.is_claim()) {
            let [first, second] = &comparison.arms;
            let Some(side) = *sides
                .entry(&comparison.arms)
                .or_insert_with(|| wanted([first, second]))
            else {
                continue;
            };
            let comparison = match side {
                Side::Contender => comparison.clone(),
                Side::Baseline => turned(comparison),
            };
            let known = rows.iter().any(|row| {
                row.kept.result.host.class == kept.result.host.class
                    && row.comparison.workload == comparison.workload
                    && row.comparison.metric == comparison.metric
                    && row.comparison.arms == comparison.arms
                    && row.kept.result.ran(&comparison.workload)
                        == kept.result.ran(&comparison.workload)
            });
            if !known {
                let arms: Vec<&ArmRecord> = kept
                    .result
                    .arms
                    .iter()
                    .filter(|arm| comparison.arms.contains(&arm.name))
                    .collect();
                let stale = stale_reason(&arms, today).or_else(|| older_rules(kept));
                rows.push(Row {
                    kept,
                    comparison,
                    stale,
                });
            }
        }
    }
    rows
}

/// Why a verdict would not be reached today, if the rules have become stricter.
pub fn older_rules(kept: &Kept) -> Option<String> {
    let (then, now) = (kept.result.plan.rules.alpha, Rules::default().alpha);
    (then > now).then(|| format!("judged when a claim took p of {then}, and not of {now}"))
}

/// The comparison with its arms exchanged.
pub fn turned(c: &Comparison) -> Comparison {
    let [a, b] = c.arms.clone();
    let [stamp_a, stamp_b] = c.stamps.clone();
    Comparison {
        arms: [b, a],
        stamps: [stamp_b, stamp_a],
        median: [c.median[1], c.median[0]],
        ratio: 1.0 / c.ratio,
        ci95: [1.0 / c.ci95[1], 1.0 / c.ci95[0]],
        verdict: match c.verdict {
            Verdict::Improved => Verdict::Regressed,
            Verdict::Regressed => Verdict::Improved,
            other => other,
        },
        ..c.clone()
    }
}

impl Row<'_> {
    /// The workload with its size, where it was not the default; a stale row's default may be another one.
    pub fn workload(&self) -> String {
        let name = &self.comparison.workload;
        let result = &self.kept.result;
        let plan = result.plan.workloads.iter().find(|w| w.name == *name);
        let size = plan.and_then(|w| w.size);
        let once = || self.stale.as_ref().and_then(|_| result.ran(name).size);
        match size.or_else(once) {
            Some(size) => format!("{name}, size {size}"),
            None => name.clone(),
        }
    }

    /// Ratio and interval, or the exact ratio of a count.
    pub fn ratio(&self) -> String {
        match self.comparison.p {
            Some(_) => table::interval(self.comparison.ratio, self.comparison.ci95),
            None => format!("{:.3} exact", self.comparison.ratio),
        }
    }

    /// One of the medians with its unit.
    pub fn median(&self, side: usize) -> String {
        metrics::show(self.comparison.median[side], &self.comparison.unit)
    }

    /// The corrected p, or a dash for a count.
    pub fn p(&self) -> String {
        self.comparison
            .p_adjusted
            .map_or_else(|| "–".to_owned(), table::probability)
    }

    /// The number of pairs, or a dash for a count.
    pub fn pairs(&self) -> String {
        match self.comparison.p {
            Some(_) => self.comparison.pairs.to_string(),
            None => "–".to_owned(),
        }
    }

    /// The verdict, and that it is stale if it is.
    pub fn verdict(&self) -> String {
        let word = self.comparison.verdict.word();
        if self.stale.is_some() {
            format!("{word}, stale")
        } else {
            word.to_owned()
        }
    }
}

/// Text of a file as text of a page: nothing in it is taken for markup.
pub fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '`' | '[' | ']' | '*' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// A table in Markdown.
pub fn markdown(header: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let header: Vec<String> = header.iter().map(|cell| (*cell).to_owned()).collect();
    let rule = vec!["---".to_owned(); header.len()];
    let mut text = line(&header) + &line(&rule);
    for row in rows {
        text.push_str(&line(row));
    }
    text
}
