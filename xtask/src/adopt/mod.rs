//! A foreign workspace against the stack: which crates of the stack it uses, which of them resolve to the stack's folders,
//! why others do not, and the lines that change that.
//!
//! `project` and `entries` read files, `toolchain` asks whether the project's cargo can read all that, `look` has cargo
//! resolve, `survey` judges (a pure function), `lines` and `apply` add what is missing, `report` says it.

mod apply;
mod engine;
mod entries;
mod lines;
mod look;
mod offer;
mod project;
mod reason;
pub mod report;
mod survey;
mod toolchain;

pub use apply::apply;
pub use look::Place;
pub use offer::Offer;
