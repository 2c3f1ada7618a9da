//! Three-way merge of one file, by git.

use std::io;
use std::process::Command;

/// What a merge came to.
#[derive(Debug, PartialEq, Eq)]
pub enum Merged {
    /// One result without conflicts.
    Clean(Vec<u8>),
    /// So many conflicts.
    Conflicts(i32),
}

/// Merges the change from `base` to `theirs` into `ours`. Bytes in, bytes out: no conversion of line endings.
pub fn three_way(ours: &[u8], base: &[u8], theirs: &[u8]) -> io::Result<Merged> {
    let folder = tempfile::tempdir()?;
    for (name, bytes) in [("ours", ours), ("base", base), ("theirs", theirs)] {
        std::fs::write(folder.path().join(name), bytes)?;
    }
    // A user's configuration must not decide what a tree holds.
    let output = Command::new("git")
        .args(["merge-file", "-p", "-q", "ours", "base", "theirs"])
        .current_dir(folder.path())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CEILING_DIRECTORIES", folder.path())
        .env_remove("GIT_DIR")
        .output()
        .map_err(|error| {
            io::Error::new(
                error.kind(),
                format!("git merge-file cannot be started: {error}"),
            )
        })?;
    match output.status.code() {
        Some(0) => Ok(Merged::Clean(output.stdout)),
        Some(conflicts) if (1..=127).contains(&conflicts) => Ok(Merged::Conflicts(conflicts)),
        _ => Err(io::Error::other(format!(
            "git merge-file failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn clean_merges_keep_every_byte() {
        let base = b"a\r\nb\r\nc\r\nd\r\ne";
        let ours = b"A\r\nb\r\nc\r\nd\r\ne";
        let theirs = b"a\r\nb\r\nc\r\nd\r\nE";
        let merged = three_way(ours, base, theirs).unwrap();
        assert_eq!(merged, Merged::Clean(b"A\r\nb\r\nc\r\nd\r\nE".to_vec()));
    }

    #[test]
    fn conflicts_are_counted() {
        let merged = three_way(b"x\n", b"a\n", b"y\n").unwrap();
        assert_eq!(merged, Merged::Conflicts(1));
    }
}
