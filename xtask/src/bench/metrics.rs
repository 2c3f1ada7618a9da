//! What the names of metrics say: unit, and which question a metric answers.

use crate::results::{Family, Rules};

/// The name under which instruction counts appear in results.
pub const INSTRUCTIONS: &str = "instructions.per_constraint";

/// The same for branches.
pub const BRANCHES: &str = "branches.per_constraint";

/// The unit, which is the ending of the quantity before the dot.
pub fn unit(metric: &str) -> &'static str {
    let quantity = metric.split('.').next().unwrap_or(metric);
    if quantity.ends_with("_s") {
        "s"
    } else if quantity.ends_with("_bytes") {
        "bytes"
    } else {
        "count"
    }
}

/// True for peak memory, whichever phase it is the peak of.
pub fn is_memory(metric: &str) -> bool {
    metric == "peak_bytes" || metric.starts_with("peak_bytes.")
}

/// The family of a metric; `None` for one that is recorded and not compared (processor time, counts, faults). `headline`
/// is what the workload's binary lists as its headline.
pub fn family(metric: &str, headline: &[String]) -> Option<Family> {
    if is_memory(metric) {
        Some(Family::Memory)
    } else if headline.iter().any(|name| name == metric) {
        Some(Family::Headline)
    } else if metric.starts_with("wall_s") {
        Some(Family::Detail)
    } else {
        None
    }
}

/// The headline without memory: what a workload's speed is judged by.
pub fn times(headline: &[String]) -> impl Iterator<Item = &str> {
    headline
        .iter()
        .map(String::as_str)
        .filter(|name| !is_memory(name))
}

/// The phase of a metric, or all of its name where it has none.
pub fn phase(metric: &str) -> &str {
    metric.split_once('.').map_or(metric, |(_, phase)| phase)
}

/// The margin of equivalence of a metric.
pub fn margin(metric: &str, rules: &Rules) -> f64 {
    match unit(metric) {
        "bytes" => rules.margin_memory,
        _ if [INSTRUCTIONS, BRANCHES].contains(&metric) => rules.margin_instructions,
        _ => rules.margin_time,
    }
}

/// A number with its unit, to four digits.
pub fn show(value: f64, unit: &str) -> String {
    let scaled = |divisor: f64, suffix: &str| format!("{} {suffix}", digits(value / divisor));
    match unit {
        "s" if value >= 1.0 => scaled(1.0, "s"),
        "s" if value >= 1e-3 => scaled(1e-3, "ms"),
        "s" => scaled(1e-6, "µs"),
        "bytes" if value >= 1e9 => scaled(1e9, "GB"),
        "bytes" if value >= 1e6 => scaled(1e6, "MB"),
        "bytes" => scaled(1e3, "kB"),
        _ => digits(value),
    }
}

fn digits(value: f64) -> String {
    let decimals = match value.abs() {
        v if v >= 1000.0 => 0,
        v if v >= 100.0 => 1,
        v if v >= 10.0 => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_state_units_and_families() {
        assert_eq!(unit("wall_s.warm"), "s");
        assert_eq!(unit("peak_bytes"), "bytes");
        assert_eq!(unit(INSTRUCTIONS), "count");
        let headline = ["wall_s.caller", "wall_s.caller-burst", "peak_bytes.burst"];
        let headline = headline.map(str::to_owned);
        for (metric, expected) in [
            ("constraints", None),
            ("user_s", None),
            ("peak_bytes", Some(Family::Memory)),
            ("peak_bytes.burst", Some(Family::Memory)),
            ("wall_s.caller", Some(Family::Headline)),
            ("wall_s.caller-burst", Some(Family::Headline)),
            ("wall_s.drain", Some(Family::Detail)),
        ] {
            assert_eq!(family(metric, &headline), expected, "{metric}");
        }
        assert_eq!(times(&headline).count(), 2);
        assert_eq!(phase("wall_s.caller-burst"), "caller-burst");
        assert_eq!(phase("peak_bytes"), "peak_bytes");
    }

    #[test]
    fn margins_follow_the_metric() {
        let rules = Rules::default();
        assert_eq!(margin("wall_s.warm", &rules), rules.margin_time);
        assert_eq!(margin("peak_bytes", &rules), rules.margin_memory);
        assert_eq!(margin(INSTRUCTIONS, &rules), rules.margin_instructions);
    }

    #[test]
    fn numbers_are_short() {
        let shown: Vec<String> = [
            (1.65234, "s"),
            (0.0412, "s"),
            (0.0000042, "s"),
            (1.234e9, "bytes"),
            (512e6, "bytes"),
            (4649.3, "count"),
        ]
        .map(|(value, unit)| show(value, unit))
        .to_vec();
        assert_eq!(
            shown,
            [
                "1.652 s",
                "41.20 ms",
                "4.200 µs",
                "1.234 GB",
                "512.0 MB",
                "4649"
            ]
        );
    }
}
