//! The headline: who, by how much, where.

use photofinish_model::finding::headline::{AheadAt, Among, Floor, Group, Headline, Place, Rate};
use photofinish_model::units::{self, Unit, percent, plural, thousands};

use super::load::{following, place};
use super::verdict::{and_needed, hedged, in_brackets, is_factor, parts, void};

/// With more places than this, they are summed up rather than named one by one.
const NAMED: usize = 4;

pub(crate) fn headline(headline: &Headline) -> String {
    match headline {
        Headline::Nothing { limit, failures } => {
            let what = match limit {
                true => "nothing but the limit was measured",
                false => "nothing was measured",
            };
            match failures {
                0 => format!("No verdict: {what}."),
                _ => format!(
                    "No verdict: {what}, {} recorded.",
                    plural(*failures, "failure is", "failures are")
                ),
            }
        }
        Headline::Smoke { done, asked } => format!(
            "Smoke run: {} of {} completed; it says nothing about speed.",
            thousands(*done as f64),
            plural(*asked, "measurement", "measurements")
        ),
        Headline::NoiseFloor { floors } => {
            format!(
                "A noise floor, no verdict: {}.",
                listed(floors.iter().map(floor))
            )
        }
        Headline::Alone { figures } => {
            format!(
                "One target, no verdict: {}.",
                listed(figures.chunk_by(|a, b| a.place == b.place).map(shown))
            )
        }
        Headline::NoCommonRound => {
            "No verdict: no round has measurements of two targets.".to_owned()
        }
        Headline::OneRound { figures } => {
            format!(
                "One round only, no verdict: {}.",
                listed(figures.chunk_by(|a, b| a.place == b.place).map(shown))
            )
        }
        Headline::Verdict { groups, rounds } => {
            let one = Group::is_single(groups);
            let parts: Vec<String> = groups.iter().map(|g| group(g, one)).collect();
            let rounds = plural(*rounds, "round", "rounds");
            capital(&format!("{}; {rounds}.", parts.join("; ")), groups)
        }
    }
}

/// Joins the first of many.
fn listed(all: impl Iterator<Item = String>) -> String {
    let mut sentence: Vec<String> = all.collect();
    let more = sentence.len().saturating_sub(NAMED);
    if more > 0 {
        sentence.truncate(NAMED);
        sentence.push(format!("and {more} more"));
    }
    sentence.join("; ")
}

fn floor(floor: &Floor) -> String {
    let Floor { target, .. } = floor;
    let at = place(&floor.place);
    match (&floor.void, floor.ratio) {
        (Some(reason), _) => format!("{target} against itself at {at}: {}", void(reason)),
        (None, None) => format!("{target} against itself had no throughput to compare at {at}"),
        (None, Some(_)) => {
            let size = difference(floor);
            format!("{target} against itself differed by {size} at {at}")
        }
    }
}

/// The difference with its interval, whichever copy was ahead.
fn difference(floor: &Floor) -> String {
    let ratio = floor.ratio.unwrap_or(1.0);
    let turned = ratio < 1.0;
    let size = |value: f64| {
        let value = if turned { value.recip() } else { value };
        percent(value - 1.0)
    };
    let bounds = floor.interval.map_or_else(String::new, |interval| {
        let (low, high) = match turned {
            true => (interval.high, interval.low),
            false => (interval.low, interval.high),
        };
        format!(" [{} … {}]", size(low), size(high))
    });
    format!("{}{bounds}", size(ratio))
}

/// The throughput of each target at one place.
fn shown(figures: &[Rate]) -> String {
    let sentence: Vec<String> = figures
        .iter()
        .map(|rate| {
            let figure = Unit::RequestsPerSecond.with_interval(rate.rate, rate.interval);
            format!("{} {figure}", rate.target)
        })
        .collect();
    let at = figures
        .first()
        .map_or_else(String::new, |rate| place(&rate.place));
    format!("{} at {at}", sentence.join(", "))
}

/// What is alike at some places; `alone` where there is nothing else to say.
fn group(group: &Group, alone: bool) -> String {
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
                (Some(over), false) => over.clone(),
                (Some(over), true) => format!("{over}, the runner-up"),
                (None, _) => "the runner-up".to_owned(),
            };
            let names = and(leaders);
            let is = match (sustained, leaders.len()) {
                (true, 1) => "sustains",
                (true, _) => "sustain",
                (false, 1) => "is",
                (false, _) => "are",
            };
            let several = leaders.len() > 1;
            let (at_least, at) = match several {
                true => ("at least ", at.iter().map(AheadAt::at_least).collect()),
                false => ("", at.clone()),
            };
            let mut sentence = format!(
                "{names} {is} {at_least}{}",
                points(&at, &next, *sustained, alone && !several)
            );
            if let Some(among) = among {
                sentence += &format!(" ({})", between(among, leaders.len()));
            }
            if !beside.is_empty() {
                let verb = if beside.len() == 1 { "is" } else { "are" };
                sentence += &format!(" ({} {verb} not distinguishable from {names})", and(beside));
            }
            sentence
        }
        Group::Tie {
            targets,
            margin,
            at,
        } => {
            format!(
                "{} tie within {} at {}",
                and(targets),
                units::margin(*margin),
                places(at)
            )
        }
        Group::NoOrder { targets, at } => {
            format!("no clear order between {} at {}", and(targets), places(at))
        }
        Group::Undecided {
            targets,
            needed,
            at,
        } => match alone {
            true => format!(
                "undecided between {} at {}{}",
                and(targets),
                places(at),
                in_brackets(needed)
            ),
            false => format!("undecided at {}", places(at)),
        },
        Group::Void {
            targets,
            reason,
            at,
        } => {
            let on = match targets.as_slice() {
                [] => String::new(),
                targets => format!(" on {}", and(targets)),
            };
            format!("no verdict{on} at {}: {}", places(at), void(reason))
        }
    }
}

/// `2.50 × as fast as b at 256 connections, 5.10 × at 1,000`.
fn points(at: &[AheadAt], next: &str, sustained: bool, alone: bool) -> String {
    let than = |point: &AheadAt| match (is_factor(&point.amount), sustained) {
        (true, false) => ("as fast", "as"),
        (true, true) => ("as much", "as"),
        (false, false) => ("faster", "than"),
        (false, true) => ("more", "than"),
    };
    let [first, rest @ ..] = at else {
        return String::new();
    };
    let (how, as_than) = than(first);
    let comma = if next.contains(',') { "," } else { "" };
    if at.len() > NAMED {
        let by_size = |a: &&AheadAt, b: &&AheadAt| a.amount.ratio.total_cmp(&b.amount.ratio);
        let ends = at.iter().min_by(by_size).zip(at.iter().max_by(by_size));
        let (least, most) = ends.unwrap_or((first, first));
        let (low, high) = (parts(&least.amount).0, parts(&most.amount).0);
        let ((low_how, _), (how, as_than)) = (than(least), than(most));
        let low_how = if low_how == how {
            String::new()
        } else {
            format!(" {low_how}")
        };
        return format!(
            "{low}{low_how} to {high} {how} {as_than} {next}{comma} at {} loads{}",
            at.len(),
            in_doubt(at)
        );
    }
    let (size, bounds) = parts(&first.amount);
    let bounds = if alone { bounds } else { String::new() };
    let mut sentence = format!(
        "{size} {how} {as_than} {next}{comma} at {}{bounds}{}",
        place(&first.place),
        hedged(&first.hedges)
    );
    let mut before = first;
    for point in rest {
        let (size, _) = parts(&point.amount);
        let how = match than(point).0 {
            how if how == than(before).0 => String::new(),
            how => format!(" {how}"),
        };
        sentence += &format!(
            ", {size}{how} at {}{}",
            following(&point.place, &before.place),
            hedged(&point.hedges)
        );
        before = point;
    }
    sentence
}

/// How many of many places are hedged.
fn in_doubt(at: &[AheadAt]) -> String {
    match at.iter().filter(|point| !point.hedges.is_empty()).count() {
        0 => String::new(),
        hedged => format!(" ({hedged} in doubt)"),
    }
}

fn between(among: &Among, leaders: usize) -> String {
    let them = match leaders {
        2 => "the two".to_owned(),
        several => format!("these {several}"),
    };
    match among {
        Among::Tie { margin } => format!("{them} tie within {}", units::margin(*margin)),
        Among::Undecided { needed } => format!("undecided between {them}{}", and_needed(needed)),
        Among::NoOrder => format!("no clear order between {them}"),
    }
}

/// Places in a row.
fn places(at: &[Place]) -> String {
    if at.len() > NAMED {
        return format!("{} loads", at.len());
    }
    let sentence: Vec<String> = at
        .iter()
        .enumerate()
        .map(
            |(index, this)| match index.checked_sub(1).and_then(|before| at.get(before)) {
                Some(before) => following(this, before),
                None => place(this),
            },
        )
        .collect();
    and(&sentence)
}

/// `a`, `a and b`, `a, b and c`.
fn and(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// Begins with a capital letter, but for a target's name, which keeps its own.
fn capital(text: &str, groups: &[Group]) -> String {
    let is_name = matches!(
        groups.first(),
        Some(Group::Ahead { .. } | Group::Tie { .. })
    );
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if !is_name => first.to_uppercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}
