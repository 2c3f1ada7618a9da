//! Categories as data: an ordered table of patterns on names of functions.
//!
//! A stack belongs where its innermost function that says something belongs. Vectors, iterators and memory copies say
//! nothing: they work for whoever called them, so the search goes on to the caller. A function that says something and
//! is in no category is unmatched, which the table shows; the search does not go on past it.

use super::KERNEL;
use super::timed::path;

/// Everything else that is known, and everything that is not.
pub const OTHER: &str = "other";

/// What a pattern says of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    /// It belongs to this category.
    Category(&'static str),
    /// It works for its caller.
    Nothing,
}

use Says::{Category, Nothing};

const ALLOCATION: Says = Category("allocation");
const FIELD: Says = Category("field arithmetic");
const ENFORCE: Says = Category("enforce");
const COMBINATIONS: Says = Category("linear combinations");
const EVALUATION: Says = Category("evaluation");
const CIRCUIT: Says = Category("circuit logic");
const POINTS: Says = Category("curve points");
const TRANSFORMS: Says = Category("transforms");
const ELSE: Says = Category(OTHER);

/// The first row that has a pattern for a function decides. A pattern is a function's path without generic arguments'
/// brackets in front (`timed::path`); `*` at either end stands for anything.
const TABLE: &[(Says, &[&str])] = &[
    // The kernel: page faults and mappings are what fresh memory costs; interrupts are nobody's.
    (
        ALLOCATION,
        &[
            "asm_exc_page_fault_[k]",
            "exc_page_fault_[k]",
            // `__x64_sys_brk`, `__do_sys_brk`, `__se_sys_brk`: which is left differs by kernel.
            "__*_sys_mmap*_[k]",
            "__*_sys_munmap*_[k]",
            "__*_sys_mremap*_[k]",
            "__*_sys_madvise*_[k]",
            "__*_sys_brk*_[k]",
            "el0_da_[k]",
        ],
    ),
    (
        ELSE,
        &[
            "asm_sysvec_*_[k]",
            "asm_common_interrupt_[k]",
            "el0_irq*_[k]",
            "do_syscall_64_[k]",
            "entry_SYSCALL_64*_[k]",
            "el0_svc*_[k]",
            "ret_from_fork*_[k]",
        ],
    ),
    (Nothing, &["*_[k]"]),
    // The allocator, and what decides to call it.
    (
        ALLOCATION,
        &[
            "malloc",
            "calloc",
            "realloc",
            "free",
            "cfree*",
            "__libc_malloc*",
            "__libc_free*",
            "__libc_realloc*",
            "_int_malloc*",
            "_int_free*",
            "_int_realloc*",
            "_mid_memalign*",
            "posix_memalign*",
            "aligned_alloc*",
            "malloc_consolidate*",
            "unlink_chunk*",
            "sysmalloc*",
            "systrim*",
            "tcache_*",
            "arena_get*",
            "mmap*",
            "munmap*",
            "__munmap*",
            "mremap*",
            "madvise*",
            "__rustc::__rust_*alloc*",
            "__rustc::__rdl_*",
            "__rust_*alloc*",
            "__rg_*alloc*",
            "workload::pages::*",
            "workload::_::__rg_*",
            "alloc::alloc::*",
            "std::alloc::*",
            "alloc::raw_vec::*grow*",
            "alloc::raw_vec::*reserve*",
            "alloc::raw_vec::*alloc*",
            "alloc::raw_vec::*with_capacity*",
            "alloc::raw_vec::*shrink*",
            "alloc::boxed::Box<*>::new",
        ],
    ),
    // Scalars, and the assembly below them.
    (
        FIELD,
        &[
            "blstrs::scalar::*",
            "ff::*",
            "blst_fr_*",
            "blst_scalar_*",
            "blst_uint64_from_fr*",
            "*mont_256*",
            "*mont_sparse_256*",
            "*by_1_256*",
            "*_mod_256*",
            "*sqr_n_mul_mont_383*",
            "*sparse_256*",
            "*_inverse_mod_*",
        ],
    ),
    (ENFORCE, &["ec_gpu_gen::multiexp_cpu::DensityTracker*"]),
    // Points of the curve and the field below them: proving and generating alone.
    (
        POINTS,
        &[
            "blstrs::g1::*",
            "blstrs::g2::*",
            "blstrs::fp*",
            "blstrs::gt::*",
            "blstrs::pairing::*",
            "blst_p1*",
            "blst_p2*",
            "blst_fp*",
            "POINTonE*",
            "*_384*",
            "bellperson::multiexp::*",
            "bellperson::groth16::generator::*",
            "ec_gpu_gen::multiexp::*",
            "ec_gpu_gen::multiexp_cpu::*",
            "pairing::*",
            "mul_fp*",
            "sqr_fp*",
            "add_fp*",
            "sub_fp*",
            "group::*",
        ],
    ),
    (
        TRANSFORMS,
        &[
            "ec_gpu_gen::fft*",
            "bellperson::domain::*",
            "ec_gpu_gen::domain::*",
        ],
    ),
    (
        EVALUATION,
        &[
            "bellperson::lc::eval*",
            "bellpepper_core::lc::add_product*",
            "bellpepper_core::lc::*::eval*",
        ],
    ),
    (
        COMBINATIONS,
        &[
            "bellpepper_core::lc::*",
            "bellperson::lc::*",
            // What a gadget adds to a combination of its caller's, or makes one of.
            "bellpepper_core::gadgets::*::lc",
            "bellpepper_core::gadgets::*::add_to_lc*",
            "bellpepper_core::gadgets::*::sub_from_lc*",
            "bellpepper_core::gadgets::*::add_bool_with_coeff*",
        ],
    ),
    (
        ENFORCE,
        &[
            "bellperson::groth16::prover::ProvingAssignment*>::enforce*",
            "bellperson::groth16::prover::density::*",
        ],
    ),
    (
        CIRCUIT,
        &[
            // Variables, and names of what is in the circuit.
            "bellperson::groth16::prover::ProvingAssignment*",
            "bellpepper_core::gadgets::*",
            "bellpepper_core::constraint_system::*",
            "bellpepper_core::util_cs::*",
            "bellpepper_core::*",
            "bellperson::gadgets::*",
            "bellperson::util_cs::*",
            "cuzk_circuits::*",
            "storage_proofs_*",
            "filecoin_*",
            "fr32::*",
            "neptune::*",
            "merkletree::*",
            "sha2::*",
            "blake2*",
            "generic_array::*",
        ],
    ),
    (
        ELSE,
        &[
            "cuzk_core::*",
            "bellperson::*",
            "workload::*",
            "cuzk_harness::*",
            "rayon_core::sleep::*",
            "rayon_core::registry::*wait*",
            "crossbeam*",
            "sched_yield*",
            "__sched_yield*",
            "syscall*",
            "yastl::*",
            "ec_gpu_gen::threadpool::*",
        ],
    ),
    (
        Nothing,
        &[
            "core::*",
            "alloc::*",
            "std::*",
            "rayon::*",
            "rayon_core::*",
            "hashbrown::*",
            "smallvec::*",
            "bitvec::*",
            "wyz::*",
            "tap::*",
            "bytes_are_zero",
            "funty::*",
            "byteorder::*",
            "is_zero",
            "@plt*",
            "arrayvec::*",
            "subtle::*",
            "rand_core::*",
            "u8*",
            "u32*",
            "u64*",
            "u128*",
            "usize*",
            "i32*",
            "i64*",
            "isize*",
            "bool*",
            "str>::*",
            "(*",
            "[T]*",
            "A as *",
            "T as *",
            "I as *",
            "R as *",
            "F as *",
            "C as *",
            "*mem*cpy*",
            "*mem*move*",
            "*mem*set*",
            "*mem*cmp*",
            "*bcmp*",
            "vec_*",
            "[unknown]",
            "_start",
            "main",
            "start_thread",
            "clone3",
            "__libc_start*",
        ],
    ),
];

/// Where a stack belongs, and the function that says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place<'a> {
    /// Its category.
    Known {
        /// The category.
        category: &'static str,
        /// The function.
        function: &'a str,
    },
    /// No category has this function.
    Unknown {
        /// The innermost function that says something.
        function: &'a str,
    },
}

/// The place of a stack, innermost function first.
pub fn place(frames: &[String]) -> Place<'_> {
    for function in frames {
        match says(function) {
            Some(Category(category)) => return Place::Known { category, function },
            Some(Nothing) => {}
            None => return Place::Unknown { function },
        }
    }
    Place::Unknown {
        function: frames.first().map_or("[nothing]", String::as_str),
    }
}

fn says(function: &str) -> Option<Says> {
    let path = path(function);
    let row = TABLE
        .iter()
        .find(|(_, patterns)| patterns.iter().any(|pattern| matches(pattern, path)));
    row.map(|(says, _)| *says)
}

/// A pattern's pieces lie in the text in their order; the first and the last at its ends.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(first) else {
        return false;
    };
    let mut pieces = rest.split('*').peekable();
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return text.ends_with(piece);
        }
        let Some(at) = text.find(piece) else {
            return false;
        };
        text = &text[at + piece.len()..];
    }
    true
}

/// A name that fits into a table: without generic arguments, and of `<T as Trait>::f` the type and `f`.
pub fn short(name: &str) -> String {
    if name.starts_with("core::ptr::drop_in_place") {
        let dropped = path(name);
        let dropped = dropped.strip_suffix('>').unwrap_or(dropped);
        return format!("{}::drop", without_arguments(dropped));
    }
    let kernel = name.strip_suffix(KERNEL);
    let plain = without_arguments(kernel.unwrap_or(name));
    let plain = match plain
        .strip_prefix('<')
        .and_then(|rest| rest.split_once(" as "))
    {
        Some((of, implemented)) => match implemented.split_once(">::") {
            Some((_, function)) => format!("{of}::{function}"),
            None => plain.clone(),
        },
        None => plain.replacen('<', "", 1).replacen(">::", "::", 1),
    };
    match kernel {
        Some(_) => plain + KERNEL,
        None => plain,
    }
}

/// Drops `<…>` behind a name, and keeps those that a name begins with, whose `as` says what is implemented for what.
fn without_arguments(name: &str) -> String {
    let mut kept = String::with_capacity(name.len());
    let mut depth = 0_usize;
    for (at, letter) in name.char_indices() {
        match letter {
            '<' if depth > 0 || (at > 0 && !name[..at].ends_with(['&', ' '])) => depth += 1,
            '>' if depth > 0 && !name[..at].ends_with('-') => depth -= 1,
            _ if depth == 0 => kept.push(letter),
            _ => {}
        }
    }
    kept.replace("::::", "::")
}

#[cfg(test)]
#[path = "categories_tests.rs"]
mod tests;
