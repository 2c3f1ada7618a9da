//! What the machine is made of.

use std::cmp::Reverse;

use crate::job::{JobId, Priority};

/// A job's number: later ones are larger.
pub(crate) type Ticket = u64;

/// Where a job stands: those that go first are smaller.
pub(crate) type Order = (Reverse<Priority>, Ticket);

/// A resident's number.
pub(crate) type Key = u32;

/// What there is to share out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Limits {
    /// Bytes that may be reserved.
    pub memory: u64,
    /// Partitions that are synthesised at a time.
    pub synthesis: usize,
    /// Calls at a time of each class of provers.
    pub provers: Vec<usize>,
    /// Jobs that have not ended.
    pub jobs: usize,
    /// Bytes of all their requests together.
    pub request_bytes: u64,
}

/// How a partition is synthesised and proven.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Way {
    /// The class of provers.
    pub class: usize,
    /// Its parameters, and their bytes.
    pub srs: (Key, u64),
    /// The recording of its circuit, and what is reserved for it.
    pub recording: Option<(Key, u64)>,
    /// Bytes of a partition from its synthesis until it has been freed.
    pub partition: u64,
    /// On top of it while it is synthesised.
    pub synthesis: u64,
    /// On top of it while it is proven.
    pub proving: u64,
    /// Most partitions of a call.
    pub batch: usize,
}

impl Way {
    /// What one partition needs when nothing else is there.
    pub fn alone(&self, provers: &[usize]) -> u64 {
        let recording = self.recording.map_or(0, |(_, bytes)| bytes);
        [
            self.srs.1,
            recording,
            self.partition,
            self.synthesis,
            self.provers_take(provers),
        ]
        .into_iter()
        .fold(0, u64::saturating_add)
    }

    /// What the provers of its class take for it.
    pub fn provers_take(&self, provers: &[usize]) -> u64 {
        let slots = provers.get(self.class).copied().unwrap_or(1).max(1) as u64;
        self.proving
            .saturating_mul(slots)
            .saturating_mul(self.batch.max(1) as u64)
    }

    /// Makes calls smaller until a partition fits into so much memory; whether that was possible.
    pub fn shrink_to(&mut self, memory: u64, provers: &[usize]) -> bool {
        while self.alone(provers) > memory && self.batch > 1 {
            self.batch -= 1;
        }
        self.alone(provers) <= memory
    }
}

/// What a job is, once somebody has looked at it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Plan {
    /// Number of partitions.
    pub partitions: usize,
    /// The way of the first attempt, and that of the second where it is another.
    pub ways: Vec<Way>,
}

/// One attempt at one partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Attempt {
    pub ticket: Ticket,
    /// The partition, from 0.
    pub part: usize,
    /// 0 or 1.
    pub number: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    Waiting {
        attempt: usize,
    },
    Admitted {
        attempt: usize,
    },
    Synthesising {
        attempt: usize,
    },
    Synthesised {
        attempt: usize,
    },
    Proving {
        attempt: usize,
    },
    /// Its vectors are being freed; the attempt that comes after that, if one does.
    Freeing {
        again: Option<usize>,
    },
    Done,
}

impl Part {
    /// The attempt of a partition that goes on from here with the memory that it has.
    pub fn attempt(&self) -> Option<usize> {
        match *self {
            Self::Admitted { attempt }
            | Self::Synthesising { attempt }
            | Self::Synthesised { attempt }
            | Self::Proving { attempt } => Some(attempt),
            Self::Waiting { .. } | Self::Freeing { .. } | Self::Done => None,
        }
    }

    /// What it is called in a status.
    pub fn name(self) -> &'static str {
        match self {
            Self::Waiting { .. } => "waiting",
            Self::Admitted { .. } => "admitted",
            Self::Synthesising { .. } => "synthesis",
            Self::Synthesised { .. } => "ready",
            Self::Proving { .. } => "proving",
            Self::Freeing { .. } => "freeing",
            Self::Done => "done",
        }
    }

    pub fn has_memory(&self) -> bool {
        self.attempt().is_some() || matches!(self, Self::Freeing { .. })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Job {
    pub id: JobId,
    pub priority: Priority,
    /// Bytes of its request.
    pub bytes: u64,
    pub preparing: bool,
    /// Nobody waits for it any more.
    pub ended: bool,
    pub proven: usize,
    /// Of the first attempt and, where it is another, the second.
    pub ways: Vec<Way>,
    pub parts: Vec<Part>,
}

impl Job {
    /// Its place among others: by priority, then as they came.
    pub fn order(&self, ticket: Ticket) -> Order {
        (Reverse(self.priority), ticket)
    }

    pub fn new(id: JobId, priority: Priority, bytes: u64) -> Self {
        Self {
            id,
            priority,
            bytes,
            preparing: false,
            ended: false,
            proven: 0,
            ways: Vec::new(),
            parts: Vec::new(),
        }
    }

    pub fn way(&self, attempt: usize) -> &Way {
        self.ways.get(attempt).unwrap_or(&self.ways[0])
    }

    pub fn is_running(&self) -> bool {
        self.preparing || self.proven > 0 || self.parts.iter().any(Part::has_memory)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Resting {
    /// Memory is reserved, nobody has begun to load it.
    Wanted,
    Loading,
    Ready,
    /// It may go, nobody has begun to drop it.
    Unwanted,
    Dropping,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Resident {
    pub bytes: u64,
    pub state: Resting,
}

impl Resident {
    /// Whether it is on its way out.
    pub fn is_going(&self) -> bool {
        matches!(self.state, Resting::Unwanted | Resting::Dropping)
    }
}

/// What a loader is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoadTask {
    Load(Key),
    Drop(Key),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Submitted {
    pub ticket: Ticket,
    pub joined: bool,
}

/// Why a job was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Closed,
    Full { jobs: usize },
    Bytes { held: u64, limit: u64 },
}

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum End {
    Proven,
    Failed,
    NeverFits,
    NoParameters(Key),
    Cancelled,
    ShutDown,
}

/// What others are to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Notice {
    /// A job has ended.
    Ended(Ticket, End),
    /// A partition that was synthesised is not wanted any more: drop it, then say that it was freed.
    Drop(Attempt),
    /// A job is gone with all that it held.
    Forgotten(Ticket),
}

/// How an engine is being shut down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Closing {
    /// What has been submitted is still proven.
    Drain,
    /// What has not ended is not.
    Now,
}
