//! Small pieces of HTML.

use std::fmt::Write;

use crate::results::{Comparison, Verdict};

/// Text as it may stand in HTML, in an attribute as well.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// What may stand between a plot's beginning and its shapes: what it is, and what it shows.
pub fn described(title: &str, description: &str) -> String {
    format!(
        "<title>{}</title><desc>{}</desc>",
        escape(title),
        escape(description)
    )
}

/// The verdict with a sign of its own, so that its colour is not needed.
pub fn verdict(verdict: Verdict) -> String {
    let word = verdict.word();
    format!("<b class={word}>{} {word}</b>", sign(verdict))
}

fn sign(verdict: Verdict) -> char {
    match verdict {
        Verdict::Improved => '▼',
        Verdict::Regressed => '▲',
        Verdict::Equivalent => '=',
        Verdict::Inconclusive => '?',
        Verdict::Invalid => '×',
    }
}

/// That a row does not hold any more, and why.
pub fn stale(reason: Option<&str>) -> String {
    reason.map_or_else(String::new, |reason| {
        format!("<small class=stale>stale: {}</small>", escape(reason))
    })
}

/// Two arms as a ratio, contender first.
pub fn contrast(arms: [&str; 2]) -> String {
    format!("{} / {}", escape(arms[1]), escape(arms[0]))
}

/// The smallest change that would have been seen.
pub fn detectable(row: &Comparison) -> String {
    row.detectable.map_or_else(
        || "–".to_owned(),
        |effect| format!("±{:.1}&nbsp;%", effect * 100.0),
    )
}

/// A table in a box of its own that scrolls. Cells are HTML already; a heading that begins with `#` is over numbers.
pub fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let mut text = String::from("<div class=scroll tabindex=0><table><tr>");
    for heading in headings {
        let _ = match heading.strip_prefix('#') {
            Some(heading) => write!(text, "<th class=n>{heading}"),
            None => write!(text, "<th>{heading}"),
        };
    }
    text.push('\n');
    for row in rows {
        text.push_str("<tr>");
        for (cell, heading) in row.iter().zip(headings) {
            text.push_str(if heading.starts_with('#') {
                "<td class=n>"
            } else {
                "<td>"
            });
            text.push_str(cell);
        }
        text.push('\n');
    }
    text.push_str("</table></div>\n");
    text
}

/// The day of a time that a file says.
pub fn day(time: &str) -> String {
    escape(time.get(..10).unwrap_or(time))
}

/// Day and minute of a time that a file says.
pub fn minute(time: &str) -> String {
    escape(&time.get(..16).unwrap_or(time).replace('T', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_file_says_is_markup() {
        assert_eq!(
            escape("<a href=\"x\" id='y'>&amp;"),
            "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;"
        );
        assert_eq!(day("<b>"), "&lt;b&gt;");
        assert_eq!(minute("2026-11-29T14:25:30Z"), "2026-11-29 14:25");
    }
}
