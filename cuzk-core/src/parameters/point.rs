//! Points as they stand in a file, and what can be wrong with one.
//!
//! A point is its affine coordinates, big-endian, x before y and in G2 the imaginary part before the real one. The three
//! highest bits are flags, none of which a parameter file may use: what they could say is a compressed point, the
//! identity, or the sign of y.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

use blstrs::{G1Affine, G2Affine};
use group::UncompressedEncoding;
use group::prime::PrimeCurveAffine;
use rayon::prelude::*;

/// Bytes of a point of G1.
pub const G1_BYTES: usize = 96;
/// Bytes of a point of G2.
pub const G2_BYTES: usize = 192;

/// Bytes of a coordinate over the base field.
const COORDINATE_BYTES: usize = 48;

/// The modulus of the base field, big-endian.
const MODULUS: [u8; COORDINATE_BYTES] = [
    0x1a, 0x01, 0x11, 0xea, 0x39, 0x7f, 0xe6, 0x9a, 0x4b, 0x1b, 0xa7, 0xb6, 0x43, 0x4b, 0xac, 0xd7,
    0x64, 0x77, 0x4b, 0x84, 0xf3, 0x85, 0x12, 0xbf, 0x67, 0x30, 0xd2, 0xa0, 0xf6, 0xb0, 0xf6, 0x24,
    0x1e, 0xab, 0xff, 0xfe, 0xb1, 0x53, 0xff, 0xff, 0xb9, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xaa, 0xab,
];

/// What is wrong with a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointFault {
    /// It is the identity, which would break soundness or the prover wherever it stood.
    Identity,
    /// A flag is set, or a coordinate is not below the modulus.
    Encoding,
    /// It is not on the curve.
    OffCurve,
    /// It is on the curve and not in the subgroup of prime order.
    OutsideSubgroup,
}

impl fmt::Display for PointFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Identity => "is the point at infinity",
            Self::Encoding => "has a flag set or a coordinate that is not below the modulus",
            Self::OffCurve => "is not on the curve",
            Self::OutsideSubgroup => "is not in the subgroup of prime order",
        })
    }
}

/// A group that points of a file are in.
pub(super) trait Point: PrimeCurveAffine + UncompressedEncoding {
    /// Bytes of a point in a file.
    const BYTES: usize;

    /// Whether a point on the curve is in the subgroup of prime order.
    fn in_subgroup(&self) -> bool;
}

impl Point for G1Affine {
    const BYTES: usize = G1_BYTES;

    fn in_subgroup(&self) -> bool {
        self.is_torsion_free().into()
    }
}

impl Point for G2Affine {
    const BYTES: usize = G2_BYTES;

    fn in_subgroup(&self) -> bool {
        self.is_torsion_free().into()
    }
}

/// Decodes a point that is on the curve and not the identity; the subgroup is not checked. `bytes` has `P::BYTES` bytes.
pub(super) fn decode<P: Point>(bytes: &[u8]) -> Result<P, PointFault> {
    // The library would take half of the bytes for a whole compressed point where the flag says so.
    if bytes[0] & 0xe0 != 0 {
        let identity = bytes[0] == 0x40 && bytes[1..].iter().all(|byte| *byte == 0);
        return Err(if identity {
            PointFault::Identity
        } else {
            PointFault::Encoding
        });
    }
    let mut encoded = P::Uncompressed::default();
    encoded.as_mut().copy_from_slice(bytes);
    // Unchecked leaves only the subgroup out: blst compares coordinates with the modulus and solves the equation.
    Option::from(P::from_uncompressed_unchecked(&encoded)).ok_or_else(|| undecodable(bytes))
}

/// Why the library refused a point without flags.
fn undecodable(bytes: &[u8]) -> PointFault {
    let (coordinates, _) = bytes.as_chunks::<COORDINATE_BYTES>();
    if coordinates.iter().any(|value| *value >= MODULUS) {
        return PointFault::Encoding;
    }
    let (x, y) = bytes.split_at(bytes.len() / 2);
    let zero = |coordinate: &[u8]| coordinate.iter().all(|byte| *byte == 0);
    if zero(x) && !zero(y) {
        // No point with x = 0 is in the subgroup. Those on the curve have order 3, and blst refuses them here already.
        PointFault::OutsideSubgroup
    } else {
        PointFault::OffCurve
    }
}

/// As [`decode`], with the check of the subgroup.
pub(super) fn decode_strictly<P: Point>(bytes: &[u8]) -> Result<P, PointFault> {
    let point = decode::<P>(bytes)?;
    if point.in_subgroup() {
        Ok(point)
    } else {
        Err(PointFault::OutsideSubgroup)
    }
}

/// Decodes the points in `bytes` on all cores and appends them to `points`, the identity in place of each that cannot be
/// decoded. Returns the first of those: its position in `bytes`, and what is wrong with it.
pub(super) fn decode_all<P: Point>(
    bytes: &[u8],
    points: &mut Vec<P>,
) -> Option<(usize, PointFault)> {
    // Below this a task costs more than it does.
    const LEAST: usize = 256;
    let first = AtomicUsize::new(usize::MAX);
    let decoded = bytes
        .par_chunks_exact(P::BYTES)
        .with_min_len(LEAST)
        .enumerate()
        .map(|(index, bytes)| {
            decode(bytes).unwrap_or_else(|_| {
                // Relaxed: the value is read after the threads have been joined.
                first.fetch_min(index, Ordering::Relaxed);
                P::identity()
            })
        });
    points.par_extend(decoded);
    let index = first.into_inner();
    let bytes = bytes.get(index.checked_mul(P::BYTES)?..)?.get(..P::BYTES)?;
    let fault = decode::<P>(bytes).err()?;
    Some((index, fault))
}

#[cfg(test)]
mod tests {
    use group::GroupEncoding;

    use super::*;
    use crate::parameters::test_points::{g1_outside_subgroup, g2_outside_subgroup};

    fn fault<P: Point>(bytes: &[u8]) -> PointFault {
        decode_strictly::<P>(bytes).expect_err("a bad point")
    }

    fn faults_of<P: Point + GroupEncoding>(outside: &[u8]) {
        let good = P::generator().to_uncompressed();
        let good = good.as_ref();
        assert_eq!(decode_strictly::<P>(good).ok(), Some(P::generator()));

        let identity = P::identity().to_uncompressed();
        assert_eq!(fault::<P>(identity.as_ref()), PointFault::Identity);
        let mut identity = identity.as_ref().to_vec();
        identity[P::BYTES - 1] = 1;
        assert_eq!(fault::<P>(&identity), PointFault::Encoding);

        for flag in [0x80, 0x40, 0x20, 0xc0, 0xa0, 0xe0] {
            let mut flagged = good.to_vec();
            flagged[0] |= flag;
            assert_eq!(fault::<P>(&flagged), PointFault::Encoding, "{flag:x}");
        }
        // Half of these bytes are a valid compressed point.
        let mut compressed = P::generator().to_bytes().as_ref().to_vec();
        compressed.resize(P::BYTES, 0);
        assert_eq!(fault::<P>(&compressed), PointFault::Encoding);

        for at in (0..P::BYTES).step_by(COORDINATE_BYTES) {
            let mut unreduced = good.to_vec();
            unreduced[at..at + COORDINATE_BYTES].copy_from_slice(&MODULUS);
            assert_eq!(fault::<P>(&unreduced), PointFault::Encoding, "at {at}");
        }

        for bit in 0..8 {
            let mut flipped = good.to_vec();
            flipped[P::BYTES - 1] ^= 1 << bit;
            assert_eq!(fault::<P>(&flipped), PointFault::OffCurve, "bit {bit}");
        }
        assert_eq!(fault::<P>(&vec![0; P::BYTES]), PointFault::OffCurve);

        assert!(decode::<P>(outside).is_ok());
        assert_eq!(fault::<P>(outside), PointFault::OutsideSubgroup);
    }

    #[test]
    fn every_fault_has_its_name() {
        faults_of::<G1Affine>(&g1_outside_subgroup());
        faults_of::<G2Affine>(&g2_outside_subgroup());
    }

    #[test]
    fn a_point_of_order_three_is_outside_the_subgroup() {
        let mut bytes = [0; G1_BYTES];
        bytes[G1_BYTES - 1] = 2;
        assert_eq!(decode::<G1Affine>(&bytes), Err(PointFault::OutsideSubgroup));
    }

    #[test]
    fn the_first_bad_point_is_found_on_any_number_of_threads() {
        let good = G1Affine::generator().to_uncompressed();
        let bytes = good.repeat(5000);
        for bad in [
            vec![],
            vec![0],
            vec![4999],
            vec![300, 301, 4998],
            vec![2049, 7],
        ] {
            let mut bytes = bytes.clone();
            for index in &bad {
                bytes[index * G1_BYTES + 95] ^= 1;
            }
            let mut points = vec![G1Affine::identity(); 3];
            let found = decode_all(&bytes, &mut points);
            let expected = bad.iter().min().map(|index| (*index, PointFault::OffCurve));
            assert_eq!(found, expected);
            assert_eq!(points.len(), 5003);
        }
    }
}
