//! What one load run must not come to: `p99 > 10ms`, `errors > 1%`, `throughput < 5000`.

use photofinish_model::objective::{Bounded, ObjectiveError};
use photofinish_model::units::{self, Unit};
use photofinish_model::{Measurement, Metric};

use crate::comparison::requests_for;
use crate::threshold::Status;

/// A condition that fails a job when it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    text: String,
    figure: Figure,
    bound: f64,
    /// The bound itself is still good.
    inclusive: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Figure {
    /// Fails above its bound.
    Bounded(Bounded),
    /// Good responses per second; fails below its bound.
    Throughput,
}

/// Why a text is no limit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// Nothing that compares, or the wrong way round.
    #[error(
        "write a time or errors with > and throughput with <, such as 'p99 > 10ms', 'errors > 1%' or 'throughput < 5000'"
    )]
    Comparison,
    /// The bound of throughput.
    #[error("`{0}` is not a number of requests per second above zero; write 'throughput < 5000'")]
    Throughput(String),
    /// Another figure; there are more than an objective has.
    #[error("{0}, each with >, and throughput with <")]
    Figure(ObjectiveError),
    /// The bound of another figure.
    #[error(transparent)]
    Bound(ObjectiveError),
}

/// Errors above this share fail a run unless something else is said of errors.
pub const ERRORS: &str = "errors > 1%";

impl Limit {
    /// Reads a condition.
    ///
    /// # Errors
    /// Says what is wrong and what to write.
    pub fn parse(text: &str) -> Result<Limit, LimitError> {
        let text = text.trim();
        let at = text.find(['<', '>']).ok_or(LimitError::Comparison)?;
        let (name, rest) = (text[..at].trim(), &text[at + 1..]);
        let (bound, inclusive) = match rest.strip_prefix('=') {
            Some(bound) => (bound.trim(), false),
            None => (rest.trim(), true),
        };
        let (figure, bound) = match (name, &text[at..=at]) {
            ("throughput", "<") => {
                let wrong = || LimitError::Throughput(bound.to_owned());
                let bound = bound.strip_suffix("/s").unwrap_or(bound).trim_end();
                let rate = bound.parse::<f64>().ok();
                let rate = rate.filter(|rate| rate.is_finite() && *rate > 0.0);
                (Figure::Throughput, rate.ok_or_else(wrong)?)
            }
            (name, ">") if name != "throughput" => {
                let read = Bounded::read(text, name, bound);
                let (figure, bound) = read.map_err(|error| match error {
                    ObjectiveError::Figure(_) => LimitError::Figure(error),
                    error => LimitError::Bound(error),
                })?;
                (Figure::Bounded(figure), bound)
            }
            _ => return Err(LimitError::Comparison),
        };
        Ok(Limit {
            text: text.to_owned(),
            figure,
            bound,
            inclusive,
        })
    }

    /// As it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it is about errors.
    pub fn is_of_errors(&self) -> bool {
        self.figure == Figure::Bounded(Bounded::Errors)
    }

    /// Whether it holds of a measurement, and what the figure was, in words. Without a request, or a response where it is of response
    /// times, it is void.
    pub fn check(&self, measurement: &Measurement) -> (Status, String) {
        let (tried, _) = measurement.attempts();
        let had = match self.figure {
            // A connect that failed is an error without a request.
            Figure::Bounded(Bounded::Errors) => tried,
            Figure::Bounded(Bounded::Time(_)) | Figure::Throughput => measurement.requests,
        };
        if had == 0 {
            return (Status::Void, "no request fell due".to_owned());
        }
        let (value, is_good) = match self.figure {
            Figure::Throughput => {
                let rate = measurement.throughput_rps;
                (Some(rate), rate > self.bound)
            }
            Figure::Bounded(figure) => {
                let value = figure.of(measurement);
                (value, value.is_some_and(|value| value < self.bound))
            }
        };
        let Some(value) = value else {
            return (Status::Void, "no response came".to_owned());
        };
        let (words, needed) = match self.figure {
            Figure::Throughput => {
                let words = format!("throughput was {}", units::per_second(value));
                (words, None)
            }
            Figure::Bounded(Bounded::Errors) => {
                (format!("errors were {}", units::percent(value)), None)
            }
            Figure::Bounded(Bounded::Time(name)) => (
                format!("{name} was {}", Unit::Microseconds.text(value)),
                Metric::from_key(name).and_then(requests_for),
            ),
        };
        if let Some(needed) = needed
            && had < needed
        {
            let had = units::plural(had as usize, "request", "requests");
            let needed = units::thousands(needed as f64);
            return (
                Status::Undecided,
                format!("{words}, but of {had}: {needed} are needed, so that ten lie beyond it"),
            );
        }
        match is_good || (self.inclusive && value == self.bound) {
            true => (Status::DoesNotHold, words),
            false => (Status::Holds, words),
        }
    }
}

#[cfg(test)]
mod tests {
    use photofinish_model::samples;

    use photofinish_model::samples::assert_contains;

    use super::*;

    fn measured(requests: u64, p99: f64, errors: u64, rate: f64) -> Measurement {
        let mut measurement = samples::measurement(rate);
        measurement.requests = requests;
        measurement.errors = [("status".to_owned(), errors)].into_iter().collect();
        if let Some(latency) = &mut measurement.latency_us {
            latency.p99 = p99;
        }
        measurement
    }

    fn status(text: &str, measurement: &Measurement) -> Status {
        Limit::parse(text).expect(text).check(measurement).0
    }

    #[test]
    fn a_limit_holds_beyond_its_bound() {
        let measurement = measured(10_000, 10_000.0, 100, 5_000.0);
        for (text, expected) in [
            ("p99 > 10ms", Status::DoesNotHold),
            ("p99 >= 10ms", Status::Holds),
            ("p99 > 9.99ms", Status::Holds),
            ("errors > 1%", Status::DoesNotHold),
            ("errors>=1%", Status::Holds),
            ("throughput < 5000", Status::DoesNotHold),
            ("throughput <= 5000/s", Status::Holds),
            ("throughput < 5000.5", Status::Holds),
        ] {
            assert_eq!(status(text, &measurement), expected, "{text}");
        }
        let (_, says) = Limit::parse("p99 > 9ms")
            .expect("a limit")
            .check(&measurement);
        assert_eq!(says, "p99 was 10.0 ms");
    }

    #[test]
    fn too_few_requests_decide_nothing() {
        let few = measured(999, 50_000.0, 0, 5_000.0);
        assert_eq!(status("p99 > 10ms", &few), Status::Undecided);
        let (_, says) = Limit::parse("p99 > 9ms").expect("a limit").check(&few);
        assert!(says.contains("of 999 requests: 1,000 are needed"), "{says}");
        let mut none = measured(100, 0.0, 100, 0.0);
        none.latency_us = None;
        assert_eq!(status("p50 > 10ms", &none), Status::Void);
        assert_eq!(status("errors > 1%", &none), Status::Holds);
    }

    #[test]
    fn nothing_is_said_of_no_requests() {
        let mut idle = measured(0, 0.0, 0, 0.0);
        idle.latency_us = None;
        idle.errors.clear();
        for text in ["p99 > 10ms", "errors > 1%", "throughput < 100"] {
            let (status, says) = Limit::parse(text).expect(text).check(&idle);
            assert_eq!((status, &*says), (Status::Void, "no request fell due"));
        }
        // Connects that failed were tried.
        idle.failed_connects = [("connect-refused".to_owned(), 3)].into();
        assert_eq!(status("errors > 1%", &idle), Status::Holds);
        // One request says what throughput and errors were.
        let one = measured(1, 10.0, 0, 50.0);
        assert_eq!(status("throughput < 100", &one), Status::Holds);
        assert_eq!(status("errors > 1%", &one), Status::DoesNotHold);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let says = |text: &str| Limit::parse(text).expect_err(text).to_string();
        for text in ["", "p99", "p99 < 10ms", "throughput > 5", "10ms < p99"] {
            assert!(
                says(text).starts_with("write a time or errors with >"),
                "{text}"
            );
        }
        let unknown = says("p98 > 10ms");
        assert!(unknown.contains("`p98` is not a figure"), "{unknown}");
        assert!(unknown.ends_with("max and errors, each with >, and throughput with <"));
        assert!(says("p99 > 10").contains("has no unit"));
        let bound = says("errors > 0");
        assert_contains(&bound, "not a percentage from 0% to 100%");
        assert!(!bound.contains("write"), "{bound}");
        assert!(says("throughput < NaN").contains("not a number of requests"));
        assert!(says("throughput < 0").contains("not a number of requests"));
    }
}
