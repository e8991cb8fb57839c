//! Several comparisons at once.
//!
//! Holm, *A simple sequentially rejective multiple test procedure*, Scandinavian Journal of Statistics 6,
//! 1979: of m p-values the smallest is held against α / m, the next against α / (m − 1), and so on until one
//! fails. So the chance that any comparison of equal targets is called a difference stays at α.

/// The level at which each comparison's interval is drawn, in the order of `p`, so that an interval
/// excludes 1 just when Holm's procedure calls its comparison a difference.
///
/// The comparison with the k-th smallest p-value (k from 0) gets α / (m − k) as long as all before it
/// were differences; the first that is none stops the procedure, and all after it get its level, since
/// none of them may be called a difference. A comparison without a p-value (or with one that is no number) was not made,
/// and does not count in m; its level is that of a first comparison, α / m.
pub fn holm_levels(p: &[Option<f64>], alpha: f64) -> Vec<f64> {
    holm_shares(p, alpha, |share| share)
}

/// The share of α of each comparison, α / (m − k), if that is not the level that its p-value must reach, as at one of several analyses:
/// `level` returns the level for a share, such as `|share| Bounds::new(&schedule, share).level_after(rounds)` (Ye et al., *A group sequential
/// Holm procedure*, Statistics in Medicine 32, 2013). The p-value of a comparison that an earlier analysis called different is passed as 0.
pub fn holm_shares(p: &[Option<f64>], alpha: f64, level: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut made: Vec<(usize, f64)> = p
        .iter()
        .enumerate()
        .filter_map(|(at, p)| p.filter(|p| p.is_finite()).map(|p| (at, p)))
        .collect();
    made.sort_by(|a, b| a.1.total_cmp(&b.1));
    let of_rank = |rank: usize| alpha / (made.len() - rank).max(1) as f64;
    let mut shares = vec![of_rank(0); p.len()];
    let mut current = 0.0;
    let mut stopped = false;
    for (rank, &(at, p)) in made.iter().enumerate() {
        if !stopped {
            current = of_rank(rank);
            stopped = p >= level(current);
        }
        shares[at] = current;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_levels(p: &[Option<f64>], expected: &[f64]) {
        let found = holm_levels(p, 0.05);
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                (found - expected).abs() < 1e-15,
                "{found} is not {expected}"
            );
        }
    }

    #[test]
    fn one_comparison_keeps_the_level() {
        assert_levels(&[Some(0.2)], &[0.05]);
        assert_levels(&[], &[]);
    }

    /// Of 0.01, 0.04, 0.03 and 0.005 Holm calls 0.005 (≤ 0.0125) and 0.01 (≤ 0.0167) and stops at 0.03 (> 0.025).
    #[test]
    fn the_steps_end_at_the_first_that_is_no_difference() {
        let p = [Some(0.01), Some(0.04), Some(0.03), Some(0.005)];
        assert_levels(&p, &[0.05 / 3.0, 0.025, 0.025, 0.0125]);
    }

    #[test]
    fn all_differences_step_down_to_the_full_level() {
        assert_levels(
            &[Some(0.02), Some(0.0), Some(0.001)],
            &[0.05, 0.05 / 3.0, 0.025],
        );
    }

    /// At an analysis with half of each share, 0.01 and 0.005 of 4 are no longer both differences.
    #[test]
    fn an_analysis_steps_down_by_its_own_levels() {
        let p = [Some(0.01), Some(0.04), Some(0.03), Some(0.005)];
        let found = holm_shares(&p, 0.05, |share| share / 2.0);
        let expected = [0.05 / 3.0, 0.05 / 3.0, 0.05 / 3.0, 0.0125];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-15);
        }
    }

    #[test]
    fn comparisons_that_were_not_made_do_not_count() {
        assert_levels(&[None, Some(0.01), Some(f64::NAN)], &[0.05, 0.05, 0.05]);
        assert_levels(&[None, None], &[0.05, 0.05]);
    }
}
