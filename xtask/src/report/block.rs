//! A marked block in a page: `<!-- NAME:begin -->` … `<!-- NAME:end -->`, each alone on its line.
//!
//! Only what lies between the two lines is ever replaced. The first marker may carry a setting, as in
//! `<!-- measured:begin arms="patched,patched:capacity=exact" -->`.

use thiserror::Error;

/// Why a page has no block to write to.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BlockError {
    /// No begin marker.
    #[error(
        "no line `<!-- {0}:begin -->`: add it, and `<!-- {0}:end -->` below it, where the generated text belongs"
    )]
    NoBegin(String),
    /// No end marker behind the begin marker.
    #[error("no line `<!-- {0}:end -->` behind `<!-- {0}:begin -->`")]
    NoEnd(String),
    /// Two blocks of that name.
    #[error("more than one block `{0}`")]
    Twice(String),
}

/// A block that was found.
#[derive(Clone, Copy, Debug)]
struct Block<'a> {
    /// Everything up to the end of the begin marker's line.
    head: &'a str,
    /// The begin marker's line.
    marker: &'a str,
    /// Everything from the end marker's line on.
    tail: &'a str,
}

/// The page with the block's text replaced by `body`.
pub fn replace(page: &str, name: &str, body: &str) -> Result<String, BlockError> {
    let block = find(page, name)?;
    // A page with CRLF keeps CRLF.
    let newline = if block.head.ends_with("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let mut text = block.head.to_owned();
    for line in body.trim_end().lines() {
        text.push_str(line);
        text.push_str(newline);
    }
    text.push_str(block.tail);
    Ok(text)
}

/// The value of `key="…"` in the block's begin marker.
pub fn setting(page: &str, name: &str, key: &str) -> Result<Option<String>, BlockError> {
    let marker = find(page, name)?.marker;
    let value = marker
        .split_once(&format!("{key}=\""))
        .and_then(|(_, rest)| rest.split_once('"'));
    Ok(value.map(|(value, _)| value.to_owned()))
}

fn find<'a>(page: &'a str, name: &str) -> Result<Block<'a>, BlockError> {
    let begin = format!("<!-- {name}:begin");
    let end = format!("<!-- {name}:end -->");
    let (mut offset, mut head, mut tail) = (0, None, None);
    for line in page.split_inclusive('\n') {
        let next = offset + line.len();
        if line.trim().starts_with(&begin) && line.trim().ends_with("-->") {
            if head.is_some() {
                return Err(BlockError::Twice(name.to_owned()));
            }
            head = Some((&page[..next], line));
        } else if line.trim() == end && head.is_some() {
            if tail.is_some() {
                return Err(BlockError::Twice(name.to_owned()));
            }
            tail = Some(&page[offset..]);
        }
        offset = next;
    }
    let (head, marker) = head.ok_or_else(|| BlockError::NoBegin(name.to_owned()))?;
    let tail = tail.ok_or_else(|| BlockError::NoEnd(name.to_owned()))?;
    Ok(Block { head, marker, tail })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# A\n\n<!-- x:begin -->\nold\n<!-- x:end -->\n\nrest, no newline";

    #[test]
    fn only_the_block_is_replaced_and_twice_is_once() {
        let once = replace(PAGE, "x", "new\nlines\n\n").expect("a block");
        assert_eq!(
            once,
            "# A\n\n<!-- x:begin -->\nnew\nlines\n<!-- x:end -->\n\nrest, no newline"
        );
        assert_eq!(replace(&once, "x", "new\nlines").expect("a block"), once);
        let empty = replace(&once, "x", "").expect("a block");
        assert_eq!(
            empty,
            "# A\n\n<!-- x:begin -->\n<!-- x:end -->\n\nrest, no newline"
        );
    }

    #[test]
    fn line_ends_stay_as_they_are() {
        let page = PAGE.replace('\n', "\r\n");
        let changed = replace(&page, "x", "new\nlines").expect("a block");
        assert!(
            changed.contains("begin -->\r\nnew\r\nlines\r\n<!-- x:end -->\r\n"),
            "{changed:?}"
        );
        assert!(!changed.replace("\r\n", "").contains('\n'));
    }

    #[test]
    fn a_marker_can_carry_a_setting() {
        let page = PAGE.replace("x:begin -->", "x:begin arms=\"a,b\" -->");
        assert_eq!(setting(&page, "x", "arms"), Ok(Some("a,b".to_owned())));
        assert_eq!(setting(PAGE, "x", "arms"), Ok(None));
        assert!(replace(&page, "x", "new").is_ok_and(|p| p.contains("arms=\"a,b\" -->\nnew\n")));
    }

    #[test]
    fn pages_without_a_whole_block_are_refused() {
        assert_eq!(
            replace("text\n", "x", ""),
            Err(BlockError::NoBegin("x".to_owned()))
        );
        assert_eq!(
            replace("<!-- x:begin -->\n", "x", ""),
            Err(BlockError::NoEnd("x".to_owned()))
        );
        let reversed = "<!-- x:end -->\n<!-- x:begin -->\n";
        assert_eq!(
            replace(reversed, "x", ""),
            Err(BlockError::NoEnd("x".to_owned()))
        );
        assert_eq!(
            replace(&PAGE.repeat(2), "x", ""),
            Err(BlockError::Twice("x".to_owned()))
        );
    }
}
