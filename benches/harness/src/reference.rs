//! Work that no patch can touch: a fixed walk over a small table, multiplied along the way.
//!
//! Every trial times it once, before its own work. Between two arms its time may differ only because the machine treated
//! them differently, so a difference here takes the others' word away. It allocates nothing: the work after it finds the
//! allocator as it would have been. The table fits a level-two cache, the walk depends on itself from step to step as
//! carries of field arithmetic do, and its end is known.

use std::hint::black_box;
use std::time::{Duration, Instant};

use thiserror::Error;

/// Steps of the walk: about 20 ms.
const STEPS: u32 = 4_000_000;
const ENTRIES: usize = 1 << 13;
/// Where the walk ends, as the test below computes it in another way.
const END: u64 = 0x087b_39e5_aadc_b968;
/// Knuth's MMIX multiplier and increment, "The Art of Computer Programming", volume 2, section 3.3.4.
const MULTIPLIER: u64 = 6_364_136_223_846_793_005;
const INCREMENT: u64 = 1_442_695_040_888_963_407;

/// The walk ended elsewhere: this machine computes wrongly.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error(
    "the reference walk ended at {found:#018x}, not at {END:#018x}: this machine computes wrongly"
)]
pub struct WrongEnd {
    found: u64,
}

/// The time of one walk.
pub fn measure() -> Result<Duration, WrongEnd> {
    let table = table();
    let start = Instant::now();
    let found = walk(black_box(&table), black_box(STEPS));
    let wall = start.elapsed();
    if found == END {
        Ok(wall)
    } else {
        Err(WrongEnd { found })
    }
}

fn table() -> [u64; ENTRIES] {
    let mut value = 1u64;
    std::array::from_fn(|_| {
        value = value.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT);
        value
    })
}

fn walk(table: &[u64; ENTRIES], steps: u32) -> u64 {
    let mut at = 1u64;
    for _ in 0..steps {
        let entry = table[(at >> 51) as usize];
        let product = u128::from(at) * u128::from(entry | 1);
        at = (product as u64) ^ ((product >> 64) as u64).wrapping_add(INCREMENT);
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The high half of a product of two words, from four products of half words.
    fn high(a: u64, b: u64) -> u64 {
        let (a1, a0, b1, b0) = (a >> 32, a & 0xffff_ffff, b >> 32, b & 0xffff_ffff);
        let low = a0 * b0;
        let middle = a1 * b0 + (low >> 32);
        let other = a0 * b1 + (middle & 0xffff_ffff);
        a1 * b1 + (middle >> 32) + (other >> 32)
    }

    #[test]
    fn the_end_is_known() {
        let table = table();
        let mut at = 1u64;
        for _ in 0..STEPS {
            let factor = table[(at / (1 << 51)) as usize] | 1;
            at = at.wrapping_mul(factor) ^ high(at, factor).wrapping_add(INCREMENT);
        }
        assert_eq!(at, END, "{at:#018x}");
        assert!(measure().is_ok_and(|wall| wall > Duration::ZERO));
    }
}
