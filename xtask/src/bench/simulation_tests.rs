//! How often a comparison claims what is not there, and how often it finds what is, on a machine as it is.
//!
//! Thousands of complete results are made of real pairs of an arm against itself ([`resampled`]) and judged as any run
//! is. `cargo test --manifest-path xtask/Cargo.toml simulation -- --nocapture` shows the rates; with `--ignored` it also
//! shows how they depend on the number of pairs and on alpha, in a minute or two.

mod resampled;

use std::collections::BTreeMap;

use resampled::{BLOCK, CONTENDER, Pool, REFERENCE, Swap};

use super::judge::{judge, verdict};
use super::plan;
use crate::results::{Comparison, Family, ResultFile, Verdict};

/// The pairs of a comparison: those of a run that asks for nothing else.
const PAIRS: usize = plan::QUICK_DEFAULT_PAIRS;

/// What one comparison came to.
#[derive(Clone, Copy, Debug, Default)]
struct Outcome {
    /// A headline row is improved.
    improved: bool,
    /// A headline row is regressed.
    regressed: bool,
    /// The run's own controls declare it worth nothing.
    invalid: bool,
}

impl Outcome {
    fn of(rows: &[Comparison]) -> Self {
        let headline = || rows.iter().filter(|row| row.family == Family::Headline);
        assert_eq!(headline().count(), 2, "cold and warm");
        assert!(rows.iter().all(|row| row.answers_equal), "{rows:?}");
        let any = |verdict| headline().any(|row| row.verdict == verdict);
        Self {
            improved: any(Verdict::Improved),
            regressed: any(Verdict::Regressed),
            invalid: any(Verdict::Invalid),
        }
    }

    fn claims(self) -> bool {
        self.improved || self.regressed
    }
}

fn judged(result: &ResultFile) -> Vec<Comparison> {
    judge(result)
        .expect("numbers that can be judged")
        .comparisons
}

/// What `each` makes of every seed, on all cores, in the order of the seeds.
fn in_parallel<T: Send>(seeds: u64, each: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let mut found: Vec<(u64, T)> = std::thread::scope(|scope| {
        let each = &each;
        let work = |first: u64| {
            move || {
                (first..seeds)
                    .step_by(threads as usize)
                    .map(|s| (s, each(s)))
                    .collect()
            }
        };
        let running: Vec<_> = (0..threads).map(|first| scope.spawn(work(first))).collect();
        let done = running
            .into_iter()
            .map(|thread| thread.join().expect("a simulation that ends"));
        done.flat_map(|part: Vec<_>| part).collect()
    });
    found.sort_by_key(|(seed, _)| *seed);
    found.into_iter().map(|(_, value)| value).collect()
}

fn outcomes(pool: &Pool, pairs: usize, factor: f64, seeds: u64) -> Vec<Outcome> {
    in_parallel(seeds, |seed| {
        Outcome::of(&judged(&pool.comparison(pairs, factor, Swap::Pairs, seed)))
    })
}

fn count<T: Copy>(outcomes: &[T], that: impl Fn(T) -> bool) -> usize {
    outcomes.iter().filter(|outcome| that(**outcome)).count()
}

#[test]
fn an_arm_does_not_differ_from_itself() {
    let found = outcomes(&Pool::read(), PAIRS, 1.0, 1_000);
    let claims = count(&found, Outcome::claims);
    let invalid = count(&found, |o| o.invalid);
    println!(
        "an arm against itself, {PAIRS} pairs: of {} comparisons {claims} claim a difference, {invalid} are invalid by their own control",
        found.len()
    );
    assert!(claims * 100 <= found.len(), "{claims} false claims");
}

#[test]
fn two_per_cent_are_found() {
    let pool = Pool::read();
    for factor in [1.02, 0.98] {
        let found = outcomes(&pool, PAIRS, factor, 100);
        let right = |o: Outcome| {
            let [expected, opposite] = if factor > 1.0 {
                [o.regressed, o.improved]
            } else {
                [o.improved, o.regressed]
            };
            expected && !opposite && !o.invalid
        };
        let right = count(&found, right);
        let invalid = count(&found, |o| o.invalid);
        println!(
            "times of {factor}, {PAIRS} pairs: {right} of {} comparisons find it, {invalid} are invalid by their own control",
            found.len()
        );
        assert!(
            right * 100 >= found.len() * 90,
            "{factor}: {right} found it"
        );
    }
}

/// The correlation of a series with itself `lag` places on.
fn autocorrelation(series: &[f64], lag: usize) -> f64 {
    let mean = series.iter().sum::<f64>() / series.len() as f64;
    let product = |(a, b): (&f64, &f64)| (a - mean) * (b - mean);
    let shifted: f64 = series.iter().zip(&series[lag..]).map(product).sum();
    shifted / series.iter().zip(series).map(product).sum::<f64>()
}

/// Neither the log ratios nor their magnitudes are correlated half a block apart or further: all that is seen there is
/// what independent numbers show, three standard errors at most.
#[test]
fn log_ratios_forget_within_half_a_block() {
    let pool = Pool::read();
    for metric in ["wall_s.cold", "wall_s.warm", REFERENCE] {
        let signed = pool.log_ratios(metric);
        let sizes: Vec<f64> = signed.iter().map(|l| l.abs()).collect();
        for (series, what) in [(signed, "log ratio"), (sizes, "its magnitude")] {
            let error = 1.0 / (series.len() as f64).sqrt();
            let by_lag: Vec<f64> = (1..=2 * BLOCK)
                .map(|lag| autocorrelation(&series, lag))
                .collect();
            println!("{metric}, {what}: {by_lag:.2?}, standard error {error:.2}");
            let later = &by_lag[BLOCK / 2 - 1..];
            assert!(
                later.iter().all(|r| r.abs() < 3.0 * error),
                "{metric}, {what}: {later:?}"
            );
        }
    }
}

#[test]
fn a_made_up_comparison_is_a_complete_run() {
    let pool = Pool::read();
    let result = pool.comparison(25, 1.02, Swap::Pairs, 3);
    assert_eq!((result.trials.len(), result.complete), (75, true));
    assert_eq!(result, pool.comparison(25, 1.02, Swap::Pairs, 3));
    assert_ne!(
        result.trials,
        pool.comparison(25, 1.02, Swap::Pairs, 4).trials
    );
    let rows = judged(&result);
    let mut families: BTreeMap<Family, usize> = BTreeMap::new();
    for row in &rows {
        *families.entry(row.family).or_default() += 1;
        assert_eq!(row.pairs, 25);
    }
    assert_eq!(families[&Family::Headline], 2);
    assert_eq!(families[&Family::Memory], 1);
    assert!(families[&Family::Control] >= 2);
    // The effect is in the times that an arm can touch, and only there.
    let plain = pool.comparison(25, 1.0, Swap::Pairs, 3);
    for (with, without) in result.trials.iter().zip(&plain.trials) {
        for (metric, value) in &with.trial.metrics {
            let touched =
                with.arm == CONTENDER && metric.starts_with("wall_s") && metric != REFERENCE;
            let factor = if touched { 1.02 } else { 1.0 };
            assert_eq!(*value, without.trial.metrics[metric] * factor, "{metric}");
        }
    }
}

/// The rows of one comparison, to be read again under another alpha.
fn under(rows: &[Comparison], alpha: f64) -> Outcome {
    let of = |row: &Comparison| {
        let adjusted = row.p_adjusted.unwrap_or(1.0);
        verdict(row.ci95, adjusted, row.margin, alpha)
    };
    let moved = |row: &Comparison| matches!(of(row), Verdict::Improved | Verdict::Regressed);
    let invalid = rows.iter().any(|row| row.is_control() && moved(row));
    let any = |verdict| {
        let mut headline = rows.iter().filter(|row| row.family == Family::Headline);
        !invalid && headline.any(|row| of(row) == verdict)
    };
    Outcome {
        improved: any(Verdict::Improved),
        regressed: any(Verdict::Regressed),
        invalid,
    }
}

#[test]
#[ignore = "prints tables, in a minute or two"]
fn tables() {
    let pool = Pool::read();
    // A third of 0.01: a run of three workloads has three times the rows to correct for.
    let alphas = [0.01 / 3.0, 0.01, 0.02, 0.05];
    let share = |number: usize, of: usize| format!("{:5.1} %", 100.0 * number as f64 / of as f64);
    println!("pairs  factor   alpha    right      not  invalid  reference moved");
    for pairs in [20, 40, 50, 60, 80, 100] {
        for (factor, seeds) in [(1.0, 1_000), (1.02, 200), (0.98, 200)] {
            let all = in_parallel(seeds, |seed| {
                judged(&pool.comparison(pairs, factor, Swap::Pairs, seed))
            });
            for alpha in alphas {
                let found: Vec<Outcome> = all.iter().map(|rows| under(rows, alpha)).collect();
                let right = |o: Outcome| match factor {
                    f if f > 1.0 => o.regressed && !o.improved,
                    f if f < 1.0 => o.improved && !o.regressed,
                    _ => !o.claims() && !o.invalid,
                };
                let right = count(&found, right);
                let invalid = count(&found, |o| o.invalid);
                let reference = all
                    .iter()
                    .flatten()
                    .filter(|row| row.metric == REFERENCE && !row.is_control());
                let reference = reference
                    .filter(|row| {
                        let p = row.p.unwrap_or(1.0);
                        let found = verdict(row.ci95, p, row.margin, alpha);
                        matches!(found, Verdict::Improved | Verdict::Regressed)
                    })
                    .count();
                println!(
                    "{pairs:5}  {factor:6}  {alpha:6.4}  {}  {}  {}  {}",
                    share(right, all.len()),
                    share(all.len() - right - invalid, all.len()),
                    share(invalid, all.len()),
                    share(reference, all.len()),
                );
            }
        }
    }
}

/// How often the signed-rank test alone rejects what is true.
#[test]
#[ignore = "prints tables, in a minute or two"]
fn levels() {
    let pool = Pool::read();
    println!("swapped  pairs  metric            p <= 0.01  p <= 0.02  p <= 0.05");
    for swap in [Swap::Pairs, Swap::Blocks] {
        for pairs in [40, 80] {
            for metric in ["wall_s.cold", "wall_s.warm", REFERENCE] {
                let p = in_parallel(10_000, |seed| pool.p_value(metric, pairs, swap, seed));
                let level = |alpha: f64| 100.0 * count(&p, |p| p <= alpha) as f64 / p.len() as f64;
                println!(
                    "{swap:?}   {pairs:5}  {metric:16}  {:7.2} %  {:7.2} %  {:7.2} %",
                    level(0.01),
                    level(0.02),
                    level(0.05)
                );
            }
        }
    }
}
