//! Merkle proofs that come from outside, counted.
//!
//! storage-proofs panics where a path is too short, an index too large or a value no scalar. What was counted here can
//! meet it.

use blstrs::Scalar as Fr;
use ff::PrimeField;
use storage_proofs_core::merkle::MerkleProofTrait;

use super::SectorSize;

/// Arity and number of steps of each part of a path, from the leaf up.
pub(super) type Steps = Vec<(usize, usize)>;

/// The parts of a path in a replica's trees.
pub(super) fn tree_steps(size: SectorSize) -> Steps {
    let upper: &[usize] = match size {
        SectorSize::Kib2 | SectorSize::Mib8 | SectorSize::Mib512 => &[],
        SectorSize::Gib32 => &[8],
        SectorSize::Gib64 => &[8, 2],
    };
    let log = size.nodes().ilog2() as usize;
    let bits_above: usize = upper.iter().map(|arity| arity.ilog2() as usize).sum();
    let mut steps = vec![(8, (log - bits_above) / 3)];
    steps.extend(upper.iter().map(|&arity| (arity, 1)));
    steps
}

/// The same in the tree of the data.
pub(super) fn data_steps(size: SectorSize) -> Steps {
    vec![(2, size.nodes().ilog2() as usize)]
}

/// Whether these bytes, of a node or a commitment, are a scalar of the field.
pub(super) fn is_scalar(node: &impl AsRef<[u8]>) -> bool {
    let bytes = <[u8; 32]>::try_from(node.as_ref());
    bytes.is_ok_and(|bytes| Fr::from_repr_vartime(bytes).is_some())
}

/// Checks that a Merkle proof has these steps, and that all of its nodes are scalars. The error says what it has instead.
pub(super) fn check<P: MerkleProofTrait>(
    proof: &P,
    steps: &[(usize, usize)],
) -> Result<(), String> {
    let path = proof.path();
    let expected: usize = steps.iter().map(|(_, count)| count).sum();
    if path.len() != expected {
        let actual = path.len();
        return Err(format!(
            "a Merkle path has {actual} step(s), not {expected}"
        ));
    }
    let arities = steps
        .iter()
        .flat_map(|&(arity, count)| std::iter::repeat_n(arity, count));
    for (height, ((hashes, index), arity)) in path.iter().zip(arities).enumerate() {
        if hashes.len() + 1 != arity || *index >= arity {
            return Err(format!(
                "step {height} of a Merkle path has {} hashes and index {index} in a tree of arity {arity}",
                hashes.len()
            ));
        }
    }
    let mut nodes = path.iter().flat_map(|(hashes, _)| hashes);
    match nodes.all(is_scalar) && is_scalar(&proof.leaf()) && is_scalar(&proof.root()) {
        true => Ok(()),
        false => Err("a Merkle path has a node that is no scalar of the field".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_cover_every_node_of_a_sector() {
        for size in SectorSize::ALL {
            for steps in [tree_steps(size), data_steps(size)] {
                let leaves = steps
                    .iter()
                    .map(|&(arity, count)| arity.pow(count as u32))
                    .product::<usize>();
                assert_eq!(leaves, size.nodes(), "{size}");
            }
        }
    }

    #[test]
    fn what_is_below_the_modulus_is_a_scalar() {
        let mut bytes = (-Fr::from(1)).to_repr();
        assert!(is_scalar(&bytes));
        bytes[0] += 1;
        assert!(!is_scalar(&bytes));
        assert!(!is_scalar(&[0; 31]));
    }
}
