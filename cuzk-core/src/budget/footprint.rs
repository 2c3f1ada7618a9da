//! What a partition takes.

use super::Sizes;
use crate::backend::Backend;

/// Bytes of a scalar.
const SCALAR: u64 = 32;
/// What a partition takes beside its vectors: stacks, row buffers, proofs and messages.
const SLACK: u64 = 1 << 20;

/// Host memory of one partition, in bytes.
///
/// `tests/footprint.rs` holds these against what a process really takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Footprint {
    /// From the start of its synthesis until its proof has been made and the rest freed: a, b, c, the assignment, and the
    /// densities.
    pub partition: u64,
    /// On top of it while it is synthesised: variables as bits and dense values, before they are expanded.
    pub synthesis: u64,
    /// On top of it while it is proven.
    pub proving: u64,
}

impl Footprint {
    /// Of a partition of these counts, on a backend. Counts that no memory holds give a number that no budget holds.
    ///
    /// The CPU's prover pads a, b and c to the domain. Its peak is where H's exponents are made of a's coefficients while b
    /// and c may still be waiting to be freed: four vectors of the domain, and the assignment. The GPU's prover reads the
    /// vectors where they are; what it pins is bounded by its slots, and the rest of its memory is the GPU's.
    pub fn of(sizes: &Sizes, backend: Backend) -> Self {
        let scalars = |count: u64| count.saturating_mul(SCALAR);
        let variables = sizes.aux.saturating_add(sizes.inputs);
        let bits = variables.div_ceil(8);
        let assignment = scalars(variables);
        let products = scalars(sizes.constraints).saturating_mul(3);
        let densities = bits.saturating_mul(3);
        let partition = sum([products, assignment, densities, SLACK]);
        let proving = match backend {
            Backend::Cpu => {
                let converting = sum([products, assignment, assignment]);
                let exponents = sum([scalars(sizes.domain()).saturating_mul(4), assignment]);
                sum([converting.max(exponents), densities, SLACK]).saturating_sub(partition)
            }
            Backend::Gpu => GPU_STAGING,
        };
        Self {
            partition,
            synthesis: sum([assignment, bits.saturating_mul(2)]),
            proving,
        }
    }
}

/// Pinned slots and packed values of one call of the GPU's prover.
const GPU_STAGING: u64 = 2 << 30;

fn sum<const N: usize>(parts: [u64; N]) -> u64 {
    parts.into_iter().fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_of_production_takes_what_is_known_of_it() {
        let sizes = Sizes {
            constraints: 130_278_869,
            inputs: 328,
            aux: 130_169_893,
        };
        let Footprint {
            partition,
            synthesis,
            proving,
        } = Footprint::of(&sizes, Backend::Cpu);
        let gb = |bytes: u64| bytes as f64 / 1e9;
        assert!((16.6..16.8).contains(&gb(partition)), "{partition}");
        assert!((4.1..4.3).contains(&gb(synthesis)), "{synthesis}");
        assert!((4.5..5.0).contains(&gb(proving)), "{proving}");
    }

    #[test]
    fn nothing_wraps_around() {
        for constraints in [0, u64::MAX] {
            for aux in [0, u64::MAX] {
                let sizes = Sizes {
                    constraints,
                    inputs: u64::MAX / 2,
                    aux,
                };
                for backend in Backend::ALL {
                    let footprint = Footprint::of(&sizes, backend);
                    assert!(footprint.partition > u64::MAX / 4, "{footprint:?}");
                }
            }
        }
    }
}
