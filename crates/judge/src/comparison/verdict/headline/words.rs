//! The sentence of a headline.

use photofinish_model::message::{
    Advantage, AtPlaces, Brackets, Clauses, Confidence, Message, Parts,
};
use photofinish_model::{Metric, Place, Places};
use photofinish_stats::Interval;
use photofinish_voice::headline::{self as said, by, range};

use super::{Ahead, Bounds, Group, Outcome, Rate};
use crate::comparison::Cell;
use crate::comparison::interference::noise::{NoiseFloor, difference};
use crate::comparison::verdict::lead::Standing;

/// Returns the sentence for groups of places, of all these cells.
pub(super) fn verdict(groups: &[Group], cells: &[&Cell]) -> Message {
    if cells.len() > Places::NAMED {
        return said::verdict(counted(groups, cells.len()));
    }
    let clauses: Clauses = groups.iter().map(|of| clause(of, cells)).collect();
    let message = said::verdict(clauses);
    let starts_with_name = groups.first().is_some_and(|group| {
        matches!(
            group.outcome,
            Outcome::Ahead(_) | Outcome::Tie { .. } | Outcome::TieBehind { .. }
        )
    });
    match starts_with_name {
        // A server's name keeps its own first letter.
        true => message,
        false => Message {
            en: capital(&message.en),
            ..message
        },
    }
}

/// Returns how often each outcome came out at many places: who leads how often, whatever the metric, and then the others.
fn counted(groups: &[Group], of: usize) -> Clauses {
    let mut leads: Vec<(&[String], usize)> = Vec::new();
    let mut others = [0; 4];
    for group in groups {
        let places = group.at.len();
        match &group.outcome {
            Outcome::Ahead(ahead) if ahead.is_second => {}
            Outcome::Ahead(ahead) => {
                let same = |known: &&mut (&[String], usize)| known.0 == ahead.leaders;
                match leads.iter_mut().find(same) {
                    Some((_, known)) => *known += places,
                    None => leads.push((&ahead.leaders, places)),
                }
            }
            Outcome::TieBehind { .. } => {}
            Outcome::Tie { .. } => others[0] += places,
            Outcome::NoOrder { .. } => others[1] += places,
            Outcome::Undecided { .. } => others[2] += places,
            // Next to a verdict on others it is named in the table.
            Outcome::Void { targets, .. } if !targets.is_empty() => {}
            Outcome::Void { .. } => others[3] += places,
        }
    }
    leads.sort_by_key(|(_, places)| std::cmp::Reverse(*places));
    let leads = leads.into_iter().map(|(leaders, places)| match leaders {
        [one] => said::one_leads(one, places, of),
        several => said::several_lead(several, places, of),
    });
    type Row = fn(usize) -> Message;
    let rows: [Row; 4] = [
        |n| said::some_tie(n),
        |n| said::some_without_order(n),
        |n| said::some_undecided(n),
        |n| said::some_invalid(n),
    ];
    let others = rows.into_iter().zip(others).filter(|(_, n)| *n > 0);
    leads.chain(others.map(|(row, n)| row(n))).collect()
}

/// Returns the text with a capital letter first.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// Returns the first of many clauses, and how many more there are.
pub(super) fn listed(all: impl Iterator<Item = Message>) -> Clauses {
    let mut clauses: Vec<Message> = all.collect();
    let more = clauses.len().saturating_sub(Places::NAMED);
    if more > 0 {
        clauses.truncate(Places::NAMED);
        clauses.push(said::and_more(more));
    }
    clauses.into()
}

/// Returns a noise floor.
pub(super) fn floor(floor: &NoiseFloor, place: &Place) -> Message {
    let target = &floor.target;
    let ratio = match (&floor.void, floor.ratio) {
        (Some(reason), _) => return said::floor_invalid(target, place, reason),
        (None, None) => return said::no_floor(target, place),
        (None, Some(ratio)) => ratio,
    };
    let (by, interval) = difference(ratio, floor.interval);
    said::floor(target, by, interval, place)
}

/// Returns the throughput of each server, place by place.
pub(super) fn figures(figures: &[Rate]) -> Clauses {
    let is_only = figures.iter().all(|of| of.place == figures[0].place);
    listed(figures.chunk_by(|a, b| a.place == b.place).map(|here| {
        let each = here.iter();
        let parts: Parts = each
            .map(|of| said::figure(&of.target, of.rate, of.interval))
            .collect();
        match is_only {
            true => said::figures_here(parts),
            false => said::figures_at(parts, &here[0].place),
        }
    }))
}

/// Returns what is alike at some places.
fn clause(group: &Group, cells: &[&Cell]) -> Message {
    let at = || at_places(&group.at, cells);
    match &group.outcome {
        Outcome::Ahead(found) => ahead(found, at(), cells),
        Outcome::TieBehind { targets } => said::also_tie(targets, at()),
        Outcome::Tie {
            targets,
            margin,
            interval,
        } => {
            let interval = interval.filter(|_| group.at.len() == 1);
            said::tie(targets, *margin, at(), interval)
        }
        Outcome::NoOrder { targets } => said::no_order(targets, at()),
        Outcome::Undecided { targets, bounds } => {
            match bounds.as_ref().filter(|_| group.at.len() == 1) {
                Some(bounds) => undecided(targets, bounds, at()),
                None => said::undecided(targets, at()),
            }
        }
        Outcome::Void { targets, reason } => match targets.is_empty() {
            true => said::invalid(at(), reason),
            false => said::invalid_for(targets, at(), reason),
        },
    }
}

/// Returns where; `None` if there is only one place, which the setting names.
fn at_places(at: &[Place], cells: &[&Cell]) -> AtPlaces {
    let one_workload = at.iter().all(|place| place.workload.is_none());
    let is_all = at.len() == cells.len();
    AtPlaces(match (cells.len(), is_all, one_workload) {
        (..2, ..) => None,
        (2, true, true) => Some(said::both_levels()),
        (2, true, false) => Some(said::both_loads()),
        (_, true, true) => Some(said::all_levels(at.len())),
        (_, true, false) => Some(said::all_loads(at.len())),
        (_, false, _) => Some(said::places(&at.to_vec())),
    })
}

/// Returns what an undecided pair has excluded.
fn undecided(targets: &[String], bounds: &Bounds, at: AtPlaces) -> Message {
    let Bounds {
        metric, of, over, ..
    } = bounds;
    let Some(Interval { low, high }) = bounds.interval else {
        return said::undecided_too_wide(targets, at);
    };
    // The interval holds 1, unless it was decided and that was withdrawn.
    let (less, more) = ((1.0 - low).max(0.0), (high - 1.0).max(0.0));
    match metric.larger_is_better() {
        true => said::undecided_rates(of, over, at, less, more),
        false => said::undecided_times(*metric, of, over, at, more, less),
    }
}

/// Returns who is ahead, and by how much.
fn ahead(ahead: &Ahead, at: AtPlaces, cells: &[&Cell]) -> Message {
    let more = remarks(ahead);
    let several_servers = cells.iter().any(|cell| cell.contenders().count() > 2);
    if ahead.by.len() > 1 && (several_servers || ahead.over.is_none()) {
        return best(ahead, at, more);
    }
    let next = match &ahead.over {
        Some(over) if ahead.others_behind && ahead.leaders.len() == 1 => {
            said::next_is_runner_up(over)
        }
        over => said::next(over.as_deref().unwrap_or_default()),
    };
    let (by, interval) = match ahead.by.as_slice() {
        [one] => (amount(ahead, *one, &next), *one),
        several => {
            let by = range_of(ahead, several, &next);
            let no_interval = Advantage {
                interval: None,
                ..several[0]
            };
            (by, no_interval)
        }
    };
    let interval = Confidence(interval);
    let leaders = &ahead.leaders;
    match (leaders.as_slice(), ahead.metric, ahead.sustained) {
        ([one], Metric::Throughput, false) => said::one_is(one, by, at, interval, more),
        (_, Metric::Throughput, false) => said::several_are(leaders, by, at, interval, more),
        ([one], Metric::Throughput, true) => said::one_sustains(one, by, at, interval, more),
        (_, Metric::Throughput, true) => said::several_sustain(leaders, by, at, interval, more),
        ([one], Metric::ServerCpu, _) => said::one_uses(one, by, at, interval, more),
        (_, Metric::ServerCpu, _) => said::several_use(leaders, by, at, interval, more),
        ([one], ..) => said::one_has(one, by, at, interval, more),
        _ => said::several_have(leaders, by, at, interval, more),
    }
}

/// Returns that some are best, of more than two servers at several places: how far is in the matrix.
fn best(ahead: &Ahead, at: AtPlaces, more: Brackets) -> Message {
    let (metric, leaders) = (ahead.metric, &ahead.leaders);
    match leaders.as_slice() {
        [one] => {
            let best = match (metric, ahead.sustained) {
                (Metric::Throughput, false) => said::is_fastest(),
                (Metric::Throughput, true) => said::sustains_most(),
                (Metric::ServerCpu, _) => said::uses_least(),
                _ => said::has_lowest(metric),
            };
            said::one_best(one, best, at, more)
        }
        _ => {
            let best = match (metric, ahead.sustained) {
                (Metric::Throughput, false) => said::are_fastest(),
                (Metric::Throughput, true) => said::sustain_most(),
                (Metric::ServerCpu, _) => said::use_least(),
                _ => said::have_lowest(metric),
            };
            said::several_best(leaders, best, at, more)
        }
    }
}

/// Returns how far the nearest pair is apart.
fn amount(ahead: &Ahead, of: Advantage, next: &Message) -> Message {
    match (ahead.metric, ahead.sustained, of.is_factor()) {
        (Metric::Throughput, false, false) => by::faster(of, next),
        (Metric::Throughput, false, true) => by::times_as_fast(of, next),
        (Metric::Throughput, true, false) => by::more(of, next),
        (Metric::Throughput, true, true) => by::times_as_much(of, next),
        (Metric::ServerCpu, ..) => by::less_cpu(of, next),
        (metric, ..) => by::lower(metric, of, next),
    }
}

/// Returns the smallest and the largest distance over several places.
fn range_of(ahead: &Ahead, all: &[Advantage], next: &Message) -> Message {
    let size = |by: &Advantage| by.ratio.ln().abs();
    let by_size = |a: &&Advantage, b: &&Advantage| size(a).total_cmp(&size(b));
    let ends = all.iter().min_by(by_size).zip(all.iter().max_by(by_size));
    let (least, most) = ends.map_or((all[0], all[0]), |(least, most)| (*least, *most));
    let one = amount(ahead, least, next);
    if one.en == amount(ahead, most, next).en {
        return one;
    }
    match (
        ahead.metric,
        ahead.sustained,
        least.is_factor(),
        most.is_factor(),
    ) {
        (Metric::Throughput, false, false, false) => range::faster(least, most, next),
        (Metric::Throughput, false, false, true) => range::faster_to_times(least, most, next),
        (Metric::Throughput, false, true, _) => range::times_as_fast(least, most, next),
        (Metric::Throughput, true, false, false) => range::more(least, most, next),
        (Metric::Throughput, true, false, true) => range::more_to_times(least, most, next),
        (Metric::Throughput, true, true, _) => range::times_as_much(least, most, next),
        (Metric::ServerCpu, ..) => range::less_cpu(least, most, next),
        (metric, ..) => range::lower(metric, least, most, next),
    }
}

/// Returns what belongs to it: how leaders compare, who is neither ahead nor behind, and that it is within the margin.
fn remarks(ahead: &Ahead) -> Brackets {
    let is_within = |by: &Advantage| {
        let inside = |ratio: f64| ratio.max(ratio.recip()) <= 1.0 + ahead.margin;
        by.interval
            .is_some_and(|interval| inside(interval.low) && inside(interval.high))
    };
    let within = ahead.by.iter().all(is_within);
    let among = ahead.among.map(|among| between(among, ahead));
    let beside = match ahead.beside.as_slice() {
        [] => None,
        [one] => Some(said::one_beside(one, &ahead.leaders)),
        several => Some(said::several_beside(several, &ahead.leaders)),
    };
    let within = within.then(|| said::within_margin(ahead.margin));
    let remarks: Vec<Message> = [within, among, beside].into_iter().flatten().collect();
    Brackets((!remarks.is_empty()).then(|| said::remarks(Clauses(remarks))))
}

fn between(among: Standing, ahead: &Ahead) -> Message {
    let leaders = ahead.leaders.len();
    match (among, leaders) {
        (Standing::Tie, 2) => said::two_tie(ahead.margin),
        (Standing::Tie, _) => said::these_tie(leaders, ahead.margin),
        (Standing::Undecided, 2) => said::two_undecided(),
        (Standing::Undecided, _) => said::these_undecided(leaders),
        (Standing::Mixed, 2) => said::two_without_order(),
        (Standing::Mixed, _) => said::these_without_order(leaders),
    }
}
