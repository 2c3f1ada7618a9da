use std::fs;
use std::path::Path;

use pretty_assertions::assert_eq;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde_json::json;

use super::fixture::{WORKLOAD, kept, manifest, profile, synthetic, today};
use super::*;
use crate::layout::Layout;
use crate::report::{Found, Kept, Today, found};
use crate::results::ablation::{AblationPlan, Interaction, Mixing};
use crate::results::store;

fn page(results: Vec<Kept>, today: &Today) -> String {
    let found = Found {
        results,
        ..Found::default()
    };
    text(&found, &manifest(), today)
}

/// The part of the page from this heading to the next.
fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let (_, rest) = page
        .split_once(&format!("<h3>{heading}</h3>"))
        .expect("a section");
    rest.split("<h3>").next().unwrap_or(rest)
}

#[test]
fn the_overview_has_the_newest_row_of_every_pair_and_says_why_it_is_stale() {
    let mut names = today(&["pristine"]);
    let results = vec![
        kept("2026-11-29T10:00:00Z", &[(["pristine", "patched"], 0.5)]),
        kept("2026-11-28T10:00:00Z", &[(["pristine", "patched"], 0.6)]),
    ];
    names.insert(
        "patched".to_owned(),
        Ok(json!({ "profile": "release", "stack": "moved" })),
    );
    let page = page(results, &names);
    let overview = section(&page, "Overview");
    for part in [
        "patched / pristine",
        "0.500 [0.495, 0.505]",
        "▼ improved</b>",
        "stale: the patched trees changed since",
        "±1.3&nbsp;%",
        "hollow",
        "data-l=\"pairs \">30",
    ] {
        assert!(overview.contains(part), "{part} is not in {overview}");
    }
    assert!(!overview.contains("0.600"));
    let history = section(&page, "History");
    assert!(history.contains("2 results, now 0.500") && history.contains("0.600 [0.594, 0.606]"));
    assert!(history.contains("class=ring"), "stale points are rings");
    assert!(history.contains("Not comparable between machines"));
}

#[test]
fn another_size_and_other_threads_are_other_questions() {
    let pair = [(["pristine", "patched"], 0.5)];
    let mut results = vec![
        kept("2026-11-29T10:00:00Z", &pair),
        kept("2026-11-28T10:00:00Z", &pair),
        kept("2026-11-27T10:00:00Z", &pair),
    ];
    for trial in &mut results[1].result.trials {
        trial.trial.size = Some(32);
    }
    for trial in &mut results[2].result.trials {
        trial.trial.threads = Some(2);
    }
    let page = page(results, &today(&["pristine", "patched"]));
    let overview = section(&page, "Overview");
    assert_eq!(overview.matches("data-l=\"pairs \"").count(), 3);
    assert!(overview.contains("size 32") && overview.contains("2 threads"));
}

#[test]
fn two_machines_share_no_plot() {
    let pair = [(["pristine", "patched"], 0.5)];
    let mut results = vec![
        kept("2026-11-29T10:00:00Z", &pair),
        kept("2026-11-28T10:00:00Z", &pair),
    ];
    results[1].result.host.class = "other-4c-8g".to_owned();
    let page = page(results, &today(&["pristine", "patched"]));
    assert_eq!(page.matches("<h3>Overview</h3>").count(), 2);
    assert!(page.contains("<a href=#m1>test-2c-24g</a>"));
    assert!(
        !page.contains("2 results, now"),
        "no history over two machines"
    );
}

#[test]
fn the_steps_of_the_series_add_up_and_both_ways_are_side_by_side() {
    let results = vec![
        kept(
            "2026-11-29T10:00:00Z",
            &[
                (["pristine", "prefix-one"], 0.8),
                (["prefix-one", "prefix-two"], 0.5),
                (["pristine", "prefix-two"], 0.41),
            ],
        ),
        kept(
            "2026-11-28T10:00:00Z",
            &[
                (["pristine", "pristine+one"], 0.8),
                (["pristine", "pristine+two"], 0.5),
            ],
        ),
        kept(
            "2026-11-27T12:00:00Z",
            &[(["patched", "patched-one"], 1.0 / 0.9)],
        ),
        kept("2026-11-27T10:00:00Z", &[(["pristine", "prefix-one"], 0.7)]),
    ];
    let names = [
        "pristine",
        "patched",
        "prefix-one",
        "prefix-two",
        "pristine+one",
        "pristine+two",
        "patched-one",
    ];
    let page = page(results, &today(&names));
    let ablation = section(&page, "Ablation");
    for part in [
        "2 steps from pristine to prefix-two",
        "from 0.800 to 0.400, interval of the step 0.500 [0.495, 0.505]",
        "all, measured as one: prefix-two",
        "0.900 [0.891, 0.909] <b class=improved>▼ improved</b>",
        // 0.9 / 0.8, each known to 1 %.
        "1.125 [1.109, 1.141]<br>from two runs",
        "not measured<td>–",
    ] {
        assert!(ablation.contains(part), "{part} is not in {ablation}");
    }
    assert!(!ablation.contains("0.700"), "the newest row counts");
}

#[test]
fn an_ablation_of_one_run_shows_the_interaction_that_it_judged() {
    let pair = |arms: [&str; 2]| Some(arms.map(str::to_owned));
    // As `--ablate` names them: equal stacks are one arm, under the name that came first.
    let mut one = kept(
        "2026-11-29T10:00:00Z",
        &[
            (["pristine", "prefix-one"], 0.8),
            (["prefix-one", "patched"], 0.5),
            (["patched-one", "patched"], 0.9),
            (["pristine", "patched"], 0.4),
        ],
    );
    one.result.plan.ablation = vec![AblationPlan {
        slug: "one".to_owned(),
        together: vec!["two".to_owned()],
        step: pair(["pristine", "prefix-one"]),
        alone: pair(["pristine", "prefix-one"]),
        last: pair(["patched-one", "patched"]),
    }];
    one.result.interactions = vec![Interaction {
        workload: WORKLOAD.to_owned(),
        metric: "wall_s.warm".to_owned(),
        slug: "one".to_owned(),
        ratio: 1.12,
        ci95: [1.1, 1.14],
        p: 0.001,
        p_adjusted: 0.002,
        pairs: 30,
        verdict: Mixing::Overlaps,
    }];
    let names = ["pristine", "patched", "prefix-one", "patched-one"];
    let page = page(vec![one], &today(&names));
    let ablation = section(&page, "Ablation");
    for part in [
        "2 steps from pristine to patched",
        "all, measured as one: patched",
        "with two, which need it",
        "1.120 [1.100, 1.140]<br><b>overlaps</b>, p 0.002",
    ] {
        assert!(ablation.contains(part), "{part} is not in {ablation}");
    }
    assert!(section(&page, "Results").contains("<b>overlaps</b>"));
}

#[test]
fn without_ablation_and_profiles_the_page_says_how_to_get_them() {
    let page = page(
        vec![kept(
            "2026-11-29T10:00:00Z",
            &[(["pristine", "patched"], 0.5)],
        )],
        &today(&["pristine", "patched"]),
    );
    assert!(section(&page, "Ablation").contains("cargo xtask bench --ablate --keep"));
    assert!(section(&page, "Profiles").contains("cargo xtask profile"));
    let empty = text(&Found::default(), &manifest(), &Today::new());
    assert!(empty.contains("No result is kept yet"));
}

#[test]
fn profiles_stand_side_by_side() {
    let found = Found {
        profiles: [
            profile("patched", [40, 30, 10, 10, 10]),
            profile("pristine", [100, 50, 30, 15, 5]),
        ]
        .map(|profile| ("results/test-2c-24g/profiles/x.json".to_owned(), profile))
        .to_vec(),
        ..Found::default()
    };
    let page = text(&found, &manifest(), &Today::new());
    let profiles = section(&page, "Profiles");
    for part in [
        "synth/sha256, size 8, 1 thread, callgrind",
        "linear combinations 50.0 %, field arithmetic 25.0 %",
        // Half the instructions, half as long.
        "<rect class=k0 x=0.00% width=20.00%",
        "&lt;bellpepper_core::LinearCombination&lt;F&gt; as Add&gt;::add",
        "200 instructions",
    ] {
        assert!(profiles.contains(part), "{part} is not in {profiles}");
    }
    let first = profiles.find("<div>pristine</div>");
    assert!(first.is_some() && first < profiles.find("<div>patched</div>"));
}

#[test]
fn nothing_from_a_file_is_markup_and_nothing_is_loaded() {
    const EVIL: &str = "<script>alert(1)</script>\"'><img src=x>";
    let mut one = kept("2026-11-29T10:00:00Z", &[(["pristine", EVIL], 0.5)]);
    one.path = EVIL.to_owned();
    let result = &mut one.result;
    result.notes = vec![EVIL.to_owned()];
    result.plan.stopping = EVIL.to_owned();
    result.host.cpu = EVIL.to_owned();
    result.host.class = EVIL.to_owned();
    result.host.arch = EVIL.to_owned();
    result.host.kernel = EVIL.to_owned();
    result.host.os = EVIL.to_owned();
    result.time = EVIL.to_owned();
    result.arms[1].stamp = EVIL.to_owned();
    result.arms[1].inputs = json!({ "rustc": EVIL });
    result.plan.workloads[0].name = EVIL.to_owned();
    for trial in &mut result.trials {
        trial.trial.workload = EVIL.to_owned();
        trial.trial.metrics = [(format!("wall_s.{EVIL}"), 1.0)].into();
    }
    for row in &mut result.comparisons {
        row.workload = EVIL.to_owned();
        row.metric = EVIL.to_owned();
        row.unit = EVIL.to_owned();
        row.reason = Some(EVIL.to_owned());
    }
    let mut evil = profile(EVIL, [1; 5]);
    evil.host.class = EVIL.to_owned();
    evil.workload = EVIL.to_owned();
    evil.unit = EVIL.to_owned();
    evil.time = EVIL.to_owned();
    evil.categories[0].name = EVIL.to_owned();
    evil.categories[0].functions[0].name = EVIL.to_owned();
    let found = Found {
        results: vec![one],
        profiles: vec![(EVIL.to_owned(), evil)],
        unreadable: vec![EVIL.to_owned()],
    };
    let today = [(EVIL.to_owned(), Err(EVIL.to_owned()))].into();
    let page = text(&found, &manifest(), &today);
    assert!(page.contains("<li>&lt;script&gt;alert(1)"));
    for markup in ["<script", "<img", "'><", "\"'>"] {
        assert!(!page.contains(markup), "{markup}");
    }
    for loads in ["http:", "https:", "url(", "@import", "src=", "<link"] {
        assert!(!page.replace("src=x&gt;", "").contains(loads), "{loads}");
    }
}

#[test]
fn every_plot_says_what_it_is() {
    let page = page(
        vec![kept(
            "2026-11-29T10:00:00Z",
            &[(["pristine", "patched"], 0.5)],
        )],
        &today(&["pristine", "patched"]),
    );
    let plots = page.matches("<svg").count();
    assert!(plots >= 4, "{plots}");
    assert_eq!(page.matches("<title>").count(), plots + 1);
    assert_eq!(page.matches("<desc>").count(), plots);
}

/// A repository's results/ with one good file, and what else is written into it.
fn folder(write: impl Fn(&Path)) -> (tempfile::TempDir, Found) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let layout = Layout::new(folder.path());
    let class = layout.results.join("test-2c-24g");
    let good = kept("2026-11-29T10:00:00Z", &[(["pristine", "patched"], 0.5)]);
    store::keep(&class.join("good.json"), &good.result).expect("kept");
    write(&class);
    let found = found(&layout).expect("listed");
    (folder, found)
}

#[test]
fn a_bad_file_is_named_and_the_rest_is_shown() {
    let (_folder, found) = folder(|class| {
        let good = fs::read_to_string(class.join("good.json")).expect("there");
        let write = |name: &str, text: &str| {
            let path = class.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        };
        write("half.json", &good[..good.len() / 2]);
        write(
            "null.json",
            &good.replacen("\"ratio\": 0.5", "\"ratio\": null", 1),
        );
        write("../elsewhere/good.json", &good);
        let profile = serde_json::to_string(&profile("patched", [1; 5])).expect("JSON");
        write("profiles/good.json", &profile);
        write("profiles/half.json", &profile[..99]);
        write("profiles/old.json", "{\"schema\": 0}");
        write(
            "profiles/sum.json",
            &profile.replacen("\"total\":5", "\"total\":6", 1),
        );
        write("../elsewhere/profiles/good.json", &profile);
    });
    assert_eq!((found.results.len(), found.profiles.len()), (1, 1));
    let page = text(&found, &manifest(), &today(&["pristine", "patched"]));
    for part in [
        "results/test-2c-24g/half.json: not a whole JSON document",
        "results/test-2c-24g/null.json: comparisons[0].ratio is null",
        "results/elsewhere/good.json: measured on test-2c-24g",
        "results/test-2c-24g/profiles/half.json: not a profile",
        "results/test-2c-24g/profiles/old.json: schema 0",
        "results/test-2c-24g/profiles/sum.json: its categories add up to 5",
        "results/elsewhere/profiles/good.json: taken on test-2c-24g",
        "0.500 [0.495, 0.505]",
    ] {
        assert!(page.contains(part), "{part}\n{:#?}", found.unreadable);
    }
    assert_eq!(found.unreadable.len(), 7);
}

#[test]
fn a_run_that_was_cut_short_is_listed_and_claims_nothing() {
    let mut cut = kept("2026-11-29T10:00:00Z", &[(["pristine", "patched"], 0.5)]);
    cut.result.complete = false;
    let page = page(vec![cut], &today(&["pristine", "patched"]));
    assert!(section(&page, "Overview").contains("No complete comparison"));
    assert!(section(&page, "Results").contains("cut short"));
}

#[test]
fn the_page_is_written_whole_and_a_folder_in_its_place_is_an_error() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("deep/index.html");
    write(&path, "one").expect("written");
    write(&path, "two").expect("written again");
    assert_eq!(fs::read_to_string(&path).expect("there"), "two");
    let taken = folder.path().join("taken");
    fs::create_dir_all(taken.join("x")).expect("made");
    let error = write(&taken, "three").expect_err("a folder");
    assert!(error.to_string().contains("cannot write"), "{error}");
}

#[test]
fn five_hundred_results_make_a_small_page() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let layout = Layout::new(folder.path());
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let class = layout.results.join("test-2c-24g");
    fs::create_dir_all(&class).expect("made");
    for i in 0..500 {
        let text = serde_json::to_string(&synthetic(i, &mut random)).expect("JSON");
        fs::write(class.join(format!("{i}.json")), text).expect("written");
    }
    let mut found = found(&layout).expect("listed");
    assert_eq!((found.results.len(), found.unreadable.len()), (500, 0));
    let today = today(&["pristine", "patched"]);
    let page = text(&found, &manifest(), &today);
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    assert_eq!(page.matches("<details class=result>").count(), 500);
    assert!(section(&page, "History").contains("500 results, now"));

    // Of more than fit, the newest are shown in full and the oldest with a line.
    let more = found.results.clone();
    for _ in 0..3 {
        found.results.extend(more.iter().cloned());
    }
    let long = text(&found, &manifest(), &today);
    assert!(long.len() < 3_000_000, "{} bytes", long.len());
    assert!(long.contains("To keep this page small"));
    assert_eq!(long.matches("<details class=result>").count(), 2_000);
}
