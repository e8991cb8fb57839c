//! Rules about two months of one board.

use std::collections::HashMap;

use super::columns::Role;
use super::{Board, BoardFinding, Row, Scope, median};
use crate::figure::{percent, short};
use crate::finding::{Rule, Severity};

/// Rows that must be in both.
const ROWS: usize = 10;
/// The share of rows that are the same to the digit: all of 1,032 were when a board published a month again, 23 of 43,307 elsewhere.
const REPUBLISHED: f64 = 0.1;
/// A board shifts if the middle of the rates' ratios is this far from 1.
const SHIFT: f64 = 0.1;
/// Or if the middle distance of the logarithms from their middle is above this.
const SPREAD: f64 = 0.1;
/// A column changes its meaning if its middle ratio to the one before, less 1, changes by this factor: p99 / p90 fell from 1.8 to 1.1.
const MEANING: f64 = 3.0;

/// Compares a month with the one before.
pub fn check(before: &Board, after: &Board, at: usize, found: &mut Vec<BoardFinding>) {
    let known: HashMap<_, &Row> = before.rows.iter().map(|row| (row.key(), row)).collect();
    let pairs: Vec<(&Row, &Row)> = after
        .rows
        .iter()
        .filter_map(|row| Some((*known.get(&row.key())?, row)))
        .filter(|(a, b)| a.rate.is_some_and(|r| r > 0.0) && b.rate.is_some_and(|r| r > 0.0))
        .collect();
    if pairs.len() < ROWS {
        return;
    }
    let mut add = |severity, rule, column: String, rows: usize, says: String, meaning: &str| {
        found.push(BoardFinding {
            board: at,
            scope: Scope::Months,
            severity,
            rule,
            column,
            group: String::new(),
            rows: (rows, pairs.len()),
            line: 0,
            says,
            meaning: meaning.to_owned(),
        });
    };
    let is_same =
        |(a, b): &&(&Row, &Row)| a.rate == b.rate && a.mean == b.mean && a.quantiles == b.quantiles;
    let (same, of) = (pairs.iter().filter(is_same).count(), pairs.len());
    let rate = after.heading(|r| matches!(r, Role::Rate(_)));
    if same as f64 > REPUBLISHED * of as f64 {
        let name = &before.name;
        add(
            Severity::Impossible,
            Rule::Sequence,
            rate,
            same,
            format!("{same} of {of} rows are the same to the digit as in {name}"),
            "No two measurements agree in every digit: the month before was published again.",
        );
        return;
    }
    let ratios = pairs.iter();
    let ratios = ratios.filter_map(|(a, b)| Some((b.rate? / a.rate?).ln()));
    let logs: Vec<f64> = ratios.collect();
    let Some(middle) = median(logs.clone()) else {
        return;
    };
    let spread = median(logs.iter().map(|log| (log - middle).abs()).collect()).unwrap_or(0.0);
    let factor = middle.exp();
    if (factor - 1.0).abs() > SHIFT || spread > SPREAD {
        let [factor, spread] = [factor - 1.0, spread].map(percent);
        add(
            Severity::Note,
            Rule::Sequence,
            rate,
            of,
            format!(
                "the rates of {of} rows changed by {factor} in the middle, and half of them by more than {spread} beyond that"
            ),
            "Machine, load or method changed between the two: rows cannot be compared across them.",
        );
    }
    meaning(after, &pairs, &mut add);
}

/// The ratio of neighbouring percentiles, then and now.
fn meaning(
    after: &Board,
    pairs: &[(&Row, &Row)],
    add: &mut impl FnMut(Severity, Rule, String, usize, String, &str),
) {
    let quantiles = after
        .columns
        .iter()
        .filter_map(|(heading, role)| match role {
            Role::Quantile(q, _) => Some((*q, heading.clone())),
            _ => None,
        });
    let mut quantiles: Vec<(f64, String)> = quantiles.collect();
    quantiles.sort_by(|a, b| a.0.total_cmp(&b.0));
    for step in quantiles.windows(2) {
        let [(low, _), (high, heading)] = step else {
            continue;
        };
        let ratio = |row: &Row| {
            let value = |q: f64| row.quantiles.iter().find(|(k, _)| *k == q).map(|(_, v)| *v);
            Some(value(*high)? / value(*low).filter(|v| *v > 0.0)?)
        };
        let both: Vec<(f64, f64)> = pairs
            .iter()
            .filter_map(|(a, b)| Some((ratio(a)?, ratio(b)?)))
            .collect();
        let then = median(both.iter().map(|(a, _)| *a).collect());
        let now = median(both.iter().map(|(_, b)| *b).collect());
        let (Some(then), Some(now)) = (then, now) else {
            continue;
        };
        let (a, b) = (then - 1.0, now - 1.0);
        if both.len() < ROWS || a.max(b) < 0.2 || a < MEANING * b && b < MEANING * a {
            continue;
        }
        let [then, now] = [then, now].map(short);
        let says = format!(
            "'{heading}' is {now} times the percentile below it in the middle; the month before it was {then} times"
        );
        add(
            Severity::Doubtful,
            Rule::Order,
            heading.clone(),
            both.len(),
            says,
            "The column holds something else than before.",
        );
    }
}
