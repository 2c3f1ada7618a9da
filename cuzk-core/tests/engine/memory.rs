//! What never fits, and what fits alone.

use std::time::Duration;

use cuzk_core::budget::Sizes;
use cuzk_core::engine::{Engine, Submission};
use cuzk_core::job::JobError;

use super::LONG;
use super::common::{CountingSrs, SIZES, config, prover, squares_of, verify};

const MIB: u64 = 1 << 20;

#[test]
fn what_never_fits_is_refused_with_the_numbers_and_the_rest_goes_on() {
    let engine = Engine::start(config(100 * MIB, &prover())).expect("starts");
    let capacity = engine.metrics().capacity;
    let huge = Sizes {
        constraints: 1 << 20,
        ..SIZES
    };
    let absurd = Sizes {
        constraints: u64::MAX,
        inputs: u64::MAX,
        aux: u64::MAX,
    };
    for (sizes, srs_mib) in [
        (huge, 0),
        (absurd, 0),
        (SIZES, 200),
        (SIZES, u64::MAX >> 20),
    ] {
        let srs = CountingSrs::new("weighty", srs_mib * MIB, Duration::ZERO);
        let job = engine
            .submit(Submission::new("a", squares_of(1, 1, srs, sizes)))
            .expect("is taken");
        let ended = job.handle.wait_for(LONG).expect("ends");
        match &ended.result {
            Err(
                error @ JobError::NeverFits {
                    needed,
                    parameters,
                    capacity: said,
                    ..
                },
            ) => {
                assert_eq!((*said, *parameters), (capacity, srs_mib * MIB));
                assert!(*needed > capacity, "{error}");
                assert!(error.to_string().contains("MiB"), "{error}");
            }
            other => panic!("{other:?}"),
        }
    }
    let good = engine
        .submit(Submission::new("a", super::common::squares(1, 1)))
        .expect("is taken");
    verify(&good.handle.wait_for(LONG).expect("ends"), 1, 1);
    assert!(engine.wait_idle(LONG));
    assert_eq!(engine.metrics().reserved, 0);
}

#[test]
fn a_budget_for_one_partition_proves_one_after_another() {
    // A partition of these counts takes 24 MiB, and 8 on top.
    let sizes = Sizes {
        constraints: 1 << 18,
        ..SIZES
    };
    let engine = Engine::start(config(40 * MIB, &prover())).expect("starts");
    let job = engine
        .submit(Submission::new(
            "a",
            squares_of(4, 1, super::common::srs(), sizes),
        ))
        .expect("is taken");
    verify(&job.handle.wait_for(LONG).expect("ends"), 1, 4);
    let metrics = engine.metrics();
    assert!(metrics.reserved_most <= metrics.capacity);
    assert!(metrics.reserved_most > 30 * MIB, "{metrics:?}");
}
