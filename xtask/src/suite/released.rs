//! The step that holds the instrument patches to their promise: not a byte and no time.

use anyhow::{Result, bail};

use super::{Outcome, commands};
use crate::bench::table;
use crate::layout::Layout;
use crate::results::{Comparison, Family, ResultFile, Verdict};

/// Pairs of the first run, which decides on a quiet machine.
const PAIRS: &str = "8";
/// Pairs of the second, for a machine on which the first could not.
const MORE_PAIRS: &str = "24";
/// Where even an undecided second run fails: its interval lies wholly beyond this.
const LIMIT: f64 = 1.05;

/// Compares `released` with `pristine`.
pub fn equals_pristine(layout: &Layout) -> Outcome {
    let measure = |pairs| {
        let args = [
            "prove/sha256",
            "--arms",
            "released,pristine",
            "--pairs",
            pairs,
        ];
        commands::bench(layout, &args)
    };
    if let Some(words) = assess(&measure(PAIRS)?, false)? {
        return Ok(words);
    }
    match assess(&measure(MORE_PAIRS)?, true)? {
        Some(words) => Ok(words),
        None => bail!("{MORE_PAIRS} pairs compared nothing"),
    }
}

/// What a run says; nothing when another has to. In the last run an undecided row passes that may be small.
fn assess(result: &ResultFile, last: bool) -> Result<Option<String>> {
    let wrong = result.comparisons.iter().find(|row| !row.answers_equal);
    if let Some(row) = wrong {
        let reason = row.reason.as_deref().unwrap_or("no reason given");
        bail!("{} of {}: {reason}", row.metric, row.workload);
    }
    if let Some(row) = result
        .comparisons
        .iter()
        .find(|row| row.verdict == Verdict::Invalid)
    {
        let reason = row.reason.as_deref().unwrap_or("no reason given");
        return Ok(last.then(|| format!("bytes equal, times not decided: {reason}")));
    }
    let times: Vec<&Comparison> = result
        .comparisons
        .iter()
        .filter(|row| row.family == Family::Headline)
        .collect();
    if times.is_empty() {
        bail!("no time was compared");
    }
    let mut words = Vec::new();
    for row in times {
        let said = format!(
            "{} {} {}",
            row.metric,
            table::interval(row.ratio, row.ci95),
            row.verdict.word()
        );
        let [low, high] = row.ci95;
        let beyond = low > LIMIT || high < 1.0 / LIMIT;
        match row.verdict {
            Verdict::Equivalent => {}
            // Whatever a short run claims, a longer one has to say again.
            _ if !last => return Ok(None),
            Verdict::Inconclusive if !beyond => {}
            _ => bail!(
                "the instrument patches change the time: {said} after {} pairs",
                row.pairs
            ),
        }
        words.push(said);
    }
    Ok(Some(words.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::judge::judge;
    use crate::bench::testing::{add_pairs, empty_result};

    fn of_ratios(ratios: &[f64]) -> ResultFile {
        let mut result = empty_result(&["prove/sha256"], ratios.len());
        add_pairs(&mut result, "prove/sha256", ratios);
        result.comparisons = judge(&result).expect("numbers").comparisons;
        result
    }

    fn said(result: &ResultFile, last: bool) -> Result<Option<String>, String> {
        assess(result, last).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn equal_times_pass_at_once() {
        let words = said(&of_ratios(&[1.001, 0.999, 1.0, 1.0, 1.002, 0.998]), false);
        assert!(matches!(words, Ok(Some(text)) if text.contains("equivalent")));
    }

    #[test]
    fn a_clear_difference_is_measured_once_more_and_fails_either_way() {
        for ratios in [
            [1.1, 1.11, 1.1, 1.12, 1.1, 1.11],
            [0.9, 0.91, 0.9, 0.9, 0.89, 0.9],
        ] {
            assert_eq!(said(&of_ratios(&ratios), false), Ok(None));
            let error = said(&of_ratios(&ratios), true).expect_err("it differs");
            assert!(
                error.contains("after 6 pairs") && error.contains('['),
                "{error}"
            );
        }
    }

    #[test]
    fn an_undecided_run_is_repeated_and_then_fails_only_far_from_one() {
        let wild = of_ratios(&[1.10, 0.95, 1.12, 0.97, 1.15, 1.08, 0.94]);
        assert_eq!(said(&wild, false), Ok(None));
        let words = said(&wild, true);
        assert!(matches!(words, Ok(Some(text)) if text.contains("inconclusive")));
        // Too few pairs to claim anything, and yet nowhere near equal.
        let far = of_ratios(&[1.2, 1.21, 1.19, 1.2]);
        assert_eq!(said(&far, false), Ok(None));
        assert!(said(&far, true).is_err());
    }

    #[test]
    fn a_disturbed_run_is_repeated_and_then_decides_nothing() {
        let mut result = of_ratios(&[1.0; 6]);
        result.comparisons[0].verdict = Verdict::Invalid;
        result.comparisons[0].reason = Some("the run was disturbed".to_owned());
        assert_eq!(said(&result, false), Ok(None));
        let words = said(&result, true);
        assert!(matches!(words, Ok(Some(text)) if text.contains("not decided")));
    }

    #[test]
    fn a_byte_that_differs_fails_at_once() {
        let mut result = of_ratios(&[1.0; 6]);
        let answers = &mut result.trials[1].trial.answers;
        answers.insert("a".to_owned(), "other".to_owned());
        result.comparisons = judge(&result).expect("numbers").comparisons;
        let error = said(&result, true).expect_err("it differs");
        assert!(
            error.contains("a is the first vector that differs"),
            "{error}"
        );
        assert!(
            said(&empty_result(&[], 6), true).is_err(),
            "nothing compared is no pass"
        );
    }
}
