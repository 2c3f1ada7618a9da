//! Keeping the series: what `cargo xtask patch` does.

pub mod edit;
pub mod export;
pub mod rebase;
