//! What a prover's time depends on in a synthesised circuit: how many values are bits, which of the others occur in A and
//! B, and how large the rows of A, B and C are.
//!
//! The mixes (`cuzk_circuits::blend`) are held to what this finds in the real circuits:
//!
//!     cargo test --release -p cuzk-benches census -- --ignored --nocapture

use std::fmt;

use bellperson::groth16::{DensityView, ProvingAssignment};
use blstrs::Scalar as Fr;
use ff::{Field, PrimeField};

/// The values of one vector by their size, each counted once, in the first line that fits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// Those that are zero.
    pub zeros: usize,
    /// Those that are one.
    pub ones: usize,
    /// Other integers from -8 to 8.
    pub digits: usize,
    /// Other integers of at most 31 bits and a sign.
    pub words: usize,
    /// Other integers of at most 63 bits and a sign.
    pub longs: usize,
    /// All others: wider than 63 bits.
    pub wide: usize,
}

impl Values {
    fn of<'a>(values: impl Iterator<Item = &'a Fr>) -> Self {
        let mut counts = Self::default();
        for value in values {
            *counts.place(value) += 1;
        }
        counts
    }

    fn place(&mut self, value: &Fr) -> &mut usize {
        if bool::from(value.is_zero()) {
            return &mut self.zeros;
        }
        if *value == Fr::ONE {
            return &mut self.ones;
        }
        let size = [*value, -value].iter().filter_map(small).min();
        match size {
            Some(0..=8) => &mut self.digits,
            Some(size) if size < 1 << 31 => &mut self.words,
            Some(size) if size < 1 << 63 => &mut self.longs,
            _ => &mut self.wide,
        }
    }

    /// How many there are.
    pub fn total(&self) -> usize {
        let Self {
            zeros,
            ones,
            digits,
            words,
            longs,
            wide,
        } = self;
        zeros + ones + digits + words + longs + wide
    }

    /// Those that are neither zero nor one: what the GPU's prover puts into its tail MSMs.
    pub fn tail(&self) -> usize {
        self.total() - self.zeros - self.ones
    }
}

/// The value of a scalar below 2^64.
fn small(value: &Fr) -> Option<u64> {
    let bytes = value.to_repr();
    let (low, high) = bytes.as_ref().split_at(8);
    let low = low.try_into().ok().map(u64::from_le_bytes)?;
    high.iter().all(|byte| *byte == 0).then_some(low)
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.total().max(1) as f64;
        let share = |count: usize| 100.0 * count as f64 / all;
        write!(
            f,
            "{:>9}: 0 {:.3} %, 1 {:.3} %, -8..8 {:.3} %, 31 bits {:.3} %, 63 bits {:.3} %, wide {:.3} %",
            self.total(),
            share(self.zeros),
            share(self.ones),
            share(self.digits),
            share(self.words),
            share(self.longs),
            share(self.wide)
        )
    }
}

/// What there is in an assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Census {
    /// The constraint of each input included.
    pub constraints: usize,
    /// The constant one included.
    pub inputs: usize,
    /// Private variables: the scalars of L.
    pub l: Values,
    /// Those that occur in A.
    pub a_aux: Values,
    /// Those that occur in B.
    pub b_aux: Values,
    /// Inputs that occur in B.
    pub b_inputs: usize,
    /// Maximal runs of private variables that are neither zero nor one.
    pub runs: usize,
    /// The rows of A, B and C times the assignment.
    pub rows: [Values; 3],
}

impl Census {
    /// Counts.
    pub fn of(assignment: &ProvingAssignment<Fr>) -> Self {
        let aux = assignment.aux_assignment();
        let is_bit = |value: &Fr| bool::from(value.is_zero()) || *value == Fr::ONE;
        let mut runs = 0;
        let mut bit = true;
        for value in aux {
            let now = is_bit(value);
            runs += usize::from(bit && !now);
            bit = now;
        }
        Self {
            constraints: assignment.a().len(),
            inputs: assignment.input_assignment().len(),
            l: Values::of(aux.iter()),
            a_aux: Values::of(chosen(aux, assignment.a_aux_density())),
            b_aux: Values::of(chosen(aux, assignment.b_aux_density())),
            b_inputs: assignment.b_input_density().total,
            runs,
            rows: [assignment.a(), assignment.b(), assignment.c()]
                .map(|row| Values::of(row.iter())),
        }
    }

    /// The part of the domain that has a constraint.
    pub fn filled(&self) -> f64 {
        self.constraints as f64 / self.constraints.next_power_of_two() as f64
    }
}

/// The values whose bit is set.
fn chosen<'a>(values: &'a [Fr], density: DensityView<'a>) -> impl Iterator<Item = &'a Fr> {
    let set = move |i: &usize| density.words[i / 64] >> (i % 64) & 1 == 1;
    (0..density.len).filter(set).map(|i| &values[i])
}

impl fmt::Display for Census {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} constraints ({:.1} % of the domain), {} inputs ({} in B), {} private variables",
            self.constraints,
            100.0 * self.filled(),
            self.inputs,
            self.b_inputs,
            self.l.total()
        )?;
        let aux = self.l.total().max(1) as f64;
        for (name, values) in [("L", &self.l), ("A", &self.a_aux), ("B", &self.b_aux)] {
            let (tail, share) = (values.tail(), 100.0 * values.total() as f64 / aux);
            writeln!(f, "{name:>4} {values}; tail {tail}; density {share:.2} %")?;
        }
        writeln!(
            f,
            "     values that are no bits stand in {} runs",
            self.runs
        )?;
        for (name, values) in ["a", "b", "c"].iter().zip(&self.rows) {
            writeln!(f, "{name:>4} {values}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use cuzk_core::filecoin::StorageProof;
    use cuzk_core::synthesis::{SynthesisOptions, synthesize};
    use cuzk_prove::sector::Sector;

    use super::*;
    use crate::porep;

    #[test]
    fn values_are_told_apart() {
        let big = Fr::from(1 << 40);
        let values = [
            Fr::ZERO,
            Fr::ONE,
            -Fr::ONE,
            Fr::from(8),
            -Fr::from(9),
            big,
            -big,
            big.square().square().square(),
        ];
        let counts = Values::of(values.iter());
        let expected = Values {
            zeros: 1,
            ones: 1,
            digits: 2,
            words: 1,
            longs: 2,
            wide: 1,
        };
        assert_eq!(counts, expected);
        assert_eq!((counts.total(), counts.tail()), (8, 6));
    }

    /// Minutes of sealing and proving belong to no suite: this one is run to see the figures.
    #[test]
    #[ignore = "prints figures of real circuits"]
    fn census_of_real_circuits() {
        let scratch = tempfile::tempdir().expect("a temporary folder");
        // SAFETY: tests of this binary that run beside this one read no environment.
        unsafe { porep::set_environment(scratch.path()) };
        let (circuit, _) = porep::circuit(7).expect("sealed");
        let options = SynthesisOptions::default();
        let porep = synthesize(vec![circuit], &options).expect("synthesised");
        println!("porep-2k\n{}", Census::of(&porep.assignments[0]));
        drop(porep);

        let post = Sector::seal(7).and_then(|sector| sector.window_post());
        let post = post.expect("sealed").synthesize(&options);
        let post = post.expect("synthesised").synthesis;
        println!("window-2k\n{}", Census::of(&post.assignments[0]));
    }
}
