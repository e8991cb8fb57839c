//! Each round's figure, their mean and its interval, a row for each server.

use photofinish_judge::comparison::{Cell, Figure as Measured, TargetFigures};
use photofinish_model::units::Unit;
use photofinish_model::{Metric, Role};

use photofinish_voice::label;

use crate::figure::axis::{Scale, bar, linear_ticks, reach};
use crate::figure::rows::{HEIGHT, MIDDLE, Rows, Strip};
use crate::figure::{Anchor, Figure, Label, Series, Shape, Style};
use crate::labels;
use crate::words::Text;

use super::super::source::{Source, is_void, shown};

const DRAWN: [Metric; 3] = [Metric::Throughput, Metric::P50, Metric::P99];

/// The name of a metric that is drawn.
pub(in crate::sections) fn title(metric: Metric) -> Text {
    match metric {
        Metric::Throughput => Text::from(label::figures_throughput()),
        Metric::P50 => Text::from(label::figures_p50()),
        Metric::P99 => Text::from(label::time_p99()),
        other => Text::say(&other),
    }
}

pub(super) fn panels(source: &Source, cell: &Cell) -> Vec<Figure> {
    let of = |metric| panel(source, cell, metric);
    DRAWN.into_iter().filter_map(of).collect()
}

fn panel(source: &Source, cell: &Cell, metric: Metric) -> Option<Figure> {
    let rows: Vec<(&TargetFigures, &Measured)> = (shown(cell).into_iter())
        .filter_map(|target| Some((target, target.figure(metric)?)))
        .collect();
    let (_, first) = rows.first()?;
    let scale = scale(&rows, metric);
    let ticks = linear_ticks(first.unit, scale.low, scale.high, 5.0);
    let says = rows.iter().map(|(target, figure)| {
        let said = match is_void(target, metric) {
            true => Text::from(label::figures_overload()),
            false => labels::figure(figure),
        };
        Text::from(format!("{} ", target.target)).then(said)
    });
    let says = Text::sentences(says);
    let strips = rows.iter().map(|(target, figure)| {
        let is_void = is_void(target, metric);
        let shapes = match is_void {
            true => Vec::new(),
            false => marks(source, target, figure, &scale),
        };
        Strip {
            name: vec![source.server(&target.target)],
            figure: vec![short(figure, is_void)],
            shapes,
            height: HEIGHT,
        }
    });
    let body = Rows::new(scale, ticks).body(strips.collect());
    Some(Figure::new(title(metric), says, body))
}

fn short(figure: &Measured, is_void: bool) -> Text {
    match (is_void, figure.mean) {
        (true, _) => Text::from(label::figures_overload()),
        (_, None) => Text::default(),
        (_, Some(mean)) if figure.unit == Unit::RequestsPerSecond => {
            photofinish_model::units::number(mean).into()
        }
        (_, Some(mean)) => labels::amount(figure.unit, mean),
    }
}

/// All rounds, and intervals that bound anything; never less than a tenth of the value, so that noise does not look large. The
/// reference server may lie far from those that race.
fn scale(rows: &[(&TargetFigures, &Measured)], metric: Metric) -> Scale {
    let valid = |target: &TargetFigures| !is_void(target, metric);
    let races = |target: &TargetFigures| target.role != Role::Limit;
    type Chosen<'a> = &'a dyn Fn(&TargetFigures) -> bool;
    let choices: [Chosen; 3] = [&|t| valid(t) && races(t), &valid, &|_| true];
    let chosen = choices
        .iter()
        .find(|choice| rows.iter().any(|(t, _)| choice(t)));
    let chosen = rows
        .iter()
        .filter(|(t, _)| chosen.is_none_or(|choice| choice(t)));
    let (low, high) = reach(chosen.map(|(_, it)| (it.min, it.max, it.interval)));
    let middle = (low + high) / 2.0;
    let half = ((high - low) / 2.0)
        .max(middle.abs() * 0.05)
        .max(f64::MIN_POSITIVE)
        * 1.06;
    Scale::linear((middle - half).max(0.0), middle + half)
}

fn marks(source: &Source, target: &TargetFigures, figure: &Measured, scale: &Scale) -> Vec<Shape> {
    if target.role == Role::Limit && (figure.min < scale.low || figure.max > scale.high) {
        // Its figure stands next to it; a mark would squeeze those that race.
        let (x, anchor, arrow) = match figure.max > scale.high {
            true => (100.0, Anchor::End, "→"),
            false => (0.0, Anchor::Start, "←"),
        };
        return vec![Shape::Label(Label::new((x, MIDDLE + 4.0), anchor, arrow))];
    }
    let look = source.look(&target.target);
    let name = source.server(&target.target);
    let rounds: Vec<(usize, f64)> = (1..)
        .zip(&figure.rounds)
        .filter_map(|(round, value)| Some((round, (*value)?)))
        .collect();
    let small = |(_, value): &(usize, f64)| Shape::Mark((scale.x(*value), MIDDLE), Style::Small);
    let texts = rounds.iter().map(|(round, value)| {
        Text::labelled(labels::round(*round), labels::amount(figure.unit, *value))
    });
    let single = Series::new(name.clone(), texts.collect());
    let singles = Shape::Group(look, 0.0, rounds.iter().map(small).collect(), single);
    let mut mean: Vec<Shape> = Vec::new();
    mean.extend(figure.interval.map(|interval| bar(interval, scale, MIDDLE)));
    let mut read = None;
    if let Some(value) = figure.mean {
        mean.push(Shape::Mark((scale.x(value), MIDDLE), Style::Filled));
        let text = Text::labelled(Text::from(label::figures_mean()), labels::figure(figure));
        read = Series::new(name, vec![text]);
    }
    vec![singles, Shape::Group(look, 0.0, mean, read)]
}
