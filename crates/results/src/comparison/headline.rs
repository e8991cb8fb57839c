//! The whole verdict in one sentence.

use photofinish_stats::Direction;

use crate::model::Metric;
use crate::store::Results;
use crate::units::{self, plural};

use super::figures::{Quantity, TargetFigures};
use super::verdicts::{Verdict, margin_text, more};
use super::{Cell, gaps, places};

/// With more cells than this, they are counted rather than told one by one.
const TOLD: usize = 3;

/// The sentence.
pub(super) fn headline(results: &Results, cells: &[Cell]) -> String {
    let measured: Vec<&Cell> = cells
        .iter()
        .filter(|cell| cell.targets.iter().any(|target| target.rounds > 0))
        .collect();
    if measured.is_empty() {
        return nothing(results);
    }
    if results.study.smoke {
        return smoke(results, &measured);
    }
    let contested: Vec<&Cell> = measured
        .iter()
        .copied()
        .filter(|cell| contenders(cell) > 1)
        .collect();
    let rounds = contested
        .iter()
        .flat_map(|cell| throughput(cell))
        .map(|v| v.rounds)
        .max();
    match rounds {
        None if measured.iter().any(|cell| !cell.noise.is_empty()) => against_itself(&measured),
        None => alone(&measured),
        Some(0) => "No verdict: no round has measurements of two targets.".to_owned(),
        Some(1) => one_round(&contested),
        Some(rounds) => verdict(results, &contested, rounds),
    }
}

fn contenders(cell: &Cell) -> usize {
    let measured = cell.targets.iter().filter(|target| target.rounds > 0);
    measured
        .filter(|target| !cell.is_copy(&target.target))
        .count()
}

fn throughput(cell: &Cell) -> impl Iterator<Item = &Verdict> {
    let verdicts = cell.verdicts.iter();
    verdicts.filter(|verdict| verdict.metric == Metric::Throughput)
}

fn nothing(results: &Results) -> String {
    let failed = gaps::failures(results).len();
    if failed > 0 {
        format!(
            "No verdict: nothing was measured, {} recorded.",
            plural(failed, "failure is", "failures are")
        )
    } else {
        "No verdict: nothing was measured.".to_owned()
    }
}

fn smoke(results: &Results, measured: &[&Cell]) -> String {
    let asked: usize = places(results).map(|place| place.targets.len()).sum();
    let done: usize = measured.iter().map(|cell| contenders(cell)).sum();
    format!(
        "Smoke run: {done} of {} went through; nothing may be concluded about speed.",
        plural(asked, "measurement", "measurements")
    )
}

/// One target and its copy: the noise floor.
fn against_itself(measured: &[&Cell]) -> String {
    let told: Vec<String> = measured
        .iter()
        .take(TOLD)
        .filter_map(|cell| {
            let floor = cell.noise_of(Metric::Throughput)?;
            Some(format!("{} at {}", floor.says, place(cell, measured)))
        })
        .collect();
    format!("No contest, a noise floor: {}.", told.join("; "))
}

/// One target only: its figure.
fn alone(measured: &[&Cell]) -> String {
    let told: Vec<String> = measured
        .iter()
        .take(TOLD)
        .filter_map(|cell| {
            let target = cell.targets.iter().find(|target| target.rounds > 0)?;
            let figure = target.figure(Quantity::Throughput)?.text();
            Some(format!(
                "{} {figure} at {}",
                target.target,
                place(cell, measured)
            ))
        })
        .collect();
    format!("One target, no verdict: {}.", told.join("; "))
}

fn one_round(cells: &[&Cell]) -> String {
    let told: Vec<String> = cells
        .iter()
        .take(TOLD)
        .map(|cell| {
            let each: Vec<String> = cell
                .targets
                .iter()
                .filter_map(|target| match &target.sustained {
                    Some(sustained) => Some(format!("{} {}", target.target, sustained.says)),
                    None => {
                        let figure = target.figure(Quantity::Throughput)?;
                        Some(format!("{} {}", target.target, figure.short()))
                    }
                })
                .collect();
            format!("{} at {}", each.join(", "), place(cell, cells))
        })
        .collect();
    format!("One round only, no verdict: {}.", told.join("; "))
}

fn verdict(results: &Results, cells: &[&Cell], rounds: usize) -> String {
    let margin = results.study.margin;
    let rounds = plural(rounds, "round", "rounds");
    let text = match cells {
        [cell] => format!("{}, {rounds}.", sentence(cell, cells, margin)),
        _ if cells.len() <= TOLD => {
            let told: Vec<String> = cells.iter().map(|cell| brief(cell, cells)).collect();
            format!("{}; {rounds}.", told.join("; "))
        }
        _ => counted(cells, &rounds),
    };
    // A target's name keeps its own first letter.
    for (small, large) in [
        ("undecided between ", "Undecided between "),
        ("no verdict ", "No verdict "),
        ("at ", "At "),
    ] {
        if let Some(rest) = text.strip_prefix(small) {
            return format!("{large}{rest}");
        }
    }
    text
}

/// Who leads how often.
fn counted(cells: &[&Cell], rounds: &str) -> String {
    let mut led: Vec<(&str, usize)> = Vec::new();
    let mut ties = 0;
    let mut open = 0;
    for cell in cells {
        match lead(cell) {
            Some(Lead::Ahead(verdict, _)) => {
                let name = verdict.ahead.as_deref().unwrap_or_default();
                match led.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, count)) => *count += 1,
                    None => led.push((name, 1)),
                }
            }
            Some(Lead::Level(verdict)) if verdict.direction == Some(Direction::Tie) => ties += 1,
            Some(Lead::Level(_)) | None => open += 1,
        }
    }
    led.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let of = cells.len();
    if open == of {
        let needed = cells.iter().flat_map(|cell| throughput(cell));
        let tell = needed.filter_map(|verdict| verdict.rounds_needed).max();
        let tell = tell.map_or_else(String::new, |needed| {
            format!("; about {} would tell", units::thousands(f64::from(needed)))
        });
        return format!("Undecided at all {of} loads after {rounds}{tell}.");
    }
    if ties == of {
        return format!("A tie at all {of} loads; {rounds}.");
    }
    let mut parts: Vec<String> = led
        .iter()
        .map(|(name, count)| format!("{name} at {count}"))
        .collect();
    if ties > 0 {
        parts.push(format!("a tie at {ties}"));
    }
    if open > 0 {
        parts.push(format!("undecided at {open}"));
    }
    format!(
        "Most requests per second at {of} loads: {}; {rounds}.",
        parts.join(", ")
    )
}

/// How the race for the most throughput ended.
enum Lead<'a> {
    /// One target is ahead of the next, by this verdict; whether there are more than two.
    Ahead(&'a Verdict, bool),
    /// The first two are level: a tie, or undecided.
    Level(&'a Verdict),
}

/// The verdict between the two targets with the most throughput.
fn lead(cell: &Cell) -> Option<Lead<'_>> {
    let mean = |target: &TargetFigures| target.figure(Quantity::Throughput)?.mean;
    let mut ranked: Vec<(&str, f64)> = cell
        .targets
        .iter()
        .filter(|target| !cell.is_copy(&target.target))
        .filter_map(|target| Some((target.target.as_str(), mean(target)?)))
        .collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    let [(first, _), (second, _), rest @ ..] = ranked.as_slice() else {
        return None;
    };
    let verdict = throughput(cell).find(|verdict| {
        let pair = (verdict.of.as_str(), verdict.over.as_str());
        pair == (first, second) || pair == (second, first)
    })?;
    Some(if verdict.ahead.is_some() {
        Lead::Ahead(verdict, !rest.is_empty())
    } else {
        Lead::Level(verdict)
    })
}

/// The verdict of one of a few cells, without a full stop; its interval stands in the report.
fn brief(cell: &Cell, cells: &[&Cell]) -> String {
    let place = place(cell, cells);
    match lead(cell) {
        Some(Lead::Ahead(verdict, among_more)) => match verdict.from_ahead() {
            Some((ahead, other, ratio, interval)) => {
                let (more, _) = more(ratio, interval);
                let other = if among_more {
                    "the next".to_owned()
                } else {
                    other.to_owned()
                };
                if ratio < 2.0 {
                    format!("at {place} {ahead} is {more} faster than {other}")
                } else {
                    format!("at {place} {ahead} is {more} times as fast as {other}")
                }
            }
            None => format!("at {place} no verdict"),
        },
        Some(Lead::Level(verdict)) if verdict.direction == Some(Direction::Tie) => {
            format!("at {place} a tie")
        }
        Some(Lead::Level(verdict)) if verdict.unjudged.is_some() => {
            format!("at {place} no verdict")
        }
        Some(Lead::Level(_)) => format!("at {place} undecided"),
        None => format!("at {place} no verdict"),
    }
}

/// The verdict of one cell, without a full stop.
fn sentence(cell: &Cell, cells: &[&Cell], margin: f64) -> String {
    let place = place(cell, cells);
    match lead(cell) {
        Some(Lead::Ahead(verdict, among_more)) => match verdict.from_ahead() {
            Some((ahead, other, ratio, interval)) => {
                let (more, bounds) = more(ratio, interval);
                match (among_more, ratio < 2.0) {
                    (false, true) => format!(
                        "{ahead} answers {more} more requests per second than {other} at {place} {bounds}"
                    ),
                    (false, false) => format!(
                        "{ahead} answers {more} times as many requests per second as {other} at {place} {bounds}"
                    ),
                    (true, true) => format!(
                        "{ahead} answers the most requests per second at {place}, {more} {bounds} more than {other}, the next"
                    ),
                    (true, false) => format!(
                        "{ahead} answers the most requests per second at {place}, {more} {bounds} times as many as {other}, the next"
                    ),
                }
            }
            None => format!("no verdict at {place}"),
        },
        Some(Lead::Level(Verdict {
            unjudged: Some(why),
            ..
        })) => format!("no verdict at {place}: {why}"),
        Some(Lead::Level(verdict)) => {
            let Verdict { of, over, .. } = verdict;
            match verdict.direction {
                Some(Direction::Tie) => format!(
                    "{of} and {over} tie within {} in requests per second at {place}",
                    margin_text(margin)
                ),
                _ => {
                    let tell = verdict.rounds_needed.map_or_else(String::new, |needed| {
                        format!(
                            " (about {} rounds would tell)",
                            units::thousands(f64::from(needed))
                        )
                    });
                    format!("undecided between {of} and {over} at {place}{tell}")
                }
            }
        }
        None => match unjudged(cell) {
            Some(why) => format!("no verdict at {place}: {why}"),
            None => format!("no verdict at {place}"),
        },
    }
}

/// Why nothing can be said about who sustains most.
fn unjudged(cell: &Cell) -> Option<&str> {
    throughput(cell).find_map(|verdict| verdict.unjudged.as_deref())
}

/// The load level, with the workload where the run has several.
fn place(cell: &Cell, cells: &[&Cell]) -> String {
    if cells.iter().all(|other| other.workload == cell.workload) {
        cell.level.clone()
    } else {
        format!("{}, {}", cell.workload, cell.level)
    }
}
