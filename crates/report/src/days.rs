//! Two runs of one study: what differs beside the figures, then the figures.

use photofinish_judge::days::{Change, Days};
use photofinish_model::units;
use photofinish_stats::Direction;
use photofinish_voice::{Language, Say};

use crate::document::{Block, Figure, Item, Table, Tone};

pub(crate) fn document(days: &Days) -> Vec<Block> {
    let mut blocks = vec![
        Block::Heading(1, days.title.clone()),
        Block::line(format!(
            "The run of {} against that of {}. Their rounds were not interleaved: a difference may be that of the days, and not of the servers.",
            days.after, days.before
        )),
    ];
    if !days.warnings.is_empty() {
        blocks.push(Block::section("What else differs"));
        let items = days
            .warnings
            .iter()
            .map(|says| Item::new(says.text(Language::En), Tone::Bad));
        blocks.push(Block::List(items.collect()));
    }
    blocks.push(Block::section("Changes"));
    if days.changes.is_empty() {
        blocks.push(Block::line(
            "None to show: the runs share no target, workload and load level.",
        ));
        return blocks;
    }
    let mut places: Vec<(&str, &str)> = Vec::new();
    for change in &days.changes {
        let place = (change.workload.as_str(), change.level.as_str());
        if !places.contains(&place) {
            places.push(place);
        }
    }
    for (workload, level) in places {
        let here = days.changes.iter();
        let here = here.filter(|change| change.workload == workload && change.level == level);
        blocks.push(Block::Heading(3, format!("{workload}, {level}")));
        blocks.push(Block::Table(Table {
            header: [
                "target, metric",
                "before",
                "after",
                "ratio",
                "interval",
                "verdict",
            ]
            .map(str::to_owned)
            .to_vec(),
            rows: here.map(row).collect(),
        }));
    }
    blocks
}

fn row(change: &Change) -> Vec<Figure> {
    let name = change.metric.say(Language::En);
    let tone = match change.direction {
        Some(Direction::Above | Direction::Below) => Tone::Strong,
        _ => Tone::Plain,
    };
    let level = match change.level_of_interval > 0.9501 {
        true => format!(" ({})", units::percent(change.level_of_interval)),
        false => String::new(),
    };
    let interval = change.interval.map(|interval| {
        if let Some(wide) = units::wide(interval) {
            return Figure::new(wide);
        }
        let (low, high) = (units::ratio(interval.low), units::ratio(interval.high));
        Figure::new(format!("[{low} … {high}]{level}"))
    });
    vec![
        Figure::new(format!("{}, {name}", change.target)),
        Figure::new(change.before.short()),
        Figure::new(change.after.short()),
        change
            .ratio
            .map_or_else(Figure::none, |ratio| Figure::new(units::ratio(ratio))),
        interval.unwrap_or_else(Figure::none),
        Figure {
            tone,
            ..Figure::new(change.outcome.text(Language::En))
        },
    ]
}

#[cfg(test)]
mod tests {
    use photofinish_model::samples;
    use photofinish_stats::Interval;

    use super::*;

    #[test]
    fn an_interval_that_bounds_nothing_has_no_digits() {
        let then = samples::race(&["a"], &[&[100.0, 100.0]]);
        let mut change = Days::from(&then, &then).changes.remove(0);
        let mut shown = |low, high| {
            change.interval = Some(Interval { low, high });
            row(&change)[4].text.clone()
        };
        assert_eq!(shown(0.087, 3.282), "[too wide]");
        assert!(shown(0.9, 1.1).starts_with("[0.900 … 1.10"));
    }
}
