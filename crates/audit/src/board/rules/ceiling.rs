//! A rate at which many servers of a board end.

use super::{Check, Complaint};
use crate::board::columns::Role;
use crate::board::{Row, Scope};
use crate::figure::{digits, percent, short};
use crate::finding::{Rule, Severity};

/// Rows at a ceiling lie within this of the fastest one; as many as by chance are told from those within `NEAR`.
const CEILING: f64 = 0.015;
/// See `CEILING`.
const NEAR: f64 = 0.3;
/// Rows at a ceiling.
const AT_CEILING: usize = 8;
/// So improbable is a ceiling by chance, for all rows of the group: 16 of 295 published groups, none of 400 simulated boards.
const CHANCE: f64 = 1e-6;

impl Check<'_> {
    /// Many servers with the same rate at the top: the generator or the network was the limit.
    pub fn ceiling(&mut self, group: &str, rows: &[&Row]) {
        let rates: Vec<f64> = rows
            .iter()
            .filter_map(|row| row.rate)
            .filter(|r| *r > 0.0)
            .collect();
        let Some(top) = rates.iter().copied().reduce(f64::max) else {
            return;
        };
        let within =
            |share: f64| move |row: &&&Row| row.rate.is_some_and(|r| r >= top * (1.0 - share));
        let at_it: Vec<&Row> = rows.iter().filter(within(CEILING)).copied().collect();
        let near = rows.iter().filter(within(NEAR)).count();
        let expected = near as f64 * CEILING / NEAR;
        if at_it.len() < AT_CEILING
            || at_least(at_it.len(), expected) * rates.len() as f64 >= CHANCE
        {
            return;
        }
        let column = self.board.heading(|r| matches!(r, Role::Rate(_)));
        let says = format!(
            "{} of {} servers lie within {} of the fastest one ({} per second), where chance gives {}",
            at_it.len(),
            rates.len(),
            percent(CEILING),
            digits(top),
            short(expected)
        );
        self.add(
            Scope::Column,
            group,
            (&at_it, rates.len()),
            Complaint {
                severity: Severity::Doubtful,
                rule: Rule::Generator,
                column,
                says,
                meaning: "A common ceiling is that of the load generator, the network or the database: these servers are not ranked by it.",
            },
        );
    }
}

/// The probability of at least `k` events where `expected` come on average (Poisson).
fn at_least(k: usize, expected: f64) -> f64 {
    // The terms from k on: their sum is at most the first over 1 − expected / (k + 1).
    let mut log = -expected;
    for i in 1..=k {
        log += (expected / i as f64).ln();
    }
    let ratio = expected / (k as f64 + 1.0);
    match ratio < 1.0 {
        true => log.exp() / (1.0 - ratio),
        false => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::at_least;

    #[test]
    fn a_poisson_tail_is_known() {
        // P(X ≥ 8 | 1) = 1.02e-5.
        assert!((at_least(8, 1.0) / 1.02e-5 - 1.0).abs() < 0.03);
        assert_eq!(at_least(2, 5.0), 1.0);
    }
}
