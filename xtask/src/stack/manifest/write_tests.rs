//! Texts that are changed, and files that are written together.

use pretty_assertions::assert_eq;

use super::*;

fn patches(text: &str) -> String {
    let entries = [("lower".to_owned(), "../e/lower".to_owned())];
    add_patches(text, &entries).unwrap()
}

const LINE: &str = "lower = { path = \"../e/lower\" }\n";

#[test]
fn a_table_is_added_at_the_end_or_grows() {
    for (before, after) in [
        ("", format!("[patch.crates-io]\n{LINE}")),
        (
            "# why\n[package]\nname = \"a\" # here\n\n[dependencies]\nb = \"1\"\n",
            format!("# why\n[package]\nname = \"a\" # here\n\n[dependencies]\nb = \"1\"\n\n[patch.crates-io]\n{LINE}"),
        ),
        (
            "[patch.crates-io]\n# mine\nb = { path = \"b\" }  # so\n\n[profile.dev]\n",
            format!("[patch.crates-io]\n# mine\nb = {{ path = \"b\" }}  # so\n{LINE}\n[profile.dev]\n"),
        ),
        (
            "[patch.other]\nb = { path = \"b\" }\n\n[profile.dev]\n",
            format!("[patch.other]\nb = {{ path = \"b\" }}\n\n[patch.crates-io]\n{LINE}\n[profile.dev]\n"),
        ),
        (
            "patch = { crates-io = { b = { path = \"b\" } } }\n",
            "patch = { crates-io = { b = { path = \"b\" } , lower = { path = \"../e/lower\" } } }\n".to_owned(),
        ),
        (
            "[patch]\ncrates-io.b = { path = \"b\" }\n",
            "[patch]\ncrates-io.b = { path = \"b\" }\ncrates-io.lower = { path = \"../e/lower\" }\n".to_owned(),
        ),
        (
            "[patch.crates-io.b]\npath = \"b\"\n",
            format!("[patch.crates-io]\n{LINE}[patch.crates-io.b]\npath = \"b\"\n"),
        ),
    ] {
        let found = patches(before);
        assert_eq!(found, after);
        assert_eq!(patches(&found), found, "twice");
        assert!(toml::from_str::<toml::Table>(&found).is_ok());
    }
}

#[test]
fn lines_that_are_not_touched_keep_their_bytes() {
    let crlf =
        "\u{feff}[a]\r\nx = 1\r\n\r\n[patch.crates-io]\r\nb = { path = \"b\" }\r\n\r\n[z]\r\n";
    let expected = "\u{feff}[a]\r\nx = 1\r\n\r\n[patch.crates-io]\r\nb = { path = \"b\" }\r\nlower = { path = \"../e/lower\" }\r\n\r\n[z]\r\n";
    assert_eq!(patches(crlf), expected);
    let mixed = "[a]\nx = 1\r\ny = 2\n[patch.crates-io]\nb = { path = \"b\" }";
    let expected = "[a]\nx = 1\r\ny = 2\n[patch.crates-io]\nb = { path = \"b\" }\r\nlower = { path = \"../e/lower\" }\r\n";
    assert_eq!(patches(mixed), expected);
    let open = "[a]\nx = 1";
    assert_eq!(
        patches(open),
        format!("[a]\nx = 1\n\n[patch.crates-io]\n{LINE}")
    );
}

#[test]
fn what_is_no_table_is_refused() {
    let entries = [("lower".to_owned(), "p".to_owned())];
    let text = |text| add_patches(text, &entries).unwrap_err().to_string();
    assert!(
        text("patch = 1\n").contains("`patch` is integer where a table has to be"),
        "{}",
        text("patch = 1\n")
    );
    assert!(text("[patch]\ncrates-io = []\n").contains("`patch.crates-io` is array"));
    assert!(text("[patch\n").contains("it is no TOML"));
}

#[test]
fn a_release_is_added_behind_the_others() {
    let release = Release {
        name: "third".into(),
        version: "1.0.0".into(),
        checksum: "c".into(),
        tree: "t".into(),
        feature: None,
    };
    let entry =
        "[[crate]]\nname = \"third\"\nversion = \"1.0.0\"\nchecksum = \"c\"\ntree = \"t\"\n";
    let first = "# Words.\n\nschema = 1\n";
    let other = "\n[[crate]]\nname = \"lower\" # low\n";
    let series = "\n# The series.\n\n[[optimisation]]\nslug = \"a\"\n";
    for (before, after) in [
        (
            format!("{first}{other}{series}"),
            format!("{first}{other}\n{entry}{series}"),
        ),
        (
            format!("{first}{other}"),
            format!("{first}{other}\n{entry}"),
        ),
        (format!("{first}crate = []\n"), format!("{first}\n{entry}")),
    ] {
        assert_eq!(add_release(&before, &release).unwrap(), after);
    }
}

#[test]
fn all_are_written_or_none() {
    let temp = tempfile::tempdir().unwrap();
    let place = |name: &str| temp.path().join(name);
    fs::write(place("a"), "1").unwrap();
    fs::write(place("file"), "").unwrap();
    let change = |path: PathBuf, text: &str| Change {
        path,
        text: text.to_owned(),
    };
    let bad = [
        change(place("a"), "2"),
        change(place("new"), "2"),
        change(place("file/below"), "2"),
    ];
    let text = write(&bad).unwrap_err().to_string();
    assert!(
        text.contains("file/below, so that nothing was written"),
        "{text}"
    );
    assert_eq!(fs::read_to_string(place("a")).unwrap(), "1");
    assert!(!place("new").exists());

    let written = write(&bad[..2]).unwrap();
    assert_eq!(written.changed().count(), 2);
    assert_eq!(fs::read_to_string(place("new")).unwrap(), "2");
    drop(written);
    assert!(!place("new").exists());
    write(&bad[..2]).unwrap().forget();
    assert_eq!(fs::read_to_string(place("a")).unwrap(), "2");
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::PermissionsExt;
    let temp = tempfile::tempdir().unwrap();
    let (file, link) = (temp.path().join("a"), temp.path().join("link"));
    fs::write(&file, "1").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let change = Change {
        path: link.clone(),
        text: "2".into(),
    };
    write(&[change]).unwrap().forget();
    assert!(link.is_symlink());
    assert_eq!(fs::read_to_string(&file).unwrap(), "2");
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
}
