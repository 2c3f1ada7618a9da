//! One page that shows all of results/ as plots: a single HTML file that loads nothing.
//!
//! Each class of host is a part of its own, because no plot may show two machines. Every text that comes from a file goes
//! through [`markup::escape`]. Plots are SVG without text: words stand beside them in HTML, where a narrow screen can
//! wrap and scroll them.

mod ablation;
mod both_ways;
mod data;
mod history;
mod lanes;
mod markup;
mod overview;
mod page;
mod profiles;
mod results;
mod scale;

use std::path::Path;

use anyhow::{Context, Result};

pub use page::{is_page, text};

use crate::files;

/// Writes the page, whole or not at all.
pub fn write(path: &Path, text: &str) -> Result<()> {
    files::replace(path, text.as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
pub mod fixture;
#[cfg(test)]
#[path = "html_tests.rs"]
mod tests;
