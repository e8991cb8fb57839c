//! What has to hold at a rate: `p99 < 10ms and errors < 0.1%`.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::duration::{DurationError, parse_duration};

/// Conditions that must hold together. On disk it is its text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Objective {
    text: String,
    conditions: Vec<Condition>,
}

/// One figure and its bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition {
    /// What is bounded.
    pub figure: Bounded,
    /// Microseconds, or a share of one.
    pub bound: f64,
    /// Whether the bound itself is still good.
    pub inclusive: bool,
}

/// What can be bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounded {
    /// A response time, by its name: one of [`TIMES`].
    Time(&'static str),
    /// Errors over requests, and over connects where some of them failed.
    Errors,
}

/// The response times that can be bounded.
pub const TIMES: [&str; 7] = ["p50", "p90", "p95", "p99", "p999", "mean", "max"];

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
    #[error("`{0}` is not a figure; there are p50, p90, p95, p99, p999, mean, max and errors")]
    Figure(String),
    /// The bound of a time.
    #[error("in `{condition}`, {source}")]
    Time {
        /// The condition.
        condition: String,
        /// What is wrong with its time.
        source: DurationError,
    },
    /// The bound of errors.
    #[error("in `{0}`, the bound is not a percentage from 0% to 100%, such as 0.1%")]
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

    /// As it was given, but for its spaces.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What must hold together.
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// The smallest bound of a response time, in microseconds; `None` where only errors are bounded.
    pub fn tightest_us(&self) -> Option<f64> {
        let times = self
            .conditions
            .iter()
            .filter(|c| matches!(c.figure, Bounded::Time(_)));
        times.map(|c| c.bound).min_by(f64::total_cmp)
    }
}

impl TryFrom<String> for Objective {
    type Error = ObjectiveError;

    fn try_from(text: String) -> Result<Objective, ObjectiveError> {
        Objective::parse(&text)
    }
}

impl From<Objective> for String {
    fn from(objective: Objective) -> String {
        objective.text
    }
}

impl JsonSchema for Objective {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Objective".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

impl Bounded {
    /// Reads a figure's name and its bound, which are parts of the condition `text`.
    ///
    /// # Errors
    /// Says which is wrong, and what to write.
    pub fn read(text: &str, name: &str, bound: &str) -> Result<(Bounded, f64), ObjectiveError> {
        if name == "errors" {
            return Ok((Bounded::Errors, share(text, bound)?));
        }
        let figure = TIMES.into_iter().find(|time| *time == name);
        let figure = figure.ok_or_else(|| ObjectiveError::Figure(name.to_owned()))?;
        let time = parse_duration(bound).map_err(|source| ObjectiveError::Time {
            condition: text.to_owned(),
            source,
        })?;
        Ok((Bounded::Time(figure), time.as_secs_f64() * 1e6))
    }
}

impl Condition {
    /// Whether a figure is within the bound.
    pub fn holds(&self, value: f64) -> bool {
        value < self.bound || (self.inclusive && value == self.bound)
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
    let (figure, bound) = Bounded::read(text, name.trim(), bound)?;
    // No time is 0, and no share is below 0.
    if bound == 0.0 && !(inclusive && figure == Bounded::Errors) {
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
    use super::*;

    #[test]
    fn bounds_are_read_in_microseconds_and_shares() {
        let objective = Objective::parse("p99<10ms  AND errors <= 0.5%").expect("an objective");
        assert_eq!(objective.text(), "p99<10ms AND errors <= 0.5%");
        let [time, errors] = objective.conditions() else {
            panic!("not two")
        };
        assert_eq!(time.figure, Bounded::Time("p99"));
        assert!(time.holds(9_999.0) && !time.holds(10_000.0));
        assert!(errors.holds(0.005) && !errors.holds(0.0051));
        assert_eq!(objective.tightest_us(), Some(10_000.0));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_part() {
        let says = |text: &str| Objective::parse(text).expect_err(text).to_string();
        assert!(says("").starts_with("a condition is missing"));
        assert!(says("p99 < 10ms and").starts_with("a condition is missing"));
        assert!(says("p99 = 10ms").contains("`p99 = 10ms` has neither < nor <="));
        assert!(says("p98 < 10ms").contains("`p98` is not a figure"));
        assert!(says("p99 < 10").contains("in `p99 < 10`, `10` has no unit"));
        assert!(says("errors < 101%").contains("`errors < 101%`"));
        assert!(says("errors < 0.1").contains("not a percentage"));
        assert!(says("errors < 0%").contains("can never hold"));
        assert!(says("mean <= 0ms").contains("can never hold"));
    }
}
