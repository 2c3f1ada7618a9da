//! The order in which the arms of each round run.
//!
//! A machine that warms up, or a neighbour that comes and goes, favours whoever runs first or last. So each order comes
//! together with its reverse, and the orders are shuffled: over an even number of rounds every arm precedes every
//! other one equally often. For two arms this is AB and BA, balanced, in random order.

use rand_chacha::rand_core::RngCore;

use super::stats::bootstrap::below;

/// For each round, the order of the slots `0..slots`.
pub fn orders(rounds: usize, slots: usize, rng: &mut impl RngCore) -> Vec<Vec<usize>> {
    let mut all = Vec::with_capacity(rounds + 1);
    while all.len() < rounds {
        let mut order: Vec<usize> = (0..slots).collect();
        shuffle(&mut order, rng);
        let mirrored: Vec<usize> = order.iter().rev().copied().collect();
        all.push(order);
        all.push(mirrored);
    }
    // An odd number of rounds: which of the last two is left out was decided by the shuffle that made them.
    all.truncate(rounds);
    shuffle(&mut all, rng);
    all
}

/// Fisher and Yates, as in Knuth, "The Art of Computer Programming", volume 2, algorithm P.
fn shuffle<T>(items: &mut [T], rng: &mut impl RngCore) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(rng, last + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::stats::bootstrap::generator;

    fn precedes(orders: &[Vec<usize>], first: usize, second: usize) -> usize {
        let place = |order: &[usize], slot| order.iter().position(|s| *s == slot);
        orders
            .iter()
            .filter(|order| place(order, first) < place(order, second))
            .count()
    }

    #[test]
    fn pairs_are_balanced_whatever_the_seed() {
        for seed in 0..50 {
            let even = orders(10, 2, &mut generator(seed, "order"));
            assert_eq!(precedes(&even, 0, 1), 5);
            let odd = orders(7, 2, &mut generator(seed, "order"));
            assert!([3, 4].contains(&precedes(&odd, 0, 1)));
        }
    }

    #[test]
    fn every_two_of_many_arms_are_balanced() {
        for slots in 2..8 {
            let found = orders(12, slots, &mut generator(1, "order"));
            for a in 0..slots {
                for b in 0..slots {
                    assert!(
                        a == b || precedes(&found, a, b) == 6,
                        "{slots} slots: {a}, {b}"
                    );
                }
            }
        }
    }

    #[test]
    fn each_round_runs_each_slot_once_and_the_seed_decides() {
        let found = orders(9, 5, &mut generator(4, "order"));
        for order in &found {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4]);
        }
        assert_eq!(found, orders(9, 5, &mut generator(4, "order")));
        assert_ne!(found, orders(9, 5, &mut generator(5, "order")));
    }

    #[test]
    fn the_first_order_is_not_always_the_same() {
        let first_is_a = (0..200)
            .filter(|seed| orders(6, 2, &mut generator(*seed, "order"))[0] == [0, 1])
            .count();
        assert!((70..130).contains(&first_is_a), "{first_is_a}");
    }
}
