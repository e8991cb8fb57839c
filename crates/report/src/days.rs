//! Two runs of one study: what differs between them besides the figures, then the figures.

use photofinish_judge::days::{Change, Days};
use photofinish_model::units;
use photofinish_stats::Direction;

use photofinish_voice::label;

use crate::document::{Block, Cell, Table};
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
    for place in places {
        let here = days.changes.iter().filter(|change| same(place, change));
        let level = Text::say(&place.load);
        blocks.push(Block::Heading(Text::list([
            Text::from(&place.workload),
            level,
        ])));
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

    use super::*;

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
