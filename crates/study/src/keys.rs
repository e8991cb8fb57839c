//! The keys of files, each declared once: its name, type, bounds, default, meaning and an example. The reader takes all of them from
//! these rows; the reference and the JSON Schemas of the files are made from them. Keys of settings come from their own table.

pub(crate) mod hosts;
mod schema;
pub(crate) mod study;
pub(crate) mod target;

use std::ops::RangeInclusive;

use photofinish_model::settings::{Group, Kind, Numbers, RaceLayer, Row, Value};

pub use schema::{FILES, FileSchema};

/// A key of a table in a file.
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) of: Of,
    pub(crate) absent: Absent,
    doc: &'static str,
    pub(crate) example: &'static str,
}

/// What stands under a key.
pub(crate) enum Of {
    /// A value as settings have it.
    Value(Kind),
    /// The value of a setting that has a flag too.
    Setting(&'static Kind),
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
    /// One or more whole numbers, also as strings such as `"10k"`.
    Counts(RangeInclusive<u32>),
    /// A list of whole numbers, which is called so.
    Integers(&'static str, RangeInclusive<u32>),
    /// A table of whole numbers.
    NamedIntegers(RangeInclusive<u32>),
    /// One or more numbers per second, also as strings such as `"20k"`.
    Rates(Numbers),
    /// A table.
    Table(&'static [Key]),
    /// A list of tables.
    Tables(&'static [Key]),
    /// A table of named tables.
    Named(&'static [Key]),
    /// A list of strings and tables.
    Entries(&'static [Key]),
    /// A table of settings.
    Settings,
    /// A table of one of these kinds.
    AnyTable(&'static [&'static [Key]]),
    /// One or more of them.
    AnyTables(&'static [&'static [Key]]),
}

/// What holds without the key.
#[derive(Clone, Copy)]
pub(crate) enum Absent {
    /// Nothing: it must be there.
    Refused,
    /// In words.
    Says(&'static str),
    /// This value.
    Is(fn() -> Value),
    /// The default of a setting.
    Setting(&'static Row),
}

pub(crate) const NEEDED: Absent = Absent::Refused;

pub(crate) const fn says(text: &'static str) -> Absent {
    Absent::Says(text)
}

pub(crate) const fn is(value: fn() -> Value) -> Absent {
    Absent::Is(value)
}

/// Makes the rows of a table: a key by itself, or `"key" => ROWS`, which is a setting's.
macro_rules! keys {
    ($($(#[doc = $doc:literal])* $name:literal $(: $of:expr, $absent:expr, $example:expr)? $(=> $rows:expr)?;)+) => {
        &[$($crate::keys::key!([$($doc)*] $name $(, $of, $absent, $example)? $(=> $rows)?),)+]
    };
}
macro_rules! key {
    ([$($doc:literal)+] $name:literal, $of:expr, $absent:expr, $example:expr) => {
        $crate::keys::Key {
            name: $name,
            of: $of,
            absent: $absent,
            doc: concat!($($doc, "\n"),+),
            example: $example,
        }
    };
    ([] $name:literal => $rows:expr) => {
        $crate::keys::Key::of_setting($rows, $name)
    };
}
pub(crate) use key;
pub(crate) use keys;

impl Key {
    /// The key of this name among settings that have flags too.
    pub(crate) const fn of_setting(rows: &'static [Row], name: &str) -> Key {
        let mut at = 0;
        while at < rows.len() {
            if let Some(key) = rows[at].key
                && is_same(key, name)
            {
                let row = &rows[at];
                return Key {
                    name: key,
                    of: Of::Setting(&row.kind),
                    absent: Absent::Setting(row),
                    doc: "",
                    example: row.example,
                };
            }
            at += 1;
        }
        panic!("no setting has this key")
    }

    /// What it means, in one line.
    pub(crate) fn meaning(&self) -> String {
        if let Absent::Setting(row) = self.absent {
            return row.meaning();
        }
        let words: Vec<&str> = self.doc.split_whitespace().collect();
        words.join(" ")
    }

    /// Whether it must be there.
    pub(crate) fn is_needed(&self) -> bool {
        matches!(self.absent, Absent::Refused)
    }

    /// Its default, if that is a value.
    pub(crate) fn default(&self) -> Option<Value> {
        match self.absent {
            Absent::Is(value) => Some(value()),
            Absent::Setting(row) => row.default(),
            Absent::Refused | Absent::Says(_) => None,
        }
    }
}

/// The settings in a table of a study, or at its top, each with its key there.
pub(crate) fn settings(table: Option<&str>) -> Vec<(&'static str, &'static Row)> {
    let here = RaceLayer::ROWS.iter().filter_map(|row| {
        let key = row.key?;
        let (of, key) = match key.split_once('.') {
            None => (None, key),
            Some((of, key)) => (Some(of), key),
        };
        (of == table).then_some((key, row))
    });
    here.collect()
}

/// Whether a file has a list of tables of this name.
pub(crate) fn is_list_of_tables(name: &str) -> bool {
    let mut keys = study::STUDY.iter().chain(hosts::HOSTS);
    keys.any(|key| key.name == name && matches!(key.of, Of::Tables(_) | Of::AnyTables(_)))
}

/// Whether two texts are the same, which `==` cannot tell in a constant.
const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

#[cfg(test)]
impl Key {
    /// Its row in a reference of names alone.
    pub(crate) fn short_row(&self) -> String {
        format!(
            "| `{}` | {} | `{}` |",
            self.name,
            self.meaning(),
            self.example
        )
    }

    /// Its row in the reference.
    pub(crate) fn row(&self) -> String {
        let default = match self.absent {
            Absent::Refused => "needed".to_owned(),
            Absent::Says(text) => text.to_owned(),
            Absent::Is(value) => shown(&value()),
            Absent::Setting(row) => row
                .default()
                .map_or_else(|| row.unset.to_owned(), |it| shown(&it)),
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
        Value::Texts(_) | Value::Files(_) => "none".to_owned(),
        Value::Time(_) | Value::Word(_) | Value::Cpus(_) | Value::Text(_) | Value::File(_) => {
            format!("`\"{value}\"`")
        }
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
            Of::Setting(kind) => kind.in_reference(),
            Of::Text | Of::Word(_) => "string".to_owned(),
            Of::Label => "label".to_owned(),
            Of::Texts => "string or list".to_owned(),
            Of::Strings => "table of strings".to_owned(),
            Of::Counts(bounds) => format!("whole number or list, {}", within(bounds)),
            Of::Rates(bounds) => {
                format!("number or list, {}", Kind::Number(bounds.clone()).allowed())
            }
            Of::Table(_) | Of::Settings | Of::AnyTable(_) | Of::NamedIntegers(_) => {
                "table".to_owned()
            }
            Of::Tables(_) | Of::Named(_) | Of::AnyTables(_) => "tables".to_owned(),
            Of::Entries(_) => "list".to_owned(),
            Of::List(says) | Of::Integers(says, _) => (*says).to_owned(),
        }
    }
}
