//! Holds every statistic to what other people's code says: reference/expected.json, written by reference/reference.py,
//! which names the function behind each value.

use std::collections::BTreeMap;
use std::fmt::Debug;

use cuzk_stats::{bootstrap, holm, normal, power, rank_sum, signed_rank};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// As far as an answer may be off: this much, or this share of it.
const TOLERANCE: f64 = 1e-9;

#[derive(Deserialize)]
struct Fixture {
    sections: BTreeMap<String, Section>,
}

#[derive(Deserialize)]
struct Section {
    from: String,
    cases: Vec<Value>,
}

/// Runs every case of a section. `I` is what a case holds, `E` the type of its answer.
fn section<I: DeserializeOwned, E: DeserializeOwned + Answer + Debug>(
    name: &str,
    ours: impl Fn(I) -> E,
) {
    let fixture: Fixture = serde_json::from_str(include_str!("../reference/expected.json"))
        .expect("reference/expected.json is what reference.py writes");
    let section = &fixture.sections[name];
    assert!(!section.cases.is_empty(), "{name} has cases");
    for case in &section.cases {
        let input = serde_json::from_value(case.clone()).expect("the input of a case");
        let expected: E =
            serde_json::from_value(case["expected"].clone()).expect("the answer of a case");
        let found = ours(input);
        assert!(
            found.is(&expected),
            "{name}: {found:?}, and {} says {expected:?} of {case}",
            section.from
        );
    }
}

trait Answer {
    fn is(&self, expected: &Self) -> bool;
}

impl Answer for f64 {
    fn is(&self, expected: &Self) -> bool {
        (self - expected).abs() <= TOLERANCE * expected.abs().clamp(f64::MIN_POSITIVE, 1.0)
    }
}

impl Answer for usize {
    fn is(&self, expected: &Self) -> bool {
        self == expected
    }
}

impl<T: Answer> Answer for Option<T> {
    fn is(&self, expected: &Self) -> bool {
        match (self, expected) {
            (Some(a), Some(b)) => a.is(b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }
}

impl<T: Answer> Answer for Vec<T> {
    fn is(&self, expected: &Self) -> bool {
        self.len() == expected.len() && self.iter().zip(expected).all(|(a, b)| a.is(b))
    }
}

#[derive(Debug, Deserialize)]
struct Ranked {
    used: usize,
    w_plus: f64,
    p: f64,
}

impl Answer for Ranked {
    fn is(&self, expected: &Self) -> bool {
        self.used.is(&expected.used) && self.w_plus.is(&expected.w_plus) && self.p.is(&expected.p)
    }
}

#[derive(Deserialize)]
struct Values {
    values: Vec<f64>,
}

#[derive(Deserialize)]
struct Planned {
    #[serde(default)]
    effect: f64,
    #[serde(default)]
    deviation: f64,
    #[serde(default)]
    pairs: usize,
    alpha: f64,
    rows: usize,
    #[serde(default)]
    power: f64,
}

#[test]
fn medians_quantiles_and_deviations() {
    section("median", |c: Values| {
        cuzk_stats::median(&c.values).expect("values")
    });
    section("standard_deviation", |c: Values| {
        cuzk_stats::standard_deviation(&c.values).expect("two values")
    });
    #[derive(Deserialize)]
    struct Quantile {
        values: Vec<f64>,
        q: f64,
    }
    section("quantile", |c: Quantile| {
        cuzk_stats::quantile_of_sorted(&c.values, c.q).expect("values")
    });
}

#[test]
fn signed_ranks_with_and_without_ties_and_zeros() {
    for name in [
        "signed_rank",
        "signed_rank_tied",
        "signed_rank_large",
        "signed_rank_published",
    ] {
        section(name, |c: Values| {
            let found = signed_rank::signed_rank(&c.values);
            Ranked {
                used: found.used,
                w_plus: found.w_plus,
                p: found.p,
            }
        });
    }
    #[derive(Deserialize)]
    struct Pairs {
        pairs: usize,
    }
    section("smallest_p", |c: Pairs| signed_rank::smallest_p(c.pairs));
}

#[test]
fn rank_sums_exact_and_approximate() {
    #[derive(Deserialize)]
    struct Samples {
        first: Vec<f64>,
        second: Vec<f64>,
    }
    for name in ["rank_sum", "rank_sum_large"] {
        section(name, |c: Samples| rank_sum::rank_sum(&c.first, &c.second));
    }
}

#[test]
fn corrected_p_values() {
    #[derive(Deserialize)]
    struct P {
        p: Vec<f64>,
    }
    section("holm", |c: P| holm::holm(&c.p));
    section("holm_published", |c: P| holm::holm(&c.p));
}

#[test]
fn quantiles_of_the_normal_distribution() {
    #[derive(Deserialize)]
    struct P {
        p: f64,
    }
    section("normal_quantile", |c: P| normal::quantile(c.p));
}

#[test]
fn sizes_of_samples() {
    section("fewest_pairs", |c: Planned| {
        power::fewest_pairs(c.alpha, c.rows)
    });
    section("detectable", |c: Planned| {
        power::detectable(c.deviation, c.pairs, c.alpha, c.rows, c.power)
            .expect("so many pairs can show something")
    });
    section("pairs_to_detect", |c: Planned| {
        power::pairs_to_detect(c.effect, c.deviation, c.alpha, c.rows, c.power).expect("an effect")
    });
    #[derive(Deserialize)]
    struct Fit {
        centre: f64,
        margin: f64,
        deviation: f64,
        confidence: f64,
    }
    section("pairs_to_fit", |c: Fit| {
        power::pairs_to_fit(c.centre, c.margin, c.deviation, c.confidence)
    });
}

#[test]
fn bootstrap_intervals() {
    #[derive(Deserialize)]
    struct Resampled {
        values: Vec<f64>,
        confidence: f64,
        resamples: usize,
        seed: u64,
        label: String,
    }
    section("bootstrap", |c: Resampled| {
        let mut rng = bootstrap::generator(c.seed, &c.label);
        bootstrap::median_interval(&c.values, c.confidence, c.resamples, &mut rng)
            .expect("values")
            .to_vec()
    });
}

/// With so many resamples the ends, which are values of the sample, are those of the exact distribution.
#[test]
fn bootstrap_intervals_in_closed_form() {
    #[derive(Deserialize)]
    struct Exact {
        values: Vec<f64>,
        confidence: f64,
    }
    section("bootstrap_closed_form", |c: Exact| {
        let mut rng = bootstrap::generator(1, "row");
        bootstrap::median_interval(&c.values, c.confidence, 200_000, &mut rng)
            .expect("values")
            .to_vec()
    });
}
