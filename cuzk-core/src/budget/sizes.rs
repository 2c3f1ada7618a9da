//! The counts of a circuit that its memory follows from.

use crate::recorded::RecordedShape;
use crate::{ParametersShape, Shape};

/// Counts of one partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sizes {
    /// Number of constraints, one of each input included.
    pub constraints: u64,
    /// Number of inputs, the constant one included.
    pub inputs: u64,
    /// Number of private variables.
    pub aux: u64,
}

impl Sizes {
    /// The counts of whatever circuit these parameters are for. Parameters tell the size of the evaluation domain and not the
    /// number of constraints, which may be half of it and one more: this is the largest circuit.
    pub fn at_most(parameters: &ParametersShape) -> Self {
        Self {
            constraints: parameters.h as u64 + 1,
            inputs: parameters.ic as u64,
            aux: parameters.l as u64,
        }
    }

    /// Size of the evaluation domain: the next power of two.
    pub fn domain(&self) -> u64 {
        self.constraints
            .checked_next_power_of_two()
            .unwrap_or(u64::MAX)
    }
}

impl From<&Shape> for Sizes {
    fn from(shape: &Shape) -> Self {
        Self {
            constraints: shape.constraints as u64,
            inputs: shape.inputs as u64,
            aux: shape.aux as u64,
        }
    }
}

impl From<&RecordedShape> for Sizes {
    fn from(shape: &RecordedShape) -> Self {
        Self {
            constraints: shape.constraints as u64,
            inputs: shape.inputs as u64,
            aux: shape.aux as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_bound_the_circuit() {
        let parameters = ParametersShape {
            ic: 3,
            h: 1023,
            l: 700,
            a: 703,
            b_g1: 5,
            b_g2: 5,
        };
        let sizes = Sizes::at_most(&parameters);
        assert_eq!((sizes.constraints, sizes.inputs, sizes.aux), (1024, 3, 700));
        assert_eq!(sizes.domain(), 1024);
        let huge = Sizes {
            constraints: u64::MAX,
            ..sizes
        };
        assert_eq!(huge.domain(), u64::MAX);
    }
}
