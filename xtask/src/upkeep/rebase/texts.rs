//! Texts that another release changes: stack.toml, exact versions in manifests, the `Depends` of a message.

use toml_edit::{Item, TableLike, Value};

use crate::stack::manifest::Release;
use crate::stack::manifest::write::{self, WriteError};

/// stack.toml with another release of one crate. Comments, form and the ends of lines stay.
pub(super) fn release(text: &str, release: &Release) -> Result<String, WriteError> {
    write::edit(text, |document| {
        let tables = document
            .get_mut("crate")
            .and_then(Item::as_array_of_tables_mut);
        let own = tables
            .into_iter()
            .flat_map(|tables| tables.iter_mut())
            .find(|table| table.get("name").and_then(Item::as_str) == Some(&release.name));
        if let Some(table) = own {
            for (key, text) in [
                ("version", &release.version),
                ("checksum", &release.checksum),
                ("tree", &release.tree),
            ] {
                if let Some(item) = table.get_mut(key) {
                    set(item, text);
                }
            }
        }
        Ok(())
    })
}

/// What a manifest asks of a crate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pins {
    /// The text with the new version in the place of the old one.
    pub text: String,
    /// How many requirements were changed.
    pub changed: usize,
    /// Requirements of another form, which stay.
    pub others: Vec<String>,
}

/// A manifest whose exact requirements of `name` (`=OLD`) are `=NEW`.
pub(super) fn pins(text: &str, name: &str, old: &str, new: &str) -> Result<Pins, WriteError> {
    let mut pins = Pins::default();
    let text = write::edit(text, |document| {
        every_table(document.as_table_mut(), &mut |table| {
            pins.of_table(table, name, old, new);
        });
        Ok(())
    })?;
    Ok(Pins { text, ..pins })
}

impl Pins {
    /// Changes the exact requirements of one table of dependencies.
    fn of_table(&mut self, table: &mut dyn TableLike, name: &str, old: &str, new: &str) {
        for (key, item) in table.iter_mut() {
            let renamed = item.get("package").and_then(Item::as_str);
            if renamed.unwrap_or(key.get()) != name {
                continue;
            }
            let place = if item.is_str() {
                Some(item)
            } else {
                item.as_table_like_mut().and_then(|t| t.get_mut("version"))
            };
            let Some(place) = place else { continue };
            let Some(found) = place.as_str().map(str::to_owned) else {
                continue;
            };
            if found.strip_prefix('=').is_some_and(|v| v.trim() == old) {
                set(place, &format!("={new}"));
                self.changed += 1;
            } else {
                self.others.push(found);
            }
        }
    }
}

/// Calls `visit` with each table of dependencies of a manifest.
fn every_table(root: &mut dyn TableLike, visit: &mut dyn FnMut(&mut dyn TableLike)) {
    for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
        if let Some(table) = root.get_mut(kind).and_then(Item::as_table_like_mut) {
            visit(table);
        }
    }
    if let Some(workspace) = root.get_mut("workspace").and_then(Item::as_table_like_mut) {
        every_table(workspace, visit);
    }
    if let Some(targets) = root.get_mut("target").and_then(Item::as_table_like_mut) {
        for (_, target) in targets.iter_mut() {
            if let Some(target) = target.as_table_like_mut() {
                every_table(target, visit);
            }
        }
    }
}

/// Another text in the place of one, with what stands around it.
fn set(item: &mut Item, text: &str) {
    if let Some(value) = item.as_value_mut() {
        let decor = value.decor().clone();
        *value = Value::from(text);
        *value.decor_mut() = decor;
    }
}

/// A message without some slugs in its `Depends` trailers; a trailer that is left empty goes.
pub(super) fn without_depends(body: &str, gone: &[&str]) -> String {
    let lines: Vec<&str> = body.lines().collect();
    let start = lines.iter().rposition(|line| line.is_empty());
    let start = start.map_or(0, |at| at + 1);
    let mut kept: Vec<String> = lines[..start].iter().map(|l| (*l).to_owned()).collect();
    let mut rest = lines[start..].iter().peekable();
    while let Some(line) = rest.next() {
        let value = line
            .split_once(':')
            .filter(|(key, _)| key.eq_ignore_ascii_case("Depends"));
        let Some((key, value)) = value else {
            kept.push((*line).to_owned());
            continue;
        };
        let mut value = value.to_owned();
        while let Some(more) = rest.next_if(|line| line.starts_with([' ', '\t'])) {
            value.push(' ');
            value.push_str(more.trim());
        }
        let needed: Vec<&str> = value
            .split(',')
            .map(str::trim)
            .filter(|slug| !slug.is_empty() && !gone.contains(slug))
            .collect();
        if !needed.is_empty() {
            kept.push(format!("{key}: {}", needed.join(", ")));
        }
    }
    // The paragraph of the trailers may be gone whole, and a message ends in its last line.
    while kept.last().is_some_and(String::is_empty) {
        kept.pop();
    }
    kept.join("\n")
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn a_release_is_replaced_and_all_else_stays() {
        let text = "# why\nschema = 1\n\n[[crate]]\nname = \"a\"\nversion = \"1.0.0\" # pinned\nchecksum = \"x\"\ntree = \"y\"\n\n\
                    [[crate]]\nname = \"b\"\nversion = \"1.0.0\"\nchecksum = \"x\"\ntree = \"y\"\n\n# end\n";
        let new = Release {
            name: "a".to_owned(),
            version: "2.0.0".to_owned(),
            checksum: "X".to_owned(),
            tree: "Y".to_owned(),
            feature: None,
        };
        let expected = text.replacen(
            "\"1.0.0\" # pinned\nchecksum = \"x\"\ntree = \"y\"",
            "\"2.0.0\" # pinned\nchecksum = \"X\"\ntree = \"Y\"",
            1,
        );
        assert_eq!(release(text, &new).expect("TOML"), expected);
    }

    #[test]
    fn exact_versions_follow_wherever_a_manifest_has_them() {
        let text = "[workspace.dependencies]\na = { version = \"=1.0.0\", features = [\"x\"] }\nb = \"=1.0.0\"\n\n\
                    [dependencies]\nother = { package = \"a\", version = \"=1.0.0\" }\na = \"1\"\n\n\
                    [target.'cfg(unix)'.dev-dependencies.a]\nversion = \"= 1.0.0\" # exact\n\n[patch.crates-io]\na = { path = \"extern/a\" }\n";
        let found = pins(text, "a", "1.0.0", "2.0.0").expect("TOML");
        let expected = text
            .replace("a = { version = \"=1.0.0\"", "a = { version = \"=2.0.0\"")
            .replace("\"a\", version = \"=1.0.0\"", "\"a\", version = \"=2.0.0\"")
            .replace("\"= 1.0.0\"", "\"=2.0.0\"");
        assert_eq!(found.text, expected);
        assert_eq!((found.changed, found.others), (3, vec!["1".to_owned()]));
    }

    #[test]
    fn the_ends_of_lines_stay() {
        let text = "# why\r\nschema = 1\r\n\r\n[[crate]]\r\nname = \"a\"\r\nversion = \"1.0.0\"\r\nchecksum = \"x\"\r\n\
                    tree = \"y\"\r\n# end\r\n";
        let new = Release {
            name: "a".to_owned(),
            version: "2.0.0".to_owned(),
            checksum: "x".to_owned(),
            tree: "Y".to_owned(),
            feature: None,
        };
        let expected = text.replace("1.0.0", "2.0.0").replace("\"y\"", "\"Y\"");
        assert_eq!(release(text, &new).expect("TOML"), expected);
        // Where nothing changes, not even mixed ones do.
        let text = "[dependencies]\r\nb = \"=1.0.0\"\n";
        let found = pins(text, "a", "1.0.0", "2.0.0").expect("TOML");
        assert_eq!((found.text.as_str(), found.changed), (text, 0));
        let found = pins(text, "b", "1.0.0", "2.0.0").expect("TOML");
        assert_eq!(found.changed, 1);
        let text = "[workspace.dependencies]\r\na = \"=1.0.0\" # exact\r\n\r\n[dependencies]\r\na = { version = \"=1.0.0\" }\r\n\r\n# end";
        let found = pins(text, "a", "1.0.0", "2.0.0").expect("TOML");
        assert_eq!(found.text, text.replace("=1.0.0", "=2.0.0"));
        assert_eq!(found.changed, 2);
    }

    #[test]
    fn a_need_that_upstream_meets_is_struck_out() {
        let body = "Why: x\n\nOrigin: us\nDepends: one, two,\n  three\nRemoval: y";
        let expected = "Why: x\n\nOrigin: us\nDepends: one, three\nRemoval: y";
        assert_eq!(without_depends(body, &["two"]), expected);
        let expected = "Why: x\n\nOrigin: us\nRemoval: y";
        assert_eq!(without_depends(body, &["two", "one", "three"]), expected);
        assert_eq!(without_depends("Depends: a", &["b"]), "Depends: a");
        assert_eq!(without_depends("Why: x\n\nDepends: a", &["a"]), "Why: x");
        assert_eq!(without_depends("Depends: a", &["a"]), "");
    }
}
