//! Edit, export, vendor: the same bytes, however the series looks and whoever's git is at work.

use std::collections::BTreeMap;
use std::fs;

use pretty_assertions::assert_eq;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use super::*;
use crate::patch::message::Message;
use crate::patch::{Mode, diff, print};
use crate::progress::Progress;
use crate::scratch::hostile::Person;
use crate::stack::materialise::{Edited as Edits, materialise_on};
use crate::stack::selection::Selection;
use crate::stack::stamp::STAMP_FILE;
use crate::stack::tree::{File, Tree};
use crate::upkeep::edit::{How as Opening, OFF, SERIES};

/// Made-up numbers, the same in every run.
struct Dice(ChaCha8Rng);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0.next_u64() as usize % below
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.roll(of.len())]
    }
}

const NAMES: [&str; 8] = [
    "src/lib.rs",
    "src/a.rs",
    "gr\u{fc}n",
    "with space",
    "q\"uote",
    "src/deep/er/x",
    "tab\there",
    ".hidden",
];
/// Few different lines, so that equal blocks are common; some look like a patch.
const LINES: [&str; 9] = [
    "a",
    "b",
    "}",
    "",
    "-- ",
    "\tx y ",
    "@@ -1 +1 @@",
    "--- a/x",
    "$Id$",
];

fn text(dice: &mut Dice, most: usize) -> Vec<u8> {
    let mut text = Vec::new();
    for _ in 0..dice.roll(most) {
        text.extend_from_slice(dice.pick(&LINES).as_bytes());
        text.extend_from_slice(if dice.roll(5) == 0 { b"\r\n" } else { b"\n" });
    }
    if dice.roll(4) == 0 {
        text.extend_from_slice(b"no end");
    }
    text
}

fn mode(dice: &mut Dice) -> Mode {
    if dice.roll(5) == 0 {
        Mode::Executable
    } else {
        Mode::Plain
    }
}

fn release(dice: &mut Dice) -> Tree {
    let mut tree = Tree::default();
    for name in NAMES {
        if dice.roll(3) > 0 {
            let (mode, bytes) = (mode(dice), text(dice, 30).into());
            tree.files.insert(name.to_owned(), File { mode, bytes });
        }
    }
    tree
}

/// A tree that a person may have made of another: never the same one.
fn changed(dice: &mut Dice, before: &Tree) -> Tree {
    let mut after = before.clone();
    for _ in 0..=dice.roll(3) {
        let there: Vec<String> = after.files.keys().cloned().collect();
        let free: Vec<&str> = NAMES
            .into_iter()
            .filter(|n| !after.files.contains_key(*n))
            .collect();
        let what = if there.is_empty() { 0 } else { dice.roll(8) };
        if what == 0 {
            if !free.is_empty() {
                let name = (*dice.pick(&free)).to_owned();
                let (mode, bytes) = (mode(dice), text(dice, 20).into());
                after.files.insert(name, File { mode, bytes });
            }
            continue;
        }
        let name = dice.pick(&there).clone();
        let mut file = after.files[&name].clone();
        match what {
            1 => {
                after.files.remove(&name);
                continue;
            }
            2 if !free.is_empty() => {
                after.files.remove(&name);
                after.files.insert((*dice.pick(&free)).to_owned(), file);
                continue;
            }
            3 => {
                file.mode = match file.mode {
                    Mode::Plain => Mode::Executable,
                    Mode::Executable => Mode::Plain,
                };
            }
            _ => {
                let mut lines: Vec<&[u8]> = file.bytes.split_inclusive(|b| *b == b'\n').collect();
                let at = dice.roll(lines.len() + 1);
                let end = (at + dice.roll(3)).min(lines.len());
                let put = text(dice, 4);
                lines.splice(at..end, put.split_inclusive(|b| *b == b'\n'));
                file.bytes = lines.concat().into();
            }
        }
        after.files.insert(name, file);
    }
    if after == *before {
        let bytes: Vec<u8> = [&text(dice, 9)[..], b"more\n"].concat();
        let name = format!("new-{}", before.files.len());
        let (mode, bytes) = (Mode::Plain, bytes.into());
        after.files.insert(name, File { mode, bytes });
    }
    after
}

/// A repository in small, in a temporary folder.
struct Small {
    layout: Layout,
    trees: Trees,
}

impl Small {
    /// `patches`: slug, on or off, the tree before, the tree after.
    fn new(
        root: &std::path::Path,
        pristine: &Tree,
        patches: &[(String, bool, Tree, Tree)],
    ) -> Self {
        let layout = Layout::new(root);
        let mut stack = format!(
            "schema = 1\n\n[[crate]]\nname = \"c\"\nversion = \"1.0.0\"\nchecksum = \"{}\"\ntree = \"{}\"\n",
            "a".repeat(64),
            pristine.id()
        );
        fs::create_dir_all(layout.patches.join("c")).unwrap();
        for (slug, on, before, after) in patches {
            stack += &format!(
                "\n[[optimisation]]\nslug = \"{slug}\"\nkind = \"perf\"\ndefault = {on}\ncrates = [\"c\"]\n"
            );
            let message = Message {
                author: "cuzk <cuzk@invalid>".to_owned(),
                date: "Sun, 29 Nov 2026 00:00:00 +0000".to_owned(),
                subject: format!("{slug}: ma\u{df}e up"),
                body: "Hypothesis: none.\n\n    indented\n\nOrigin: this project".to_owned(),
            };
            let files = diff::between(before, after).unwrap();
            let text = print::print(&message, &files).unwrap();
            fs::write(layout.patches.join(format!("c/{slug}.patch")), text).unwrap();
        }
        fs::write(&layout.stack_toml, stack).unwrap();
        let table = "[patch.crates-io]\nc = { path = \"extern/c\" }\n";
        fs::write(layout.root.join("Cargo.toml"), table).unwrap();
        let trees = Trees::from([("c".to_owned(), pristine.clone())]);
        Self { layout, trees }
    }

    fn manifest(&self) -> Manifest {
        Manifest::load(&self.layout).unwrap()
    }

    fn edit(&self, discard: bool) -> edit::Opened {
        let manifest = self.manifest();
        edit::open(&self.layout, &manifest, "c", discard, || {
            Ok(self.trees.clone())
        })
        .unwrap()
    }

    fn export(&self) -> Exported {
        let manifest = self.manifest();
        let wishes = Wishes::default();
        export(&self.layout, &manifest, "c", &wishes, || {
            Ok(self.trees.clone())
        })
        .unwrap()
    }

    /// Every file below extern/ that is committed, with its bytes.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let tree = Tree::read(&self.layout.patches, &[]).unwrap();
        let files = tree.files.into_iter();
        let mut files: BTreeMap<String, Vec<u8>> = files
            .map(|(path, file)| (path, file.bytes.to_vec()))
            .collect();
        let stack = fs::read(&self.layout.stack_toml).unwrap();
        files.insert("stack.toml".to_owned(), stack);
        files
    }

    /// The tree that `vendor` makes of the default series, as it is on disk then.
    fn vendored(&self) -> Tree {
        let (manifest, selection) = (self.manifest(), Selection::Patched);
        let (edited, progress) = (Edits::Refuse, Progress::stderr());
        let load = || Ok(self.trees.clone());
        let stack =
            materialise_on(&self.layout, &manifest, &selection, edited, progress, load).unwrap();
        Tree::read(&stack.trees["c"], &[STAMP_FILE]).unwrap()
    }
}

/// The tree of the folder, as a person sees it.
fn folder(place: &std::path::Path) -> Tree {
    let mut tree = Tree::read(place, &[]).unwrap();
    tree.files.retain(|path, _| !path.starts_with(".git/"));
    tree
}

/// A person changes a commit in the middle of the series and brings the later ones along; where they conflict, the change
/// is a file that no other commit has.
fn amend(dice: &mut Dice, person: &Person, place: &std::path::Path, count: usize) {
    let git = |arguments: &[&str]| person.git(place, arguments);
    let at = dice.roll(count);
    let start = git(&["rev-parse", SERIES]);
    let old = git(&["rev-parse", &format!("{SERIES}~{}", count - 1 - at)]);
    for own in [false, true] {
        git(&["checkout", "-q", "--detach", &old]);
        let tree = folder(place);
        let made = if own {
            let mut made = tree.clone();
            let bytes = b"no other\r\nhas it"[..].into();
            let mode = Mode::Plain;
            made.files
                .insert("amended/file".to_owned(), File { mode, bytes });
            made
        } else {
            changed(dice, &tree)
        };
        for path in tree.files.keys() {
            fs::remove_file(place.join(path)).unwrap();
        }
        made.write(place, None).unwrap();
        git(&["add", "-A", "-f"]);
        git(&["commit", "-q", "--amend", "--no-edit", "--allow-empty"]);
        let new = git(&["rev-parse", "HEAD"]);
        let (good, _) = person.try_git(place, &["rebase", "-q", "--onto", &new, &old, SERIES]);
        let trees = git(&["log", "--format=%T", &format!("-{}", count + 1), SERIES]);
        let mut trees: Vec<&str> = trees.lines().collect();
        trees.dedup();
        let commits = git(&["rev-list", "--count", SERIES]);
        if good && trees.len() == count + 1 && commits == (count + 1).to_string() {
            return;
        }
        if !good {
            git(&["rebase", "--abort"]);
        }
        git(&["checkout", "-q", "-f", "-B", SERIES, &start]);
    }
    panic!("a file that no other commit has conflicts");
}

/// A temporary folder, in memory where there is one: every file is synchronised to disk several times in a round, and a
/// busy disk would take minutes for what is of no interest here.
fn folder_in_memory() -> tempfile::TempDir {
    let memory = tempfile::tempdir_in("/dev/shm");
    memory.or_else(|_| tempfile::tempdir()).unwrap()
}

/// One round; says what it came to.
fn round(seed: u64) {
    let mut dice = Dice(ChaCha8Rng::seed_from_u64(seed));
    let temp = folder_in_memory();
    let person = Person::hostile(temp.path());
    let pristine = release(&mut dice);
    let count = 2 + dice.roll(3);
    let mut along = vec![pristine.clone()];
    let mut patches = Vec::new();
    for n in 0..count {
        let after = changed(&mut dice, &along[n]);
        patches.push((format!("on-{n}"), true, along[n].clone(), after.clone()));
        along.push(after);
    }
    for n in 0..dice.roll(3) {
        let before = along[dice.roll(along.len())].clone();
        let after = changed(&mut dice, &before);
        patches.insert(
            dice.roll(patches.len() + 1),
            (format!("off-{n}"), false, before, after),
        );
    }
    let small = Small::new(&temp.path().join("repo"), &pristine, &patches);
    let start = small.files();
    assert_eq!(small.vendored(), along[count]);

    let opened = small.edit(false);
    assert_eq!(opened.how, Opening::Made);
    assert_eq!(folder(&opened.place), along[count]);
    let nothing = Exported {
        same: patches.len(),
        ..Exported::default()
    };
    assert_eq!(small.export(), nothing);
    assert_eq!(small.files(), start);

    amend(&mut dice, &person, &opened.place, count);
    let exported = small.export();
    assert!(
        !exported.written.is_empty() && !exported.stack_toml,
        "{exported:?}"
    );
    let made = folder(&opened.place);
    assert_eq!(small.vendored(), made);

    let end = small.files();
    let opened = small.edit(true);
    assert_eq!(opened.how, Opening::Made);
    assert_eq!(folder(&opened.place), made);
    let adrift = exported.adrift.iter();
    let moved: Vec<String> = adrift.map(|slug| format!("{OFF}{slug}")).collect();
    let again = small.export();
    assert_eq!(small.vendored(), made);
    assert!(small.files().keys().eq(end.keys()), "{again:?}");
    for (path, bytes) in small.files() {
        let slug = path
            .rsplit('/')
            .next()
            .and_then(|name| name.strip_suffix(".patch"));
        let may = slug.is_some_and(|slug| moved.contains(&format!("{OFF}{slug}")));
        assert!(may || end[&path] == bytes, "{path}: {again:?}");
    }
}

fn rounds(range: std::ops::Range<u64>) {
    for seed in range {
        if let Err(panic) = std::panic::catch_unwind(|| round(seed)) {
            eprintln!("round {seed} failed");
            std::panic::resume_unwind(panic);
        }
    }
}

// Four tests, which run beside each other.

#[test]
fn rounds_0_to_49() {
    rounds(0..50);
}

#[test]
fn rounds_50_to_99() {
    rounds(50..100);
}

#[test]
fn rounds_100_to_149() {
    rounds(100..150);
}

#[test]
fn rounds_150_to_199() {
    rounds(150..200);
}

/// `ROUND=16 cargo test one_round -- --ignored`
#[test]
#[ignore = "for looking into a round that failed"]
fn one_round() {
    round(std::env::var("ROUND").unwrap().parse().unwrap());
}
