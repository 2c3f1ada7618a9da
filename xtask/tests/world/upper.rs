//! Made up for tests: the upper crate, which uses the lower one.

/// The sum of the numbers from 1 to `end`, doubled.
pub fn sum(end: u64) -> u64 {
    lower::twice(lower::sum_to(end))
}

/// How many of the numbers are even.
pub fn count_even(values: &[u64]) -> usize {
    let mut count = 0;
    for value in values {
        if lower::is_even(*value) {
            count += 1;
        }
    }
    count
}

/// The largest number; none of no numbers.
pub fn largest(values: &[u64]) -> Option<u64> {
    let first = *values.first()?;
    Some(values.iter().fold(first, |a, b| lower::largest(a, *b, 0)))
}
