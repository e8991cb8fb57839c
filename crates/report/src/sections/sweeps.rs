//! Sweeps over one variable, such as the size of a message, with the levels that do not fit those around them.

use photofinish_judge::comparison::{Cell, Figure as Measured, OutOfLine};
use photofinish_judge::page::Sweep;
use photofinish_model::Metric;
use photofinish_model::units::thousands;

use photofinish_voice::label;

use crate::document::{Block, Cell as Figure, Table};
use crate::figure::axis::{Scale, bar_class, log_ticks, reach, short};
use crate::figure::look::PUBLISHED;
use crate::figure::plot::Plot;
use crate::figure::{Figure as Picture, Series, Shape, Style};
use crate::labels;
use crate::words::{Text, Tone};

use super::figures::figure;
use super::source::Source;

struct Curve<'a> {
    label: &'a str,
    points: Vec<(u64, &'a Measured, f64)>,
    outliers: Vec<&'a OutOfLine>,
}

pub(super) fn sweeps(source: &Source) -> Vec<Block> {
    match source.pictures {
        Some(page) => (page.sweeps.iter())
            .flat_map(|sweep| of_sweep(source, sweep))
            .collect(),
        None => {
            let all: Vec<&OutOfLine> = source.comparison.out_of_line.iter().collect();
            outliers(&all)
        }
    }
}

fn outliers(points: &[&OutOfLine]) -> Vec<Block> {
    if points.is_empty() {
        return Vec::new();
    }
    let items = points
        .iter()
        .map(|point| Text::labelled(label::sweep_out_of_line(), &point.says));
    vec![Block::list(items, Tone::Bad)]
}

fn of_sweep(source: &Source, sweep: &Sweep) -> Vec<Block> {
    let comparison = source.comparison;
    let level = comparison.cells.get(sweep.cell);
    let found: Vec<&OutOfLine> = (comparison.out_of_line.iter())
        .filter(|point| {
            point.sweep == sweep.name && level.is_some_and(|cell| cell.level.en == point.level.en)
        })
        .collect();
    let name = &sweep.name;
    let title = Text::both(format!("Sweep {name}"), format!("扫描 {name}"));
    let title = Text::list(
        [title]
            .into_iter()
            .chain(level.map(|cell| Text::from(&cell.level))),
    );
    let mut blocks = vec![Block::Heading(title)];
    blocks.extend(sweep.says.iter().map(Block::muted));
    blocks.extend(outliers(&found));
    let curves = curves(source, sweep, &found);
    if !curves.is_empty() {
        blocks.push(Block::Figures(vec![picture(source, sweep, &curves)]));
    }
    let table = table(source, sweep, &curves, &found);
    blocks.push(Block::tables(table));
    blocks
}

fn curves<'a>(source: &Source<'a>, sweep: &Sweep, found: &[&'a OutOfLine]) -> Vec<Curve<'a>> {
    let comparison = source.comparison;
    let targets = comparison.head.targets.iter();
    let curves = targets.map(|target| {
        let points = sweep.points.iter().filter_map(|point| {
            let cell = comparison.cells.get(point.cell)?;
            let of = cell.target(&target.label)?;
            let figure = of.figure(Metric::Throughput)?;
            Some((point.value, figure, figure.mean.filter(|mean| *mean > 0.0)?))
        });
        let outliers = found.iter().copied();
        let outliers = outliers.filter(|point| point.target == target.label);
        Curve {
            label: target.label.as_str(),
            points: points.collect(),
            outliers: outliers.collect(),
        }
    });
    curves.filter(|curve| !curve.points.is_empty()).collect()
}

fn variable(sweep: &Sweep) -> Text {
    match sweep.variable.as_str() {
        "size" => Text::from(label::sweeps_size_bytes()),
        other => other.into(),
    }
}

fn table(source: &Source, sweep: &Sweep, curves: &[Curve], found: &[&OutOfLine]) -> Table {
    let points = sweep.points.iter();
    let points = points.filter_map(|it| Some((it.value, source.comparison.cells.get(it.cell)?)));
    let head = |(value, cell): &(u64, &Cell)| {
        Figure::new(thousands(*value as f64)).over(Some(&cell.workload))
    };
    let of_curve = |(value, cell): &(u64, &Cell), curve: &&Curve| {
        let target = cell.target(curve.label);
        let shown = target.map_or_else(Figure::none, |of| figure(of, Metric::Throughput));
        let mut found = found.iter();
        let outlier = found.find(|it| it.target == curve.label && it.value == *value);
        shown.over(outlier.map(|it| {
            let expected = Text::both(
                "outlier: expected from its other levels: ",
                "离群：按其他档位推断为 ",
            );
            expected.then(labels::rate(it.expected))
        }))
    };
    Table::of(points)
        .column(variable(sweep), head)
        .columns(curves, |curve| source.server(curve.label), of_curve)
        .table()
}

fn picture(source: &Source, sweep: &Sweep, curves: &[Curve]) -> Picture {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let (mut low, mut high) = reach(points().map(|(_, it, _)| (it.min, it.max, it.interval)));
    for point in curves.iter().flat_map(|curve| &curve.outliers) {
        (low, high) = (low.min(point.expected), high.max(point.expected));
    }
    let y = Scale::log(low.max(f64::MIN_POSITIVE) / 1.12, high * 1.12);
    let mut values: Vec<u64> = points().map(|(value, ..)| *value).collect();
    values.sort_unstable();
    values.dedup();
    let ends = values.first().zip(values.last());
    let (first, last) = ends.map_or((1.0, 2.0), |(a, b)| (*a as f64 / 1.1, *b as f64 * 1.1));
    let left = log_ticks(y.low, y.high, 9).into_iter();
    let below = values
        .iter()
        .map(|value| (*value as f64, thousands(*value as f64)));
    let plot = Plot {
        x: Scale::log(first.max(0.1), last),
        y,
        below: below.collect(),
        left: left.map(|value| (value, short(value))).collect(),
        has_columns: false,
    };
    let mut shapes = Vec::new();
    let middle = (curves.len() as f64 - 1.0) / 2.0;
    for (place, curve) in curves.iter().enumerate() {
        let aside = 3.0 * (place as f64 - middle);
        let look = source.look(curve.label);
        let at = |value: u64, rate: f64| plot.at(value as f64, rate);
        let means: Vec<_> = curve
            .points
            .iter()
            .map(|(value, _, mean)| at(*value, *mean))
            .collect();
        let mut group = vec![Shape::Path(means.clone(), "line")];
        group.extend(curve.points.iter().filter_map(|(value, figure, _)| {
            let it = figure.interval?;
            Some(Shape::Line(
                at(*value, it.low),
                at(*value, it.high),
                bar_class(it),
            ))
        }));
        shapes.push(Shape::Group(look, aside, group, None));
        let marks = means.into_iter().map(|at| Shape::Mark(at, Style::Filled));
        let texts = curve
            .points
            .iter()
            .map(|(value, _, mean)| Text::labelled(thousands(*value as f64), labels::rate(*mean)));
        let series = Series::new(source.server(curve.label), texts.collect());
        shapes.push(Shape::Group(look, aside, marks.collect(), series));
        // Where the level should lie, and how far it is from there.
        let rings = curve.outliers.iter().flat_map(|point| {
            let (is, should) = (
                at(point.value, point.throughput),
                at(point.value, point.expected),
            );
            let tick = |to: f64| (should.0 + to, should.1);
            [
                Shape::Line(is, should, "at"),
                Shape::Line(tick(-1.0), tick(1.0), "bar"),
                Shape::Mark(is, Style::Ring),
            ]
        });
        shapes.push(Shape::Group(PUBLISHED, aside, rings.collect(), None));
    }
    let says = curves.iter().map(|curve| {
        let points = curve.points.iter();
        let points = points
            .map(|(value, _, mean)| Text::labelled(thousands(*value as f64), labels::rate(*mean)));
        Text::from(format!("{} ", curve.label)).then(Text::list(points))
    });
    let says = Text::sentences(says);
    let title = Text::from(label::figures_throughput());
    let mut picture = Picture::new(title, says, plot.body(shapes)).with_axis(variable(sweep));
    if curves.iter().any(|curve| !curve.outliers.is_empty()) {
        picture.below.push(Text::from(label::sweep_ring()));
    }
    picture
}
