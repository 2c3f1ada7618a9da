//! Rules on what a patch says about itself.

use super::rules::Broken;
use super::subject::Subject;
use crate::patch::message::SECTIONS;
use crate::results::clock;
use crate::stack::manifest::Kind;
use crate::stack::selection::is_slug;

/// The longest subject, in characters: what a list of commits shows of one.
const SUBJECT: usize = 72;

/// The trailers that every patch needs.
const TRAILERS: [(&str, &str); 3] = [
    ("Origin", "where the change comes from"),
    ("Forwarded", "whether upstream has been told"),
    ("Removal", "what would let us drop it"),
];

/// `slug: what it does`, short enough for a list.
pub(super) fn subject(subject: &Subject) -> Vec<Broken> {
    let mut broken = Vec::new();
    let text = &subject.patch.message.subject;
    let slug = &subject.slug;
    match text.split_once(": ") {
        Some((own, rest)) if own == *slug && !rest.trim().is_empty() => {}
        Some((own, _)) if own == *slug => broken.push(reword(
            subject,
            format!("its subject `{text}` says nothing after the slug"),
        )),
        _ => broken.push(reword(
            subject,
            format!("its subject `{text}` does not begin with `{slug}: `"),
        )),
    }
    let length = text.chars().count();
    if length > SUBJECT {
        broken.push(reword(
            subject,
            format!("its subject has {length} characters, and {SUBJECT} is the most"),
        ));
    }
    broken
}

/// What is to be judged says what is expected, what changes, and what could go wrong.
pub(super) fn sections(subject: &Subject) -> Vec<Broken> {
    if !matches!(subject.kind, Kind::Perf | Kind::Experiment | Kind::Fix) {
        return Vec::new();
    }
    let paragraphs = subject.patch.message.paragraphs();
    let missing = SECTIONS.iter().filter(|name| {
        let at = paragraphs.iter().position(|paragraph| {
            let first = paragraph.first().and_then(|line| line.strip_prefix(**name));
            first.is_some_and(|rest| rest.starts_with(':'))
        });
        // A section may begin with its name alone on a line, and go on in the next paragraph.
        let text = at.map(|at| paragraphs[at].join(" ")[name.len() + 1..].trim().to_owned());
        let goes_on = at
            .and_then(|at| paragraphs.get(at + 1))
            .is_some_and(|next| section_of(next).is_none());
        match text {
            Some(text) => text.is_empty() && !goes_on,
            None => true,
        }
    });
    missing
        .map(|name| {
            let text = format!(
                "its message has no section `{name}: …`, which kind {} needs",
                subject.kind
            );
            reword(subject, text)
        })
        .collect()
}

/// The section that a paragraph begins.
fn section_of(paragraph: &[&str]) -> Option<&'static str> {
    let (name, _) = paragraph.first()?.split_once(':')?;
    SECTIONS.into_iter().find(|section| *section == name)
}

/// Where it comes from and how it will go away.
pub(super) fn trailers(subject: &Subject) -> Vec<Broken> {
    let trailers = subject.patch.message.trailers();
    let mut broken = Vec::new();
    if trailers.is_empty() {
        let last = subject.patch.message.body.lines().last();
        let ends = last.map_or("it is empty".to_owned(), |line| {
            format!("it ends in `{line}`")
        });
        let keys = TRAILERS.map(|(key, _)| key).join(", ");
        let text =
            format!("its message does not end in a paragraph of trailers alone ({keys}): {ends}");
        return vec![reword(subject, text)];
    }
    for (key, meaning) in TRAILERS {
        let own: Vec<&str> = trailers
            .iter()
            .filter(|(found, _)| found == key)
            .map(|(_, value)| value.trim())
            .collect();
        let text = match own[..] {
            [value] if !value.is_empty() => continue,
            [_] => format!("its trailer `{key}` is empty, and should say {meaning}"),
            [] => match trailers.iter().find(|(k, _)| k.eq_ignore_ascii_case(key)) {
                Some((other, _)) => format!("its trailer `{other}` has to be written `{key}`"),
                None => format!("it has no trailer `{key}: …`, which says {meaning}"),
            },
            _ => format!("it has {} trailers `{key}`, and one is enough", own.len()),
        };
        broken.push(reword(subject, text));
    }
    broken
}

/// `Depends` names optimisations, and not its own.
pub(super) fn depends(subject: &Subject) -> Vec<Broken> {
    let mut broken = Vec::new();
    for (key, value) in &subject.patch.message.trailers() {
        if !key.eq_ignore_ascii_case("Depends") {
            continue;
        }
        for slug in value.split(',').map(str::trim) {
            let text = if slug.is_empty() {
                "its trailer `Depends` has a place with no slug in it; leave the trailer out where nothing is needed"
                    .to_owned()
            } else if !is_slug(slug) {
                format!(
                    "its trailer `Depends` has `{slug}`, which is no slug: name slugs, with commas between"
                )
            } else if *slug == subject.slug {
                "its trailer `Depends` names itself".to_owned()
            } else if !subject.known.contains(slug) {
                format!(
                    "its trailer `Depends` names `{slug}`, which extern/stack.toml does not have"
                )
            } else {
                continue;
            };
            broken.push(reword(subject, text));
        }
    }
    broken
}

/// One optimisation is one idea: its patches say the same.
pub(super) fn same_message(subject: &Subject) -> Vec<Broken> {
    let Some((krate, first)) = &subject.first else {
        return Vec::new();
    };
    let own = &subject.patch.message;
    let what = if own.subject != first.subject {
        "subject"
    } else if own.body != first.body {
        "message"
    } else {
        return Vec::new();
    };
    let text = format!(
        "its {what} is not that of extern/patches/{krate}/{}.patch, and patches of one optimisation carry the same",
        subject.slug
    );
    vec![reword(subject, text)]
}

/// `name <mail>`.
pub(super) fn author(subject: &Subject) -> Vec<Broken> {
    let author = &subject.patch.message.author;
    let parts = author
        .strip_suffix('>')
        .and_then(|text| text.split_once(" <"));
    let good = parts.is_some_and(|(name, mail)| {
        let plain = |text: &str| !text.contains(|c: char| c.is_control() || "<>".contains(c));
        !name.trim().is_empty()
            && name.trim() == name
            && plain(name)
            && plain(mail)
            && !mail.contains(' ')
            && matches!(mail.split_once('@'), Some((user, host)) if !user.is_empty() && !host.is_empty())
    });
    if good {
        return Vec::new();
    }
    let text = format!("its author `{author}` is not of the form `name <mail>`");
    vec![reword(subject, text)]
}

/// As git writes a date: `Sun, 29 Nov 2026 00:00:00 +0000`.
pub(super) fn date(subject: &Subject) -> Vec<Broken> {
    let date = &subject.patch.message.date;
    match date_fault(date) {
        None => Vec::new(),
        Some(why) => vec![reword(subject, format!("its date `{date}` {why}"))],
    }
}

const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// What is wrong with a date.
fn date_fault(date: &str) -> Option<String> {
    const FORM: &str = "is not of the form `Sun, 29 Nov 2026 00:00:00 +0000`";
    let parts: Vec<&str> = date.split(' ').collect();
    let [weekday, day, month, year, time, zone] = parts[..] else {
        return Some(FORM.to_owned());
    };
    let weekday = weekday.strip_suffix(',').and_then(|day| place(&DAYS, day));
    let month = place(&MONTHS, month).map(|place| place + 1);
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let zone_digits = zone.strip_prefix(['+', '-']);
    let formed = digits(day)
        && !day.starts_with('0')
        && year.len() == 4
        && time.len() == 8
        && zone_digits.is_some_and(|zone| zone.len() == 4 && digits(zone));
    let (Some(weekday), Some(month), true) = (weekday, month, formed) else {
        return Some(FORM.to_owned());
    };
    let stamp = format!("{year}-{month:02}-{day:0>2}T{time}Z");
    // A day that no calendar has comes back as another one.
    let Some(seconds) = clock::parse(&stamp).filter(|seconds| clock::format(*seconds) == stamp)
    else {
        return Some("is no day and time that there is".to_owned());
    };
    // 1970-01-01 was a Thursday.
    let found = ((seconds / 86_400 + 4) % 7) as usize;
    (found != weekday).then(|| format!("was a {}", DAYS[found]))
}

fn place(names: &[&str], name: &str) -> Option<usize> {
    names.iter().position(|known| *known == name)
}

fn reword(subject: &Subject, what: String) -> Broken {
    let krate = &subject.krate;
    Broken {
        what,
        todo: format!(
            "reword its commit in `cargo xtask patch edit {krate}`, then run `cargo xtask patch export {krate}`"
        ),
    }
}

#[cfg(test)]
#[path = "message_tests.rs"]
mod tests;
