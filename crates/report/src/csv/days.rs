//! What changed between two runs: one row a change.

use photofinish_judge::comparison::Figure;
use photofinish_judge::days::{Change, Days};
use photofinish_voice::Language;

use super::{Row, written};
use crate::Error;

/// The columns, which a file without a change has too.
const HEADER: [&str; 13] = [
    "workload",
    "level",
    "target",
    "metric",
    "before",
    "after",
    "ratio",
    "interval_low",
    "interval_high",
    "level_of_interval",
    "verdict",
    "rounds_before",
    "rounds_after",
];

pub(super) fn render(days: &Days) -> Result<String, Error> {
    let rows: Vec<Row> = days.changes.iter().map(row).collect();
    written(&HEADER.map(str::to_owned), &rows)
}

fn row(change: &Change) -> Row {
    let mut row = Row::default();
    row.add("workload", &change.workload);
    row.add("level", &change.level);
    row.add("target", &change.target);
    row.add("metric", change.metric.spec().column);
    row.add_some("before", change.before.mean);
    row.add_some("after", change.after.mean);
    row.add_some("ratio", change.ratio);
    row.add_some("interval_low", change.interval.map(|interval| interval.low));
    row.add_some(
        "interval_high",
        change.interval.map(|interval| interval.high),
    );
    row.add("level_of_interval", change.level_of_interval);
    row.add("verdict", change.outcome.text(Language::En));
    let rounds = |figure: &Figure| figure.rounds.iter().flatten().count();
    row.add("rounds_before", rounds(&change.before));
    row.add("rounds_after", rounds(&change.after));
    row
}

#[cfg(test)]
mod tests {
    use photofinish_model::samples;

    use super::*;

    #[test]
    fn a_row_has_the_columns_of_the_header_and_what_changed() {
        let then = samples::race(&["a"], &[&[100.0, 100.0, 100.0]]);
        let now = samples::race(&["a"], &[&[150.0, 150.0, 150.0]]);
        let days = Days::from(&then, &now);
        assert_eq!(row(&days.changes[0]).names, HEADER);
        let text = render(&days).expect("CSV");
        let first = text.lines().nth(1).expect("a row");
        assert!(
            first.starts_with("plaintext,100 connections,a,throughput_rps,"),
            "{first}"
        );
        let values: Vec<f64> = first
            .split(',')
            .skip(4)
            .take(3)
            .map(|value| value.parse().expect("a number"))
            .collect();
        for (value, expected) in values.iter().zip([100.0, 150.0, 1.5]) {
            assert!((value - expected).abs() < 1e-9, "{first}");
        }
        assert!(first.ends_with("faster,3,3"), "{first}");
        let apart = samples::race(&["b"], &[&[1.0]]);
        let text = render(&Days::from(&then, &apart)).expect("CSV");
        assert_eq!(text.trim_end(), HEADER.join(","));
    }
}
