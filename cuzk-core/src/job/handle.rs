//! Holding on to a job.
//!
//! A job and its handles share [`Shared`]. Its lock is held for as long as it takes to read or write a field, never while
//! anything else is locked or called, except that wakers and listeners are taken out under it and called afterwards. `ended`
//! is set once; the condition variable is signalled then.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use super::{Event, JobError, JobId, JobReport};

/// A job that has ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The bytes of its proof, which have been verified.
    pub result: Result<Vec<u8>, JobError>,
    /// Where the time went.
    pub report: JobReport,
}

/// Whoever can cancel jobs.
pub(crate) trait Cancel: Send + Sync {
    /// Cancels the job of this number; whether something of it was running.
    fn cancel(&self, ticket: u64) -> bool;

    /// Cancels it unless something of it is running; whether it did.
    fn cancel_waiting(&self, ticket: u64) -> bool;
}

/// What a job and its handles share.
pub(crate) struct Shared {
    id: JobId,
    ticket: u64,
    engine: Weak<dyn Cancel>,
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    ended: Option<Arc<Ended>>,
    wakers: Vec<Waker>,
    listeners: Vec<Sender<Event>>,
    past: Vec<Event>,
}

impl Shared {
    pub fn new(id: JobId, ticket: u64, engine: Weak<dyn Cancel>) -> Arc<Self> {
        Arc::new(Self {
            id,
            ticket,
            engine,
            state: Mutex::default(),
            ended: Condvar::new(),
        })
    }

    pub fn id(&self) -> &JobId {
        &self.id
    }

    /// Tells listeners.
    pub fn tell(&self, event: Event) {
        let mut state = self.lock();
        state
            .listeners
            .retain(|listener| listener.send(event.clone()).is_ok());
        state.past.push(event);
    }

    /// Sets how it ended, once, and wakes everybody.
    pub fn end(&self, ended: Ended) {
        let proven = ended.result.is_ok();
        let mut state = self.lock();
        if state.ended.is_some() {
            return;
        }
        state.ended = Some(Arc::new(ended));
        let event = Event::Ended { proven };
        for listener in std::mem::take(&mut state.listeners) {
            // Who does not listen any more does not want to know.
            let _ = listener.send(event.clone());
        }
        state.past.push(event);
        let wakers = std::mem::take(&mut state.wakers);
        drop(state);
        self.ended.notify_all();
        for waker in wakers {
            // A waker is its executor's own. Where one panics the others are still woken, and the engine's thread goes on.
            let _ = catch_unwind(AssertUnwindSafe(|| waker.wake()));
        }
    }

    /// What is behind the lock is whole at any time, so a panic of somebody who held it does not matter.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A job. Dropping the handle leaves the job as it is.
#[derive(Clone)]
pub struct JobHandle {
    shared: Arc<Shared>,
}

impl std::fmt::Debug for JobHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ended = self.poll_ended().is_some();
        f.debug_struct("JobHandle")
            .field("id", &self.shared.id)
            .field("ended", &ended)
            .finish()
    }
}

impl JobHandle {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// The caller's id.
    pub fn id(&self) -> &JobId {
        &self.shared.id
    }

    /// Waits until it has ended. It may be called from a thread of any rayon pool, as an engine works on threads of its own; but not from inside a
    /// request, work, source or prover of the same engine, whose threads the job may need.
    pub fn wait(&self) -> Arc<Ended> {
        let mut state = self.shared.lock();
        loop {
            if let Some(ended) = &state.ended {
                return Arc::clone(ended);
            }
            state = self
                .shared
                .ended
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// As [`wait`](Self::wait), for so long at most; `None` where it has not ended by then. It goes on.
    pub fn wait_for(&self, limit: Duration) -> Option<Arc<Ended>> {
        let deadline = Instant::now().checked_add(limit);
        let Some(deadline) = deadline else {
            return Some(self.wait());
        };
        let mut state = self.shared.lock();
        loop {
            if let Some(ended) = &state.ended {
                return Some(Arc::clone(ended));
            }
            let left = deadline.checked_duration_since(Instant::now())?;
            let waited = self.shared.ended.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// How it ended, if it has.
    pub fn poll_ended(&self) -> Option<Arc<Ended>> {
        self.shared.lock().ended.clone()
    }

    /// Cancels it, and says whether something of it was running. It ends at once; what is running goes on to its end and is
    /// thrown away, and its memory stays reserved until then. A job that has ended stays as it is.
    pub fn cancel(&self) -> bool {
        let engine = self.shared.engine.upgrade();
        engine.is_some_and(|engine| engine.cancel(self.shared.ticket))
    }

    /// Cancels it as long as nothing of it is running, and says whether it did.
    pub fn cancel_waiting(&self) -> bool {
        let engine = self.shared.engine.upgrade();
        engine.is_some_and(|engine| engine.cancel_waiting(self.shared.ticket))
    }

    /// Everything that happens to it, what has happened so far first. The channel closes after [`Event::Ended`].
    pub fn events(&self) -> Receiver<Event> {
        let (sender, receiver) = mpsc::channel();
        let mut state = self.shared.lock();
        for event in &state.past {
            // The receiver is here.
            let _ = sender.send(event.clone());
        }
        if state.ended.is_none() {
            state.listeners.push(sender);
        }
        receiver
    }
}

impl IntoFuture for JobHandle {
    type Output = Arc<Ended>;
    type IntoFuture = JobFuture;

    fn into_future(self) -> JobFuture {
        JobFuture {
            shared: self.shared,
        }
    }
}

/// Waits for a job on any executor.
pub struct JobFuture {
    shared: Arc<Shared>,
}

impl Future for JobFuture {
    type Output = Arc<Ended>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Arc<Ended>> {
        // Cloning and dropping it is its executor's own code: the lock is taken after it and released before.
        let waker = context.waker().clone();
        let mut state = self.shared.lock();
        if let Some(ended) = &state.ended {
            return Poll::Ready(Arc::clone(ended));
        }
        if !state.wakers.iter().any(|known| known.will_wake(&waker)) {
            state.wakers.push(waker);
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::super::Priority;
    use super::*;

    struct Nobody;

    impl Cancel for Nobody {
        fn cancel(&self, _: u64) -> bool {
            true
        }

        fn cancel_waiting(&self, _: u64) -> bool {
            true
        }
    }

    fn job() -> (Arc<Shared>, JobHandle, Arc<dyn Cancel>) {
        let engine: Arc<dyn Cancel> = Arc::new(Nobody);
        let shared = Shared::new("a".into(), 1, Arc::downgrade(&engine));
        (Arc::clone(&shared), JobHandle::new(shared), engine)
    }

    fn cancelled() -> Ended {
        Ended {
            result: Err(JobError::Cancelled),
            report: JobReport::default(),
        }
    }

    #[test]
    fn all_who_wait_are_told_and_nobody_waits_longer_than_asked() {
        let (shared, handle, _engine) = job();
        assert!(handle.wait_for(Duration::from_millis(1)).is_none());
        assert!(handle.wait_for(Duration::ZERO).is_none());
        let waiting = [(); 3].map(|()| {
            let handle = handle.clone();
            std::thread::spawn(move || handle.wait_for(Duration::MAX).is_some())
        });
        shared.end(cancelled());
        shared.end(Ended {
            result: Ok(vec![1]),
            report: JobReport::default(),
        });
        for thread in waiting {
            assert!(thread.join().expect("no panic"));
        }
        assert!(handle.wait().result.is_err(), "the first end counts");
    }

    #[test]
    fn a_future_is_woken_on_any_executor() {
        struct Thread(std::thread::Thread);
        impl std::task::Wake for Thread {
            fn wake(self: Arc<Self>) {
                self.0.unpark();
            }
        }
        let (shared, handle, _engine) = job();
        let waker = Arc::new(Thread(std::thread::current())).into();
        let mut future = std::pin::pin!(handle.into_future());
        let mut context = Context::from_waker(&waker);
        assert!(future.as_mut().poll(&mut context).is_pending());
        assert!(future.as_mut().poll(&mut context).is_pending());
        let end = std::thread::spawn(move || shared.end(cancelled()));
        while future.as_mut().poll(&mut context).is_pending() {
            std::thread::park();
        }
        end.join().expect("no panic");
    }

    #[test]
    fn who_listens_late_hears_it_all() {
        let (shared, handle, engine) = job();
        shared.tell(Event::Queued {
            priority: Priority::Low,
        });
        let early = handle.events();
        shared.tell(Event::Prepared { partitions: 1 });
        drop(handle.events());
        shared.end(cancelled());
        let late: Vec<_> = handle.events().iter().collect();
        assert_eq!(early.iter().collect::<Vec<_>>(), late);
        assert_eq!(late.len(), 3);
        assert_eq!(late[2], Event::Ended { proven: false });
        assert!(handle.cancel());
        drop(engine);
        assert!(!handle.cancel(), "the engine is gone");
    }
}
