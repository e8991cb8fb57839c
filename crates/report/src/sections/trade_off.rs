//! p99 against throughput, a path for each server from level to level.

use photofinish_model::Metric;
use photofinish_model::units::Unit;

use photofinish_voice::label;

use crate::figure::axis::{Scale, linear_ticks, log_ticks, text_width, time};
use crate::figure::plot::{ENDS, Plot};
use crate::figure::{Anchor, Figure, Label, Place, Series, Shape, Style};
use crate::labels;
use crate::words::Text;

use super::levels::Levels;
use super::source::{Source, is_void};

struct Point {
    level: Text,
    rate: f64,
    p99: f64,
}

/// The figure; none if no server has two levels with both figures.
pub(super) fn trade_off(source: &Source, levels: &Levels) -> Option<Figure> {
    let labels = source.labels();
    let labels = labels.into_iter().filter(|label| {
        let limit = source.comparison.head.limit();
        limit.is_none_or(|limit| limit.label != *label)
    });
    let paths = labels.map(|label| (label, points(levels, label)));
    let paths: Vec<(&str, Vec<Point>)> = paths.filter(|(_, points)| points.len() > 1).collect();
    let all = || paths.iter().flat_map(|(_, points)| points);
    all().next()?;
    let most = all().map(|point| point.rate).fold(0.0, f64::max) * 1.06;
    let low = all().map(|point| point.p99).fold(f64::INFINITY, f64::min);
    let high = all().map(|point| point.p99).fold(0.0, f64::max);
    let y = Scale::log(low / 1.25, high * 1.25);
    let left = log_ticks(y.low, y.high, 9).into_iter();
    let plot = Plot {
        x: Scale::linear(0.0, most),
        y,
        below: linear_ticks(Unit::Count, 0.0, most, 6.0),
        left: left.map(time).collect(),
        has_columns: true,
    };
    let mut shapes = Vec::new();
    let place = |point: &Point| plot.at(point.rate, point.p99);
    let mut named: Vec<Label> = Vec::new();
    for (label, points) in &paths {
        let path = Shape::Path(points.iter().map(place).collect(), "line");
        let look = source.look(label);
        shapes.push(Shape::Group(look, 0.0, vec![path], None));
        let marks = points
            .iter()
            .map(|point| Shape::Mark(place(point), Style::Filled));
        let series = Series::new(source.server(label), points.iter().map(said).collect());
        shapes.push(Shape::Group(look, 0.0, marks.collect(), series));
        // The ends say which way the load rises.
        for end in points.first().into_iter().chain(points.last()) {
            named.extend(apart(&named, end, place(end)));
        }
    }
    shapes.extend(named.into_iter().map(Shape::Label));
    let says = paths.iter().map(|(label, points)| {
        let each = points.iter().map(said);
        Text::from(format!("{label} ")).then(Text::list(each))
    });
    let says = Text::sentences(says);
    let title = Text::from(label::load_trade_off());
    let figure = Figure::new(title, says, plot.body(shapes));
    Some(figure.with_axis(label::figures_throughput()))
}

fn points(levels: &Levels, label: &str) -> Vec<Point> {
    let of = |(_, cell): &(f64, &photofinish_judge::comparison::Cell)| {
        let target = cell.target(label)?;
        let mean = |metric| target.figure(metric)?.mean;
        let p99 = mean(Metric::P99).filter(|p99| *p99 > 0.0)?;
        (!is_void(target, Metric::P99)).then_some(Point {
            level: Text::from(&cell.level),
            rate: mean(Metric::Throughput)?,
            p99,
        })
    };
    levels.cells.iter().filter_map(of).collect()
}

fn said(point: &Point) -> Text {
    let p99 = Text::from("p99 ").then(labels::microseconds(point.p99));
    let figures = Text::list([labels::rate(point.rate), p99]);
    Text::labelled(point.level.clone(), figures)
}

/// The label of a point, above it or below it, if it touches none on a narrow drawing.
fn apart(known: &[Label], point: &Point, (x, y): Place) -> Option<Label> {
    const NARROW: f64 = 270.0;
    let anchor = match x {
        80.0.. => Anchor::End,
        ..20.0 => Anchor::Start,
        _ => Anchor::Middle,
    };
    let span = |label: &Label| {
        let width = text_width(&label.text.text(photofinish_voice::Language::En));
        let at = label.at.0 / 100.0 * NARROW;
        match label.anchor {
            Anchor::Start => (at, at + width),
            Anchor::Middle => (at - width / 2.0, at + width / 2.0),
            Anchor::End => (at - width, at),
        }
    };
    let touches = |a: &Label, b: &Label| {
        let ((from, to), (start, end)) = (span(a), span(b));
        from < end + 4.0 && start < to + 4.0 && (a.at.1 - b.at.1).abs() < 14.0
    };
    let places = [y - 9.0, y + 18.0];
    places.into_iter().find_map(|y| {
        let label = Label {
            class: "tick",
            ..Label::new((x, y), anchor, point.level.clone())
        };
        let fits = y < ENDS[1] - 2.0 && y > 9.0;
        let is_free = known.iter().all(|other| !touches(other, &label));
        (fits && is_free).then_some(label)
    })
}
