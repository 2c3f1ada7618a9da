//! Parameters from a circuit and a source of randomness.

use std::sync::Mutex;

use bellperson::groth16::{
    GenerationObserver, GenerationPhase, Parameters, generate_random_parameters_observed,
};
use bellperson::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::{Bls12, Scalar as Fr};
use rand_core::RngCore;
use thiserror::Error;

use crate::progress::Progress;

/// Why parameters could not be generated.
#[derive(Debug, Error)]
pub enum GenerateError {
    /// A private variable that no constraint names: a prover could give it any value, and its point of L would be the
    /// identity.
    #[error(
        "private variable {index}, `{path}`, occurs in no constraint, so there can be no parameters for this circuit: \
         constrain it or do not allocate it"
    )]
    UnconstrainedVariable {
        /// Its position among the private variables.
        index: usize,
        /// Its name, with the namespaces it was allocated in.
        path: String,
    },

    /// The circuit or the generator refused.
    #[error("generating parameters failed")]
    Synthesis(#[source] SynthesisError),
}

/// Generates parameters for a circuit, on all threads of the current rayon pool.
///
/// `blank` makes the circuit without a witness; it is called again where a variable has to be named in an error. The
/// same `rng` gives the same parameters on every stack of patches. Whoever knows what `rng` gave can forge proofs.
///
/// Memory, with `fixed-base-generator`: the parameters themselves (96 bytes a point of G1, 192 of G2), 12 to 24 bytes a
/// non-zero of the matrices until the exponents are known, twice 32 bytes a point of the domain until then, 96 a
/// variable, and at most 144 MiB of tables, or 288 MiB with `ifma-generator`.
///
/// # Errors
///
/// [`GenerateError::UnconstrainedVariable`], which names the variable, and [`GenerateError::Synthesis`] for whatever
/// else the circuit or bellperson reports.
pub fn generate<C, R>(
    blank: impl Fn() -> C,
    rng: &mut R,
    progress: &dyn Progress,
) -> Result<Parameters<Bls12>, GenerateError>
where
    C: Circuit<Fr>,
    R: RngCore,
{
    let watch = Watch {
        progress,
        unconstrained: Mutex::new(None),
    };
    generate_random_parameters_observed(blank(), rng, &watch).map_err(|error| {
        let index = watch.unconstrained.into_inner().ok().flatten();
        match (error, index) {
            (SynthesisError::UnconstrainedVariable, Some(index)) => {
                GenerateError::UnconstrainedVariable {
                    index,
                    path: name(blank(), index),
                }
            }
            (error, _) => GenerateError::Synthesis(error),
        }
    })
}

struct Watch<'a> {
    progress: &'a dyn Progress,
    unconstrained: Mutex<Option<usize>>,
}

impl GenerationObserver for Watch<'_> {
    fn begin(&self, phase: GenerationPhase, total: usize) {
        let (name, unit) = match phase {
            GenerationPhase::Synthesis => ("synthesis of the circuit", "constraints"),
            GenerationPhase::H => ("points of H", "points"),
            GenerationPhase::Lagrange => ("polynomials at tau", "steps"),
            GenerationPhase::Queries => ("points of A, B and L", "points"),
        };
        self.progress.begin(name, total as u64, unit);
    }

    fn advance(&self, units: usize) {
        self.progress.advance(units as u64);
    }

    fn unconstrained(&self, aux: usize) {
        if let Ok(mut unconstrained) = self.unconstrained.lock() {
            *unconstrained = Some(aux);
        }
    }
}

/// The name of a private variable of a circuit.
fn name<C: Circuit<Fr>>(circuit: C, index: usize) -> String {
    let mut names = Names {
        wanted: index,
        ..Names::default()
    };
    // The circuit has been synthesised before; should it fail now, the name is what is missing.
    let _ = circuit.synthesize(&mut names);
    names.found.unwrap_or_default()
}

/// Runs a circuit for the name of one variable.
#[derive(Default)]
struct Names {
    inputs: usize,
    aux: usize,
    wanted: usize,
    namespaces: Vec<String>,
    found: Option<String>,
}

impl ConstraintSystem<Fr> for Names {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, annotation: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        if self.aux == self.wanted {
            let mut path = self.namespaces.clone();
            path.push(annotation().into());
            self.found = Some(path.join("/"));
        }
        self.aux += 1;
        Ok(Variable::new_unchecked(Index::Aux(self.aux - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs += 1;
        Ok(Variable::new_unchecked(Index::Input(self.inputs)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, _: LA, _: LB, _: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr>,
        LB: FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr>,
        LC: FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr>,
    {
    }

    fn push_namespace<NR, N>(&mut self, name: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
        self.namespaces.push(name().into());
    }

    fn pop_namespace(&mut self) {
        self.namespaces.pop();
    }

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_core::SeedableRng;

    use super::*;

    /// A product, with or without a variable that nothing constrains.
    struct Product {
        stray: bool,
    }

    impl Circuit<Fr> for Product {
        fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
            let none = || Err(SynthesisError::AssignmentMissing);
            let x = cs.alloc(|| "x", none)?;
            if self.stray {
                let mut cs = cs.namespace(|| "outer");
                let mut cs = cs.namespace(|| "inner");
                cs.alloc(|| "stray", none)?;
            }
            let y = cs.alloc_input(|| "y", none)?;
            cs.enforce(|| "product", |lc| lc + x, |lc| lc + x, |lc| lc + y);
            Ok(())
        }
    }

    /// Remembers the phases and how much was done in each.
    #[derive(Default)]
    struct Told(Mutex<Vec<(String, u64, u64)>>);

    impl Progress for Told {
        fn begin(&self, phase: &str, total: u64, _: &'static str) {
            self.0.lock().unwrap().push((phase.to_owned(), total, 0));
        }

        fn advance(&self, amount: u64) {
            self.0.lock().unwrap().last_mut().expect("a phase").2 += amount;
        }
    }

    #[test]
    fn an_unconstrained_variable_is_named() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let error = generate(|| Product { stray: true }, &mut rng, &())
            .err()
            .expect("no parameters");
        let text = error.to_string();
        assert!(
            text.contains("private variable 1, `outer/inner/stray`"),
            "{text}"
        );
    }

    #[test]
    fn every_phase_is_told_and_ends() {
        let told = Told::default();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let parameters = generate(|| Product { stray: false }, &mut rng, &told).expect("generates");
        let phases = told.0.into_inner().unwrap();
        assert_eq!(phases.len(), 4);
        for (phase, total, done) in &phases[1..] {
            assert!(*total > 0 && total == done, "{phase}: {done} of {total}");
        }
        assert_eq!(parameters.l.len(), 1);
    }

    #[test]
    fn the_rng_decides_as_in_bellperson() {
        let rng = || ChaCha8Rng::seed_from_u64(2);
        let ours = generate(|| Product { stray: false }, &mut rng(), &()).expect("generates");
        let theirs = bellperson::groth16::generate_random_parameters::<Bls12, _, _>(
            Product { stray: false },
            &mut rng(),
        );
        assert!(ours == theirs.expect("generates"));
    }
}
