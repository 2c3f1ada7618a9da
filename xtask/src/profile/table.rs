//! A profile as a table.

use std::fmt::Write;

use crate::results::profile::{Category, Method, ProfileFile};

/// The share of unmatched functions from which on it is said.
const UNMATCHED: f64 = 0.05;
/// An error in per cent from which on it is said how to lessen it.
const COARSE: f64 = 3.0;
/// Functions that a row names.
const NAMED: usize = 4;
/// A function below this share of its category is not named in a row.
const WORTH_NAMING: f64 = 0.05;

/// The table of a profile, and what must be said with it.
pub fn text(profile: &ProfileFile) -> String {
    let mut text = String::new();
    let constraints = match profile.constraints {
        Some(constraints) => format!(", {} constraints", thousands(constraints)),
        None => String::new(),
    };
    let size = profile
        .size
        .map_or(String::new(), |size| format!(", size {size}"));
    let threads = match profile.threads {
        1 => "1 thread".to_owned(),
        n => format!("{n} threads"),
    };
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "{} on {}{size}, {threads}{constraints}, done {}\n{}, {}",
        profile.workload,
        profile.arm.name,
        times(profile.runs),
        how(profile.method),
        profile.reason,
    );
    let unit = profile.method.per_constraint_unit();
    let _ = writeln!(
        text,
        "\n{:<22}{:>8}{unit:>18}   functions, % of all",
        "", "share"
    );
    for category in &profile.categories {
        row(
            &mut text,
            profile,
            &category.name,
            category.value,
            &named(profile, category),
        );
    }
    row(&mut text, profile, "all", profile.total, "");
    let all = profile.total + profile.outside;
    if profile.outside > 0 {
        let _ = writeln!(
            text,
            "\noutside the measured work (setting up, checking, digests), and not in the table: {} of {} {}",
            thousands(profile.outside),
            thousands(all),
            profile.unit
        );
    }
    if let Some(error) = error(profile) {
        let finer = match error > COARSE {
            true => "; more work (--size, where the workload has one) makes that finer",
            false => "",
        };
        let _ = writeln!(
            text,
            "{} samples: a share of 20 % is known to ± {error:.1} (95 %){finer}",
            thousands(profile.total)
        );
    }
    let unmatched = share(profile.unmatched, profile.total);
    if unmatched > UNMATCHED {
        let _ = writeln!(
            text,
            "warning: {:.1} % of it is in functions that no category knows; they stand under other, and belong into \
             xtask/src/profile/categories.rs",
            100.0 * unmatched
        );
    }
    text
}

/// How a profile was taken, in words.
pub fn how(method: Method) -> &'static str {
    match method {
        Method::PerfCycles => "sampled by perf every so many cycles",
        Method::PerfClock => "sampled by perf with the kernel's clock",
        Method::Callgrind => "instructions counted by callgrind",
    }
}

fn row(text: &mut String, profile: &ProfileFile, name: &str, value: u64, functions: &str) {
    let each = match profile.per_constraint(value) {
        Some(each) => format!("{each:.1}"),
        None => "-".to_owned(),
    };
    let line = format!(
        "{name:<22}{:>6.1} %{each:>18}   {functions}",
        100.0 * share(value, profile.total)
    );
    let _ = writeln!(text, "{}", line.trim_end());
}

fn named(profile: &ProfileFile, category: &Category) -> String {
    let functions = category
        .functions
        .iter()
        .filter(|function| share(function.value, category.value) >= WORTH_NAMING)
        .take(NAMED)
        .map(|function| {
            let share = 100.0 * share(function.value, profile.total);
            format!("{} {share:.1}", last_two(&function.name))
        });
    functions.collect::<Vec<_>>().join(", ")
}

/// `LinearCombination::add` of a whole path; what closures and implementations add to it stays.
fn last_two(name: &str) -> String {
    let parts: Vec<&str> = name.split("::").collect();
    let closures = parts.iter().rev().take_while(|part| part.starts_with('{'));
    let wanted = 2 + closures.count();
    parts[parts.len().saturating_sub(wanted)..].join("::")
}

/// Half of the interval that a share of a fifth has, in per cent; counts have none.
fn error(profile: &ProfileFile) -> Option<f64> {
    let samples = profile.total as f64;
    (profile.stands_for.is_some() && samples > 0.0)
        .then(|| 100.0 * 1.96 * (0.2 * 0.8 / samples).sqrt())
}

fn share(part: u64, of: u64) -> f64 {
    if of == 0 {
        0.0
    } else {
        part as f64 / of as f64
    }
}

fn times(runs: u64) -> String {
    match runs {
        1 => "once".to_owned(),
        2 => "twice (cold and warm)".to_owned(),
        n => format!("{n} times"),
    }
}

fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
