//! From the rows of a matrix, one after the other, to the words of [`format`](super::format).
//!
//! Gadgets make runs of like rows, often several kinds by turns. So a few groups of repeated rows are open at a time, and a
//! row joins the one that it continues. Nothing but these groups is held back: whatever cannot grow any more is written.

use super::coefficients::{Code, Coder, SMALL_ZERO, doubled, small};
use super::format::{
    INPUT, MAX_ROW_STEP, MAX_RUN, MAX_RUN_STEP, MAX_SUM, MAX_TERMS, Repeated, Run, Term,
    write_single,
};

/// Groups that are open at most.
const MAX_OPEN: usize = 12;
/// How far a variable may advance from the first row of a group to the second. Words of a gadget lie further apart than
/// its bits, so more would take unlike rows for like ones.
const MAX_STEP: u32 = 8;

/// A term of a row: a variable, with [`INPUT`] for an input, and its coefficient, which is not zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) variable: u32,
    pub(super) code: Code,
}

/// A group of repeated rows that may go on.
#[derive(Clone, Debug)]
struct Open {
    head: Repeated,
    last_row: u32,
    terms: [Term; MAX_TERMS],
    last: [u32; MAX_TERMS],
}

impl Open {
    /// A group of one row, where `entries` are fit for it.
    fn start(row: u32, entries: &[Entry]) -> Option<Self> {
        let nothing = Term {
            variable: 0,
            code: SMALL_ZERO,
            step: 0,
        };
        let mut open = Open {
            head: Repeated {
                row,
                row_step: 0,
                rows: 1,
                terms: 0,
                constant: 0,
                least: 0,
            },
            last_row: row,
            terms: [nothing; MAX_TERMS],
            last: [0; MAX_TERMS],
        };
        let mut sum = 0;
        for entry in entries {
            let coefficient = small(entry.code)?;
            if entry.variable == INPUT {
                open.head.constant += coefficient;
                continue;
            }
            sum += coefficient.abs();
            if entry.variable & INPUT != 0 || sum > MAX_SUM || open.head.terms == MAX_TERMS {
                return None;
            }
            open.head.least += (-coefficient).max(0);
            open.last[open.head.terms] = entry.variable;
            open.terms[open.head.terms] = Term {
                variable: entry.variable,
                code: entry.code,
                step: 0,
            };
            open.head.terms += 1;
        }
        Some(open)
    }

    fn terms(&self) -> &[Term] {
        &self.terms[..self.head.terms]
    }

    /// Whether `next`, a group of one row, has the coefficients of this one.
    fn is_like(&self, next: &Self) -> bool {
        let codes = |open: &Self| open.terms.map(|term| term.code);
        self.head.terms == next.head.terms
            && self.head.constant == next.head.constant
            && codes(self) == codes(next)
    }

    /// Takes `next` in, which is a row further down, if it continues the group.
    fn join(&mut self, next: &Self) -> bool {
        let row_step = next.last_row - self.last_row;
        let terms = self.head.terms;
        if self.head.rows == 1 {
            let steps: [Option<u32>; MAX_TERMS] = std::array::from_fn(|i| {
                next.last[i]
                    .checked_sub(self.last[i])
                    .filter(|step| *step <= MAX_STEP)
            });
            if row_step > MAX_ROW_STEP || !self.is_like(next) || steps[..terms].contains(&None) {
                return false;
            }
            self.head.row_step = row_step;
            for (term, step) in self.terms.iter_mut().zip(steps) {
                term.step = step.unwrap_or(0);
            }
        } else {
            let advances = (0..terms).all(|i| next.last[i] == self.last[i] + self.terms[i].step);
            if row_step != self.head.row_step || !advances || !self.is_like(next) {
                return false;
            }
        }
        self.head.rows += 1;
        self.last_row = next.last_row;
        self.last = next.last;
        true
    }

    /// Whether a row after `row` could still join.
    fn lives(&self, row: u32) -> bool {
        match self.head.rows {
            1 => row < self.last_row + MAX_ROW_STEP,
            _ => row < self.last_row + self.head.row_step,
        }
    }
}

/// Encodes one matrix, chunk by chunk.
#[derive(Debug, Default)]
pub(super) struct Encoder {
    words: Vec<u32>,
    open: Vec<Open>,
    /// Terms that were written, and those that are in open groups.
    nonzeros: u64,
}

impl Encoder {
    /// The words of this chunk, without what is open.
    pub(super) fn words(&self) -> &[u32] {
        &self.words
    }

    pub(super) fn nonzeros(&self) -> u64 {
        self.nonzeros
    }

    pub(super) fn add_nonzeros(&mut self, more: u64) {
        self.nonzeros += more;
    }

    /// Encodes row `row` of the chunk: rows come in order. Its inputs stand before its private variables, each in order.
    pub(super) fn push(&mut self, row: u32, entries: &[Entry], coder: &Coder) {
        self.nonzeros += entries.len() as u64;
        let Some(new) = Open::start(row, entries) else {
            self.push_single(row, entries, coder);
            return;
        };
        // Groups of several rows first: what they expect is known.
        let grown = self.open.iter_mut().filter(|open| open.head.rows > 1);
        let joined = grown.rev().any(|open| open.join(&new))
            || self
                .open
                .iter_mut()
                .rev()
                .any(|open| open.head.rows == 1 && open.join(&new));
        let words = &mut self.words;
        self.open.retain(|open| {
            let lives = open.lives(row);
            if !lives {
                open.head.write(open.terms(), words);
            }
            lives
        });
        if !joined {
            if self.open.len() == MAX_OPEN {
                let oldest = self.open.remove(0);
                oldest.head.write(oldest.terms(), &mut self.words);
            }
            self.open.push(new);
        }
    }

    /// Writes what is open: there are no more rows in this chunk.
    pub(super) fn close(&mut self) {
        for open in self.open.drain(..) {
            open.head.write(open.terms(), &mut self.words);
        }
    }

    /// Forgets the words of this chunk, and keeps their memory for those of the next.
    pub(super) fn next_chunk(&mut self) {
        debug_assert!(self.open.is_empty());
        self.words.clear();
    }

    /// All words of this chunk, as if it ended here.
    pub(super) fn closed_words(&self) -> Vec<u32> {
        let mut words = self.words.clone();
        for open in &self.open {
            open.head.write(open.terms(), &mut words);
        }
        words
    }

    fn push_single(&mut self, row: u32, entries: &[Entry], coder: &Coder) {
        let head = self.words.len();
        write_single(row, 0, &mut self.words);
        let mut rest = entries;
        while let Some((run, after)) = take_run(rest, coder) {
            self.words.extend(run.words());
            self.words[head + 1] += 1;
            rest = after;
        }
    }
}

/// The longest run at the beginning of `entries`, and what is behind it.
fn take_run<'a>(entries: &'a [Entry], coder: &Coder) -> Option<(Run, &'a [Entry])> {
    let first = entries.first()?;
    let mut run = Run {
        variable: first.variable,
        code: first.code,
        step: 0,
        count: 1,
        doubling: false,
    };
    let doubles = |a: Code, b: Code| doubled(coder.limbs(a)) == *coder.limbs(b);
    for pair in entries.windows(2) {
        let step = pair[1].variable.wrapping_sub(pair[0].variable);
        // The constant one stays where it is when a part is appended, other inputs move.
        let constant = pair[0].variable == INPUT;
        if constant || step == 0 || step > MAX_RUN_STEP || run.count == MAX_RUN {
            break;
        }
        if run.count == 1 {
            run.doubling = pair[0].code != pair[1].code;
            run.step = step;
        }
        let goes_on = match run.doubling {
            true => doubles(pair[0].code, pair[1].code),
            false => pair[0].code == pair[1].code,
        };
        if step != run.step || !goes_on {
            break;
        }
        run.count += 1;
    }
    if run.count == 1 {
        (run.step, run.doubling) = (0, false);
    }
    Some((run, &entries[run.count as usize..]))
}
