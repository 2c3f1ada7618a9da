//! cuzk-core in a foreign graph.

use std::path::PathBuf;

use serde::Serialize;

use super::offer::{ENGINE, Offer};
use super::survey::{Row, State};
use crate::resolve::Metadata;

/// Where the engine comes from, and what is beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Engine {
    /// Its version.
    pub version: String,
    /// Its folder, or its source.
    pub from: String,
    /// True when that is what is offered.
    pub ours: bool,
    /// The crates of the stack that it uses and that are not the stack's.
    pub lacking: Vec<String>,
}

/// The engine, where the graph has it.
pub fn find(metadata: &Metadata, rows: &[Row], offer: &Offer) -> Option<Engine> {
    let package = metadata
        .packages
        .iter()
        .find(|package| package.name == ENGINE)?;
    let folder: Option<PathBuf> = package
        .manifest_path
        .parent()
        .map(|folder| folder.to_path_buf());
    let ours =
        package.source.is_none() && folder.is_some() && folder == offer.engine.canonicalize().ok();
    let from = match (&package.source, &folder) {
        (None, Some(folder)) => folder.display().to_string(),
        (source, _) => source.clone().unwrap_or_else(|| "nowhere".to_owned()),
    };
    let used = |row: &&Row| {
        package
            .dependencies
            .iter()
            .any(|dependency| dependency.name == row.name)
    };
    let lacking: Vec<String> = rows
        .iter()
        .filter(used)
        .filter(|row| matches!(row.state, State::WouldBe | State::Not))
        .map(|row| row.name.clone())
        .collect();
    Some(Engine {
        version: package.version.clone(),
        from,
        ours,
        lacking,
    })
}

impl Engine {
    /// In words.
    pub fn line(&self) -> String {
        let whose = if self.ours {
            ""
        } else {
            ", which is not the one offered here"
        };
        let beside = match &self.lacking[..] {
            [] => "what it needs of the stack is the stack's".to_owned(),
            [name] => {
                format!("{name} beside it is not the stack's, and it does not compile without")
            }
            names => format!(
                "{} beside it are not the stack's, and it does not compile without",
                names.join(" and ")
            ),
        };
        format!(
            "{ENGINE} {} comes from {}{whose}; {beside}.",
            self.version, self.from
        )
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn it_is_said_where_the_engine_is_from_and_what_is_beside_it() {
        let metadata: Metadata = serde_json::from_value(json!({
            "packages": [{ "id": "e", "name": ENGINE, "version": "0.1.0", "manifest_path": "/d/cuzk-core/Cargo.toml",
                "dependencies": [{ "name": "upper" }] }],
            "resolve": { "nodes": [] },
        }))
        .unwrap();
        let offer = Offer {
            folder: "/e".into(),
            copies: Vec::new(),
            engine: "/e/cuzk-core".into(),
        };
        let row = |name: &str, state| Row {
            name: name.into(),
            version: "1.0.0".into(),
            path: "/e".into(),
            state,
            has_line: false,
            reasons: Vec::new(),
        };
        let rows = [row("lower", State::WouldBe), row("upper", State::Not)];
        let line = find(&metadata, &rows, &offer).unwrap().line();
        assert_eq!(
            line,
            "cuzk-core 0.1.0 comes from /d/cuzk-core, which is not the one offered here; upper beside it is not the stack's, \
             and it does not compile without."
        );
        let good = find(&metadata, &[row("upper", State::Patched)], &offer).unwrap();
        assert!(
            good.lacking.is_empty()
                && good
                    .line()
                    .ends_with("what it needs of the stack is the stack's.")
        );
        let none =
            serde_json::from_value(json!({ "packages": [], "resolve": { "nodes": [] } })).unwrap();
        assert!(find(&none, &rows, &offer).is_none());
    }
}
