//! What an optimisation's page says of its patches: generated from their messages, so that it is written once.

use std::fmt::Write;

use super::block::{self, BlockError};
use crate::patch::message::SECTIONS;
use crate::stack::manifest::{Optimisation, Step};

/// The block's name in the page.
const BLOCK: &str = "patch";

/// A page that nobody has written yet.
pub const EMPTY_PAGE: &str = "\
<!-- patch:begin -->
<!-- patch:end -->

## Measured

<!-- measured:begin -->
<!-- measured:end -->
";

/// The page with what its patches say brought up to date.
pub fn page(page: &str, optimisation: &Optimisation) -> Result<String, BlockError> {
    block::replace(page, BLOCK, &text(optimisation))
}

fn text(optimisation: &Optimisation) -> String {
    let Optimisation {
        slug,
        kind,
        default,
        depends,
        steps,
        because,
        patches,
    } = optimisation;
    let mut text = format!("# {slug}\n\n");
    let switch = if *default { "on" } else { "off" };
    let files: Vec<String> = patches
        .keys()
        .map(|name| format!("[{name}](../../extern/patches/{name}/{slug}.patch)"))
        .collect();
    let _ = write!(
        text,
        "{kind}, {switch} by default. Patches: {}.",
        files.join(", ")
    );
    if !depends.is_empty() {
        let links: Vec<String> = depends.iter().map(|d| format!("[{d}]({d}.md)")).collect();
        let _ = write!(text, " Needs {}.", links.join(", "));
    }
    if steps.len() < Step::ALL.len() {
        let names: Vec<String> = steps.iter().map(Step::to_string).collect();
        let _ = write!(text, " Changes {} only.", names.join(" and "));
    }
    if let Some(because) = because {
        let _ = write!(text, " On because {because}.");
    }
    text.push('\n');
    // Patches of one optimisation carry the same message.
    if let Some(patch) = patches.values().next() {
        for paragraph in patch.message.paragraphs() {
            let lines = paragraph.join("\n");
            let section = SECTIONS
                .iter()
                .find_map(|name| Some((name, lines.strip_prefix(name)?.strip_prefix(':')?)));
            let _ = match section {
                Some((name, rest)) => write!(text, "\n## {name}\n\n{}\n", sentence(rest)),
                None => write!(text, "\n{lines}\n"),
            };
        }
        if let Some(removal) = patch.message.trailer("Removal") {
            let _ = write!(text, "\nRemoval: {removal}.\n");
        }
    }
    text
}

/// The text with a capital at its beginning, unless that is code.
fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patch::parse;
    use crate::stack::manifest::Kind;

    const PATCH: &str = "From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\n\
        From: a <a@invalid>\nDate: Thu, 1 Jan 2026 00:00:00 +0000\nSubject: fast: do less\n\n\
        Hypothesis: it does\ntoo much.\n\nMechanism: `f` does less.\n\nRemoval: when upstream does less\n---\n f | 2 +-\n\n\
        diff --git a/f b/f\n\
        index 587be6b4c3f93f93c489c0111bba5596147a26cb..975fbec8256d3e8a3797e7a3611380f27c49f4ac 100644\n\
        --- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n+y\n";

    #[test]
    fn a_page_comes_from_the_message_and_stays_as_it_is() {
        let patch = parse::parse("one/fast.patch", PATCH.as_bytes()).expect("a patch");
        let optimisation = Optimisation {
            slug: "fast".to_owned(),
            kind: Kind::Perf,
            default: false,
            depends: vec!["other".to_owned()],
            steps: Step::ALL.into(),
            because: None,
            patches: [("one".to_owned(), patch)].into(),
        };
        let first = page(EMPTY_PAGE, &optimisation).expect("has a block");
        for part in [
            "# fast\n\nperf, off by default. Patches: [one](../../extern/patches/one/fast.patch). Needs [other](other.md).\n",
            "## Hypothesis\n\nIt does\ntoo much.\n\n## Mechanism\n\n`f` does less.\n",
            "Removal: when upstream does less.\n",
            "<!-- measured:begin -->\n<!-- measured:end -->",
        ] {
            assert!(first.contains(part), "{part}\n\nis not in\n\n{first}");
        }
        assert_eq!(page(&first, &optimisation).expect("has a block"), first);
    }
}
