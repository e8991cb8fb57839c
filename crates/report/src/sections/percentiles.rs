//! Response time by percentile, on an axis on which each further nine has the same width.

use photofinish_judge::comparison::Cell;
use photofinish_judge::page::{Distribution, Page};
use photofinish_model::Metric;
use photofinish_model::units::{margin as plain_percent, thousands};

use photofinish_voice::label;

use crate::document::{Block, Cell as Figure, Table};
use crate::figure::axis::{Scale, log_ticks, time};
use crate::figure::plot::Plot;
use crate::figure::{Figure as Picture, Series, Shape, Style};
use crate::labels;
use crate::words::{Text, Tone};

use super::source::{Source, errors, is_void, place};

/// Points for each nine, as the page has them.
const POINTS_PER_NINE: f64 = 10.0;

/// Pictures begin at the median: the axis has no room below it, and the minimum would take all of the height.
const FIRST: f64 = std::f64::consts::LOG10_2;

pub(super) fn percentiles(source: &Source) -> Vec<Block> {
    let Some(page) = source.pictures else {
        return Vec::new();
    };
    let mut blocks = vec![Block::Part(
        "percentiles",
        label::percentiles_title().into(),
    )];
    let cells = source.comparison.cells.iter().enumerate();
    let cells = cells.map(|(index, cell)| (cell, curves(source, page, index, cell)));
    let is_void_anywhere = |cell: &Cell| cell.targets.iter().any(|t| is_void(t, Metric::P99));
    // If all that is there is void, that is said.
    let cells: Vec<(&Cell, Vec<&Distribution>)> = cells
        .filter(|(cell, curves)| !curves.is_empty() || is_void_anywhere(cell))
        .collect();
    let none = Text::from(label::percentiles_none());
    if cells.is_empty() {
        blocks.push(Block::Line(match &page.latency_problem {
            Some(problem) => Text::labelled(none, problem).toned(Tone::Bad),
            None => none.then(Text::both(".", "。")),
        }));
        return blocks;
    }
    blocks.push(Block::muted(label::percentiles_lead()));
    let problem = page.latency_problem.iter();
    blocks.extend(problem.map(|problem| Block::Line(Text::from(problem).toned(Tone::Bad))));
    blocks.push(source.key(|_| true));
    let pictures = cells.iter().filter(|(_, curves)| !curves.is_empty());
    let pictures = pictures.map(|(cell, curves)| picture(source, cell, curves));
    blocks.push(Block::Figures(pictures.collect()));
    for (cell, _) in &cells {
        let mut below: Vec<Block> = cell.network.iter().map(Block::line).collect();
        below.extend(errors(cell));
        if !below.is_empty() {
            blocks.push(Block::Heading(place(cell)));
            blocks.extend(below);
        }
    }
    for (cell, curves) in &cells {
        if !curves.is_empty() {
            let table = Block::Table(table(source, curves));
            let title = Text::labelled(Text::from(label::table()), place(cell));
            blocks.push(Block::Tables(title, vec![table]));
        }
    }
    blocks
}

fn curves<'a>(source: &Source, page: &'a Page, index: usize, cell: &Cell) -> Vec<&'a Distribution> {
    let is_drawn = |curve: &&Distribution| {
        let label = source.label(curve.target);
        curve.cell == index
            && !cell
                .target(label)
                .is_some_and(|target| is_void(target, Metric::P99))
    };
    page.distributions.iter().filter(is_drawn).collect()
}

fn table(source: &Source, curves: &[&Distribution]) -> Table {
    let mut shares: Vec<f64> = (curves.iter())
        .flat_map(|curve| curve.percentiles.iter().map(|it| it.share))
        .collect();
    shares.sort_by(f64::total_cmp);
    shares.dedup();
    let of_share = |curve: &&&Distribution, share: &f64| {
        let found = curve.percentiles.iter().find(|it| it.share == *share);
        Figure::some(found.map(|it| labels::microseconds(it.us)))
    };
    Table::of(curves)
        .column(label::server(), |it| source.server(source.label(it.target)))
        .columns(shares, |share| Text::from(plain_percent(*share)), of_share)
        .column(label::percentiles_longest(), |it| {
            labels::microseconds(it.max_us)
        })
        .column(label::percentiles_count(), |it| thousands(it.count as f64))
        .column(label::gaps_rounds(), |it| it.rounds.to_string())
        .table()
}

/// Points as nines and microseconds.
fn points(curve: &Distribution) -> Vec<(f64, f64)> {
    let all = curve.curve_us.iter().enumerate();
    let all = all.map(|(k, us)| (k as f64 / POINTS_PER_NINE, *us));
    all.filter(|(nines, us)| *us > 0.0 && *nines > FIRST - 0.01)
        .collect()
}

fn share(nines: usize) -> String {
    match nines {
        0 => "50%".to_owned(),
        1 => "90%".to_owned(),
        2 => "99%".to_owned(),
        more => format!("99.{}%", "9".repeat(more - 2)),
    }
}

fn picture(source: &Source, cell: &Cell, curves: &[&Distribution]) -> Picture {
    let all: Vec<(f64, f64)> = curves.iter().flat_map(|curve| points(curve)).collect();
    let most = all.iter().map(|(nines, _)| *nines).fold(1.0, f64::max);
    let low = all.iter().map(|(_, us)| *us).fold(f64::INFINITY, f64::min);
    let high = all.iter().map(|(_, us)| *us).fold(0.0, f64::max);
    let y = Scale::log(low / 1.1, high * 1.1);
    let below = (0..=most.floor() as usize).map(|nines| match nines {
        0 => (FIRST, share(0)),
        nines => (nines as f64, share(nines)),
    });
    let left = log_ticks(y.low, y.high, 9).into_iter();
    let plot = Plot {
        x: Scale::linear(FIRST, most),
        y,
        below: below.collect(),
        left: left.map(time).collect(),
        has_columns: true,
    };
    let mut shapes = Vec::new();
    for curve in curves {
        let points = points(curve);
        let place = |(nines, us): &(f64, f64)| plot.at(*nines, *us);
        let last = points.len().saturating_sub(1);
        let is_marked = |(index, (nines, _)): &(usize, &(f64, f64))| {
            nines.fract() == 0.0 || *index == 0 || *index == last
        };
        let mut group = vec![Shape::Path(points.iter().map(place).collect(), "line")];
        let marked = points.iter().enumerate().filter(is_marked);
        group.extend(marked.map(|(_, point)| Shape::Mark(place(point), Style::Filled)));
        let label = source.label(curve.target);
        let texts = points.iter().map(|(nines, us)| {
            let share = plain_percent(((1.0 - 10f64.powf(-nines)) * 1e7).round() / 1e7);
            Text::labelled(share, labels::microseconds(*us))
        });
        let series = Series::new(source.server(label), texts.collect());
        shapes.push(Shape::Group(source.look(label), 0.0, group, series));
    }
    let says = curves.iter().map(|curve| {
        let points = curve.percentiles.iter();
        let points = points
            .map(|it| Text::from(plain_percent(it.share) + " ").then(labels::microseconds(it.us)));
        Text::labelled(source.label(curve.target), Text::list(points))
    });
    let says = Text::sentences(says);
    let picture = Picture::new(place(cell), says, plot.body(shapes));
    picture.with_axis(label::percentiles_x())
}
