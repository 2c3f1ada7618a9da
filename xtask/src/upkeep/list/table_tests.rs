//! How the table looks.

use super::*;
use crate::stack::manifest::Kind;

fn row_of(workload: &str, verdict: Verdict, stale: Option<&str>) -> Measured {
    Measured {
        workload: workload.to_owned(),
        metric: "wall_s.warm".to_owned(),
        family: Family::Headline,
        arms: ["pristine", "prefix-one"].map(str::to_owned),
        ratio: 0.8,
        ci95: [0.75, 0.85],
        exact: false,
        verdict,
        stale: stale.map(str::to_owned),
        time: "2026-11-29T10:00:00Z".to_owned(),
        host: "test-2c-24g".to_owned(),
        result: "results/test-2c-24g/x.json".to_owned(),
    }
}

fn entry(kind: Kind, measured: Vec<Measured>) -> Entry {
    Entry {
        slug: "fixed-base-generator".to_owned(),
        kind,
        default: true,
        crates: vec!["bellpepper-core".to_owned(), "bellperson".to_owned()],
        depends: Vec::new(),
        steps: Vec::new(),
        because: None,
        lines_added: 1071,
        lines_removed: 333,
        subject: "fixed-base-generator: x".to_owned(),
        origin: None,
        forwarded: None,
        removal: Some("when upstream does it too".to_owned()),
        patches: Vec::new(),
        verdict: measured.first().cloned(),
        measured,
    }
}

#[test]
fn cells_wrap_and_the_table_fits_120_columns() {
    let measured = vec![
        row_of(
            "synth/gadgets/enforce-equal, size 300000",
            Verdict::Improved,
            Some("the patched trees changed since"),
        ),
        row_of(
            "synth/sha256",
            Verdict::Improved,
            Some("the compiler changed since"),
        ),
        row_of(
            "synth/sha256",
            Verdict::Regressed,
            Some("the compiler changed since"),
        ),
        row_of("synth/sha256", Verdict::Regressed, None),
    ];
    let text = text(&[entry(Kind::Experiment, measured)]);
    assert_eq!(
        text,
        "\
slug                  kind        on   crates           lines        measured                       may go
fixed-base-generator  experiment  on   bellpepper-core  +1071 -333   improved 0.800 [0.750, 0.850]  when upstream does
                                       bellperson                    synth/gadgets/enforce-equal,   it too
                                                                     size 300000 wall_s.warm
                                                                     2026-11-29, host 1
                                                                     stale: the patched trees
                                                                     changed since
                                                                     also 1 improved, 1 regressed

host 1: test-2c-24g
Ratio: with / without, below 1 is better.
"
    );
    assert!(text.lines().all(|line| line.chars().count() <= 120));
}

#[test]
fn what_was_not_measured_says_why() {
    let said = |kind| text(&[entry(kind, Vec::new())]);
    assert!(said(Kind::Perf).contains("  not yet  "));
    assert!(said(Kind::Build).contains("not alone: in every stack"));
    assert!(!said(Kind::Perf).contains("host"));
}

#[test]
fn a_long_word_is_broken_and_an_empty_text_is_a_line() {
    assert_eq!(wrap("abcdefgh ij", 4), ["abcd", "efgh", "ij"]);
    assert_eq!(wrap("a bc de", 4), ["a bc", "de"]);
    assert_eq!(wrap("üüüü ü", 4), ["üüüü", "ü"]);
    assert_eq!(wrap("", 4), [""]);
}
