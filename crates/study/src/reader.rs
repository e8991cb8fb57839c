//! Reading TOML with a place for every mistake.
//!
//! serde's messages for a wrong type or an unknown key name neither what is allowed nor, in
//! nested tables, the right place, and serde stops at the first. So the parsed tree is walked by
//! hand: each step that fails notes a [`Problem`] and goes on, and a file's mistakes are reported
//! all at once.

pub(crate) mod hide;
mod node;

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::sync::Arc;

use miette::NamedSource;
use photofinish_model::settings::{Setting, Value};
use photofinish_model::text::{clean, masked};
use toml::Spanned;
use toml::de::DeTable;

use crate::error::Problem;
use crate::keys::{Key, Of};
use crate::nearest::advice;
pub(crate) use node::Node;

/// The most mistakes that are reported of one file; nobody reads more, and each is compared with those before it.
const MOST_MISTAKES: usize = 100;

/// A file that is being read, and the mistakes found in it so far.
pub(crate) struct Document {
    text: String,
    /// The text as it is shown below a mistake.
    source: Arc<NamedSource<String>>,
    problems: RefCell<Vec<Problem>>,
    /// How many mistakes were found beyond those.
    more: Cell<usize>,
}

impl Document {
    pub(crate) fn new(name: &str, text: &str) -> Self {
        Document {
            text: text.to_owned(),
            source: Arc::new(NamedSource::new(clean(name), masked(&hide::blanked(text)))),
            problems: RefCell::default(),
            more: Cell::default(),
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
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
        if problems.len() >= MOST_MISTAKES {
            self.more.set(self.more.get() + 1);
        } else if !problems.contains(&problem) {
            problems.push(problem);
        }
    }

    /// The mistakes, in the order of the lines.
    pub(crate) fn into_problems(self) -> Vec<Problem> {
        let mut problems = self.problems.into_inner();
        let own = self.source.name();
        // Another file's mistakes stand where they were found: after those of this one.
        problems.sort_by_cached_key(|p| match p.file() == own {
            true => (0, p.line()),
            false => (1, 0),
        });
        if let Some(last) = problems.last_mut() {
            last.add_more(self.more.get());
        }
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
    /// The keys that its rows declare.
    keys: &'static [Key],
}

impl<'d> Section<'d> {
    /// Takes a table and notes every key that is neither among `keys` nor named in `more`.
    pub(crate) fn new(
        doc: &'d Document,
        table: &'d DeTable<'d>,
        span: Range<usize>,
        what: impl Into<String>,
        (keys, more): (&'static [Key], &[&str]),
    ) -> Self {
        let what = what.into();
        let allowed = keys.iter().map(|key| key.name).chain(more.iter().copied());
        let allowed: Vec<&str> = allowed.collect();
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
            keys,
        }
    }

    /// The value of a key, within the bounds that its row declares.
    pub(crate) fn value<T: Setting>(&self, key: &str) -> Option<T> {
        let node = self.get(key)?;
        let value = match self.row(key)? {
            Of::Value(kind) => node.value(kind)?,
            Of::Count(bounds) => Value::Count(node.count(bounds.clone())?),
            _ => return None,
        };
        T::from_value(value)
    }

    /// The value of a key, or the default that its row declares.
    pub(crate) fn value_or_default<T: Setting + Default>(&self, key: &str) -> T {
        let default = || {
            let row = self.keys.iter().find(|row| row.name == key);
            T::from_value(row?.default()?)
        };
        self.value(key).or_else(default).unwrap_or_default()
    }

    /// One of the words that a key's row declares.
    pub(crate) fn word(&self, key: &str) -> Option<&'d str> {
        let node = self.get(key)?;
        match self.row(key)? {
            Of::Word(words) => node.word(words),
            _ => node.text(),
        }
    }

    fn row(&self, key: &str) -> Option<&'static Of> {
        let row = self.keys.iter().find(|row| row.name == key);
        row.map(|row| &row.of)
    }

    pub(crate) fn get(&self, key: &str) -> Option<Node<'d>> {
        let (key, value) = self.table.get_key_value(key)?;
        Some(Node {
            doc: self.doc,
            name: key.get_ref(),
            is_item: false,
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
}
