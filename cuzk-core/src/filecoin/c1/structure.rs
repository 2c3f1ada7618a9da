//! The parts of C1 output, counted.
//!
//! The types below are read from the same JSON as those of storage-proofs, which keep most of their fields to
//! themselves and panic where a list is too short, an index too large or a value no scalar. They hold no values: a node
//! only remembers that it was one.

use blstrs::Scalar as Fr;
use ff::PrimeField;
use filecoin_proofs::parameters::setup_params;
use serde::{Deserialize, Deserializer, de};

use super::error::C1Error;
use crate::filecoin::paths::{Steps, data_steps, tree_steps};
use crate::filecoin::{RegisteredSeal, SectorSize};

/// Thirty-two bytes that are a scalar of the field.
pub(super) struct Node;

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = <[u8; 32]>::deserialize(deserializer)?;
        match Fr::from_repr_vartime(bytes) {
            Some(_) => Ok(Self),
            None => Err(de::Error::custom(
                "32 bytes that are no scalar of the field",
            )),
        }
    }
}

/// The vanilla proof of one challenge.
#[derive(Deserialize)]
pub(super) struct Challenge {
    comm_d_proofs: MerkleProof,
    comm_r_last_proof: MerkleProof,
    replica_column_proofs: Columns,
    labeling_proofs: Vec<Labels>,
    #[serde(rename = "encoding_proof")]
    _encoding_proof: Labels,
}

#[derive(Deserialize)]
struct Columns {
    c_x: ColumnProof,
    drg_parents: Vec<ColumnProof>,
    exp_parents: Vec<ColumnProof>,
}

#[derive(Deserialize)]
struct ColumnProof {
    column: Column,
    inclusion_proof: MerkleProof,
}

#[derive(Deserialize)]
struct Column {
    rows: Vec<Node>,
}

#[derive(Deserialize)]
struct Labels {
    #[serde(rename = "parents")]
    _parents: Vec<Node>,
}

#[derive(Deserialize)]
struct MerkleProof {
    data: Arities,
}

/// By the number of arities that the tree has.
#[derive(Deserialize)]
enum Arities {
    Single {
        root: Node,
        leaf: Node,
        path: Path,
    },
    Sub {
        root: Node,
        leaf: Node,
        base_proof: Path,
        sub_proof: Path,
    },
    Top {
        root: Node,
        leaf: Node,
        base_proof: Path,
        sub_proof: Path,
        top_proof: Path,
    },
}

#[derive(Deserialize)]
struct Path {
    path: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    hashes: Vec<Node>,
    index: usize,
}

/// What the circuit of a registered proof needs.
pub(super) struct Needs {
    size: SectorSize,
    partitions: usize,
    challenges: usize,
    layers: usize,
    drg_parents: usize,
    exp_parents: usize,
    /// Arity and length of each path of a proof in the replica's trees.
    tree: Steps,
    /// The same in the tree of the data.
    data: Steps,
}

impl Needs {
    pub fn of(registered: RegisteredSeal) -> anyhow::Result<Self> {
        let size = registered.size;
        let config = registered.config();
        let setup = setup_params(&config)?;
        Ok(Self {
            size,
            partitions: usize::from(config.partitions),
            challenges: setup.challenges.num_challenges_per_partition(),
            layers: setup.num_layers,
            drg_parents: setup.degree,
            exp_parents: setup.expansion_degree,
            tree: tree_steps(size),
            data: data_steps(size),
        })
    }

    /// Checks that partitions, challenges and all below them are as many as these.
    pub fn check(&self, partitions: &[Vec<Challenge>]) -> Result<(), C1Error> {
        let all = At(self, "the vanilla proofs");
        all.count("partition(s)", partitions.len(), self.partitions)?;
        for (p, challenges) in partitions.iter().enumerate() {
            let place = format!("partition {p}");
            At(self, &place).count("challenges", challenges.len(), self.challenges)?;
            for (c, challenge) in challenges.iter().enumerate() {
                At(self, &format!("partition {p}, challenge {c}")).challenge(challenge)?;
            }
        }
        Ok(())
    }
}

/// A place among the vanilla proofs.
struct At<'a>(&'a Needs, &'a str);

impl At<'_> {
    fn challenge(&self, challenge: &Challenge) -> Result<(), C1Error> {
        let Self(needs, place) = self;
        let within = |part: &str| format!("{place}, {part}");
        At(needs, &within("comm_d_proofs")).merkle(&challenge.comm_d_proofs, &needs.data)?;
        At(needs, &within("comm_r_last_proof"))
            .merkle(&challenge.comm_r_last_proof, &needs.tree)?;
        let columns = &challenge.replica_column_proofs;
        At(needs, &within("c_x")).column(&columns.c_x)?;
        for (name, parents, expected) in [
            ("drg_parents", &columns.drg_parents, needs.drg_parents),
            ("exp_parents", &columns.exp_parents, needs.exp_parents),
        ] {
            let place = within(name);
            At(needs, &place).count("column proofs", parents.len(), expected)?;
            for (i, parent) in parents.iter().enumerate() {
                At(needs, &format!("{place} {i}")).column(parent)?;
            }
        }
        self.count(
            "labeling proofs",
            challenge.labeling_proofs.len(),
            needs.layers,
        )
    }

    fn column(&self, proof: &ColumnProof) -> Result<(), C1Error> {
        self.count("rows", proof.column.rows.len(), self.0.layers)?;
        self.merkle(&proof.inclusion_proof, &self.0.tree)
    }

    fn merkle(&self, proof: &MerkleProof, expected: &[(usize, usize)]) -> Result<(), C1Error> {
        let (Node, Node, paths) = match &proof.data {
            Arities::Single { root, leaf, path } => (root, leaf, vec![path]),
            Arities::Sub {
                root,
                leaf,
                base_proof,
                sub_proof,
            } => (root, leaf, vec![base_proof, sub_proof]),
            Arities::Top {
                root,
                leaf,
                base_proof,
                sub_proof,
                top_proof,
            } => (root, leaf, vec![base_proof, sub_proof, top_proof]),
        };
        self.count("arities of the tree", paths.len(), expected.len())?;
        for (Path { path }, &(arity, length)) in paths.into_iter().zip(expected) {
            self.count("steps of the Merkle path", path.len(), length)?;
            for (height, step) in path.iter().enumerate() {
                let (hashes, index) = (step.hashes.len(), step.index);
                if hashes != arity - 1 || index >= arity {
                    return Err(C1Error::Path {
                        place: self.1.to_owned(),
                        what: format!(
                            "step {height} of the Merkle path has {hashes} hashes and index {index} in a tree of \
                             arity {arity}"
                        ),
                    });
                }
            }
        }
        Ok(())
    }

    fn count(&self, what: &'static str, actual: usize, expected: usize) -> Result<(), C1Error> {
        if actual == expected {
            return Ok(());
        }
        Err(C1Error::Length {
            place: self.1.to_owned(),
            what,
            actual,
            expected,
            size: self.0.size,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_a_scalar() {
        let read = |bytes: [u8; 32]| {
            serde_json::from_str::<Node>(&serde_json::to_string(&bytes).expect("serialises"))
        };
        let largest = (-Fr::from(1)).to_repr();
        assert!(read([0; 32]).is_ok() && read(largest).is_ok());
        let mut modulus = largest;
        modulus[0] += 1;
        for bytes in [modulus, [0xff; 32]] {
            let error = read(bytes).err().expect("no scalar").to_string();
            assert!(error.contains("no scalar"), "{error}");
        }
        assert!(serde_json::from_str::<Node>("[1, 2]").is_err());
    }
}
