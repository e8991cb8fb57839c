//! Whether responses were, to the end of a measurement, as they were when the server was verified.

use photofinish_model::Measurement;

use photofinish_voice::checks as found;

use super::FirstChange;
use super::outcome::Outcome;

/// What each response of a measurement was compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// With what the workload states: one that differs is an error.
    Stated,
    /// With what it was when the server was verified: one that differs is counted.
    Verified,
    /// With the workload's rules at most: responses differ from one another, by those rules or as they were seen to when
    /// the server was verified.
    Varying,
}

pub(super) fn as_verified(
    measurement: &Measurement,
    compared: Compared,
    first: Option<FirstChange>,
) -> Outcome {
    let responses = measurement.responses();
    match compared {
        Compared::Varying => Outcome::new(None, found::responses_vary()),
        Compared::Stated => {
            let of = |kind: &str| measurement.errors.get(kind).copied().unwrap_or(0);
            let wrong = of("status") + of("body");
            Outcome::new(
                wrong == 0,
                match wrong {
                    0 => found::as_stated(responses),
                    wrong => found::not_as_stated(wrong, responses),
                },
            )
        }
        Compared::Verified => {
            let changed = measurement.changed;
            Outcome::new(
                changed == 0,
                match changed {
                    0 => found::as_verified(responses),
                    changed => {
                        let first =
                            first.map(|first| found::the_first(first.complaint.to_string()));
                        found::not_as_verified(changed, responses, first)
                    }
                },
            )
        }
    }
}

/// Whether bodies were as long as the first ones to the end; `None`: they were, or have several lengths by nature.
pub(super) fn body_length(
    measurement: &Measurement,
    first: Option<FirstChange>,
) -> Option<Outcome> {
    let (changed, responses) = (measurement.changed, measurement.responses());
    (changed > 0).then(|| {
        let share = changed as f64 / responses.max(1) as f64;
        let first = first.map(FirstChange::says);
        Outcome::new(false, found::other_length(changed, responses, share, first))
    })
}
