//! JSON Schemas of files, for editors that complete and check TOML.

use std::ops::RangeInclusive;

use photofinish_model::settings::Kind;
use serde_json::{Map, Value as Json, json};

use super::{Absent, Key, Of, hosts, study, target};

/// The JSON Schema of a kind of file.
#[derive(Clone, Copy, Debug)]
pub struct FileSchema {
    /// Its name.
    pub name: &'static str,
    /// Which files, in a line.
    pub what: &'static str,
    make: fn() -> Map<String, Json>,
}

/// All kinds of files.
pub const FILES: [FileSchema; 3] = [
    FileSchema {
        name: "study-file",
        what: "studies/NAME.toml",
        make: study_file,
    },
    FileSchema {
        name: "target-file",
        what: "targets/NAME/target.toml",
        make: || table(target::TARGET),
    },
    FileSchema {
        name: "hosts-file",
        what: "the file of --on",
        make: || table(hosts::HOSTS),
    },
];

impl FileSchema {
    /// The schema, of draft 2020-12.
    pub fn schema(&self) -> Json {
        let mut schema = (self.make)();
        let dialect = "https://json-schema.org/draft/2020-12/schema";
        schema.insert("$schema".to_owned(), dialect.into());
        let id = format!("urn:photofinish:{}:1", self.name);
        schema.insert("$id".to_owned(), id.into());
        schema.insert("title".to_owned(), self.what.into());
        Json::Object(schema)
    }
}

fn study_file() -> Map<String, Json> {
    let mut schema = table(study::STUDY);
    if let Some(Json::Object(properties)) = schema.get_mut("properties") {
        properties.extend(settings(None));
    }
    schema
}

/// The settings in a table of a study, or at its top.
fn settings(table_of: Option<&str>) -> Map<String, Json> {
    let rows = super::settings(table_of).into_iter();
    let schemas = rows.map(|(name, row)| {
        let of = match row.kind {
            Kind::Cpus => json!({ "anyOf": [row.kind.schema(), table(study::LANES)] }),
            _ => row.kind.schema(),
        };
        (name.to_owned(), described(of, row.meaning()))
    });
    schemas.collect()
}

fn table(keys: &[Key]) -> Map<String, Json> {
    let properties = keys.iter().map(|key| {
        let mut schema = described(of(key), key.meaning());
        match key.absent {
            Absent::Refused => {}
            Absent::Is(value) => schema["default"] = json!(value()),
            Absent::Says(text) => describe_default(&mut schema, text),
            Absent::Setting(row) => match row.default() {
                Some(value) => schema["default"] = json!(value),
                None => describe_default(&mut schema, row.unset),
            },
        }
        (key.name.to_owned(), schema)
    });
    let needed = keys.iter().filter(|key| key.is_needed());
    let needed: Vec<&str> = needed.map(|key| key.name).collect();
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": properties.collect::<Map<String, Json>>(),
        "required": needed,
    });
    match schema {
        Json::Object(schema) => schema,
        _ => Map::new(),
    }
}

fn describe_default(schema: &mut Json, text: &str) {
    let meaning = schema["description"].as_str().unwrap_or_default();
    schema["description"] = format!("{meaning} [default: {text}]").into();
}

fn described(mut schema: Json, meaning: String) -> Json {
    schema["description"] = meaning.into();
    schema
}

fn of(key: &Key) -> Json {
    let text = || json!({ "type": "string" });
    let one_or_more = |one: Json| json!({ "anyOf": [one, { "type": "array", "items": one }] });
    match &key.of {
        Of::Value(kind) => kind.schema(),
        Of::Setting(kind) => kind.schema(),
        Of::Text | Of::Label => text(),
        Of::Word(words) => json!({ "enum": words }),
        Of::Texts => one_or_more(text()),
        Of::List(says) => json!({ "title": says, "type": "array", "items": text() }),
        Of::Strings => json!({ "type": "object", "additionalProperties": text() }),
        Of::Counts(bounds) => one_or_more(Kind::Amount(bounds.clone()).schema()),
        Of::Integers(says, bounds) => {
            json!({ "title": says, "type": "array", "items": integer(bounds) })
        }
        Of::NamedIntegers(bounds) => {
            json!({ "type": "object", "additionalProperties": integer(bounds) })
        }
        Of::Rates(bounds) => one_or_more(Kind::Rate(bounds.clone()).schema()),
        Of::Table(keys) => table(keys).into(),
        Of::Settings => {
            let properties = settings(Some(key.name));
            json!({ "type": "object", "additionalProperties": false, "properties": properties })
        }
        Of::Tables(keys) => json!({ "type": "array", "items": table(keys) }),
        Of::Named(keys) => json!({ "type": "object", "additionalProperties": table(keys) }),
        Of::Entries(keys) => {
            json!({ "type": "array", "items": { "anyOf": [text(), table(keys)] } })
        }
        Of::AnyTable(kinds) => any(kinds),
        Of::AnyTables(kinds) => one_or_more(any(kinds)),
    }
}

fn any(kinds: &[&[Key]]) -> Json {
    let kinds: Vec<Map<String, Json>> = kinds.iter().map(|keys| table(keys)).collect();
    json!({ "anyOf": kinds })
}

fn integer(bounds: &RangeInclusive<u32>) -> Json {
    json!({ "type": "integer", "minimum": bounds.start(), "maximum": bounds.end() })
}
