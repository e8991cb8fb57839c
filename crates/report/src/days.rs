//! Two runs of one study: what differs between them besides the figures, then the figures.

use photofinish_judge::comparison::Figure as Measured;
use photofinish_judge::days::{Change, Days};
use photofinish_model::{Metric, units};
use photofinish_stats::Direction;

use photofinish_voice::label;

use crate::document::{Block, Cell, Table};
use crate::figure::Figure;
use crate::figure::look::look;
use crate::figure::runs::{self, Line, Panel, Point, Run};
use crate::labels;
use crate::words::{Text, Tone};

pub(crate) fn document(days: &Days) -> Vec<Block> {
    let (before, after) = (&days.before, &days.after);
    let mut blocks = vec![
        Block::Title(Text::authored(&days.title)),
        Block::Line(Text::both(
            format!(
                "The run of {after} against the run of {before}. Their rounds were not interleaved: a difference may come from the days, and not from the servers."
            ),
            format!(
                "{after} 的运行对比 {before} 的运行。两者的各轮没有交错：差异可能来自日子的不同，而不是服务器。"
            ),
        )),
    ];
    if !days.warnings.is_empty() {
        let title = Text::from(label::days_what_else_differs());
        blocks.push(Block::Section("differs", title));
        blocks.push(Block::list(&days.warnings, Tone::Bad));
    }
    blocks.push(Block::Section("changes", Text::from(label::days_changes())));
    if days.changes.is_empty() {
        blocks.push(Block::Line(Text::from(label::days_none_to_show_the_runs())));
        return blocks;
    }
    let mut places: Vec<&Change> = Vec::new();
    let same = |a: &Change, b: &Change| a.workload == b.workload && a.level == b.level;
    for change in &days.changes {
        if !places.iter().any(|known| same(known, change)) {
            places.push(change);
        }
    }
    let servers = days.changes.iter().map(|change| &*change.target);
    blocks.push(Block::key(&days.head, servers));
    let both = both_runs(days);
    for place in places {
        let here = days.changes.iter().filter(|change| same(place, change));
        let here: Vec<&Change> = here.collect();
        let level = Text::say(&place.load);
        blocks.push(Block::Heading(Text::list([
            Text::from(&place.workload),
            level,
        ])));
        let mut metrics: Vec<Metric> = here.iter().map(|change| change.metric).collect();
        metrics.dedup();
        let pictures = metrics.iter().filter_map(|metric| {
            let here = here
                .iter()
                .copied()
                .filter(|change| change.metric == *metric);
            panel(days, &both, *metric, here)
        });
        blocks.push(Block::Figures(pictures.collect()));
        blocks.push(Block::Table(
            Table::of(here)
                .column(label::days_server_metric(), |change| server_metric(change))
                .column(label::days_verdict(), |change| verdict(change))
                .column(label::days_ratio(), |it| {
                    Cell::some(it.ratio.map(units::ratio))
                })
                .column(label::days_interval(), |change| interval(change))
                .column(label::days_before(), |it| {
                    labels::translated(it.before.short())
                })
                .column(label::days_after(), |it| {
                    labels::translated(it.after.short())
                })
                .table(),
        ));
    }
    blocks
}

/// The two runs as the axis names them.
fn both_runs(days: &Days) -> [Run; 2] {
    let run = |name: Text, started: &str| Run {
        name: Text::list([name.clone(), started.into()]),
        label: name,
        machine_changed: false,
    };
    [
        run(label::days_before().into(), &days.before),
        run(label::days_after().into(), &days.after),
    ]
}

/// A metric of all servers before and after; what is invalid is left out.
fn panel<'d>(
    days: &Days,
    both: &'d [Run],
    metric: Metric,
    here: impl Iterator<Item = &'d Change>,
) -> Option<Figure> {
    let line = |change: &'d Change| {
        let [before, after] = &change.failed_checks;
        let point = |figure: &Measured, failed_checks: &'d [String]| {
            Some(Point {
                value: figure.mean?,
                interval: figure.interval,
                failed_checks,
            })
        };
        let is_certain = matches!(change.direction, Some(Direction::Above | Direction::Below));
        let mark = is_certain.then(|| runs::Change {
            at: 1,
            began: (1, 1),
            says: Text::from(&change.outcome),
        });
        Line {
            server: &change.target,
            look: look(&days.head, &change.target),
            points: vec![point(&change.before, before), point(&change.after, after)],
            changes: mark.into_iter().collect(),
        }
    };
    let valid = here.filter(|change| change.ratio.is_some());
    let lines: Vec<Line> = valid.map(line).collect();
    let unit = days.changes.iter().find(|change| change.metric == metric)?;
    let panel = Panel {
        title: Text::say(&metric),
        unit: Some(unit.after.unit),
        runs: both,
        lines,
        mark: label::runs_certain(),
    };
    panel.figure()
}

fn server_metric(change: &Change) -> Text {
    Text::list([Text::from(&change.target), Text::say(&change.metric)])
}

fn verdict(change: &Change) -> Cell {
    let tone = match change.direction {
        Some(Direction::Above | Direction::Below) => Tone::Strong,
        _ => Tone::Plain,
    };
    Cell::new(&change.outcome).toned(tone)
}

fn interval(change: &Change) -> Cell {
    let Some(interval) = change.interval else {
        return Cell::none();
    };
    if units::is_wide(interval) {
        return Cell::new(label::too_wide());
    }
    let level = match change.level_of_interval > 0.9501 {
        true => format!(" ({})", units::percent(change.level_of_interval)),
        false => String::new(),
    };
    let (low, high) = (units::ratio(interval.low), units::ratio(interval.high));
    Cell::new(format!("[{low} … {high}]{level}"))
}

#[cfg(test)]
mod tests {
    use photofinish_model::samples;
    use photofinish_stats::Interval;
    use photofinish_voice::Language;

    use crate::figure::Body;

    use super::*;

    #[test]
    fn two_runs_are_drawn_with_a_mark_at_what_changed_for_certain() {
        let rates = [1000.0, 1005.0, 995.0, 1002.0, 998.0];
        let slower = rates.map(|rate| rate * 0.8);
        let before = samples::race(&["a", "b"], &[&rates, &rates]);
        let after = samples::race(&["a", "b"], &[&slower, &rates]);
        let blocks = document(&Days::from(&before, &after));
        let figures = blocks.iter().find_map(|block| match block {
            Block::Figures(figures) => Some(figures),
            _ => None,
        });
        let figure = &figures.expect("figures")[0];
        assert!(matches!(figure.body, Body::Drawing(_)));
        let says = figure.says.text(Language::En);
        assert!(says.starts_with("a: before, "), "{says}");
        assert!(says.contains("; slower; b: before, "), "{says}");
        assert_eq!(figure.below[0].text(Language::En), "▼ certain change");
    }

    #[test]
    fn an_interval_that_bounds_nothing_has_no_digits() {
        let then = samples::race(&["a"], &[&[100.0, 100.0]]);
        let mut change = Days::from(&then, &then).changes.remove(0);
        let mut shown = |low, high| {
            change.interval = Some(Interval { low, high });
            interval(&change).text.text(Language::En)
        };
        assert_eq!(shown(0.087, 3.282), "[too wide]");
        assert!(shown(0.9, 1.1).starts_with("[0.900 … 1.10"));
    }
}
