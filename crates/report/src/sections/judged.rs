//! What follows from the figures: verdicts, claims, and whether the validity rules held.

use std::collections::BTreeSet;

use photofinish_judge::comparison::{Cell, ClaimResult, Comparison, NoiseFloor, Verdict};
use photofinish_model::Metric;
use photofinish_model::finding::claim::ClaimVerdict;
use photofinish_model::units;
use photofinish_stats::Direction;
use photofinish_voice::{Language, Say};

use crate::document::{Block, Figure, Item, Table, Tone};

use super::cell::place;

pub(super) fn verdicts(comparison: &Comparison) -> Vec<Block> {
    let mut blocks = vec![Block::section("Verdicts")];
    if comparison.head.smoke {
        blocks.push(Block::line("None: a smoke run says nothing about speed."));
        return blocks;
    }
    blocks.push(Block::line(
        "The first target against the second: ratios over the rounds with 95% intervals.",
    ));
    let judged = comparison
        .cells
        .iter()
        .filter(|cell| cell.verdicts.iter().any(|verdict| verdict.rounds > 0));
    for cell in judged {
        blocks.extend(judged_cell(cell));
    }
    if blocks.len() == 2 {
        return Vec::new();
    }
    blocks
}

/// A row for each metric and pair of targets; a pair that is the only one is named once, above.
fn judged_cell(cell: &Cell) -> Vec<Block> {
    let pairs: BTreeSet<(&str, &str)> = cell
        .verdicts
        .iter()
        .map(|verdict| (verdict.of.as_str(), verdict.over.as_str()))
        .collect();
    let mut title = place(cell);
    if let (1, Some((of, over))) = (pairs.len(), pairs.first()) {
        title = format!("{title}: {of} / {over}");
    }
    let with_noise = !cell.noise.is_empty();
    let rows = cell.verdicts.iter().map(|verdict| {
        let metric = verdict.metric.say(Language::En);
        let name = if pairs.len() == 1 {
            metric.to_owned()
        } else {
            format!("{metric}, {} / {}", verdict.of, verdict.over)
        };
        let mut row = vec![
            Figure::new(name),
            verdict
                .ratio
                .map_or_else(Figure::none, |ratio| Figure::new(units::ratio(ratio))),
            interval(verdict),
            outcome(cell, verdict),
        ];
        row.extend(with_noise.then(|| noise(cell, verdict)));
        row
    });
    let mut rows: Vec<Vec<Figure>> = rows.collect();
    let mut header = vec!["metric", "ratio", "interval", "verdict"];
    header.extend(with_noise.then_some("noise floor (A/A)"));
    let needed = cell.verdicts.iter().map(|verdict| verdict.rounds_needed());
    if needed.clone().any(|needed| needed.is_some()) {
        header.push("rounds needed");
        for (row, needed) in rows.iter_mut().zip(needed) {
            row.push(needed.map_or_else(
                || Figure::new(""),
                |needed| Figure::new(format!("about {}", units::thousands(f64::from(needed)))),
            ));
        }
    }
    let mut blocks = vec![
        Block::Heading(3, title),
        Block::Table(Table {
            header: header.into_iter().map(str::to_owned).collect(),
            rows,
        }),
    ];
    let below = below(cell, pairs.len() == 1);
    if !below.is_empty() {
        let items = below.into_iter().map(|text| Item::new(text, Tone::Muted));
        blocks.push(Block::List(items.collect()));
    }
    blocks
}

/// Why verdicts are void, and what to know beside the others: each once, with the metrics that it is about.
fn below(cell: &Cell, one_pair: bool) -> Vec<String> {
    let mut reported: Vec<(Vec<String>, &str)> = Vec::new();
    for verdict in &cell.verdicts {
        let metric = verdict.metric.say(Language::En);
        let name = match one_pair {
            true => metric,
            false => format!("{metric} of {} / {}", verdict.of, verdict.over),
        };
        let void = verdict.void().map(|_| verdict.says.text(Language::En));
        let notes = verdict.notes.iter().map(|note| note.text(Language::En));
        for text in void.into_iter().chain(notes) {
            match reported.iter_mut().find(|(_, known)| *known == text) {
                Some((names, _)) => names.push(name.clone()),
                None => reported.push((vec![name.clone()], text)),
            }
        }
    }
    let reported = reported.into_iter();
    reported
        .map(|(names, text)| format!("{}: {text}", names.join(", ")))
        .collect()
}

/// By how much a target differed from itself in the same metric.
fn noise(cell: &Cell, verdict: &Verdict) -> Figure {
    match cell.noise_of(verdict.metric).map(NoiseFloor::size) {
        Some(size) if !size.is_empty() => Figure::new(size),
        _ => Figure::none(),
    }
}

/// The ratio's interval, with its level where Holm's procedure asks for another than 95%.
fn interval(verdict: &Verdict) -> Figure {
    let Some(interval) = verdict.interval else {
        return Figure::none();
    };
    if verdict.wide {
        return Figure::new("[too wide]");
    }
    let level = if verdict.raised {
        format!(" ({})", units::percent(verdict.level))
    } else {
        String::new()
    };
    Figure::new(units::ratios(interval) + &level)
}

/// What follows for the first target.
fn outcome(cell: &Cell, verdict: &Verdict) -> Figure {
    let words = match verdict.metric {
        Metric::Throughput if cell.load.objective().is_some() => ["more", "less"],
        Metric::Throughput => ["faster", "slower"],
        _ => ["lower", "higher"],
    };
    if let Some(ahead) = verdict.ahead() {
        return Figure {
            text: words[usize::from(ahead != verdict.of)].to_owned(),
            tone: Tone::Strong,
            detail: None,
            ..Figure::default()
        };
    }
    Figure::new(match verdict.direction() {
        Some(Direction::Tie) => "tie",
        Some(_) => "undecided",
        None => "void",
    })
}

pub(super) fn claims(comparison: &Comparison) -> Vec<Block> {
    if comparison.claims.is_empty() {
        return Vec::new();
    }
    vec![
        Block::section("Claims"),
        Block::List(
            comparison
                .claims
                .iter()
                .map(|result| claim(result, comparison.head.source.as_deref()))
                .collect(),
        ),
    ]
}

/// A claim; the study's own source is named once, with the run.
fn claim(result: &ClaimResult, of_study: Option<&str>) -> Item {
    let claim = &result.claim;
    let tone = match result.verdict {
        ClaimVerdict::Holds => Tone::Good,
        ClaimVerdict::DoesNotHold => Tone::Bad,
        _ => Tone::Plain,
    };
    let mut item = Item::new(
        format!(
            "({}) {}: {}",
            claim.id,
            claim.says,
            result.outcome.text(Language::En)
        ),
        tone,
    );
    let over = match &result.over_place {
        Some(place) => format!("{} at {}", claim.over, place.en),
        None => claim.over.clone(),
    };
    let own_source = Some(claim.source.as_str()).filter(|source| Some(*source) != of_study);
    let sources: Vec<&str> = std::iter::once(claim.figures.as_str())
        .chain(own_source)
        .filter(|text| !text.is_empty())
        .collect();
    let sources = match sources.as_slice() {
        [] => String::new(),
        some => format!(" ({})", some.join("; ")),
    };
    let stated = match &result.stated {
        Some(stated) if claim.ratio.is_some() => format!(" = {}", stated.en),
        Some(stated) => format!(": {}", stated.en),
        None => String::new(),
    };
    item.below.push(format!(
        "published: {} of {} over {over}{stated}, {}, {}{sources}",
        claim.metric.say(Language::En),
        claim.of,
        claim.workload,
        result.level.en,
    ));
    if let Some(level) = &result.measured_level {
        item.below.push(format!(
            "tested at {} instead, as the study says: {} were not run",
            level.en, result.level.en
        ));
    }
    item.below.push(format!("here: {}", here(result)));
    item
}

/// What was measured: the ratio and its two sides, or why there is none.
fn here(result: &ClaimResult) -> String {
    match (result.ratio.zip(result.interval), &result.of, &result.over) {
        (Some((ratio, interval)), Some(of), Some(over)) => format!(
            "{} [{} … {}]; {} {}; {} {}",
            units::ratio(ratio),
            units::ratio(interval.low),
            units::ratio(interval.high),
            of.target,
            of.figure.text(),
            over.target,
            over.figure.text()
        ),
        // Why there is none, or the ranges of a maximum.
        _ => result.says.text(Language::En).to_owned(),
    }
}
