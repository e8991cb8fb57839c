//! Capacities: what each server sustains, and the rates that were tried.

use photofinish_judge::comparison::{Cell, Point};
use photofinish_judge::page::Searched;
use photofinish_model::capacity::{Ended, Step};
use photofinish_model::units::{Unit, per_second, thousands};
use photofinish_stats::Interval;

use photofinish_voice::label;

use crate::document::{Block, Cell as Figure, Item, Table};
use crate::figure::axis::{Scale, labels_below, labels_left, linear_ticks, log_ticks, room, time};
use crate::figure::{Body, Drawing, ENDS, Figure as Picture, Series, Shape, Style};
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
    let title = Text::from(label::capacity_title());
    let lead = Text::from(label::capacity_the_highest_rate_that_met());
    let head = [
        Block::Part("capacity", title),
        Block::Line(lead.toned(Tone::Muted)),
    ];
    head.into_iter().chain(blocks).collect()
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
        let curve = Block::Table(curve(&sustained.curve));
        curves.push(Block::Fold(title, vec![curve]));
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
        let title = Text::from(label::capacity_steps());
        blocks.push(Block::Fold(title, vec![Block::Table(steps(source, found))]));
    }
    blocks
}

/// The steps of all rounds by rising rate.
fn curve(points: &[Point]) -> Table {
    let rows = points.iter().map(|point| {
        let why = match &point.why {
            None => Figure::words(Text::from(label::capacity_holds())),
            Some(why) => Figure::words(why).toned(Tone::Bad),
        };
        let (held, steps) = (point.held, point.steps);
        vec![
            Figure::new(per_second(point.offered_rps)),
            Figure::new(Text::both(
                format!("{held} of {steps}"),
                format!("{steps} 中的 {held}"),
            )),
            times(point.p50_us),
            times(point.p99_us),
            Figure::new(thousands(point.errors as f64)),
            why,
        ]
    });
    Table {
        header: vec![
            Text::from(label::capacity_offered()),
            Text::from(label::capacity_holds()),
            "p50".into(),
            "p99".into(),
            Text::from(label::capacity_errors()),
            Text::default(),
        ],
        rows: rows.collect(),
    }
}

fn times(range: Option<Interval>) -> Figure {
    range.map_or_else(Figure::none, |range| {
        Figure::new(match range.low == range.high {
            true => Unit::Microseconds.text(range.high),
            false => Unit::Microseconds.range(range.low, range.high),
        })
    })
}

fn name(source: &Source, one: &Searched) -> Text {
    let server = source.server(source.label(one.target));
    Text::list([server, labels::round(one.round as usize)])
}

fn none_met() -> Text {
    Text::from(label::capacity_none())
}

fn ended(ended: Ended) -> Text {
    match ended {
        Ended::Found => Text::from(label::capacity_within_the_precision()),
        Ended::Floor => Text::from(label::capacity_the_same_at_half_the()),
        Ended::Steps => Text::from(label::capacity_no_steps_left()),
        Ended::Time => Text::from(label::capacity_no_time_left()),
        Ended::Interrupted => Text::from(label::capacity_interrupted()),
    }
}

/// What each search found.
fn searches(source: &Source, found: &[&Searched]) -> Table {
    let rate =
        |value: Option<f64>| value.map_or_else(Figure::none, |v| Figure::new(labels::rate(v)));
    let rows = found.iter().map(|one| {
        let at_least = one
            .lower_bound
            .then(|| Text::from(label::capacity_at_least()));
        let sustained = match one.sustained_rps {
            None => Figure::new(none_met()),
            some => rate(some),
        };
        vec![
            Figure::new(name(source, one)),
            sustained.over(at_least),
            rate(one.failed_rps),
            Figure::new(ended(one.ended)),
        ]
    });
    Table {
        header: vec![
            Text::from(label::server()),
            Text::from(label::capacity_sustained()),
            Text::from(label::capacity_failed()),
            Text::from(label::capacity_ended()),
        ],
        rows: rows.collect(),
    }
}

fn steps(source: &Source, found: &[&Searched]) -> Table {
    let time =
        |us: Option<f64>| us.map_or_else(Figure::none, |us| Figure::new(labels::microseconds(us)));
    let rows = found.iter().flat_map(|one| {
        one.steps.iter().map(|step| {
            vec![
                Figure::new(name(source, one)),
                Figure::new(labels::rate(step.offered_rps)),
                time(step.p50_us),
                time(step.p99_us),
                Figure::new(thousands(step.errors as f64)),
                Figure::new(holds(step)),
            ]
        })
    });
    Table {
        header: vec![
            Text::from(label::server()),
            Text::from(label::capacity_offered()),
            "p50".into(),
            "p99".into(),
            Text::from(label::capacity_errors()),
            Text::from(label::capacity_objective()),
        ],
        rows: rows.collect(),
    }
}

fn holds(step: &Step) -> Text {
    if step.holds {
        Text::from(label::capacity_holds())
    } else {
        Text::from(label::capacity_fails())
    }
}

/// The p99 of each step that has one, over the rate that was offered.
fn picture(source: &Source, found: &[&Searched]) -> Option<Block> {
    let drawn = |one: &Searched| {
        let mut steps: Vec<(Step, f64)> = (one.steps.iter())
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
    let (x, y) = (Scale::linear(0.0, most), Scale::log(low / 1.2, high * 1.2));
    let left = log_ticks(y.low, y.high, 10)
        .into_iter()
        .map(time)
        .collect::<Vec<_>>();
    let mut shapes = labels_left(&left, &y, ENDS);
    let below = linear_ticks(Unit::Count, 0.0, most, 8.0);
    shapes.extend(below.iter().map(|(value, _)| {
        let at = x.x(*value);
        Shape::Line((at, ENDS[0]), (at, ENDS[1]), "grid")
    }));
    for one in found {
        let steps = drawn(one);
        let place = |(step, us): &(Step, f64)| (x.x(step.offered_rps), y.y(*us, ENDS));
        let look = source.look(source.label(one.target));
        let line = Shape::Path(steps.iter().map(place).collect(), "thin");
        let mut group = vec![line];
        group.extend(one.sustained_rps.map(|rate| {
            let at = x.x(rate);
            Shape::Line((at, ENDS[0]), (at, ENDS[1]), "at")
        }));
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
            Text::joined([offered, p99, holds(step)], &"\n".into())
        });
        let series = Series::new(name(source, one), texts.collect());
        shapes.push(Shape::Group(look, 0.0, marks.collect(), series));
    }
    shapes.extend(labels_below(&below, &x, ENDS[1] + 16.0));
    let says = found.iter().map(|one| {
        let rate = one.sustained_rps.map_or_else(none_met, labels::rate);
        Text::labelled(name(source, one), rate)
    });
    let body = Body::Drawing(Drawing {
        height: ENDS[1] + 22.0,
        left: room(&left),
        shapes,
    });
    let picture = Picture::new(Text::from(label::time_p99()), Text::sentences(says), body);
    Some(Block::Figures(vec![
        picture.with_axis(Text::from(label::load_rate())),
    ]))
}
