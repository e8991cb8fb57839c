//! JSON Schemas of files, for editors that complete and check TOML.

use photofinish_model::settings::{Group, Kind, RaceLayer};
use serde_json::{Map, Value as Json, json};

use super::{Key, Of, hosts, study, target};

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
        schema.insert("title".to_owned(), self.what.into());
        Json::Object(schema)
    }
}

fn study_file() -> Map<String, Json> {
    let mut schema = table(study::STUDY);
    let mut settings = Map::new();
    for row in RaceLayer::ROWS {
        let Some(key) = row.key else { continue };
        let of = match row.kind {
            Kind::Cpus => json!({ "anyOf": [row.kind.schema(), table(study::LANES)] }),
            _ => row.kind.schema(),
        };
        let of = described(of, row.meaning());
        match key.split_once('.') {
            None => {
                settings.insert(key.to_owned(), of);
            }
            Some((table, key)) => {
                let inner = settings.entry(table).or_insert_with(
                    || json!({ "type": "object", "additionalProperties": false, "properties": {} }),
                );
                inner["properties"][key] = of;
            }
        }
    }
    if let Some(Json::Object(properties)) = schema.get_mut("properties") {
        properties.extend(settings);
    }
    schema
}

fn table(keys: &[Key]) -> Map<String, Json> {
    let properties = keys.iter().map(|key| {
        let mut schema = described(of(&key.of), key.meaning());
        if let Some(default) = key.default() {
            schema["default"] = json!(default);
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

fn described(mut schema: Json, meaning: String) -> Json {
    schema["description"] = meaning.into();
    schema
}

fn of(of: &Of) -> Json {
    let text = || json!({ "type": "string" });
    let one_or_more = |one: Json| json!({ "anyOf": [one, { "type": "array", "items": one }] });
    match of {
        Of::Value(kind) => kind.schema(),
        Of::Text | Of::Label => text(),
        Of::Word(words) => json!({ "enum": words }),
        Of::Texts => one_or_more(text()),
        Of::List(says) => json!({ "title": says, "type": "array", "items": text() }),
        Of::Strings => json!({ "type": "object", "additionalProperties": text() }),
        Of::Count(bounds) => count(bounds.start(), bounds.end()),
        Of::Counts(bounds) => one_or_more(count(bounds.start(), bounds.end())),
        Of::Rates => one_or_more(json!({ "type": ["number", "string"] })),
        Of::Number(says) => json!({ "title": says, "type": ["number", "string"] }),
        Of::Table(keys) => table(keys).into(),
        Of::Tables(keys) => json!({ "type": "array", "items": table(keys) }),
        Of::Named(keys) => json!({ "type": "object", "additionalProperties": table(keys) }),
        Of::Entries(keys) => {
            json!({ "type": "array", "items": { "anyOf": [text(), table(keys)] } })
        }
        Of::AnyTable(kinds) => any(kinds),
        Of::AnyTables(kinds) => one_or_more(any(kinds)),
        Of::Free(says) => json!({ "title": says }),
    }
}

fn any(kinds: &[&[Key]]) -> Json {
    let kinds: Vec<Map<String, Json>> = kinds.iter().map(|keys| table(keys)).collect();
    json!({ "anyOf": kinds })
}

fn count(least: &u32, most: &u32) -> Json {
    json!({ "type": ["integer", "string"], "minimum": least, "maximum": most })
}
