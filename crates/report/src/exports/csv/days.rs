//! What changed between two runs: one row a change.

use photofinish_judge::comparison::Figure;
use photofinish_judge::days::{Change, Days};

use super::{Column, some, table};
use crate::Error;

pub(super) fn render(days: &Days) -> Result<String, Error> {
    let columns: [Column<&Change>; 13] = [
        ("workload", |it| it.workload.clone()),
        ("level", |it| it.level.clone()),
        ("target", |it| it.target.clone()),
        ("metric", |it| it.metric.spec().column.to_owned()),
        ("before", |it| some(it.before.mean)),
        ("after", |it| some(it.after.mean)),
        ("ratio", |it| some(it.ratio)),
        ("interval_low", |it| some(it.interval.map(|ends| ends.low))),
        ("interval_high", |it| {
            some(it.interval.map(|ends| ends.high))
        }),
        ("level_of_interval", |it| it.level_of_interval.to_string()),
        ("verdict", |it| it.outcome.en.clone()),
        ("rounds_before", |it| rounds(&it.before)),
        ("rounds_after", |it| rounds(&it.after)),
    ];
    table(days.changes.iter(), &columns)
}

fn rounds(figure: &Figure) -> String {
    figure.rounds.iter().flatten().count().to_string()
}

#[cfg(test)]
mod tests {
    use photofinish_model::samples;

    use photofinish_model::samples::assert_starts;

    use super::*;

    #[test]
    fn a_row_has_the_columns_of_the_header_and_what_changed() {
        let then = samples::race(&["a"], &[&[100.0, 100.0, 100.0]]);
        let now = samples::race(&["a"], &[&[150.0, 150.0, 150.0]]);
        let days = Days::from(&then, &now);
        let text = render(&days).expect("CSV");
        let first = text.lines().nth(1).expect("a row");
        assert_starts(first, "plaintext,100 connections,a,throughput_rps,");
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
        let names: Vec<&str> = text.trim_end().split(',').collect();
        assert_eq!((names.len(), names[0]), (13, "workload"), "only the header");
    }
}
