//! A study's runs over time: what shifted, the runs, and each figure from run to run.

use photofinish_judge::history::{History, Run, Series};
use photofinish_model::units;

use photofinish_voice::label;

use crate::document::{Block, Cell, Table};
use crate::labels;
use crate::words::{Text, Tone};

/// What is shown of a commit's hash.
const SHORT_HASH: usize = 10;

pub(crate) fn document(history: &History) -> Vec<Block> {
    let mut blocks = vec![
        Block::Title(Text::authored(&history.title)),
        Block::Line(opening(history)),
        Block::Section("changes", Text::from(label::history_change_points())),
    ];
    let has_shifts = (history.series.iter()).any(|series| !series.shifts.is_empty());
    let tone = if has_shifts {
        Tone::Strong
    } else {
        Tone::Plain
    };
    blocks.push(Block::list(&history.says, tone));
    blocks.push(Block::Section("runs", Text::from(label::history_runs())));
    blocks.push(Block::Table(runs(history)));
    let same = |a: &Series, b: &Series| {
        (&a.workload, &a.level, a.metric) == (&b.workload, &b.level, b.metric)
    };
    let mut shown: Vec<&Series> = Vec::new();
    for series in &history.series {
        if !shown.iter().any(|known| same(known, series)) {
            shown.push(series);
        }
    }
    if !shown.is_empty() {
        blocks.push(Block::Section(
            "figures",
            Text::from(label::history_figures()),
        ));
    }
    for first in shown {
        let here = history.series.iter().filter(|series| same(first, series));
        let place = [Text::from(&first.workload), Text::say(&first.load)];
        let over = history
            .baseline
            .as_ref()
            .map_or_else(Text::default, |over| {
                Text::both(format!(" relative to {over}"), format!("，相对于 {over}"))
            });
        let name = Text::labelled(Text::list(place), Text::say(&first.metric));
        blocks.push(Block::Heading(name.then(over)));
        blocks.push(Block::Table(figures(history, &here.collect::<Vec<_>>())));
    }
    blocks
}

fn opening(history: &History) -> Text {
    let (count, study) = (history.runs.len(), &history.study);
    let runs = units::plural(count, "run", "runs");
    match &history.baseline {
        Some(name) => Text::both(
            format!("{runs} of {study}; each figure is a ratio to {name} within the run."),
            format!("{study} 的 {count} 次运行；每个数字都是同一次运行内与 {name} 之比。"),
        ),
        None => Text::both(
            format!(
                "{runs} of {study}. Figures of different days include what differed on the machine between them; --baseline TARGET shows ratios within each run."
            ),
            format!(
                "{study} 的 {count} 次运行。不同日子的数字包含机器在其间的差异；`--baseline TARGET` 显示每次运行内的比值。"
            ),
        ),
    }
}

fn runs(history: &History) -> Table {
    let differs = |run: &&Run| {
        let differs = Text::sentences(run.differs.iter().map(Text::from));
        let tone = match run.machine_changed {
            true => Tone::Bad,
            false => Tone::Plain,
        };
        match differs.is_empty() {
            true => Cell::none(),
            false => Cell::words(differs).toned(tone),
        }
    };
    let commit = |run: &&Run| {
        let hash = run
            .commit
            .as_ref()
            .map(|hash| hash.chars().take(SHORT_HASH));
        Cell::some(hash.map(|hash| hash.collect::<String>()))
    };
    Table::of(&history.runs)
        .column(run_label(), |run| Cell::new(&run.started))
        .column(label::history_commit(), commit)
        .column(label::gaps_rounds(), |run| run.rounds.to_string())
        .column(label::history_differs_from_the_run_before(), differs)
        .table()
}

fn run_label() -> Text {
    Text::from(label::history_run())
}

/// A row for each run, a column for each server; the first figure after a shift is marked.
fn figures(history: &History, here: &[&Series]) -> Table {
    let table = Table::of(history.runs.iter().enumerate());
    let table = table.column(run_label(), |(_, run)| Cell::new(&run.started));
    let name = |series: &&&Series| Text::from(&series.target);
    table
        .columns(here, name, |(index, _), series| figure(series, *index))
        .table()
}

fn figure(series: &Series, run: usize) -> Cell {
    let Some(value) = series.values[run] else {
        return Cell::none();
    };
    let text = match series.unit {
        Some(unit) => labels::translated(unit.with_interval(value, series.intervals[run])),
        None => {
            let ends = series.intervals[run].map(|ends| {
                let [low, high] = [ends.low, ends.high].map(units::ratio);
                format!(" [{low} … {high}]")
            });
            format!("{}{}", units::ratio(value), ends.unwrap_or_default()).into()
        }
    };
    match series.shifts.iter().find(|shift| shift.at == run) {
        Some(shift) => {
            let change = units::change(shift.ratio - 1.0);
            let changed = Text::both(format!("changed: {change}"), format!("变化：{change}"));
            Cell::new(text).toned(Tone::Strong).over(Some(changed))
        }
        None => Cell::new(text),
    }
}
