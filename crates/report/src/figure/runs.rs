//! A figure from run to run: a line for each server, with the interval of every run.

use photofinish_model::message::Message;
use photofinish_model::units::Unit;
use photofinish_stats::Interval;
use photofinish_voice::{Language, checks, label};

use super::axis::{Scale, Tick, bar_class, labels_below, labels_left, linear_ticks, reach, room};
use super::look::Look;
use super::{Anchor, Body, Drawing, Figure, Label, Place, Series, Shape, Style};
use crate::labels;
use crate::words::Text;

/// Where lines are drawn, in pixels from the top; above them is room for the mark of a change.
const ENDS: [f64; 2] = [18.0, 158.0];

/// How far a change's mark lies above what it marks.
const ABOVE: f64 = 9.0;

const TICKS: f64 = 4.0;

/// So few runs have their labels at any width.
const FEW: usize = 3;

/// A metric from run to run.
pub(crate) struct Panel<'a> {
    pub(crate) title: Text,
    /// What is counted; `None` for ratios.
    pub(crate) unit: Option<Unit>,
    pub(crate) runs: &'a [Run],
    pub(crate) lines: Vec<Line<'a>>,
    /// What the mark of a change means.
    pub(crate) mark: Message,
}

/// A run on the axis.
pub(crate) struct Run {
    /// The run as it is read out.
    pub(crate) name: Text,
    pub(crate) label: Text,
    /// Whether the machine or photofinish changed from the run before.
    pub(crate) machine_changed: bool,
}

/// A server's figures, run by run.
pub(crate) struct Line<'a> {
    pub(crate) server: &'a str,
    pub(crate) look: Look,
    pub(crate) points: Vec<Option<Point<'a>>>,
    pub(crate) changes: Vec<Change>,
}

pub(crate) struct Point<'a> {
    pub(crate) value: f64,
    pub(crate) interval: Option<Interval>,
    /// The validity checks that failed there.
    pub(crate) failed_checks: &'a [String],
}

/// A change that is marked.
pub(crate) struct Change {
    pub(crate) at: usize,
    /// The first and the last run with which it may have begun.
    pub(crate) began: (usize, usize),
    pub(crate) says: Text,
}

/// A figure or a ratio with its interval.
pub(crate) fn amount(unit: Option<Unit>, value: f64, interval: Option<Interval>) -> Text {
    match unit {
        Some(unit) => labels::translated(unit.with_interval(value, interval)),
        None => labels::ratio(value, interval),
    }
}

impl Panel<'_> {
    /// The figure; none if no server has a value in any run.
    pub(crate) fn figure(self) -> Option<Figure> {
        let points = || self.lines.iter().flat_map(Line::known);
        points().next()?;
        let y = scale(points().map(|(_, it)| (it.value, it.value, it.interval)));
        let x = Scale::linear(-0.5, self.runs.len() as f64 - 0.5);
        let left = linear_ticks(self.unit.unwrap_or(Unit::Count), y.low, y.high, TICKS);
        let mut shapes = self.behind(&x);
        shapes.extend(labels_left(&left, &y, ENDS));
        let middle = (self.lines.len() as f64 - 1.0) / 2.0;
        for (place, line) in self.lines.iter().enumerate() {
            // Side by side, so that no interval hides another.
            let aside = 3.5 * (place as f64 - middle);
            shapes.extend(self.drawn(line, aside, (&x, &y)));
        }
        shapes.extend(self.below(&x));
        let drawing = Drawing {
            height: ENDS[1] + 22.0,
            left: room(&left),
            shapes,
        };
        let says = Text::sentences(self.lines.iter().filter_map(|line| self.says(line)));
        let legend = Text::sentences(self.legend());
        let below = Some(legend).filter(|legend| !legend.is_empty());
        let figure = Figure::new(self.title, says, Body::Drawing(drawing));
        Some(Figure {
            below: below.into_iter().collect(),
            ..figure
        })
    }

    /// The runs with which a change may have begun, and where the machine changed.
    fn behind(&self, x: &Scale) -> Vec<Shape> {
        let edge = |run: usize| x.x(run as f64 - 0.5);
        let changes = self.lines.iter().flat_map(|line| &line.changes);
        let unsure = changes.filter(|change| change.began.0 < change.began.1);
        let bands = unsure.map(|Change { began, .. }| {
            let (from, to) = ((edge(began.0), ENDS[0]), (edge(began.1 + 1), ENDS[1]));
            Shape::Rect(from, to, "band")
        });
        let runs = self.runs.iter().enumerate();
        let changed = runs.filter(|(_, run)| run.machine_changed);
        let lines = changed.map(|(run, _)| {
            let at = edge(run);
            Shape::Line((at, ENDS[0]), (at, ENDS[1]), "reach")
        });
        bands.chain(lines).collect()
    }

    fn drawn(&self, line: &Line, aside: f64, (x, y): (&Scale, &Scale)) -> [Shape; 2] {
        let at = |run: usize, value: f64| -> Place { (x.x(run as f64), y.y(value, ENDS)) };
        let known: Vec<(usize, &Point)> = line.known().collect();
        // A run without a value leaves a gap.
        let joined = known.chunk_by(|(one, _), (next, _)| one + 1 == *next);
        let paths = joined.filter(|points| points.len() > 1).map(|points| {
            let points = points.iter().map(|(run, point)| at(*run, point.value));
            Shape::Path(points.collect(), "line")
        });
        let bars = known.iter().filter_map(|(run, point)| {
            let it = point.interval?;
            Some(Shape::Line(
                at(*run, it.low),
                at(*run, it.high),
                bar_class(it),
            ))
        });
        let changes = line.changes.iter().filter_map(|change| {
            let point = line.points.get(change.at)?.as_ref()?;
            let top = point.interval.map_or(point.value, |it| it.high);
            let (x, y) = at(change.at, top.max(point.value));
            Some(Shape::Mark((x, y - ABOVE), Style::Shift))
        });
        let behind: Vec<Shape> = paths.chain(bars).chain(changes).collect();
        let marks = known.iter().map(|(run, point)| {
            let style = match point.failed_checks.is_empty() {
                true => Style::Filled,
                false => Style::Hollow,
            };
            Shape::Mark(at(*run, point.value), style)
        });
        let texts = known
            .iter()
            .map(|(run, point)| self.read_out(line, *run, point));
        let series = Series::new(Text::server(line.server, line.look), texts.collect());
        [
            Shape::Group(line.look, aside, behind, None),
            Shape::Group(line.look, aside, marks.collect(), series),
        ]
    }

    /// The figure of a run, whether it changed there, and which checks failed.
    fn read_out(&self, line: &Line, run: usize, point: &Point) -> Text {
        let value = amount(self.unit, point.value, point.interval);
        let value = Text::labelled(self.runs[run].name.clone(), value);
        let mut changes = line.changes.iter();
        let change = changes.find(|change| change.at == run);
        let failed = point
            .failed_checks
            .iter()
            .map(|name| Text::from(checks::failed(name)));
        let change = change.map(|change| change.says.clone());
        Text::sentences([value].into_iter().chain(change).chain(failed))
    }

    /// A server's first and last figure.
    fn says(&self, line: &Line) -> Option<Text> {
        let (first, last) = (line.known().next()?, line.known().next_back()?);
        let ends = [Some(first), Some(last).filter(|last| last.0 != first.0)];
        let ends = ends.into_iter().flatten();
        let ends = ends.map(|(run, point)| self.read_out(line, run, point));
        let ends = Text::joined(ends, &Text::both(", then ", "，后来"));
        Some(Text::labelled(line.server, ends))
    }

    fn legend(&self) -> Vec<Text> {
        let points = || self.lines.iter().flat_map(Line::known);
        let has_failed = points().any(|(_, point)| !point.failed_checks.is_empty());
        let mut changes = self.lines.iter().flat_map(|line| &line.changes);
        let [has_mark, is_unsure] = [
            changes.clone().next().is_some(),
            changes.any(|change| change.began.0 < change.began.1),
        ];
        let has_machine = self.runs.iter().any(|run| run.machine_changed);
        [
            has_mark.then(|| Text::from("▼ ").then(&self.mark)),
            is_unsure.then(|| label::runs_began().into()),
            has_failed.then(|| label::runs_hollow().into()),
            has_machine.then(|| label::runs_machine().into()),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// The labels of the runs.
    fn below(&self, x: &Scale) -> Vec<Shape> {
        let y = ENDS[1] + 16.0;
        let runs = self.runs.iter().enumerate();
        if self.runs.len() > FEW {
            let ticks: Vec<Tick> = runs
                .map(|(run, it)| (run as f64, it.label.text(Language::En)))
                .collect();
            return labels_below(&ticks, x, y);
        }
        let label = |(run, it): (usize, &Run)| {
            Shape::Label(Label {
                class: "tick",
                ..Label::new((x.x(run as f64), y), Anchor::Middle, it.label.clone())
            })
        };
        runs.map(label).collect()
    }
}

impl<'a> Line<'a> {
    /// The runs that have a value.
    fn known(&self) -> impl DoubleEndedIterator<Item = (usize, &Point<'a>)> {
        let points = self.points.iter().enumerate();
        points.filter_map(|(run, point)| Some((run, point.as_ref()?)))
    }
}

/// All values and the intervals that bound something; never less than a tenth of the value, so that noise does not look large.
fn scale(values: impl Iterator<Item = (f64, f64, Option<Interval>)>) -> Scale {
    let (low, high) = reach(values);
    let middle = (low + high) / 2.0;
    let half = ((high - low) / 2.0).max(middle.abs() * 0.05);
    let half = half.max(f64::MIN_POSITIVE) * 1.06;
    Scale::linear((middle - half).max(0.0), middle + half)
}
