//! The types of settings: their bounds, and how they are written in flags, in JSON and in the reference.

use std::fmt;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::{Value as Json, json};
use thiserror::Error;

use super::{CpuSets, CpuSetsError, Value};
use crate::amount::{AmountError, parse_amount, parse_count};
use crate::duration::{DurationError, format_duration, parse_duration};

/// Bounds of a number.
pub type Numbers = RangeInclusive<f64>;

/// The least number of those that must be above 0.
pub const ABOVE_ZERO: f64 = f64::MIN_POSITIVE;

/// A type with its bounds.
#[derive(Clone, Debug)]
pub enum Kind {
    /// True or false.
    Switch,
    /// A whole number.
    Count(RangeInclusive<u32>),
    /// A whole number that may be written as `10k`.
    Amount(RangeInclusive<u32>),
    /// A number.
    Number(Numbers),
    /// A number per second that may be written as `20k`.
    Rate(Numbers),
    /// A length of time.
    Time(RangeInclusive<Duration>),
    /// A number from 0 up to, but not including, 1.
    Share,
    /// A number above 0 and below 1.
    PositiveShare,
    /// One of some words, each with what help adds to it.
    Word(fn() -> Vec<(&'static str, &'static str)>),
    /// A text.
    Text,
    /// Several texts; a flag gives one each time, or separates them by this sign.
    List(Option<char>),
    /// A file.
    File,
    /// Several files or folders; a flag gives one each time.
    Files,
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
    /// Not a count or a rate.
    #[error(transparent)]
    Amount(#[from] AmountError),
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
            Kind::Amount(_) => u32::try_from(parse_count(text)?).ok().map(Value::Count),
            Kind::Number(_) => text.parse().ok().map(Value::Number),
            Kind::Rate(_) => Some(Value::Number(parse_amount(text)?)),
            Kind::Time(_) => {
                let number = text.trim().parse::<f64>().ok();
                let seconds = number.and_then(|number| Duration::try_from_secs_f64(number).ok());
                Some(Value::Time(match seconds {
                    Some(seconds) => seconds,
                    None => parse_duration(text)?,
                }))
            }
            Kind::Share | Kind::PositiveShare => match text.strip_suffix('%') {
                Some(percent) => percent
                    .parse::<f64>()
                    .ok()
                    .map(|of| Value::Number(of / 100.0)),
                None => text.parse().ok().map(Value::Number),
            },
            Kind::Word(words) => {
                let mut words = words().into_iter();
                let word = words.find(|(word, _)| *word == text);
                word.map(|(word, _)| Value::Word(word))
            }
            Kind::Text => Some(Value::Text(text.to_owned())),
            Kind::List(_) => Some(Value::Texts(vec![text.to_owned()])),
            Kind::File => Some(Value::File(text.into())),
            Kind::Files => Some(Value::Files(vec![text.into()])),
            Kind::Cpus => Some(Value::Cpus(CpuSets::parse(text)?)),
        };
        let value = value.filter(|value| self.allows(value));
        value.ok_or_else(|| ValueError::Allowed(self.allowed()))
    }

    /// Whether a value is of this type and within its bounds.
    pub fn allows(&self, value: &Value) -> bool {
        match (self, value) {
            (Kind::Switch, Value::Switch(_))
            | (Kind::Text, Value::Text(_))
            | (Kind::List(_), Value::Texts(_))
            | (Kind::File, Value::File(_))
            | (Kind::Files, Value::Files(_))
            | (Kind::Cpus, Value::Cpus(_)) => true,
            (Kind::Count(bounds) | Kind::Amount(bounds), Value::Count(count)) => {
                bounds.contains(count)
            }
            (Kind::Number(bounds) | Kind::Rate(bounds), Value::Number(number)) => {
                bounds.contains(number)
            }
            (Kind::Time(bounds), Value::Time(time)) => bounds.contains(time),
            (Kind::Share, Value::Number(number)) => (0.0..1.0).contains(number),
            (Kind::PositiveShare, Value::Number(number)) => (ABOVE_ZERO..1.0).contains(number),
            (Kind::Word(words), Value::Word(word)) => words().iter().any(|(one, _)| one == word),
            _ => false,
        }
    }

    /// Which values there are.
    pub fn allowed(&self) -> String {
        match self {
            Kind::Switch => "true or false".to_owned(),
            Kind::Count(bounds) | Kind::Amount(bounds) => {
                format!("{} to {}", bounds.start(), bounds.end())
            }
            Kind::Number(bounds) => numbers(bounds),
            Kind::Rate(bounds) => format!("{} requests per second", numbers(bounds)),
            Kind::Text => "a text".to_owned(),
            Kind::List(_) => "texts".to_owned(),
            Kind::File | Kind::Files => "a file".to_owned(),
            Kind::Time(bounds) => {
                let [low, high] = [bounds.start(), bounds.end()].map(|time| format_duration(*time));
                format!("{low} to {high}")
            }
            Kind::Share => "0 or more and below 1, such as 0.02 or 2%".to_owned(),
            Kind::PositiveShare => "above 0 and below 1, such as 0.02 or 2%".to_owned(),
            Kind::Word(words) => {
                let words: Vec<&str> = words().into_iter().map(|(word, _)| word).collect();
                words.join(", ")
            }
            Kind::Cpus => "split, none, or the cores of both".to_owned(),
        }
    }

    /// The type in the reference.
    pub fn in_reference(&self) -> String {
        match self {
            Kind::Switch => "true or false".to_owned(),
            Kind::Count(_) | Kind::Amount(_) => format!("whole number, {}", self.allowed()),
            Kind::Number(bounds) => format!("number, {}", numbers(bounds)),
            Kind::Rate(bounds) => format!("number per second, {}", numbers(bounds)),
            Kind::Text | Kind::File => "string".to_owned(),
            Kind::List(_) | Kind::Files => "string or list".to_owned(),
            Kind::Time(_) => format!("time, {}", self.allowed()),
            Kind::Share => "number, 0 up to 1".to_owned(),
            Kind::PositiveShare => "number, above 0 up to 1".to_owned(),
            Kind::Word(_) => self.allowed(),
            Kind::Cpus => "string or table".to_owned(),
        }
    }

    /// A value as JSON has it.
    pub(super) fn read_json(&self, json: &Json) -> Option<Value> {
        match (self, json) {
            (Kind::Switch, Json::Bool(value)) => Some(Value::Switch(*value)),
            (Kind::Count(_) | Kind::Amount(_), json) => {
                let count = u32::try_from(json.as_u64()?).ok()?;
                Some(Value::Count(count))
            }
            (Kind::Share | Kind::PositiveShare | Kind::Number(_) | Kind::Rate(_), json) => {
                json.as_f64().map(Value::Number)
            }
            (Kind::List(_) | Kind::Files, json) => {
                let texts = json.as_array()?.iter().map(|item| item.as_str());
                let texts: Vec<&str> = texts.collect::<Option<_>>()?;
                Some(match self {
                    Kind::List(_) => Value::Texts(texts.into_iter().map(str::to_owned).collect()),
                    _ => Value::Files(texts.into_iter().map(PathBuf::from).collect()),
                })
            }
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
            Kind::Amount(bounds) => json!({
                "type": ["integer", "string"],
                "minimum": bounds.start(),
                "maximum": bounds.end(),
            }),
            Kind::Number(bounds) => number("number", bounds),
            Kind::Rate(bounds) => number(["number", "string"], bounds),
            Kind::Text | Kind::File => json!({ "type": "string" }),
            Kind::List(_) | Kind::Files => {
                let one = json!({ "type": "string" });
                json!({ "anyOf": [one, { "type": "array", "items": one }] })
            }
            Kind::Share => json!({ "type": "number", "minimum": 0, "exclusiveMaximum": 1 }),
            Kind::PositiveShare => {
                json!({ "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 })
            }
            Kind::Time(_) => json!({ "type": "string", "examples": ["5s"] }),
            Kind::Word(words) => {
                let words: Vec<&str> = words().into_iter().map(|(word, _)| word).collect();
                json!({ "enum": words })
            }
            Kind::Cpus => {
                json!({ "type": "string", "examples": ["split", "none", "server=0-1,generator=2-3"] })
            }
        }
    }
}

/// Which numbers there are within bounds.
fn numbers(bounds: &Numbers) -> String {
    let (least, most) = (*bounds.start(), *bounds.end());
    match (least == ABOVE_ZERO, most == f64::MAX) {
        (true, true) => "above 0".to_owned(),
        (true, false) => format!("above 0 and at most {most}"),
        (false, _) => format!("{least} to {most}"),
    }
}

fn number(of: impl Into<Json>, bounds: &Numbers) -> Json {
    let least = match *bounds.start() == ABOVE_ZERO {
        true => ("exclusiveMinimum", json!(0)),
        false => ("minimum", json!(bounds.start())),
    };
    json!({ "type": of.into(), least.0: least.1, "maximum": bounds.end() })
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Switch(value) => value.fmt(f),
            Value::Count(count) => count.fmt(f),
            Value::Time(time) => f.write_str(&format_duration(*time)),
            Value::Number(number) => number.fmt(f),
            Value::Word(word) => f.write_str(word),
            Value::Text(text) => f.write_str(text),
            Value::Texts(texts) => f.write_str(&texts.join(",")),
            Value::File(file) => file.display().fmt(f),
            Value::Files(files) => {
                let files: Vec<String> = files
                    .iter()
                    .map(|file| file.display().to_string())
                    .collect();
                f.write_str(&files.join(","))
            }
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
            Value::Texts(texts) => texts.serialize(to),
            Value::Files(files) => files.serialize(to),
            Value::Time(_) | Value::Word(_) | Value::Text(_) | Value::File(_) | Value::Cpus(_) => {
                to.collect_str(self)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Group, PlanLayer, RaceLayer};

    fn parse<G: Group>(name: &str, text: &str) -> Option<Value> {
        let mut rows = G::ROWS.iter();
        let row = rows.find(|row| row.name == name).expect("a row");
        row.kind.parse(text).ok()
    }

    #[test]
    fn a_half_width_is_above_zero_for_every_command_alike() {
        for half_width in [parse::<RaceLayer>, parse::<PlanLayer>] {
            let half_width = |text| half_width("half_width", text);
            assert_eq!(half_width("2%"), Some(Value::Number(0.02)));
            assert_eq!(half_width("0.005"), Some(Value::Number(0.005)));
            for wrong in ["0", "0%", "-1%", "100%", "2 %", "x", "NaN", ""] {
                assert_eq!(half_width(wrong), None, "{wrong}");
            }
        }
    }

    #[test]
    fn a_time_budget_is_read_alike_by_every_command() {
        for within in [parse::<RaceLayer>, parse::<PlanLayer>] {
            let within = |text| within("within", text);
            let time = Duration::from_secs(1_200);
            assert_eq!(within("20m"), Some(Value::Time(time)));
            for wrong in ["0", "1s", "x", "25h", ""] {
                assert_eq!(within(wrong), None, "{wrong}");
            }
        }
    }
}
