//! What the benches of this package share: settings, inputs, and what the allocator does with freed memory.
//!
//! A bench makes its input when it is first run, and compares one answer with plain arithmetic before anything is timed.
//! So `--list`, and a filter that leaves a bench out, cost nothing, and a kernel that is wrong is never timed.

use std::cell::LazyCell;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{Bencher, BenchmarkGroup, BenchmarkId, Criterion};

pub mod allocator;
pub mod values;

pub use values::Values;

/// Settings that let all benches of the package end within minutes; criterion's flags override them.
pub fn settings() -> Criterion {
    Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(150))
        .measurement_time(Duration::from_millis(500))
        .nresamples(20_000)
}

/// Whether each bench is run once to see that it works, as criterion decides it: `cargo test`, or `--test`.
pub fn smoke() -> bool {
    is_smoke(std::env::args().skip(1))
}

fn is_smoke(mut arguments: impl Iterator<Item = String>) -> bool {
    let mut bench = false;
    let test = arguments.any(|argument| {
        bench |= argument == "--bench";
        argument == "--test"
    });
    test || !bench
}

/// The size of an input: `full`, or `small` where nothing is measured, because `cargo test` may run without optimisation.
pub fn size(full: usize, small: usize) -> usize {
    match smoke() {
        true => full.min(small),
        false => full,
    }
}

/// Adds a bench. `make` makes its input, and panics where the kernel's answer is wrong; it runs only if the bench does.
pub fn bench<T>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    id: BenchmarkId,
    make: impl FnOnce() -> T,
    mut run: impl FnMut(&mut Bencher<'_, WallTime>, &T),
) {
    // Criterion calls a bench once a sample.
    let input = LazyCell::new(make);
    group.bench_function(id, |bencher| run(bencher, &input));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_cargo_bench_without_the_test_flag_measures() {
        for (arguments, expected) in [
            (&[][..], true),
            (&["eval"], true),
            (&["--bench"], false),
            (&["eval", "--bench"], false),
            (&["--test", "--bench"], true),
            (&["--bench", "--test"], true),
        ] {
            let arguments = arguments.iter().map(|a| (*a).to_owned());
            assert_eq!(is_smoke(arguments.clone()), expected, "{arguments:?}");
        }
    }

    #[test]
    fn inputs_of_a_test_are_small() {
        assert_eq!(size(1 << 20, 64), 64);
        assert_eq!(size(2, 64), 2);
    }

    #[test]
    fn an_input_that_nobody_runs_is_not_made() {
        let mut criterion = settings().with_filter("another");
        let mut group = criterion.benchmark_group("a group");
        bench(
            &mut group,
            BenchmarkId::from_parameter(1),
            || panic!("made"),
            |bencher, (): &()| bencher.iter(|| ()),
        );
        group.finish();
    }
}
