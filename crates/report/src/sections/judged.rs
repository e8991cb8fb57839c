//! What follows from the figures: verdicts, claims, and whether the rules of honesty held.

use photofinish_results::comparison::{
    CheckResult, CheckStatus, ClaimResult, ClaimVerdict, Comparison, Quantity, Verdict,
};
use photofinish_results::model::Metric;
use photofinish_results::units;

use crate::document::{Block, Item, Tone};

use super::figures::heading;

/// So many places where a rule fails are told; the rest is counted.
const PLACES: usize = 10;

pub(super) fn verdicts(comparison: &Comparison) -> Vec<Block> {
    let mut blocks = vec![Block::section("Verdicts")];
    if comparison.head.smoke {
        blocks.push(Block::line(
            "None: from a smoke run nothing may be concluded.",
        ));
        return blocks;
    }
    let judged = comparison
        .cells
        .iter()
        .filter(|cell| !cell.verdicts.is_empty());
    for cell in judged {
        blocks.push(heading(cell));
        let told = cell.verdicts.iter().filter(|verdict| told(verdict));
        blocks.push(Block::List(told.map(verdict).collect()));
    }
    if blocks.len() == 1 {
        return Vec::new();
    }
    blocks
}

/// That two targets share no round is told once, not for each metric.
fn told(verdict: &Verdict) -> bool {
    verdict.rounds > 0 || verdict.metric == Metric::Throughput
}

fn verdict(verdict: &Verdict) -> Item {
    let level = if verdict.interval.is_some() && verdict.level > 0.9501 {
        format!(" at the {} level", units::percent(verdict.level))
    } else {
        String::new()
    };
    let tone = if verdict.ahead.is_some() {
        Tone::Strong
    } else {
        Tone::Plain
    };
    // Who is ahead is said with the metric; all else is not.
    let metric = if verdict.ahead.is_some() || verdict.rounds == 0 {
        String::new()
    } else {
        format!("{}: ", Quantity::from(verdict.metric).name())
    };
    Item::new(format!("{metric}{}{level}", verdict.says), tone)
}

pub(super) fn claims(comparison: &Comparison) -> Vec<Block> {
    if comparison.claims.is_empty() {
        return Vec::new();
    }
    vec![
        Block::section("Claims"),
        Block::List(comparison.claims.iter().map(claim).collect()),
    ]
}

fn claim(result: &ClaimResult) -> Item {
    let claim = &result.claim;
    let tone = match result.verdict {
        ClaimVerdict::Holds => Tone::Good,
        ClaimVerdict::DoesNotHold => Tone::Bad,
        _ => Tone::Plain,
    };
    let mut item = Item::new(
        format!("({}) {}: {}", claim.id, claim.says, result.verdict.words()),
        tone,
    );
    let over = match &result.over_place {
        Some(place) => format!("{} at {place}", claim.over),
        None => claim.over.clone(),
    };
    let sources = [claim.figures.as_str(), claim.source.as_str()];
    let sources: Vec<&str> = sources
        .into_iter()
        .filter(|text| !text.is_empty())
        .collect();
    item.below.push(format!(
        "published: {} of {} over {over} = {}, {}, {} ({})",
        Quantity::from(claim.metric).name(),
        claim.of,
        units::ratio(claim.ratio),
        claim.workload,
        result.level,
        sources.join("; ")
    ));
    if let Some(level) = &result.measured_level {
        item.below.push(format!(
            "tested at {level} in its stead, as the study says: {} were not run",
            result.level
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
        _ => {
            // The outcome has been said already.
            let outcome = format!("{}: ", result.verdict.words());
            let says = result.says.as_str();
            says.strip_prefix(outcome.as_str())
                .unwrap_or(says)
                .to_owned()
        }
    }
}

pub(super) fn checks(comparison: &Comparison) -> Vec<Block> {
    vec![
        Block::section("Honesty checks"),
        Block::List(comparison.checks.iter().map(check).collect()),
    ]
}

fn check(check: &CheckResult) -> Item {
    let tone = match check.status {
        CheckStatus::Ok => Tone::Good,
        CheckStatus::Failed => Tone::Bad,
        CheckStatus::Partly | CheckStatus::NotChecked => Tone::Muted,
    };
    let mut item = Item::new(format!("{}: {}", check.status.words(), check.title), tone);
    // 'Not checked yet' has been said, unless there is a reason.
    if check.says != check.status.words() {
        item.below.push(check.says.clone());
    }
    item.below
        .extend(check.failing.iter().take(PLACES).map(|failing| {
            let place = failing.place();
            let place = if place.is_empty() {
                place
            } else {
                format!("{place}: ")
            };
            format!("{place}{}", failing.says)
        }));
    more(&mut item, check.failing.len());
    item.below.extend(check.told.iter().take(PLACES).cloned());
    more(&mut item, check.told.len());
    item
}

/// Counts what is not told of so many.
fn more(item: &mut Item, of: usize) {
    let untold = of.saturating_sub(PLACES);
    if untold > 0 {
        let rest = format!("and {untold} more, all of them in the JSON report");
        item.below.push(rest);
    }
}
