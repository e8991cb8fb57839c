//! Values, and what they may be.

use std::fmt::Display;
use std::ops::{Range, RangeInclusive};
use std::time::Duration;

use toml::Spanned;
use toml::de::DeValue;

use super::hide::is_hidden;
use super::{Document, Section};
use crate::keys::Key;
use crate::nearest::advice;
use photofinish_model::amount::{AmountError, parse_amount, parse_count};
use photofinish_model::duration::{format_duration, parse_duration};
use photofinish_model::settings::{CpuSets, Kind, Value};

/// The most items of a list or a table that are read. No study has a tenth of that, and what is compared with each of the others would
/// take minutes for as many as a file may hold.
const MOST_ITEMS: usize = 1_000;

/// A value and the key that it stands under.
#[derive(Clone, Copy)]
pub(crate) struct Node<'d> {
    pub(super) doc: &'d Document,
    pub(super) name: &'d str,
    /// Whether it is an item of the list that stands under the key.
    pub(super) is_item: bool,
    pub(super) value: &'d Spanned<DeValue<'d>>,
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

    /// What is spoken of: `` `rounds` ``, or an item of a list.
    fn subject(&self) -> String {
        match self.is_item {
            true => format!("an item of `{}`", self.name),
            false => format!("`{}`", self.name),
        }
    }

    /// The key with a value, or the value alone for an item of a list.
    fn example(&self, value: impl Display) -> String {
        match self.is_item {
            true => value.to_string(),
            false => format!("{} = {value}", self.name),
        }
    }

    fn wrong_type<T>(&self, wanted: &str, example: &str) -> Option<T> {
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

    /// A value of this type within its bounds; CPU sets as a text.
    pub(crate) fn value(&self, kind: &Kind) -> Option<Value> {
        match kind {
            Kind::Switch => self.boolean().map(Value::Switch),
            Kind::Count(bounds) => self.integer(bounds.clone()).map(Value::Count),
            Kind::Time(bounds) => self.duration(bounds.clone()).map(Value::Time),
            Kind::Share => self.share().map(Value::Number),
            Kind::Word(words) => {
                let words: Vec<&'static str> = words.iter().map(|(word, _)| *word).collect();
                let word = self.word(&words)?;
                let word = words.into_iter().find(|one| *one == word);
                word.map(Value::Word)
            }
            Kind::Cpus => {
                let sets = CpuSets::parse(self.text()?);
                let sets = sets.map_err(|error| self.note(error.to_string(), ""));
                sets.ok().map(Value::Cpus)
            }
        }
    }

    /// A number from 0 up to 1.
    pub(crate) fn share(&self) -> Option<f64> {
        let allows = |number| Kind::Share.allows(&Value::Number(number));
        self.number(allows, &Kind::Share.allowed())
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

    /// One of some words.
    pub(crate) fn word(&self, allowed: &[&str]) -> Option<&'d str> {
        let word = self.text()?;
        if allowed.contains(&word) {
            return Some(word);
        }
        let help = advice(word, "allowed", allowed.iter().copied());
        self.note(format!("{} cannot be `{word}`", self.subject()), help);
        None
    }

    /// `true` or `false`.
    pub(crate) fn boolean(&self) -> Option<bool> {
        match self.value.get_ref() {
            DeValue::Boolean(value) => Some(*value),
            _ => self.wrong_type("true or false", &self.example("true")),
        }
    }

    /// A whole number within bounds.
    pub(crate) fn integer(&self, bounds: RangeInclusive<u32>) -> Option<u32> {
        let DeValue::Integer(number) = self.value.get_ref() else {
            return self.wrong_type(
                "a whole number",
                &self.example(bounds.start().max(&5).min(bounds.end())),
            );
        };
        let parsed = u32::from_str_radix(number.as_str(), number.radix()).ok();
        let within = parsed.filter(|number| bounds.contains(number));
        if within.is_none() {
            self.out_of_range(number, bounds.start(), bounds.end());
        }
        within
    }

    /// A number for which `allowed` holds; `says` is what it demands.
    pub(crate) fn number(&self, allowed: impl Fn(f64) -> bool, says: &str) -> Option<f64> {
        let written = match self.value.get_ref() {
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.as_str().to_owned(),
            _ => return self.wrong_type("a number", &self.example("1.05")),
        };
        let number = written.parse().ok();
        let fits = number.filter(|number: &f64| number.is_finite() && allowed(*number));
        if fits.is_none() {
            self.note(
                format!("{} cannot be {written}", self.subject()),
                format!("allowed: {says}"),
            );
        }
        fits
    }

    /// A rate, as [`Node::number`]; also as a string such as `"20k"`.
    pub(crate) fn rate(&self, allowed: impl Fn(f64) -> bool, says: &str) -> Option<f64> {
        let Some(text) = self.if_text() else {
            return self.number(allowed, says);
        };
        let rate = self.amount(parse_amount(text), says)?;
        if !allowed(rate) {
            self.note(
                format!("{} cannot be {text}", self.subject()),
                format!("allowed: {says}"),
            );
        }
        Some(rate).filter(|rate| allowed(*rate))
    }

    /// A count, as [`Node::integer`]; also as a string such as `"10k"`.
    pub(crate) fn count(&self, bounds: RangeInclusive<u32>) -> Option<u32> {
        let Some(text) = self.if_text() else {
            return self.integer(bounds);
        };
        let says = format!("{} to {}", bounds.start(), bounds.end());
        let count = self.amount(parse_count(text), &says)?;
        let within = u32::try_from(count).ok().filter(|n| bounds.contains(n));
        if within.is_none() {
            self.out_of_range(text, bounds.start(), bounds.end());
        }
        within
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

    fn out_of_range(&self, found: impl Display, low: impl Display, high: impl Display) {
        self.note(
            format!("{} cannot be {found}", self.subject()),
            format!("allowed: {low} to {high}"),
        );
    }

    /// A length of time within bounds.
    pub(crate) fn duration(&self, bounds: RangeInclusive<Duration>) -> Option<Duration> {
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
                self.out_of_range(text, low, high);
                None
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

    /// The items of a list.
    pub(crate) fn list(&self, example: &str) -> Option<Vec<Node<'d>>> {
        match self.value.get_ref() {
            DeValue::Array(items) => Some(self.items(items)),
            _ => self.wrong_type("a list", example),
        }
    }

    fn items(&self, items: &'d [Spanned<DeValue<'d>>]) -> Vec<Node<'d>> {
        self.bound(items.len());
        items
            .iter()
            .take(MOST_ITEMS)
            .map(|value| self.with(value))
            .collect()
    }

    /// Notes that there are more items than are read.
    fn bound(&self, items: usize) {
        if items > MOST_ITEMS {
            self.note(
                format!("{} has {items} items", self.subject()),
                format!("allowed: at most {MOST_ITEMS}"),
            );
        }
    }

    /// The items of a list; a single value is a list of one.
    pub(crate) fn one_or_more(&self) -> Vec<Node<'d>> {
        match self.value.get_ref() {
            DeValue::Array(items) => self.items(items),
            _ => vec![*self],
        }
    }

    fn with(&self, value: &'d Spanned<DeValue<'d>>) -> Node<'d> {
        Node {
            value,
            is_item: true,
            ..*self
        }
    }

    /// A table with these keys.
    pub(crate) fn section(
        &self,
        what: &str,
        keys: &'static [Key],
        example: &str,
    ) -> Option<Section<'d>> {
        self.section_of(what, (keys, &[]), example)
    }

    /// A table with keys of settings.
    pub(crate) fn named_section(
        &self,
        what: &str,
        names: &[&str],
        example: &str,
    ) -> Option<Section<'d>> {
        self.section_of(what, (&[], names), example)
    }

    fn section_of(
        &self,
        what: &str,
        keys: (&'static [Key], &[&str]),
        example: &str,
    ) -> Option<Section<'d>> {
        match self.value.get_ref() {
            DeValue::Table(table) => Some(Section::new(self.doc, table, self.span(), what, keys)),
            _ => self.wrong_type("a table", example),
        }
    }

    /// The entries of a table whose keys are free, in the order of the file.
    pub(crate) fn entries(&self, example: &str) -> Vec<Entry<'d>> {
        let DeValue::Table(table) = self.value.get_ref() else {
            return self.wrong_type("a table", example).unwrap_or_default();
        };
        self.bound(table.len());
        let mut entries: Vec<Entry<'d>> = table
            .iter()
            .take(MOST_ITEMS)
            .map(|(key, value)| Entry {
                key_span: key.span(),
                node: Node {
                    doc: self.doc,
                    name: key.get_ref(),
                    is_item: false,
                    value,
                },
            })
            .collect();
        entries.sort_by_key(|entry| entry.key_span.start);
        entries
    }

    pub(crate) fn is_table(&self) -> bool {
        self.value.get_ref().is_table()
    }
}

/// An entry of a table whose keys are free.
pub(crate) struct Entry<'d> {
    /// Where the key stands.
    pub(crate) key_span: Range<usize>,
    /// The value; its name is the key.
    pub(crate) node: Node<'d>,
}

impl Entry<'_> {
    /// Notes a mistake in the key.
    pub(crate) fn note_key(&self, message: impl Into<String>, help: impl Into<String>) {
        self.node.doc.note(self.key_span.clone(), message, help);
    }
}
