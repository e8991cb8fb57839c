//! Throughput and p99 against the load, for workloads with several levels; with the scalability law over connections.

use photofinish_judge::comparison::{Cell, Figure as Measured, Scaling};
use photofinish_model::Metric;
use photofinish_model::units::{self, Unit};

use photofinish_voice::label;

use crate::document::{Block, Cell as Figure, Table, part};
use crate::figure::axis::{Scale, bar_class, linear_ticks, log_ticks, reach, short, time};
use crate::figure::look::Look;
use crate::figure::plot::Plot;
use crate::figure::{Figure as Picture, Series, Shape, Style};
use crate::labels;
use crate::words::{Text, Tone};

use super::figures::{figure, panel_title};
use super::levels::{Levels, levels};
use super::source::{Source, errors, is_void, place};
use super::{scaling, sweeps, trade_off};

const DRAWN: [Metric; 2] = [Metric::Throughput, Metric::P99];

struct Curve<'a> {
    label: &'a str,
    points: Vec<(f64, &'a Measured)>,
    law: Option<&'a Scaling>,
    /// Whether the marks stand alone: a copy next to a law that is its server's.
    is_bare: bool,
}

pub(super) fn load(source: &Source) -> Vec<Block> {
    let all = levels(source);
    let mut blocks = Vec::new();
    for levels in &all {
        blocks.extend(of_levels(source, levels));
    }
    blocks.extend(sweeps::sweeps(source));
    if blocks.is_empty() {
        return blocks;
    }
    let mut head = match source.pictures {
        None => vec![Block::Part("load", label::load_title().into())],
        Some(_) => {
            let mut head = part("load", label::load_title(), label::load_lead());
            head.push(source.key(|_| true));
            head
        }
    };
    head.extend(blocks);
    head
}

fn of_levels(source: &Source, levels: &Levels) -> Vec<Block> {
    let mut blocks = Vec::new();
    if source.pictures.is_some() {
        let panels = DRAWN
            .into_iter()
            .filter_map(|metric| panel(source, levels, metric));
        let pictures = panels.chain(trade_off::trade_off(source, levels));
        blocks.push(Block::Figures(pictures.collect()));
        for (_, cell) in &levels.cells {
            let errors = errors(cell);
            if !errors.is_empty() {
                blocks.push(Block::Line(place(cell).toned(Tone::Strong)));
                blocks.extend(errors);
            }
        }
        blocks.push(Block::tables(table(source, levels)));
    }
    if levels.is_closed {
        blocks.extend(scaling::scaling(source, levels.workload));
    }
    if !blocks.is_empty() {
        blocks.insert(0, Block::Heading(levels.workload.into()));
    }
    blocks
}

fn table(source: &Source, levels: &Levels) -> Table {
    let labels = source.labels();
    let keys = labels
        .iter()
        .flat_map(|label| DRAWN.map(|metric| (*label, metric)));
    let heading =
        |(label, metric): &(&str, Metric)| Text::list([source.server(label), Text::say(metric)]);
    let shown = |(_, cell): &&(f64, &Cell), (label, metric): &(&str, Metric)| {
        let target = cell.target(label);
        target.map_or_else(Figure::none, |target| figure(target, *metric))
    };
    let table = Table::of(&levels.cells);
    let table = table.column(label::level(), |(_, cell)| Figure::new(&cell.level));
    table.columns(keys, heading, shown).table()
}

fn curves<'a>(source: &Source<'a>, levels: &Levels<'a>, metric: Metric) -> Vec<Curve<'a>> {
    let is_lawful = metric == Metric::Throughput && levels.is_closed;
    let has_law = || {
        let mut all = source.comparison.scaling.iter();
        all.any(|law| law.workload == levels.workload && scaling::is_drawn(law))
    };
    let targets = source.comparison.head.targets.iter();
    let of = |label: &'a str| {
        let points = levels.cells.iter().filter_map(|(at, cell)| {
            let target = cell.target(label)?;
            let figure = target.figure(metric)?;
            (figure.mean.is_some() && !is_void(target, metric)).then_some((*at, figure))
        });
        Curve {
            label,
            points: points.collect(),
            law: is_lawful
                .then(|| scaling::of(source, levels.workload, label))
                .flatten(),
            is_bare: is_lawful && !source.is_contender(label) && has_law(),
        }
    };
    let curves = targets.map(|target| of(&target.label));
    curves.filter(|curve| !curve.points.is_empty()).collect()
}

fn panel(source: &Source, levels: &Levels, metric: Metric) -> Option<Picture> {
    let curves = curves(source, levels, metric);
    let points = || curves.iter().flat_map(|curve| &curve.points);
    points().next()?;
    let (low, high) = reach(points().map(|(_, it)| (it.min, it.max, it.interval)));
    let mut all: Vec<f64> = points().map(|(at, _)| *at).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    let (first, last) = (all.first()? / 1.1, all.last()? * 1.1);
    let (y, left) = if metric == Metric::P99 {
        let y = Scale::log(low.max(f64::MIN_POSITIVE) / 1.15, high * 1.15);
        let left = log_ticks(y.low, y.high, 9).into_iter();
        (y, left.map(time).collect())
    } else {
        let laws = curves.iter().filter_map(|curve| curve.law);
        let laws = laws.filter(|law| scaling::is_drawn(law));
        let highest = laws.map(|law| scaling::highest(law, [first, last]));
        let y = Scale::linear(0.0, highest.fold(high, f64::max) * 1.04);
        (y, linear_ticks(Unit::Count, 0.0, y.high, 6.0))
    };
    let plot = Plot {
        x: Scale::log(first, last),
        y,
        below: all.iter().map(|at| (*at, short(*at))).collect(),
        left,
        has_columns: false,
    };
    let mut shapes = Vec::new();
    let middle = (curves.len() as f64 - 1.0) / 2.0;
    for (place, curve) in curves.iter().enumerate() {
        // Side by side, so that no interval hides another.
        let aside = 3.5 * (place as f64 - middle);
        let look = source.look(curve.label);
        shapes.extend(drawn(curve, (look, aside), &plot));
    }
    let peaks = curves.iter().filter_map(|curve| Some((curve, curve.law?)));
    let peaks = peaks.filter(|(_, law)| scaling::has_peak(law));
    for (row, (curve, law)) in peaks.enumerate() {
        shapes.extend(scaling::peak(law, source.look(curve.label), &plot, row));
    }
    let says = curves.iter().map(|curve| {
        let each = curve.points.iter().map(|(at, figure)| {
            let value = labels::amount(figure.unit, figure.mean.unwrap_or_default());
            Text::labelled(units::thousands(*at), value)
        });
        Text::from(format!("{} ", curve.label)).then(Text::list(each))
    });
    let axis = match levels.is_closed {
        true => label::load_connections(),
        false => label::load_rate(),
    };
    let (title, says) = (panel_title(metric), Text::sentences(says));
    Some(Picture::new(title, says, plot.body(shapes)).with_axis(axis))
}

fn drawn(curve: &Curve, (look, aside): (Look, f64), plot: &Plot) -> Vec<Shape> {
    let at = |level: f64, value: f64| plot.at(level, value);
    let mut single = Vec::new();
    let mut group = Vec::new();
    for (level, figure) in &curve.points {
        let rounds = figure.rounds.iter().flatten();
        single.extend(rounds.map(|value| Shape::Mark(at(*level, *value), Style::Small)));
        group.extend(
            figure
                .interval
                .map(|it| Shape::Line(at(*level, it.low), at(*level, it.high), bar_class(it))),
        );
    }
    let mean = |(level, figure): &(f64, &Measured)| at(*level, figure.mean.unwrap_or_default());
    let means: Vec<_> = curve.points.iter().map(mean).collect();
    // The law, if it describes the figures, is drawn instead of straight lines from mark to mark.
    match curve.law.filter(|law| scaling::is_drawn(law)) {
        Some(law) => group.push(scaling::curve(law, plot)),
        None if curve.is_bare => {}
        None => group.push(Shape::Path(means.clone(), "line")),
    }
    let marks = means.into_iter().map(|at| Shape::Mark(at, Style::Filled));
    let texts = curve
        .points
        .iter()
        .map(|(level, figure)| Text::labelled(units::thousands(*level), labels::figure(figure)));
    let series = Series::new(Text::server(curve.label, look), texts.collect());
    vec![
        Shape::Group(look, aside, single, None),
        Shape::Group(look, aside, group, None),
        Shape::Group(look, aside, marks.collect(), series),
    ]
}
