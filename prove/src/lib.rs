//! Real Filecoin proofs from end to end: a sector, its proof, and the verdict of those who verify.

pub mod environment;
pub mod sector;
