//! A study's runs over time: one row a figure of a run.

use photofinish_judge::history::{History, Series};

use super::{Row, written};
use crate::Error;

/// The columns, which a file without a figure has too.
const HEADER: [&str; 13] = [
    "run",
    "started",
    "commit",
    "machine_changed",
    "workload",
    "level",
    "target",
    "over",
    "metric",
    "value",
    "interval_low",
    "interval_high",
    "change_point",
];

pub(super) fn render(history: &History) -> Result<String, Error> {
    let runs = 0..history.runs.len();
    let all = runs.flat_map(|run| history.series.iter().map(move |series| (run, series)));
    let rows: Vec<Row> = all
        .filter_map(|(run, series)| row(history, run, series))
        .collect();
    written(&HEADER.map(str::to_owned), &rows)
}

/// A run's figure; `None` where it has none.
fn row(history: &History, index: usize, series: &Series) -> Option<Row> {
    let value = series.values[index]?;
    let (run, interval) = (&history.runs[index], series.intervals[index]);
    let mut row = Row::default();
    row.add("run", &run.folder);
    row.add("started", &run.started);
    row.add_some("commit", run.commit.as_ref());
    row.add("machine_changed", run.machine_changed);
    row.add("workload", &series.workload);
    row.add("level", &series.level);
    row.add("target", &series.target);
    row.add_some("over", history.baseline.as_ref());
    row.add("metric", series.metric.spec().column);
    row.add("value", value);
    row.add_some("interval_low", interval.map(|interval| interval.low));
    row.add_some("interval_high", interval.map(|interval| interval.high));
    let shift = series.shifts.iter().find(|shift| shift.at == index);
    row.add_some("change_point", shift.map(|shift| shift.ratio));
    Some(row)
}

#[cfg(test)]
mod tests {
    use photofinish_model::samples;

    use super::*;

    #[test]
    fn a_run_has_a_row_a_figure() {
        let runs = [[100.0; 3], [150.0; 3]].map(|rates| {
            let mut run = samples::race(&["a"], &[&rates]);
            run.study.started = format!("2026-01-01T00:00:{:02}Z", rates[0] as u32 / 10);
            run
        });
        let history = History::from(runs.to_vec(), None).expect("a history");
        assert_eq!(
            row(&history, 0, &history.series[0]).expect("a row").names,
            HEADER
        );
        let text = render(&history).expect("CSV");
        // Throughput and p50: 500 requests are too few for a p99.
        assert_eq!(text.lines().count(), 5, "{text}");
        let fields: Vec<&str> = text.lines().nth(1).expect("a row").split(',').collect();
        assert_eq!(fields[8], "throughput_rps");
        assert!((fields[9].parse::<f64>().expect("a number") - 100.0).abs() < 1e-9);
    }
}
