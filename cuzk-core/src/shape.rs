//! Sizes that a circuit and the parameters for it must agree on.

use std::fmt;

use bellperson::groth16::{Parameters, ProvingAssignment};
use blstrs::{Bls12, Scalar as Fr};

use crate::Error;

/// The size of a synthesised circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Number of constraints, one of each input included.
    pub constraints: usize,
    /// Number of public inputs, the constant one included.
    pub inputs: usize,
    /// Number of private variables.
    pub aux: usize,
    /// Private variables that occur in A.
    pub a_aux_density: usize,
    /// Inputs that occur in B.
    pub b_input_density: usize,
    /// Private variables that occur in B.
    pub b_aux_density: usize,
}

impl Shape {
    /// The shape of a synthesised circuit.
    pub fn of(assignment: &ProvingAssignment<Fr>) -> Self {
        Self {
            constraints: assignment.a().len(),
            inputs: assignment.input_assignment().len(),
            aux: assignment.aux_assignment().len(),
            a_aux_density: assignment.a_aux_density().total,
            b_input_density: assignment.b_input_density().total,
            b_aux_density: assignment.b_aux_density().total,
        }
    }

    /// The shape that all of a batch share.
    pub(crate) fn common(batch: &[ProvingAssignment<Fr>]) -> Result<Self, Error> {
        let first = Self::of(batch.first().ok_or(Error::NoCircuits)?);
        for (index, assignment) in batch.iter().enumerate().skip(1) {
            let other = Self::of(assignment);
            if other != first {
                return Err(Error::UnequalCircuits {
                    index,
                    first,
                    other,
                });
            }
        }
        Ok(first)
    }

    /// Size of the evaluation domain: the next power of two.
    pub fn domain(&self) -> usize {
        self.constraints.next_power_of_two()
    }

    /// What parameters for this circuit hold.
    pub fn parameters(&self) -> ParametersShape {
        let b = self.b_input_density + self.b_aux_density;
        ParametersShape {
            ic: self.inputs,
            h: self.domain() - 1,
            l: self.aux,
            a: self.inputs + self.a_aux_density,
            b_g1: b,
            b_g2: b,
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} constraints, {} inputs, {} private variables, of which {} in A and {} in B",
            self.constraints, self.inputs, self.aux, self.a_aux_density, self.b_aux_density
        )
    }
}

/// Number of points in each section of a set of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParametersShape {
    /// Points of the verifying key, one a public input.
    pub ic: usize,
    /// Powers of tau over the domain.
    pub h: usize,
    /// One a private variable.
    pub l: usize,
    /// One an input, and one a private variable that occurs in A.
    pub a: usize,
    /// One a variable that occurs in B.
    pub b_g1: usize,
    /// The same in G2.
    pub b_g2: usize,
}

impl ParametersShape {
    /// The shape of `parameters`.
    pub fn of(parameters: &Parameters<Bls12>) -> Self {
        Self {
            ic: parameters.vk.ic.len(),
            h: parameters.h.len(),
            l: parameters.l.len(),
            a: parameters.a.len(),
            b_g1: parameters.b_g1.len(),
            b_g2: parameters.b_g2.len(),
        }
    }
}

impl fmt::Display for ParametersShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            ic,
            h,
            l,
            a,
            b_g1,
            b_g2,
        } = self;
        write!(
            f,
            "ic {ic}, h {h}, l {l}, a {a}, b_g1 {b_g1}, b_g2 {b_g2} points"
        )
    }
}
