//! Three-way merge of one file, by git.

use std::io;

use crate::git;

/// What a merge came to.
#[derive(Debug, PartialEq, Eq)]
pub enum Merged {
    /// One result without conflicts.
    Clean(Vec<u8>),
    /// So many conflicts.
    Conflicts(i32),
}

/// How the three sides of a conflict are called in its markers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    /// The file that is merged into.
    pub ours: String,
    /// The file that the change was made for.
    pub base: String,
    /// The change.
    pub theirs: String,
}

/// Merges the change from `base` to `theirs` into `ours`. Bytes in, bytes out: no conversion of line endings.
pub fn three_way(ours: &[u8], base: &[u8], theirs: &[u8]) -> io::Result<Merged> {
    let (text, conflicts) = merge_file(ours, base, theirs, None)?;
    Ok(match conflicts {
        0 => Merged::Clean(text),
        count => Merged::Conflicts(count),
    })
}

/// As [`three_way`], with conflicts marked: the text, and how many conflicts are in it.
pub fn marked(
    ours: &[u8],
    base: &[u8],
    theirs: &[u8],
    labels: &Labels,
) -> io::Result<(Vec<u8>, i32)> {
    merge_file(ours, base, theirs, Some(labels))
}

fn merge_file(
    ours: &[u8],
    base: &[u8],
    theirs: &[u8],
    labels: Option<&Labels>,
) -> io::Result<(Vec<u8>, i32)> {
    let folder = tempfile::tempdir()?;
    for (name, bytes) in [("ours", ours), ("base", base), ("theirs", theirs)] {
        std::fs::write(folder.path().join(name), bytes)?;
    }
    let mut command = git::command(folder.path());
    command.args(["merge-file", "-p", "-q"]);
    if let Some(labels) = labels {
        command.arg("--diff3");
        for label in [&labels.ours, &labels.base, &labels.theirs] {
            command.arg("-L").arg(label);
        }
    }
    let output = command
        .args(["ours", "base", "theirs"])
        .env("GIT_CEILING_DIRECTORIES", folder.path())
        .output()
        .map_err(|error| {
            io::Error::new(
                error.kind(),
                format!("git merge-file cannot be started: {error}"),
            )
        })?;
    match output.status.code() {
        Some(conflicts) if (0..=127).contains(&conflicts) => Ok((output.stdout, conflicts)),
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

    #[test]
    fn markers_name_the_three_sides() {
        let labels = Labels {
            ours: "c 2.0.0".to_owned(),
            base: "c 1.0.0".to_owned(),
            theirs: "s.patch".to_owned(),
        };
        let (text, conflicts) = marked(b"x\n", b"a\n", b"y\n", &labels).unwrap();
        assert_eq!(conflicts, 1);
        let expected = "<<<<<<< c 2.0.0\nx\n||||||| c 1.0.0\na\n=======\ny\n>>>>>>> s.patch\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
}
