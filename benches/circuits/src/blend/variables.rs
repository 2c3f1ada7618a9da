//! The two sorts of variables of a blend, and their constraints.

use bellperson::{ConstraintSystem, LinearCombination, SynthesisError, Variable};
use ff::PrimeField;
use rand_chacha::ChaCha8Rng;
use rand_core::RngCore;

use super::{INPUTS, SHIFT};

/// A variable with its value.
type Known<T> = (Variable, T);

/// The variables that are no bits.
pub(super) struct Others<F> {
    root: F,
    /// The last factor.
    last: Option<Known<F>>,
    /// The sum of the last factor and a shift that is not in A yet.
    shift: Option<Known<F>>,
    leaves: u64,
}

impl<F: PrimeField> Others<F> {
    pub fn new(root: F) -> Self {
        Self {
            root,
            last: None,
            shift: None,
            leaves: 0,
        }
    }

    fn last(&self) -> Result<Known<F>, SynthesisError> {
        self.last.ok_or(SynthesisError::AssignmentMissing)
    }

    /// The last factor and the shift, in A.
    fn terms(&self) -> Result<impl Fn(Lc<F>) -> Lc<F> + use<F>, SynthesisError> {
        let ((last, _), shift) = (self.last()?, self.shift);
        Ok(move |lc: Lc<F>| match shift {
            Some((shift, _)) => lc + last + shift,
            None => lc + last,
        })
    }

    /// The value of [`terms`](Self::terms).
    fn sum(&self) -> Result<F, SynthesisError> {
        let (_, value) = self.last()?;
        Ok(self.shift.map_or(value, |(_, shift)| value + shift))
    }

    pub fn factor<CS: ConstraintSystem<F>>(
        &mut self,
        cs: &mut CS,
        i: usize,
    ) -> Result<(), SynthesisError> {
        let Some((last, value)) = self.last else {
            let root = cs.alloc(|| "root", || Ok(self.root))?;
            self.last = Some((root, self.root));
            return Ok(());
        };
        let (a, sum) = (self.terms()?, self.sum()?);
        let product = sum * value;
        let next = cs.alloc(|| format!("factor {i}"), || Ok(product))?;
        cs.enforce(|| format!("row {i}"), a, |lc| lc + last, |lc| lc + next);
        (self.last, self.shift) = (Some((next, product)), None);
        Ok(())
    }

    pub fn shift<CS: ConstraintSystem<F>>(
        &mut self,
        cs: &mut CS,
        i: usize,
    ) -> Result<(), SynthesisError> {
        let (a, sum, constant) = (self.terms()?, self.sum()?, F::from(SHIFT));
        let value = sum + constant;
        let next = cs.alloc(|| format!("shift {i}"), || Ok(value))?;
        cs.enforce(
            || format!("row {i}"),
            a,
            |lc| lc + CS::one(),
            |lc| lc + next - (constant, CS::one()),
        );
        self.shift = Some((next, value));
        Ok(())
    }

    pub fn leaf<CS: ConstraintSystem<F>>(
        &mut self,
        cs: &mut CS,
        i: usize,
    ) -> Result<(), SynthesisError> {
        let (last, value) = self.last()?;
        self.leaves += 1;
        // Another one each time, or neighbours would have the same value.
        let coefficient = F::from(self.leaves + 1);
        let leaf = cs.alloc(|| format!("leaf {i}"), || Ok(value * coefficient))?;
        cs.enforce(
            || format!("row {i}"),
            |lc| lc + (coefficient, last),
            |lc| lc + CS::one(),
            |lc| lc + leaf,
        );
        Ok(())
    }

    pub fn inputs<CS: ConstraintSystem<F>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        for i in 1..=INPUTS as u64 {
            let (a, sum, constant) = (self.terms()?, self.sum()?, F::from(i));
            let input = cs.alloc_input(|| format!("input {i}"), || Ok(sum + constant))?;
            cs.enforce(
                || format!("row of input {i}"),
                |lc| a(lc) + (constant, CS::one()),
                |lc| lc + CS::one(),
                |lc| lc + input,
            );
        }
        Ok(())
    }
}

type Lc<F> = LinearCombination<F>;

/// The variables that are bits.
pub(super) struct Bits {
    witness: ChaCha8Rng,
    drawn: u64,
    left: u32,
    flag: Option<Known<bool>>,
    last: Option<Known<bool>>,
}

impl Bits {
    pub fn new(mut witness: ChaCha8Rng) -> Self {
        // The root is drawn from the beginning.
        witness.set_word_pos(1 << 20);
        Self {
            witness,
            drawn: 0,
            left: 0,
            flag: None,
            last: None,
        }
    }

    fn draw(&mut self) -> bool {
        if self.left == 0 {
            (self.drawn, self.left) = (self.witness.next_u64(), 64);
        }
        self.left -= 1;
        self.drawn >> self.left & 1 == 1
    }

    pub fn flag<F: PrimeField, CS: ConstraintSystem<F>>(
        &mut self,
        cs: &mut CS,
        i: usize,
    ) -> Result<(), SynthesisError> {
        let value = self.draw();
        let flag = cs.alloc(|| format!("flag {i}"), || Ok(scalar(value)))?;
        cs.enforce(
            || format!("row {i}"),
            |lc| lc + CS::one() - flag,
            |lc| lc + flag,
            |lc| lc,
        );
        self.flag = Some((flag, value));
        self.last.get_or_insert((flag, value));
        Ok(())
    }

    /// x = y + z - 2yz.
    pub fn xor<F: PrimeField, CS: ConstraintSystem<F>>(
        &mut self,
        cs: &mut CS,
        i: usize,
    ) -> Result<(), SynthesisError> {
        let (Some((z, right)), Some((y, left))) = (self.flag, self.last) else {
            return Err(SynthesisError::AssignmentMissing);
        };
        let value = left ^ right;
        let next = cs.alloc(|| format!("xor {i}"), || Ok(scalar(value)))?;
        cs.enforce(
            || format!("row {i}"),
            |lc| lc + y + y,
            |lc| lc + z,
            |lc| lc + y + z - next,
        );
        self.last = Some((next, value));
        Ok(())
    }
}

fn scalar<F: PrimeField>(bit: bool) -> F {
    match bit {
        true => F::ONE,
        false => F::ZERO,
    }
}
