//! A study's runs over time: what shifted, the runs, and each figure from run to run.

use photofinish_judge::history::{History, Run, Series};
use photofinish_model::Metric;
use photofinish_model::finding::history::HistoryFinding;
use photofinish_model::units;
use photofinish_voice::{Language, Say};

use crate::document::{Block, Figure, Item, Table, Tone};

/// What is shown of a commit's hash.
const SHORT_HASH: usize = 10;

pub(crate) fn document(history: &History) -> Vec<Block> {
    let mut blocks = vec![
        Block::Heading(1, history.title.clone()),
        Block::line(opening(history)),
        Block::section("Change points"),
    ];
    let items = history.says.iter().map(|says| {
        let tone = match says.finding {
            HistoryFinding::Shifted(_) => Tone::Strong,
            HistoryFinding::Stable { .. } | HistoryFinding::FewRuns { .. } => Tone::Plain,
        };
        Item::new(says.text(Language::En), tone)
    });
    blocks.push(Block::List(items.collect()));
    blocks.push(Block::section("Runs"));
    blocks.push(Block::Table(runs(history)));
    let mut shown: Vec<(&str, &str, Metric)> = Vec::new();
    for series in &history.series {
        let place = (
            series.workload.as_str(),
            series.level.as_str(),
            series.metric,
        );
        if !shown.contains(&place) {
            shown.push(place);
        }
    }
    if !shown.is_empty() {
        blocks.push(Block::section("Figures"));
    }
    for (workload, level, metric) in shown {
        let here = history.series.iter().filter(|series| {
            (
                series.workload.as_str(),
                series.level.as_str(),
                series.metric,
            ) == (workload, level, metric)
        });
        let name = metric.say(Language::En);
        let over = history.baseline.as_ref();
        let over = over.map_or_else(String::new, |over| format!(" relative to {over}"));
        blocks.push(Block::Heading(
            3,
            format!("{workload}, {level}: {name}{over}"),
        ));
        blocks.push(Block::Table(figures(history, &here.collect::<Vec<_>>())));
    }
    blocks
}

fn opening(history: &History) -> String {
    let count = units::plural(history.runs.len(), "run", "runs");
    match &history.baseline {
        Some(name) => {
            format!(
                "{count} of {}; each figure is a ratio to {name} within the run.",
                history.study
            )
        }
        None => format!(
            "{count} of {}. Figures of different days include what differed on the machine between them; --baseline TARGET shows ratios within each run.",
            history.study
        ),
    }
}

fn runs(history: &History) -> Table {
    let row = |run: &Run| {
        let commit: Option<String> =
            (run.commit.as_ref()).map(|hash| hash.chars().take(SHORT_HASH).collect());
        let differs: Vec<&str> = (run.differs.iter())
            .map(|differs| differs.text(Language::En))
            .collect();
        let tone = match run.machine_changed {
            true => Tone::Bad,
            false => Tone::Plain,
        };
        vec![
            Figure::new(run.started.clone()),
            commit.map_or_else(Figure::none, Figure::new),
            Figure::new(run.rounds.to_string()),
            match differs.as_slice() {
                [] => Figure::none(),
                some => Figure {
                    tone,
                    is_said: true,
                    ..Figure::new(some.join("; "))
                },
            },
        ]
    };
    Table {
        header: ["run", "commit", "rounds", "differs from the run before"]
            .map(str::to_owned)
            .to_vec(),
        rows: history.runs.iter().map(row).collect(),
    }
}

/// A row a run, a column a target; the first figure after a shift is marked.
fn figures(history: &History, here: &[&Series]) -> Table {
    let row = |(index, run): (usize, &Run)| {
        let mut cells = vec![Figure::new(run.started.clone())];
        cells.extend(here.iter().map(|series| figure(series, index)));
        cells
    };
    let names = here.iter().map(|series| series.target.clone());
    Table {
        header: std::iter::once("run".to_owned()).chain(names).collect(),
        rows: history.runs.iter().enumerate().map(row).collect(),
    }
}

fn figure(series: &Series, run: usize) -> Figure {
    let Some(value) = series.values[run] else {
        return Figure::none();
    };
    let text = match series.unit {
        Some(unit) => unit.with_interval(value, series.intervals[run]),
        None => {
            let ends = series.intervals[run].map(|ends| {
                let [low, high] = [ends.low, ends.high].map(units::ratio);
                format!(" [{low} … {high}]")
            });
            format!("{}{}", units::ratio(value), ends.unwrap_or_default())
        }
    };
    match series.shifts.iter().find(|shift| shift.at == run) {
        Some(shift) => Figure {
            detail: Some(format!("changed: {}", units::change(shift.ratio - 1.0))),
            tone: Tone::Strong,
            ..Figure::new(text)
        },
        None => Figure::new(text),
    }
}
