//! Who is ahead, and by how much: every pair's ratio with its interval, and who leads where.

mod forest;
mod leaders;

use std::collections::BTreeSet;

use photofinish_judge::comparison::{Cell, Subject, Verdict};
use photofinish_model::Metric;
use photofinish_model::units;
use photofinish_stats::Direction;

use photofinish_voice::label;

use crate::document::{Block, Cell as Figure, Choice, Table};
use crate::words::{Text, Tone};

use super::source::{Source, place};

pub(super) fn verdicts(source: &Source) -> Vec<Block> {
    let comparison = source.comparison;
    let title = Text::from(label::ratios_title());
    let mut blocks = vec![Block::Part("verdict", title)];
    if comparison.head.settings.smoke {
        let warnings = comparison.warnings.iter();
        let smoke = warnings.filter(|warning| warning.about == Subject::Smoke);
        blocks.extend(smoke.map(|warning| Block::line(&warning.says)));
        return blocks;
    }
    let cells = forest::cells(source);
    if cells.is_empty() {
        blocks.push(Block::Line(nothing(source)));
        return blocks;
    }
    if source.pictures.is_some() {
        blocks.extend(forests(source, &cells));
    }
    blocks.extend(leaders::leaders(source));
    blocks.push(Block::muted(lead(comparison.head.settings.margin)));
    blocks
}

/// One figure if there is one pair at one place; else one for each metric, of which one is shown.
fn forests(source: &Source, cells: &[&Cell]) -> Vec<Block> {
    if let [cell] = cells
        && let Some(figure) = forest::of_pair(source, cell)
    {
        return vec![Block::Figures(vec![figure])];
    }
    let metrics = metrics_of(cells);
    let options = metrics.iter().map(|metric| {
        let name = Text::say(metric);
        (name, forest::of_metric(source, cells, *metric))
    });
    let stated = cells.first().map(|cell| cell.headline_metric);
    let first = metrics.iter().position(|metric| Some(*metric) == stated);
    vec![Block::Choice(Choice {
        label: Text::from(label::metric()),
        options: options.collect(),
        first: first.unwrap_or(0),
    })]
}

/// Every verdict with its interval, place by place.
pub(super) fn all(source: &Source) -> Vec<Block> {
    let tables = tables(source);
    match tables.is_empty() {
        true => tables,
        false => {
            let title = Text::from(label::verdicts_all());
            [vec![Block::Part("verdicts", title)], tables].concat()
        }
    }
}

/// Why there is no verdict.
fn nothing(source: &Source) -> Text {
    let measured = || source.targets().filter(|target| target.rounds > 0);
    let contenders = measured().filter(|target| target.is_contender());
    let contenders: BTreeSet<&str> = contenders.map(|target| target.target.as_str()).collect();
    match (measured().next().is_some(), contenders.len()) {
        (false, _) => Text::from(label::ratios_nothing()),
        (true, ..2) => Text::from(label::verdicts_there_are_no_verdicts_only()),
        _ => Text::from(label::verdicts_there_are_no_verdicts_no()),
    }
}

fn lead(margin: f64) -> Text {
    let margin = units::margin(margin);
    Text::both(
        format!(
            "Each ratio is the first server's figure over the second's, over the rounds, with its 95% interval. An interval that excludes 1 is a difference; one that includes 1 and stays within ±{margin} (shaded in the figures) is a tie."
        ),
        format!(
            "每个比值是前者的数字除以后者的数字，取自各轮，并附 95% 区间。区间不含 1 即为有差异；区间含 1 且落在 ±{margin}（图中的阴影带）内即为平局。"
        ),
    )
}

/// What was judged anywhere: at a capacity response times are not.
fn metrics_of(cells: &[&Cell]) -> Vec<Metric> {
    let mut metrics = Vec::new();
    for cell in cells {
        let judged = cell.verdicts.iter().map(|verdict| verdict.metric);
        for metric in judged.chain(cell.noise.iter().map(|floor| floor.metric)) {
            if !metrics.contains(&metric) {
                metrics.push(metric);
            }
        }
    }
    metrics
}

/// The verdicts of each cell behind its place.
pub(super) fn tables(source: &Source) -> Vec<Block> {
    if source.comparison.head.settings.smoke {
        return Vec::new();
    }
    let judged = |cell: &&Cell| cell.verdicts.iter().any(|verdict| verdict.rounds > 0);
    let cells = source.comparison.cells.iter().filter(judged);
    cells.map(of_cell).collect()
}

/// A row for each metric and pair of servers; a pair that is the only one is named once, above.
fn of_cell(cell: &Cell) -> Block {
    let pairs: BTreeSet<(&str, &str)> = (cell.verdicts.iter())
        .map(|verdict| (verdict.of.as_str(), verdict.over.as_str()))
        .collect();
    let one_pair = pairs.len() == 1;
    let mut title = Text::both("Verdicts: ", "结论：").then(place(cell));
    if let (true, Some((of, over))) = (one_pair, pairs.first()) {
        title = Text::labelled(title, format!("{of} / {over}"));
    }
    let with_noise = !cell.noise.is_empty();
    let with_needed = cell.verdicts.iter().any(|v| v.rounds_needed().is_some());
    let ratio = |verdict: &&Verdict| {
        let ratio = verdict.ratio.filter(|_| verdict.void().is_none());
        Figure::some(ratio.map(units::ratio))
    };
    let (noise_floor, rounds) = (
        label::verdicts_noise_floor_a_a(),
        label::verdicts_rounds_needed(),
    );
    let table = Table::of(&cell.verdicts)
        .column(label::metric(), |verdict| named(verdict, one_pair))
        .column(label::days_ratio(), ratio)
        .column(label::days_interval(), |verdict| interval(verdict))
        .column(label::days_verdict(), |verdict| outcome(cell, verdict))
        .column_if(with_noise, noise_floor, |verdict| noise(cell, verdict))
        .column_if(with_needed, rounds, |verdict| needed(verdict));
    let mut blocks = vec![Block::Table(table.table())];
    let below = below(cell, one_pair);
    if !below.is_empty() {
        blocks.push(Block::list(below, Tone::Muted));
    }
    Block::Fold(title, blocks)
}

fn named(verdict: &Verdict, one_pair: bool) -> Text {
    let metric = Text::say(&verdict.metric);
    match one_pair {
        true => metric,
        false => Text::list([metric, format!("{} / {}", verdict.of, verdict.over).into()]),
    }
}

/// Why verdicts are void, and what to know of the others: each once, with the metrics that it is about.
fn below(cell: &Cell, one_pair: bool) -> Vec<Text> {
    let mut reported: Vec<(Vec<Text>, Text)> = Vec::new();
    for verdict in &cell.verdicts {
        let name = named(verdict, one_pair);
        let void = verdict.void().map(|_| Text::from(&verdict.says));
        let notes = verdict.notes.iter().map(|note| Text::from(&note.says));
        for text in void.into_iter().chain(notes) {
            match reported.iter_mut().find(|(_, known)| *known == text) {
                Some((names, _)) => names.push(name.clone()),
                None => reported.push((vec![name.clone()], text)),
            }
        }
    }
    let all = reported.into_iter();
    all.map(|(names, text)| Text::labelled(Text::sentences(names), text))
        .collect()
}

/// By how much a server differed from itself in the same metric.
fn noise(cell: &Cell, verdict: &Verdict) -> Figure {
    let floor = cell.noise_of(verdict.metric);
    Figure::some(floor.and_then(|floor| floor.size.as_ref()))
}

/// About how many rounds in all a decision takes.
fn needed(verdict: &Verdict) -> Figure {
    let Some(needed) = verdict.rounds_needed() else {
        return Figure::new("");
    };
    let needed = units::thousands(f64::from(needed));
    Figure::new(Text::both(
        format!("about {needed}"),
        format!("约 {needed}"),
    ))
}

/// The ratio's interval, which holds together with those of all comparisons that a headline covers.
fn interval(verdict: &Verdict) -> Figure {
    let Some(interval) = verdict.interval.filter(|_| verdict.void().is_none()) else {
        return Figure::none();
    };
    if verdict.wide {
        return Figure::new(Text::from(label::too_wide()));
    }
    Figure::new(units::ratios(interval))
}

/// What follows for the first server.
fn outcome(cell: &Cell, verdict: &Verdict) -> Figure {
    let words = match verdict.metric {
        Metric::Throughput if cell.load.objective().is_some() => {
            [("more", "更多"), ("less", "更少")]
        }
        Metric::Throughput => [("faster", "更快"), ("slower", "更慢")],
        _ => [("lower", "更低"), ("higher", "更高")],
    };
    if let Some(ahead) = verdict.ahead() {
        let (en, zh) = words[usize::from(ahead != verdict.of)];
        return Figure::new(Text::both(en, zh)).toned(Tone::Strong);
    }
    Figure::new(match verdict.direction() {
        Some(Direction::Tie) => Text::from(label::verdicts_tie()),
        Some(_) => Text::from(label::verdicts_undecided()),
        None => Text::from(label::verdicts_invalid()),
    })
}
