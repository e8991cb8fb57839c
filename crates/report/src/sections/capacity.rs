//! Capacities: what each server sustains, and the rates that were tried.

use photofinish_judge::comparison::{Cell, Point};
use photofinish_judge::page::Searched;
use photofinish_model::capacity::{Ended, Step};
use photofinish_model::message::Message;
use photofinish_model::units::{Unit, per_second, thousands};
use photofinish_stats::Interval;

use photofinish_voice::label;

use crate::document::{Block, Cell as Figure, Item, Table, part};
use crate::figure::axis::{Scale, linear_ticks, log_ticks, time};
use crate::figure::plot::Plot;
use crate::figure::{Figure as Picture, Series, Shape, Style};
use crate::labels;
use crate::words::{Text, Tone};

use super::source::{Source, place, shown};

pub(super) fn capacity(source: &Source) -> Vec<Block> {
    let searched = source
        .pictures
        .map_or(&[] as &[Searched], |page| &page.capacities);
    let mut blocks = Vec::new();
    for (index, cell) in source.comparison.cells.iter().enumerate() {
        let found: Vec<&Searched> = searched.iter().filter(|one| one.cell == index).collect();
        blocks.extend(of_cell(source, cell, &found));
    }
    if blocks.is_empty() {
        return blocks;
    }
    let mut all = part(
        "capacity",
        label::capacity_title(),
        label::capacity_the_highest_rate_that_met(),
    );
    all.extend(blocks);
    all
}

fn of_cell(source: &Source, cell: &Cell, found: &[&Searched]) -> Vec<Block> {
    let mut says = Vec::new();
    let mut curves = Vec::new();
    for target in shown(cell) {
        let Some(sustained) = &target.sustained else {
            continue;
        };
        let is_exact = sustained.none_held.is_empty() && sustained.lower_bound.is_empty();
        let tone = if is_exact { Tone::Plain } else { Tone::Bad };
        let text = Text::from(format!("{} ", target.target)).then(&sustained.says);
        says.push(Item {
            below: sustained.doubts.iter().map(Text::from).collect(),
            ..Item::new(text, tone)
        });
        let title = Text::labelled(target.target.as_str(), place(cell));
        curves.push(Block::folded_table(title, curve(&sustained.curve)));
    }
    if says.is_empty() && found.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::Heading(place(cell))];
    if !says.is_empty() {
        blocks.push(Block::List(says));
    }
    if !found.is_empty() {
        blocks.push(source.key(|label| found.iter().any(|one| source.label(one.target) == label)));
        blocks.extend(picture(source, found));
        blocks.push(Block::Table(searches(source, found)));
    }
    blocks.extend(curves);
    if !found.is_empty() {
        let steps = steps(source, found);
        blocks.push(Block::folded_table(label::capacity_steps(), steps));
    }
    blocks
}

/// The steps of all rounds by rising rate.
fn curve(points: &[Point]) -> Table {
    let held = |point: &&Point| {
        let (held, steps) = (point.held, point.steps);
        let zh = format!("{steps} 中的 {held}");
        Figure::new(Text::both(format!("{held} of {steps}"), zh))
    };
    let why = |point: &&Point| match &point.why {
        None => Figure::words(label::capacity_holds()),
        Some(why) => Figure::words(why).toned(Tone::Bad),
    };
    Table::of(points)
        .column(label::capacity_offered(), |it| per_second(it.offered_rps))
        .column(label::capacity_holds(), held)
        .column("p50", |point| times(point.p50_us))
        .column("p99", |point| times(point.p99_us))
        .column(label::capacity_errors(), |it| thousands(it.errors as f64))
        .column(Text::default(), why)
        .table()
}

fn times(range: Option<Interval>) -> Figure {
    Figure::some(range.map(|range| match range.low == range.high {
        true => Unit::Microseconds.text(range.high),
        false => Unit::Microseconds.range(range.low, range.high),
    }))
}

fn name(source: &Source, one: &Searched) -> Text {
    let server = source.server(source.label(one.target));
    Text::list([server, labels::round(one.round as usize)])
}

fn none_met() -> Text {
    Text::from(label::capacity_none())
}

fn ended(ended: Ended) -> Message {
    match ended {
        Ended::Found => label::capacity_within_the_precision(),
        Ended::Floor => label::capacity_the_same_at_half_the(),
        Ended::Steps => label::capacity_no_steps_left(),
        Ended::Time => label::capacity_no_time_left(),
        Ended::Interrupted => label::capacity_interrupted(),
    }
}

/// What each search found.
fn searches(source: &Source, found: &[&Searched]) -> Table {
    let sustained = |one: &&&Searched| {
        let rate = one.found.sustained_rps.map_or_else(none_met, labels::rate);
        Figure::new(rate).over(
            one.found
                .lower_bound()
                .is_some()
                .then(label::capacity_at_least),
        )
    };
    Table::of(found)
        .column(label::server(), |one| name(source, one))
        .column(label::capacity_sustained(), sustained)
        .column(label::capacity_failed(), |it| {
            Figure::some(it.found.failed_rps.map(labels::rate))
        })
        .column(label::capacity_ended(), |one| ended(one.found.ended))
        .table()
}

fn steps(source: &Source, found: &[&Searched]) -> Table {
    let steps = (found.iter()).flat_map(|one| one.found.steps.iter().map(move |step| (one, step)));
    let time = |us: Option<f64>| Figure::some(us.map(labels::microseconds));
    Table::of(steps)
        .column(label::server(), |(one, _)| name(source, one))
        .column(label::capacity_offered(), |(_, step)| {
            labels::rate(step.offered_rps)
        })
        .column("p50", |(_, step)| time(step.p50_us))
        .column("p99", |(_, step)| time(step.p99_us))
        .column(label::capacity_errors(), |(_, step)| {
            thousands(step.errors as f64)
        })
        .column(label::capacity_objective(), |(_, step)| holds(step))
        .table()
}

fn holds(step: &Step) -> Message {
    match step.holds {
        true => label::capacity_holds(),
        false => label::capacity_fails(),
    }
}

/// The p99 of each step that has one, over the rate that was offered.
fn picture(source: &Source, found: &[&Searched]) -> Option<Block> {
    let drawn = |one: &Searched| {
        let mut steps: Vec<(Step, f64)> = (one.found.steps.iter())
            .filter_map(|step| Some((step.clone(), step.p99_us.filter(|us| *us > 0.0)?)))
            .collect();
        steps.sort_by(|a, b| a.0.offered_rps.total_cmp(&b.0.offered_rps));
        steps
    };
    let all: Vec<(Step, f64)> = found.iter().flat_map(|one| drawn(one)).collect();
    let most = all
        .iter()
        .map(|(step, _)| step.offered_rps)
        .fold(0.0, f64::max)
        * 1.05;
    if most <= 0.0 {
        return None;
    }
    let (low, high) = all
        .iter()
        .fold((f64::INFINITY, 0.0_f64), |(low, high), (_, us)| {
            (low.min(*us), high.max(*us))
        });
    let y = Scale::log(low / 1.2, high * 1.2);
    let left = log_ticks(y.low, y.high, 10).into_iter();
    let plot = Plot {
        x: Scale::linear(0.0, most),
        y,
        below: linear_ticks(Unit::Count, 0.0, most, 8.0),
        left: left.map(time).collect(),
        has_columns: true,
    };
    let mut shapes = Vec::new();
    for one in found {
        let steps = drawn(one);
        let place = |(step, us): &(Step, f64)| plot.at(step.offered_rps, *us);
        let look = source.look(source.label(one.target));
        let line = Shape::Path(steps.iter().map(place).collect(), "thin");
        let mut group = vec![line];
        group.extend((one.found.sustained_rps).map(|rate| plot.upright(rate, "at")));
        shapes.push(Shape::Group(look, 0.0, group, None));
        let marks = steps.iter().map(|it| {
            let style = if it.0.holds {
                Style::Filled
            } else {
                Style::Hollow
            };
            Shape::Mark(place(it), style)
        });
        let texts = steps.iter().map(|(step, us)| {
            let offered = Text::labelled(
                Text::from(label::capacity_offered()),
                labels::rate(step.offered_rps),
            );
            let p99 = Text::labelled("p99", labels::microseconds(*us));
            Text::joined([offered, p99, holds(step).into()], &"\n".into())
        });
        let series = Series::new(name(source, one), texts.collect());
        shapes.push(Shape::Group(look, 0.0, marks.collect(), series));
    }
    let says = found.iter().map(|one| {
        let rate = one.found.sustained_rps.map_or_else(none_met, labels::rate);
        Text::labelled(name(source, one), rate)
    });
    let body = plot.body(shapes);
    let picture = Picture::new(Text::from(label::time_p99()), Text::sentences(says), body);
    Some(Block::Figures(vec![
        picture.with_axis(Text::from(label::load_rate())),
    ]))
}
