//! A person at work in an edit.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::world::{LOWER, UPPER, World, message};

pub const DOUBLE: (&str, &str) = ("let sum = value + value;\n    sum", "2 * value");
pub const EVEN: (&str, &str) = ("value % 2 == 0", "value & 1 == 0");
pub const SUM: (&str, &str) = ("let mut sum = 0;", "let mut sum = 0u64;");
pub const LARGEST: (&str, &str) = ("let mut found = a;", "let mut found: u64 = a;");

pub fn with(text: &str, change: (&str, &str)) -> String {
    assert!(text.contains(change.0));
    text.replacen(change.0, change.1, 1)
}

/// `double` and `even` are on in `lower`, `double` in `upper` too; `sum` is off in `lower`, made on top of `double`.
pub fn small() -> World {
    let world = World::new();
    let double = with(LOWER, DOUBLE);
    let even = with(&double, EVEN);
    let sum = with(&double, SUM);
    let upper = format!("{UPPER}// doubled\n");
    for (name, slug, before, after) in [
        ("lower", "double", LOWER, &*double),
        ("upper", "double", UPPER, &*upper),
        ("lower", "even", &*double, &*even),
        ("lower", "sum", &*double, &*sum),
    ] {
        let (before, after) = ([("src/lib.rs", before)], [("src/lib.rs", after)]);
        world.patch(name, slug, &before, &after, &message(slug, &[]));
    }
    world.optimisation("double", "perf", true, &["lower", "upper"]);
    world.optimisation("even", "perf", true, &["lower"]);
    world.optimisation("sum", "experiment", false, &["lower"]);
    world
}

/// Every file below extern/ that a person keeps.
pub fn kept(world: &World) -> BTreeMap<PathBuf, Vec<u8>> {
    fn collect(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in fs::read_dir(folder).expect("listed") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                collect(&path, files);
            } else {
                let bytes = fs::read(&path).expect("read");
                files.insert(path, bytes);
            }
        }
    }
    let mut files = BTreeMap::new();
    collect(&world.path("extern/patches"), &mut files);
    let stack = world.path("extern/stack.toml");
    files.insert(stack.clone(), fs::read(&stack).expect("read"));
    files
}

/// The edit of `lower`, open, with a person at work in it.
pub struct Edit<'a> {
    pub world: &'a World,
    pub place: PathBuf,
}

impl<'a> Edit<'a> {
    pub fn open(world: &'a World) -> Self {
        Self::of(world, "lower")
    }

    pub fn of(world: &'a World, name: &str) -> Self {
        world.expect(&["patch", "edit", name], 0, &["branch `series`"]);
        let place = world.path(&format!("target/edit/{name}"));
        Self { world, place }
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        self.world.hostile_git(&self.place, arguments)
    }

    pub fn change(&self, change: (&str, &str)) {
        let path = self.place.join("src/lib.rs");
        let text = fs::read_to_string(&path).expect("read");
        fs::write(path, with(&text, change)).expect("written");
    }

    pub fn commit(&self, slug: &str) {
        self.git(&["add", "-A", "-f"]);
        self.git(&["commit", "-q", "-m", &message(slug, &[])]);
    }

    pub fn export(&self, more: &[&str], code: i32, says: &[&str]) -> String {
        let name = self
            .place
            .file_name()
            .expect("a name")
            .to_str()
            .expect("UTF-8");
        self.world
            .expect(&[&["patch", "export", name], more].concat(), code, says)
    }

    /// An export that is refused leaves everything as it was.
    pub fn refused(&self, more: &[&str], says: &[&str]) {
        let before = kept(self.world);
        self.export(more, 2, says);
        assert_eq!(kept(self.world), before);
    }
}
