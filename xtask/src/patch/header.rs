//! The mail header and the message of a patch: its subject and its trailers.

/// What a patch says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// The subject, without `[PATCH]`.
    pub subject: String,
    /// The paragraphs between subject and trailers, each as its lines.
    pub paragraphs: Vec<Vec<String>>,
    /// Trailers of the last paragraph, in order; a folded value is joined by spaces.
    pub trailers: Vec<(String, String)>,
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
    let trailers = trailers(body);
    let mut paragraphs = paragraphs(body);
    if !trailers.is_empty() {
        paragraphs.pop();
    }
    Message {
        subject: subject(head),
        paragraphs,
        trailers,
    }
}

fn paragraphs(body: &[String]) -> Vec<Vec<String>> {
    body.split(String::is_empty)
        .filter(|paragraph| !paragraph.is_empty())
        .map(<[String]>::to_vec)
        .collect()
}

fn subject(head: &[String]) -> String {
    let mut subject = String::new();
    let mut inside = false;
    for line in head {
        if line.starts_with(' ') || line.starts_with('\t') {
            if inside {
                subject.push(' ');
                subject.push_str(line.trim());
            }
        } else if let Some(value) = line.strip_prefix("Subject:") {
            inside = true;
            value.trim().clone_into(&mut subject);
        } else {
            inside = false;
        }
    }
    match subject.strip_prefix('[').and_then(|s| s.split_once(']')) {
        Some((tag, rest)) if tag.starts_with("PATCH") => rest.trim().to_owned(),
        _ => subject,
    }
}

/// The last paragraph, if its first line is `Key: value`.
fn trailers(body: &[String]) -> Vec<(String, String)> {
    let last = paragraphs(body).pop().unwrap_or_default();
    let mut trailers: Vec<(String, String)> = Vec::new();
    for line in &last {
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
        assert_eq!(read.trailers, expected.map(|(k, v)| (k.into(), v.into())));
    }

    #[test]
    fn prose_is_no_trailer() {
        assert_eq!(
            message("Subject: x\n\nJust: one\nand prose\n---\n").trailers,
            []
        );
        assert_eq!(message("Subject: x\n---\n").trailers, []);
        assert_eq!(message(""), Message::default());
    }
}
