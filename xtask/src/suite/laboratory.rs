//! The step that tries the laboratory itself: on equal arms, and on changes whose size is known.

use anyhow::{Result, bail};

use super::{Outcome, commands};
use crate::bench::table;
use crate::layout::Layout;
use crate::results::{Comparison, Family, ResultFile, Verdict};

/// Three per cent more time of synthesis, of proving.
const SLOWER: [&str; 2] = [
    "pristine,pristine+calibrate-synthesis",
    "pristine,pristine+calibrate-proving",
];
const WORKLOAD: &str = "synth/sha256";

/// To be sure that two times are within the margin takes more pairs than to see that they are not.
const MANY: &str = "200";

/// Where both synthesis and proving are timed. It takes seconds a pair, so there are not as many.
const PROVING: [&str; 3] = ["prove/sha256", "--pairs", "40"];

/// Runs the comparisons and checks what each says.
pub fn tried(layout: &Layout) -> Outcome {
    let run =
        |work: &[&str], arms: &str| commands::bench(layout, &[work, &["--arms", arms]].concat());
    let mut said = vec![equal(&run(&[WORKLOAD], "pristine,pristine")?)?];
    said.push(slower_synthesis(&run(&[WORKLOAD], SLOWER[0])?)?);
    said.push(slower_proving(&run(
        &[WORKLOAD, "--pairs", MANY],
        SLOWER[1],
    )?)?);
    let proving = run(&PROVING, SLOWER[1])?;
    said.push(slower_proving(&proving)?);
    let total = times(&proving)?;
    if let Some(row) = total.iter().find(|row| !is_slower_or_open(row)) {
        bail!("three per cent more of proving: {}", words(row));
    }
    said.push(format!("and as a whole: {}", self::said(&total)));
    Ok(said.join("; "))
}

/// No row of equal arms may claim anything.
fn equal(result: &ResultFile) -> Outcome {
    for row in &result.comparisons {
        if matches!(row.verdict, Verdict::Improved | Verdict::Regressed) {
            bail!("equal arms are told apart: {}", words(row));
        }
        if row.verdict == Verdict::Invalid {
            let reason = row.reason.as_deref().unwrap_or("no reason given");
            bail!("equal arms can't be compared: {reason}");
        }
    }
    Ok(format!("equal arms: {}", said(&times(result)?)))
}

/// A time of synthesis must be called regressed, and none anything but that or undecided.
fn slower_synthesis(result: &ResultFile) -> Outcome {
    let rows = times(result)?;
    let wrong =
        |row: &&&Comparison| !matches!(row.verdict, Verdict::Regressed | Verdict::Inconclusive);
    if let Some(row) = rows.iter().find(wrong) {
        bail!("three per cent more of synthesis: {}", words(row));
    }
    if !rows.iter().any(|row| row.verdict == Verdict::Regressed) {
        bail!(
            "three per cent more of synthesis were not found: {}",
            said(&rows)
        );
    }
    Ok(format!("slower synthesis: {}", said(&rows)))
}

fn is_slower_or_open(row: &Comparison) -> bool {
    matches!(row.verdict, Verdict::Regressed | Verdict::Inconclusive)
}

/// Synthesis, which the change cannot touch, must be equivalent.
fn slower_proving(result: &ResultFile) -> Outcome {
    let of_synthesis = |row: &&Comparison| {
        row.family == Family::Negative && row.metric != crate::bench::untouched::REFERENCE
    };
    let rows: Vec<&Comparison> = result.comparisons.iter().filter(of_synthesis).collect();
    if rows.is_empty() {
        bail!("no time of synthesis was taken as untouched by a change of proving");
    }
    match rows.iter().find(|row| row.verdict != Verdict::Equivalent) {
        Some(row) => bail!("slower proving changes synthesis: {}", words(row)),
        None => Ok(format!("slower proving: {}", said(&rows))),
    }
}

fn times(result: &ResultFile) -> Result<Vec<&Comparison>> {
    let rows = result.comparisons.iter();
    let rows: Vec<&Comparison> = rows.filter(|row| row.family == Family::Headline).collect();
    if rows.is_empty() {
        bail!("no time was compared");
    }
    Ok(rows)
}

fn said(rows: &[&Comparison]) -> String {
    let words: Vec<String> = rows.iter().map(|row| words(row)).collect();
    words.join(", ")
}

fn words(row: &Comparison) -> String {
    format!(
        "{} {} {}",
        row.metric,
        table::interval(row.ratio, row.ci95),
        row.verdict.word()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::judge::judge;
    use crate::bench::testing::{add_pairs, empty_result};

    fn of_ratios(ratios: &[f64]) -> ResultFile {
        let mut result = empty_result(&[WORKLOAD], ratios.len());
        add_pairs(&mut result, WORKLOAD, ratios);
        result.comparisons = judge(&result).expect("numbers").comparisons;
        result
    }

    const SAME: [f64; 8] = [1.001, 0.999, 1.0, 1.0, 1.002, 0.998, 1.001, 0.999];
    const MORE: [f64; 8] = [1.03, 1.031, 1.029, 1.03, 1.032, 1.028, 1.03, 1.031];

    #[test]
    fn equal_arms_must_not_be_told_apart() {
        assert!(equal(&of_ratios(&SAME)).is_ok_and(|text| text.contains("equivalent")));
        let error = equal(&of_ratios(&MORE)).expect_err("a claim");
        assert!(error.to_string().contains("regressed"), "{error}");
        assert!(equal(&empty_result(&[], 6)).is_err());
    }

    #[test]
    fn a_known_change_must_be_found_where_it_is() {
        assert!(slower_synthesis(&of_ratios(&MORE)).is_ok());
        assert!(slower_synthesis(&of_ratios(&SAME)).is_err());
        let mut untouched = of_ratios(&SAME);
        for row in &mut untouched.comparisons {
            row.family = Family::Negative;
        }
        assert!(slower_proving(&untouched).is_ok());
        untouched.comparisons[0].verdict = Verdict::Inconclusive;
        assert!(slower_proving(&untouched).is_err());
        assert!(slower_proving(&of_ratios(&SAME)).is_err());
    }
}
