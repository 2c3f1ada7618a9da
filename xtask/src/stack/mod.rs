//! Stacks: the upstream crates with a chosen part of the series applied.

pub mod archive;
pub mod manifest;
pub mod materialise;
pub mod release;
pub mod selection;
pub mod series;
pub mod stamp;
pub mod stamps;
pub mod swap;
pub mod tree;
