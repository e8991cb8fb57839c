//! A study's runs over time: one row a figure of a run.

use photofinish_judge::history::{History, Run, Series};
use photofinish_stats::Interval;

use super::{Column, some, table};
use crate::Error;

/// The figure of a series in a run.
struct Record<'h> {
    history: &'h History,
    series: &'h Series,
    run: usize,
    value: f64,
}

pub(super) fn render(history: &History) -> Result<String, Error> {
    let runs = 0..history.runs.len();
    let all = runs.flat_map(|run| history.series.iter().map(move |series| (run, series)));
    let records = all.filter_map(|(run, series)| {
        let value = series.values[run]?;
        Some(Record {
            history,
            series,
            run,
            value,
        })
    });
    let columns: [Column<Record>; 13] = [
        ("run", |it| it.run().folder.clone()),
        ("started", |it| it.run().started.clone()),
        ("commit", |it| some(it.run().commit.as_ref())),
        ("machine_changed", |it| it.run().machine_changed.to_string()),
        ("workload", |it| it.series.workload.clone()),
        ("level", |it| it.series.level.clone()),
        ("target", |it| it.series.target.clone()),
        ("over", |it| some(it.history.baseline.as_ref())),
        ("metric", |it| it.series.metric.spec().column.to_owned()),
        ("value", |it| it.value.to_string()),
        ("interval_low", |it| {
            some(it.interval().map(|ends| ends.low))
        }),
        ("interval_high", |it| {
            some(it.interval().map(|ends| ends.high))
        }),
        ("change_point", |it| {
            let mut shifts = it.series.shifts.iter();
            some(
                shifts
                    .find(|shift| shift.at == it.run)
                    .map(|shift| shift.ratio),
            )
        }),
    ];
    table(records, &columns)
}

impl Record<'_> {
    fn run(&self) -> &Run {
        &self.history.runs[self.run]
    }

    fn interval(&self) -> Option<Interval> {
        self.series.intervals[self.run]
    }
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
        let text = render(&history).expect("CSV");
        // Throughput and p50: 500 requests are too few for a p99.
        assert_eq!(text.lines().count(), 5, "{text}");
        let fields: Vec<&str> = text.lines().nth(1).expect("a row").split(',').collect();
        assert_eq!(fields[8], "throughput_rps");
        assert!((fields[9].parse::<f64>().expect("a number") - 100.0).abs() < 1e-9);
    }
}
