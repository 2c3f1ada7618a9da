//! How jobs end, and the machine itself.

use super::types::Part;
use super::{Attempt, Closing, End, Machine, Notice, Ticket};

impl Machine {
    /// Cancels a job, and says whether something of it was running; `None` where it has ended already.
    pub fn cancel(&mut self, ticket: Ticket) -> Option<bool> {
        let job = self.jobs.get(&ticket).filter(|job| !job.ended)?;
        let running = job.is_running();
        self.end(ticket, End::Cancelled);
        self.admit();
        Some(running)
    }

    /// Takes no more jobs. [`Closing::Now`] ends those that are there, and may come after [`Closing::Drain`].
    pub fn close(&mut self, how: Closing) {
        if self.closing != Some(Closing::Now) {
            self.closing = Some(how);
        }
        if how == Closing::Now {
            let live = self.jobs.iter().filter(|(_, job)| !job.ended);
            let live: Vec<_> = live.map(|(ticket, _)| *ticket).collect();
            for ticket in live {
                self.end(ticket, End::ShutDown);
            }
        }
    }

    /// Ends a job: it is told once, its id is free, and nothing of it is begun any more. What is running is awaited.
    pub(super) fn end(&mut self, ticket: Ticket, end: End) {
        let Some(job) = self.jobs.get_mut(&ticket).filter(|job| !job.ended) else {
            return;
        };
        job.ended = true;
        self.notices.push(Notice::Ended(ticket, end));
        for (index, part) in job.parts.iter_mut().enumerate() {
            match *part {
                Part::Waiting { .. } | Part::Admitted { .. } => *part = Part::Done,
                Part::Synthesised { attempt } => {
                    *part = Part::Freeing { again: None };
                    let attempt = Attempt {
                        ticket,
                        part: index,
                        number: attempt,
                    };
                    self.notices.push(Notice::Drop(attempt));
                }
                // What is running is not interrupted, and what is being freed goes on.
                Part::Synthesising { .. }
                | Part::Proving { .. }
                | Part::Freeing { .. }
                | Part::Done => {}
            }
        }
        let order = job.order(ticket);
        if self.ids.get(&job.id) == Some(&ticket) {
            self.ids.remove(&job.id);
        }
        self.unprepared.remove(&order);
        self.waiting.remove(&order);
        self.settle(ticket);
    }

    /// Takes a job off the active ones where nothing of it has memory, and forgets it where it has ended.
    pub(super) fn settle(&mut self, ticket: Ticket) {
        let job = &self.jobs[&ticket];
        if !job.parts.iter().any(Part::has_memory) {
            self.active.remove(&job.order(ticket));
            self.forget_if_idle(ticket);
        }
    }

    pub(super) fn forget_if_idle(&mut self, ticket: Ticket) {
        let job = &self.jobs[&ticket];
        if job.ended && !job.preparing && !job.parts.iter().any(Part::has_memory) {
            self.jobs.remove(&ticket);
            self.notices.push(Notice::Forgotten(ticket));
        }
    }
}
