//! Reading TOML with a place for every mistake.
//!
//! serde's messages for a wrong type or an unknown key name neither what is allowed nor, in
//! nested tables, the right place, and serde stops at the first. So the parsed tree is walked by
//! hand: each step that fails notes a [`Problem`] and goes on, and a file's mistakes are told
//! all at once.

use std::cell::RefCell;
use std::fmt::Display;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;
use std::time::Duration;

use miette::NamedSource;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::duration::{format_duration, parse_duration};
use crate::error::Problem;
use crate::nearest::advice;

/// A file that is being read, and the mistakes found in it so far.
pub(crate) struct Document {
    source: Arc<NamedSource<String>>,
    problems: RefCell<Vec<Problem>>,
}

impl Document {
    pub(crate) fn new(name: &str, text: &str) -> Self {
        Document {
            source: Arc::new(NamedSource::new(name, text.to_owned())),
            problems: RefCell::default(),
        }
    }

    pub(crate) fn text(&self) -> &str {
        self.source.inner()
    }

    /// The file's tree; `None` where it is not TOML, which is noted.
    pub(crate) fn parse(&self) -> Option<Spanned<DeTable<'_>>> {
        let (table, errors) = DeTable::parse_recoverable(self.text());
        for error in &errors {
            let span = error.span().unwrap_or(0..0);
            let message = format!("not valid TOML: {}", error.message().replace('\n', ", "));
            self.note(span, message, "");
        }
        errors.is_empty().then_some(table)
    }

    pub(crate) fn note(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.add(Problem::new(&self.source, span, message, help));
    }

    /// Adds a mistake, unless it is known already (variants share their base's mistakes).
    pub(crate) fn add(&self, problem: Problem) {
        let mut problems = self.problems.borrow_mut();
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }

    /// The mistakes, in the order of the lines.
    pub(crate) fn into_problems(self) -> Vec<Problem> {
        let mut problems = self.problems.into_inner();
        let own = self.source.name();
        // Another file's mistakes stand where they were found: after those of this one.
        problems.sort_by_key(|p| match p.file() == own {
            true => (0, p.line()),
            false => (1, 0),
        });
        problems
    }
}

/// A table and the keys that it may have.
pub(crate) struct Section<'d> {
    doc: &'d Document,
    table: &'d DeTable<'d>,
    /// Where it stands, for what is missing from it.
    span: Range<usize>,
    /// What it is, for messages: `a study`, `[start]`.
    what: String,
}

impl<'d> Section<'d> {
    /// Takes a table and notes every key that is not allowed in it.
    pub(crate) fn new(
        doc: &'d Document,
        table: &'d DeTable<'d>,
        span: Range<usize>,
        what: impl Into<String>,
        allowed: &[&str],
    ) -> Self {
        let what = what.into();
        for (key, _) in table.iter() {
            let name = key.get_ref().as_ref();
            if !allowed.contains(&name) {
                let plural = format!("keys of {what}");
                doc.note(
                    key.span(),
                    format!("unknown key `{name}`"),
                    advice(name, &plural, allowed.iter().copied()),
                );
            }
        }
        Section {
            doc,
            table,
            span,
            what,
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<Node<'d>> {
        let (key, value) = self.table.get_key_value(key)?;
        Some(Node {
            doc: self.doc,
            name: key.get_ref(),
            value,
        })
    }

    /// A key that must be there. `example` is how it may be written.
    pub(crate) fn need(&self, key: &str, example: &str) -> Option<Node<'d>> {
        let found = self.get(key);
        if found.is_none() {
            self.note(
                format!("{} has no `{key}`", self.what),
                format!("add a line such as: {example}"),
            );
        }
        found
    }

    /// Notes a mistake that belongs to the table as a whole.
    pub(crate) fn note(&self, message: impl Into<String>, help: impl Into<String>) {
        self.doc.note(self.span.clone(), message, help);
    }

    pub(crate) fn text_or(&self, key: &str, default: &str) -> String {
        let given = self.get(key).and_then(|node| node.text());
        given.unwrap_or(default).to_owned()
    }

    pub(crate) fn duration_or(
        &self,
        key: &str,
        bounds: RangeInclusive<Duration>,
        default: Duration,
    ) -> Duration {
        let given = self.get(key).and_then(|node| node.duration(bounds));
        given.unwrap_or(default)
    }
}

/// A value and the key that it stands under.
#[derive(Clone, Copy)]
pub(crate) struct Node<'d> {
    doc: &'d Document,
    name: &'d str,
    value: &'d Spanned<DeValue<'d>>,
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

    fn wrong_type<T>(&self, wanted: &str, example: &str) -> Option<T> {
        let found = match self.value.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "a whole number",
            DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        self.note(
            format!("`{}` takes {wanted}, not {found}", self.name),
            format!("for example: {example}"),
        );
        None
    }

    /// A string that is not empty.
    pub(crate) fn text(&self) -> Option<&'d str> {
        let text = self.any_text()?;
        if text.trim().is_empty() {
            self.note(
                format!("`{}` is empty", self.name),
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
            _ => self.wrong_type("a string", &format!("{} = \"…\"", self.name)),
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
        self.note(format!("`{}` cannot be `{word}`", self.name), help);
        None
    }

    /// A whole number within bounds.
    pub(crate) fn integer(&self, bounds: RangeInclusive<u32>) -> Option<u32> {
        let DeValue::Integer(number) = self.value.get_ref() else {
            return self.wrong_type(
                "a whole number",
                &format!(
                    "{} = {}",
                    self.name,
                    bounds.start().max(&5).min(bounds.end())
                ),
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
            _ => return self.wrong_type("a number", &format!("{} = 1.05", self.name)),
        };
        let number = written.parse().ok();
        let fits = number.filter(|number: &f64| number.is_finite() && allowed(*number));
        if fits.is_none() {
            self.note(
                format!("`{}` cannot be {written}", self.name),
                format!("allowed: {says}"),
            );
        }
        fits
    }

    fn out_of_range(&self, found: impl Display, low: impl Display, high: impl Display) {
        self.note(
            format!("`{}` cannot be {found}", self.name),
            format!("allowed: {low} to {high}"),
        );
    }

    /// A length of time within bounds.
    pub(crate) fn duration(&self, bounds: RangeInclusive<Duration>) -> Option<Duration> {
        let text = match self.value.get_ref() {
            DeValue::String(text) => text,
            DeValue::Integer(number) => {
                let example = format!("{} = \"{number}s\"", self.name);
                return self.wrong_type("a length of time with its unit, as a string", &example);
            }
            _ => {
                let example = format!("{} = \"5s\"", self.name);
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
                    format!("`{}`: {error}", self.name),
                    format!("for example: {} = \"5s\"", self.name),
                );
                None
            }
        }
    }

    /// The items of a list.
    pub(crate) fn list(&self, example: &str) -> Option<Vec<Node<'d>>> {
        match self.value.get_ref() {
            DeValue::Array(items) => Some(items.iter().map(|value| self.with(value)).collect()),
            _ => self.wrong_type("a list", example),
        }
    }

    /// The items of a list; a single value is a list of one.
    pub(crate) fn one_or_more(&self) -> Vec<Node<'d>> {
        match self.value.get_ref() {
            DeValue::Array(items) => items.iter().map(|value| self.with(value)).collect(),
            _ => vec![*self],
        }
    }

    fn with(&self, value: &'d Spanned<DeValue<'d>>) -> Node<'d> {
        Node { value, ..*self }
    }

    /// A table with these keys.
    pub(crate) fn section(
        &self,
        what: &str,
        allowed: &[&str],
        example: &str,
    ) -> Option<Section<'d>> {
        match self.value.get_ref() {
            DeValue::Table(table) => {
                Some(Section::new(self.doc, table, self.span(), what, allowed))
            }
            _ => self.wrong_type("a table", example),
        }
    }

    /// The entries of a table whose keys are free, in the order of the file.
    pub(crate) fn entries(&self, example: &str) -> Vec<Entry<'d>> {
        let DeValue::Table(table) = self.value.get_ref() else {
            return self.wrong_type("a table", example).unwrap_or_default();
        };
        let mut entries: Vec<Entry<'d>> = table
            .iter()
            .map(|(key, value)| Entry {
                key_span: key.span(),
                node: Node {
                    doc: self.doc,
                    name: key.get_ref(),
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
