//! Random numbers that a seed decides.

/// SplitMix64 (Steele, Lea & Flood 2014): small, and each seed gives a sequence of its own.
#[derive(Clone, Debug)]
pub struct SplitMix(u64);

impl SplitMix {
    /// The sequence number `stream` of a seed.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut mix = SplitMix(seed);
        let base = mix.next();
        let mut own = SplitMix(base ^ stream.wrapping_mul(0xD134_2543_DE82_EF95));
        own.next();
        own
    }

    /// 64 random bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Mean 1; never 0 and never infinite.
    pub fn exponential(&mut self) -> f64 {
        // In (0, 1]: 53 random bits, plus one.
        let uniform = ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64;
        -uniform.ln()
    }

    /// From `low` to `high`, both included, each equally likely: the high half of a product, with the few products
    /// thrown away that would favour some numbers (Lemire 2019, "Fast random integer generation in an interval").
    pub fn within(&mut self, low: u64, high: u64) -> u64 {
        let Some(count) = (high - low).checked_add(1) else {
            return self.next();
        };
        let mut product = u128::from(self.next()) * u128::from(count);
        if (product as u64) < count {
            let unfair = count.wrapping_neg() % count;
            while (product as u64) < unfair {
                product = u128::from(self.next()) * u128::from(count);
            }
        }
        low + (product >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_are_equally_likely() {
        // Chi-square over 100 cells of 1,000 expected each: 99 degrees of freedom, whose 99.9% point is 148.2
        // and 0.1% point 61.1 (too even would be no chance either). The sample is fixed by its seed.
        let mut random = SplitMix::new(42, 3);
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
        let mut random = SplitMix::new(1, 1);
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
        let mut random = SplitMix::new(9, 9);
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
