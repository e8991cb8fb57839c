//! Values, and what they may be.

use std::fmt::Display;
use std::ops::{Range, RangeInclusive};
use std::path::PathBuf;
use std::time::Duration;

use toml::Spanned;
use toml::de::DeValue;

use super::Document;
use super::hide::is_hidden;
use crate::keys::{Key, Of};
use crate::mistake::Mistake;
use crate::nearest::advice;
use photofinish_model::amount::{AmountError, parse_amount, parse_count};
use photofinish_model::duration::{format_duration, parse_duration};
use photofinish_model::settings::{CpuSets, Kind, Numbers, Setting, Value};

/// A value and the key that it stands under.
#[derive(Clone, Copy)]
pub(crate) struct Node<'d> {
    pub(super) doc: &'d Document,
    pub(super) name: &'d str,
    /// Whether it is an item of the list that stands under the key.
    pub(super) is_item: bool,
    pub(super) value: &'d Spanned<DeValue<'d>>,
    /// The row of the key. Items of a list and entries of a table have that of the key that they stand under; a setting has none here.
    pub(super) row: Option<&'static Key>,
}

impl<'d> Node<'d> {
    pub(crate) fn name(&self) -> &'d str {
        self.name
    }

    pub(crate) fn span(&self) -> Range<usize> {
        self.value.span()
    }

    pub(crate) fn note(&self, message: impl Into<String>, help: impl Into<String>) {
        self.doc.note(self.span(), message, help);
    }

    /// Notes what a check found wrong, and what is allowed.
    pub(crate) fn check(&self, checked: Result<(), Mistake>) {
        if let Err((problem, allowed)) = checked {
            self.note(problem, format!("allowed: {allowed}"));
        }
    }

    /// What is spoken of: `` `rounds` ``, or an item of a list.
    pub(super) fn subject(&self) -> String {
        match self.is_item {
            true => format!("an item of `{}`", self.name),
            false => format!("`{}`", self.name),
        }
    }

    /// The key with a value, or the value alone for an item of a list.
    pub(super) fn example(&self, value: impl Display) -> String {
        match self.is_item {
            true => value.to_string(),
            false => format!("{} = {value}", self.name),
        }
    }

    pub(super) fn wrong_type<T>(&self, wanted: &str, example: &str) -> Option<T> {
        let found = match self.value.get_ref() {
            DeValue::String(text) if text.len() <= 40 && !is_hidden(self.name) => {
                format!("the string {text:?}")
            }
            DeValue::String(_) => "a string".to_owned(),
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.to_string(),
            DeValue::Boolean(value) => value.to_string(),
            DeValue::Datetime(_) => "a date".to_owned(),
            DeValue::Array(_) => "a list".to_owned(),
            DeValue::Table(_) => "a table".to_owned(),
        };
        self.note(
            format!("{} takes {wanted}, not {found}", self.subject()),
            format!("for example: {example}"),
        );
        None
    }

    /// Its line, counted from 1.
    pub(crate) fn line(&self) -> usize {
        let text = self.doc.text().as_bytes();
        let before = &text[..self.span().start.min(text.len())];
        1 + before.iter().filter(|byte| **byte == b'\n').count()
    }

    /// The value, within the bounds that the key's row declares.
    pub(crate) fn value<T: Setting>(&self) -> Option<T> {
        let value = match &self.row?.of {
            Of::Value(kind) => self.value_of(kind)?,
            Of::Setting(kind) => self.value_of(kind)?,
            Of::Counts(bounds) => Value::Count(self.count(bounds.clone())?),
            Of::Integers(_, bounds) | Of::NamedIntegers(bounds) => {
                Value::Count(self.integer(bounds.clone())?)
            }
            Of::Rates(bounds) => Value::Number(self.rate(bounds)?),
            _ => return None,
        };
        let value = T::from_value(value);
        debug_assert!(value.is_some(), "{} has another type", self.name);
        value
    }

    /// A value of this type within its bounds; CPU sets as a text.
    pub(crate) fn value_of(&self, kind: &Kind) -> Option<Value> {
        match kind {
            Kind::Switch => self.boolean().map(Value::Switch),
            Kind::Count(bounds) => self.integer(bounds.clone()).map(Value::Count),
            Kind::Amount(bounds) => self.count(bounds.clone()).map(Value::Count),
            Kind::Rate(bounds) => self.rate(bounds).map(Value::Number),
            Kind::Time(bounds) => self.duration(bounds.clone()).map(Value::Time),
            Kind::Share | Kind::PositiveShare | Kind::Number(_) => {
                let allows = |number| kind.allows(&Value::Number(number));
                let says = match kind {
                    Kind::Share => "0 or more and below 1, such as 0.02 for 2%".to_owned(),
                    _ => kind.allowed(),
                };
                self.number_that(allows, &says).map(Value::Number)
            }
            Kind::Text => Some(Value::Text(self.text()?.to_owned())),
            Kind::File => Some(Value::File(self.text()?.into())),
            Kind::List(_) | Kind::Files => {
                let items = self.one_or_more();
                let texts: Vec<&str> = items.iter().filter_map(Node::text).collect();
                let value = match kind {
                    Kind::List(_) => Value::Texts(texts.into_iter().map(str::to_owned).collect()),
                    _ => Value::Files(texts.into_iter().map(PathBuf::from).collect()),
                };
                Some(value)
            }
            Kind::Word(words) => {
                let words = words().into_iter().map(|(word, _)| word);
                let words: Vec<&'static str> = words.collect();
                self.one_of(&words).map(Value::Word)
            }
            Kind::Cpus => {
                let sets = CpuSets::parse(self.text()?);
                let sets = sets.map_err(|error| self.note(error.to_string(), ""));
                sets.ok().map(Value::Cpus)
            }
        }
    }

    /// A string that is not empty.
    pub(crate) fn text(&self) -> Option<&'d str> {
        let text = self.any_text()?;
        if text.trim().is_empty() {
            self.note(
                format!("{} is empty", self.subject()),
                "write something, or leave the key out",
            );
            return None;
        }
        Some(text)
    }

    /// A string that may be empty.
    pub(crate) fn any_text(&self) -> Option<&'d str> {
        match self.value.get_ref() {
            DeValue::String(text) => Some(text),
            // Most often a version or a number that only lacks its quotes.
            DeValue::Integer(number) => {
                self.wrong_type("a string", &self.example(format_args!("\"{number}\"")))
            }
            DeValue::Float(number) => {
                self.wrong_type("a string", &self.example(format_args!("\"{number}\"")))
            }
            _ => self.wrong_type("a string", &self.example("\"…\"")),
        }
    }

    /// A string without a mistake in it, if it is one; nothing is noted.
    pub(crate) fn if_text(&self) -> Option<&'d str> {
        self.value.get_ref().as_str()
    }

    /// One of the words that the key's row declares.
    pub(crate) fn word(&self) -> Option<&'static str> {
        match self.row?.of {
            Of::Word(words) => self.one_of(words),
            _ => None,
        }
    }

    fn one_of(&self, words: &[&'static str]) -> Option<&'static str> {
        let given = self.text()?;
        let word = words.iter().copied().find(|word| *word == given);
        if word.is_none() {
            let help = advice(given, "allowed", words.iter().copied());
            self.note(format!("{} cannot be `{given}`", self.subject()), help);
        }
        word
    }

    /// `true` or `false`.
    fn boolean(&self) -> Option<bool> {
        match self.value.get_ref() {
            DeValue::Boolean(value) => Some(*value),
            _ => self.wrong_type("true or false", &self.example("true")),
        }
    }

    /// A whole number within bounds.
    fn integer(&self, bounds: RangeInclusive<u32>) -> Option<u32> {
        let DeValue::Integer(number) = self.value.get_ref() else {
            return self.wrong_type(
                "a whole number",
                &self.example(bounds.start().max(&5).min(bounds.end())),
            );
        };
        let parsed = u32::from_str_radix(number.as_str(), number.radix()).ok();
        let within = parsed.filter(|number| bounds.contains(number));
        within.or_else(|| {
            self.refuse(
                number,
                format_args!("{} to {}", bounds.start(), bounds.end()),
            )
        })
    }

    /// A number for which `allowed` holds; `says` is what it demands.
    fn number_that(&self, allowed: impl Fn(f64) -> bool, says: &str) -> Option<f64> {
        let written = match self.value.get_ref() {
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.as_str().to_owned(),
            _ => return self.wrong_type("a number", &self.example("1.05")),
        };
        let number = written.parse().ok();
        let fits = number.filter(|number: &f64| number.is_finite() && allowed(*number));
        fits.or_else(|| self.refuse(written, says))
    }

    /// A rate per second; also as a string such as `"20k"`.
    fn rate(&self, bounds: &Numbers) -> Option<f64> {
        let says = Kind::Rate(bounds.clone()).allowed();
        let Some(text) = self.if_text() else {
            return self.number_that(|rate| bounds.contains(&rate), &says);
        };
        let rate = self.amount(parse_amount(text), &says)?;
        let fits = Some(rate).filter(|rate| bounds.contains(rate));
        fits.or_else(|| self.refuse(text, says))
    }

    /// A count, as [`Node::integer`]; also as a string such as `"10k"`.
    fn count(&self, bounds: RangeInclusive<u32>) -> Option<u32> {
        let Some(text) = self.if_text() else {
            return self.integer(bounds);
        };
        let says = format!("{} to {}", bounds.start(), bounds.end());
        let count = self.amount(parse_count(text), &says)?;
        let within = u32::try_from(count).ok().filter(|n| bounds.contains(n));
        within.or_else(|| self.refuse(text, says))
    }

    fn amount<T>(&self, parsed: Result<T, AmountError>, says: &str) -> Option<T> {
        parsed
            .inspect_err(|error| {
                self.note(
                    format!("{}: {error}", self.subject()),
                    format!("allowed: {says}"),
                );
            })
            .ok()
    }

    /// How many decimals a number is written with: 3 for `1.067`, 0 for `2`; `None` for what is no number and for one with an exponent.
    pub(crate) fn decimals(&self) -> Option<u32> {
        match self.value.get_ref() {
            DeValue::Integer(_) => Some(0),
            DeValue::Float(number) if number.as_str().contains(['e', 'E']) => None,
            DeValue::Float(number) => {
                let (_, decimals) = number.as_str().split_once('.')?;
                u32::try_from(decimals.chars().filter(char::is_ascii_digit).count()).ok()
            }
            _ => None,
        }
    }

    /// Notes that it cannot be what was found, and what is allowed.
    pub(crate) fn refuse<T>(&self, found: impl Display, allowed: impl Display) -> Option<T> {
        self.note(
            format!("{} cannot be {found}", self.subject()),
            format!("allowed: {allowed}"),
        );
        None
    }

    /// A text that fits; what is allowed where it does not.
    pub(crate) fn text_that(&self, fits: impl Fn(&str) -> bool, allowed: &str) -> Option<&'d str> {
        let text = self.text()?;
        match fits(text) {
            true => Some(text),
            false => self.refuse(format_args!("{text:?}"), allowed),
        }
    }

    /// A length of time within bounds.
    fn duration(&self, bounds: RangeInclusive<Duration>) -> Option<Duration> {
        let text = match self.value.get_ref() {
            DeValue::String(text) => text,
            DeValue::Integer(number) => {
                let example = self.example(format_args!("\"{number}s\""));
                return self.wrong_type("a length of time with its unit, as a string", &example);
            }
            _ => {
                let example = self.example("\"5s\"");
                return self.wrong_type("a length of time", &example);
            }
        };
        match parse_duration(text) {
            Ok(duration) if bounds.contains(&duration) => Some(duration),
            Ok(_) => {
                let [low, high] = [bounds.start(), bounds.end()].map(|d| format_duration(*d));
                self.refuse(text, format_args!("{low} to {high}"))
            }
            Err(error) => {
                self.note(
                    format!("{}: {error}", self.subject()),
                    format!("for example: {}", self.example("\"5s\"")),
                );
                None
            }
        }
    }
}
