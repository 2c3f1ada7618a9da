//! Comparing arms: pairs of whole processes, in balanced random order, judged by rules that were fixed before.
//!
//! `plan` decides what is run, `session` runs it, `judge` turns trials into verdicts, `table` shows them.

pub mod ablate;
pub mod ablation_table;
pub mod agreement;
pub mod answers;
pub mod conduct;
pub mod counters;
pub mod earlier;
pub mod grid;
pub mod interaction;
pub mod judge;
pub mod locate;
pub mod matrices;
pub mod metrics;
pub mod noise;
pub mod order;
pub mod pairs;
pub mod plan;
pub mod process;
pub mod progress;
pub mod runner;
pub mod session;
#[cfg(test)]
mod simulation_tests;
pub mod table;
#[cfg(test)]
pub mod testing;
pub mod trial;
pub mod untouched;
pub mod window;

pub use cuzk_stats as stats;
