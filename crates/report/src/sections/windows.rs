//! Over time: each round's windows, the warm-up shaded, and where the throughput shifted.

use photofinish_judge::comparison::Cell;
use photofinish_judge::page::{Measured, Page, Series as Windows, Warmed};
use photofinish_model::message::Message;
use photofinish_model::units::{self, Unit};
use photofinish_stats::shape::Class;

use photofinish_voice::label;

use crate::document::{Block, Cell as Figure, Choice, Table};
use crate::figure::axis::{Scale, labels_below, labels_left, linear_ticks, room, short, time};
use crate::figure::look::Look;
use crate::figure::{
    Anchor, Body, Drawing, Figure as Picture, Label, Series, Shape, Style, Values,
};
use crate::labels;
use crate::words::Text;

use super::source::{Source, place};

/// The share of the width that warm-ups have to themselves, so that they do not squeeze the measurements, and the gap behind it.
const WARMUP: f64 = 17.0;
const GAP: f64 = 2.0;

/// The height of a server's strip, and of the name above its lines.
const STRIP: f64 = 104.0;
const NAME: f64 = 22.0;

/// Above the first strip.
const TOP: f64 = 16.0;

#[derive(Clone, Copy, PartialEq)]
enum Column {
    Rate,
    P99,
}

struct Group<'a> {
    cell: &'a Cell,
    measured: Vec<&'a Measured>,
    warmed: Vec<&'a Warmed>,
}

pub(super) fn windows(source: &Source) -> Vec<Block> {
    let Some(page) = source.pictures else {
        return Vec::new();
    };
    let title = Text::from(label::windows_title());
    let mut blocks = vec![Block::Part("windows", title)];
    let groups = groups(source, page);
    if groups.is_empty() {
        blocks.push(Block::line(label::windows_none()));
        return blocks;
    }
    blocks.push(Block::muted(label::windows_every_thin_line_is_a()));
    blocks.extend(page.steady.iter().map(Block::line));
    let columns = [
        (Column::Rate, Text::from(label::units_requests_per_second())),
        (Column::P99, "p99".into()),
    ];
    let options = columns.into_iter().map(|(column, name)| {
        let pictures = groups.iter().map(|group| picture(source, group, column));
        (name, vec![Block::Figures(pictures.collect())])
    });
    blocks.push(Block::Choice(Choice {
        label: Text::from(label::showing()),
        options: options.collect(),
        first: 0,
    }));
    for group in &groups {
        let title = Text::both("Shape: ", "形态：").then(place(group.cell));
        blocks.push(Block::folded_table(title, shapes(source, group)));
    }
    blocks
}

fn groups<'a>(source: &Source<'a>, page: &'a Page) -> Vec<Group<'a>> {
    let cells = source.comparison.cells.iter().enumerate();
    let groups = cells.map(|(index, cell)| {
        let measured = page.measurements.iter();
        let measured = measured.filter(|it| it.cell == index && !it.windows.at.is_empty());
        let warmed = page.warmups.iter();
        let warmed = warmed.filter(|it| it.cell == Some(index) && !it.windows.at.is_empty());
        Group {
            cell,
            measured: measured.collect(),
            warmed: warmed.collect(),
        }
    });
    groups.filter(|group| !group.measured.is_empty()).collect()
}

fn class(class: Option<Class>) -> Message {
    match class {
        None => label::windows_too_few(),
        Some(Class::Flat) => label::windows_flat_the_same_from_start(),
        Some(Class::WarmUp) => label::windows_warm_up_it_ends_steady(),
        Some(Class::SlowDown) => label::windows_slow_down_it_ends_steady(),
        Some(Class::NoSteadyState) => label::windows_no_steady_state_it_shifts(),
    }
}

fn shapes(source: &Source, group: &Group) -> Table {
    let warmup = |measured: &Measured| {
        let mut warmed = group.warmed.iter();
        warmed.find(|it| it.target == measured.target && it.round == measured.round)
    };
    let shifts = |measured: &&&Measured| {
        let at = |window: &u32| {
            let start = measured.windows.at.get(*window as usize);
            start.map_or_else(|| window.to_string(), |start| start.to_string())
        };
        let shifts: Vec<String> = measured.shifts.iter().map(at).collect();
        Figure::some((!shifts.is_empty()).then(|| shifts.join(", ")))
    };
    let took = |measured: &&&Measured| {
        let took = warmup(measured).map(|it| it.duration_s);
        Figure::some(took.map(|seconds| format!("{} s", units::number(seconds))))
    };
    let settled = |measured: &&&Measured| match warmup(measured).map(|it| it.settled) {
        None => Figure::none(),
        Some(true) => Figure::words(label::windows_yes()),
        Some(false) => Figure::words(label::windows_no()),
    };
    Table::of(&group.measured)
        .column(label::server(), |it| name(source, it.target, it.round))
        .column(label::windows_shape(), |it| Figure::words(class(it.class)))
        .column(label::windows_shifts(), shifts)
        .column(label::windows_warmup_took(), took)
        .column(label::windows_steady(), settled)
        .table()
}

fn name(source: &Source, target: usize, round: u32) -> Text {
    let server = source.server(source.label(target));
    Text::list([server, labels::round(round as usize)])
}

fn values(windows: &Windows, column: Column) -> Vec<Option<f64>> {
    match column {
        Column::Rate => windows.rate.iter().copied().map(Some).collect(),
        Column::P99 => windows.p99.clone(),
    }
}

/// A window's length in seconds; one second if there is but one window.
fn step(windows: &Windows) -> f64 {
    match windows.at.as_slice() {
        [first, second, ..] => second - first,
        _ => 1.0,
    }
}

fn most<'a>(all: impl Iterator<Item = &'a Windows>, column: Column) -> f64 {
    let values = all.flat_map(|windows| values(windows, column));
    values.flatten().fold(0.0, f64::max)
}

/// Where seconds lie: left of zero in the warm-ups' strip, with a scale of its own.
struct Across {
    before_s: f64,
    end_s: f64,
}

impl Across {
    fn zero(&self) -> f64 {
        if self.before_s > 0.0 {
            WARMUP + GAP
        } else {
            0.0
        }
    }

    fn x(&self, second: f64) -> f64 {
        match second < 0.0 {
            true => (1.0 + second / self.before_s) * WARMUP,
            false => self.zero() + second / self.end_s * (100.0 - self.zero()),
        }
    }
}

fn picture(source: &Source, group: &Group, column: Column) -> Picture {
    let is_rate = column == Column::Rate;
    let before_s = group
        .warmed
        .iter()
        .map(|it| it.duration_s)
        .fold(0.0, f64::max);
    let ends = group
        .measured
        .iter()
        .map(|it| it.windows.at.last().copied().unwrap_or_default() + step(&it.windows));
    let end_s = ends.fold(f64::MIN_POSITIVE, f64::max);
    let across = Across { before_s, end_s };
    // The scale is the measurements': what lies above it in a warm-up is cut off there, and said.
    let high = most(group.measured.iter().map(|it| &it.windows), column) * 1.05;
    let high = high.max(f64::MIN_POSITIVE);
    let highest = most(group.warmed.iter().map(|it| &it.windows), column);
    let y = Scale::linear(0.0, high);
    let unit = if is_rate {
        Unit::Count
    } else {
        Unit::Microseconds
    };
    let ticks = linear_ticks(unit, 0.0, high, 3.0);
    let mut targets: Vec<usize> = group.measured.iter().map(|it| it.target).collect();
    targets.dedup();
    let height = TOP + STRIP * targets.len() as f64;
    let mut shapes = Vec::new();
    if before_s > 0.0 {
        shapes.push(Shape::Rect((0.0, TOP), (WARMUP, height), "band"));
        shapes.push(warmup_label(highest > high, highest, is_rate));
    }
    for (row, target) in targets.iter().enumerate() {
        let top = TOP + STRIP * row as f64;
        let ends = [top + NAME, top + STRIP];
        shapes.extend(labels_left(&ticks, &y, ends));
        let label = source.label(*target);
        shapes.push(Shape::Label(Label {
            dx: 2.0,
            ..Label::new((across.zero(), top + 14.0), Anchor::Start, label)
        }));
        let look = source.look(label);
        for it in group.warmed.iter().filter(|it| it.target == *target) {
            let name = Text::list([name(source, it.target, it.round), warmup()]);
            let line = (&it.windows, &it.shifts[..], -it.duration_s);
            shapes.extend(drawn(look, name, line, column, (&across, &y, ends)));
        }
        for it in group.measured.iter().filter(|it| it.target == *target) {
            let name = name(source, it.target, it.round);
            let line = (&it.windows, &it.shifts[..], 0.0);
            shapes.extend(drawn(look, name, line, column, (&across, &y, ends)));
        }
    }
    shapes.extend(seconds(&across, height + 16.0));
    let says = said(group);
    let body = Body::Drawing(Drawing {
        height: height + 22.0,
        left: room(&ticks),
        shapes,
    });
    let axis = Text::from(label::windows_x());
    Picture::new(place(group.cell), says, body).with_axis(axis)
}

/// How many measurements have which shape.
fn said(group: &Group) -> Text {
    let mut shapes: Vec<(Option<Class>, usize)> = Vec::new();
    for measured in &group.measured {
        match shapes
            .iter_mut()
            .find(|(known, _)| *known == measured.class)
        {
            Some((_, count)) => *count += 1,
            None => shapes.push((measured.class, 1)),
        }
    }
    let of = group.measured.len();
    let says = shapes.into_iter().map(|(shape, count)| {
        let count = Text::both(
            format!("{count} of {of} measurements"),
            format!("{of} 次测量中的 {count} 次"),
        );
        Text::labelled(count, class(shape))
    });
    Text::sentences(says)
}

fn warmup() -> Text {
    Text::from(label::windows_warmup())
}

fn warmup_label(is_cut: bool, highest: f64, is_rate: bool) -> Shape {
    let most = match is_rate {
        true => short(highest),
        false => time(highest).1,
    };
    let cut = if is_cut {
        format!(" ↑ {most}")
    } else {
        String::new()
    };
    Shape::Label(Label {
        class: "tick",
        ..Label::new((0.0, TOP - 5.0), Anchor::Start, warmup().then(cut))
    })
}

fn seconds(across: &Across, y: f64) -> Vec<Shape> {
    let mut ticks = Vec::new();
    if across.before_s > 0.0 {
        ticks.push((0.0, format!("−{} s", units::number(across.before_s))));
    }
    let all = linear_ticks(Unit::Count, 0.0, across.end_s, 6.0);
    ticks.extend(
        all.into_iter()
            .map(|(second, text)| (across.x(second), text)),
    );
    labels_below(&ticks, &Scale::linear(0.0, 100.0), y)
}

/// A round's warm-up or measurement: its windows, their shifts, and when it began.
type Line<'a> = (&'a Windows, &'a [u32], f64);

fn drawn(
    look: Look,
    name: Text,
    (windows, shifts, from): Line,
    column: Column,
    (across, y, ends): (&Across, &Scale, [f64; 2]),
) -> Vec<Shape> {
    let all = values(windows, column);
    let step = step(windows);
    let first = windows.at.first().copied().unwrap_or_default();
    let at = |window: usize, value: f64| {
        let start = windows.at.get(window).copied().unwrap_or_default();
        (across.x(from + start + step / 2.0), y.y(value, ends))
    };
    // A window without a response has no time: the line goes on behind it.
    let points = all.iter().enumerate();
    let points = points.filter_map(|(window, value)| Some(at(window, (*value)?)));
    let points: Vec<_> = points.collect();
    let values = Values::Regular {
        from_s: from + first + step / 2.0,
        step_s: step,
        values: all.clone(),
        is_time: column != Column::Rate,
    };
    let series = Some(Series { name, values });
    let shape = match points.as_slice() {
        // A line takes two points.
        [one] => Shape::Mark(*one, Style::Small),
        _ => Shape::Path(points, if from < 0.0 { "faint" } else { "thin" }),
    };
    let marks = shifts.iter().filter_map(|shift| {
        let (x, y) = at(*shift as usize, (*all.get(*shift as usize)?)?);
        Some(Shape::Mark((x, y - 9.0), Style::Shift))
    });
    let mut shapes = vec![Shape::Group(look, 0.0, vec![shape], series)];
    let marks: Vec<Shape> = marks.collect();
    if !marks.is_empty() {
        shapes.push(Shape::Group(look, 0.0, marks, None));
    }
    shapes
}
