//! What was found, for a person and as a document.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde::Serialize;

use super::{Host, Toolkit};

/// A line for each thing that was chosen, with the reason.
pub fn text(toolkit: &Toolkit, tried: bool) -> String {
    let Toolkit {
        root,
        why,
        nvcc,
        version,
        library,
        host,
        architectures,
    } = toolkit;
    let mut text = String::new();
    let mut line = |name: &str, what: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:<14} {what}");
    };
    line("toolkit", format!("{}: {why}", root.display()));
    line("version", version.full.clone());
    line("nvcc", nvcc.display().to_string());
    line(
        "runtime",
        format!("{}, linked statically", library.display()),
    );
    line(
        "host compiler",
        format!(
            "{} ({}): {}",
            host.program.display(),
            host.version,
            host.why
        ),
    );
    line(
        "architectures",
        format!("{architectures}: {}", architectures.why),
    );
    if tried {
        line(
            "trial",
            "a program with a kernel compiles and links".to_owned(),
        );
    }
    text
}

/// The document of `--json`.
#[derive(Debug, Serialize)]
pub struct Document<'a> {
    schema: u32,
    root: &'a Path,
    why: &'a str,
    version: &'a str,
    nvcc: &'a Path,
    library: &'a Path,
    host: &'a Host,
    architectures: String,
    architectures_why: &'a str,
    /// What builds are told, by the names of environment variables.
    variables: BTreeMap<&'static str, String>,
}

/// What was found.
pub fn document(toolkit: &Toolkit) -> Document<'_> {
    let variables = toolkit.variables().into_iter();
    Document {
        schema: 1,
        root: &toolkit.root,
        why: &toolkit.why,
        version: &toolkit.version.full,
        nvcc: &toolkit.nvcc,
        library: &toolkit.library,
        host: &toolkit.host,
        architectures: toolkit.architectures.to_string(),
        architectures_why: &toolkit.architectures.why,
        variables: variables
            .map(|(name, value)| (name, value.to_string_lossy().into_owned()))
            .collect(),
    }
}
