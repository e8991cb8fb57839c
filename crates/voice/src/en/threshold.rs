//! `--fail-if` conditions.

use photofinish_model::finding::threshold::Threshold;
use photofinish_model::units::{plural, ratio};

use super::load::place;
use super::verdict::{ratios, verdict, void};
use super::{check, claim};

/// A side of a comparison: in brackets where it is more than a figure.
fn side(text: &str) -> String {
    match text.contains(' ') && !text.starts_with(['(', '\'', '"', '`']) {
        true => format!("({text})"),
        false => text.to_owned(),
    }
}

pub(crate) fn threshold(threshold: &Threshold) -> String {
    match threshold {
        Threshold::Holds {
            place: at,
            more,
            less,
            ratio: value,
            interval,
        } => format!(
            "{}: {} is {} × {}{}",
            place(at),
            side(more),
            ratio(*value),
            side(less),
            ratios(Some(*interval))
        ),
        Threshold::Undecided {
            place: at,
            more,
            less,
            ratio: value,
            interval,
        } => format!(
            "{}: UNDECIDED: {} is {} × {}{}: by as much as the interval reaches above 1, a job that passes here may be wrong",
            place(at),
            side(more),
            ratio(*value),
            side(less),
            ratios(Some(*interval))
        ),
        Threshold::Void { place: at, reason } => format!("{}: VOID: {}", place(at), void(reason)),
        Threshold::FewRounds { place: at, rounds } => format!(
            "{}: UNDECIDED: {} with all its figures cannot decide it",
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
            format!("{}: UNDECIDED: {}", place(at), verdict(found))
        }
    }
}
