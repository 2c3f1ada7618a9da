//! How many pairs fit a time limit. It is decided after an uncounted round and before the first trial that counts.

use std::time::Duration;

use crate::bench::progress::duration;

/// What one workload costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Its planned pairs.
    pub planned: usize,
    /// The fewest with which it may be run.
    pub fewest: usize,
    /// What a round took.
    pub round: Duration,
}

/// The part of a limit that is not planned with: rounds are not all as long as the first.
pub const RESERVE: u32 = 10;

/// The pairs of each workload that fit `available` together, all lowered by the same factor and none below its fewest.
/// What the fewest of all take, when even these do not fit.
pub fn fit(costs: &[Cost], available: Duration) -> Result<Vec<usize>, Duration> {
    let lowered = |permille: usize| -> Vec<usize> {
        let pairs =
            |cost: &Cost| (cost.planned * permille / 1000).max(cost.fewest.min(cost.planned));
        costs.iter().map(pairs).collect()
    };
    (0..=1000)
        .rev()
        .map(lowered)
        .find(|pairs| total(costs, pairs) <= available)
        .ok_or_else(|| total(costs, &lowered(0)))
}

/// What so many pairs take.
pub fn total(costs: &[Cost], pairs: &[usize]) -> Duration {
    let each = costs.iter().zip(pairs);
    each.map(|(cost, pairs)| cost.round.mul_f64(*pairs as f64))
        .sum()
}

/// `90s`, `10m`, `1h30m`, or a plain number of seconds.
pub fn parse_limit(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no time: write it like 90s, 10m or 1h30m");
    let mut seconds: u64 = 0;
    let mut number = String::new();
    for c in text.chars() {
        let unit = match c {
            '0'..='9' => {
                number.push(c);
                continue;
            }
            'h' => 3600,
            'm' => 60,
            's' => 1,
            _ => return Err(wrong()),
        };
        let part = number.parse::<u64>().ok().and_then(|n| n.checked_mul(unit));
        seconds = part
            .and_then(|p| seconds.checked_add(p))
            .ok_or_else(wrong)?;
        number.clear();
    }
    if !number.is_empty() {
        let rest = number.parse::<u64>().ok().filter(|_| seconds == 0);
        seconds = rest.ok_or_else(wrong)?;
    }
    // A week is more than anybody means, and keeps sums of times far from their end.
    if seconds == 0 || seconds > 7 * 86_400 {
        return Err(wrong());
    }
    Ok(Duration::from_secs(seconds))
}

/// A limit that would do for work that takes `needed` when `spent` is gone already, in a form that [`parse_limit`] reads.
pub fn enough(needed: Duration, spent: Duration) -> String {
    let seconds =
        ((needed + spent).as_secs_f64() * f64::from(RESERVE) / f64::from(RESERVE - 1)).ceil();
    format!("{}s", seconds as u64 + 1)
}

/// What was lowered, for the record; nothing when the plan fits as it is.
pub fn describe(
    names: &[&str],
    costs: &[Cost],
    pairs: &[usize],
    limit: Duration,
) -> Option<String> {
    let lowered: Vec<String> = names
        .iter()
        .zip(costs)
        .zip(pairs)
        .filter(|((_, cost), pairs)| cost.planned != **pairs)
        .map(|((name, cost), pairs)| {
            format!(
                "{name} {} instead of {} (a round took {})",
                pairs,
                cost.planned,
                duration(cost.round)
            )
        })
        .collect();
    (!lowered.is_empty()).then(|| {
        format!(
            "fewer pairs than the bundle planned, to fit a limit of {}: {}",
            duration(limit),
            lowered.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(planned: usize, fewest: usize, seconds: f64) -> Cost {
        Cost {
            planned,
            fewest,
            round: Duration::from_secs_f64(seconds),
        }
    }

    #[test]
    fn a_plan_that_fits_stays_as_it_is() {
        let costs = [cost(20, 8, 1.0), cost(9, 8, 2.0)];
        assert_eq!(fit(&costs, Duration::from_secs(38)), Ok(vec![20, 9]));
        assert_eq!(
            describe(&["a", "b"], &costs, &[20, 9], Duration::from_secs(60)),
            None
        );
    }

    #[test]
    fn all_are_lowered_evenly_and_none_below_its_fewest() {
        let costs = [cost(40, 8, 1.0), cost(20, 8, 1.0)];
        assert_eq!(fit(&costs, Duration::from_secs(45)), Ok(vec![30, 15]));
        assert_eq!(fit(&costs, Duration::from_secs(20)), Ok(vec![12, 8]));
        assert_eq!(fit(&costs, Duration::from_secs(16)), Ok(vec![8, 8]));
        let text =
            describe(&["a", "b"], &costs, &[30, 15], Duration::from_secs(60)).expect("lowered");
        assert!(text.contains("a 30 instead of 40"), "{text}");
    }

    #[test]
    fn what_cannot_fit_says_what_it_takes() {
        let costs = [cost(40, 8, 1.0), cost(20, 8, 2.0)];
        assert_eq!(
            fit(&costs, Duration::from_secs(23)),
            Err(Duration::from_secs(24))
        );
        // Somebody who asked for fewer pairs than can decide gets these, not more.
        assert_eq!(fit(&[cost(4, 8, 1.0)], Duration::from_secs(5)), Ok(vec![4]));
        assert_eq!(
            enough(Duration::from_secs(80), Duration::from_secs(10)),
            "101s"
        );
    }

    #[test]
    fn limits_are_read() {
        for (text, seconds) in [
            ("90", 90),
            ("90s", 90),
            ("10m", 600),
            ("1h30m", 5400),
            ("1m5s", 65),
        ] {
            assert_eq!(
                parse_limit(text),
                Ok(Duration::from_secs(seconds)),
                "{text}"
            );
        }
        for text in [
            "",
            "0",
            "m",
            "10x",
            "-1s",
            "1m30",
            "9999999999999999999h",
            "400h",
            "1 m",
        ] {
            let error = parse_limit(text).expect_err(text);
            assert!(error.contains("10m"), "{error}");
        }
    }
}
