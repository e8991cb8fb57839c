//! Random numbers that a recorded seed decides: the order of a run, when requests of an open loop are due, what varies in
//! them, and the samples of simulations.
//!
//! The bits are SplitMix64's (Steele, Lea & Flood 2014, 'Fast splittable pseudorandom number generators') from
//! `rand_xoshiro`; simulations take xoshiro256** (Blackman & Vigna 2021). What is made of them is written here and not taken from a
//! library: a library may change how it draws a number within bounds, and a recorded seed must repeat the same race in
//! every version.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The golden ratio's part after the point, times 2^64: SplitMix64's own step.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A sequence of random numbers, the same on every machine.
#[derive(Clone, Debug)]
pub struct Random<R = SplitMix64>(R);

/// The one that simulations draw their samples from.
#[cfg(test)]
pub(crate) type Simulated = Random<rand_xoshiro::Xoshiro256StarStar>;

impl Random {
    /// The sequence number `stream` of a seed: for what draws many numbers side by side, such as threads and connections.
    pub fn stream(seed: u64, stream: u64) -> Random {
        let base = Random::<SplitMix64>::new(seed).next();
        let mut own = Random::new(base ^ stream.wrapping_mul(0xd134_2543_de82_ef95));
        own.next();
        own
    }

    /// The sequence for the choice that is named by `path` (such as a round and a target's place): no choice depends on
    /// how many others there are.
    pub fn path(seed: u64, path: &[u64]) -> Random {
        path.iter().fold(Random::new(seed), |mut random, step| {
            Random::new(random.next() ^ step.wrapping_mul(GOLDEN))
        })
    }
}

impl<R: Rng + SeedableRng> Random<R> {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Random(R::seed_from_u64(seed))
    }

    /// The next 64 bits.
    #[inline]
    #[expect(
        clippy::should_implement_trait,
        reason = "a sequence that never ends is no iterator to loop over"
    )]
    pub fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `bound`, which is above 0, each equally likely: the high half of a product, with the few products
    /// thrown away that would favour some numbers (Lemire 2019, 'Fast random integer generation in an interval').
    #[inline]
    fn below(&mut self, bound: u64) -> u64 {
        let mut product = u128::from(self.next()) * u128::from(bound);
        if (product as u64) < bound {
            let unfair = bound.wrapping_neg() % bound;
            while (product as u64) < unfair {
                product = u128::from(self.next()) * u128::from(bound);
            }
        }
        (product >> 64) as u64
    }

    /// From `low` to `high`, both included and the smaller first, each equally likely.
    #[inline]
    pub fn within(&mut self, low: u64, high: u64) -> u64 {
        match (high - low).checked_add(1) {
            Some(count) => low + self.below(count),
            // All 64 bits.
            None => self.next(),
        }
    }

    /// Puts the items into random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let chosen = self.below(last as u64 + 1) as usize;
            items.swap(last, chosen);
        }
    }

    /// Uniform above 0 and below 1.
    pub fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Exponential with mean 1; never 0 and never infinite.
    pub fn exponential(&mut self) -> f64 {
        // In (0, 1]: 53 random bits, plus one.
        let uniform = ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64;
        -uniform.ln()
    }

    /// Standard normal (Box and Muller 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_seeds_give_the_sequences_that_they_gave() {
        // The first outputs for seed 1234567 of the reference implementation (Vigna, splitmix64.c).
        let mut random: Random = Random::new(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
        // What came of a seed before `rand_xoshiro` made its bits.
        let three = |mut random: Random| [0; 3].map(|_| random.next());
        assert_eq!(three(Random::stream(42, 3)), STREAM);
        assert_eq!(three(Random::path(42, &[1, 2])), PATH);
        let mut items: Vec<u8> = (0..8).collect();
        Random::path(7, &[1, 1]).shuffle(&mut items);
        assert_eq!(items, SHUFFLED);
    }

    const STREAM: [u64; 3] = [
        0xc979_ada1_d9d0_f63f,
        0xa129_60f7_7014_f570,
        0xe050_c2ef_66e6_23f7,
    ];
    const PATH: [u64; 3] = [
        0x3f6f_fb64_dfb7_96c5,
        0x742a_da89_3df3_0012,
        0x4cc1_5463_2308_af9f,
    ];
    const SHUFFLED: [u8; 8] = [1, 5, 7, 6, 2, 3, 0, 4];

    #[test]
    fn all_numbers_are_equally_likely() {
        // Chi-square over 100 cells of 1,000 expected each: 99 degrees of freedom, whose 99.9% point is 148.2
        // and 0.1% point 61.1 (too even would be no chance either). The sample is fixed by its seed.
        let mut random = Random::stream(42, 3);
        let mut cells = [0_u32; 100];
        for _ in 0..100_000 {
            cells[random.within(1_000, 1_099) as usize - 1_000] += 1;
        }
        let chi: f64 = cells
            .iter()
            .map(|&n| (f64::from(n) - 1_000.0).powi(2) / 1_000.0)
            .sum();
        assert!((61.1..148.2).contains(&chi), "{chi}");
    }

    #[test]
    fn the_bounds_are_included_and_nothing_lies_beyond() {
        let mut random = Random::stream(1, 1);
        let drawn: Vec<u64> = (0..1_000).map(|_| random.within(7, 9)).collect();
        assert_eq!(drawn.iter().min(), Some(&7));
        assert_eq!(drawn.iter().max(), Some(&9));
        assert_eq!(random.within(5, 5), 5);
        // All 64 bits: nothing to multiply with.
        assert!((0..100).any(|_| random.within(0, u64::MAX) > u64::MAX / 2));
    }

    #[test]
    fn a_count_that_wastes_nearly_half_of_the_bits_is_fair_too() {
        // 3/4 of 2^64: without throwing away, every third number would come twice as often.
        let high = (1 << 63) + (1 << 62) - 1;
        let mut random = Random::stream(9, 9);
        let thirds = (0..30_000).fold([0_u32; 3], |mut thirds, _| {
            thirds[(random.within(0, high) >> 62) as usize] += 1;
            thirds
        });
        let chi: f64 = thirds
            .iter()
            .map(|&n| (f64::from(n) - 10_000.0).powi(2) / 10_000.0)
            .sum();
        // 2 degrees of freedom, 99.9%.
        assert!(chi < 13.8, "{thirds:?}");
        // And within a third, by the lowest bits.
        let mut low = [0_u32; 3];
        for _ in 0..30_000 {
            low[(random.within(0, high) % 3) as usize] += 1;
        }
        assert!(low.iter().all(|n| n.abs_diff(10_000) < 500), "{low:?}");
    }
}
