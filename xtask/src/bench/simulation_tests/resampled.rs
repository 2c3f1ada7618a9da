//! Comparisons that never ran, made of pairs that did.
//!
//! The pairs are [`KEPT`]: `pristine` against itself, both trials of the same round, on a machine as it is. Successive
//! pairs are drawn in blocks, so that what lasts for some pairs, like a busy neighbour, lasts as long in what is made of
//! them: H. R. Künsch, "The jackknife and the bootstrap for general stationary observations", The Annals of Statistics
//! 17 (1989), with the ends joined as in D. N. Politis and J. P. Romano, "A circular block-resampling procedure for
//! stationary data" (1992).

use std::path::Path;

use rand_chacha::ChaCha8Rng;

use crate::bench::stats::bootstrap::{below, generator};
use crate::bench::stats::signed_rank::signed_rank;
use crate::results::{ArmRecord, ResultFile, Rules, TrialRecord, Untouched, store};

/// 300 pairs of `pristine` against itself on synth/sha256.
const KEPT: &str =
    "../results/intel-xeon-processor-6-167-1-2c-24g/2026-11-29T200348Z-synth-sha256-4001e0ee.json";

/// Pairs of a block. Log ratios of pairs are correlated over one or two pairs, and not beyond
/// (`log_ratios_forget_within_half_a_block`); a block holds several times that, and 300 pairs hold 30 blocks. The times
/// themselves drift together over tens of pairs, which is what pairing is for: it cancels in the ratio.
pub const BLOCK: usize = 10;

/// The time of work that is the same in every arm.
pub const REFERENCE: &str = "wall_s.reference";

/// The arm that every pair is of.
const BASELINE: &str = "pristine";

/// What the same arm is called on the other side of a made-up comparison.
pub const CONTENDER: &str = "contender";

/// What is swapped between the two sides of a comparison, by the toss of a coin.
#[derive(Clone, Copy, Debug)]
pub enum Swap {
    /// Each pair, as the random order of a run does it: either arm is as likely to meet the better moment.
    Pairs,
    /// Each block as a whole: what the two trials of neighbouring pairs have in common stays.
    Blocks,
}

/// The kept pairs.
pub struct Pool {
    kept: ResultFile,
    pairs: Vec<[TrialRecord; 2]>,
}

impl Pool {
    /// Reads them.
    pub fn read() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(KEPT);
        let kept = store::read(&path).expect("the kept result");
        let workload = &kept.plan.workloads[0];
        let pairs = crate::bench::pairs::of(&kept, &workload.name, [BASELINE; 2], true);
        let pairs: Vec<[TrialRecord; 2]> = pairs.into_iter().map(|p| p.map(Clone::clone)).collect();
        assert_eq!(pairs.len(), 300);
        Self { kept, pairs }
    }

    /// The log ratios of a metric, in the order in which the pairs ran.
    pub fn log_ratios(&self, metric: &str) -> Vec<f64> {
        let value = |t: &TrialRecord| t.trial.metrics[metric];
        let ratio = |[a, b]: &[TrialRecord; 2]| (value(b) / value(a)).ln();
        self.pairs.iter().map(ratio).collect()
    }

    /// The p value of a metric in pairs drawn like those of a comparison.
    pub fn p_value(&self, metric: &str, pairs: usize, swap: Swap, seed: u64) -> f64 {
        let drawn = self.draw(pairs, swap, &mut generator(seed, metric));
        let value = |t: &TrialRecord| t.trial.metrics[metric];
        let logs: Vec<f64> = drawn
            .iter()
            .map(|[a, b]| (value(b) / value(a)).ln())
            .collect();
        signed_rank(&logs).p
    }

    /// A complete run of so many pairs, in which the contender's times are `factor` of what they were. The first arm's
    /// own control has the log ratios of another draw of blocks.
    pub fn comparison(&self, pairs: usize, factor: f64, swap: Swap, seed: u64) -> ResultFile {
        let mut rng = generator(seed, "simulation");
        let sides = self.draw(pairs, swap, &mut rng);
        let again = self.draw(pairs, swap, &mut rng);
        let mut result = self.plan(pairs, seed);
        for (round, ([a, b], [c, d])) in sides.into_iter().zip(again).enumerate() {
            let mut contender = b.clone();
            contender.arm = CONTENDER.to_owned();
            let times = contender.trial.metrics.iter_mut();
            for (_, value) in times.filter(|(m, _)| m.starts_with("wall_s") && *m != REFERENCE) {
                *value *= factor;
            }
            let mut control = a.clone();
            control.control = true;
            for (metric, value) in &mut control.trial.metrics {
                let value_of = |t: &TrialRecord| t.trial.metrics[metric];
                if value_of(c) > 0.0 {
                    *value *= value_of(d) / value_of(c);
                }
            }
            let baseline = TrialRecord {
                control: false,
                ..a.clone()
            };
            contender.control = false;
            for trial in [baseline, contender, control] {
                result.trials.push(TrialRecord {
                    order: result.trials.len(),
                    round,
                    ..trial
                });
            }
        }
        result
    }

    /// Pairs in blocks, sides swapped.
    fn draw(&self, pairs: usize, swap: Swap, rng: &mut ChaCha8Rng) -> Vec<[&TrialRecord; 2]> {
        let mut drawn = Vec::with_capacity(pairs + BLOCK);
        while drawn.len() < pairs {
            let start = below(rng, self.pairs.len());
            let block_swapped = below(rng, 2) == 1;
            for step in 0..BLOCK {
                let [a, b] = &self.pairs[(start + step) % self.pairs.len()];
                let swapped = match swap {
                    Swap::Pairs => below(rng, 2) == 1,
                    Swap::Blocks => block_swapped,
                };
                drawn.push(if swapped { [b, a] } else { [a, b] });
            }
        }
        drawn.truncate(pairs);
        drawn
    }

    /// The kept plan for two arms that are one, under today's rules.
    fn plan(&self, pairs: usize, seed: u64) -> ResultFile {
        let mut plan = self.kept.plan.clone();
        let arms = [BASELINE, CONTENDER].map(str::to_owned);
        plan.seed = seed;
        plan.rules = Rules::default();
        plan.contrasts = vec![arms.clone()];
        for workload in &mut plan.workloads {
            workload.pairs = pairs;
            workload.control = true;
        }
        plan.untouched = vec![Untouched {
            workload: plan.workloads[0].name.clone(),
            arms: arms.clone(),
            metrics: vec![REFERENCE.to_owned()],
        }];
        let arms = arms.map(|name| ArmRecord {
            name,
            ..self.kept.arms[0].clone()
        });
        ResultFile {
            plan,
            arms: arms.to_vec(),
            comparisons: Vec::new(),
            interactions: Vec::new(),
            notes: Vec::new(),
            matrices: Vec::new(),
            counts: Vec::new(),
            trials: Vec::with_capacity(3 * pairs),
            schema: self.kept.schema,
            time: self.kept.time.clone(),
            complete: true,
            host: self.kept.host.clone(),
        }
    }
}
