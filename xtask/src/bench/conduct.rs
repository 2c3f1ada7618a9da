//! From a plan and binaries to a judged result, wherever it runs: here, or from a bundle on a host without cargo.

use std::process::ExitCode;

use anyhow::Result;

use super::progress::RunProgress;
use super::session::Session;
use super::{ablation_table, counters, judge, table};
use crate::results::{ResultFile, Verdict};

/// Runs the plan in `result` and judges it. On an error `result` holds the trials that were measured before it, is not
/// complete, and nothing in it is judged.
pub fn conduct(session: &Session, result: &mut ResultFile, terminal: bool) -> Result<()> {
    let bar = RunProgress::new(session.steps(result), terminal);
    conduct_shown(session, result, bar)
}

/// As [`conduct`], with a progress of the caller's making.
pub fn conduct_shown(
    session: &Session,
    result: &mut ResultFile,
    mut bar: RunProgress,
) -> Result<()> {
    let ended = session.run(result, &mut bar);
    bar.finish();
    ended?;
    let judgement = judge::judge(result)?;
    result.comparisons = judgement.comparisons;
    result.interactions = judgement.interactions;
    result.notes.extend(judgement.notes);
    result.complete = true;
    Ok(())
}

/// Prints what a run found, and the files that it left.
pub fn print(result: &ResultFile, paths: &[String]) {
    if result.plan.workloads.iter().all(|w| !w.control) {
        return print_answers(result, paths);
    }
    println!("\n{}", table::table(result));
    println!("{}", table::legend(&result.plan.rules));
    if let Some(counted) = counters::compare::table(result) {
        println!("\n{counted}");
    }
    if let Some(ablation) = ablation_table::table(result) {
        println!("\n{ablation}");
    }
    let detectable = table::detectable(result);
    if !detectable.is_empty() {
        println!(
            "Smallest effect that this run would have shown: {}.",
            detectable.join(", ")
        );
    }
    for note in &result.notes {
        println!("Note: {note}");
    }
    for path in paths {
        println!("Result: {path}");
    }
    println!("{}", table::sentence(result));
}

/// Of a run that compares answers only, what they say.
fn print_answers(result: &ResultFile, paths: &[String]) {
    let mut wrong = false;
    for row in result.comparisons.iter().filter(|c| !c.answers_equal) {
        wrong = true;
        let reason = row.reason.as_deref().unwrap_or("no reason given");
        println!(
            "{}, {} against {}: {reason}",
            row.workload, row.arms[1], row.arms[0]
        );
    }
    for note in &result.notes {
        println!("Note: {note}");
    }
    for path in paths {
        println!("Result: {path}");
    }
    let workloads = result.plan.workloads.iter();
    let names: Vec<&str> = workloads.map(|w| w.name.as_str()).collect();
    let said = match (result.comparisons.is_empty(), wrong) {
        (true, _) => "were not compared",
        (false, true) => "DIFFER",
        (false, false) => "agree",
    };
    println!(
        "Answers {said} on {}; times were not compared.",
        names.join(", ")
    );
}

/// 1 when a row of the table regressed or can't be compared.
pub fn exit_code(result: &ResultFile) -> ExitCode {
    let falls_short = result
        .comparisons
        .iter()
        .filter(|c| c.is_claim())
        .any(|c| matches!(c.verdict, Verdict::Invalid | Verdict::Regressed));
    if falls_short || result.comparisons.is_empty() {
        ExitCode::from(1)
    } else {
        ExitCode::SUCCESS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::testing::{add_pairs, empty_result};
    use crate::results::Family;

    /// The exit code of a result whose first row of a family has this verdict.
    fn code(family: Family, verdict: Verdict) -> String {
        let mut result = empty_result(&["synth/sha256"], 6);
        add_pairs(&mut result, "synth/sha256", &[1.0; 6]);
        result.comparisons = judge::judge(&result).expect("numbers").comparisons;
        result.comparisons[0].family = family;
        result.comparisons[0].verdict = verdict;
        format!("{:?}", exit_code(&result))
    }

    #[test]
    fn every_row_of_the_table_counts_and_no_other() {
        let (good, bad) = (
            format!("{:?}", ExitCode::SUCCESS),
            format!("{:?}", ExitCode::from(1)),
        );
        for family in [Family::Headline, Family::Memory, Family::Instructions] {
            assert_eq!(code(family, Verdict::Regressed), bad, "{family:?}");
            assert_eq!(code(family, Verdict::Invalid), bad, "{family:?}");
            assert_eq!(code(family, Verdict::Inconclusive), good, "{family:?}");
        }
        for family in [Family::Detail, Family::Control, Family::Negative] {
            assert_eq!(code(family, Verdict::Regressed), good, "{family:?}");
        }
        let empty = empty_result(&[], 6);
        assert_eq!(format!("{:?}", exit_code(&empty)), bad);
    }
}
