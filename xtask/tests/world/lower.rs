//! Made up for tests: the lower crate.

/// Adds one.
pub fn one_more(value: u64) -> u64 {
    value + 1
}

/// Doubles.
pub fn twice(value: u64) -> u64 {
    let sum = value + value;
    sum
}

/// The sum of the numbers from 1 to `end`.
pub fn sum_to(end: u64) -> u64 {
    let mut sum = 0;
    let mut next = 1;
    while next <= end {
        sum += next;
        next = one_more(next);
    }
    sum
}

/// The largest of three.
pub fn largest(a: u64, b: u64, c: u64) -> u64 {
    let mut found = a;
    if b > found {
        found = b;
    }
    if c > found {
        found = c;
    }
    found
}

/// True for even numbers.
pub fn is_even(value: u64) -> bool {
    value % 2 == 0
}
