//! The lines that a workspace needs.

use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};

use super::survey::Row;
use crate::stack::manifest::write;

/// How many folders up a relative path may lead.
const MOST_UP: usize = 3;

/// The entries for rows, as seen from the workspace's root: name and path.
pub fn entries<'a>(
    rows: impl Iterator<Item = &'a Row>,
    root: &Path,
) -> Result<Vec<(String, String)>> {
    rows.map(|row| {
        let path = from(root, &row.path);
        let text = path.to_str().with_context(|| {
            format!("{} is not UTF-8, which a manifest must be", path.display())
        })?;
        Ok((row.name.clone(), text.to_owned()))
    })
    .collect()
}

/// The lines to print.
pub fn table(entries: &[(String, String)]) -> Result<String> {
    Ok(write::add_patches("", entries)?)
}

/// `path` from `root`, both resolved: relative where the two lie near each other, otherwise as it is.
fn from(root: &Path, path: &Path) -> PathBuf {
    let common = root
        .components()
        .zip(path.components())
        .take_while(|(a, b)| a == b)
        .count();
    let up = root.components().count() - common;
    let named = path
        .components()
        .take(common)
        .filter(|part| matches!(part, Component::Normal(_)));
    if up > MOST_UP || named.count() == 0 {
        return path.to_path_buf();
    }
    let climb = std::iter::repeat_n(Component::ParentDir, up);
    climb.chain(path.components().skip(common)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_relative_where_that_is_sane() {
        for (root, path, expected) in [
            (
                "/home/me/project",
                "/home/me/cuzk/extern/lower",
                "../cuzk/extern/lower",
            ),
            (
                "/home/me/project",
                "/home/me/project/vendor/crates/lower",
                "vendor/crates/lower",
            ),
            (
                "/home/me/a/b/c/d",
                "/home/me/cuzk/extern/lower",
                "/home/me/cuzk/extern/lower",
            ),
            (
                "/tmp/project",
                "/work/cuzk/extern/lower",
                "/work/cuzk/extern/lower",
            ),
        ] {
            assert_eq!(
                from(Path::new(root), Path::new(path)),
                Path::new(expected),
                "{root} {path}"
            );
        }
    }

    #[test]
    fn lines_are_a_table_to_paste() {
        let entries = [("lower".to_owned(), "../x y/\"lower\"".to_owned())];
        let text = table(&entries).unwrap();
        assert_eq!(
            text,
            "[patch.crates-io]\nlower = { path = '../x y/\"lower\"' }\n"
        );
    }
}
