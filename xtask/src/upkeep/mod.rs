//! Keeping the series: what `cargo xtask patch` does.

pub mod check;
pub mod edit;
pub mod export;
pub mod journal;
pub mod line;
pub mod list;
pub mod rebase;
