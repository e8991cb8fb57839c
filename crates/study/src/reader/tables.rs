//! Lists and tables.

use std::ops::Range;

use toml::Spanned;
use toml::de::DeValue;

use super::{Node, Section};
use crate::keys::{Key, Of, settings};
use crate::mistake::Mistake;

/// The most items of a list or a table that are read. No study has a tenth of that, and what is compared with each of the others would
/// take minutes for as many as a file may hold.
const MOST_ITEMS: usize = 1_000;

impl<'d> Node<'d> {
    /// The items of a list.
    pub(crate) fn list(&self) -> Option<Vec<Node<'d>>> {
        match self.value.get_ref() {
            DeValue::Array(items) => Some(self.items(items)),
            _ => self.wrong_type("a list", &self.whole_example()),
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

    /// A table with the keys that the key's row declares.
    pub(crate) fn section(&self) -> Option<Section<'d>> {
        let row = self.row?;
        let (name, of_file) = (row.name, row.example.starts_with('['));
        let (keys, what) = match row.of {
            Of::Table(keys) if of_file => (keys, format!("[{name}]")),
            Of::Table(keys) => (keys, format!("`{name}`")),
            Of::Tables(keys) => (keys, format!("[[{name}]]")),
            Of::Named(keys) => (keys, format!("[{name}.{}]", self.name)),
            Of::Entries(keys) => (keys, format!("an entry of `{name}`")),
            Of::Settings => {
                let settings = settings(Some(name)).into_iter();
                let names: Vec<&str> = settings.map(|(key, _)| key).collect();
                return self.table(&format!("`{name}`"), (&[], &names));
            }
            _ => return None,
        };
        self.section_of(&what, keys)
    }

    /// A table of one of several kinds.
    pub(crate) fn section_of(&self, what: &str, keys: &'static [Key]) -> Option<Section<'d>> {
        self.table(what, (keys, &[]))
    }

    fn table(&self, what: &str, keys: (&'static [Key], &[&'static str])) -> Option<Section<'d>> {
        match self.value.get_ref() {
            DeValue::Table(table) => Some(Section::new(self.doc, table, self.span(), what, keys)),
            _ => self.wrong_type("a table", &self.whole_example()),
        }
    }

    /// The key with its value as its row shows it.
    fn whole_example(&self) -> String {
        let row = self.row.map(|row| row.example.to_owned());
        row.unwrap_or_else(|| self.example("…"))
    }

    /// The entries of a table whose keys are free, in the order of the file.
    pub(crate) fn entries(&self) -> Vec<Entry<'d>> {
        let DeValue::Table(table) = self.value.get_ref() else {
            return self
                .wrong_type("a table", &self.whole_example())
                .unwrap_or_default();
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
                    row: self.row,
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
    /// Notes what a check of the key found wrong, and what is allowed.
    pub(crate) fn check_key(&self, checked: Result<(), Mistake>) {
        if let Err((problem, allowed)) = checked {
            self.note_key(problem, format!("allowed: {allowed}"));
        }
    }

    /// Notes a mistake in the key.
    pub(crate) fn note_key(&self, message: impl Into<String>, help: impl Into<String>) {
        self.node.doc.note(self.key_span.clone(), message, help);
    }
}
