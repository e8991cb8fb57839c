//! Reading TOML with a place for every mistake.
//!
//! serde's messages for a wrong type or an unknown key name neither what is allowed nor, in
//! nested tables, the right place, and serde stops at the first. So the parsed tree is walked by
//! hand: each step that fails notes a [`Problem`] and goes on, and a file's mistakes are reported
//! all at once.

pub(crate) mod hide;
mod node;
mod tables;

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::sync::Arc;

use miette::NamedSource;
use photofinish_model::settings::Setting;
use photofinish_model::text::{clean, masked};
use toml::Spanned;
use toml::de::DeTable;

use crate::error::Problem;
use crate::keys::{self, Key};
use crate::nearest::{advice_of, nearest};
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
            let help = self.of_brackets(span.start);
            self.note(span, message, help);
        }
        errors.is_empty().then_some(table)
    }

    /// What to write instead of `[workload]`, if that stands in the line of a mistake: a second one is a key twice.
    fn of_brackets(&self, at: usize) -> String {
        let before = self.text.get(..at).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = self.text[start..].lines().next().unwrap_or_default();
        let name = line
            .trim()
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        match name {
            Some(name) if keys::is_list_of_tables(name) => {
                format!("write [[{name}]] with two brackets, once for each")
            }
            _ => String::new(),
        }
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
    /// The rows of its keys.
    keys: &'static [Key],
    /// The keys that unknown ones were probably meant for.
    meant: Vec<&'static str>,
}

impl<'d> Section<'d> {
    /// Takes a table and notes every key that is neither among `keys` nor one of `settings`.
    pub(crate) fn new(
        doc: &'d Document,
        table: &'d DeTable<'d>,
        span: Range<usize>,
        what: impl Into<String>,
        (keys, settings): (&'static [Key], &[&'static str]),
    ) -> Self {
        let what = what.into();
        let names = keys.iter().map(|key| key.name);
        let allowed: Vec<&'static str> = names.chain(settings.iter().copied()).collect();
        let mut meant = Vec::new();
        for (key, _) in table.iter() {
            let name = key.get_ref().as_ref();
            if !allowed.contains(&name) {
                let near = nearest(name, &allowed);
                let help = advice_of(&near, &format!("keys of {what}"), &allowed);
                doc.note(key.span(), format!("unknown key `{name}`"), help);
                meant.extend(near.first());
            }
        }
        Section {
            doc,
            table,
            span,
            what,
            keys,
            meant,
        }
    }

    /// The row of a key. A setting has none here.
    fn row(&self, key: &str) -> Option<&'static Key> {
        self.keys.iter().find(|row| row.name == key)
    }

    pub(crate) fn get(&self, key: &str) -> Option<Node<'d>> {
        let (key, value) = self.table.get_key_value(key)?;
        Some(Node {
            doc: self.doc,
            name: key.get_ref(),
            is_item: false,
            value,
            row: self.row(key.get_ref()),
        })
    }

    /// The value of a key, within the bounds that its row declares.
    pub(crate) fn value<T: Setting>(&self, key: &str) -> Option<T> {
        self.get(key)?.value()
    }

    /// The value of a key, or the default that its row declares.
    pub(crate) fn value_or_default<T: Setting + Default>(&self, key: &str) -> T {
        let default = self.row(key).and_then(Key::default);
        let value = self.value(key).or_else(|| T::from_value(default?));
        value.unwrap_or_default()
    }

    /// One of the words that a key's row declares.
    pub(crate) fn word(&self, key: &str) -> Option<&'static str> {
        self.get(key)?.word()
    }

    /// A table within this one.
    pub(crate) fn section(&self, key: &str) -> Option<Section<'d>> {
        self.get(key)?.section()
    }

    /// A key that must be there.
    pub(crate) fn need(&self, key: &str) -> Option<Node<'d>> {
        let example = self.row(key).map_or("", |row| row.example);
        self.need_such_as(key, example)
    }

    /// A key that must be there, with an example of its own.
    pub(crate) fn need_such_as(&self, key: &str, example: &str) -> Option<Node<'d>> {
        let found = self.get(key);
        if found.is_none() && !self.is_misspelt(key) {
            self.note(
                format!("{} has no `{key}`", self.what),
                format!("add a line such as: {example}"),
            );
        }
        found
    }

    /// Whether an unknown key was probably meant for this one, so that it is not missing, too.
    pub(crate) fn is_misspelt(&self, key: &str) -> bool {
        self.meant.contains(&key)
    }

    /// Notes a mistake that belongs to the table as a whole.
    pub(crate) fn note(&self, message: impl Into<String>, help: impl Into<String>) {
        self.doc.note(self.span.clone(), message, help);
    }

    /// The text of a key.
    pub(crate) fn text(&self, key: &str) -> Option<&'d str> {
        self.get(key)?.text()
    }

    /// The text of a key that must be there.
    pub(crate) fn need_text(&self, key: &str) -> Option<&'d str> {
        self.need(key)?.text()
    }

    pub(crate) fn text_or(&self, key: &str, default: &str) -> String {
        self.text(key).unwrap_or(default).to_owned()
    }
}
