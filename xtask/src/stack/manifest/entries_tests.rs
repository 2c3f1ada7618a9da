//! The text stays as it is but for what was asked for.

use pretty_assertions::assert_eq;

use super::*;

const TEXT: &str = r#"# On top.
schema = 1

[[crate]]
name = "a"

[[optimisation]]
slug = "one"
kind = "perf"   # for now
default = true
crates = ["a", "b"]

# Why two comes second.
[[optimisation]]
slug = "two"
kind = "perf"
default = true
crates = ["a"]
steps = ["synthesis"]

# Tried out.

[[optimisation]]
slug = "three"
kind = "experiment"
default = false
crates = ["a"]
"#;

fn entries() -> Entries {
    Entries::parse(TEXT).unwrap()
}

#[test]
fn what_is_not_changed_stays_to_the_byte() {
    let mut same = entries();
    assert_eq!(same.text(), TEXT);
    assert_eq!(same.slugs(), ["one", "two", "three"]);
    same.arrange(&["one", "two", "three"].map(str::to_owned));
    same.set_crates("two", &["a"]);
    same.remove("none");
    assert_eq!(same.text(), TEXT);
}

#[test]
fn a_new_entry_comes_before_a_section_of_what_is_off() {
    let mut changed = entries();
    let at = changed.end();
    assert_eq!(at, 2);
    changed.insert(at, "four", Kind::Perf, false, &["a"]);
    let new =
        "\n[[optimisation]]\nslug = \"four\"\nkind = \"perf\"\ndefault = false\ncrates = [\"a\"]\n";
    let expected = TEXT.replace("\n# Tried out.", &format!("{new}\n# Tried out."));
    assert_eq!(changed.text(), expected);
    // Without such a section it is the last one.
    let plain = TEXT.replace("# Tried out.\n\n", "");
    let mut changed = Entries::parse(&plain).unwrap();
    let at = changed.end();
    changed.insert(at, "four", Kind::Perf, false, &["a"]);
    assert_eq!(changed.text(), plain + new);
}

#[test]
fn lines_end_as_they_did() {
    let text = TEXT.replace('\n', "\r\n");
    let mut changed = Entries::parse(&text).unwrap();
    assert_eq!(changed.text(), text);
    changed.insert(3, "four", Kind::Perf, false, &["a"]);
    let made = changed.text();
    assert!(made.starts_with(&text), "{made}");
    assert_eq!(made.matches('\n').count(), made.matches("\r\n").count());
}

#[test]
fn the_first_entry_of_all_is_added() {
    let text = "schema = 1\n\n[[crate]]\nname = \"a\"\n";
    let mut changed = Entries::parse(text).unwrap();
    assert_eq!(changed.end(), 0);
    changed.insert(0, "one", Kind::Fix, true, &["a"]);
    assert_eq!(
        changed.text(),
        format!(
            "{text}\n[[optimisation]]\nslug = \"one\"\nkind = \"fix\"\ndefault = true\ncrates = [\"a\"]\n"
        )
    );
}

#[test]
fn comments_move_with_their_entry_and_outlive_it() {
    let mut changed = entries();
    changed.arrange(&["two", "one", "three"].map(str::to_owned));
    let text = changed.text();
    assert_eq!(changed.slugs(), ["two", "one", "three"]);
    let place = |part: &str| text.find(part).unwrap();
    assert!(place("# Why two") < place("slug = \"two\""));
    assert!(place("slug = \"two\"") < place("# for now"));
    assert!(place("# for now") < place("# Tried out."));
    let mut changed = entries();
    changed.remove("three");
    assert!(
        changed
            .text()
            .ends_with("steps = [\"synthesis\"]\n\n# Tried out.\n\n")
    );
    changed.remove("two");
    assert_eq!(changed.slugs(), ["one"]);
    assert!(changed.text().contains("# Why two comes second."));
}

#[test]
fn crates_join_and_leave() {
    let mut changed = entries();
    changed.set_crates("two", &["a", "b"]);
    changed.set_crates("one", &["b"]);
    let expected = TEXT
        .replace("[\"a\"]\nsteps", "[\"a\", \"b\"]\nsteps")
        .replacen("[\"a\", \"b\"]\n\n# Why", "[\"b\"]\n\n# Why", 1);
    assert_eq!(changed.text(), expected);
    changed.set_crates("two", &["0", "a", "b"]);
    assert!(changed.text().contains("crates = [\"0\", \"a\", \"b\"]"));
}
