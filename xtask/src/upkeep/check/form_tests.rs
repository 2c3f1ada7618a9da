//! Made-up patches that apply nowhere, or are in another form.

use super::super::broken;
use super::super::testing::{breaks, message, saying};
use super::*;

#[test]
fn a_patch_applies_somewhere() {
    let misfit = |default| Subject {
        default,
        place: Place::Misfit("`src/lib.rs` is another file".to_owned()),
        ..saying(&message())
    };
    breaks(
        &misfit(true),
        "place",
        &["does not apply where extern/stack.toml has it: `src/lib.rs` is another file"],
    );
    breaks(
        &misfit(false),
        "place",
        &[
            "is off, and fits exactly nowhere along the series",
            "patch edit c",
        ],
    );
    let unknown = Subject {
        place: Place::Unknown,
        ..saying(&message())
    };
    assert_eq!(broken(&unknown), []);
}

#[test]
fn a_file_is_as_an_export_writes_it() {
    let written = |change: fn(String) -> String| {
        let mut subject = saying(&message());
        let text = String::from_utf8(subject.bytes).unwrap();
        let changed = change(text.clone());
        assert_ne!(text, changed);
        subject.bytes = changed.into_bytes();
        subject
    };
    breaks(
        &written(|text| text.replace("---\n 1 file", "---\n src/lib.rs | 1 -\n 1 file")),
        "form",
        &[
            "not as export writes it: line 18 is ` src/lib.rs | 1 -`, and export writes ` 1 file changed, 1 deletion(-)`: run `cargo xtask patch",
        ],
    );
    breaks(
        &written(|text| text + "-- \n2.43.0\n\n"),
        "form",
        &["is `-- `, and export writes ``"],
    );
    breaks(
        &written(|text| text.replace('\n', "\r\n")),
        "form",
        &[
            "line 1 is `…",
            "00:00:00 2001\\r`, and export writes `…",
            "00:00:00 2001`: run",
        ],
    );
    breaks(
        &written(|text| text.trim_end().to_owned()),
        "form",
        &["export writes ``"],
    );
}

#[test]
fn what_cannot_be_exported_is_said_to_be_so() {
    let mut subject = saying(&message());
    if let Place::Found { after, .. } = &mut subject.place {
        let mut file = after.files["src/lib.rs"].clone();
        file.bytes = (*b"a\0b").into();
        after.files.insert("src/lib.rs".to_owned(), file);
    }
    breaks(
        &subject,
        "form",
        &["cannot be exported: `src/lib.rs` is binary"],
    );
}
