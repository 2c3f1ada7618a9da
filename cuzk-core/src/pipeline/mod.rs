//! Who may do what next.
//!
//! The [`Machine`](machine::Machine) holds everything that is decided: which jobs are there, what each partition is at, what
//! memory is reserved. It has no threads, no clock and no lock, and its decisions are the same for the same history, so that
//! [`explore`](machine::explore) can try every history of a few jobs. An engine is the thin shell around it: its threads ask the
//! machine what to do, do it, and say what came of it.
//!
//! # A partition's way
//!
//! ```text
//! waiting ──admit──▶ admitted ──▶ synthesising ──▶ synthesised ──▶ proving ──▶ freeing ──▶ done
//!    ▲              (memory is    (its recording    (waits for      (its           │
//!    │               reserved)     is loaded)        a prover)       parameters    │
//!    └──────────────────────────── once more ────────────────────── are loaded) ───┘
//! ```
//!
//! # Order
//!
//! Partitions are admitted strictly by priority, then by the order of submission, then by number: where the next one does not fit, nothing
//! behind it passes, so nothing starves. A job with a higher priority passes whatever has not been admitted.
//!
//! # Memory
//!
//! What is reserved is a sum over what is there ([`Machine::used`](machine::Machine::used)), computed anew each time, so nothing can drift: parameters and recordings;
//! admitted partitions until they have been freed; and on top what the provers take, counted for the largest partition that is on
//! its way to each, whether or not one is proving. So whatever has been admitted can go on to its end without asking for more, which is why
//! nothing can be stuck.

pub(crate) mod machine;
