//! Settings, each declared once: its name, type, bounds, defaults, help text, and where it may stand.
//!
//! `settings!` makes from a table: the struct of all settings as a run has them, the struct of a layer that gives some of them, and
//! `ROWS`. Flags, file keys, the reference, JSON Schemas, `study.json` and the comparison of two runs follow from the rows.

mod cpu_sets;
mod kind;
mod output;
mod race;
mod request;
mod row;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use schemars::Schema;
use serde::de::Error as _;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serializer};

pub use cpu_sets::{CpuSets, CpuSetsError, MAX_CORE};
pub use kind::{ABOVE_ZERO, Kind, Numbers, ValueError};
pub use output::*;
pub use race::*;
pub use request::*;
pub use row::{Flag, LEAVE_OUT, Row};

use crate::worded::Worded;

/// A value of any setting.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Whether something is done.
    Switch(bool),
    /// How many.
    Count(u32),
    /// How long.
    Time(Duration),
    /// A number.
    Number(f64),
    /// One of some words.
    Word(&'static str),
    /// A text.
    Text(String),
    /// Several texts.
    Texts(Vec<String>),
    /// A file.
    File(PathBuf),
    /// Several files or folders.
    Files(Vec<PathBuf>),
    /// Cores.
    Cpus(CpuSets),
}

/// A type that a setting may have.
pub trait Setting: Sized {
    /// The value, if it is one of this type.
    fn from_value(value: Value) -> Option<Self>;

    /// The value; `None` if there is none.
    fn to_value(&self) -> Option<Value>;
}

macro_rules! setting_types {
    ($($type:ty, $variant:ident;)+) => { $(
        impl Setting for $type {
            fn from_value(value: Value) -> Option<Self> {
                match value {
                    Value::$variant(value) => Some(value),
                    _ => None,
                }
            }

            fn to_value(&self) -> Option<Value> {
                Some(Value::$variant(self.clone()))
            }
        }
    )+ };
}

setting_types! {
    bool, Switch;
    u32, Count;
    Duration, Time;
    f64, Number;
    String, Text;
    Vec<String>, Texts;
    PathBuf, File;
    Vec<PathBuf>, Files;
    CpuSets, Cpus;
}

impl<C: Worded> Setting for C {
    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Word(word) => C::parse(word),
            _ => None,
        }
    }

    fn to_value(&self) -> Option<Value> {
        Some(Value::Word(self.word()))
    }
}

impl<T: Setting> Setting for Option<T> {
    fn from_value(value: Value) -> Option<Self> {
        T::from_value(value).map(Some)
    }

    fn to_value(&self) -> Option<Value> {
        self.as_ref()?.to_value()
    }
}

/// Where a value comes from: the layers, the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Nobody.
    Default,
    /// A file, in this line.
    File(usize),
    /// `--smoke`.
    Smoke,
    /// A flag.
    Flag,
}

impl Origin {
    /// Whether values of the other layer replace values of this one.
    pub fn is_below(self, other: Origin) -> bool {
        let rank = |origin| match origin {
            Origin::Default => 0,
            Origin::File(_) => 1,
            Origin::Smoke => 2,
            Origin::Flag => 3,
        };
        rank(self) < rank(other)
    }
}

/// A value with the layer that gave it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Set<T> {
    /// The value.
    pub value: T,
    /// Where it comes from.
    pub from: Origin,
}

impl<T> Set<T> {
    /// A value that holds if nobody gives one.
    pub fn default_of(value: T) -> Option<Set<T>> {
        Some(Set {
            value,
            from: Origin::Default,
        })
    }

    /// A value that a flag gives.
    pub fn flag(value: T) -> Option<Set<T>> {
        Some(Set {
            value,
            from: Origin::Flag,
        })
    }
}

/// A group of settings, some of which a layer gives.
pub trait Group: Clone + fmt::Debug {
    /// The settings, each with a value.
    type All: Clone + fmt::Debug;

    /// Under which heading its flags stand in help; empty: under none.
    const HEADING: &'static str;
    /// Whose values its flags replace, such as `the study's`; empty: nobody's.
    const BELOW: &'static str;
    /// Its settings.
    const ROWS: &'static [Row];

    /// Reads each setting by its row.
    fn read(get: impl FnMut(&'static Row) -> Option<(Value, Origin)>) -> Self;

    /// What is given, in the order of the rows.
    fn given(&self) -> Vec<(&'static Row, Set<Option<Value>>)>;

    /// The settings, with defaults for what is not given.
    fn complete(self) -> Self::All;

    /// What nobody has to give, and what replaces that for `compare`.
    fn defaults() -> [Self; 2];
}

/// A setting that two runs differ in.
#[derive(Clone, Debug)]
pub struct Different {
    /// Its key or its name.
    pub name: &'static str,
    /// The setting.
    pub row: &'static Row,
    /// What it was; `None`: it had no value.
    pub was: Option<String>,
    /// What it is.
    pub is: Option<String>,
}

/// The settings that differ.
pub fn different(was: &RaceSettings, is: &RaceSettings) -> Vec<Different> {
    let both = was.values().into_iter().zip(is.values());
    let differ = both.filter(|((_, was), (_, is))| was != is);
    differ
        .map(|((row, was), (_, is))| Different {
            name: row.key.unwrap_or(row.name),
            row,
            was: was.map(|value| value.to_string()),
            is: is.map(|value| value.to_string()),
        })
        .collect()
}

/// Makes the structs of a table.
macro_rules! settings {
    ($(#[doc = $about:literal])+ $all:ident, $layer:ident, $heading:literal, over $below:literal;
     $($(#[doc = $doc:literal])+
       $name:ident: $type:ty [$default:expr $(, compare $compare:expr)?] $kind:expr => { $($place:tt)* };)+) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq)]
        pub struct $all {
            $($(#[doc = $doc])+ pub $name: $type,)+
        }

        /// What one layer gives of the settings.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $layer {
            $($(#[doc = $doc])+ pub $name: Option<$crate::settings::Set<$type>>,)+
        }

        impl $all {
            /// The values, in the order of the rows; `None` for a setting without one.
            pub fn values(&self) -> Vec<(&'static $crate::settings::Row, Option<$crate::settings::Value>)> {
                let values = [$($crate::settings::Setting::to_value(&self.$name),)+];
                <$layer as $crate::settings::Group>::ROWS.iter().zip(values).collect()
            }
        }

        impl Default for $all {
            fn default() -> $all {
                $all { $($name: $default,)+ }
            }
        }

        impl $layer {
            /// What this layer gives, and what the other one gives of the rest.
            #[must_use]
            pub fn over(self, below: $layer) -> $layer {
                $layer { $($name: self.$name.or(below.$name),)+ }
            }
        }

        impl $crate::settings::Group for $layer {
            type All = $all;

            const HEADING: &'static str = $heading;
            const BELOW: &'static str = $below;
            const ROWS: &'static [$crate::settings::Row] = &[
                $($crate::settings::Row::new(stringify!($name), concat!($($doc, "\n"),+), $kind, || {
                    let default: $type = $default;
                    $crate::settings::Setting::to_value(&default)
                }) $($place)*,)+
            ];

            fn read(
                mut get: impl FnMut(&'static $crate::settings::Row) -> Option<($crate::settings::Value, $crate::settings::Origin)>,
            ) -> $layer {
                let mut rows = Self::ROWS.iter();
                $layer {
                    $($name: rows.next().and_then(&mut get).and_then(|(value, from)| {
                        let value = $crate::settings::Setting::from_value(value)?;
                        Some($crate::settings::Set { value, from })
                    }),)+
                }
            }

            fn given(&self) -> Vec<(&'static $crate::settings::Row, $crate::settings::Set<Option<$crate::settings::Value>>)> {
                let given = [$(self.$name.as_ref().map(|set| $crate::settings::Set {
                    value: $crate::settings::Setting::to_value(&set.value),
                    from: set.from,
                }),)+];
                let rows = Self::ROWS.iter().zip(given);
                rows.filter_map(|(row, set)| Some((row, set?))).collect()
            }

            fn complete(self) -> $all {
                $all { $($name: self.$name.map_or_else(|| $default, |set| set.value),)+ }
            }

            fn defaults() -> [$layer; 2] {
                let default = $layer { $($name: $crate::settings::Set::default_of($default),)+ };
                let of_compare = $layer {
                    $($name: None $(.or($crate::settings::Set::default_of($compare)))?,)+
                };
                [default, of_compare]
            }
        }

        impl serde::Serialize for $all {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                $crate::settings::write(&self.values(), to)
            }
        }

        impl<'de> serde::Deserialize<'de> for $all {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<$all, D::Error> {
                let layer: $layer = $crate::settings::read(from)?;
                Ok($crate::settings::Group::complete(layer))
            }
        }

        impl schemars::JsonSchema for $all {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($all).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let about = concat!($($about),+);
                $crate::settings::schema(about.trim(), <$layer as $crate::settings::Group>::ROWS)
            }
        }
    };
}
pub(crate) use settings;

fn write<S: Serializer>(
    values: &[(&'static Row, Option<Value>)],
    to: S,
) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(Some(values.len()))?;
    for (row, value) in values {
        map.serialize_entry(row.name, value)?;
    }
    map.end()
}

fn read<'de, G: Group, D: Deserializer<'de>>(from: D) -> Result<G, D::Error> {
    let written = serde_json::Map::deserialize(from)?;
    let mut wrong = None;
    let group = G::read(|row| {
        let json = written.get(row.name).filter(|json| !json.is_null())?;
        let value = row.kind.read_json(json);
        if value.is_none() {
            wrong.get_or_insert(format!("`{}` cannot be {json}", row.name));
        }
        Some((value?, Origin::Default))
    });
    match wrong {
        None => Ok(group),
        Some(wrong) => Err(D::Error::custom(wrong)),
    }
}

fn schema(about: &str, rows: &[Row]) -> Schema {
    let mut properties = serde_json::Map::new();
    for row in rows {
        let mut schema = row.kind.schema();
        if let Some(schema) = schema.as_object_mut() {
            schema.insert("description".to_owned(), row.meaning().into());
        }
        properties.insert(row.name.to_owned(), schema);
    }
    schemars::json_schema!({ "description": about, "type": "object", "properties": properties })
}
