//! `--fail-if` conditions.

use photofinish_model::finding::threshold::{Apart, Stands, Threshold};
use photofinish_model::units::{change, margin, number, plural};

use super::days::unmeasured;
use super::load::place;
use super::verdict::{verdict, void};
use super::{check, claim};

/// Where a figure stands; `verb` says how sure that is.
fn is(stands: &Stands, verb: &str) -> String {
    let Stands {
        place: at,
        subject,
        base,
        change: interval,
        limit,
    } = stands;
    let limit = match *limit {
        _ if limit.abs() < 1e-9 => String::new(),
        below if below < 0.0 => format!("; the limit is −{}", margin(-below)),
        above => format!("; the limit is +{}", margin(above)),
    };
    format!(
        "{}: {subject} {verb} {} to {} compared with {base}{limit}",
        place(at),
        change(interval.low),
        change(interval.high)
    )
}

/// By how much one side exceeds the other.
fn apart(apart: &Apart, verb: &str) -> String {
    let Apart {
        place: at,
        subject,
        base,
        unit,
        difference,
    } = apart;
    let text = |value: f64| unit.map_or_else(|| number(value), |unit| unit.text(value));
    let low = text(difference.low);
    let to = match text(difference.high) {
        high if high == low => String::new(),
        high => format!(" to {}", high),
    };
    format!("{}: {subject} − {base} {verb} {low}{to}", place(at))
}

pub(crate) fn threshold(threshold: &Threshold) -> String {
    match threshold {
        Threshold::Holds(stands) | Threshold::Excluded(stands) => is(stands, "is"),
        Threshold::Undecided(stands) => is(stands, "could be"),
        Threshold::ApartHolds(found) | Threshold::ApartExcluded(found) => apart(found, "is"),
        Threshold::ApartUndecided(found) => apart(found, "could be"),
        Threshold::Nothing => "nothing was measured".to_owned(),
        Threshold::NotMeasured(found) => unmeasured(found),
        Threshold::Void { place: at, reason } => format!("{}: {}", place(at), void(reason)),
        Threshold::FewRounds { place: at, rounds } => format!(
            "{}: {} with all of its figures, which is too few to decide it",
            place(at),
            plural(*rounds, "round", "rounds")
        ),
        Threshold::Claim {
            id,
            verdict,
            claim: found,
        } => {
            format!(
                "claim {id}: {}: {}",
                claim::verdict(verdict),
                claim::claim(found)
            )
        }
        Threshold::Check {
            name,
            failing,
            checked,
        } => format!("{}: fails in {failing} of {checked}", check::title(name)),
        Threshold::Different {
            place: at,
            verdict: found,
        } => {
            format!("{}: {}", place(at), verdict(found))
        }
        Threshold::NotDecided {
            place: at,
            verdict: found,
        } => {
            format!("{}: {}", place(at), verdict(found))
        }
    }
}
