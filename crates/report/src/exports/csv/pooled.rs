//! The rounds of several pairs of machines: one row a ratio and pair of machines, and one a verdict.

use photofinish_judge::comparison::Verdict;
use photofinish_judge::pooled::{Pooled, PooledRatio};
use photofinish_stats::Interval;

use super::{Column, some, table};
use crate::Error;

/// The ratio of a pair of machines, or of a verdict.
struct Row<'p> {
    of: &'p PooledRatio,
    machines: &'p str,
    rounds: usize,
    ratio: Option<f64>,
    interval: Option<Interval>,
    verdict: Option<&'p Verdict>,
}

pub(super) fn render(pooled: &Pooled) -> Result<String, Error> {
    let columns: [Column<Row>; 11] = [
        ("workload", |it| it.of.workload.clone()),
        ("level", |it| it.of.level.en.clone()),
        ("target", |it| it.of.of.clone()),
        ("over", |it| it.of.over.clone()),
        ("metric", |it| it.of.metric.spec().column.to_owned()),
        ("machines", |it| it.machines.to_owned()),
        ("rounds", |it| it.rounds.to_string()),
        ("ratio", |it| some(it.ratio)),
        ("interval_low", |it| some(it.interval.map(|ends| ends.low))),
        ("interval_high", |it| {
            some(it.interval.map(|ends| ends.high))
        }),
        ("verdict", |it| {
            some(it.verdict.map(|it| it.outcome.en.clone()))
        }),
    ];
    table(pooled.ratios.iter().flat_map(rows), &columns)
}

fn rows(of: &PooledRatio) -> Vec<Row<'_>> {
    let each = of.each.iter().map(|one| Row {
        of,
        machines: &one.machine,
        rounds: one.rounds,
        ratio: one.ratio,
        interval: one.interval,
        verdict: None,
    });
    let verdicts = [
        ("these machines", &of.on_these),
        ("machines like these", &of.like_these),
    ];
    let verdicts = verdicts.into_iter().filter_map(|(machines, verdict)| {
        let verdict = verdict.as_ref()?;
        Some(Row {
            of,
            machines,
            rounds: verdict.rounds,
            ratio: verdict.ratio,
            interval: verdict.interval,
            verdict: Some(verdict),
        })
    });
    each.chain(verdicts).collect()
}
