//! Throughput and response time of every server at every load.

mod panels;

pub(super) use panels::title as panel_title;

use photofinish_judge::comparison::{Cell, Figure as Measured, GeneratorFigures, TargetFigures};
use photofinish_model::units::{self, Unit};
use photofinish_model::{Metric, Role, TargetRecord};
use photofinish_stats::Interval;
use photofinish_voice::{errors, label};

use crate::document::{Block, Cell as Figure, Table};
use crate::labels;
use crate::words::{Text, Tone};

use super::source::{Source, errors, is_measured, is_void, place, place_with_request, shown};

/// What the tables show; all else is in the JSON and the CSV.
const SHOWN: [Metric; 8] = [
    Metric::Throughput,
    Metric::Mean,
    Metric::P50,
    Metric::P90,
    Metric::P95,
    Metric::P99,
    Metric::P999,
    Metric::Max,
];

/// The mark of a throughput that errors have touched.
const MARK: &str = " *";

pub(super) fn figures(source: &Source) -> Vec<Block> {
    let head = &source.comparison.head;
    let title = Text::from(label::figures_title());
    let mut blocks = vec![Block::Part("throughput", title)];
    let cells = source.comparison.cells.iter();
    let cells: Vec<&Cell> = cells.filter(|cell| is_measured(cell)).collect();
    if cells.is_empty() {
        blocks.push(Block::line(label::figures_nothing()));
        return blocks;
    }
    blocks.push(Block::muted(
        label::figures_geometric_means_over_the_rounds(),
    ));
    blocks.extend(head.limit().map(the_limit));
    for cell in cells {
        blocks.push(Block::Heading(place_with_request(cell)));
        if source.pictures.is_some() {
            blocks.push(Block::Figures(panels::panels(source, cell)));
        }
        blocks.extend(cell.network.iter().map(Block::line));
        blocks.extend(errors(cell));
        blocks.extend(held_back(cell));
        blocks.extend(by_generator(cell));
        let table = Block::Table(table(source, cell));
        let mut tables = vec![table];
        if cell.targets.iter().any(|target| target.error_count() > 0) {
            let touched = Text::from(label::figures_with_errors_throughput_counts_good());
            tables.push(Block::Line(touched.toned(Tone::Bad)));
        }
        blocks.push(Block::Tables(Text::from(label::table()), tables));
        if source.pictures.is_some() {
            let rounds = each_round(source, cell);
            blocks.push(Block::folded_table(label::figures_per_round(), rounds));
        }
    }
    blocks
}

/// What the reference server is, and what a share of it is.
fn the_limit(limit: &TargetRecord) -> Block {
    let title = limit.title.trim_end_matches('.');
    let says = Text::both("The limit is ", "上限是 ")
        .then(format!("{}: ", limit.label))
        .then(Text::authored(title))
        .then(Text::both(
            ". Shares of the limit are throughput over the limit's, round by round, with 95% intervals.",
            "。占上限的比例是逐轮的吞吐量与上限吞吐量之比，附 95% 区间。",
        ));
    Block::Line(says)
}

/// That the reference server could do more than it was asked to, if that is so.
fn held_back(cell: &Cell) -> Option<Block> {
    let limit = cell.targets.iter().find(|t| t.role == Role::Limit)?;
    let (held, of) = (cell.limit_held_back, limit.rounds);
    (held > 0).then(|| {
        Block::Line(Text::both(
            format!(
                "In {held} of {of} rounds the load generator was the bottleneck for the limit, which could do more: the shares are upper bounds."
            ),
            format!("{of} 轮中有 {held} 轮，负载发生器成为上限的瓶颈，上限本可更高：所占比例只是上界。"),
        ))
    })
}

/// What each of several load generators measured.
fn by_generator(cell: &Cell) -> Vec<Block> {
    let range = |interval: Interval, unit: Unit| {
        let [low, high] = [interval.low, interval.high].map(|value| labels::amount(unit, value));
        low.then(Text::both(" to ", " 到 ")).then(high)
    };
    let line = |target: &TargetFigures, one: &GeneratorFigures| {
        let name = Text::both(
            format!("{} by load generator {}", target.target, one.machine),
            format!("{}，由负载发生器 {} 测得", target.target, one.machine),
        );
        let times = [("p50 ", one.p50_us), ("p99 ", one.p99_us)].into_iter();
        let times = times.filter_map(|(name, interval)| {
            Some(Text::from(name).then(range(interval?, Unit::Microseconds)))
        });
        let rate = range(one.throughput_rps, Unit::RequestsPerSecond);
        let uncertain = Unit::Microseconds.text(one.clock_uncertain_us);
        let clock = Text::both(
            format!("its clock known to ± {uncertain}"),
            format!("其时钟误差不超过 ± {uncertain}"),
        );
        let measured = Text::list([rate].into_iter().chain(times));
        Block::Line(Text::labelled(name, Text::sentences([measured, clock])))
    };
    let of = |target: &TargetFigures| {
        let lines = target.generators.iter().map(|one| line(target, one));
        lines.collect::<Vec<Block>>()
    };
    cell.targets.iter().flat_map(of).collect()
}

fn table(source: &Source, cell: &Cell) -> Table {
    let rounds_asked = source.comparison.head.rounds_asked as usize;
    let targets = shown(cell);
    let any = |is_so: &dyn Fn(&TargetFigures) -> bool| targets.iter().any(|target| is_so(target));
    let with_errors = any(&|target| target.error_count() > 0);
    let with_rounds = any(&|target| target.rounds != rounds_asked);
    let with_shares = any(&|target| target.share_of_limit.is_some());
    let mut table =
        Table::of(targets).column(label::server(), |target| source.server(&target.target));
    for metric in SHOWN {
        let is_rate = metric == Metric::Throughput;
        let heading = match is_rate && cell.load.objective().is_some() {
            true => Text::from(label::figures_sustained_s()),
            false => heading(&metric),
        };
        let shares = label::figures_share_of_limit();
        table = table
            .column(heading, |target| figure(target, metric))
            .column_if(is_rate && with_shares, shares, |target| share(target));
    }
    table
        .column_if(with_errors, label::capacity_errors(), |it| errors_of(it))
        .column_if(with_rounds, label::gaps_rounds(), |it| {
            it.rounds.to_string()
        })
        .table()
}

/// A server's figure over the rounds, for a table.
pub(super) fn figure(target: &TargetFigures, metric: Metric) -> Figure {
    let Some(figure) = target.figure(metric) else {
        return Figure::none();
    };
    if is_void(target, metric) {
        return Figure::new(Text::from(label::figures_overload()));
    }
    let mut shown = value(figure);
    if metric == Metric::Throughput {
        if target.error_count() > 0 {
            shown.text = shown.text.then(MARK);
        }
        let offered = target.offered_rps.map(|offered| {
            let rate = Unit::RequestsPerSecond.range(offered.low, offered.high);
            let zh = rate.replace(" requests/s", " 请求/秒");
            Text::both(format!("of {rate} offered"), format!("给定 {zh}"))
        });
        shown = shown.over(offered);
    }
    shown
}

fn share(target: &TargetFigures) -> Figure {
    match &target.share_of_limit {
        _ if target.role == Role::Limit => Figure::new(Text::from(label::limit())),
        None => Figure::none(),
        Some(share) => {
            let bounds = share
                .interval
                .map(|interval| match units::is_wide(interval) {
                    true => Text::from(label::too_wide()),
                    false => share.bounds().unwrap_or_default().into(),
                });
            Figure::new(share.text()).over(bounds)
        }
    }
}

/// A figure with its interval, or its range; requests/s stand in the header.
pub(super) fn value(figure: &Measured) -> Figure {
    let Some(mean) = figure.mean else {
        return Figure::new(labels::translated(figure.range()));
    };
    let text = match figure.unit {
        Unit::RequestsPerSecond => units::number(mean).into(),
        unit => labels::amount(unit, mean),
    };
    let bounds = figure.interval;
    Figure::new(text).over(bounds.map(|it| labels::interval(figure.unit, mean, it)))
}

fn errors_of(target: &TargetFigures) -> Figure {
    if target.error_count() == 0 {
        return Figure::new("0");
    }
    let share = units::percent(target.error_count() as f64 / target.attempts.max(1) as f64);
    let kinds = Text::list(errors::counted(&target.errors).into_iter().map(Text::from));
    let rounds = labels::in_rounds(&target.rounds_with_errors);
    Figure::new(kinds.then(Text::both(format!(" ({share})"), format!("（{share}）"))))
        .toned(Tone::Bad)
        .over(Some(Text::both("in ", "").then(rounds)))
}

/// The figures of single rounds.
fn each_round(source: &Source, cell: &Cell) -> Table {
    let rounds = |target: &TargetFigures| {
        let rounds = target.figures.values().map(|figure| figure.rounds.len());
        0..rounds.max().unwrap_or(0)
    };
    let all = shown(cell).into_iter();
    let all = all.flat_map(|target| rounds(target).map(move |round| (target, round)));
    let name = |(target, round): &(&TargetFigures, usize)| {
        let server = source.server(&target.target);
        Figure::new(Text::list([server, labels::round(round + 1)]))
    };
    let of_round = |(target, round): &(&TargetFigures, usize), metric: &Metric| {
        let figure = target.figure(*metric);
        let value = figure.and_then(|figure| *figure.rounds.get(*round)?);
        Figure::some(value.map(|value| match metric.unit() {
            Unit::RequestsPerSecond => units::number(value).into(),
            unit => labels::amount(unit, value),
        }))
    };
    let server = Text::list([Text::from(label::server()), place(cell)]);
    let table = Table::of(all).column(server, name);
    table.columns(SHOWN, heading, of_round).table()
}

fn heading(metric: &Metric) -> Text {
    match metric.unit() {
        Unit::RequestsPerSecond => Text::from(label::units_requests_per_second()),
        _ => Text::say(metric),
    }
}
