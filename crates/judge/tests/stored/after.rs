//! The same facts of a comparison of today.

use photofinish_judge::comparison::{Cell, Comparison, Figure};
use photofinish_stats::Interval;
use serde::Serialize;
use serde_json::Value;

use crate::Facts;

pub fn facts(comparison: &Comparison) -> Facts {
    let mut facts = Facts::new();
    let head = &comparison.head;
    add(&mut facts, "head rounds_done".to_owned(), head.rounds_done);
    add(
        &mut facts,
        "head rounds_asked".to_owned(),
        head.rounds_asked,
    );
    add(&mut facts, "head max_rounds".to_owned(), head.max_rounds);
    add(&mut facts, "head duration_s".to_owned(), head.duration_s);
    add(&mut facts, "head seed".to_owned(), head.seed);
    add(&mut facts, "head margin".to_owned(), head.margin);
    for cell in &comparison.cells {
        of_cell(&mut facts, cell);
    }
    for scaling in &comparison.scaling {
        let place = format!("scaling {} {}", scaling.workload, scaling.target);
        add(&mut facts, format!("{place} levels"), &scaling.levels);
        add(&mut facts, format!("{place} gamma"), scaling.gamma);
        add(&mut facts, format!("{place} alpha"), scaling.alpha);
        add(&mut facts, format!("{place} beta"), scaling.beta);
        add(&mut facts, format!("{place} knee"), scaling.knee);
        add(&mut facts, format!("{place} residual"), scaling.residual);
    }
    for point in &comparison.out_of_line {
        let place = format!(
            "out of line {} {} {}",
            point.workload, point.level.en, point.target
        );
        add(&mut facts, format!("{place} value"), point.value);
        add(&mut facts, format!("{place} throughput"), point.throughput);
        add(&mut facts, format!("{place} expected"), point.expected);
        add(&mut facts, format!("{place} ratio"), point.ratio);
    }
    for claim in &comparison.claims {
        let place = format!("claim {}", claim.claim.id);
        add(&mut facts, format!("{place} verdict"), claim.verdict);
        add(&mut facts, format!("{place} ratio"), claim.ratio);
        add(&mut facts, format!("{place} interval"), claim.interval);
        for (side, shown) in [("of", &claim.of), ("over", &claim.over)] {
            let figures = shown
                .as_ref()
                .map(|side| (&side.figure, side.p999.as_ref()));
            if let Some((own, p999)) = figures {
                figure(&mut facts, &format!("{place} {side}"), own);
                if let Some(p999) = p999 {
                    figure(&mut facts, &format!("{place} {side} p999"), p999);
                }
            }
        }
    }
    for failure in &comparison.failures {
        let place = format!("failure {} {}", failure.target, failure.round);
        let lost: Vec<&str> =
            (failure.measurements.iter().map(|place| place.en.as_str())).collect();
        add(&mut facts, place, lost);
    }
    for missing in &comparison.missing {
        let place = format!(
            "missing {} {} {}",
            missing.target, missing.workload, missing.level.en
        );
        add(&mut facts, place, &missing.rounds);
    }
    facts
}

/// A gap as version 1 wrote it.
#[derive(Serialize)]
struct Gap<'a> {
    of: &'a str,
    over: &'a str,
    ratio: f64,
    interval: Interval,
}

fn of_cell(facts: &mut Facts, cell: &Cell) {
    let place = format!("{} at {}", cell.workload, cell.level.en);
    add(
        facts,
        format!("{place}: limit held back"),
        cell.limit_held_back,
    );
    for target in &cell.targets {
        let place = format!("{place}: {}", target.target);
        add(facts, format!("{place} rounds"), target.rounds);
        add(facts, format!("{place} requests"), target.requests);
        add(
            facts,
            format!("{place} rounds_with_errors"),
            &target.rounds_with_errors,
        );
        add(facts, format!("{place} errors"), &target.errors);
        add(
            facts,
            format!("{place} share_of_limit"),
            &target.share_of_limit,
        );
        if let Some(sustained) = &target.sustained {
            add(
                facts,
                format!("{place} sustained none_held"),
                &sustained.none_held,
            );
            add(
                facts,
                format!("{place} sustained lower_bound"),
                &sustained.lower_bound,
            );
            add(facts, format!("{place} sustained gap"), sustained.gap);
            for point in &sustained.curve {
                let place = format!("{place} step {}", value(point.offered_rps));
                add(facts, format!("{place} steps"), point.steps);
                add(facts, format!("{place} held"), point.held);
                add(facts, format!("{place} p50_us"), point.p50_us);
                add(facts, format!("{place} p99_us"), point.p99_us);
                add(facts, format!("{place} requests"), point.requests);
                add(facts, format!("{place} errors"), point.errors);
            }
        }
        for (metric, value) in &target.figures {
            figure(facts, &format!("{place} {metric:?}"), value);
        }
    }
    for verdict in &cell.verdicts {
        let place = format!(
            "{place}: verdict {:?} {} / {}",
            verdict.metric, verdict.of, verdict.over
        );
        add(facts, format!("{place} rounds"), verdict.rounds);
        add(facts, format!("{place} ratio"), verdict.ratio);
        add(facts, format!("{place} interval"), verdict.interval);
        add(facts, format!("{place} level"), verdict.level);
        add(facts, format!("{place} direction"), verdict.direction());
        add(facts, format!("{place} ahead"), verdict.ahead());
        add(
            facts,
            format!("{place} rounds_needed"),
            verdict.rounds_needed(),
        );
        add(
            facts,
            format!("{place} decided_after"),
            verdict.decided_after(),
        );
    }
    for lead in &cell.leads {
        let place = format!("{place}: lead {:?}", lead.metric);
        add(facts, format!("{place} leaders"), &lead.leaders);
        add(facts, format!("{place} behind"), &lead.behind);
        add(facts, format!("{place} beside"), &lead.beside);
        let gap = lead.gap.as_ref().map(|gap| Gap {
            of: &gap.of,
            over: &gap.over,
            ratio: gap.ratio,
            interval: gap.interval,
        });
        add(facts, format!("{place} gap"), gap);
        add(facts, format!("{place} among"), lead.among);
        add(facts, format!("{place} rounds_needed"), lead.rounds_needed);
    }
    for floor in &cell.noise {
        let place = format!(
            "{place}: noise {:?} {} {}",
            floor.metric, floor.target, floor.again
        );
        add(facts, format!("{place} rounds"), floor.rounds);
        add(facts, format!("{place} ratio"), floor.ratio);
        add(facts, format!("{place} interval"), floor.interval);
        add(facts, format!("{place} different"), floor.different);
    }
}

fn figure(facts: &mut Facts, place: &str, figure: &Figure) {
    add(facts, format!("{place} unit"), figure.unit);
    add(facts, format!("{place} mean"), figure.mean);
    add(facts, format!("{place} interval"), figure.interval);
    add(facts, format!("{place} min"), figure.min);
    add(facts, format!("{place} max"), figure.max);
    add(facts, format!("{place} rounds"), &figure.rounds);
}

/// Adds what is there.
fn add(facts: &mut Facts, what: String, fact: impl Serialize) {
    let fact = value(fact);
    if !fact.is_null() {
        facts.insert(what, fact.to_string());
    }
}

/// As it comes back from a file, so that both sides have gone the same way.
fn value(fact: impl Serialize) -> Value {
    let text = serde_json::to_string(&fact).expect("JSON");
    serde_json::from_str(&text).expect("JSON")
}
