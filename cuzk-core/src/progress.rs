//! How far a long piece of work has come.
//!
//! What takes its time here takes a `&dyn Progress`; `&()` is for those who do not care. One phase is open at a time: a
//! new one ends the one before. [`advance`](Progress::advance) comes from any thread, often, so it must be cheap and must
//! not block for long.

/// Hears of the phases of a piece of work and of how much of each is done.
pub trait Progress: Sync {
    /// A phase begins: its name, the amount of its work (0: unknown), and the unit of it.
    fn begin(&self, phase: &str, total: u64, unit: &'static str) {
        let _ = (phase, total, unit);
    }

    /// So much more of it is done. Called from any thread.
    fn advance(&self, amount: u64) {
        let _ = amount;
    }
}

/// Nobody listens.
impl Progress for () {}
