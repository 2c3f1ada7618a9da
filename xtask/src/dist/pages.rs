//! The pages of a dist: its README, and the lines for a manifest in three forms.

use std::fmt::Write as _;

use super::{Crate, Made};

/// The README, with a place for each part that depends on the crates.
const README: &str = include_str!("readme.md");

/// Where crates.io is replaced by `registry/`, which then holds all that is needed.
const WHOLE: &str = r#"`registry/` holds every crate of crates.io that the stack's own lock file names, each in that one version. A project that
needs no others needs no network and no `[patch]` table. In `.cargo/config.toml`:

    [source.crates-io]
    replace-with = "cuzk-dist"

    [source.cuzk-dist]
    local-registry = "/path/to/this/folder/registry"
"#;

/// Where `registry/` holds the stack alone.
const PART: &str = r#"`registry/` holds the crates of this folder alone (`cargo xtask dist --closure` makes one that needs no other). Where
crates.io is replaced by a local registry already, they can join it; `REGISTRY` is its folder:

    cp registry/*.crate REGISTRY/
    (cd registry/index && find . -type f) | while read -r file; do
        version=$(sed -n 's/.*\("vers":"[^"]*"\).*/\1/p' "registry/index/$file")
        mkdir -p "REGISTRY/index/$(dirname "$file")"
        touch "REGISTRY/index/$file"
        grep -vF "$version" "REGISTRY/index/$file" > "REGISTRY/index/$file.new" || true
        cat "registry/index/$file" >> "REGISTRY/index/$file.new"
        mv "REGISTRY/index/$file.new" "REGISTRY/index/$file"
    done
"#;

/// The README of these crates. `stamp` is the stack's.
pub fn readme(crates: &[Crate], stamp: &str, closure: bool) -> String {
    let own = |form: &dyn Fn(&Crate) -> String| {
        let lines: Vec<String> = own(crates)
            .map(|made| format!("    {} = {}\n", made.name, form(made)))
            .collect();
        if lines.is_empty() {
            return String::new();
        }
        format!(
            "A project that embeds a crate of cuzk names it:\n\n    [dependencies]\n{}",
            lines.concat()
        )
    };
    let path = own(&|made| format!("{{ path = \"cuzk/crates/{}\" }}", made.name));
    let git = own(&|_| "{ git = \"URL\", rev = \"COMMIT\" }".to_owned());
    let registry =
        own(&|made| format!("{{ version = \"={}\", registry = \"cuzk\" }}", made.version));
    let whole = own(&|made| format!("\"={}\"", made.version));
    let names: Vec<&str> = crates.iter().map(|made| made.name.as_str()).collect();
    let unpacked = crates.iter().map(|made| {
        let Crate { name, version, .. } = made;
        format!("    rm -rf \"${{CARGO_HOME:-$HOME/.cargo}}\"/registry/src/*/{name}-{version}\n")
    });
    let replaced = [if closure { WHOLE } else { PART }, "\n", &whole].concat();
    README
        .replace("@TABLE@", &table(crates, stamp))
        .replace("@CUDA@", &cuda(&names))
        .replace("@OWN_PATH@", &path)
        .replace("@OWN_GIT@", &git)
        .replace("@OWN_REGISTRY@", &registry)
        .replace("@CLOSURE@", replaced.trim())
        .replace("@NAMES@", &names.join("|"))
        .replace("@UNPACKED@", &unpacked.collect::<String>())
        .replace("\n\n\n", "\n\n")
}

/// The `[patch]` table by path, from git, and by a registry beside crates.io: name of the file, and text.
pub fn patches(crates: &[Crate]) -> [(&'static str, String); 3] {
    let table = |says: &str, entry: &dyn Fn(&Crate) -> String| {
        let mut text = format!("# {says}\n[patch.crates-io]\n");
        for made in stack(crates) {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{} = {}", made.name, entry(made));
        }
        text
    };
    let path = |made: &Crate| format!("{{ path = \"cuzk/crates/{}\" }}", made.name);
    let git = |_: &Crate| "{ git = \"URL\", rev = \"COMMIT\" }".to_owned();
    let registry =
        |made: &Crate| format!("{{ version = \"={}\", registry = \"cuzk\" }}", made.version);
    [
        (
            "patch.toml",
            table(
                "For the Cargo.toml at the root of a workspace, when this folder lies beside it and is called `cuzk`.",
                &path,
            ),
        ),
        (
            "patch-git.toml",
            table(
                "For the Cargo.toml at the root of a workspace: put in the URL of the repository that this folder was committed to, and the id of the commit.",
                &git,
            ),
        ),
        (
            "patch-registry.toml",
            table(
                "For the Cargo.toml at the root of a workspace whose .cargo/config.toml has the registry `cuzk`, as README.md says.",
                &registry,
            ),
        ),
    ]
}

/// The crates of others.
fn stack(crates: &[Crate]) -> impl Iterator<Item = &Crate> {
    crates
        .iter()
        .filter(|made| matches!(made.made, Made::Of(_)))
}

/// Those of this repository.
fn own(crates: &[Crate]) -> impl Iterator<Item = &Crate> {
    crates.iter().filter(|made| matches!(made.made, Made::Here))
}

fn table(crates: &[Crate], stamp: &str) -> String {
    let mut text =
        String::from("| crate | version | Rust | made by |\n| --- | --- | --- | --- |\n");
    for made in crates {
        let by = match made.made {
            Made::Of(0) => "others, not patched".to_owned(),
            Made::Of(1) => "others, 1 patch".to_owned(),
            Made::Of(count) => format!("others, {count} patches"),
            Made::Here => "cuzk".to_owned(),
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {by} |",
            made.name,
            made.version,
            rust(made)
        );
    }
    let _ = write!(
        text,
        "\nThe stack's stamp, by which its measurements name it: `{stamp}`.\nRust is the oldest compiler that a crate's manifest admits; what it depends on may ask for a newer one."
    );
    text
}

/// The oldest compiler that a manifest admits: what it states, and what its edition needs.
fn rust(made: &Crate) -> String {
    let manifest = made
        .tree
        .files
        .get("Cargo.toml")
        .map(|file| String::from_utf8_lossy(&file.bytes).into_owned());
    let manifest: toml::Table = toml::from_str(&manifest.unwrap_or_default()).unwrap_or_default();
    let text = |key: &str| {
        manifest
            .get("package")
            .and_then(|p| p.get(key))
            .and_then(toml::Value::as_str)
    };
    let edition = match text("edition") {
        Some("2024") => "1.85",
        Some("2021") => "1.56",
        Some("2018") => "1.31",
        _ => "1.0",
    };
    let parts = |version: &str| {
        version
            .split('.')
            .map(|part| part.parse().unwrap_or(0))
            .collect::<Vec<u32>>()
    };
    let stated = text("rust-version").unwrap_or(edition);
    if parts(stated) < parts(edition) {
        edition
    } else {
        stated
    }
    .to_owned()
}

/// Crates of the stack that are used under CUDA alone; cargo warns of patches that nothing uses.
fn cuda(names: &[&str]) -> String {
    let known: Vec<&str> = names
        .iter()
        .filter(|n| ["supraseal-c2", "sppark"].contains(n))
        .copied()
        .collect();
    if known.is_empty() {
        return String::new();
    }
    format!(
        "\nOnly a build with CUDA uses {}: without it, leave their lines out, or cargo warns of them at every build.\n",
        known.join(" and ")
    )
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;
    use crate::stack::tree::tests::tree;

    fn sample(name: &str, manifest: &str, made: Made) -> Crate {
        Crate {
            name: name.into(),
            version: "1.0.0".into(),
            licence: "MIT".into(),
            tree: tree(&[("Cargo.toml", manifest)]),
            made,
        }
    }

    #[test]
    fn every_part_of_the_readme_is_filled() {
        let crates = [
            sample(
                "lower",
                "[package]\nedition = \"2024\"\nrust-version = \"1.64.0\"\n",
                Made::Of(2),
            ),
            sample(
                "sppark",
                "[package]\nrust-version = \"1.90\"\nedition = \"2021\"\n",
                Made::Of(0),
            ),
            sample("cuzk-core", "", Made::Here),
        ];
        for closure in [false, true] {
            let text = readme(&crates, "c0ffee", closure);
            assert!(!text.contains('@') && !text.contains("\n\n\n"), "{text}");
            for words in [
                "| lower | 1.0.0 | 1.85 | others, 2 patches |",
                "| sppark | 1.0.0 | 1.90 | others, not patched |",
                "| cuzk-core | 1.0.0 | 1.0 | cuzk |",
                "`c0ffee`",
                "    cuzk-core = { path = \"cuzk/crates/cuzk-core\" }\n",
                "    cuzk-core = \"=1.0.0\"\n",
                "uses sppark: without",
                "(lower|sppark|cuzk-core)",
                "/registry/src/*/lower-1.0.0\n",
            ] {
                assert!(text.contains(words), "{words} in {text}");
            }
            assert_eq!(text.contains("REGISTRY"), !closure);
        }
        assert!(!readme(&crates[..1], "", true).contains("embeds"));
    }

    #[test]
    fn patch_tables_have_every_crate_of_others() {
        let crates = [
            sample("lower", "", Made::Of(0)),
            sample("cuzk-core", "", Made::Here),
        ];
        for (name, text) in patches(&crates) {
            let table: toml::Table = toml::from_str(&text).expect(name);
            let entries = table["patch"]["crates-io"].as_table().expect(name);
            assert_eq!(entries.keys().collect::<Vec<_>>(), ["lower"]);
        }
    }
}
