//! Whether a result has lost against what was measured before: the regressions of the series itself.
//!
//! A row is one workload (with the size and threads that its trials tell), one metric and one pair of arms by name. What
//! is compared is the ratio contender / baseline of the new run with that ratio in an earlier run. Both arms of a pair
//! run side by side, so what the machine did to one it did to the other; the absolute times of two runs have no such
//! bond, and are never judged. The rules:
//!
//! - The reference of a row is the newest earlier run of it, on the same class of host, that is whole, valid, and has
//!   pairs enough to decide. Earlier means begun before; stamps may differ, that is the question.
//! - The change is the difference of the two medians of `ln(contender / baseline)`. Its interval: percentile bootstrap in
//!   which the pairs of both runs are drawn independently. p: rank-sum test of the two runs' log ratios, two-sided,
//!   corrected with Holm over all rows of the comparison.
//! - *equivalent*: the whole interval lies within the margin of the metric.
//! - *regressed*, *improved*: the interval excludes zero, the corrected p is at most alpha, the change itself is at least
//!   the margin, and, where there are [`ENOUGH_RUNS`] earlier runs, it stands out of the row's own history: it is larger
//!   than the third quartile of the steps from each of those runs to the next, plus three interquartile ranges. Steps and
//!   not levels, so that a gain of long ago does not make room for a loss of today.
//! - *inconclusive*: everything else. It is not "no change".
//! - *new*: nothing earlier to compare with. *missing*: in the newest earlier run of the same contrasts, and not here.
//! - *invalid*, *stale*: said with the reason, and not judged.
//!
//! The fence is that of rustc-perf (rust-lang/rustc-perf, docs/comparison-analysis.md): a result is significant when its
//! change is an outlier among that test's own past changes; and significant is not yet relevant, which is what the margin
//! is for. Runs differ by more than their pairs do (where code comes to lie, what the neighbours of a virtual machine do),
//! and only history knows by how much.
//!
//! Instruction counts have no spread: their change is the quotient of two exact ratios, beyond its margin or not, and only
//! counts of one counter are compared.
//!
//! Every file is judged again from its trials, with the rules that it was measured by; the rules of a comparison are those
//! of this code ([`crate::results::Rules::default`]), the same whatever is compared. Steps below the margin add up unseen:
//! name an old result as the first of two files to see the sum.

pub mod changes;
pub mod history;
pub mod json;
pub mod outcome;
pub mod renamed;
pub mod rows;
pub mod table;
#[cfg(test)]
pub mod testing;
pub mod verdict;

/// From so many earlier runs on, a row's own history has a say.
pub const ENOUGH_RUNS: usize = 5;
