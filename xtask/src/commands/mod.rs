//! One module a verb of the command line.

pub mod adopt;
pub mod bench;
pub mod build;
pub mod compare;
pub mod cuda;
pub mod dist;
pub mod edit;
pub mod export;
pub mod join;
pub mod params;
pub mod patch;
pub mod profile;
pub mod prove;
pub mod rebase;
pub mod report;
pub mod run_bundle;
pub mod test;
pub mod vendor;
pub mod verify;
