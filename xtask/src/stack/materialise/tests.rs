//! From releases that are made up to trees on disk.

use pretty_assertions::assert_eq;

use super::*;
use crate::patch::apply::ApplyError;
use crate::patch::git_tests::patch_text;
use crate::stack::stamps::Stamps;
use crate::stack::tree::Tree;
use crate::stack::tree::tests::tree;

/// A checkout with one upstream crate `c` and a series on it.
struct Checkout {
    _temp: tempfile::TempDir,
    layout: Layout,
    release: Tree,
}

const LINES: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n";

impl Checkout {
    /// door: 1; early: 5; late: 6, whose context early has changed; far: 12; odd (off): a new file.
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let layout = Layout::new(temp.path());
        let file = |text: &str| tree(&[("src/a", text), ("same", "same\n")]);
        let states = [
            file(LINES),
            file(&LINES.replace("1\n2\n", "door\n2\n")),
            file(
                &LINES
                    .replace("1\n2\n", "door\n2\n")
                    .replace("5\n", "early\n"),
            ),
            file(
                &LINES
                    .replace("1\n2\n", "door\n2\n")
                    .replace("5\n6\n", "early\nlate\n"),
            ),
            file(
                &LINES
                    .replace("1\n2\n", "door\n2\n")
                    .replace("5\n6\n", "early\nlate\n")
                    .replace("12\n", "far\n"),
            ),
        ];
        let mut odd = states[4].clone();
        odd.files.extend(tree(&[("odd", "odd\n")]).files);
        fs::create_dir_all(layout.patches.join("c")).unwrap();
        let mut text = format!(
            "schema = 1\n[[crate]]\nname = \"c\"\nversion = \"1.0.0\"\nchecksum = \"{}\"\ntree = \"{}\"\n",
            "a".repeat(64),
            states[0].id()
        );
        for (at, (slug, kind)) in [
            ("door", "instrument"),
            ("early", "perf"),
            ("late", "perf"),
            ("far", "perf"),
            ("odd", "experiment"),
        ]
        .iter()
        .enumerate()
        {
            let after = states.get(at + 1).unwrap_or(&odd);
            fs::write(
                layout.patches.join(format!("c/{slug}.patch")),
                patch_text(&states[at], after, slug),
            )
            .unwrap();
            let default = *kind != "experiment";
            text += &format!(
                "[[optimisation]]\nslug = \"{slug}\"\nkind = \"{kind}\"\ndefault = {default}\ncrates = [\"c\"]\n"
            );
        }
        fs::write(&layout.stack_toml, text).unwrap();
        let [release, ..] = states;
        Self {
            _temp: temp,
            layout,
            release,
        }
    }

    fn make_with(&self, name: &str, edited: Edited<'_>) -> Result<Stack> {
        let manifest = Manifest::parse(
            &fs::read_to_string(&self.layout.stack_toml)?,
            &self.layout.patches,
        )?;
        let load = || Ok(Trees::from([("c".to_owned(), self.release.clone())]));
        materialise_on(
            &self.layout,
            &manifest,
            &name.parse()?,
            edited,
            Progress::stderr(),
            load,
        )
    }

    fn make(&self, name: &str) -> Result<Stack> {
        self.make_with(name, Edited::Refuse)
    }

    /// The lines of `src/a` in a stack, joined by spaces.
    fn lines(&self, stack: &Stack) -> String {
        fs::read_to_string(stack.trees["c"].join("src/a"))
            .unwrap()
            .replace('\n', " ")
            .trim()
            .to_owned()
    }
}

#[test]
fn stacks_are_made_once_and_equal_ones_have_one_stamp() {
    let checkout = Checkout::new();
    let patched = checkout.make("patched").unwrap();
    assert_eq!(patched.made, ["c"]);
    assert_eq!(patched.config, None);
    assert_eq!(patched.trees["c"], checkout.layout.extern_dir.join("c"));
    assert_eq!(
        checkout.lines(&patched),
        "door 2 3 4 early late 7 8 9 10 11 far"
    );
    let again = checkout.make("patched").unwrap();
    assert_eq!((again.made.len(), &again.stamp), (0, &patched.stamp));
    let last = checkout.make("prefix-far").unwrap();
    assert_eq!(last.stamp, patched.stamp);
    let config = fs::read_to_string(last.config.as_ref().unwrap()).unwrap();
    let expected = format!(
        "[patch.crates-io.c]\npath = \"{}\"\n",
        last.trees["c"].display()
    );
    assert_eq!(config, expected);
    let pristine = checkout.make("pristine").unwrap();
    assert_eq!(checkout.lines(&pristine), "door 2 3 4 5 6 7 8 9 10 11 12");
    assert_ne!(pristine.stamp, patched.stamp);
}

#[test]
fn other_subsets_are_made_or_said_to_be_not_constructible() {
    let checkout = Checkout::new();
    let only = checkout.make("pristine+far").unwrap();
    assert_eq!(checkout.lines(&only), "door 2 3 4 5 6 7 8 9 10 11 far");
    assert_eq!(
        checkout.lines(&checkout.make("patched-late").unwrap()),
        "door 2 3 4 early 6 7 8 9 10 11 far"
    );
    let with = checkout.make("patched+odd").unwrap();
    assert!(with.trees["c"].join("odd").exists());
    // `late` was made next to a line that `early` changes.
    let error = checkout.make("patched-early").unwrap_err();
    assert!(
        matches!(
            error.downcast_ref(),
            Some(ApplyError::NotConstructible { .. })
        ),
        "{error:#}"
    );
    let text = format!("{error:#}");
    for part in [
        "c/late.patch",
        "`src/a`",
        "hunk 1 (@@ -3,7 +3,7 @@",
        "cargo xtask bench --arms prefix-early,prefix-late",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!checkout.layout.stacks.join("patched-early/c").exists());
}

#[test]
fn a_series_that_does_not_apply_leaves_the_trees_as_they_were() {
    let checkout = Checkout::new();
    let before = checkout.make("patched").unwrap();
    let path = checkout.layout.patches.join("c/late.patch");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("+late", "+LATE")).unwrap();
    let error = format!("{:#}", checkout.make("patched").unwrap_err());
    for part in [
        "the trees are as they were",
        "c/late.patch",
        "`src/a`",
        "export it anew",
    ] {
        assert!(error.contains(part), "{part} in {error}");
    }
    assert_eq!(
        checkout.lines(&before),
        "door 2 3 4 early late 7 8 9 10 11 far"
    );
    fs::write(&path, text).unwrap();
    assert!(checkout.make("patched").unwrap().made.is_empty());
}

#[test]
fn a_changed_patch_makes_the_tree_anew() {
    let checkout = Checkout::new();
    let before = checkout.make("patched").unwrap();
    let path = checkout.layout.patches.join("c/far.patch");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(
        &path,
        text.replace("Subject: [PATCH] far", "Subject: [PATCH] further"),
    )
    .unwrap();
    let after = checkout.make("patched").unwrap();
    assert_eq!(after.made, ["c"]);
    assert_eq!(after.stamp, before.stamp);
}

#[test]
fn what_a_hand_changed_is_refused_kept_or_thrown_away() {
    let checkout = Checkout::new();
    let stack = checkout.make("patched").unwrap();
    let place = &stack.trees["c"];
    fs::write(place.join("src/a"), "mine\n").unwrap();
    fs::write(place.join("Cargo.lock"), "").unwrap();
    fs::remove_file(place.join("same")).unwrap();
    let error = format!("{:#}", checkout.make("patched").unwrap_err());
    for part in [
        "changed  extern/c/src/a",
        "added    extern/c/Cargo.lock",
        "removed  extern/c/same",
        "--keep DIR patched",
        "--discard patched",
    ] {
        assert!(error.contains(part), "{part} in {error}");
    }
    assert_eq!(checkout.lines(&stack), "mine");
    let keep = checkout.layout.root.join("kept");
    assert_eq!(
        checkout
            .make_with("patched", Edited::Keep(&keep))
            .unwrap()
            .stamp,
        stack.stamp
    );
    assert_eq!(fs::read_to_string(keep.join("c/src/a")).unwrap(), "mine\n");
    assert_eq!(
        checkout.lines(&stack),
        "door 2 3 4 early late 7 8 9 10 11 far"
    );
    fs::write(place.join("new"), "").unwrap();
    let error = checkout
        .make_with("patched", Edited::Keep(&keep))
        .unwrap_err();
    assert!(error.to_string().contains("is there already"), "{error}");
    assert!(checkout.make_with("patched", Edited::Discard).unwrap().made == ["c"]);
    assert!(!place.join("new").exists());
}

#[test]
fn a_folder_that_was_not_made_here_is_left_alone() {
    let checkout = Checkout::new();
    let place = checkout.layout.extern_dir.join("c");
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join("work"), "").unwrap();
    let error = checkout.make("patched").unwrap_err().to_string();
    assert!(
        error.contains("extern/c: has no stamp that fits"),
        "{error}"
    );
    assert!(place.join("work").exists());
}

#[test]
fn a_stamp_found_in_memory_is_that_of_the_stack() {
    let checkout = Checkout::new();
    let text = fs::read_to_string(&checkout.layout.stack_toml).unwrap();
    let manifest = Manifest::parse(&text, &checkout.layout.patches).unwrap();
    let releases = Trees::from([("c".to_owned(), checkout.release.clone())]);
    let mut stamps = Stamps::new(&manifest, &releases).unwrap();
    for name in [
        "pristine",
        "patched",
        "prefix-early",
        "patched-far",
        "patched-late",
        "pristine+far",
        "pristine+odd",
        "patched+odd",
    ] {
        let selection: Selection = name.parse().unwrap();
        let found = stamps.of(&selection, &[]).unwrap();
        assert_eq!(found, checkout.make(name).unwrap().stamp, "{name}");
        assert_eq!(stamps.of(&selection, &[]).as_ref(), Ok(&found));
    }
    // What cannot be made, and what is no stack.
    for (name, words) in [
        ("patched-early", "does not fit this stack"),
        ("patched-odd", "is not in the default series"),
        ("patched+none", "no optimisation `none`"),
    ] {
        let selection: Selection = name.parse().unwrap();
        let text = stamps.of(&selection, &[]).unwrap_err().to_string();
        assert!(text.contains(words), "{words} in {text}");
        assert!(checkout.make(name).is_err());
    }
}

#[test]
fn a_crate_that_an_arm_does_not_compile_counts_as_its_release() {
    let checkout = Checkout::new();
    let text = fs::read_to_string(&checkout.layout.stack_toml).unwrap();
    let text = text.replacen(
        "\n[[optimisation]]",
        "\nfeature = \"cuda\"\n[[optimisation]]",
        1,
    );
    fs::write(&checkout.layout.stack_toml, &text).unwrap();
    let manifest = Manifest::parse(&text, &checkout.layout.patches).unwrap();
    let releases = Trees::from([("c".to_owned(), checkout.release.clone())]);
    let mut stamps = Stamps::new(&manifest, &releases).unwrap();
    let features = |names: &[&str]| -> Vec<String> { names.iter().map(|n| (*n).into()).collect() };
    let release = [("c".to_owned(), checkout.release.id().to_string())];
    let untouched = stack_stamp(&release.into());
    for name in ["pristine", "patched", "pristine+odd"] {
        let stack = checkout.make(name).unwrap();
        for (names, compiled) in [
            (&[][..], false),
            (&["other"], false),
            (&["other", "cuda"], true),
            (&["d/cuda-more"], true),
            (&["barracuda"], false),
        ] {
            let features = features(names);
            let stamp = stack.stamp_with(&manifest, &features);
            let expected = if compiled { &stack.stamp } else { &untouched };
            assert_eq!(stamp, *expected, "{name} {names:?}");
            let found = stamps.of(&stack.selection, &features);
            assert_eq!(found.as_ref(), Ok(expected), "{name} {names:?}");
        }
    }
    // A stack that cannot be made has no arm, whatever is compiled of it.
    assert!(stamps.of(&"patched-early".parse().unwrap(), &[]).is_err());
}
