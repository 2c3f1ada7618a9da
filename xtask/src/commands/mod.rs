//! One module a verb of the command line.

pub mod bench;
pub mod build;
pub mod patch;
pub mod report;
pub mod test;
pub mod vendor;
