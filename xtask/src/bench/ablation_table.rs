//! The table of an ablation: what each optimisation does as a step of the series, alone, and last of all.

use super::table::interval;
use super::{grid, metrics};
use crate::results::ablation::{AblationPlan, Interaction};
use crate::results::{Comparison, ResultFile, Verdict};

/// A table for each workload and time; nothing for a run that is no ablation.
pub fn table(result: &ResultFile) -> Option<String> {
    if result.plan.ablation.is_empty() {
        return None;
    }
    let mut text = String::new();
    for workload in &result.plan.workloads {
        for metric in metrics::times(&workload.headline) {
            let header = ["", "step", "alone", "last", "last / alone", ""].map(str::to_owned);
            let mut rows = vec![header];
            for part in &result.plan.ablation {
                rows.push(row(result, &workload.name, metric, part));
            }
            text.push_str(&format!(
                "{}, {}: with / without [95 % interval]\n",
                workload.name,
                metrics::phase(metric)
            ));
            text.push_str(&grid::render(&rows, &[0, 1, 2, 3, 4, 5]));
            text.push('\n');
        }
    }
    text.push_str(
        "step: on top of those before it. alone: on pristine. last: on top of all others. ?: undecided or not comparable.",
    );
    Some(text)
}

fn row(result: &ResultFile, workload: &str, metric: &str, part: &AblationPlan) -> [String; 6] {
    let of = |arms: &Option<[String; 2]>| {
        let Some(arms) = arms else {
            return "not constructible".to_owned();
        };
        let found = result
            .comparisons
            .iter()
            .find(|c| c.workload == workload && c.metric == metric && c.arms == *arms);
        found.map_or_else(|| "not measured".to_owned(), cell)
    };
    let mixing = result
        .interactions
        .iter()
        .find(|i| i.workload == workload && i.metric == metric && i.slug == part.slug);
    let name = match part.together.as_slice() {
        [] => format!("  {}", part.slug),
        others => format!("  {} with {}", part.slug, others.join(", ")),
    };
    [
        name,
        of(&part.step),
        of(&part.alone),
        of(&part.last),
        mixing.map_or_else(String::new, |i| interval(i.ratio, i.ci95)),
        mixing.map_or_else(String::new, word),
    ]
}

fn cell(row: &Comparison) -> String {
    if row.is_check() {
        return match row.verdict {
            Verdict::Improved | Verdict::Regressed => "MOVED ?".to_owned(),
            _ => "not touched".to_owned(),
        };
    }
    let mark = match row.verdict {
        Verdict::Inconclusive | Verdict::Invalid => " ?",
        _ => "",
    };
    format!("{}{mark}", interval(row.ratio, row.ci95))
}

fn word(interaction: &Interaction) -> String {
    interaction.verdict.word().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::judge::judge;
    use crate::bench::testing::{add_pairs, empty_result};

    #[test]
    fn each_optimisation_has_a_line_and_what_is_missing_is_said() {
        let mut result = empty_result(&["synth/sha256"], 8);
        result.plan.workloads[0].headline = vec!["wall_s.warm".to_owned()];
        let pair = Some(["pristine", "patched"].map(str::to_owned));
        result.plan.ablation = vec![AblationPlan {
            slug: "one".to_owned(),
            together: vec!["two".to_owned()],
            step: pair.clone(),
            alone: pair,
            last: None,
        }];
        add_pairs(&mut result, "synth/sha256", &[0.8; 8]);
        result.comparisons = judge(&result).expect("numbers").comparisons;
        let text = table(&result).expect("an ablation");
        assert!(text.contains("one with two"), "{text}");
        assert!(text.contains("0.800 [0.800, 0.800]"), "{text}");
        assert!(text.contains("not constructible"), "{text}");
        result.plan.ablation.clear();
        assert_eq!(table(&result), None);
    }
}
