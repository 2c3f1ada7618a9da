//! Where a value stands on an axis, in per cent of its length.

/// An axis of ratios: equal factors are equal distances.
#[derive(Clone, Copy, Debug)]
pub struct Ratios {
    low: f64,
    high: f64,
}

impl Ratios {
    /// The axis that shows 1 and all of these, with a little room at both ends. What is no positive number is left out.
    pub fn around(values: impl IntoIterator<Item = f64>) -> Self {
        let (mut low, mut high) = (-0.03f64, 0.03f64);
        for value in values {
            if value > 0.0 && value.is_finite() {
                low = low.min(value.ln());
                high = high.max(value.ln());
            }
        }
        let room = (high - low) * 0.04;
        Self {
            low: low - room,
            high: high + room,
        }
    }

    /// Where a ratio stands, between 0 and 100.
    pub fn at(self, ratio: f64) -> f64 {
        if ratio <= 0.0 {
            return 0.0;
        }
        ((ratio.ln() - self.low) / (self.high - self.low) * 100.0).clamp(0.0, 100.0)
    }

    /// Up to seven round ratios that lie on the axis.
    pub fn ticks(self) -> Vec<f64> {
        let (low, high) = (self.low.exp(), self.high.exp());
        let mut best = vec![1.0];
        for step in [0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005] {
            let first = (low / step).ceil() as i64;
            let last = (high / step).floor() as i64;
            let ticks: Vec<f64> = (first..=last).map(|n| n as f64 * step).collect();
            // On a long axis even steps crowd at one end.
            let crowded = ticks
                .windows(2)
                .any(|pair| self.at(pair[1]) - self.at(pair[0]) < 13.0);
            if ticks.len() > 7 || crowded {
                break;
            }
            if ticks.len() > best.len() {
                best = ticks;
            }
        }
        if best.len() < 4 {
            let mut round: Vec<f64> = Vec::new();
            let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
            for decade in decades {
                for digit in [1.0, 2.0, 3.0, 5.0, 7.0] {
                    let tick: f64 = digit * 10f64.powi(decade);
                    let apart = round
                        .last()
                        .is_none_or(|last| self.at(tick) - self.at(*last) >= 13.0);
                    let must = (tick - 1.0).abs() < 1e-9;
                    if tick >= low && tick <= high && (apart || must) {
                        if !apart {
                            round.pop();
                        }
                        round.push(tick);
                    }
                }
            }
            if round.len() > best.len() {
                best = round;
            }
        }
        best
    }
}

/// An axis on which equal differences are equal distances.
#[derive(Clone, Copy, Debug)]
pub struct Even {
    low: f64,
    high: f64,
}

impl Even {
    /// The axis that shows all of these. One value stands in its middle.
    pub fn around(values: impl IntoIterator<Item = f64>) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            low = low.min(value);
            high = high.max(value);
        }
        if low >= high {
            return Self {
                low: low - 1.0,
                high: low + 1.0,
            };
        }
        let room = (high - low) * 0.03;
        Self {
            low: low - room,
            high: high + room,
        }
    }

    /// Where a value stands, between 0 and 100; in the middle of an axis of nothing.
    pub fn at(self, value: f64) -> f64 {
        let place = (value - self.low) / (self.high - self.low) * 100.0;
        if place.is_finite() {
            place.clamp(0.0, 100.0)
        } else {
            50.0
        }
    }
}

/// A ratio as it stands at an axis: no more digits than it needs.
pub fn label(ratio: f64) -> String {
    let text = format!("{ratio:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_lie_apart() {
        for values in [
            vec![0.98, 1.01],
            vec![0.5, 1.02],
            vec![0.04, 1.3],
            vec![0.9, 9.0],
            vec![0.001, 1000.0],
            vec![],
        ] {
            let axis = Ratios::around(values.iter().copied());
            let ticks = axis.ticks();
            assert!((3..=8).contains(&ticks.len()), "{values:?}: {ticks:?}");
            assert!(ticks.iter().any(|t| (t - 1.0).abs() < 1e-9), "{ticks:?}");
            for pair in ticks.windows(2) {
                assert!(axis.at(pair[1]) - axis.at(pair[0]) > 7.0, "{ticks:?}");
            }
        }
    }

    #[test]
    fn every_value_has_a_place() {
        let axis = Ratios::around([0.5, f64::NAN, 0.0, f64::INFINITY]);
        for value in [0.0, -1.0, 0.5, 1.0, 1e300] {
            assert!((0.0..=100.0).contains(&axis.at(value)), "{value}");
        }
        assert!(axis.at(0.5) < 10.0 && axis.at(1.0) > 90.0);
        assert_eq!(Even::around([]).at(1.0), 50.0);
        assert_eq!(Even::around([3.0]).at(3.0), 50.0);
        assert!(Even::around([1.0, 2.0]).at(2.0) > 95.0);
    }

    #[test]
    fn labels_are_short() {
        assert_eq!(
            [0.5, 1.0, 0.985, 10.0].map(label),
            ["0.5", "1", "0.985", "10"]
        );
    }
}
