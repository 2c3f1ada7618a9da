//! The three shapes of a sector's trees, as types, and how to get from a size to one.

pub use filecoin_proofs::DefaultPieceHasher as PieceHasher;
pub use filecoin_proofs::{SectorShapeBase, SectorShapeSub8, SectorShapeTop2};

/// Evaluates an expression in which `$tree` is the type of the trees of a sector of size `$size`.
macro_rules! with_tree {
    ($size:expr, $tree:ident => $body:expr) => {
        match $size {
            $crate::filecoin::SectorSize::Kib2
            | $crate::filecoin::SectorSize::Mib8
            | $crate::filecoin::SectorSize::Mib512 => {
                type $tree = $crate::filecoin::shape::SectorShapeBase;
                $body
            }
            $crate::filecoin::SectorSize::Gib32 => {
                type $tree = $crate::filecoin::shape::SectorShapeSub8;
                $body
            }
            $crate::filecoin::SectorSize::Gib64 => {
                type $tree = $crate::filecoin::shape::SectorShapeTop2;
                $body
            }
        }
    };
}
pub(super) use with_tree;
