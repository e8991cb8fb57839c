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

use super::source::{Source, errors, is_void, place, place_with_request, shown};

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
    let is_measured = |cell: &&Cell| cell.targets.iter().any(|target| target.rounds > 0);
    let cells: Vec<&Cell> = source.comparison.cells.iter().filter(is_measured).collect();
    if cells.is_empty() {
        let nothing = Text::from(label::figures_nothing());
        blocks.push(Block::Line(nothing));
        return blocks;
    }
    blocks.push(Block::Line(lead().toned(Tone::Muted)));
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
            tables.push(Block::Line(touched().toned(Tone::Bad)));
        }
        blocks.push(Block::Tables(Text::from(label::table()), tables));
        if source.pictures.is_some() {
            let rounds = Block::Table(each_round(source, cell));
            blocks.push(Block::Fold(
                Text::from(label::figures_per_round()),
                vec![rounds],
            ));
        }
    }
    blocks
}

fn lead() -> Text {
    Text::from(label::figures_geometric_means_over_the_rounds())
}

fn touched() -> Text {
    Text::from(label::figures_with_errors_throughput_counts_good())
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
    let mut header = vec![Text::from(label::server())];
    for metric in SHOWN {
        header.push(match metric.unit() {
            Unit::RequestsPerSecond if cell.load.objective().is_some() => {
                Text::from(label::figures_sustained_s())
            }
            Unit::RequestsPerSecond => Text::from(label::units_requests_per_second()),
            _ => Text::say(&metric),
        });
        if with_shares && metric == Metric::Throughput {
            header.push(Text::from(label::figures_share_of_limit()));
        }
    }
    header.extend(with_errors.then(|| Text::from(label::capacity_errors())));
    header.extend(with_rounds.then(|| Text::from(label::gaps_rounds())));
    let rows = targets.iter().map(|target| {
        let mut row = vec![Figure::new(source.server(&target.target))];
        for metric in SHOWN {
            row.push(figure(target, metric));
            if with_shares && metric == Metric::Throughput {
                row.push(share(target));
            }
        }
        row.extend(with_errors.then(|| errors_of(target)));
        row.extend(with_rounds.then(|| Figure::new(target.rounds.to_string())));
        row
    });
    let rows = rows.collect();
    Table { header, rows }
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
    let mut rows = Vec::new();
    for target in shown(cell) {
        let rounds = target.figures.values().map(|figure| figure.rounds.len());
        for round in 0..rounds.max().unwrap_or(0) {
            let name = source.server(&target.target);
            let mut row = vec![Figure::new(Text::list([name, labels::round(round + 1)]))];
            row.extend(SHOWN.map(|metric| {
                let figure = target.figure(metric);
                let value = figure.and_then(|figure| *figure.rounds.get(round)?);
                value.map_or_else(Figure::none, |value| match metric.unit() {
                    Unit::RequestsPerSecond => Figure::new(units::number(value)),
                    unit => Figure::new(labels::amount(unit, value)),
                })
            }));
            rows.push(row);
        }
    }
    let mut header = vec![Text::list([Text::from(label::server()), place(cell)])];
    header.extend(SHOWN.map(|metric| match metric.unit() {
        Unit::RequestsPerSecond => Text::from(label::units_requests_per_second()),
        _ => Text::say(&metric),
    }));
    Table { header, rows }
}
