//! Whether an objective held.

use photofinish_model::Measurement;
use photofinish_model::Objective;
use photofinish_model::finding::capacity::Broken;
use photofinish_model::objective::{Bounded, Condition};

/// Why a measurement does not hold the objective; `None`: it does. Besides its conditions the offered
/// rate must be achieved, and where errors are not bounded there must be none.
pub(super) fn broken_by(objective: &Objective, measurement: &Measurement) -> Option<Broken> {
    if all_wrong(measurement) {
        return Some(Broken::Errors { share: 1.0 });
    }
    if let Some(overloaded) = measurement.overloaded {
        return Some(Broken::NotAchieved {
            ratio: overloaded.achieved_rps / overloaded.offered_rps,
        });
    }
    if measurement.latency_us.is_none() {
        return Some(Broken::NoResponse {});
    }
    let share = Bounded::Errors.of(measurement)?;
    let bounded = |c: &Condition| c.figure == Bounded::Errors;
    // What was asked for says more than one error among thousands.
    let broken = objective.conditions().iter().find_map(|condition| {
        let value = condition.figure.of(measurement)?;
        (!condition.holds(value)).then(|| match condition.figure {
            Bounded::Time(name) => Broken::Time {
                figure: name.to_owned(),
                us: value,
            },
            Bounded::Errors => Broken::Errors { share },
        })
    });
    let unbounded = share > 0.0 && !objective.conditions().iter().any(bounded);
    broken.or_else(|| unbounded.then_some(Broken::Errors { share }))
}

/// Whether every request got a response, and each of them was wrong: of another status, say. That is no matter of the rate.
pub(super) fn all_wrong(measurement: &Measurement) -> bool {
    let failed: u64 = measurement.errors.values().sum();
    let requests = measurement.requests;
    requests > 0 && failed == requests && measurement.responses() == requests
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use photofinish_load::ErrorKind;
    use photofinish_model::{Arrivals, Load};
    use photofinish_voice::capacity;

    use super::*;
    use crate::{convert, fake};

    /// 1,000 responses in a second, each after `ms`, and so many errors.
    fn measured(ms: u64, errors: u64, offered: u64) -> Measurement {
        let second = Duration::from_secs(1);
        let mut outcome = fake::outcome(10, second, 1_000, Duration::from_millis(ms));
        outcome.offered = Some(offered);
        if errors > 0 {
            outcome.errors.insert(ErrorKind::Timeout, errors);
        }
        let load = Load::Open {
            rate: offered as f64,
            arrivals: Arrivals::Poisson,
            connections: 10,
        };
        convert::measurement(&outcome, &load)
    }

    fn broken(objective: &str, measurement: &Measurement) -> Option<String> {
        let objective = Objective::parse(objective).expect("an objective");
        Some(capacity::broken(&broken_by(&objective, measurement)?).en)
    }

    #[test]
    fn conditions_hold_together() {
        let good = measured(5, 0, 1_000);
        for holds in [
            "p99 < 10ms",
            "p50<6ms and p90 <= 6ms AND p95 < 6ms and p999 < 6ms and mean < 6ms and max < 1m30s",
            "errors <= 0% and p99 < 10ms",
        ] {
            assert_eq!(broken(holds, &good), None, "{holds}");
        }
        // 3 significant digits: a bucket of 5 ms holds values up to 5.001 ms.
        let says = broken("max < 10ms and p99 < 4ms", &good).expect("broken");
        assert!(says.starts_with("p99 5.0"), "{says}");
    }

    #[test]
    fn errors_break_an_objective_unless_it_bounds_them() {
        let failing = measured(5, 2, 1_000);
        assert_eq!(
            broken("p99 < 10ms", &failing).as_deref(),
            Some("0.20% errors")
        );
        // The response time that broke it comes first.
        let says = broken("p99 < 4ms", &failing).expect("broken");
        assert!(says.starts_with("p99 5.0"), "{says}");
        assert_eq!(broken("p99 < 10ms and errors < 0.3%", &failing), None);
        assert_eq!(broken("errors <= 0.2%", &failing), None);
        assert!(broken("errors < 0.2%", &failing).is_some());
    }

    #[test]
    fn a_rate_that_is_not_achieved_does_not_hold() {
        let says = broken("p99 < 10ms", &measured(5, 0, 1_100)).expect("broken");
        assert_eq!(says, "achieved 90.9% of the offered rate");
        let nothing = convert::measurement(&fake::silent(1), &Load::Closed { connections: 1 });
        assert!(broken("p99 < 10ms", &nothing).is_some());
    }
}
