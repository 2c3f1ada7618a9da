//! Jobs by the ids of clients, those that have ended included.
//!
//! # Clients that come back
//!
//! An id that is there with the same request joins: the running job, or what came of it for as long as that is kept. A job that ended
//! without a proof makes place for the next of its id, and so does a proof of another request. While a job goes on, another request under
//! its id is refused.
//!
//! # Clients that go away
//!
//! A job is wanted while somebody waits for it, and for good where it was submitted without waiting. One that nobody wants is dropped after a
//! grace period if it still waits in the queue by then; one that runs goes on to its end, and its proof is kept as any other.
//!
//! # Lock
//!
//! One lock around the table. The engine's own is taken under it, never the other way round: the engine tells the ends of jobs without holding
//! its lock, through wakers, and those take none of ours.

mod table;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cuzk_core::engine::{Engine, Submission, SubmitError};
use cuzk_core::filecoin::CircuitId;
use cuzk_core::job::{JobHandle, Priority, Request};
use tokio::runtime::Handle;
use tokio::time::Instant;

use self::table::{Entry, Table};
use crate::convert::Digest;

/// How long things are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// What came of a job, from its end on.
    pub keep: Duration,
    /// So many results at most; the oldest go first.
    pub results: usize,
    /// A job in the queue that nobody waits for any more.
    pub abandoned: Duration,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            keep: Duration::from_secs(3600),
            results: 10_000,
            abandoned: Duration::from_secs(60),
        }
    }
}

/// What a client wants.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The id, made up where the client has given none.
    pub id: Option<String>,
    /// The circuit.
    pub circuit: CircuitId,
    /// The priority.
    pub priority: Priority,
    /// Tells its request from others.
    pub digest: Digest,
    /// Whether the client stays to wait: then the job is wanted as long as it does.
    pub waits: bool,
}

/// A job that was taken, or was there.
pub struct Taken {
    /// Its id.
    pub id: Arc<str>,
    /// How many jobs go before it.
    pub position: usize,
    /// The job.
    pub waiting: Waiting,
}

/// Why a job was not taken.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// The daemon goes down.
    #[error(
        "the daemon is being shut down and takes no jobs: send it to another one, or try again later"
    )]
    Closed,

    /// The id is that of another request.
    #[error(
        "job {id} is there already and proves {circuit} of another request: await or cancel it first, or take another request_id"
    )]
    OtherRequest {
        /// The id.
        id: String,
        /// The circuit of the job that has it.
        circuit: CircuitId,
    },

    /// The engine does not take it.
    #[error(transparent)]
    Engine(#[from] SubmitError),
}

/// All jobs.
pub struct Jobs {
    engine: Arc<Engine>,
    policy: Policy,
    runtime: Handle,
    table: Mutex<Table>,
}

impl Jobs {
    /// Those of an engine that nobody else submits to. It needs a runtime around it, which forgets and drops what is due.
    pub fn new(engine: Arc<Engine>, policy: Policy) -> Arc<Self> {
        Arc::new(Self {
            engine,
            policy,
            runtime: Handle::current(),
            table: Mutex::default(),
        })
    }

    /// Takes a job, or joins the one of its id.
    ///
    /// # Errors
    ///
    /// [`Refused`].
    pub fn submit(
        self: &Arc<Self>,
        wanted: Wanted,
        request: Box<dyn Request>,
    ) -> Result<Taken, Refused> {
        let mut table = self.lock();
        let id: Arc<str> = match wanted.id {
            Some(id) => id.into(),
            None => table.made_up(),
        };
        if let Some(entry) = table.get(&id) {
            let proven = entry.handle.poll_ended().map(|ended| ended.result.is_ok());
            if proven != Some(false) && entry.digest == wanted.digest {
                entry.unattended |= !wanted.waits;
                let waiting = self.attach(&id, entry);
                drop(table);
                return Ok(Taken {
                    position: self.position(&id),
                    id,
                    waiting,
                });
            }
            if proven.is_none() {
                return Err(Refused::OtherRequest {
                    id: id.to_string(),
                    circuit: entry.circuit,
                });
            }
        }
        if table.closed {
            return Err(Refused::Closed);
        }
        let submission = Submission::new(&*id, request).priority(wanted.priority);
        let submitted = self.engine.submit(submission)?;
        let number = table.number();
        let mut entry = Entry {
            number,
            circuit: wanted.circuit,
            digest: wanted.digest,
            handle: submitted.handle.clone(),
            waiting: 0,
            unattended: !wanted.waits,
            left: Instant::now(),
        };
        let waiting = self.attach(&id, &mut entry);
        table.insert(Arc::clone(&id), entry);
        drop(table);
        self.runtime
            .spawn(Arc::clone(self).follow(Arc::clone(&id), number, submitted.handle));
        Ok(Taken {
            id,
            position: submitted.position,
            waiting,
        })
    }

    /// The job of an id, to wait for; `None` where there is none, or no more.
    pub fn find(self: &Arc<Self>, id: &str) -> Option<Waiting> {
        let id: Arc<str> = id.into();
        let mut table = self.lock();
        let entry = table.get(&id)?;
        Some(self.attach(&id, entry))
    }

    /// Cancels a job, and says whether something of it was running; `None` where there is none of that id.
    pub fn cancel(&self, id: &str) -> Option<bool> {
        let handle = self.lock().get(id)?.handle.clone();
        Some(handle.cancel())
    }

    /// Takes no new jobs from now on.
    pub fn close(&self) {
        self.lock().closed = true;
    }

    /// How many jobs are known, and how many of them have ended.
    pub fn counts(&self) -> (usize, usize) {
        self.lock().counts()
    }

    fn attach(self: &Arc<Self>, id: &Arc<str>, entry: &mut Entry) -> Waiting {
        entry.waiting += 1;
        Waiting {
            jobs: Arc::clone(self),
            id: Arc::clone(id),
            number: entry.number,
            handle: entry.handle.clone(),
        }
    }

    fn detach(self: &Arc<Self>, id: &Arc<str>, number: u64) {
        let mut table = self.lock();
        let Some(entry) = table.numbered(id, number) else {
            return;
        };
        entry.waiting -= 1;
        entry.left = Instant::now();
        if entry.is_wanted() || entry.handle.poll_ended().is_some() {
            return;
        }
        drop(table);
        let (jobs, id) = (Arc::clone(self), Arc::clone(id));
        self.runtime.spawn(async move {
            tokio::time::sleep(jobs.policy.abandoned).await;
            jobs.drop_abandoned(&id, number);
        });
    }

    /// Under the lock, so that nobody who comes back in between is told of a cancelled job.
    fn drop_abandoned(&self, id: &str, number: u64) {
        let mut table = self.lock();
        let Some(entry) = table.numbered(id, number) else {
            return;
        };
        // Somebody may have come and gone since.
        if entry.is_wanted() || entry.left.elapsed() < self.policy.abandoned {
            return;
        }
        if entry.handle.cancel_waiting() {
            tracing::info!(job = id, "dropped: its clients went away while it waited");
        }
    }

    /// Waits for the end of a job and forgets it when it is time.
    async fn follow(self: Arc<Self>, id: Arc<str>, number: u64, handle: JobHandle) {
        handle.await;
        self.lock().ended(&id, number, self.policy.results);
        tokio::time::sleep(self.policy.keep).await;
        self.lock().forget(&id, number);
    }

    fn position(&self, id: &str) -> usize {
        let jobs = self.engine.status().jobs;
        jobs.iter().position(|job| job.id == id).unwrap_or(0)
    }

    /// The table is whole at any time, so a panic of somebody who held the lock does not matter.
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody who waits for a job. Dropping it says that they are gone.
pub struct Waiting {
    jobs: Arc<Jobs>,
    id: Arc<str>,
    number: u64,
    /// The job.
    pub handle: JobHandle,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.jobs.detach(&self.id, self.number);
    }
}
