//! Where the time goes: a bar for each arm, parted by category.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::data::{Machine, Subject};
use super::markup::{day, described, escape, table};
use crate::results::profile::{Method, ProfileFile};

/// Colours that differ; a category beyond them is grey. Each also has a number.
const COLOURS: usize = 8;
/// A profile with its path.
type Placed<'a> = (&'a str, &'a ProfileFile);

/// Functions that are named for each category and arm.
const FUNCTIONS: usize = 8;

/// The section; what was not measured says how to.
pub fn section(machine: &Machine) -> String {
    if machine.profiles.is_empty() {
        return "<p>Not taken on this machine yet: <code>cargo xtask profile --help</code>.</p>\n"
            .to_owned();
    }
    let mut groups: BTreeMap<(Subject, &str, &str), Vec<Placed>> = BTreeMap::new();
    for (path, profile) in &machine.profiles {
        let subject = Subject {
            workload: &profile.workload,
            size: profile.size,
            threads: Some(profile.threads),
        };
        let group = groups
            .entry((subject, method(profile.method), &profile.unit))
            .or_default();
        // They come newest first.
        if !group
            .iter()
            .any(|(_, known)| known.arm.name == profile.arm.name)
        {
            group.push((path, profile));
        }
    }
    let mut text = String::new();
    for ((subject, method, _), mut group) in groups {
        // What the others are compared with comes first.
        group.sort_by_key(|(_, profile)| {
            let name = profile.arm.name.as_str();
            let rank = ["released", "pristine"]
                .iter()
                .position(|first| *first == name);
            (rank.unwrap_or(2), profile.time.as_str(), name)
        });
        let _ = writeln!(text, "<h4>{}, {method}</h4>", escape(&subject.name()));
        text.push_str(&bars(&group));
    }
    text
}

fn method(method: Method) -> &'static str {
    match method {
        Method::PerfCycles => "perf, by cycles",
        Method::PerfClock => "perf, by the clock",
        Method::Callgrind => "callgrind",
    }
}

/// Categories by their largest value in any of the profiles.
fn categories<'a>(group: &[Placed<'a>]) -> Vec<&'a str> {
    let mut largest: Vec<(f64, &str)> = Vec::new();
    for (_, profile) in group {
        for category in &profile.categories {
            let part = share(category.value, profile);
            match largest.iter_mut().find(|(_, name)| *name == category.name) {
                Some((known, _)) => *known = known.max(part),
                None => largest.push((part, &category.name)),
            }
        }
    }
    largest.sort_by(|a, b| b.0.total_cmp(&a.0));
    largest.into_iter().map(|(_, name)| name).collect()
}

fn share(value: u64, profile: &ProfileFile) -> f64 {
    value as f64 / profile.total.max(1) as f64
}

fn value_of(profile: &ProfileFile, category: &str) -> u64 {
    profile
        .categories
        .iter()
        .filter(|c| c.name == category)
        .map(|c| c.value)
        .sum()
}

fn bars(group: &[Placed]) -> String {
    let categories = categories(group);
    // A count of instructions says how much work it was; a number of samples, how long one looked.
    let counted = group
        .iter()
        .all(|(_, profile)| profile.unit == "instructions");
    let longest = group
        .iter()
        .map(|(_, profile)| profile.total)
        .max()
        .unwrap_or(1)
        .max(1) as f64;
    let lengths = if counted {
        "Bars are as long as all instructions of the process."
    } else {
        "Every bar is the whole of its profile."
    };
    let mut text =
        format!("<p>{lengths} Numbers are those of the rows below.</p>\n<div class=bars>\n");
    for (_, profile) in group {
        let whole = if counted {
            profile.total as f64 / longest * 100.0
        } else {
            100.0
        };
        let said: Vec<String> = categories
            .iter()
            .map(|name| {
                format!(
                    "{name} {:.1} %",
                    share(value_of(profile, name), profile) * 100.0
                )
            })
            .collect();
        let _ = write!(
            text,
            "<div>{}</div><svg role=img width=100% height=34>{}",
            escape(&profile.arm.name),
            described(
                &format!("{}: {} by category", profile.arm.name, profile.unit),
                &said.join(", ")
            )
        );
        let mut x = 0.0;
        for (i, name) in categories.iter().enumerate() {
            let width = share(value_of(profile, name), profile) * whole;
            if width <= 0.0 {
                continue;
            }
            let colour = i.min(COLOURS);
            let _ = write!(
                text,
                "<rect class=k{colour} x={x:.2}% width={width:.2}% height=34 />"
            );
            if width > 5.0 {
                let _ = write!(
                    text,
                    "<text class=t{colour} x={:.2}% y=22>{}</text>",
                    x + width / 2.0,
                    i + 1
                );
            }
            x += width;
        }
        text.push_str("</svg>\n");
    }
    text.push_str("</div>\n");
    text.push_str(&shares(group, &categories));
    text
}

/// The same as numbers, with what every category is made of.
fn shares(group: &[Placed], categories: &[&str]) -> String {
    let names: Vec<String> = group
        .iter()
        .map(|(_, profile)| format!("#{}", escape(&profile.arm.name)))
        .collect();
    let mut headings = vec!["category"];
    headings.extend(names.iter().map(String::as_str));
    let per = |value: u64, profile: &ProfileFile| {
        profile
            .per_constraint(value)
            .map_or_else(String::new, |each| {
                let unit = profile.method.per_constraint_unit();
                format!("<br><small>{each:.1} {unit}</small>")
            })
    };
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (i, name) in categories.iter().enumerate() {
        let mut cells = vec![format!(
            "<span class=\"key k{}\"></span> {}. {}",
            i.min(COLOURS),
            i + 1,
            escape(name)
        )];
        cells.extend(group.iter().map(|(_, profile)| {
            let value = value_of(profile, name);
            format!(
                "{:.1}&nbsp;%{}",
                share(value, profile) * 100.0,
                per(value, profile)
            )
        }));
        rows.push(cells);
    }
    let mut cells = vec!["all".to_owned()];
    cells.extend(group.iter().map(|(path, profile)| {
        format!(
            "{} {}{}<br><small title=\"{}\">{}</small>",
            large(profile.total),
            escape(&profile.unit),
            per(profile.total, profile),
            escape(path),
            day(&profile.time)
        )
    }));
    rows.push(cells);
    table(&headings, &rows) + &functions(group, categories)
}

/// A count that nobody has to count the digits of.
fn large(value: u64) -> String {
    match value {
        1_000_000_000.. => format!("{:.2} billion", value as f64 / 1e9),
        1_000_000.. => format!("{:.1} million", value as f64 / 1e6),
        _ => value.to_string(),
    }
}

/// What every category is made of.
fn functions(group: &[Placed], categories: &[&str]) -> String {
    let mut text = String::new();
    for (i, category) in categories.iter().enumerate() {
        for (_, profile) in group {
            let of_it: Vec<String> = profile
                .categories
                .iter()
                .filter(|c| c.name == *category)
                .flat_map(|c| &c.functions)
                .take(FUNCTIONS)
                .map(|f| {
                    format!(
                        "<li>{:.1} % <code>{}</code>",
                        share(f.value, profile) * 100.0,
                        escape(&f.name)
                    )
                })
                .collect();
            if !of_it.is_empty() {
                let _ = writeln!(
                    text,
                    "<h5>{}. {}: {}</h5><ul>{}</ul>",
                    i + 1,
                    escape(category),
                    escape(&profile.arm.name),
                    of_it.concat()
                );
            }
        }
    }
    if text.is_empty() {
        return text;
    }
    format!("<details><summary>The functions that take most</summary>\n{text}</details>\n")
}
