//! A choice by weights in constant time (Walker 1977; the tables are built as Vose 1991 does, 'A linear algorithm for
//! generating random numbers with a given distribution'), in whole numbers, so that it is exact.

use crate::random::Random;

/// Numbers from 0 on, each as likely as its weight says.
#[derive(Clone, Debug)]
pub struct Weighted {
    /// The sum of all weights.
    total: u64,
    /// For each number, how much of its column is its own, out of `total`, and whose the rest is.
    columns: Vec<(u64, u32)>,
}

impl Weighted {
    /// `None`: there is no weight above zero.
    pub fn new(weights: &[u32]) -> Option<Weighted> {
        let total: u64 = weights.iter().copied().map(u64::from).sum();
        if total == 0 || u32::try_from(weights.len()).is_err() {
            return None;
        }
        let count = weights.len() as u64;
        // A column holds `total`; a number has `count` times its weight to spread over columns.
        let mut left: Vec<u64> = (weights.iter())
            .map(|&weight| u64::from(weight).checked_mul(count))
            .collect::<Option<_>>()?;
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..weights.len()).partition(|&at| left[at] < total);
        // What is neither fills its column exactly.
        let mut columns: Vec<(u64, u32)> =
            (0..weights.len() as u32).map(|own| (total, own)).collect();
        while let (Some(needs), Some(&gives)) = (small.pop(), large.last()) {
            columns[needs] = (left[needs], gives as u32);
            left[gives] -= total - left[needs];
            if left[gives] < total {
                large.pop();
                small.push(gives);
            }
        }
        Some(Weighted { total, columns })
    }

    /// The next one.
    #[inline]
    pub fn draw(&self, random: &mut Random) -> usize {
        let column = random.within(0, self.columns.len() as u64 - 1) as usize;
        let (own, other) = self.columns[column];
        match random.within(0, self.total - 1) < own {
            true => column,
            false => other as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_is_as_likely_as_its_weight() {
        // Chi-square over 4 cells of 50,000 draws: 3 degrees of freedom, whose 99.9% point is 16.3. The seed fixes the sample.
        let weights = [1, 2, 3, 94];
        let weighted = Weighted::new(&weights).expect("weights");
        let mut random = Random::stream(5, 7);
        let mut cells = [0_u32; 4];
        for _ in 0..50_000 {
            cells[weighted.draw(&mut random)] += 1;
        }
        let chi: f64 = (cells.iter().zip(weights))
            .map(|(&n, weight)| {
                let expected = f64::from(weight) * 500.0;
                (f64::from(n) - expected).powi(2) / expected
            })
            .sum();
        assert!(chi < 16.3, "{cells:?}: {chi}");
        assert!(Weighted::new(&[]).is_none());
        assert!(Weighted::new(&[0, 0]).is_none());
    }

    proptest! {
        /// The shares of all columns add up to the weights.
        #[test]
        fn the_tables_are_exact(weights in prop::collection::vec(0_u32..=1_000_000, 1..200)) {
            let Some(weighted) = Weighted::new(&weights) else {
                prop_assert!(weights.iter().all(|weight| *weight == 0));
                return Ok(());
            };
            let mut shares = vec![0_u64; weights.len()];
            for (column, &(own, other)) in weighted.columns.iter().enumerate() {
                shares[column] += own;
                shares[other as usize] += weighted.total - own;
            }
            let count = weights.len() as u64;
            let wanted: Vec<u64> = weights.iter().map(|&weight| u64::from(weight) * count).collect();
            prop_assert_eq!(shares, wanted);
        }
    }
}
