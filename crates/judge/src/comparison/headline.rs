//! The whole verdict in one sentence.

mod sentences;

use photofinish_model::Metric;
use photofinish_model::store::Results;
use photofinish_model::units::{self, plural};

use super::lead::{Lead, Standing};
use super::verdicts::Verdict;
use super::{Cell, gaps, places};

use sentences::{Sentence, and, measured as contenders};

/// With more cells than this, they are counted rather than told one by one.
const TOLD: usize = 3;

/// The sentence.
pub(super) fn headline(results: &Results, cells: &[Cell]) -> String {
    let measured: Vec<&Cell> = cells
        .iter()
        .filter(|cell| contenders(cell).next().is_some())
        .collect();
    if measured.is_empty() {
        return nothing(results);
    }
    if results.study.smoke {
        return smoke(results, cells);
    }
    let contested: Vec<&Cell> = measured
        .iter()
        .copied()
        .filter(|cell| contenders(cell).count() > 1)
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

fn throughput(cell: &Cell) -> impl Iterator<Item = &Verdict> {
    let verdicts = cell.verdicts.iter();
    verdicts.filter(|verdict| verdict.metric == Metric::Throughput)
}

fn nothing(results: &Results) -> String {
    let failed = gaps::failures(results).len();
    let limit = results.lines.iter().any(|line| line.measurement.is_some());
    let what = if limit {
        "nothing but the limit was measured"
    } else {
        "nothing was measured"
    };
    if failed > 0 {
        let failed = plural(failed, "failure is", "failures are");
        format!("No verdict: {what}, {failed} recorded.")
    } else {
        format!("No verdict: {what}.")
    }
}

fn smoke(results: &Results, cells: &[Cell]) -> String {
    let asked: usize = places(results).map(|place| place.targets.len()).sum();
    let targets = cells.iter().flat_map(|cell| &cell.targets);
    let done = targets.filter(|target| target.rounds > 0).count();
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
            Some(format!("{} at {}", floor.says.en, place(cell, measured)))
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
            let target = contenders(cell).next()?;
            let figure = target.figure(Metric::Throughput)?.text();
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
            let each: Vec<String> = contenders(cell)
                .filter_map(|target| {
                    if let Some(sustained) = &target.sustained {
                        return Some(format!("{} {}", target.target, sustained.says.en));
                    }
                    let figure = target.figure(Metric::Throughput)?;
                    Some(format!("{} {}", target.target, figure.short()))
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
    let sentence = |cell| Sentence::about(cell, place(cell, cells), margin);
    let text = match cells {
        [cell] => format!("{}, {rounds}.", sentence(cell).full()),
        _ if cells.len() <= TOLD => {
            let told: Vec<String> = cells.iter().map(|cell| sentence(cell).brief()).collect();
            format!("{}; {rounds}.", told.join("; "))
        }
        _ => counted(cells, &rounds),
    };
    // A target's name keeps its own first letter.
    for (small, large) in [
        ("undecided between ", "Undecided between "),
        ("no clear order ", "No clear order "),
        ("no verdict at ", "No verdict at "),
        ("at ", "At "),
    ] {
        if let Some(rest) = text.strip_prefix(small) {
            return format!("{large}{rest}");
        }
    }
    text
}

/// Who leads how often; targets that lead together are counted together.
fn counted(cells: &[&Cell], rounds: &str) -> String {
    let mut led: Vec<(&[String], usize)> = Vec::new();
    let (mut ties, mut open, mut partly) = (0, 0, 0);
    for cell in cells {
        match cell.lead(Metric::Throughput) {
            Some(Lead {
                gap: Some(_),
                leaders,
                beside,
                ..
            }) if beside.is_empty() => match led.iter_mut().find(|(known, _)| *known == leaders) {
                Some((_, count)) => *count += 1,
                None => led.push((leaders, 1)),
            },
            Some(Lead { gap: Some(_), .. }) => partly += 1,
            Some(lead) if lead.among == Some(Standing::Tie) => ties += 1,
            _ => open += 1,
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
        .map(|(names, count)| match names {
            [name] => format!("{name} at {count}"),
            names => format!("{} together at {count}", and(names)),
        })
        .collect();
    let others = [
        ("a tie", ties),
        ("undecided in part", partly),
        ("undecided", open),
    ];
    let others = others.iter().filter(|(_, count)| *count > 0);
    parts.extend(others.map(|(what, count)| format!("{what} at {count}")));
    format!(
        "Most requests per second at {of} loads: {}; {rounds}.",
        parts.join(", ")
    )
}

/// The load level, with the workload where the run has several.
fn place(cell: &Cell, cells: &[&Cell]) -> String {
    if cells.iter().all(|other| other.workload == cell.workload) {
        cell.level.clone()
    } else {
        format!("{}, {}", cell.workload, cell.level)
    }
}
