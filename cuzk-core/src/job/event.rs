//! What listeners of a job hear.

use std::time::Duration;

use super::Priority;

/// Something that happened to a job. There are at most a few for each attempt at each partition.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// It waits in the queue.
    Queued {
        /// With this priority.
        priority: Priority,
    },
    /// It was found good.
    Prepared {
        /// How many partitions it has.
        partitions: usize,
    },
    /// A partition's synthesis has begun.
    Synthesising {
        /// Which.
        partition: usize,
    },
    /// A partition waits for a prover.
    Synthesised {
        /// Which.
        partition: usize,
        /// What it took.
        wall: Duration,
    },
    /// A prover has begun with a partition.
    Proving {
        /// Which.
        partition: usize,
        /// How many partitions, of this job and others, are in the same call.
        batch: usize,
    },
    /// A partition's proof has been made and verified.
    Proven {
        /// Which.
        partition: usize,
    },
    /// A partition's proof was none, and is made again.
    Again {
        /// Which.
        partition: usize,
        /// What was wrong.
        why: String,
    },
    /// It has ended. Nothing comes after this.
    Ended {
        /// Whether there is a proof.
        proven: bool,
    },
}
