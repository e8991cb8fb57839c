//! The sentence of a headline.

use photofinish_model::message::{Advantage, Brackets, Clauses, Message, Parts};
use photofinish_model::{NextPlace, Places};
use photofinish_voice::headline::{self as said, first, further, range};

use super::{AheadAt, Among, Floor, Group, Rate};

/// Returns the sentence for groups of places, after so many rounds.
pub(super) fn verdict(groups: &[Group], rounds: usize) -> Message {
    let is_single = Group::is_single(groups);
    let clauses: Clauses = groups.iter().map(|of| group(of, is_single)).collect();
    let message = said::verdict(clauses, rounds);
    match groups.first() {
        // A server's name keeps its own first letter.
        Some(Group::Ahead { .. } | Group::Tie { .. }) => message,
        _ => Message {
            en: capital(&message.en),
            ..message
        },
    }
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
fn listed(all: impl Iterator<Item = Message>) -> Clauses {
    let mut clauses: Vec<Message> = all.collect();
    let more = clauses.len().saturating_sub(Places::NAMED);
    if more > 0 {
        clauses.truncate(Places::NAMED);
        clauses.push(said::and_more(more));
    }
    clauses.into()
}

/// Returns the noise floors.
pub(super) fn floors(floors: &[Floor]) -> Clauses {
    listed(floors.iter().map(floor))
}

fn floor(floor: &Floor) -> Message {
    let (target, place) = (&floor.target, &floor.place);
    let ratio = match (&floor.void, floor.ratio) {
        (Some(reason), _) => return said::floor_invalid(target, place, reason),
        (None, None) => return said::no_floor(target, place),
        (None, Some(ratio)) => ratio,
    };
    // Whichever copy was ahead: they are the same server.
    let turned = ratio < 1.0;
    let share = |value: f64| {
        if turned {
            value.recip() - 1.0
        } else {
            value - 1.0
        }
    };
    let interval = floor.interval.map(|mut interval| {
        (interval.low, interval.high) = match turned {
            true => (share(interval.high), share(interval.low)),
            false => (share(interval.low), share(interval.high)),
        };
        interval
    });
    said::floor(target, share(ratio), interval, place)
}

/// Returns the throughput of each server, place by place.
pub(super) fn figures(figures: &[Rate]) -> Clauses {
    listed(figures.chunk_by(|a, b| a.place == b.place).map(|here| {
        let each = here.iter();
        let parts: Parts = each
            .map(|of| said::figure(&of.target, of.rate, of.interval))
            .collect();
        said::figures_at(parts, &here[0].place)
    }))
}

/// Returns what is alike at some places; `alone` if there is nothing else to report.
fn group(group: &Group, alone: bool) -> Message {
    match group {
        Group::Ahead {
            leaders,
            over,
            others_behind,
            among,
            beside,
            sustained,
            at,
        } => {
            let next = match (over, others_behind) {
                (Some(over), false) => said::next(over),
                (Some(over), true) => said::next_is_runner_up(over),
                (None, _) => said::runner_up(),
            };
            let is_several = leaders.len() > 1;
            let at = match is_several {
                true => at.iter().map(AheadAt::at_least).collect(),
                false => at.clone(),
            };
            let points = points(&at, &next, *sustained, alone && !is_several);
            let among = among.as_ref().map(|among| between(among, leaders.len()));
            let beside = match beside.as_slice() {
                [] => None,
                [one] => Some(said::one_beside(one, leaders)),
                several => Some(said::several_beside(several, leaders)),
            };
            match (leaders.as_slice(), sustained) {
                ([one], false) => said::one_is(one, points, among, beside),
                (several, false) => said::several_are(several, points, among, beside),
                ([one], true) => said::one_sustains(one, points, among, beside),
                (several, true) => said::several_sustain(several, points, among, beside),
            }
        }
        Group::Tie {
            targets,
            margin,
            at,
        } => said::tie(targets, *margin, at),
        Group::NoOrder { targets, at } => said::no_order(targets, at),
        Group::Undecided {
            targets,
            needed,
            at,
        } => match alone {
            true => said::undecided_between(targets, at, needed.clone()),
            false => said::undecided(at),
        },
        Group::Void {
            targets,
            reason,
            at,
        } => match targets.is_empty() {
            true => said::invalid(at, Message::from(reason)),
            false => said::invalid_for(targets, at, Message::from(reason)),
        },
    }
}

/// Returns how far ahead who is ahead is, place by place; many places are summed up.
fn points(at: &[AheadAt], next: &Message, sustained: bool, with_interval: bool) -> Parts {
    let [head, rest @ ..] = at else {
        return Parts(Vec::new());
    };
    if at.len() > Places::NAMED {
        return Parts(vec![range_of(at, next, sustained)]);
    }
    let by = match with_interval {
        true => head.amount,
        false => Advantage {
            interval: None,
            ..head.amount
        },
    };
    let (place, hedges) = (&head.place, hedges(head));
    let head_part = match (by.is_factor(), sustained) {
        (false, false) => first::faster(by, next, place, by, hedges),
        (true, false) => first::times_as_fast(by, next, place, by, hedges),
        (false, true) => first::more(by, next, place, by, hedges),
        (true, true) => first::times_as_much(by, next, place, by, hedges),
    };
    let before = at.iter();
    let further = rest.iter().zip(before).map(|(point, before)| {
        let (by, hedges) = (point.amount, self::hedges(point));
        let place = NextPlace::after(&point.place, &before.place);
        match (by.is_factor(), sustained) {
            (is_factor, _) if is_factor == before.amount.is_factor() => {
                further::same(by, place, hedges)
            }
            (false, false) => further::faster(by, place, hedges),
            (true, false) => further::times_as_fast(by, place, hedges),
            (false, true) => further::more(by, place, hedges),
            (true, true) => further::times_as_much(by, place, hedges),
        }
    });
    std::iter::once(head_part).chain(further).collect()
}

/// Returns the smallest and the largest advantage over many loads.
fn range_of(at: &[AheadAt], next: &Message, sustained: bool) -> Message {
    let ratio = |point: &&AheadAt| point.amount.ratio;
    let by_size = |a: &&AheadAt, b: &&AheadAt| ratio(a).total_cmp(&ratio(b));
    let ends = at.iter().min_by(by_size).zip(at.iter().max_by(by_size));
    let (least, most) = ends.map_or((at[0].amount, at[0].amount), |(least, most)| {
        (least.amount, most.amount)
    });
    let loads = at.len();
    let in_doubt = at.iter().filter(|point| !point.hedges.is_empty()).count();
    let doubt = (in_doubt > 0).then(|| said::in_doubt(in_doubt));
    match (sustained, least.is_factor(), most.is_factor()) {
        (false, false, false) => range::faster(least, most, next, loads, doubt),
        (false, false, true) => range::faster_to_times(least, most, next, loads, doubt),
        (false, true, _) => range::times_as_fast(least, most, next, loads, doubt),
        (true, false, false) => range::more(least, most, next, loads, doubt),
        (true, false, true) => range::more_to_times(least, most, next, loads, doubt),
        (true, true, _) => range::times_as_much(least, most, next, loads, doubt),
    }
}

/// Returns what the verdict at a point depends on.
fn hedges(point: &AheadAt) -> Brackets {
    let hedges: Vec<Message> = point.hedges.iter().map(|hedge| hedge.in_short()).collect();
    Brackets((!hedges.is_empty()).then(|| said::hedges(hedges)))
}

fn between(among: &Among, leaders: usize) -> Message {
    match (among, leaders) {
        (Among::Tie { margin }, 2) => said::two_tie(*margin),
        (Among::Tie { margin }, _) => said::these_tie(leaders, *margin),
        (Among::Undecided { needed }, 2) => said::two_undecided(needed.clone()),
        (Among::Undecided { needed }, _) => said::these_undecided(leaders, needed.clone()),
        (Among::NoOrder, 2) => said::two_without_order(),
        (Among::NoOrder, _) => said::these_without_order(leaders),
    }
}
