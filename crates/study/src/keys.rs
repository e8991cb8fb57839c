//! The keys of files, each declared once: its name, type, bounds, default, meaning and an example. The reader takes keys and bounds from
//! these rows; the reference and the JSON Schemas of the files are made from them. Keys of settings come from their own table.

pub(crate) mod hosts;
mod schema;
pub(crate) mod study;
pub(crate) mod target;

use std::ops::RangeInclusive;

use photofinish_model::settings::{Kind, Value};

pub use schema::{FILES, FileSchema};

/// A key of a table in a file.
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) of: Of,
    pub(crate) default: Default,
    doc: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "only the reference shows it"))]
    example: &'static str,
}

/// What stands under a key.
pub(crate) enum Of {
    /// A value as settings have it.
    Value(Kind),
    /// A string.
    Text,
    /// The label or name of something else in the file.
    Label,
    /// One of some strings.
    Word(&'static [&'static str]),
    /// A string or a list of them.
    Texts,
    /// A list of strings.
    List(&'static str),
    /// A table of strings.
    Strings,
    /// A whole number, also as a string such as `"10k"`.
    Count(RangeInclusive<u32>),
    /// One or more of them.
    Counts(RangeInclusive<u32>),
    /// One or more rates.
    Rates,
    /// A number, and which.
    Number(&'static str),
    /// A table.
    Table(&'static [Key]),
    /// A list of tables.
    Tables(&'static [Key]),
    /// A table of named tables.
    Named(&'static [Key]),
    /// A list of strings and tables.
    Entries(&'static [Key]),
    /// A table of one of these kinds.
    AnyTable(&'static [&'static [Key]]),
    /// One or more of them.
    AnyTables(&'static [&'static [Key]]),
    /// Something else, in words.
    Free(&'static str),
}

/// What holds without the key.
pub(crate) enum Default {
    /// In words; `needed` first if it must be there.
    Says(&'static str),
    /// This value.
    Is(fn() -> Value),
}

pub(crate) const fn says(text: &'static str) -> Default {
    Default::Says(text)
}

pub(crate) const fn is(value: fn() -> Value) -> Default {
    Default::Is(value)
}

/// Makes the rows of a table.
macro_rules! keys {
    ($($(#[doc = $doc:literal])+ $name:literal: $of:expr, $default:expr, $example:expr;)+) => {
        &[$($crate::keys::Key {
            name: $name,
            of: $of,
            default: $default,
            doc: concat!($($doc, "\n"),+),
            example: $example,
        },)+]
    };
}
pub(crate) use keys;

impl Key {
    /// What it means, in one line.
    pub(crate) fn meaning(&self) -> String {
        let words: Vec<&str> = self.doc.split_whitespace().collect();
        words.join(" ")
    }

    /// Whether it must be there.
    pub(crate) fn is_needed(&self) -> bool {
        matches!(self.default, Default::Says("needed"))
    }

    /// Its default, if that is a value.
    pub(crate) fn default(&self) -> Option<Value> {
        match self.default {
            Default::Says(_) => None,
            Default::Is(value) => Some(value()),
        }
    }
}

#[cfg(test)]
impl Key {
    /// Its row in the reference.
    pub(crate) fn row(&self) -> String {
        let default = match self.default {
            Default::Says(text) => text.to_owned(),
            Default::Is(value) => shown(&value()),
        };
        let (name, of, example) = (self.name, self.of.in_words(), self.example);
        format!(
            "| `{name}` | {of} | {default} | {} | `{example}` |",
            self.meaning()
        )
    }
}

/// A value as a file has it.
#[cfg(test)]
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Time(_) | Value::Word(_) | Value::Cpus(_) => format!("`\"{value}\"`"),
        Value::Switch(_) | Value::Count(_) | Value::Number(_) => value.to_string(),
    }
}

#[cfg(test)]
impl Of {
    fn in_words(&self) -> String {
        let within =
            |bounds: &RangeInclusive<u32>| format!("{} to {}", bounds.start(), bounds.end());
        match self {
            Of::Value(kind) => kind.in_reference(),
            Of::Text | Of::Word(_) => "string".to_owned(),
            Of::Label => "label".to_owned(),
            Of::Texts => "string or list".to_owned(),
            Of::Strings => "table of strings".to_owned(),
            Of::Count(bounds) => format!("whole number, {}", within(bounds)),
            Of::Counts(bounds) => format!("whole number or list, {}", within(bounds)),
            Of::Rates => format!("number or list, up to {}", crate::levels::MAX_RATE),
            Of::Number(says) => format!("number, {says}"),
            Of::Table(_) | Of::AnyTable(_) => "table".to_owned(),
            Of::Tables(_) | Of::Named(_) | Of::AnyTables(_) => "tables".to_owned(),
            Of::Entries(_) => "list".to_owned(),
            Of::List(says) | Of::Free(says) => (*says).to_owned(),
        }
    }
}
