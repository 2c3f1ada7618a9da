use super::*;

fn stack(frames: &[&str]) -> Vec<String> {
    frames.iter().map(|f| (*f).to_owned()).collect()
}

fn category(frames: &[&str]) -> Option<&'static str> {
    match place(&stack(frames)) {
        Place::Known { category, .. } => Some(category),
        Place::Unknown { .. } => None,
    }
}

const ENFORCE: &str = "<bellperson::groth16::prover::ProvingAssignment<Scalar> as \
    bellpepper_core::constraint_system::ConstraintSystem<Scalar>>::enforce";

/// Names as they stand in binaries of the arms, and in this machine's kernel and C library.
#[test]
fn functions_that_say_something() {
    for (name, expected) in [
        (ENFORCE, "enforce"),
        (
            "bellperson::groth16::prover::density::Density::inc",
            "enforce",
        ),
        (
            "<bellperson::groth16::prover::ProvingAssignment<Scalar> as \
             bellpepper_core::constraint_system::ConstraintSystem<Scalar>>::alloc",
            "circuit logic",
        ),
        (
            "bellpepper_core::lc::LinearCombination<Scalar>::eval",
            "evaluation",
        ),
        ("blstrs::scalar::add_limbs", "field arithmetic"),
        (
            "bellperson::groth16::prover::synthesize_circuits_batch",
            "other",
        ),
        ("ec_gpu_gen::multiexp_cpu::DensityTracker::inc", "enforce"),
        (
            "bellpepper_core::lc::Indexer<T>::insert_or_update",
            "linear combinations",
        ),
        (
            "bellpepper_core::lc::Indexer<T>::merge",
            "linear combinations",
        ),
        (
            "bellpepper_core::lc::LinearCombination<Scalar>::sub_unsimplified",
            "linear combinations",
        ),
        (
            "<bellpepper_core::lc::LinearCombination<Scalar> as core::ops::arith::Add<(Scalar,bellpepper_core::lc::\
             Variable)>>::add",
            "linear combinations",
        ),
        (
            "core::ptr::drop_in_place<bellpepper_core::lc::LinearCombination<blstrs::scalar::Scalar>>",
            "linear combinations",
        ),
        (
            "bellpepper_core::gadgets::boolean::Boolean::add_to_lc",
            "linear combinations",
        ),
        (
            "bellpepper_core::gadgets::boolean::Boolean::lc",
            "linear combinations",
        ),
        ("bellperson::lc::eval_with_trackers", "evaluation"),
        ("bellpepper_core::lc::add_product", "evaluation"),
        (
            "<blstrs::scalar::Scalar as core::ops::arith::AddAssign>::add_assign",
            "field arithmetic",
        ),
        (
            "<&blstrs::scalar::Scalar as core::ops::arith::Mul>::mul",
            "field arithmetic",
        ),
        ("__mulx_mont_sparse_256", "field arithmetic"),
        ("__mulx_by_1_mont_256", "field arithmetic"),
        ("mul_mont_sparse_256$1", "field arithmetic"),
        ("from_mont_256$1", "field arithmetic"),
        ("blst_fr_add", "field arithmetic"),
        ("blst_uint64_from_fr", "field arithmetic"),
        ("malloc", "allocation"),
        ("_int_free", "allocation"),
        (
            "<workload::pages::Pages as core::alloc::global::GlobalAlloc>::dealloc",
            "allocation",
        ),
        ("__rustc::__rust_alloc", "allocation"),
        ("alloc::raw_vec::RawVecInner<A>::finish_grow", "allocation"),
        ("alloc::raw_vec::RawVec<T,A>::grow_one", "allocation"),
        (
            "bellperson::gadgets::multieq::MultiEq<Scalar,CS>::enforce_equal_with",
            "circuit logic",
        ),
        (
            "bellpepper_core::gadgets::boolean::Boolean::xor::{{closure}}",
            "circuit logic",
        ),
        (
            "bellpepper_core::gadgets::boolean::Boolean::sha256_maj",
            "circuit logic",
        ),
        (
            "<cuzk_circuits::sha256::Sha256Circuit as bellpepper_core::constraint_system::Circuit<F>>::synthesize",
            "circuit logic",
        ),
        (
            "storage_proofs_porep::stacked::circuit::params::Proof<H,G>::synthesize",
            "circuit logic",
        ),
        ("blst_p1_add_or_double", "curve points"),
        ("__mulx_mont_384", "curve points"),
        ("__mulx_384", "curve points"),
        ("ec_gpu_gen::multiexp_cpu::shr", "curve points"),
        ("ec_gpu_gen::fft_cpu::serial_fft", "transforms"),
        ("rayon_core::sleep::Sleep::sleep", "other"),
    ] {
        assert_eq!(category(&[name, "main"]), Some(expected), "{name}");
    }
}

#[test]
fn helpers_work_for_their_caller() {
    let copied = |caller: &str| {
        category(&[
            "__memmove_avx512_unaligned_erms",
            "alloc::vec::Vec<T,A>::push",
            caller,
        ])
    };
    assert_eq!(copied(ENFORCE), Some("enforce"));
    assert_eq!(
        copied("bellpepper_core::lc::Indexer<T>::merge"),
        Some("linear combinations")
    );
    // A copy that grows a vector is what growing costs.
    assert_eq!(copied("realloc"), Some("allocation"));
    for helper in [
        "<u64>::overflowing_sub",
        "<T as core::array::equality::SpecArrayEq<U,_>>::spec_eq",
        "<usize as core::slice::index::SliceIndex<[T]>>::index",
        "core::ptr::write",
        "alloc::raw_vec::RawVecInner<A>::non_null",
    ] {
        assert_eq!(
            category(&[helper, "blstrs::scalar::add_limbs"]),
            Some("field arithmetic"),
            "{helper}"
        );
    }
    assert_eq!(
        category(&[
            "<core::iter::adapters::map::Map<I,F> as core::iter::traits::iterator::Iterator>::try_fold",
            ENFORCE
        ]),
        Some("enforce")
    );
}

#[test]
fn a_page_fault_is_what_fresh_memory_costs_and_an_interrupt_is_nobodys() {
    let fault = [
        "clear_page_erms_[k]",
        "do_anonymous_page_[k]",
        "exc_page_fault_[k]",
        "asm_exc_page_fault_[k]",
        ENFORCE,
    ];
    assert_eq!(category(&fault), Some("allocation"));
    let interrupt = [
        "handle_softirqs_[k]",
        "asm_sysvec_apic_timer_interrupt_[k]",
        ENFORCE,
    ];
    assert_eq!(category(&interrupt), Some("other"));
    let call = [
        "vms_gather_munmap_vmas_[k]",
        "__do_sys_brk_[k]",
        "do_syscall_64_[k]",
        "brk",
    ];
    assert_eq!(category(&call), Some("allocation"));
    let call = [
        "move_page_tables_[k]",
        "__x64_sys_mremap_[k]",
        "do_syscall_64_[k]",
        "mremap",
    ];
    assert_eq!(category(&call), Some("allocation"));
    assert_eq!(
        category(&["x_[k]", "do_syscall_64_[k]", "sched_yield"]),
        Some("other")
    );
}

#[test]
fn what_no_category_knows_stops_the_search() {
    let frames = stack(&["core::mem::swap", "novel::thing", ENFORCE]);
    assert_eq!(
        place(&frames),
        Place::Unknown {
            function: "novel::thing"
        }
    );
    let frames = stack(&["[unknown]"]);
    assert_eq!(
        place(&frames),
        Place::Unknown {
            function: "[unknown]"
        }
    );
    assert_eq!(
        place(&[]),
        Place::Unknown {
            function: "[nothing]"
        }
    );
}

#[test]
fn stars_stand_for_anything() {
    for (pattern, text, expected) in [
        ("free", "free", true),
        ("free", "freeze", false),
        ("a::*", "a::b", true),
        ("a::*", "ba::b", false),
        ("*_[k]", "x_[k]", true),
        ("*_[k]", "x_[k]y", false),
        ("*mont_256*", "__mulx_mont_256$1", true),
        ("a::*::lc", "a::b::C::lc", true),
        ("a::*::lc", "a::b::C::lcs", false),
        ("*a*b*c", "xxaxbxc", true),
        ("*a*b*c", "xxbxaxc", false),
    ] {
        assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
    }
}

#[test]
fn names_that_fit_into_a_table() {
    for (name, expected) in [
        (
            ENFORCE,
            "bellperson::groth16::prover::ProvingAssignment::enforce",
        ),
        (
            "bellpepper_core::lc::Indexer<T>::insert_or_update",
            "bellpepper_core::lc::Indexer::insert_or_update",
        ),
        (
            "bellpepper_core::lc::Indexer::<T>::merge",
            "bellpepper_core::lc::Indexer::merge",
        ),
        ("<a::B<T>>::c", "a::B::c"),
        (
            "<a::B as c::D<fn(X) -> Y>>::e::{{closure}}",
            "a::B::e::{{closure}}",
        ),
        (
            "rayon::result::<impl rayon::iter::F<R<T,E>> for core::result::Result<C,E>>::from_par_iter",
            "rayon::result::from_par_iter",
        ),
        ("core::ptr::drop_in_place<a::B<c::D>>", "a::B::drop"),
        ("clear_page_erms_[k]", "clear_page_erms_[k]"),
        ("malloc", "malloc"),
    ] {
        assert_eq!(short(name), expected, "{name}");
    }
}

/// A row behind one that takes everything of its kind would never be read.
#[test]
fn no_pattern_is_there_twice() {
    let mut all: Vec<&str> = TABLE
        .iter()
        .flat_map(|(_, patterns)| *patterns)
        .copied()
        .collect();
    all.sort_unstable();
    let count = all.len();
    all.dedup();
    assert_eq!(all.len(), count);
}
