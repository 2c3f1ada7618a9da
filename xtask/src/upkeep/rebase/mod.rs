//! The patches of one crate brought to another release of it.
//!
//! [`super::line`] is what the patches were made along, `replay` what becomes of them on the new release: a pure function of both
//! releases, the patches, and what a person decided about conflicts. The survey runs it once; the real run (`run`) runs it
//! again after each decision, lays the next conflict out for a person (`desk`), and at the end writes everything together
//! (`finish`, through the [journal](super::journal)).

mod desk;
mod difference;
mod finish;
pub mod plan;
mod replay;
mod report;
pub mod run;
mod session;
mod texts;
mod todo;
