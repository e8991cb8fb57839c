//! The types of settings: their bounds, and how they are written in flags, in JSON and in the reference.

use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::{Value as Json, json};
use thiserror::Error;

use super::{CpuSets, CpuSetsError, Value};
use crate::duration::{DurationError, format_duration, parse_duration};

/// A type with its bounds.
#[derive(Clone, Debug)]
pub enum Kind {
    /// True or false.
    Switch,
    /// A whole number.
    Count(RangeInclusive<u32>),
    /// A length of time.
    Time(RangeInclusive<Duration>),
    /// A number from 0 up to, but not including, 1.
    Share,
    /// One of some words, each with what it means.
    Word(&'static [(&'static str, &'static str)]),
    /// The CPU sets of servers and load generator.
    Cpus,
}

/// Why a text is not a value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ValueError {
    /// Outside the bounds, or of another type.
    #[error("allowed: {0}")]
    Allowed(String),
    /// Not a length of time.
    #[error(transparent)]
    Time(#[from] DurationError),
    /// Not CPU sets.
    #[error(transparent)]
    Cpus(#[from] CpuSetsError),
}

impl Kind {
    /// Reads the value of a flag. A number without a unit is a time in seconds.
    ///
    /// # Errors
    /// What is allowed.
    pub fn parse(&self, text: &str) -> Result<Value, ValueError> {
        let value = match self {
            Kind::Switch => text.parse().ok().map(Value::Switch),
            Kind::Count(_) => text.parse().ok().map(Value::Count),
            Kind::Time(_) => {
                let number = text.trim().parse::<f64>().ok();
                let seconds = number.and_then(|number| Duration::try_from_secs_f64(number).ok());
                Some(Value::Time(match seconds {
                    Some(seconds) => seconds,
                    None => parse_duration(text)?,
                }))
            }
            Kind::Share => match text.strip_suffix('%') {
                Some(percent) => percent
                    .parse::<f64>()
                    .ok()
                    .map(|of| Value::Number(of / 100.0)),
                None => text.parse().ok().map(Value::Number),
            },
            Kind::Word(words) => {
                let word = words.iter().find(|(word, _)| *word == text);
                word.map(|(word, _)| Value::Word(word))
            }
            Kind::Cpus => Some(Value::Cpus(CpuSets::parse(text)?)),
        };
        let value = value.filter(|value| self.allows(value));
        value.ok_or_else(|| ValueError::Allowed(self.allowed()))
    }

    /// Whether a value is of this type and within its bounds.
    pub fn allows(&self, value: &Value) -> bool {
        match (self, value) {
            (Kind::Switch, Value::Switch(_)) | (Kind::Cpus, Value::Cpus(_)) => true,
            (Kind::Count(bounds), Value::Count(count)) => bounds.contains(count),
            (Kind::Time(bounds), Value::Time(time)) => bounds.contains(time),
            (Kind::Share, Value::Number(number)) => (0.0..1.0).contains(number),
            (Kind::Word(words), Value::Word(word)) => words.iter().any(|(one, _)| one == word),
            _ => false,
        }
    }

    /// Which values there are.
    pub fn allowed(&self) -> String {
        match self {
            Kind::Switch => "true or false".to_owned(),
            Kind::Count(bounds) => format!("{} to {}", bounds.start(), bounds.end()),
            Kind::Time(bounds) => {
                let [low, high] = [bounds.start(), bounds.end()].map(|time| format_duration(*time));
                format!("{low} to {high}")
            }
            Kind::Share => "0 or more and below 1, such as 0.02 or 2%".to_owned(),
            Kind::Word(words) => {
                let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                words.join(", ")
            }
            Kind::Cpus => "split, none, or the cores of both".to_owned(),
        }
    }

    /// The type in the reference.
    pub fn in_reference(&self) -> String {
        match self {
            Kind::Switch => "true or false".to_owned(),
            Kind::Count(_) => format!("whole number, {}", self.allowed()),
            Kind::Time(_) => format!("time, {}", self.allowed()),
            Kind::Share => "number, 0 up to 1".to_owned(),
            Kind::Word(_) => self.allowed(),
            Kind::Cpus => "string or table".to_owned(),
        }
    }

    /// A value as JSON has it.
    pub(super) fn read_json(&self, json: &Json) -> Option<Value> {
        match (self, json) {
            (Kind::Switch, Json::Bool(value)) => Some(Value::Switch(*value)),
            (Kind::Count(_), json) => {
                let count = u32::try_from(json.as_u64()?).ok()?;
                Some(Value::Count(count))
            }
            (Kind::Share, json) => json.as_f64().map(Value::Number),
            (Kind::Time(_), json) => parse_duration(json.as_str()?).ok().map(Value::Time),
            (Kind::Cpus, json) => CpuSets::recorded(json.as_str()?).ok().map(Value::Cpus),
            (_, json) => self.parse(json.as_str()?).ok(),
        }
    }

    /// Its JSON Schema, in `study.json` and in files alike.
    pub fn schema(&self) -> Json {
        match self {
            Kind::Switch => json!({ "type": "boolean" }),
            Kind::Count(bounds) => {
                json!({ "type": "integer", "minimum": bounds.start(), "maximum": bounds.end() })
            }
            Kind::Share => json!({ "type": "number", "minimum": 0, "exclusiveMaximum": 1 }),
            Kind::Time(_) => json!({ "type": "string", "examples": ["5s"] }),
            Kind::Word(words) => {
                let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                json!({ "enum": words })
            }
            Kind::Cpus => {
                json!({ "type": "string", "examples": ["split", "none", "server=0-1,generator=2-3"] })
            }
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Switch(value) => value.fmt(f),
            Value::Count(count) => count.fmt(f),
            Value::Time(time) => f.write_str(&format_duration(*time)),
            Value::Number(number) => number.fmt(f),
            Value::Word(word) => f.write_str(word),
            Value::Cpus(cpus) => cpus.fmt(f),
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Switch(value) => value.serialize(to),
            Value::Count(count) => count.serialize(to),
            Value::Number(number) => number.serialize(to),
            Value::Time(_) | Value::Word(_) | Value::Cpus(_) => to.collect_str(self),
        }
    }
}
