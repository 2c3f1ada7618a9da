//! Which parameters a circuit has: their name, what was published of them, and the circuit to generate others from.

use bellperson::Circuit;
use blstrs::Scalar as Fr;
use filecoin_proofs::parameters::public_params;
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_core::merkle::MerkleTreeTrait;
use storage_proofs_core::parameter_cache::{CacheableParameters, PARAMETERS, parameter_id};
use storage_proofs_porep::stacked::{StackedCircuit, StackedCompound, StackedDrg};
use storage_proofs_post::fallback::{FallbackPoSt, FallbackPoStCircuit, FallbackPoStCompound};
use storage_proofs_update::constants::TreeRHasher;
use storage_proofs_update::{
    EmptySectorUpdateCircuit, EmptySectorUpdateCompound, PublicParams as UpdateParams,
};

use super::shape::{PieceHasher, SectorShapeBase, with_tree};
use super::{CircuitId, FilecoinError, ProofKind, RegisteredSeal, SectorSize, post};

/// Digests that Filecoin has published: the first 32 hexadecimal digits of BLAKE2b-512.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// Of the parameters.
    pub params: &'static str,
    /// Of the verifying key.
    pub vk: &'static str,
}

/// Something to do with a circuit, whatever its type.
pub trait CircuitVisitor {
    /// What comes out.
    type Output;

    /// Does it. `blank` makes the circuit, without a witness.
    fn visit<C: Circuit<Fr> + Send>(self, blank: impl Fn() -> C) -> Self::Output;
}

impl CircuitId {
    /// The name of its parameters, without an extension: `NAME.params` and `NAME.vk` are the files. It holds a digest
    /// of the circuit's shape.
    ///
    /// # Errors
    ///
    /// [`FilecoinError::Proofs`].
    pub fn parameters_name(self) -> Result<String, FilecoinError> {
        let identifier = with_tree!(self.size, Tree => self.identifier::<Tree>())?;
        let mut name = parameter_id(&identifier);
        let stem = name.trim_end_matches(".params").len();
        name.truncate(stem);
        Ok(name)
    }

    /// What Filecoin has published about its parameters.
    ///
    /// # Errors
    ///
    /// [`FilecoinError::Proofs`].
    pub fn published(self) -> Result<Option<Published>, FilecoinError> {
        let name = self.parameters_name()?;
        let digest = |extension| {
            PARAMETERS
                .get(&format!("{name}.{extension}"))
                .map(|data| data.digest.as_str())
        };
        let both = digest("params").zip(digest("vk"));
        Ok(both.map(|(params, vk)| Published { params, vk }))
    }

    /// Hands the circuit without a witness, as parameters are generated from it, to a visitor. Circuits of the sizes
    /// for tests only: nobody generates parameters for production, and each further shape of trees is much to compile.
    ///
    /// # Errors
    ///
    /// [`FilecoinError::NotForTests`], [`FilecoinError::Proofs`].
    pub fn visit_blank<V: CircuitVisitor>(self, visitor: V) -> Result<V::Output, FilecoinError> {
        match self.size {
            SectorSize::Kib2 | SectorSize::Mib8 | SectorSize::Mib512 => {
                self.blank::<SectorShapeBase, V>(visitor)
            }
            SectorSize::Gib32 | SectorSize::Gib64 => {
                Err(FilecoinError::NotForTests { circuit: self })
            }
        }
    }

    /// As [`visit_blank`](Self::visit_blank), of every size: recordings of production's circuits are made from these.
    pub(super) fn visit_any_blank<V: CircuitVisitor>(
        self,
        visitor: V,
    ) -> Result<V::Output, FilecoinError> {
        with_tree!(self.size, Tree => self.blank::<Tree, V>(visitor))
    }

    fn identifier<Tree>(self) -> Result<String, FilecoinError>
    where
        Tree: 'static + MerkleTreeTrait<Hasher = TreeRHasher>,
    {
        let identifier = match self.kind {
            ProofKind::Porep => RegisteredSeal::interactive(self.size)
                .config()
                .get_cache_identifier::<Tree>(),
            ProofKind::Winning => post::winning_config(self.size).get_cache_identifier::<Tree>(),
            ProofKind::Window => post::window_config(self.size).get_cache_identifier::<Tree>(),
            ProofKind::Snap => {
                let params = UpdateParams::from_sector_size(self.size.bytes());
                Ok(EmptySectorUpdateCompound::<Tree>::cache_identifier(&params))
            }
        };
        identifier.map_err(FilecoinError::proofs(self, "naming the parameters"))
    }

    fn blank<Tree, V: CircuitVisitor>(self, visitor: V) -> Result<V::Output, FilecoinError>
    where
        Tree: 'static + MerkleTreeTrait<Hasher = TreeRHasher>,
    {
        let failed = FilecoinError::proofs(self, "setting the circuit up");
        Ok(match self.kind {
            ProofKind::Porep => {
                let config = RegisteredSeal::interactive(self.size).config();
                let params = public_params::<Tree>(&config).map_err(failed)?;
                visitor.visit(|| blank_seal::<Tree>(&params))
            }
            ProofKind::Winning | ProofKind::Window => {
                let params = post::public_params::<Tree>(self).map_err(failed)?;
                visitor.visit(|| blank_post::<Tree>(&params))
            }
            ProofKind::Snap => {
                let params = UpdateParams::from_sector_size(self.size.bytes());
                visitor.visit(|| EmptySectorUpdateCircuit::<Tree>::blank(params.clone()))
            }
        })
    }
}

fn blank_seal<Tree: 'static + MerkleTreeTrait>(
    params: &storage_proofs_porep::stacked::PublicParams<Tree>,
) -> StackedCircuit<Tree, PieceHasher> {
    type Compound<Tree> = StackedCompound<Tree, PieceHasher>;
    <Compound<Tree> as CompoundProof<'_, StackedDrg<'_, Tree, PieceHasher>, _>>::blank_circuit(
        params,
    )
}

fn blank_post<Tree: 'static + MerkleTreeTrait>(
    params: &storage_proofs_post::fallback::PublicParams,
) -> FallbackPoStCircuit<Tree> {
    <FallbackPoStCompound<Tree> as CompoundProof<'_, FallbackPoSt<'_, Tree>, _>>::blank_circuit(
        params,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of published digests is keyed by name: a name that is in it was made as filecoin-proofs makes it.
    #[test]
    fn every_circuit_has_published_parameters_of_a_name_of_its_own() {
        let mut names = std::collections::BTreeSet::new();
        for id in CircuitId::all() {
            let name = id.parameters_name().expect("a name");
            assert!(name.starts_with("v28-"), "{name}");
            let published = id.published().expect("no error").expect("in the table");
            for digest in [published.params, published.vk] {
                assert_eq!(digest.len(), 32, "{id}: {digest}");
            }
            let data = &PARAMETERS[&format!("{name}.params")];
            assert_eq!(data.sector_size, id.size.bytes(), "{id}");
            assert!(names.insert(name), "{id}");
        }
        assert_eq!(names.len(), 20);
    }
}
