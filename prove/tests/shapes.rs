//! C1 output of sectors that are too large to be sealed in a test: of the right form, and of nothing but zeros.

mod isolated;

use cuzk_core::filecoin::c1::{self, C1Error, Expected};
use cuzk_core::filecoin::{
    FilecoinError, Porep, RegisteredSeal, SectorShapeBase, SectorShapeSub8, SectorShapeTop2,
    SectorSize, StorageProof,
};
use filecoin_hashers::Hasher;
use filecoin_proofs::parameters::setup_params;
use filecoin_proofs::{DefaultPieceHasher, SealCommitPhase1Output, VanillaSealProof};
use storage_proofs_core::merkle::{MerkleProof, MerkleTreeTrait};
use storage_proofs_porep::stacked::{
    ColumnProof, EncodingProof, LabelingProof, Proof, ReplicaColumnProof,
};

type Node<Tree> = <<Tree as MerkleTreeTrait>::Hasher as Hasher>::Domain;
type Inclusion<Tree> = MerkleProof<
    <Tree as MerkleTreeTrait>::Hasher,
    <Tree as MerkleTreeTrait>::Arity,
    <Tree as MerkleTreeTrait>::SubTreeArity,
    <Tree as MerkleTreeTrait>::TopTreeArity,
>;

/// A path of zeros: arity and number of steps, from the leaf up.
fn path<T: Default + Clone>(steps: &[(usize, usize)]) -> Vec<(Vec<T>, usize)> {
    let of = |&(arity, count): &(usize, usize)| vec![(vec![T::default(); arity - 1], 0); count];
    steps.iter().flat_map(of).collect()
}

fn zeros<Tree>(
    size: SectorSize,
    steps: &[(usize, usize)],
    extra_layers: usize,
) -> SealCommitPhase1Output<Tree>
where
    Tree: 'static + MerkleTreeTrait,
{
    let config = RegisteredSeal::interactive(size).config();
    let setup = setup_params(&config).expect("sets up");
    let layers = setup.num_layers + extra_layers;
    let zero = Node::<Tree>::default();
    let inclusion = || Inclusion::<Tree>::from_parts(zero, zero, path(steps));
    let column = || ColumnProof::new(0, vec![zero; layers], inclusion());
    let data = [(2, (size.bytes() / 32).ilog2() as usize)];
    let challenge = VanillaSealProof::<Tree> {
        comm_d_proofs: MerkleProof::<DefaultPieceHasher, _>::from_parts(
            Default::default(),
            Default::default(),
            path(&data),
        ),
        comm_r_last_proof: inclusion(),
        replica_column_proofs: ReplicaColumnProof {
            c_x: column(),
            drg_parents: (0..6).map(|_| column()).collect(),
            exp_parents: (0..8).map(|_| column()).collect(),
        },
        labeling_proofs: (1..=layers)
            .map(|layer| LabelingProof::new(layer as u32, 0, vec![zero; 37]))
            .collect(),
        encoding_proof: EncodingProof::new(layers as u32, 0, vec![zero; 37]),
    };
    let challenges = setup.challenges.num_challenges_per_partition();
    let partition: Vec<Proof<Tree, DefaultPieceHasher>> = vec![challenge; challenges];
    SealCommitPhase1Output {
        vanilla_proofs: vec![partition; usize::from(config.partitions)],
        comm_r: [1; 32],
        comm_d: [1; 32],
        replica_id: zero,
        seed: [1; 32],
        ticket: [1; 32],
    }
}

fn read(size: SectorSize, json: &[u8]) -> C1Error {
    let expected = Expected {
        size: Some(size),
        ..Expected::default()
    };
    match c1::read(json, &expected) {
        Err(FilecoinError::C1(error)) => error,
        Err(error) => panic!("{error:?}"),
        Ok(_) => panic!("zeros were taken"),
    }
}

/// Gets past all that counts, to where it is verified; what has a layer too many does not.
fn is_counted<Tree: 'static + MerkleTreeTrait>(size: SectorSize, steps: &[(usize, usize)]) {
    let json = |extra| serde_json::to_vec(&zeros::<Tree>(size, steps, extra)).expect("is JSON");
    let whole = json(0);
    let error = read(size, &whole);
    assert!(
        matches!(error, C1Error::DoesNotHold { .. }),
        "{size}: {error}"
    );
    let error = read(size, &json(1));
    assert!(matches!(error, C1Error::Length { .. }), "{size}: {error}");
    for other in SectorSize::ALL.into_iter().filter(|&other| other != size) {
        let error = read(other, &whole);
        assert!(
            matches!(error, C1Error::Length { .. }),
            "{size} as {other}: {error}"
        );
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes without optimisation")]
fn every_size_is_counted() {
    let Some(_) = isolated::child("every_size_is_counted") else {
        return;
    };
    is_counted::<SectorShapeBase>(SectorSize::Mib8, &[(8, 6)]);
    is_counted::<SectorShapeBase>(SectorSize::Mib512, &[(8, 8)]);
    is_counted::<SectorShapeSub8>(SectorSize::Gib32, &[(8, 9), (8, 1)]);
    is_counted::<SectorShapeTop2>(SectorSize::Gib64, &[(8, 9), (8, 1), (2, 1)]);
}

/// As many as others have published.
#[test]
fn a_large_sector_has_ten_partitions_of_known_inputs() {
    let Some(_) = isolated::child("a_large_sector_has_ten_partitions_of_known_inputs") else {
        return;
    };
    let c1 = zeros::<SectorShapeSub8>(SectorSize::Gib32, &[(8, 9), (8, 1)], 0);
    let registered = RegisteredSeal::interactive(SectorSize::Gib32);
    let porep = Porep::new(registered, None, c1);
    assert_eq!((porep.partitions(), porep.verifier()), (10, None));
    let inputs = porep.public_inputs().expect("computed");
    assert_eq!(inputs.len(), 10);
    // The constant one is left out.
    assert!(inputs.iter().all(|inputs| inputs.len() == 328 - 1));
    assert_ne!(inputs[0], inputs[1], "each has its own challenges");
    assert!(matches!(
        porep.verify(&[0; 1920]),
        Err(FilecoinError::UnknownOwner { .. })
    ));
}
