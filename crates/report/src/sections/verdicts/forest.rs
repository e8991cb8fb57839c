//! Every pair's ratio with its interval, next to the band of a tie and the noise floor.

use photofinish_judge::comparison::{Cell, NoiseFloor, Verdict};
use photofinish_model::units;
use photofinish_model::{Metric, metric::Better};
use photofinish_stats::Interval;

use photofinish_voice::label;

use crate::document::Block;
use crate::figure::axis::{Scale, ratio_ticks};
use crate::figure::look::{COPY, Look, NOBODY};
use crate::figure::rows::{HEIGHT, MIDDLE, Rows, Strip, ratio_shapes, sides};
use crate::figure::{Figure, Series, Shape, Style};
use crate::labels;
use crate::words::Text;

use super::super::result;
use super::super::source::{Source, errors, place};

/// Marks a row of which there is something to know.
const DAGGER: &str = " †";

/// The cells that have a ratio to show.
pub(super) fn cells<'a>(source: &Source<'a>) -> Vec<&'a Cell> {
    let has_ratio = |cell: &&Cell| {
        cell.verdicts.iter().any(|verdict| verdict.ratio.is_some())
            || cell.noise.iter().any(|floor| floor.ratio.is_some())
    };
    source.comparison.cells.iter().filter(has_ratio).collect()
}

/// The ratios of a metric: one figure for one pair at several levels, else one for each cell.
pub(super) fn of_metric(source: &Source, cells: &[&Cell], metric: Metric) -> Vec<Block> {
    let judged: Vec<&Cell> = cells
        .iter()
        .copied()
        .filter(|cell| cell.verdicts_on(metric).next().is_some() || cell.noise_of(metric).is_some())
        .collect();
    let is_smaller_better = metric.spec().better != Better::Larger;
    let scale =
        scale(&judged, metric, source.comparison.head.settings.margin).turned(is_smaller_better);
    if let Some(figure) = together(source, &judged, metric, scale) {
        let errors = judged.iter().flat_map(|cell| errors(cell));
        return [Block::Figures(vec![figure])]
            .into_iter()
            .chain(errors)
            .collect();
    }
    let of_cell = |cell: &&Cell| {
        let mut blocks = vec![Block::Figures(vec![group(source, cell, metric, scale)])];
        blocks.extend(errors(cell));
        blocks
    };
    judged.iter().flat_map(of_cell).collect()
}

/// The only pair of a place, if there is one and no copy races: a row for each metric, in which the right is better for the first server.
pub(super) fn of_pair(source: &Source, cell: &Cell) -> Option<Figure> {
    let first = cell.verdicts.first()?;
    let is_pair = |verdict: &Verdict| (&verdict.of, &verdict.over) == (&first.of, &first.over);
    if !cell.noise.is_empty() || !cell.verdicts.iter().all(is_pair) {
        return None;
    }
    // Which of the two is drawn on the right: the one that leads, if one does.
    let ahead = cell.lead(cell.headline_metric)?.gap.as_ref();
    let of = ahead.map_or(first.of.as_str(), |gap| gap.of.as_str());
    let over = match of == first.of {
        true => first.over.as_str(),
        false => first.of.as_str(),
    };
    let better = |verdict: &Verdict, ratio: f64| {
        let larger = verdict.metric.larger_is_better();
        match (verdict.of == of) == larger {
            true => ratio,
            false => ratio.recip(),
        }
    };
    let shown: Vec<&Verdict> = (cell.verdicts.iter())
        .filter(|verdict| verdict.void().is_none() && verdict.ratio.is_some())
        .collect();
    let reached = shown.iter().flat_map(|verdict| {
        let interval = verdict.interval.filter(|_| !verdict.wide);
        let ends = interval.map_or([None; 2], |it| [Some(it.low), Some(it.high)]);
        let all = ends.into_iter().chain([verdict.ratio]).flatten();
        all.map(|ratio| better(verdict, ratio))
    });
    let scale = Scale::of_ratios(source.comparison.head.settings.margin, reached);
    let strips = shown.iter().map(|verdict| {
        let (look, style) = drawn_as(source, verdict);
        let at = |ratio: f64| (scale.x(better(verdict, ratio)), MIDDLE);
        let bar = verdict.interval.filter(|_| !verdict.wide);
        let bar = bar.map(|it| Shape::Line(at(it.low), at(it.high), "ends"));
        let mark = verdict.ratio.map(|ratio| Shape::Mark(at(ratio), style));
        let group: Vec<Shape> = bar.into_iter().chain(mark).collect();
        Strip {
            name: vec![name(verdict.metric)],
            figure: vec![result::difference(verdict, of).text, outcome(verdict)],
            shapes: vec![Shape::Group(look, 0.0, group, Series::row())],
            height: HEIGHT,
        }
    });
    let says = cell.verdicts.iter().map(said);
    let notes = cell
        .verdicts
        .iter()
        .flat_map(|verdict| notes(verdict, &Text::say(&verdict.metric)));
    let title = Text::from(format!("{of} ")).then(labels::over(over));
    let body = rows(source, Some((of, over)), scale, None).body(strips.collect());
    Some(Figure {
        notes: notes.collect(),
        ..Figure::new(title, Text::sentences(says), body)
    })
}

/// A metric's name in a row; CPU time says that it is that of a request.
fn name(metric: Metric) -> Text {
    match metric {
        Metric::ServerCpu => Text::from(label::result_cpu()),
        _ => Text::say(&metric),
    }
}

/// The scale that all cells of a metric share, as wide as intervals ask for that bound anything.
fn scale(cells: &[&Cell], metric: Metric, margin: f64) -> Scale {
    let mut reached = Vec::new();
    let mut add = |ratio: f64, interval: Option<Interval>| {
        let interval = interval.filter(|interval| !units::is_wide(*interval));
        let (from, to) = interval.map_or((ratio, ratio), |it| (it.low, it.high));
        reached.extend([ratio, from, to]);
    };
    for cell in cells {
        for verdict in cell
            .verdicts_on(metric)
            .filter(|verdict| verdict.void().is_none())
        {
            if let Some(ratio) = verdict.ratio.filter(|ratio| *ratio > 0.0) {
                add(ratio, verdict.interval.filter(|_| !verdict.wide));
            }
        }
        let floor = cell.noise_of(metric);
        if let Some((floor, ratio)) = floor.and_then(|floor| Some((floor, floor.ratio?))) {
            add(ratio, floor.interval);
        }
    }
    Scale::of_ratios(margin, reached)
}

fn rows(source: &Source, pair: Option<(&str, &str)>, scale: Scale, reach: Option<f64>) -> Rows {
    let margin = 1.0 + source.comparison.head.settings.margin;
    Rows {
        origin: Some(1.0),
        band: Some((margin.recip(), margin)),
        dashed: reach.map_or_else(Vec::new, |reach| vec![reach.recip(), reach]),
        sides: Some(sides(pair)),
        ..Rows::new(scale, ratio_ticks(scale.low, scale.high))
    }
}

/// One pair at all levels, if there is no other: a row for each level, so that all of them are seen at once.
fn together(source: &Source, cells: &[&Cell], metric: Metric, scale: Scale) -> Option<Figure> {
    let all: Vec<(&Cell, &Verdict)> = cells
        .iter()
        .flat_map(|cell| {
            cell.verdicts_on(metric)
                .map(move |verdict| (*cell, verdict))
        })
        .collect();
    let (_, first) = all.first()?;
    let is_one_pair =
        |(_, verdict): &(&Cell, &Verdict)| verdict.of == first.of && verdict.over == first.over;
    let has_noise = cells.iter().any(|cell| cell.noise_of(metric).is_some());
    if cells.len() < 2 || all.len() != cells.len() || has_noise || !all.iter().all(is_one_pair) {
        return None;
    }
    let strips = all.iter().map(|(cell, verdict)| Strip {
        name: vec![place(cell)],
        ..strip(source, verdict, &scale)
    });
    let says = all
        .iter()
        .map(|(cell, verdict)| Text::labelled(place(cell), said(verdict)));
    let title = Text::from(format!("{} ", first.of)).then(labels::over(&first.over));
    let notes = all
        .iter()
        .flat_map(|(cell, verdict)| notes(verdict, &place(cell)));
    let pair = Some((first.of.as_str(), first.over.as_str()));
    let body = rows(source, pair, scale, None).body(strips.collect());
    Some(Figure {
        notes: notes.collect(),
        ..Figure::new(title, Text::sentences(says), body)
    })
}

/// All pairs of one cell, and its noise floor.
fn group(source: &Source, cell: &Cell, metric: Metric, scale: Scale) -> Figure {
    let floor = cell.noise_of(metric);
    let pair = |verdict: &Verdict| Text::from(format!("{} / {}", verdict.of, verdict.over));
    let strips = cell
        .verdicts_on(metric)
        .map(|verdict| strip(source, verdict, &scale));
    let strips = strips.chain(floor.map(|floor| floor_strip(floor, &scale)));
    let says = cell.verdicts_on(metric).map(said);
    let says = says.chain(floor.map(|floor| Text::from(&floor.says)));
    let notes = cell
        .verdicts_on(metric)
        .flat_map(|verdict| notes(verdict, &pair(verdict)));
    let reach = floor.and_then(|floor| floor.reach);
    let mut pairs = cell
        .verdicts_on(metric)
        .map(|verdict| (&*verdict.of, &*verdict.over));
    let only = pairs.next().filter(|_| pairs.next().is_none());
    let body = rows(source, only, scale, reach).body(strips.collect());
    Figure {
        notes: notes.collect(),
        ..Figure::new(place(cell), Text::sentences(says), body)
    }
}

fn said(verdict: &Verdict) -> Text {
    let notes = verdict.notes.iter().map(|note| Text::from(&note.says));
    Text::list([Text::from(&verdict.says)].into_iter().chain(notes))
}

/// What a reader must know next to the outcome: not when it was decided and how turns were summed up.
fn cautions(verdict: &Verdict) -> Vec<Text> {
    let notes = verdict.notes.iter();
    notes
        .filter(|note| note.caution)
        .map(|note| Text::from(&note.says))
        .collect()
}

fn notes(verdict: &Verdict, name: &Text) -> Option<Text> {
    let cautions = cautions(verdict);
    let is_some = !cautions.is_empty();
    is_some.then(|| Text::labelled(name.clone(), Text::sentences(cautions)))
}

fn measured(verdict: &Verdict) -> Text {
    let ratio = verdict.ratio.filter(|_| verdict.void().is_none());
    labels::measured_ratio(ratio, verdict.interval, verdict.wide)
}

/// Returns how the ratio of a verdict is marked: by the server that is ahead.
fn drawn_as(source: &Source, verdict: &Verdict) -> (Look, Style) {
    match verdict.ahead() {
        Some(leader) => (source.look(leader), Style::Filled),
        None => (NOBODY, Style::Hollow),
    }
}

fn outcome(verdict: &Verdict) -> Text {
    let outcome = Text::from(&verdict.outcome);
    match cautions(verdict).is_empty() {
        true => outcome,
        false => outcome.then(DAGGER),
    }
}

fn strip(source: &Source, verdict: &Verdict, scale: &Scale) -> Strip {
    let (look, style) = drawn_as(source, verdict);
    let mut shapes = Vec::new();
    let ratio = verdict.ratio.filter(|_| verdict.void().is_none());
    if let Some(ratio) = ratio {
        let group = ratio_shapes(ratio, verdict.interval, style, scale);
        shapes.push(Shape::Group(look, 0.0, group, Series::row()));
    }
    Strip {
        name: vec![Text::from(&verdict.of), labels::over(&verdict.over)],
        figure: vec![measured(verdict), outcome(verdict)],
        shapes,
        height: HEIGHT,
    }
}

fn floor_strip(floor: &NoiseFloor, scale: &Scale) -> Strip {
    let figure = floor.ratio.map_or_else(
        || crate::words::NONE.into(),
        |ratio| labels::ratio(ratio, floor.interval),
    );
    let outcome = match floor.different {
        Some(true) => Text::from(label::noise_different()),
        _ => Text::from(label::noise_floor()),
    };
    let reach = floor.reach.map(|reach| {
        let reach = units::percent(reach - 1.0);
        Text::both(
            format!("reach ±{reach} (dashed)"),
            format!("所及范围 ±{reach}（虚线）"),
        )
    });
    let mut shapes = Vec::new();
    if let Some(ratio) = floor.ratio {
        let group = ratio_shapes(ratio, floor.interval, Style::Filled, scale);
        shapes.push(Shape::Group(COPY, 0.0, group, Series::row()));
    }
    Strip {
        name: vec![Text::from(&floor.target), Text::from(label::noise_itself())],
        figure: [figure, outcome].into_iter().chain(reach).collect(),
        shapes,
        height: HEIGHT,
    }
}
