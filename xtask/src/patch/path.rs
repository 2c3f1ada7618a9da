//! Paths in a patch: git's quoting undone, and nothing that leaves the tree.

use crate::stack::stamp::STAMP_FILE;

/// Why a path is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathFault {
    /// `../`, an absolute path, an empty component, git's own folder, the stamp.
    #[error("path `{0}` leaves the tree or is not a plain relative path")]
    Unsafe(String),
    /// Not UTF-8.
    #[error("a path is not UTF-8")]
    NotUtf8,
    /// Quoting that git would not write.
    #[error("a quoted path is malformed: {0}")]
    Quoting(String),
    /// The two names of a `diff --git` line cannot be told apart.
    #[error("cannot tell the two paths of `{0}` apart")]
    Ambiguous(String),
}

/// Accepts a relative path that stays inside the tree and is not that of the tree's stamp.
pub fn check(path: &str) -> Result<(), PathFault> {
    let good = !path.is_empty()
        && path != STAMP_FILE
        && !path.contains(['\0', '\\', '\n', '\r'])
        && path
            .split('/')
            .all(|part| !matches!(part, "" | "." | "..") && !part.eq_ignore_ascii_case(".git"));
    if good {
        Ok(())
    } else {
        Err(PathFault::Unsafe(path.to_owned()))
    }
}

/// One path of a header line, git's quoting undone, the tab that git adds behind a path with spaces removed.
pub fn decode(raw: &[u8]) -> Result<String, PathFault> {
    let raw = raw.strip_suffix(b"\t").unwrap_or(raw);
    if raw.first() == Some(&b'"') {
        let (path, rest) = unquote(raw)?;
        if !rest.is_empty() {
            return Err(PathFault::Quoting(lossy(raw)));
        }
        return Ok(path);
    }
    utf8(raw)
}

/// The two paths behind `diff --git `, both without their `a/` and `b/`, when they are equal or quoted.
pub fn decode_pair(raw: &[u8]) -> Result<(String, String), PathFault> {
    let ambiguous = || PathFault::Ambiguous(lossy(raw));
    let strip = |path: String, prefix: &str| {
        path.strip_prefix(prefix)
            .map(str::to_owned)
            .ok_or_else(ambiguous)
    };
    if raw.first() == Some(&b'"') {
        let (old, rest) = unquote(raw)?;
        let rest = rest.strip_prefix(b" ").ok_or_else(ambiguous)?;
        return Ok((strip(old, "a/")?, strip(decode(rest)?, "b/")?));
    }
    if let Some(at) = raw.windows(2).position(|pair| pair == b" \"") {
        let (old, new) = (&raw[..at], &raw[at + 1..]);
        return Ok((strip(utf8(old)?, "a/")?, strip(decode(new)?, "b/")?));
    }
    // Unquoted: a space may be inside a path, so the two are told apart only when they are equal.
    let text = utf8(raw)?;
    let half = text.len() / 2;
    let (old, new) = text
        .split_at_checked(half)
        .and_then(|(old, new)| Some((old, new.strip_prefix(' ')?)))
        .ok_or_else(ambiguous)?;
    let (old, new) = (strip(old.to_owned(), "a/")?, strip(new.to_owned(), "b/")?);
    if old == new {
        Ok((old, new))
    } else {
        Err(ambiguous())
    }
}

fn unquote(raw: &[u8]) -> Result<(String, &[u8]), PathFault> {
    let fault = || PathFault::Quoting(lossy(raw));
    let mut out = Vec::new();
    let mut at = 1;
    loop {
        let byte = *raw.get(at).ok_or_else(fault)?;
        at += 1;
        match byte {
            b'"' => return Ok((utf8(&out)?, &raw[at..])),
            b'\\' => {
                let escape = *raw.get(at).ok_or_else(fault)?;
                at += 1;
                out.push(match escape {
                    b'a' => 7,
                    b'b' => 8,
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'v' => 11,
                    b'f' => 12,
                    b'r' => b'\r',
                    b'"' | b'\\' => escape,
                    b'0'..=b'3' => {
                        let digits = raw.get(at - 1..at + 2).ok_or_else(fault)?;
                        at += 2;
                        let digits = std::str::from_utf8(digits).map_err(|_| fault())?;
                        u8::from_str_radix(digits, 8).map_err(|_| fault())?
                    }
                    _ => return Err(fault()),
                });
            }
            _ => out.push(byte),
        }
    }
}

fn utf8(raw: &[u8]) -> Result<String, PathFault> {
    String::from_utf8(raw.to_vec()).map_err(|_| PathFault::NotUtf8)
}

fn lossy(raw: &[u8]) -> String {
    String::from_utf8_lossy(raw).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_leave_the_tree_are_refused() {
        for bad in [
            "",
            "/etc/passwd",
            "../x",
            "a/../x",
            "a//b",
            "./a",
            "a/",
            ".git/config",
            "a\\b",
            "a\nb",
            ".cuzk-stamp",
        ] {
            assert!(check(bad).is_err(), "{bad:?}");
        }
        for good in ["a", "src/lib.rs", "a b", ".github/x", "..a", "a..b"] {
            assert_eq!(check(good), Ok(()), "{good:?}");
        }
    }

    #[test]
    fn quoting_is_undone() {
        assert_eq!(decode(b"src/lib.rs").as_deref(), Ok("src/lib.rs"));
        assert_eq!(decode(b"a b\t").as_deref(), Ok("a b"));
        assert_eq!(decode(br#""gr\303\274n\t""#).as_deref(), Ok("gr\u{fc}n\t"));
        assert_eq!(decode(b"\"\\303\\274 x\"\t").as_deref(), Ok("\u{fc} x"));
        assert!(decode(br#""open"#).is_err());
        assert!(decode(br#""x"y"#).is_err());
    }

    #[test]
    fn pairs_are_told_apart_or_refused() {
        let pair = |raw: &[u8]| decode_pair(raw).map(|(a, b)| format!("{a}|{b}"));
        assert_eq!(pair(b"a/x y b/x y").as_deref(), Ok("x y|x y"));
        assert_eq!(
            pair(br#""a/\303\274" "b/\303\274""#).as_deref(),
            Ok("\u{fc}|\u{fc}")
        );
        assert_eq!(pair(br#"a/x "b/\303\274""#).as_deref(), Ok("x|\u{fc}"));
        assert!(pair(b"a/x b/yy").is_err());
        assert!(pair(b"x x").is_err());
    }
}
