//! How the rows of a matrix are written down: as words of 32 bits.
//!
//! Rows come in chunks of at most [`CHUNK_ROWS`], in each of which a thread can start. A chunk is a sequence of two kinds of
//! groups, in no order; together they have each row of the chunk once.
//!
//! ```text
//! repeated rows   row << 1 | row step << 13 | (rows - 1) << 17
//!                 terms | (constant + CONSTANT_ZERO) << 8 | least << 20
//!                 a term:  first variable,  code | variable step << 20
//! one row         1 | row << 1
//!                 runs
//!                 a run:   first variable,  code | variable step << 20 | (variables - 1) << 24 | doubling << 30
//! ```
//!
//! Repeated rows have the same coefficients, small integers all, and each of their variables advances by its own step from
//! row to row. These variables are private; the constant one is in `constant`. `least` is the magnitude of the least sum that
//! terms can have when all variables are bits. Rows that do not fit this are written alone, as runs of variables at equal
//! distances whose coefficients are equal, or double from one to the next; bit 31 of a variable says that it is an input.

use super::coefficients::{Code, small};

/// Most rows of a chunk: the values of a chunk stay in a core's cache.
pub(super) const CHUNK_ROWS: u32 = 4096;
/// Bit of a variable that is an input.
pub(super) const INPUT: u32 = 1 << 31;
/// Most terms of repeated rows.
pub(super) const MAX_TERMS: usize = 8;
/// Greatest magnitude of the constant of repeated rows, and greatest sum of the magnitudes of their coefficients: a byte.
pub(super) const MAX_SUM: i64 = 255;
/// Greatest row step of repeated rows.
pub(super) const MAX_ROW_STEP: u32 = 15;
/// Greatest variable step within a run.
pub(super) const MAX_RUN_STEP: u32 = 15;
/// Most variables of a run.
pub(super) const MAX_RUN: u32 = 64;

const CONSTANT_ZERO: i64 = 512;

/// A term of repeated rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Term {
    /// The private variable of the first row.
    pub(super) variable: u32,
    pub(super) code: Code,
    /// How far the variable advances from row to row, below 4096.
    pub(super) step: u32,
}

impl Term {
    #[inline(always)]
    pub(super) fn read(words: &[u32]) -> Self {
        Self {
            variable: words[0],
            code: words[1] & 0xf_ffff,
            step: words[1] >> 20,
        }
    }
}

/// The head of repeated rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Repeated {
    pub(super) row: u32,
    pub(super) row_step: u32,
    pub(super) rows: u32,
    pub(super) terms: usize,
    pub(super) constant: i64,
    pub(super) least: i64,
}

impl Repeated {
    #[inline(always)]
    pub(super) fn read(words: [u32; 2]) -> Self {
        Self {
            row: words[0] >> 1 & 0xfff,
            row_step: words[0] >> 13 & 0xf,
            rows: (words[0] >> 17 & 0xfff) + 1,
            terms: (words[1] & 0xff) as usize,
            constant: i64::from(words[1] >> 8 & 0xfff) - CONSTANT_ZERO,
            least: i64::from(words[1] >> 20),
        }
    }

    /// Writes the head and the terms.
    pub(super) fn write(&self, terms: &[Term], out: &mut Vec<u32>) {
        debug_assert_eq!(self.terms, terms.len());
        out.push(self.row << 1 | self.row_step << 13 | (self.rows - 1) << 17);
        let constant = (self.constant + CONSTANT_ZERO) as u32;
        out.push(self.terms as u32 | constant << 8 | (self.least as u32) << 20);
        for term in terms {
            out.extend([term.variable, term.code | term.step << 20]);
        }
    }
}

/// A run of variables within a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// The first variable; with [`INPUT`] it is an input.
    pub(super) variable: u32,
    /// The first coefficient.
    pub(super) code: Code,
    /// From a variable to the next.
    pub(super) step: u32,
    /// Number of variables, 1 to [`MAX_RUN`].
    pub(super) count: u32,
    /// Whether coefficients double from one to the next; they are equal otherwise.
    pub(super) doubling: bool,
}

impl Run {
    #[inline(always)]
    pub(super) fn read(words: &[u32]) -> Self {
        Self {
            variable: words[0],
            code: words[1] & 0xf_ffff,
            step: words[1] >> 20 & 0xf,
            count: (words[1] >> 24 & 0x3f) + 1,
            doubling: words[1] >> 30 & 1 == 1,
        }
    }

    pub(super) fn words(&self) -> [u32; 2] {
        let shape = self.step << 20 | (self.count - 1) << 24 | u32::from(self.doubling) << 30;
        [self.variable, self.code | shape]
    }
}

/// A group of a chunk.
#[derive(Clone, Copy, Debug)]
pub(super) enum Group<'a> {
    /// The words of the terms follow.
    Repeated(Repeated, &'a [u32]),
    /// A row alone, and the words of its runs.
    Single(u32, &'a [u32]),
}

/// Takes the next group off `words`; `None` where they end, or end in the middle of a group.
#[inline(always)]
pub(super) fn next_group<'a>(words: &mut &'a [u32]) -> Option<Group<'a>> {
    let (head, rest) = words.split_first_chunk::<2>()?;
    if head[0] & 1 == 0 {
        let head = Repeated::read(*head);
        let (terms, rest) = rest.split_at_checked(2 * head.terms)?;
        *words = rest;
        Some(Group::Repeated(head, terms))
    } else {
        let (runs, rest) = rest.split_at_checked((head[1] as usize).checked_mul(2)?)?;
        *words = rest;
        Some(Group::Single(head[0] >> 1, runs))
    }
}

/// Writes the head of a row alone.
pub(super) fn write_single(row: u32, runs: usize, out: &mut Vec<u32>) {
    out.extend([1 | row << 1, runs as u32]);
}

/// Rewrites variables and codes of a chunk's groups in place.
pub(super) fn rename(
    words: &mut [u32],
    mut variable: impl FnMut(u32) -> u32,
    mut code: impl FnMut(Code) -> Code,
) {
    let mut at = 0;
    while at + 1 < words.len() {
        let entries = match words[at] & 1 {
            0 => (words[at + 1] & 0xff) as usize,
            _ => words[at + 1] as usize,
        };
        at += 2;
        for entry in words[at..at + 2 * entries].chunks_exact_mut(2) {
            entry[0] = variable(entry[0]);
            entry[1] = entry[1] & !0xf_ffff | code(entry[1] & 0xf_ffff);
        }
        at += 2 * entries;
    }
}

/// What is wrong with a chunk of `rows` rows, if anything. `seen` is memory for a bit a row.
///
/// All that products rely on is looked at here: each row is there once, variables are below `aux` and `inputs`, codes below
/// `codes`, and sums of small integers fit their bytes.
pub(super) fn check_chunk(
    mut words: &[u32],
    rows: u32,
    aux: u64,
    inputs: u64,
    codes: u32,
    seen: &mut [u64; CHUNK_ROWS as usize / 64],
) -> Result<u64, &'static str> {
    *seen = [0; CHUNK_ROWS as usize / 64];
    let mut covered = 0;
    let mut nonzeros = 0;
    let mut cover = |row: u32| {
        let (word, bit) = (row as usize / 64, 1 << (row % 64));
        let free = row < rows && seen[word] & bit == 0;
        if free {
            seen[word] |= bit;
            covered += 1;
        }
        free.then_some(())
            .ok_or("a row is there twice, or past the end of its chunk")
    };
    while !words.is_empty() {
        match next_group(&mut words).ok_or("a group ends early")? {
            Group::Repeated(head, terms) => {
                for i in 0..head.rows {
                    cover(head.row + i * head.row_step)?;
                }
                if head.terms > MAX_TERMS || head.constant.abs() > MAX_SUM {
                    return Err("repeated rows have too many terms");
                }
                let (mut sum, mut least) = (0, 0);
                for term in terms.chunks_exact(2).map(Term::read) {
                    let coefficient = small(term.code).ok_or("a coefficient is not small")?;
                    sum += coefficient.abs();
                    least += (-coefficient).max(0);
                    let last =
                        u64::from(term.variable) + u64::from(term.step) * u64::from(head.rows - 1);
                    if last >= aux.min(u64::from(INPUT)) {
                        return Err("there is no such private variable");
                    }
                }
                if sum > MAX_SUM || least != head.least {
                    return Err("the sum of repeated rows is out of range");
                }
                let a_row = head.terms as u64 + u64::from(head.constant != 0);
                nonzeros += u64::from(head.rows) * a_row;
            }
            Group::Single(row, runs) => {
                cover(row)?;
                for run in runs.chunks_exact(2).map(Run::read) {
                    let range = if run.variable & INPUT == 0 {
                        aux
                    } else {
                        inputs
                    };
                    let first = u64::from(run.variable & !INPUT);
                    if first + u64::from(run.step) * u64::from(run.count - 1) >= range {
                        return Err("there is no such variable");
                    }
                    if run.code >= codes {
                        return Err("there is no such coefficient");
                    }
                    nonzeros += u64::from(run.count);
                }
            }
        }
    }
    match covered == rows {
        true => Ok(nonzeros),
        false => Err("a row is missing"),
    }
}
