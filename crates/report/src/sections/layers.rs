//! Where a request's CPU time goes: each server's layers, by how much two servers differ, and what the profiler cost.

use photofinish_judge::comparison::{
    Cell, Difference, FunctionDifference, FunctionTime, LayerDifference, LayerPair, LayerTime,
    OnFunction, TargetProfile,
};
use photofinish_model::units::{Unit, percent, thousands};
use photofinish_model::{Layer, Metric};
use photofinish_stats::Interval;

use photofinish_voice::label;

use crate::document::{Block, Cell as Figure, Table, part};
use crate::figure::axis::{Scale, linear_ticks};
use crate::figure::look::NOBODY;
use crate::figure::rows::{HEIGHT, MIDDLE, Rows, Strip, ends};
use crate::figure::{Figure as Picture, Series, Shape, Style};
use crate::labels;
use crate::words::Text;

use super::flames;
use super::source::{Source, place, shown};

/// An interval that bounds next to nothing stretches the scale to so many times the longest bar at most.
const MOST_OF_BAR: f64 = 1.6;
const MOST_OF_DIFFERENCE: f64 = 2.5;

/// The height of a bar with the gap to the next.
const PITCH: f64 = 16.0;

type Profiled<'a> = (&'a str, &'a TargetProfile);

pub(super) fn layers(source: &Source) -> Vec<Block> {
    let cells = source.comparison.cells.iter().enumerate();
    let cells: Vec<(usize, &Cell)> = cells
        .filter(|(_, cell)| !profiled(cell).is_empty())
        .collect();
    if cells.is_empty() {
        return Vec::new();
    }
    let mut blocks = part(
        "layers",
        label::layers_title(),
        label::layers_microseconds_of_the_server_s(),
    );
    let is_profiled = |label: &str| {
        let mut all = cells.iter().flat_map(|(_, cell)| profiled(cell));
        all.any(|(other, _)| other == label)
    };
    blocks.push(source.key(is_profiled));
    let options = cells
        .iter()
        .map(|(index, cell)| (place(cell), of_cell(source, *index, cell)));
    blocks.extend(Block::choice(label::level(), options.collect(), 0));
    blocks
}

fn profiled(cell: &Cell) -> Vec<Profiled<'_>> {
    let targets = shown(cell).into_iter();
    targets
        .filter_map(|target| Some((target.target.as_str(), target.profile.as_ref()?)))
        .collect()
}

fn of_cell(source: &Source, index: usize, cell: &Cell) -> Vec<Block> {
    let targets = profiled(cell);
    let mut blocks = vec![Block::Heading(place(cell))];
    if source.pictures.is_some() {
        blocks.push(Block::Figures(vec![spent(source, &targets)]));
    }
    blocks.push(Block::tables(table(source, cell, &targets)));
    if source.pictures.is_some() {
        blocks.extend(differences(source, cell));
    }
    blocks.extend(flames::flames(source, index, cell));
    blocks.push(Block::Table(price(source, &targets)));
    if !cell.functions.is_empty() {
        let title = label::layers_the_functions_with_the_most();
        let functions = functions(source, &cell.functions);
        blocks.push(Block::folded_table(title, functions));
    }
    blocks
}

/// The layers that any server of a cell spends time on, in their order.
fn layers_of(targets: &[Profiled]) -> Vec<Layer> {
    let is_seen = |layer: &Layer| {
        targets
            .iter()
            .any(|(_, profile)| time(profile, *layer).is_some())
    };
    Layer::ALL.iter().copied().filter(is_seen).collect()
}

fn time(profile: &TargetProfile, layer: Layer) -> Option<&LayerTime> {
    profile.layers.iter().find(|time| time.layer == layer)
}

fn name(layer: Layer) -> Text {
    Text::say(&Metric::of_layer(layer))
}

fn with_interval(us: f64, interval: Option<Interval>) -> Text {
    Unit::Microseconds.with_interval(us, interval).into()
}

/// What a request spends on each layer: bars in groups on a scale that begins at zero.
fn spent(source: &Source, targets: &[Profiled]) -> Picture {
    let times = || targets.iter().flat_map(|(_, profile)| &profile.layers);
    let longest = times()
        .map(|time| time.us)
        .fold(f64::MIN_POSITIVE, f64::max);
    let ends = times().filter_map(|time| Some(time.interval?.high));
    let high = ends.fold(longest, f64::max).min(longest * MOST_OF_BAR);
    let scale = Scale::linear(0.0, high);
    let strips = layers_of(targets).into_iter().map(|layer| {
        let bars = targets
            .iter()
            .filter_map(|(label, profile)| Some((*label, time(profile, layer)?)));
        let bars: Vec<(&str, &LayerTime)> = bars.collect();
        let shapes = bars.iter().enumerate().map(|(place, (label, time))| {
            let y = PITCH * (place as f64 + 0.5) + 4.0;
            let mut group = vec![Shape::Rect(
                (0.0, y - 5.0),
                (scale.x(time.us), y + 5.0),
                "bar-of",
            )];
            group.extend(
                time.interval
                    .map(|it| Shape::Line((scale.x(it.low), y), (scale.x(it.high), y), "bar")),
            );
            group.push(Shape::Mark((scale.x(time.us), y), Style::Filled));
            let figures = with_interval(time.us, time.interval);
            let read = Text::labelled(name(layer), figures);
            let read = Text::joined([read, percent(time.share).into()], &"\n".into());
            let series = Series::new(source.server(label), vec![read]);
            Shape::Group(source.look(label), 0.0, group, series)
        });
        Strip {
            name: vec![name(layer)],
            figure: bars
                .iter()
                .map(|(_, time)| labels::microseconds(time.us))
                .collect(),
            shapes: shapes.collect(),
            height: PITCH * bars.len() as f64 + 8.0,
        }
    });
    let ticks = linear_ticks(Unit::Microseconds, 0.0, high, 6.0);
    let rows = Rows {
        origin: Some(0.0),
        ..Rows::new(scale, ticks)
    };
    let says = targets.iter().map(|(label, profile)| {
        let times = profile.layers.iter();
        let times = times.map(|time| {
            name(time.layer)
                .then(" ")
                .then(labels::microseconds(time.us))
        });
        Text::labelled(*label, Text::list(times))
    });
    let title = Text::from(label::layers_by_layer());
    Picture::new(title, Text::sentences(says), rows.body(strips.collect()))
}

fn table(source: &Source, cell: &Cell, targets: &[Profiled]) -> Table {
    // Of more than two servers each would have its column of differences; those are in the figures and in the JSON.
    let pair = match cell.layers.as_slice() {
        [pair] => Some(pair),
        _ => None,
    };
    let spent = |layer: &Layer, (_, profile): &&Profiled| {
        let Some(time) = time(profile, *layer) else {
            return Figure::none();
        };
        let bounds = time
            .interval
            .map(|it| Unit::Microseconds.interval(time.us, it));
        Figure::new(labels::microseconds(time.us))
            .over(bounds)
            .over(Some(percent(time.share)))
    };
    let differs = |layer: &Layer, pair: &&LayerPair| {
        let found = pair.layers.iter().find(|found| found.layer == *layer);
        found.map_or_else(Figure::none, |it| difference(it.difference))
    };
    let mut table = Table::of(layers_of(targets))
        .column(label::layers_layer(), |layer| name(*layer))
        .columns(targets, |(label, _)| source.server(label), spent)
        .columns(pair, |pair| pair_name(pair).into(), differs)
        .table();
    let mut all = vec![Figure::new(label::layers_all())];
    let cpu = targets
        .iter()
        .map(|(_, profile)| labels::microseconds(profile.cpu_us));
    all.extend(cpu.map(Figure::new));
    all.extend(pair.map(|_| Figure::none()));
    table.rows.push(all);
    table
}

/// A difference, in brackets if it is not certain.
fn difference(by: Difference) -> Figure {
    let text = Unit::Microseconds.text(by.more_us);
    let text = if by.is_sure {
        text
    } else {
        format!("({text})")
    };
    let bounds = by.interval;
    Figure::new(text).over(bounds.map(|it| Unit::Microseconds.interval(by.more_us, it)))
}

fn pair_name(pair: &LayerPair) -> String {
    format!("{} − {}", pair.b, pair.a)
}

/// By how much pairs differ; of several the one that is asked for, at first the headline's.
fn differences(source: &Source, cell: &Cell) -> Vec<Block> {
    let pairs = &cell.layers;
    let gap = cell
        .lead(Metric::Throughput)
        .and_then(|lead| lead.gap.as_ref());
    let is_of_gap = |pair: &LayerPair| {
        let both = [&pair.a, &pair.b];
        gap.is_some_and(|gap| both.contains(&&gap.of) && both.contains(&&gap.over))
    };
    let options = pairs.iter().map(|pair| {
        let mut blocks = vec![Block::Figures(vec![ranked(source, pair)])];
        if pairs.len() > 1 {
            blocks.push(Block::tables(ranked_table(pair)));
        }
        (Text::from(pair_name(pair)), blocks)
    });
    let first = pairs.iter().position(is_of_gap).unwrap_or(0);
    Block::choice(label::layers_pair(), options.collect(), first)
}

fn certainty(difference: Difference) -> Text {
    match difference.is_sure {
        true => Text::from(label::layers_sure()),
        false => Text::from(label::layers_unsure()),
    }
}

fn signed(difference: Difference) -> Text {
    let more = difference.more_us;
    let bounds = difference
        .interval
        .map(|it| format!(" {}", Unit::Microseconds.interval(more, it)));
    labels::signed_microseconds(more).then(bounds.unwrap_or_default())
}

/// Differences in rows about zero, the largest first; those that are certain are filled.
fn ranked(source: &Source, pair: &LayerPair) -> Picture {
    let all = &pair.layers;
    let largest = all
        .iter()
        .map(|it| it.difference.more_us.abs())
        .fold(f64::MIN_POSITIVE, f64::max);
    let end = |of: &dyn Fn(&Difference) -> f64| {
        let ends = all
            .iter()
            .map(|it| of(&it.difference).min(largest * MOST_OF_DIFFERENCE));
        ends.fold(largest * 0.1, f64::max)
    };
    let low = -end(&|it| {
        it.interval
            .map_or(-it.more_us, |i| (-i.low).max(-it.more_us))
    });
    let high = end(&|it| it.interval.map_or(it.more_us, |i| i.high.max(it.more_us)));
    let scale = Scale::linear(low, high);
    let strips = all.iter().map(|LayerDifference { layer, difference }| {
        let it = *difference;
        let leader = if it.more_us > 0.0 { &pair.b } else { &pair.a };
        let look = match it.is_sure {
            true => source.look(leader),
            false => NOBODY,
        };
        let style = if it.is_sure {
            Style::Filled
        } else {
            Style::Hollow
        };
        let bar = it.interval.map(|interval| ends(interval, &scale));
        let mut group: Vec<Shape> = bar.into_iter().collect();
        group.push(Shape::Mark((scale.x(it.more_us), MIDDLE), style));
        let read = Text::joined([signed(it), certainty(it)], &"\n".into());
        Strip {
            name: vec![name(*layer)],
            figure: vec![signed(it)],
            shapes: vec![Shape::Group(
                look,
                0.0,
                group,
                Series::new(name(*layer), vec![read]),
            )],
            height: HEIGHT,
        }
    });
    let rows = Rows {
        origin: Some(0.0),
        ..Rows::new(scale, about_zero(low, high))
    };
    let says = all.iter().map(|it| {
        let size = name(it.layer).then(" ").then(signed(it.difference));
        Text::list([size, certainty(it.difference)])
    });
    let title = Text::both("Differences, the largest first: ", "差异，从大到小：");
    let title = title.then(pair_name(pair));
    let says = Text::sentences(says);
    Picture::new(title, says, rows.body(strips.collect())).with_axis(Text::both(
        format!("Right of 0: {} spends more. Filled: certain.", pair.b),
        format!("0 的右侧：{}用得更多。实心标记：确定。", pair.b),
    ))
}

/// Ticks on both sides of zero, by the same steps.
fn about_zero(low: f64, high: f64) -> Vec<(f64, String)> {
    let steps = linear_ticks(Unit::Microseconds, 0.0, high.max(-low), 3.0);
    let below = steps.iter().skip(1).rev();
    let below = below.map(|(value, text)| (-value, format!("−{text}")));
    let all = below.chain(steps.iter().cloned());
    all.filter(|(value, _)| *value >= low && *value <= high)
        .collect()
}

fn ranked_table(pair: &LayerPair) -> Table {
    Table::of(&pair.layers)
        .column(label::layers_layer(), |it| name(it.layer))
        .column(pair_name(pair), |it| signed(it.difference))
        .column(label::layers_verdict(), |it| certainty(it.difference))
        .table()
}

/// The throughput while a server was profiled next to its other slices.
fn price(source: &Source, targets: &[Profiled]) -> Table {
    let ratio = |(_, profile): &&Profiled| {
        let interval = profile.throughput_interval.map(labels::shares);
        Figure::some(profile.throughput_ratio.map(percent)).over(interval)
    };
    let samples = |(_, profile): &&Profiled| {
        let lost = (profile.lost > 0).then(|| {
            let lost = thousands(profile.lost as f64);
            Text::both(format!("{lost} lost"), format!("丢失 {lost} 个"))
        });
        Figure::new(thousands(profile.samples as f64)).over(lost)
    };
    Table::of(targets)
        .column(label::layers_cost_of_profiling(), |(label, _)| {
            source.server(label)
        })
        .column(label::layers_profiled(), |(_, profile)| {
            Figure::some(profile.profiled_rps.map(labels::rate))
        })
        .column(label::layers_unprofiled(), |(_, profile)| {
            Figure::some(profile.unprofiled_rps.map(labels::rate))
        })
        .column(label::layers_ratio(), ratio)
        .column(label::layers_samples(), samples)
        .table()
}

/// The time of functions by themselves, with that of all that they call below it.
fn functions(source: &Source, functions: &[FunctionTime]) -> Table {
    let first = functions.first();
    let servers = first.iter().flat_map(|of| &of.times).enumerate();
    // As for layers: the differences of several pairs are in the JSON.
    let pair = first.and_then(|of| match of.differences.as_slice() {
        [pair] => Some(pair),
        _ => None,
    });
    let us = |value: f64| Unit::Microseconds.text(value);
    let spent = |of: &&FunctionTime, (at, _): &(usize, &OnFunction)| {
        let Some(time) = of.times.get(*at) else {
            return Figure::none();
        };
        let total = us(time.total_us);
        let total = Text::both(format!("total {total}"), format!("合计 {total}"));
        Figure::new(us(time.self_us)).over(Some(total))
    };
    let differs = |of: &&FunctionTime, _: &&FunctionDifference| {
        let by = of.differences.first().map(|of| of.difference);
        by.map_or_else(Figure::none, difference)
    };
    let function = |of: &&FunctionTime| Figure::new(Text::code(of.function.as_str()));
    Table::of(functions)
        .column(label::layers_function(), function)
        .columns(servers, |(_, of)| source.server(&of.target), spent)
        .columns(pair, |of| format!("{} − {}", of.b, of.a).into(), differs)
        .table()
}
