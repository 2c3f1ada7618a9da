//! The mail header and the message of a patch: author, date, subject, text, trailers.

/// What the message of a change to be judged has to say, each in a paragraph that begins with its name.
pub const SECTIONS: [&str; 3] = ["Hypothesis", "Mechanism", "Risk"];

/// What a patch says about itself, as the commit that it is exported from does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// `name <mail>`.
    pub author: String,
    /// When it was written, as RFC 2822 has it.
    pub date: String,
    /// The subject, without `[PATCH]`.
    pub subject: String,
    /// What stands between subject and `---`: lines without white space behind them, no empty line before or after.
    pub body: String,
}

impl Message {
    /// The name before the subject's first `: `, which is the optimisation's.
    pub fn slug(&self) -> Option<&str> {
        self.subject.split_once(": ").map(|(slug, _)| slug)
    }

    /// The paragraphs between subject and trailers, each as its lines.
    pub fn paragraphs(&self) -> Vec<Vec<&str>> {
        let mut paragraphs = self.all_paragraphs();
        if !self.trailers().is_empty() {
            paragraphs.pop();
        }
        paragraphs
    }

    /// Trailers of the last paragraph, in order; a folded value is joined by spaces.
    pub fn trailers(&self) -> Vec<(String, String)> {
        trailers(&self.all_paragraphs().pop().unwrap_or_default())
    }

    /// The first trailer of that name.
    pub fn trailer(&self, key: &str) -> Option<String> {
        let mut own = self.trailers().into_iter();
        own.find(|(k, _)| k.eq_ignore_ascii_case(key))
            .map(|(_, value)| value)
    }

    /// The values of a trailer, several of them split at commas.
    pub fn trailer_list(&self, key: &str) -> Vec<String> {
        self.trailers()
            .iter()
            .filter(|(k, _)| k.eq_ignore_ascii_case(key))
            .flat_map(|(_, value)| value.split(','))
            .map(|item| item.trim().to_owned())
            .filter(|item| !item.is_empty())
            .collect()
    }

    fn all_paragraphs(&self) -> Vec<Vec<&str>> {
        let lines: Vec<&str> = self.body.lines().collect();
        lines
            .split(|line| line.is_empty())
            .filter(|paragraph| !paragraph.is_empty())
            .map(<[&str]>::to_vec)
            .collect()
    }
}

/// Reads the lines before the first `diff --git`.
pub fn read(lines: &[&[u8]]) -> Message {
    let text: Vec<String> = lines
        .iter()
        .map(|line| String::from_utf8_lossy(line).trim_end().to_owned())
        .collect();
    let blank = text.iter().position(String::is_empty);
    let (head, body) = text.split_at(blank.unwrap_or(text.len()));
    let body = &body[..body.iter().position(|l| l == "---").unwrap_or(body.len())];
    Message {
        author: field(head, "From:"),
        date: field(head, "Date:"),
        subject: without_tag(field(head, "Subject:")),
        body: body.join("\n").trim_matches('\n').to_owned(),
    }
}

/// The value of a header line, folded or not; the last one where there are several.
fn field(head: &[String], name: &str) -> String {
    let mut found = String::new();
    let mut inside = false;
    for line in head {
        if line.starts_with(' ') || line.starts_with('\t') {
            if inside {
                found.push(' ');
                found.push_str(line.trim());
            }
        } else if let Some(value) = line.strip_prefix(name) {
            inside = true;
            value.trim().clone_into(&mut found);
        } else {
            inside = false;
        }
    }
    found
}

fn without_tag(subject: String) -> String {
    match subject.strip_prefix('[').and_then(|s| s.split_once(']')) {
        Some((tag, rest)) if tag.starts_with("PATCH") => rest.trim().to_owned(),
        _ => subject,
    }
}

/// The paragraph as trailers, if each line of it is `Key: value` or goes on with the one before.
fn trailers(paragraph: &[&str]) -> Vec<(String, String)> {
    let mut trailers: Vec<(String, String)> = Vec::new();
    for line in paragraph {
        if line.starts_with(' ') || line.starts_with('\t') {
            match trailers.last_mut() {
                Some((_, value)) => {
                    value.push(' ');
                    value.push_str(line.trim());
                }
                None => return Vec::new(),
            }
        } else if let Some((key, value)) = line.split_once(':')
            && is_key(key)
        {
            trailers.push((key.to_owned(), value.trim().to_owned()));
        } else {
            return Vec::new();
        }
    }
    trailers
}

fn is_key(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn message(text: &str) -> Message {
        let lines: Vec<&[u8]> = text.split('\n').map(str::as_bytes).collect();
        read(&lines)
    }

    #[test]
    fn subject_and_trailers_are_read_folded_or_not() {
        let read = message(
            "From 0000 Mon Sep 17 00:00:00 2001\nFrom: A <a@b>\nSubject: [PATCH] open the\n door\nX: y\n\nWhy: because.\n\n\
             Description: it opens\n  the door\nDepends: a, b\n---\n src/lib.rs | 2 +-\n",
        );
        assert_eq!(read.subject, "open the door");
        let expected = [("Description", "it opens the door"), ("Depends", "a, b")];
        assert_eq!(read.trailers(), expected.map(|(k, v)| (k.into(), v.into())));
        assert_eq!(read.paragraphs(), [["Why: because."]]);
        assert_eq!(read.author, "A <a@b>");
        assert_eq!(
            read.body,
            "Why: because.\n\nDescription: it opens\n  the door\nDepends: a, b"
        );
    }

    #[test]
    fn the_slug_stands_before_the_first_colon() {
        let slug = |subject: &str| {
            let subject = subject.to_owned();
            let message = Message {
                subject,
                ..Message::default()
            };
            message.slug().map(str::to_owned)
        };
        assert_eq!(slug("a-b: does: it").as_deref(), Some("a-b"));
        assert_eq!(slug("does it"), None);
    }

    #[test]
    fn prose_is_no_trailer() {
        assert_eq!(
            message("Subject: x\n\nJust: one\nand prose\n---\n").trailers(),
            []
        );
        assert_eq!(message("Subject: x\n---\n").trailers(), []);
        assert_eq!(message(""), Message::default());
    }
}
