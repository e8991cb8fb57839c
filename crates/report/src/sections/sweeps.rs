//! Sweeps over one variable, such as the size of a message, with the levels that do not fit those around them.

use photofinish_judge::comparison::{Figure as Measured, OutOfLine};
use photofinish_judge::page::Sweep;
use photofinish_model::Metric;
use photofinish_model::units::thousands;

use photofinish_voice::label;

use crate::document::{Block, Cell as Figure, Item, Table};
use crate::figure::axis::{
    Scale, Tick, bar_class, labels_below, labels_left, log_ticks, reach, room, short,
};
use crate::figure::look::PUBLISHED;
use crate::figure::{Body, Drawing, ENDS, Figure as Picture, Series, Shape, Style};
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
    let items = points.iter().map(|point| {
        let says = Text::labelled(Text::from(label::sweep_out_of_line()), &point.says);
        Item::new(says, Tone::Bad)
    });
    vec![Block::List(items.collect())]
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
    blocks.extend(
        sweep
            .says
            .iter()
            .map(|says| Block::Line(Text::from(says).toned(Tone::Muted))),
    );
    blocks.extend(outliers(&found));
    let curves = curves(source, sweep, &found);
    if !curves.is_empty() {
        blocks.push(Block::Figures(vec![picture(source, sweep, &curves)]));
    }
    let table = table(source, sweep, &curves, &found);
    blocks.push(Block::Tables(
        Text::from(label::table()),
        vec![Block::Table(table)],
    ));
    blocks
}

fn curves<'a>(source: &Source<'a>, sweep: &Sweep, found: &[&'a OutOfLine]) -> Vec<Curve<'a>> {
    let comparison = source.comparison;
    let targets = comparison.head.targets.iter();
    let curves = targets.map(|target| {
        let points = sweep.points.iter().filter_map(|point| {
            let cell = comparison.cells.get(point.cell)?;
            let of = cell.targets.iter().find(|of| of.target == target.label)?;
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
    let rows = sweep.points.iter().filter_map(|point| {
        let cell = source.comparison.cells.get(point.cell)?;
        let head = Figure::new(thousands(point.value as f64)).over(Some(&cell.workload));
        let cells = curves.iter().map(|curve| {
            let target = cell.targets.iter().find(|of| of.target == curve.label);
            let shown = target.map_or_else(Figure::none, |of| figure(of, Metric::Throughput));
            let outlier = found
                .iter()
                .find(|it| it.target == curve.label && it.value == point.value);
            shown.over(outlier.map(|it| {
                let rate = labels::rate(it.expected);
                Text::both(
                    "outlier: expected from its other levels: ",
                    "离群：按其他档位推断为 ",
                )
                .then(rate)
            }))
        });
        Some(std::iter::once(head).chain(cells).collect())
    });
    let names = curves.iter().map(|curve| source.server(curve.label));
    Table {
        header: std::iter::once(variable(sweep)).chain(names).collect(),
        rows: rows.collect(),
    }
}

fn picture(source: &Source, sweep: &Sweep, curves: &[Curve]) -> Picture {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let (mut low, mut high) = reach(points().map(|(_, it, _)| (it.min, it.max, it.interval)));
    for point in curves.iter().flat_map(|curve| &curve.outliers) {
        (low, high) = (low.min(point.expected), high.max(point.expected));
    }
    let y = Scale::log(low.max(f64::MIN_POSITIVE) / 1.12, high * 1.12);
    let left: Vec<Tick> = (log_ticks(y.low, y.high, 9).into_iter())
        .map(|value| (value, short(value)))
        .collect();
    let mut values: Vec<u64> = points().map(|(value, ..)| *value).collect();
    values.sort_unstable();
    values.dedup();
    let ends = values.first().zip(values.last());
    let (first, last) = ends.map_or((1.0, 2.0), |(a, b)| (*a as f64 / 1.1, *b as f64 * 1.1));
    let x = Scale::log(first.max(0.1), last);
    let below: Vec<Tick> = (values.iter())
        .map(|value| (*value as f64, thousands(*value as f64)))
        .collect();
    let mut shapes = labels_left(&left, &y, ENDS);
    let middle = (curves.len() as f64 - 1.0) / 2.0;
    for (place, curve) in curves.iter().enumerate() {
        let aside = 3.0 * (place as f64 - middle);
        let look = source.look(curve.label);
        let at = |value: u64, rate: f64| (x.x(value as f64), y.y(rate, ENDS));
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
    shapes.extend(labels_below(&below, &x, ENDS[1] + 16.0));
    let says = curves.iter().map(|curve| {
        let points = curve.points.iter();
        let points = points
            .map(|(value, _, mean)| Text::labelled(thousands(*value as f64), labels::rate(*mean)));
        Text::from(format!("{} ", curve.label)).then(Text::list(points))
    });
    let says = Text::sentences(says);
    let body = Body::Drawing(Drawing {
        height: ENDS[1] + 22.0,
        left: room(&left),
        shapes,
    });
    let mut picture = Picture::new(Text::from(label::figures_throughput()), says, body)
        .with_axis(variable(sweep));
    if curves.iter().any(|curve| !curve.outliers.is_empty()) {
        picture.below.push(Text::from(label::sweep_ring()));
    }
    picture
}
