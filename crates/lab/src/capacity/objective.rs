//! What has to hold: `p99 < 10ms and errors < 0.1%`.

use photofinish_results::model::{Latency, Measurement};
use photofinish_results::units::Unit;
use photofinish_study::parse_duration;

use crate::convert::us;

/// Conditions that must hold together.
#[derive(Clone, Debug, PartialEq)]
pub struct Objective {
    text: String,
    conditions: Vec<Condition>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Condition {
    figure: Figure,
    /// Microseconds, or a share of one.
    bound: f64,
    /// Whether the bound itself is still good.
    inclusive: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Figure {
    /// A response time, by its name.
    Time(&'static str),
    /// Errors over requests.
    Errors,
}

/// The response times that can be bounded.
const TIMES: [&str; 7] = ["p50", "p90", "p95", "p99", "p999", "mean", "max"];

/// Why a text is no objective.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ObjectiveError {
    /// Nothing stands where a condition belongs.
    #[error("a condition is missing; write 'p99 < 10ms' or 'p99 < 10ms and errors < 0.1%'")]
    Missing,
    /// No comparison.
    #[error("`{0}` has neither < nor <=; write 'p99 < 10ms'")]
    NoComparison(String),
    /// Another figure.
    #[error("`{0}` is no figure; there are p50, p90, p95, p99, p999, mean, max and errors")]
    Figure(String),
    /// The bound of a time.
    #[error("in `{condition}`, {says}")]
    Time {
        /// The condition.
        condition: String,
        /// What is wrong with its time.
        says: String,
    },
    /// The bound of errors.
    #[error("in `{0}`, the bound is no percentage from 0% to 100%; write 'errors < 0.1%'")]
    Share(String),
    /// A bound that nothing can meet.
    #[error("`{0}` can never hold; give a bound above zero")]
    Never(String),
}

impl Objective {
    /// Parses conditions joined by `and`.
    ///
    /// # Errors
    /// Says which part is wrong, and what to write.
    pub fn parse(text: &str) -> Result<Objective, ObjectiveError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let conditions = words
            .split(|word| word.eq_ignore_ascii_case("and"))
            .map(|words| condition(&words.join(" ")))
            .collect::<Result<_, _>>()?;
        Ok(Objective {
            text: words.join(" "),
            conditions,
        })
    }

    /// As it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The smallest bound of a response time, in microseconds; `None` where only errors are bounded.
    pub(super) fn tightest_us(&self) -> Option<f64> {
        let times = self
            .conditions
            .iter()
            .filter(|c| matches!(c.figure, Figure::Time(_)));
        times.map(|c| c.bound).min_by(f64::total_cmp)
    }

    /// Why a measurement does not hold the objective; `None`: it does. Besides its conditions the offered
    /// rate must be achieved, and where errors are not bounded there must be none.
    pub(super) fn broken_by(&self, measurement: &Measurement) -> Option<String> {
        if let Some(overloaded) = measurement.overloaded {
            return Some(format!(
                "achieved {:.1}% of the offered rate",
                overloaded.achieved_rps / overloaded.offered_rps * 100.0
            ));
        }
        let Some(latency) = measurement.latency_us else {
            return Some("no request came to an end".to_owned());
        };
        let errors = measurement.errors.values().sum::<u64>();
        let share = errors as f64 / measurement.requests.max(1) as f64;
        let bounded = |c: &Condition| c.figure == Figure::Errors;
        if errors > 0 && !self.conditions.iter().any(bounded) {
            return Some(format!("{:.2}% errors", share * 100.0));
        }
        self.conditions.iter().find_map(|condition| {
            let (value, says) = match condition.figure {
                Figure::Time(name) => {
                    let value = time(&latency, name);
                    (value, format!("{name} {}", Unit::Microseconds.text(value)))
                }
                Figure::Errors => (share, format!("{:.2}% errors", share * 100.0)),
            };
            (!condition.holds(value)).then_some(says)
        })
    }
}

impl Condition {
    fn holds(&self, value: f64) -> bool {
        value < self.bound || (self.inclusive && value == self.bound)
    }
}

fn time(latency: &Latency, name: &str) -> f64 {
    match name {
        "p50" => latency.p50,
        "p90" => latency.p90,
        "p95" => latency.p95,
        "p99" => latency.p99,
        "p999" => latency.p999,
        "mean" => latency.mean,
        _ => latency.max,
    }
}

fn condition(text: &str) -> Result<Condition, ObjectiveError> {
    if text.is_empty() {
        return Err(ObjectiveError::Missing);
    }
    let Some((name, bound)) = text.split_once('<') else {
        return Err(ObjectiveError::NoComparison(text.to_owned()));
    };
    let (bound, inclusive) = match bound.strip_prefix('=') {
        Some(bound) => (bound.trim(), true),
        None => (bound.trim(), false),
    };
    let name = name.trim();
    let (figure, bound) = if name == "errors" {
        (Figure::Errors, share(text, bound)?)
    } else {
        let figure = TIMES.into_iter().find(|time| *time == name);
        let figure = figure.ok_or_else(|| ObjectiveError::Figure(name.to_owned()))?;
        let time = parse_duration(bound).map_err(|says| ObjectiveError::Time {
            condition: text.to_owned(),
            says: says.to_string(),
        })?;
        (Figure::Time(figure), us(time))
    };
    // No time is 0, and no share is below 0.
    if bound == 0.0 && !(inclusive && figure == Figure::Errors) {
        return Err(ObjectiveError::Never(text.to_owned()));
    }
    Ok(Condition {
        figure,
        bound,
        inclusive,
    })
}

/// A percentage as a share of one.
fn share(condition: &str, bound: &str) -> Result<f64, ObjectiveError> {
    bound
        .strip_suffix('%')
        .and_then(|number| number.trim().parse::<f64>().ok())
        .filter(|percent| (0.0..=100.0).contains(percent))
        .map(|percent| percent / 100.0)
        .ok_or_else(|| ObjectiveError::Share(condition.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use photofinish_load::outcome::ErrorKind;
    use photofinish_results::model::{Arrivals, Load};

    use super::*;
    use crate::{convert, fake};

    /// 1,000 answers in a second, each after `ms`, and so many errors.
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
        objective.broken_by(measurement)
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
        assert_eq!(broken("p99 < 10ms and errors < 0.3%", &failing), None);
        assert_eq!(broken("errors <= 0.2%", &failing), None);
        assert!(broken("errors < 0.2%", &failing).is_some());
    }

    #[test]
    fn a_rate_that_is_not_achieved_does_not_hold() {
        let says = broken("p99 < 10ms", &measured(5, 0, 1_100)).expect("broken");
        assert_eq!(says, "achieved 90.9% of the offered rate");
        let nothing = convert::measurement(
            &fake::outcome(1, Duration::from_secs(1), 0, Duration::ZERO),
            &Load::Closed { connections: 1 },
        );
        assert!(broken("p99 < 10ms", &nothing).is_some());
    }

    #[test]
    fn what_is_wrong_is_named_with_its_part() {
        let says = |text: &str| Objective::parse(text).expect_err(text).to_string();
        assert!(says("").starts_with("a condition is missing"));
        assert!(says("p99 < 10ms and").starts_with("a condition is missing"));
        assert!(says("p99 = 10ms").contains("`p99 = 10ms` has neither < nor <="));
        assert!(says("p98 < 10ms").contains("`p98` is no figure"));
        assert!(says("p99 < 10").contains("in `p99 < 10`, `10` has no unit"));
        assert!(says("errors < 101%").contains("`errors < 101%`"));
        assert!(says("errors < 0.1").contains("no percentage"));
        assert!(says("errors < 0%").contains("can never hold"));
        assert!(says("mean <= 0ms").contains("can never hold"));
    }
}
