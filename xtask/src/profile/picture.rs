//! The flame graph and its folded stacks, as files.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::account::Account;
use super::inlined::Frames;
use crate::files;

/// What a picture is of.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The workload.
    pub workload: &'a str,
    /// The arm.
    pub arm: &'a str,
    /// The arm's stamp.
    pub stamp: &'a str,
    /// How it was taken.
    pub how: &'a str,
    /// What is counted.
    pub unit: &'a str,
}

/// Writes `NAME.svg` and `NAME.folded` into `folder` and says where they are.
pub fn write(
    frames: &Frames,
    folder: &Path,
    subject: &Subject,
    account: &Account,
) -> Result<[PathBuf; 2]> {
    let folded = account.folded_lines();
    let title = format!("{} on {}", subject.workload, subject.arm);
    let svg = frames.draw(&title, subject.how, subject.unit, folded.clone())?;
    let name = file_name(subject);
    let paths = [".svg", ".folded"].map(|end| folder.join(format!("{name}{end}")));
    for (path, text) in paths.iter().zip([svg, folded]) {
        files::replace(path, text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(paths)
}

/// `synth-sha256-patched-0123abcd`: of an arm's name only what every file system takes.
pub fn file_name(subject: &Subject) -> String {
    let slug = |text: &str| -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || "+-_.".contains(c);
        text.chars()
            .map(|c| if plain(c) { c } else { '-' })
            .collect()
    };
    let stamp: String = subject.stamp.chars().take(8).collect();
    format!("{}-{}-{stamp}", slug(subject.workload), slug(subject.arm))
}

#[cfg(all(test, unix))]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use super::*;

    #[test]
    fn a_picture_and_its_stacks_lie_side_by_side() {
        let stub = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/profile/stub-frames.sh");
        let temp = tempfile::tempdir().expect("a folder");
        let subject = Subject {
            workload: "synth/gadgets/lookup",
            arm: "pristine+smallvec-lc:features=lc-inline-1",
            stamp: "0123456789abcdef",
            how: "perf",
            unit: "samples",
        };
        let account = Account {
            folded: BTreeMap::from([("main;work".to_owned(), 3)]),
            ..Account::default()
        };
        let folder = temp.path().join("new");
        let [svg, folded] = write(&Frames::at(stub), &folder, &subject, &account).expect("written");
        let name = "synth-gadgets-lookup-pristine+smallvec-lc-features-lc-inline-1-01234567";
        assert_eq!(svg, folder.join(format!("{name}.svg")));
        let text = |path: &Path| fs::read_to_string(path).expect("there");
        assert_eq!(text(&folded), "main;work 3\n");
        assert!(
            text(&svg).contains("synth/gadgets/lookup on pristine"),
            "{}",
            text(&svg)
        );
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 2);
    }

    #[test]
    fn where_nothing_can_be_written_is_named() {
        let stub = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/profile/stub-frames.sh");
        let temp = tempfile::NamedTempFile::new().expect("a file");
        let subject = Subject {
            workload: "w",
            arm: "a",
            stamp: "s",
            how: "perf",
            unit: "samples",
        };
        let error = write(
            &Frames::at(stub),
            temp.path(),
            &subject,
            &Account::default(),
        );
        let text = format!("{:#}", error.expect_err("a file is no folder"));
        assert!(text.contains("w-a-s.svg"), "{text}");
    }
}
