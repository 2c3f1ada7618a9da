//! The full check of points that have been decoded.

use bellperson::groth16::VerifyingKey;
use blstrs::{Bls12, G1Affine, G1Projective, G2Affine};

use super::error::ParametersError;
use super::pass::{BLOCK_POINTS, Source};
use super::point::{Point, PointFault, decode_all};
use super::ratio::Ratio;
use super::section::{Place, Section};
use super::subgroup::{Coefficients, RandomSums, first_outside};

/// Checks one block after another, in the order of the file.
pub(super) struct Examiner<'a> {
    source: &'a Source<'a>,
    coefficients: Coefficients,
    ratio: Option<Ratio>,
    /// The weighted sums of the blocks of b_g1, until b_g2 comes.
    b_g1: Vec<G1Projective>,
}

impl<'a> Examiner<'a> {
    /// Draws its random numbers, after the file was opened and before any of it was looked at.
    pub fn new(source: &'a Source<'a>) -> Result<Self, ParametersError> {
        let coefficients = Coefficients::random().map_err(|error| ParametersError::Randomness {
            path: source.path.to_owned(),
            source: error,
        })?;
        Ok(Self {
            source,
            coefficients,
            ratio: None,
            b_g1: Vec::new(),
        })
    }

    /// Takes the fixed points of the verifying key, which have been checked one by one.
    pub fn verifying_key(&mut self, vk: &VerifyingKey<Bls12>) -> Result<(), ParametersError> {
        let ratio = Ratio::of(vk);
        if !ratio.same(vk.beta_g1.into(), vk.beta_g2.into()) {
            return Err(ParametersError::BetaDiffers {
                path: self.source.path.to_owned(),
            });
        }
        self.ratio = Some(ratio);
        Ok(())
    }

    /// Checks points of a section in G1, of which the first has the number `first`.
    pub fn g1(
        &mut self,
        section: Section,
        points: &[G1Affine],
        first: u64,
    ) -> Result<(), ParametersError> {
        let sums = self.subgroup(section, points, first)?;
        if section == Section::BG1 {
            self.b_g1.push(sums.weighted());
        }
        Ok(())
    }

    /// Checks points of b_g2, of which the first has the number `first`.
    pub fn b_g2(&mut self, points: &[G2Affine], first: u64) -> Result<(), ParametersError> {
        let sums = self.subgroup(Section::BG2, points, first)?;
        // The blocks of both sections hold the same numbers of points, and there are as many.
        let block = self.b_g1.get((first / BLOCK_POINTS) as usize);
        let (Some(ratio), Some(p)) = (&self.ratio, block) else {
            return Ok(());
        };
        if ratio.same(*p, sums.weighted()) {
            return Ok(());
        }
        let bytes = self
            .source
            .points(Section::BG1, first, points.len() as u64)?;
        let mut p = Vec::new();
        if decode_all(&bytes, &mut p).is_some() {
            // They could be decoded before.
            return Err(self.source.changed());
        }
        let position = ratio.first_difference(&p, points, &self.coefficients);
        Err(ParametersError::BDiffers {
            path: self.source.path.to_owned(),
            index: first + position as u64,
        })
    }

    /// Checks that points are in the subgroup, and returns their sums.
    pub fn subgroup<P: Point>(
        &self,
        section: Section,
        points: &[P],
        first: u64,
    ) -> Result<RandomSums<P>, ParametersError> {
        let sums = RandomSums::of(points, first, &self.coefficients);
        match first_outside(points, &sums) {
            Ok(None) => Ok(sums),
            Ok(Some(position)) => Err(self.source.bad_point(
                Place {
                    section,
                    index: first + position as u64,
                },
                PointFault::OutsideSubgroup,
            )),
            Err(_) => Err(ParametersError::Contradiction {
                path: self.source.path.to_owned(),
                section,
                first,
                last: first + (points.len() as u64).saturating_sub(1),
            }),
        }
    }
}
