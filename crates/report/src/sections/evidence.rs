//! What the servers used while they were measured: the figures behind a cost.

use std::collections::BTreeSet;

use photofinish_judge::comparison::{Cell, StartUp, TargetFigures};
use photofinish_model::Metric;
use photofinish_model::metric::{Of, Per};
use photofinish_model::units;

use photofinish_voice::label;

use crate::document::{Block, Cell as Figure, Table, part};
use crate::labels;
use crate::words::{Text, Tone};

use super::figures::value;
use super::source::{Source, place, shown};

/// Cells that are open at first; the others can be opened.
const OPEN: usize = 1;

/// Whether the table shows it: all that the server, its services and the wire have to say.
fn is_used(metric: Metric) -> bool {
    matches!(
        metric.spec().of,
        Of::Stalls | Of::Server | Of::Service | Of::Wire | Of::Waits
    )
}

pub(super) fn evidence(source: &Source) -> Vec<Block> {
    let cells: Vec<&Cell> = (source.comparison.cells.iter())
        .filter(|cell| !metrics(cell).is_empty())
        .collect();
    let start_up = start_up(source);
    if cells.is_empty() && start_up.is_empty() {
        return Vec::new();
    }
    let mut blocks = part(
        "evidence",
        label::evidence_title(),
        label::evidence_cpu_time_context_switches_memory(),
    );
    let has_services = |cell: &&Cell| {
        let mut targets = cell.targets.iter();
        targets.any(|target| target.figure(Metric::ServiceCpu).is_some())
    };
    if cells.iter().any(has_services) {
        blocks.push(Block::line(label::evidence_service_what_the_server_s()));
    }
    blocks.extend(waits(source).map(Block::Line));
    for (index, cell) in cells.into_iter().enumerate() {
        let table = table(source, cell);
        if index < OPEN {
            blocks.push(Block::Heading(place(cell)));
            blocks.push(Block::Table(table));
        } else {
            blocks.push(Block::folded_table(place(cell), table));
        }
    }
    blocks.extend(start_up);
    blocks
}

/// What the waits are, and whose are not among them; `None` if nobody looked.
fn waits(source: &Source) -> Option<Text> {
    let mut metrics = source.targets().flat_map(|target| target.figures.keys());
    if !metrics.any(|metric| metric.is_wait()) {
        return None;
    }
    let unseen = source.targets().filter(|target| target.has_unseen_waits);
    let unseen: BTreeSet<&str> = unseen.map(|target| target.target.as_str()).collect();
    let unseen: Vec<&str> = unseen.into_iter().collect();
    let but = match unseen.as_slice() {
        [] => Text::default(),
        unseen => {
            let names = unseen.join(", ");
            Text::both(
                format!(" Virtual threads ({names}) are not seen while they wait."),
                format!("虚拟线程（{names}）在等待时无法观察到。"),
            )
        }
    };
    let waits = Text::from(label::evidence_waits());
    Some(waits.then(but))
}

/// What is known of servers, services and the wire in a cell; what is zero everywhere is left out.
fn metrics(cell: &Cell) -> Vec<Metric> {
    let is_shown = |metric: &Metric| {
        let figures = cell.targets.iter();
        let mut figures = figures.filter_map(|target| target.figure(*metric));
        is_used(*metric) && figures.any(|figure| figure.max > 0.0)
    };
    Metric::ALL.iter().copied().filter(is_shown).collect()
}

/// A row for each quantity, so that servers stand next to each other; of two with their ratio.
fn table(source: &Source, cell: &Cell) -> Table {
    let targets = shown(cell).into_iter().filter(|target| target.rounds > 0);
    let targets: Vec<&TargetFigures> = targets.collect();
    let size = |target: &TargetFigures, metric: Metric| {
        let figure = target.figure(metric);
        figure.map_or(0.0, |figure| figure.mean.unwrap_or(figure.max))
    };
    let with_bar = |metric: &Metric, target: &&&TargetFigures| {
        let sizes = targets.iter().map(|target| size(target, *metric));
        let most = sizes.fold(0.0, f64::max);
        let share = if most > 0.0 {
            size(target, *metric) / most
        } else {
            0.0
        };
        let Some(figure) = target.figure(*metric) else {
            return Figure::none();
        };
        Figure {
            bar: Some((share, source.look(&target.target))),
            ..value(figure)
        }
    };
    let table = Table::of(metrics(cell))
        .column(label::evidence_quantity(), |metric| name(*metric))
        .columns(&targets, |target| source.server(&target.target), with_bar);
    let [a, b] = targets.as_slice() else {
        return table.table();
    };
    let ratio = |metric: &Metric| {
        let [a, b] = [a, b].map(|target| target.figure(*metric)?.mean);
        let means = a.zip(b).filter(|(a, _)| *a > 0.0);
        Figure::some(means.map(|(a, b)| units::ratio(b / a)))
    };
    let table = table.column(format!("{} / {}", b.target, a.target), ratio);
    table.table()
}

/// A metric's name: a part is set in below the whole, and what is counted for each request says so.
fn name(metric: Metric) -> Text {
    use photofinish_voice::Language::{En, Zh};
    let name = Text::say(&metric);
    let spec = metric.spec();
    if spec.part_of.is_some() {
        return Text::from("\u{a0}\u{a0}").then(name).toned(Tone::Muted);
    }
    let is_said = metric.name(En).contains(" per ");
    match spec.per {
        Per::Request if !is_said => {
            let (en, zh) = (name.text(En), name.text(Zh));
            Text::both(format!("{en} per request"), format!("每个请求的{zh}"))
        }
        _ => name,
    }
}

/// How long the servers took to be ready.
fn start_up(source: &Source) -> Vec<Block> {
    let all = &source.comparison.start_up;
    if all.is_empty() {
        return Vec::new();
    }
    // Single rounds are for a page.
    let rounds = all.iter().map(|it| it.time.rounds.len()).max().unwrap_or(0);
    let rounds = source.pictures.map_or(0, |_| rounds);
    let of_round = |it: &&StartUp, round: &usize| {
        let time = it.time.rounds.get(*round - 1).copied().flatten();
        Figure::some(time.map(labels::microseconds))
    };
    let table = Table::of(all)
        .column(label::server(), |it| source.server(&it.target))
        .column(label::figures_mean(), |it| value(&it.time))
        .column(label::figures_max_note(), |it| it.time.range())
        .columns(1..=rounds, |round| labels::round(*round), of_round);
    vec![
        Block::heading(label::evidence_start_up()),
        Block::muted(label::evidence_start_up_lead()),
        Block::Table(table.table()),
    ]
}
