//! Changes of the `[[optimisation]]` entries of stack.toml, in its text: comments, order and form of the rest stay.

use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, Value, value};

use super::{Kind, write};

/// The text of stack.toml, open for changes.
#[derive(Clone, Debug)]
pub struct Entries {
    /// As it was read.
    text: String,
    /// As toml_edit printed it then, which ends all lines alike.
    printed: String,
    document: DocumentMut,
}

impl Entries {
    /// Reads the text.
    pub fn parse(text: &str) -> Result<Self, toml_edit::TomlError> {
        let document: DocumentMut = text.parse()?;
        Ok(Self {
            text: text.to_owned(),
            printed: document.to_string(),
            document,
        })
    }

    /// The text as it is now.
    pub fn text(&self) -> String {
        write::splice(&self.text, &self.printed, &self.document.to_string())
    }

    /// The slugs, in order.
    pub fn slugs(&self) -> Vec<String> {
        let entries = self.entries().into_iter().flat_map(ArrayOfTables::iter);
        entries.map(|entry| slug(entry).to_owned()).collect()
    }

    /// Where an entry goes that is added at the end. A section at the end that has a comment of its own, and of which
    /// everything is off, stays behind it.
    pub fn end(&self) -> usize {
        let Some(entries) = self.entries() else {
            return 0;
        };
        let tables: Vec<&Table> = entries.iter().collect();
        let own = tables.iter().rposition(|table| {
            let before = table.decor().prefix().and_then(|prefix| prefix.as_str());
            before.is_some_and(|text| text.contains('#'))
        });
        let off = |table: &&Table| table.get("default").and_then(Item::as_bool) == Some(false);
        match own {
            Some(at) if at > 0 && tables[at..].iter().all(off) => at,
            _ => tables.len(),
        }
    }

    /// Adds an entry at a place.
    pub fn insert(&mut self, at: usize, slug: &str, kind: Kind, default: bool, crates: &[&str]) {
        let mut entry = Table::new();
        entry.insert("slug", value(slug));
        entry.insert("kind", value(kind.to_string()));
        entry.insert("default", value(default));
        entry.insert("crates", value(crates.iter().copied().collect::<Array>()));
        entry.decor_mut().set_prefix("\n");
        self.rebuild(|tables| tables.insert(at.min(tables.len()), entry));
    }

    /// Takes an entry out. A comment before it stays, before what comes next.
    pub fn remove(&mut self, own: &str) {
        let mut comment = None;
        self.rebuild(|tables| {
            let Some(at) = tables.iter().position(|entry| slug(entry) == own) else {
                return;
            };
            let gone = tables.remove(at);
            let before = gone.decor().prefix().and_then(|p| p.as_str());
            let before = before.filter(|text| text.contains('#')).map(str::to_owned);
            match tables.get_mut(at) {
                Some(next) => {
                    let after = next.decor().prefix().and_then(|p| p.as_str());
                    let joined = before.map(|text| text + after.unwrap_or_default());
                    if let Some(joined) = joined {
                        next.decor_mut().set_prefix(joined);
                    }
                }
                None => comment = before,
            }
        });
        if let Some(comment) = comment {
            let after = self.document.trailing().as_str().unwrap_or_default();
            let joined = format!("{comment}{after}");
            self.document.set_trailing(joined);
        }
    }

    /// Says which crates an entry touches.
    pub fn set_crates(&mut self, own: &str, crates: &[&str]) {
        let Some(entries) = self.entries_mut() else {
            return;
        };
        for entry in entries.iter_mut().filter(|entry| slug(entry) == own) {
            if let Some(Value::Array(there)) = entry.get_mut("crates").and_then(Item::as_value_mut)
            {
                let old: Vec<String> = there
                    .iter()
                    .filter_map(|v| v.as_str().map(str::to_owned))
                    .collect();
                for at in (0..old.len()).rev() {
                    if !crates.contains(&old[at].as_str()) {
                        there.remove(at);
                    }
                }
                for (at, name) in crates.iter().enumerate() {
                    if !old.iter().any(|own| own == name) {
                        there.insert(at.min(there.len()), *name);
                    }
                }
                for (at, name) in there.iter_mut().enumerate() {
                    let before = name.decor().prefix().and_then(|p| p.as_str());
                    // A list of several lines keeps its form.
                    if before.is_none_or(|text| text.trim_matches(' ').is_empty()) {
                        name.decor_mut().set_prefix(if at == 0 { "" } else { " " });
                    }
                }
            }
        }
    }

    /// Puts the entries into the order of `order`, which names each once.
    pub fn arrange(&mut self, order: &[String]) {
        let place = |entry: &Table| order.iter().position(|own| own == slug(entry));
        self.rebuild(|tables| tables.sort_by_key(place));
    }

    fn entries(&self) -> Option<&ArrayOfTables> {
        self.document
            .get("optimisation")
            .and_then(Item::as_array_of_tables)
    }

    fn entries_mut(&mut self) -> Option<&mut ArrayOfTables> {
        self.document
            .entry("optimisation")
            .or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()))
            .as_array_of_tables_mut()
    }

    /// Changes the list of entries. Tables print in the order of their positions in the text, which are given anew.
    fn rebuild(&mut self, change: impl FnOnce(&mut Vec<Table>)) {
        let last = self
            .document
            .iter()
            .filter_map(|(_, item)| item.as_array_of_tables())
            .flat_map(ArrayOfTables::iter)
            .filter_map(Table::position)
            .max();
        let Some(entries) = self.entries_mut() else {
            return;
        };
        let first = entries.iter().filter_map(Table::position).min();
        let start = first.or(last.map(|last| last + 1)).unwrap_or(0);
        let mut tables: Vec<Table> = entries.iter().cloned().collect();
        change(&mut tables);
        entries.clear();
        for (mut table, position) in tables.into_iter().zip(start..) {
            table.set_position(position);
            entries.push(table);
        }
    }
}

fn slug(entry: &Table) -> &str {
    entry.get("slug").and_then(Item::as_str).unwrap_or_default()
}

#[cfg(test)]
#[path = "entries_tests.rs"]
mod tests;
