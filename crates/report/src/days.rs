//! Two runs of one study: what differs between them besides the figures, then the figures.

use photofinish_judge::days::{Change, Days};
use photofinish_model::units;
use photofinish_stats::Direction;

use photofinish_voice::label;

use crate::document::{Block, Cell, Item, Table};
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
        let items = days.warnings.iter().map(|says| Item::new(says, Tone::Bad));
        blocks.push(Block::List(items.collect()));
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
        blocks.push(Block::Table(Table {
            header: vec![
                Text::from(label::days_server_metric()),
                Text::from(label::days_verdict()),
                Text::from(label::days_ratio()),
                Text::from(label::days_interval()),
                Text::from(label::days_before()),
                Text::from(label::days_after()),
            ],
            rows: here.map(row).collect(),
        }));
    }
    blocks
}

fn row(change: &Change) -> Vec<Cell> {
    let name = [Text::from(&change.target), Text::say(&change.metric)];
    let tone = match change.direction {
        Some(Direction::Above | Direction::Below) => Tone::Strong,
        _ => Tone::Plain,
    };
    let level = match change.level_of_interval > 0.9501 {
        true => format!(" ({})", units::percent(change.level_of_interval)),
        false => String::new(),
    };
    let interval = change.interval.map(|interval| {
        if units::is_wide(interval) {
            return Cell::new(Text::from(label::too_wide()));
        }
        let (low, high) = (units::ratio(interval.low), units::ratio(interval.high));
        Cell::new(format!("[{low} … {high}]{level}"))
    });
    vec![
        Cell::new(Text::list(name)),
        Cell::new(&change.outcome).toned(tone),
        change
            .ratio
            .map_or_else(Cell::none, |ratio| Cell::new(units::ratio(ratio))),
        interval.unwrap_or_else(Cell::none),
        Cell::new(labels::translated(change.before.short())),
        Cell::new(labels::translated(change.after.short())),
    ]
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
            row(&change)[3].text.text(Language::En)
        };
        assert_eq!(shown(0.087, 3.282), "[too wide]");
        assert!(shown(0.9, 1.1).starts_with("[0.900 … 1.10"));
    }
}
