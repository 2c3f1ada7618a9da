//! What becomes of the points of a file: decoded, checked as far as was asked for, and kept or not.

use std::sync::Arc;

use bellperson::groth16::{Parameters, VerifyingKey};
use blstrs::{Bls12, G1Affine, G2Affine};

use super::error::ParametersError;
use super::examine::Examiner;
use super::pass::{BLOCK_POINTS, Block, Source};
use super::point::{Point, PointFault, decode_all};
use super::section::{Place, Section};
use super::subgroup::first_outside_one_by_one;
use super::verifying_key::fixed_points;

/// Takes the blocks of a file one after another.
pub(super) struct Sink<'a> {
    source: &'a Source<'a>,
    /// Where every point is to be checked.
    examiner: Option<Examiner<'a>>,
    /// Otherwise the points of one block are held at a time.
    keep: bool,
    vk: Option<VerifyingKey<Bls12>>,
    h: Vec<G1Affine>,
    l: Vec<G1Affine>,
    a: Vec<G1Affine>,
    b_g1: Vec<G1Affine>,
    b_g2: Vec<G2Affine>,
}

impl<'a> Sink<'a> {
    /// With or without the full check, and keeping the points or not.
    pub fn new(source: &'a Source<'a>, check: bool, keep: bool) -> Result<Self, ParametersError> {
        Ok(Self {
            source,
            examiner: check.then(|| Examiner::new(source)).transpose()?,
            keep,
            vk: None,
            h: Vec::new(),
            l: Vec::new(),
            a: Vec::new(),
            b_g1: Vec::new(),
            b_g2: Vec::new(),
        })
    }

    /// Takes the next block. The identity is refused everywhere; the verifying key is always checked in full, since it is
    /// small and everything hangs on it.
    pub fn take(&mut self, block: Block<'_>) -> Result<(), ParametersError> {
        let points = match block.section {
            Section::VerifyingKey => return self.fixed(block.bytes),
            Section::BG2 => return self.b_g2(block),
            Section::Ic => match &mut self.vk {
                Some(vk) => &mut vk.ic,
                // The section before it is the fixed part of the key.
                None => return Err(self.source.changed()),
            },
            Section::H => &mut self.h,
            Section::L => &mut self.l,
            Section::A => &mut self.a,
            Section::BG1 => &mut self.b_g1,
        };
        let keep = self.keep || block.section == Section::Ic;
        let (points, bad) = append(self.source, &block, points, keep)?;
        if let Some(examiner) = &mut self.examiner {
            examiner.g1(block.section, points, block.first)?;
        } else if block.section == Section::Ic
            && let Some(position) = first_outside_one_by_one(points)
        {
            let place = place(&block, position);
            return Err(self.source.bad_point(place, PointFault::OutsideSubgroup));
        }
        bad.map_or(Ok(()), |(place, fault)| {
            Err(self.source.bad_point(place, fault))
        })
    }

    fn fixed(&mut self, bytes: &[u8]) -> Result<(), ParametersError> {
        let vk =
            fixed_points(bytes).map_err(|(place, fault)| self.source.bad_point(place, fault))?;
        if let Some(examiner) = &mut self.examiner {
            examiner.verifying_key(&vk)?;
        }
        self.vk = Some(vk);
        Ok(())
    }

    fn b_g2(&mut self, block: Block<'_>) -> Result<(), ParametersError> {
        let (points, bad) = append(self.source, &block, &mut self.b_g2, self.keep)?;
        if let Some((place, fault)) = bad {
            if let Some(examiner) = &mut self.examiner {
                // Not compared with b_g1: fewer points than there.
                examiner.subgroup(block.section, points, block.first)?;
            }
            return Err(self.source.bad_point(place, fault));
        }
        match &mut self.examiner {
            Some(examiner) => examiner.b_g2(points, block.first),
            None => Ok(()),
        }
    }

    /// What was kept, once all blocks have been taken.
    pub fn parameters(self) -> Result<Parameters<Bls12>, ParametersError> {
        let changed = self.source.changed();
        Ok(Parameters {
            vk: self.vk.ok_or(changed)?,
            h: Arc::new(self.h),
            l: Arc::new(self.l),
            a: Arc::new(self.a),
            b_g1: Arc::new(self.b_g1),
            b_g2: Arc::new(self.b_g2),
        })
    }
}

/// A point that could not be decoded.
type Bad = (Place, PointFault);

fn place(block: &Block<'_>, position: usize) -> Place {
    Place {
        section: block.section,
        index: block.first + position as u64,
    }
}

/// Decodes a block behind the points of its section; returns its own points up to the first bad one, and that one.
fn append<'p, P: Point>(
    source: &Source<'_>,
    block: &Block<'_>,
    points: &'p mut Vec<P>,
    keep: bool,
) -> Result<(&'p [P], Option<Bad>), ParametersError> {
    let count = source.layout.span(block.section).count;
    if !keep {
        points.clear();
    }
    if block.first == 0 {
        // The file is at least as long as what is reserved here: the layout has been checked against it.
        let reserved = if keep { count } else { count.min(BLOCK_POINTS) };
        let reserve = points.try_reserve_exact(reserved as usize);
        reserve.map_err(|_| ParametersError::Memory {
            path: source.path.to_owned(),
            section: block.section,
            count,
            bytes: reserved * size_of::<P>() as u64,
        })?;
    }
    let start = points.len();
    let bad = decode_all(block.bytes, points);
    let end = bad.map_or(points.len(), |(position, _)| start + position);
    let bad = bad.map(|(position, fault)| (place(block, position), fault));
    Ok((&points[start..end], bad))
}
