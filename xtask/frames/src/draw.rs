//! Folded stacks as a picture.

use anyhow::{Context, Result, bail};
use inferno::flamegraph::{self, Options};

/// The flame graph of `folded`, whose lines are `outermost;…;innermost COUNT`.
pub fn draw(title: &str, subtitle: &str, unit: &str, folded: &str) -> Result<Vec<u8>> {
    if folded.trim().is_empty() {
        bail!("no stack on stdin: there is nothing to draw");
    }
    let mut options = Options::default();
    options.title = title.to_owned();
    options.subtitle = Some(subtitle.to_owned());
    options.count_name = unit.to_owned();
    // The same function has the same colour in every picture, so that two arms can be laid side by side.
    options.hash = true;
    let mut svg = Vec::new();
    flamegraph::from_lines(&mut options, folded.lines(), &mut svg)
        .context("the stacks cannot be drawn")?;
    Ok(svg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_names_its_functions_and_what_is_counted() {
        let svg = draw("one", "two", "samples", "main;work 3\nmain;rest 1\n").expect("drawn");
        let svg = String::from_utf8(svg).expect("SVG is text");
        assert!(svg.starts_with("<?xml"), "{svg}");
        for part in ["one", "two", "work (3 samples, 75.00%)", "main (4 samples"] {
            assert!(svg.contains(part), "{part}");
        }
    }

    #[test]
    fn nothing_is_no_picture() {
        let error = draw("one", "two", "samples", " \n").expect_err("nothing");
        assert!(error.to_string().contains("no stack"), "{error}");
    }
}
