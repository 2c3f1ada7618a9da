//! Points that a parameter file must not hold.

use blstrs::{G1Affine, G2Affine};
use group::{GroupEncoding, UncompressedEncoding};

/// A point on the curve of G1 outside the subgroup of prime order, as it would stand in a file.
pub fn g1_outside_subgroup() -> Vec<u8> {
    let torsion_free = |point: &G1Affine| bool::from(point.is_torsion_free());
    outside_subgroup::<G1Affine>(torsion_free)
}

/// The same in G2.
pub fn g2_outside_subgroup() -> Vec<u8> {
    let torsion_free = |point: &G2Affine| bool::from(point.is_torsion_free());
    outside_subgroup::<G2Affine>(torsion_free)
}

/// The first of the points with a small x.
fn outside_subgroup<P: GroupEncoding + UncompressedEncoding>(
    torsion_free: impl Fn(&P) -> bool,
) -> Vec<u8> {
    let point = on_curve().find(|point| !torsion_free(point));
    let point: P = point.expect("nearly none of them is in the subgroup");
    point.to_uncompressed().as_ref().to_vec()
}

/// The points on the curve with a small x and one of their two y.
pub fn on_curve<P: GroupEncoding>() -> impl Iterator<Item = P> {
    (1..=255).filter_map(|x| {
        let mut encoded = P::Repr::default();
        let bytes = encoded.as_mut();
        bytes[0] = 0x80;
        bytes[bytes.len() - 1] = x;
        // Solves the equation for y, where it has a solution, and does not look at the subgroup.
        Option::from(P::from_bytes_unchecked(&encoded))
    })
}
