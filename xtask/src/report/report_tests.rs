use serde_json::json;

use super::*;
use crate::bench::judge::judge;
use crate::bench::testing::{add_pairs, empty_result};
use crate::report::html::fixture::manifest;
use crate::results::{CountRecord, Rules};

const FASTER: [f64; 7] = [0.80, 0.81, 0.79, 0.82, 0.80, 0.78, 0.80];

/// A kept result of two arms on synth/sha256.
fn kept(time: &str, arms: [&str; 2], ratios: &[f64]) -> Kept {
    let mut result = empty_result(&["synth/sha256"], ratios.len());
    add_pairs(&mut result, "synth/sha256", ratios);
    result.time = time.to_owned();
    // From the second to the first, so that no name is met twice.
    for (place, old) in [(1, "patched"), (0, "pristine")] {
        let name = arms[place].to_owned();
        result.arms[place].name.clone_from(&name);
        result.plan.contrasts[0][place].clone_from(&name);
        for trial in result.trials.iter_mut().filter(|t| t.arm == old) {
            trial.arm.clone_from(&name);
        }
    }
    result.comparisons = judge(&result).expect("numbers").comparisons;
    // Judged by today's rules, as far as pages can tell.
    result.plan.rules = Rules::default();
    Kept {
        path: format!("results/test-2c-24g/{time}.json"),
        result,
    }
}

fn today(names: &[&str]) -> Today {
    names
        .iter()
        .map(|name| ((*name).to_owned(), Ok(json!({ "profile": "release" }))))
        .collect()
}

const PAGE: &str = "# one\n\n## Measured\n\n<!-- measured:begin -->\n<!-- measured:end -->\n";

fn page(slug: &str, results: &[Kept], today: &Today) -> String {
    optimisations::page(PAGE, slug, &manifest(), results, today).expect("a block")
}

#[test]
fn an_optimisation_shows_the_newest_result_that_measured_it() {
    let results = [
        kept(
            "2026-11-29T10:00:00Z",
            ["prefix-one", "prefix-two"],
            &FASTER,
        ),
        kept("2026-11-28T10:00:00Z", ["pristine", "prefix-one"], &FASTER),
        kept(
            "2026-11-27T10:00:00Z",
            ["pristine", "prefix-one"],
            &[0.5; 7],
        ),
    ];
    let today = today(&["pristine", "prefix-one", "prefix-two"]);
    let text = page("one", &results, &today);
    assert!(
        text.contains("| synth/sha256 | wall_s.warm | prefix-one / pristine | 0.800 [0.790, 0.810] | improved |"),
        "{text}"
    );
    assert!(text.contains(
        "[2026-11-28T10:00:00Z.json](../../results/test-2c-24g/2026-11-28T10:00:00Z.json)"
    ));
    assert!(!text.contains("0.500") && !text.contains("prefix-two") && !text.contains("Stale"));
    assert_eq!(
        optimisations::page(&text, "one", &manifest(), &results, &today),
        Ok(text.clone())
    );
}

#[test]
fn leaving_out_is_turned_over() {
    let results = [kept(
        "2026-11-28T10:00:00Z",
        ["patched", "patched-one"],
        &[1.25; 7],
    )];
    let text = page("one", &results, &today(&["patched", "patched-one"]));
    assert!(
        text.contains("patched / patched-one | 0.800 [0.800, 0.800] | improved |"),
        "{text}"
    );
}

#[test]
fn a_result_whose_stamps_no_longer_hold_is_stale() {
    let results = [kept(
        "2026-11-28T10:00:00Z",
        ["pristine", "prefix-one"],
        &FASTER,
    )];
    let mut today = today(&["pristine"]);
    today.insert(
        "prefix-one".to_owned(),
        Ok(json!({ "profile": "release", "stack": "moved" })),
    );
    let text = page("one", &results, &today);
    assert!(
        text.contains("improved, stale |")
            && text.contains("Stale: the patched trees changed since."),
        "{text}"
    );
}

#[test]
fn what_was_not_measured_says_how_to() {
    for (slug, arms) in [
        ("one", "pristine,prefix-one"),
        ("two", "prefix-one,prefix-two"),
    ] {
        let text = page(slug, &[], &Today::new());
        let command = format!("Not measured yet: `cargo xtask bench --arms {arms} --keep`.");
        assert!(text.contains(&command), "{text}");
    }
    let door = page("door", &[], &Today::new());
    assert!(
        door.contains("in every stack") && door.contains("--arms released,pristine"),
        "{door}"
    );
    let results = [kept(
        "2026-11-28T10:00:00Z",
        ["pristine", "released"],
        &[1.0; 7],
    )];
    assert!(
        page("door", &results, &today(&["pristine", "released"]))
            .contains("pristine / released | 1.000")
    );
}

#[test]
fn a_page_can_name_its_arms() {
    let arms = ["patched", "patched:capacity=exact"];
    let results = [kept("2026-11-28T10:00:00Z", arms, &[1.0; 7])];
    let named = PAGE.replace(
        "begin -->",
        "begin arms=\"patched,patched:capacity=exact\" -->",
    );
    let text =
        optimisations::page(&named, "door", &manifest(), &results, &today(&arms)).expect("a block");
    assert!(
        text.contains("patched:capacity=exact / patched | 1.000 [1.000, 1.000] | equivalent |"),
        "{text}"
    );
}

#[test]
fn the_readme_shows_patched_against_pristine_and_counts_from_another_run() {
    let mut counts = kept("2026-11-27T10:00:00Z", ["pristine", "patched"], &[0.9; 7]);
    for (arm, twice) in [("pristine", 11_000), ("patched", 8_000)] {
        counts.result.counts.push(CountRecord {
            workload: "synth/sha256".to_owned(),
            arm: arm.to_owned(),
            counter: "callgrind".to_owned(),
            event: "instructions".to_owned(),
            once: 1_000,
            twice,
            constraints: 2,
        });
    }
    counts.result.comparisons = judge(&counts.result).expect("numbers").comparisons;
    let results = [
        kept("2026-11-28T10:00:00Z", ["pristine", "patched"], &FASTER),
        counts,
    ];
    let today = today(&["pristine", "patched"]);
    let before = "# cuzk\n\n<!-- bench:begin -->\n<!-- bench:end -->\ntail\n";
    let text = readme::page(before, &results, &today).expect("a block");
    assert!(
        text.contains("| synth/sha256 | wall_s.warm | 1.010 s |"),
        "{text}"
    );
    assert!(
        text.contains(
            "| instructions.per_constraint | 5000 | 3500 | 0.700 exact | – | – | improved |"
        ),
        "{text}"
    );
    assert!(
        text.contains("0.800 [0.790, 0.810]") && !text.contains("0.900"),
        "{text}"
    );
    assert!(text.ends_with("<!-- bench:end -->\ntail\n"));
    assert_eq!(readme::page(&text, &results, &today), Ok(text));
}

#[test]
fn the_index_lists_every_result_by_machine() {
    let results = [kept(
        "2026-11-28T10:00:00Z",
        ["pristine", "patched"],
        &FASTER,
    )];
    let text = index::text(&results, &today(&["pristine", "patched"]));
    assert!(text.contains("## test-2c-24g"), "{text}");
    assert!(
        text.contains(
            "| [2026-11-28T10:00:00Z](test-2c-24g/2026-11-28T10:00:00Z.json) | pristine, patched | synth/sha256 | \
             1 improved | yes |"
        ),
        "{text}"
    );
    assert!(index::text(&[], &Today::new()).contains("No result is kept yet."));
}

#[test]
fn pages_are_written_only_where_they_differ() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let layout = Layout::new(folder.path());
    let docs = folder.path().join("docs/optimisations");
    fs::create_dir_all(&docs).expect("made");
    fs::write(docs.join("one.md"), patches::EMPTY_PAGE).expect("written");
    fs::write(
        folder.path().join("README.md"),
        "# x\n<!-- bench:begin -->\n<!-- bench:end -->\n",
    )
    .expect("written");
    let all = || pages(&layout, &manifest(), &[], &Today::new()).expect("pages");
    assert_eq!(all().iter().filter(|page| page.differs()).count(), 5);
    write(&all()).expect("written");
    assert_eq!(all().iter().filter(|page| page.differs()).count(), 0);
    assert_eq!(all().len(), 5);
}
