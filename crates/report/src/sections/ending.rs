//! What a race ends with on a terminal: who is ahead and by how much, whether that is real, and what to doubt.

use photofinish_judge::comparison::{Cell, Comparison, Figure, Grade, TargetFigures, Trust};
use photofinish_model::Metric;
use photofinish_model::Place;
use photofinish_model::finding::claim::ClaimVerdict;
use photofinish_model::message::Message;
use photofinish_voice::measurement::ending as found;
use photofinish_voice::{Language, claim};

use crate::ending::Ending;
use crate::words::Tone;

use super::result;
use super::source::Source;

pub(super) fn ending(comparison: &Comparison) -> Ending {
    let english = |message: &Message| message.text(Language::En).to_owned();
    let said = |message: &Option<Message>| message.as_ref().map(english);
    let source = Source {
        comparison,
        pictures: None,
    };
    let mut ending = Ending::new(english(&comparison.headline), english(&comparison.setting));
    let Trust { grade, says } = &comparison.trust;
    ending.caveat((*grade > Grade::Quotable).then(|| english(says)));
    ending.figures(result::table(&source));
    ending.fact("cost", said(&comparison.cost), Tone::Plain);
    ending.fact("next", said(&comparison.next), Tone::Plain);
    ending.fact("missing", failed(comparison).map(|it| it.en), Tone::Bad);
    ending.fact("stalls", said(&comparison.stalls), Tone::Bad);
    ending.fact("also", said(&comparison.also), Tone::Plain);
    ending.fact("claims", claims(comparison).map(|it| it.en), Tone::Plain);
    ending.fact("waits", waits(comparison).map(|it| it.en), Tone::Plain);
    ending.full("trust", english(says), tone(*grade));
    ending.fact("unseen", said(&comparison.short_load), Tone::Plain);
    ending
}

/// The tone of a grade of trust.
pub(super) fn tone(grade: Grade) -> Tone {
    match grade {
        Grade::Quotable => Tone::Good,
        Grade::WithCare | Grade::NotQuotable => Tone::Bad,
    }
}

/// A cell's place among all of them.
fn place(comparison: &Comparison, cell: &Cell) -> Place {
    let several = (comparison.cells.iter()).any(|other| other.workload != cell.workload);
    Place {
        workload: several.then(|| cell.workload.clone()),
        load: cell.load.clone(),
    }
}

/// What is a smaller share of all of a target's waits is not named.
const NOTABLE_WAIT: f64 = 0.1;

/// What the threads of the targets waited for where they waited most; `None` where nobody looked.
fn waits(comparison: &Comparison) -> Option<Message> {
    let looked_at = |target: &&TargetFigures| target.figures.keys().any(|metric| metric.is_wait());
    let longest = |cell: &Cell| {
        let all = cell.targets.iter().map(|target| waits_of(target).1);
        all.fold(0.0, f64::max)
    };
    let cells = comparison.cells.iter();
    let cells = cells.filter(|cell| cell.targets.iter().any(|target| looked_at(&target)));
    let cell = cells.max_by(|a, b| longest(a).total_cmp(&longest(b)))?;
    let targets = cell.targets.iter().filter(looked_at).map(|target| {
        let (mut waits, all) = waits_of(target);
        waits.retain(|(_, us)| *us >= NOTABLE_WAIT * all);
        waits.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut parts: Vec<Message> = waits.iter().map(|(of, us)| found::wait(of, *us)).collect();
        if target.has_unseen_waits {
            parts.push(found::unseen());
        } else if parts.is_empty() {
            parts.push(found::no_waits());
        }
        found::server_waits(&target.target, parts)
    });
    let targets: Vec<Message> = targets.collect();
    Some(found::waits(targets, place(comparison, cell)))
}

/// The waits of a target, in microseconds per request, and their sum.
fn waits_of(target: &TargetFigures) -> (Vec<(Metric, f64)>, f64) {
    let of = |(metric, figure): (&Metric, &Figure)| {
        let us = figure.mean.unwrap_or(figure.max);
        (metric.is_wait() && us > 0.0).then_some((*metric, us))
    };
    let waits: Vec<(Metric, f64)> = target.figures.iter().filter_map(of).collect();
    let all = waits.iter().map(|(_, us)| us).sum();
    (waits, all)
}

/// How many of the claims came out how.
fn claims(comparison: &Comparison) -> Option<Message> {
    let mut outcomes: Vec<(ClaimVerdict, usize)> = Vec::new();
    for claim in &comparison.claims {
        let outcome = claim.verdict;
        match outcomes.iter_mut().find(|(known, _)| *known == outcome) {
            Some((_, count)) => *count += 1,
            None => outcomes.push((outcome, 1)),
        }
    }
    let outcomes: Vec<Message> = outcomes
        .into_iter()
        .map(|(outcome, count)| claim::outcome_count(count, claim::outcome(outcome)))
        .collect();
    (!outcomes.is_empty()).then(|| found::claims(outcomes))
}

/// What failed first, and how many trials did.
fn failed(comparison: &Comparison) -> Option<Message> {
    let first = comparison.failures.first()?;
    let (trials, target, round) = (comparison.failures.len(), &first.target, first.round);
    let why = first.cause.in_a_line();
    // A line is cut at its end, and a path that is cut is not one.
    Some(match first.cause.log() {
        None => found::failed(trials, target, round, why),
        Some(log) => found::failed_with_log(trials, target, round, log, why),
    })
}
