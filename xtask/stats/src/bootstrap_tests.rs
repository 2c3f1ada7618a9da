use super::*;
use proptest::prelude::*;
use rand_chacha::rand_core::{Error, RngCore, impls};

const VALUES: [f64; 9] = [
    -0.12, -0.11, -0.13, -0.10, -0.125, -0.09, -0.14, -0.115, -0.118,
];

fn interval(seed: u64, label: &str) -> [f64; 2] {
    median_interval(&VALUES, 0.95, 10_000, &mut generator(seed, label)).expect("nine values")
}

#[test]
fn a_seed_and_a_label_decide_the_interval() {
    assert_eq!(interval(7, "row"), interval(7, "row"));
    let streams: Vec<u64> = [(7, "row"), (8, "row"), (7, "other")]
        .map(|(seed, label)| generator(seed, label).next_u64())
        .to_vec();
    assert!(streams[0] != streams[1] && streams[0] != streams[2]);
}

/// For an odd number of distinct values the bootstrap distribution of the median is known in closed form: the
/// median is at most the k-th value when at least (n + 1) / 2 of n draws are, a binomial probability.
#[test]
fn ends_agree_with_the_closed_form() {
    let n = VALUES.len() as i32;
    let mut sorted = VALUES.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let choose = |k: i32| (0..k).fold(1.0, |c, i| c * f64::from(n - i) / f64::from(i + 1));
    let at_most = |k: i32| {
        let share = f64::from(k) / f64::from(n);
        (n / 2 + 1..=n)
            .map(|j| choose(j) * share.powi(j) * (1.0 - share).powi(n - j))
            .sum::<f64>()
    };
    let value_at = |q: f64| {
        let k = (1..=n)
            .find(|k| at_most(*k) >= q)
            .expect("the last is certain");
        sorted[k as usize - 1]
    };
    assert_eq!(interval(1, "row"), [value_at(0.025), value_at(0.975)]);
}

#[test]
fn one_value_is_its_own_interval() {
    let found = median_interval(&[0.5], 0.95, 100, &mut generator(1, "")).expect("one value");
    assert_eq!(found, [0.5, 0.5]);
    assert_eq!(median_interval(&[], 0.95, 100, &mut generator(1, "")), None);
}

#[test]
fn numbers_below_a_bound_cover_it_evenly() {
    let mut rng = generator(3, "below");
    let mut seen = [0u32; 6];
    for _ in 0..60_000 {
        seen[below(&mut rng, 6)] += 1;
    }
    assert!(
        seen.iter().all(|count| (9_500..10_500).contains(count)),
        "{seen:?}"
    );
}

/// The published check values of FNV-1a, 64 bits.
#[test]
fn hash_of_labels() {
    assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
    assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
}

/// A generator that gives many words which no bound but a power of two accepts.
struct Refused(ChaCha8Rng);

impl RngCore for Refused {
    fn next_u32(&mut self) -> u32 {
        self.next_u64() as u32
    }

    fn next_u64(&mut self) -> u64 {
        let word = self.0.next_u64();
        if word.is_multiple_of(4) { 0 } else { word }
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        impls::fill_bytes_via_next(self, bytes);
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
        self.fill_bytes(bytes);
        Ok(())
    }
}

/// Values with and without ties, zeros of both signs among them.
fn values() -> impl Strategy<Value = Vec<f64>> {
    let tied = (-4i8..4).prop_map(|v| f64::from(v) / 8.0);
    let any = prop_oneof![-1.0..1.0f64, tied, Just(-0.0)];
    prop::collection::vec(any, 1..90)
}

fn bits(interval: Option<[f64; 2]>) -> [u64; 2] {
    interval.expect("there are values").map(f64::to_bits)
}

proptest! {
    #[test]
    fn counting_and_sorting_give_the_same_interval(
        values in values(),
        confidence in 0.0..1.0f64,
        resamples in 1usize..300,
        seed: u64,
    ) {
        let [mut a, mut b] = [generator(seed, "row"), generator(seed, "row")];
        let counted = median_interval(&values, confidence, resamples, &mut a);
        let sorted = median_interval_by_sorting(&values, confidence, resamples, &mut b);
        prop_assert_eq!(bits(counted), bits(sorted));
        // Both leave the generator at the same place.
        prop_assert_eq!(a.get_word_pos(), b.get_word_pos());
    }

    #[test]
    fn words_that_are_refused_change_nothing(values in values(), seed: u64) {
        let [mut a, mut b] = [seed, seed].map(|s| Refused(generator(s, "row")));
        let counted = median_interval_by_counting(&values, 0.95, 50, &mut a);
        let sorted = median_interval_by_sorting(&values, 0.95, 50, &mut b);
        prop_assert_eq!(bits(counted), bits(sorted));
        prop_assert_eq!(a.next_u64(), b.next_u64());
    }

    #[test]
    fn a_quantile_needs_no_sorting(values in values(), q in 0.0..=1.0f64) {
        let mut sorted = values.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let mut moved = values;
        prop_assert_eq!(quantile_by_selection(&mut moved, q), quantile_of_sorted(&sorted, q));
    }
}

#[test]
fn no_resample_gives_no_interval() {
    let mut rng = generator(1, "");
    assert_eq!(median_interval(&VALUES, 0.95, 0, &mut rng), None);
    assert_eq!(median_interval_by_sorting(&[], 0.95, 9, &mut rng), None);
}

/// Times both, where it is asked for: `cargo test --release -p cuzk-stats -- --ignored --nocapture a_resample`.
#[test]
#[ignore = "a measurement"]
fn a_resample_takes() {
    const RESAMPLES: usize = 10_000;
    let best = |interval: &dyn Fn(&mut ChaCha8Rng) -> Option<[f64; 2]>| {
        let timed = |_| {
            let begin = std::time::Instant::now();
            interval(&mut generator(1, "row")).expect("values");
            begin.elapsed().as_secs_f64() * 1e6 / RESAMPLES as f64
        };
        (0..7).map(timed).fold(f64::INFINITY, f64::min)
    };
    for count in [20, 41, 60, 80, 300] {
        let values: Vec<f64> = (0..count).map(|i| (f64::from(i) * 0.7).sin()).collect();
        let counting = best(&|rng| median_interval(&values, 0.95, RESAMPLES, rng));
        let sorting = best(&|rng| median_interval_by_sorting(&values, 0.95, RESAMPLES, rng));
        println!(
            "{count} values: {counting:.3} µs a resample by counting, {sorting:.3} by sorting"
        );
    }
}
