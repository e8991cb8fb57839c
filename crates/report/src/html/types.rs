//! The page's TypeScript types, made from the JSON Schema of what the page is given.
//!
//! `web/src/types.ts` is what this module makes of the Rust types; the test below fails where it is not. Every type that a report
//! shows has a schema already (`schemars`), so none of them needs a second derive to be known to the page.

use std::collections::{BTreeMap, BTreeSet};

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::Data;

const HEAD: &str = "\
// The types of what the page is given, made from the Rust types of the same names, which say what each field means.
// Do not edit; to make it anew: UPDATE_TYPES=1 cargo test -p photofinish-report page_types
";

/// All types, by name.
fn typescript() -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let schema = settings
        .into_generator()
        .into_root_schema_for::<Data>()
        .to_value();
    let mut types = Map::new();
    if let Some(definitions) = schema["$defs"].as_object() {
        types.extend(definitions.clone());
    }
    types.insert("Data".to_owned(), schema);
    let declared: BTreeMap<String, String> = types
        .iter()
        .map(|(name, schema)| (identifier(name), declaration(name, schema, &types)))
        .collect();
    let mut text = HEAD.to_owned();
    for name in used(&declared) {
        text.push('\n');
        text.push_str(&declared[name]);
    }
    text
}

/// The types that the page's data are made of: what only the arguments of findings have is none of them.
fn used(declared: &BTreeMap<String, String>) -> BTreeSet<&str> {
    let mut used = BTreeSet::new();
    let mut open = vec!["Data"];
    while let Some(name) = open.pop() {
        let Some((name, text)) = declared.get_key_value(name) else {
            continue;
        };
        if used.insert(name.as_str()) {
            open.extend(text.split(|c: char| !c.is_ascii_alphanumeric()));
        }
    }
    used
}

fn declaration(name: &str, schema: &Value, all: &Map<String, Value>) -> String {
    let name = identifier(name);
    if let Some(finding) = name.strip_prefix("MessageFor") {
        let code = code(schema, all);
        let finding = code.unwrap_or_else(|| finding.to_owned());
        return format!(
            "export interface {name} {{\n  finding: {finding};\n  en: string;\n  zh: string;\n}}\n"
        );
    }
    match schema.get("properties") {
        Some(Value::Object(_)) if schema.get("oneOf").is_none() => {
            format!("export interface {name} {}\n", object(schema, ""))
        }
        _ => format!("export type {name} = {};\n", expression(schema, "")),
    }
}

/// What the page is given of a finding: its code alone. `None`: it is one word, and given whole.
fn code(message: &Value, all: &Map<String, Value>) -> Option<String> {
    let reference = message["properties"]["finding"]["$ref"].as_str()?;
    let finding = all.get(reference.rsplit('/').next()?)?;
    if finding["type"] == "string" || finding["oneOf"][0]["type"] == "string" {
        return None;
    }
    let variants = finding["oneOf"].as_array().into_iter().flatten();
    let codes: Vec<String> = variants
        .filter_map(|variant| Some(variant["properties"]["code"].get("const")?.to_string()))
        .collect();
    Some(match codes.is_empty() {
        true => "object".to_owned(),
        false => format!("{{ code: {} }}", codes.join(" | ")),
    })
}

/// The name of a type: `Message_for_Headline` is `MessageForHeadline`.
fn identifier(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    words
        .map(|word| {
            let (first, rest) = word.split_at(usize::from(!word.is_empty()));
            first.to_uppercase() + rest
        })
        .collect()
}

/// An object's properties between braces.
fn object(schema: &Value, indent: &str) -> String {
    let inner = format!("{indent}  ");
    let required: Vec<&str> = (schema["required"].as_array().into_iter().flatten())
        .filter_map(Value::as_str)
        .collect();
    let mut text = "{\n".to_owned();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let optional = if required.contains(&name.as_str()) {
            ""
        } else {
            "?"
        };
        let key = match name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            true => name.clone(),
            false => format!("{name:?}"),
        };
        text.push_str(&format!(
            "{inner}{key}{optional}: {};\n",
            expression(property, &inner)
        ));
    }
    text + indent + "}"
}

fn expression(schema: &Value, indent: &str) -> String {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let name = identifier(reference.rsplit('/').next().unwrap_or_default());
        // The arguments of a variant whose tag stands beside them.
        return match schema.get("properties") {
            Some(_) => format!("{name} & {}", object(schema, indent)),
            None => name,
        };
    }
    if let Some(constant) = schema.get("const") {
        return constant.to_string();
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return union(values.iter().map(Value::to_string));
    }
    for several in ["oneOf", "anyOf"] {
        if let Some(parts) = schema.get(several).and_then(Value::as_array) {
            return union(parts.iter().map(|part| expression(part, indent)));
        }
    }
    match &schema["type"] {
        Value::Array(kinds) => union(kinds.iter().map(|kind| of_kind(kind, schema, indent))),
        kind => of_kind(kind, schema, indent),
    }
}

/// Each once: a list of strings of which one has a comment of its own comes in several pieces.
fn union(parts: impl Iterator<Item = String>) -> String {
    let mut all: Vec<String> = Vec::new();
    for part in parts {
        if !all.contains(&part) {
            all.push(part);
        }
    }
    all.join(" | ")
}

fn of_kind(kind: &Value, schema: &Value, indent: &str) -> String {
    match kind.as_str() {
        Some("string") => "string".to_owned(),
        Some("number" | "integer") => "number".to_owned(),
        Some("boolean") => "boolean".to_owned(),
        Some("null") => "null".to_owned(),
        Some("array") => match schema.get("prefixItems").and_then(Value::as_array) {
            Some(items) => {
                let items: Vec<String> = items.iter().map(|i| expression(i, indent)).collect();
                format!("[{}]", items.join(", "))
            }
            None => format!("Array<{}>", expression(&schema["items"], indent)),
        },
        Some("object") => map_or_object(schema, indent),
        _ => "unknown".to_owned(),
    }
}

fn map_or_object(schema: &Value, indent: &str) -> String {
    if schema.get("properties").is_some() {
        return object(schema, indent);
    }
    let values = match &schema["additionalProperties"] {
        Value::Object(_) => expression(&schema["additionalProperties"], indent),
        _ => "unknown".to_owned(),
    };
    match schema.get("propertyNames") {
        Some(names) => format!("Partial<Record<{}, {values}>>", expression(names, indent)),
        None => format!("Record<string, {values}>"),
    }
}

#[test]
fn page_types_on_disk_are_those_of_the_code() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/src/types.ts");
    let generated = typescript();
    if std::env::var_os("UPDATE_TYPES").is_some() {
        std::fs::write(path, &generated).expect("web/src can be written");
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == generated,
        "web/src/types.ts is not what the Rust types say; make it anew with\n\
         UPDATE_TYPES=1 cargo test -p photofinish-report page_types\n\
         and build the page anew (see web/README.md)"
    );
}
