//! A study's runs over time: what shifted, each figure from run to run, and the runs.

use photofinish_judge::history::{History, Run, Series, Shift};
use photofinish_judge::lists::by_key;
use photofinish_model::units;

use photofinish_voice::label;

use crate::document::{Block, Cell, Table};
use crate::figure::look::look;
use crate::figure::runs::{self, Change, Line, Panel, Point};
use crate::words::{Text, Tone};

/// What is shown of a commit's hash.
const SHORT_HASH: usize = 10;

/// More runs have the whole width for each figure.
const NARROW: usize = 30;

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
    blocks.extend(figures(history));
    blocks.push(Block::Section("runs", Text::from(label::history_runs())));
    blocks.push(Block::Table(table_of_runs(history)));
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

/// Each place with a panel and a table for each metric.
fn figures(history: &History) -> Vec<Block> {
    let mut blocks = Vec::new();
    let series = history.series.iter();
    let places = by_key(series.map(|series| ((&series.workload, &series.load), series)));
    if places.is_empty() {
        return blocks;
    }
    let title = Text::from(label::history_figures());
    blocks.push(Block::Section("figures", title));
    let servers = history.series.iter().map(|series| &*series.target);
    blocks.push(Block::key(&history.head, servers));
    let runs = runs_on_axis(history);
    for ((workload, load), here) in places {
        let (mut pictures, mut tables) = (Vec::new(), Vec::new());
        for (metric, of_metric) in by_key(here.into_iter().map(|series| (series.metric, series))) {
            let metric = Text::say(&metric);
            pictures.extend(panel(history, &runs, &of_metric).figure());
            tables.push(Block::Heading(metric));
            tables.push(Block::Table(table_of_figures(history, &of_metric)));
        }
        let over = history.baseline.as_ref();
        let over = over.map_or_else(Text::default, |over| {
            Text::both(format!(" relative to {over}"), format!("，相对于 {over}"))
        });
        let place = [Text::from(workload), Text::say(load)];
        blocks.push(Block::Heading(Text::list(place).then(over)));
        match history.runs.len() > NARROW {
            true => blocks.extend(pictures.into_iter().map(|one| Block::Figures(vec![one]))),
            false => blocks.push(Block::Figures(pictures)),
        }
        blocks.push(Block::Tables(Text::from(label::table()), tables));
    }
    blocks
}

/// The runs by their days; by their minutes if two are of one day.
fn runs_on_axis(history: &History) -> Vec<runs::Run> {
    let part = |run: &Run, from: usize, to: usize| {
        let part = run.started.get(from..to);
        part.unwrap_or(&run.started).replace('T', " ")
    };
    let days: Vec<String> = history.runs.iter().map(|run| part(run, 0, 10)).collect();
    let has_same_day = days.windows(2).any(|pair| pair[0] == pair[1]);
    let label = |run: &Run| match has_same_day {
        true => part(run, 5, 16),
        false => part(run, 5, 10),
    };
    let of = |run: &Run| runs::Run {
        name: Text::from(&run.started),
        label: label(run).into(),
        machine_changed: run.machine_changed,
    };
    history.runs.iter().map(of).collect()
}

fn panel<'h>(history: &History, runs: &'h [runs::Run], here: &[&'h Series]) -> Panel<'h> {
    let line = |series: &&'h Series| {
        let point = |(run, value): (usize, &Option<f64>)| {
            Some(Point {
                value: (*value)?,
                interval: series.intervals[run],
                failed_checks: &series.failed_checks[run],
            })
        };
        let change = |shift: &Shift| Change {
            at: shift.at,
            began: (shift.earliest, shift.latest),
            says: changed(shift),
        };
        Line {
            server: &series.target,
            look: look(&history.head, &series.target),
            points: series.values.iter().enumerate().map(point).collect(),
            changes: series.shifts.iter().map(change).collect(),
        }
    };
    Panel {
        title: Text::say(&here[0].metric),
        unit: here[0].unit,
        runs,
        lines: here.iter().map(line).collect(),
        mark: label::runs_change_point(),
    }
}

fn changed(shift: &Shift) -> Text {
    let change = units::change(shift.ratio - 1.0);
    Text::both(format!("changed: {change}"), format!("变化：{change}"))
}

fn table_of_runs(history: &History) -> Table {
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
fn table_of_figures(history: &History, here: &[&Series]) -> Table {
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
    let text = runs::amount(series.unit, value, series.intervals[run]);
    let failed = match series.failed_checks[run].len() {
        0 => None,
        count => {
            let checks = units::plural(count, "check", "checks");
            let zh = format!("{count} 项检查未通过");
            Some(Text::both(format!("{checks} failed"), zh))
        }
    };
    match series.shifts.iter().find(|shift| shift.at == run) {
        Some(shift) => Cell::new(text)
            .toned(Tone::Strong)
            .over(Some(changed(shift)))
            .over(failed),
        None => Cell::new(text).over(failed),
    }
}

#[cfg(test)]
mod tests {
    use photofinish_model::samples;
    use photofinish_model::store::Results;
    use photofinish_model::{Check, check};
    use photofinish_voice::checks;

    use crate::figure::{Body, Shape, Style};

    use photofinish_model::samples::assert_starts;

    use super::*;

    /// Twelve daily runs, of which the last four are a fifth slower; a check failed in the third.
    fn history() -> History {
        let run = |day: u32| -> Results {
            let noise = f64::from(day % 3) * 0.002;
            let rate = if day < 8 { 1000.0 } else { 800.0 } * (1.0 + noise);
            let rates = [0.998, 1.0, 1.003].map(|round| rate * round);
            let mut results = samples::race(&["a", "b"], &[&rates, &rates.map(|rate| rate / 2.0)]);
            results.study.started = format!("2026-03-{:02}T02:00:00Z", day + 1);
            results.environment.kernel = if day < 5 { "6.1" } else { "6.12" }.to_owned();
            let of_a = |line: &&mut photofinish_model::Line| day == 2 && line.target == "a";
            for line in results.lines.iter_mut().filter(of_a) {
                let checks = &mut line.measurement.as_mut().expect("measured").checks;
                checks.retain(|check| check.name != check::QUIET);
                checks.push(Check {
                    name: check::QUIET.to_owned(),
                    ok: Some(false),
                    says: Some(checks::steal(0.2)),
                });
            }
            results
        };
        History::from((0..12).map(run).collect(), None).expect("a history")
    }

    /// All marks of the figure's shapes.
    fn marks(shapes: &[Shape]) -> Vec<Style> {
        let of = |shape: &Shape| match shape {
            Shape::Mark(_, style) => vec![*style],
            Shape::Group(_, _, shapes, _) => marks(shapes),
            _ => Vec::new(),
        };
        shapes.iter().flat_map(of).collect()
    }

    #[test]
    fn a_panel_has_a_line_for_each_server_and_marks_what_failed_and_shifted() {
        let history = history();
        let blocks = document(&history);
        let all = blocks.iter().filter_map(|block| match block {
            Block::Figures(figures) => Some(figures),
            _ => None,
        });
        let all: Vec<_> = all.collect();
        assert_eq!((all.len(), all[0].len()), (1, 3), "a panel for each metric");
        let figure = &all[0][0];
        let Body::Drawing(drawing) = &figure.body else {
            panic!("{figure:?}");
        };
        let marks = marks(&drawing.shapes);
        let count = |style| marks.iter().filter(|mark| **mark == style).count();
        assert_eq!(count(Style::Hollow), 1);
        assert_eq!(count(Style::Filled), 2 * 12 - 1);
        assert_eq!(
            count(Style::Shift),
            2,
            "both servers are slower from the ninth run on"
        );
        let is_machine = |shape: &&Shape| matches!(shape, Shape::Line(_, _, "reach"));
        assert_eq!(drawing.shapes.iter().filter(is_machine).count(), 1);
        let legend = figure.below[0].text(photofinish_voice::Language::En);
        for part in ["▼ ", "hollow", "dashed"] {
            assert!(legend.contains(part), "{legend}");
        }
        let says = figure.says.text(photofinish_voice::Language::En);
        assert_starts(&says, "a: 2026-03-01T02:00:00Z: 1,000 requests/s");
    }
}
