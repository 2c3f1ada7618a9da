//! Where the time of a workload goes.
//!
//! A sampler says which functions were running, and who had called them (`perf`, `callgrind`, chosen by `sampler`).
//! What it names are the functions that are left in the binary: enforcing, linear combinations and field arithmetic are
//! inlined into each other there, so self time by such a name says little. `inlined` therefore replaces each address
//! by all functions that its line table has at this place. `timed` keeps what ran inside the workload's own clock, and
//! `categories` puts each stack where its innermost function that says something belongs. `account` adds up, `table`
//! shows it, `picture` draws it.

pub mod account;
pub mod callgrind;
pub mod categories;
pub mod error;
pub mod inlined;
pub mod perf;
pub mod picture;
pub mod sampler;
pub mod table;
pub mod timed;
#[cfg(all(test, unix))]
mod tools_tests;

use std::path::PathBuf;

use crate::results::Trial;
use crate::results::profile::Method;

/// A function as a sampler has it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RawFrame {
    /// Its name; a kernel's ends with [`KERNEL`].
    pub name: String,
    /// Where in the workload's binary; `None` for every other file.
    pub address: Option<u64>,
}

/// Marks functions of the kernel, in the form that flame graphs colour.
pub const KERNEL: &str = "_[k]";

/// A stack as a sampler has it, innermost function first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawStack {
    /// The functions.
    pub frames: Vec<RawFrame>,
    /// How many samples, or instructions.
    pub weight: u64,
}

/// A stack with the functions that were inlined, innermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    /// The functions.
    pub frames: Vec<String>,
    /// How many samples, or instructions.
    pub weight: u64,
}

/// What the addresses in a [`RawStack`] are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Offsets in the file.
    File,
    /// Addresses as its symbol table has them.
    Memory,
}

/// What a sampler brought back.
#[derive(Debug)]
pub struct Taken {
    /// How.
    pub method: Method,
    /// Why so, and what would allow better.
    pub reason: String,
    /// What else a person should know.
    pub notes: Vec<String>,
    /// What a sample stands for: nanoseconds, or cycles. `None` for counted instructions.
    pub stands_for: Option<u64>,
    /// The stacks.
    pub stacks: Vec<RawStack>,
    /// What their addresses are.
    pub space: Space,
    /// True where everything outside of the timed work is already left out.
    pub only_timed: bool,
    /// What the workload printed.
    pub trial: Trial,
    /// How often the work was done in `stacks`.
    pub runs: u64,
}

/// The programs that a profile needs.
#[derive(Clone, Debug)]
pub struct Tools {
    /// `perf`.
    pub perf: PathBuf,
    /// `valgrind`.
    pub valgrind: PathBuf,
    /// What the kernel lets a process without rights sample, where it says.
    pub paranoid: Option<i32>,
}

impl Tools {
    /// Those of this machine.
    pub fn of_this_machine() -> Self {
        let paranoid = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid");
        Self {
            perf: "perf".into(),
            valgrind: "valgrind".into(),
            paranoid: paranoid.ok().and_then(|text| text.trim().parse().ok()),
        }
    }
}
