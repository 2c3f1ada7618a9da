//! The message of a patch as that of a commit, and back.

use super::date;
use super::error::ScratchError;
use crate::patch::message::Message;

/// The author and committer lines' value, and the text of a commit.
pub(super) fn to_commit(message: &Message) -> Result<(String, String), ScratchError> {
    let fault = |text: &str| ScratchError::Message {
        subject: message.subject.clone(),
        text: text.to_owned(),
    };
    let date = date::to_commit(&message.date).ok_or_else(|| {
        fault(&format!(
            "its date `{}` is not of the form `Sun, 29 Nov 2026 00:00:00 +0000`",
            message.date
        ))
    })?;
    let named = message.author.split_once(" <").filter(|(name, mail)| {
        let mail = mail.strip_suffix('>').unwrap_or("<");
        !format!("{name}{mail}").contains(['<', '>', '\n'])
    });
    if named.is_none() {
        return Err(fault(&format!(
            "its author `{}` is not of the form `name <mail>`",
            message.author
        )));
    }
    if message.subject.is_empty() {
        return Err(fault("has no subject"));
    }
    let text = if message.body.is_empty() {
        format!("{}\n", message.subject)
    } else {
        format!("{}\n\n{}\n", message.subject, message.body)
    };
    Ok((format!("{} {date}", message.author), text))
}

/// The message of a patch, from the value of a commit's author line and its text.
pub(super) fn from_commit(author: &str, text: &str) -> Result<Message, ScratchError> {
    let text = text.trim_matches('\n');
    let (subject, body) = text.split_once("\n\n").unwrap_or((text, ""));
    // Git takes the whole first paragraph for the subject.
    let subject: Vec<&str> = subject.lines().map(str::trim).collect();
    let subject = subject.join(" ");
    let fault = |text: &str| ScratchError::Message {
        subject: subject.clone(),
        text: text.to_owned(),
    };
    let (author, date) = author
        .rsplit_once("> ")
        .ok_or_else(|| fault("its author is malformed"))?;
    let date = date::to_mail(date).ok_or_else(|| fault("its date cannot be read"))?;
    let body: Vec<&str> = body.lines().map(str::trim_end).collect();
    Ok(Message {
        author: format!("{author}>"),
        date,
        subject: subject.clone(),
        body: body.join("\n").trim_matches('\n').to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn message(subject: &str, body: &str) -> Message {
        Message {
            author: "A B <a@b>".to_owned(),
            date: "Sun, 29 Nov 2026 00:00:00 +0100".to_owned(),
            subject: subject.to_owned(),
            body: body.to_owned(),
        }
    }

    #[test]
    fn messages_go_there_and_back() {
        for (subject, body) in [("one: x", ""), ("one: x", "a\n\nb\n\nOrigin: c")] {
            let made = message(subject, body);
            let (author, text) = to_commit(&made).unwrap();
            assert_eq!(author, "A B <a@b> 1795906800 +0100");
            assert_eq!(from_commit(&author, &text).unwrap(), made);
        }
    }

    #[test]
    fn a_folded_subject_is_one_line() {
        let read = from_commit("A <a@b> 1 +0000", "\none: x\ny\n\n\nwhy  \n\n").unwrap();
        assert_eq!(
            (read.subject.as_str(), read.body.as_str()),
            ("one: x y", "why")
        );
    }

    #[test]
    fn what_git_would_not_take_is_refused() {
        for author in ["A", "A <a", "A <a@b> <c>", ""] {
            let mut made = message("one: x", "");
            author.clone_into(&mut made.author);
            assert!(to_commit(&made).is_err(), "{author}");
        }
        let mut made = message("one: x", "");
        "today".clone_into(&mut made.date);
        assert!(
            to_commit(&made)
                .unwrap_err()
                .to_string()
                .contains("`today`")
        );
    }
}
