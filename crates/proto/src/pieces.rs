//! Messages with places: what is the same each time becomes bytes, and what varies a piece of its own.
//!
//! A message's encoding is that of its fields one after the other, so each field is encoded by itself.

use photofinish_model::{Form, Part, Payload, Piece, Template};
use prost::Message as _;
use prost_reflect::{
    Cardinality, DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, ReflectMessage,
    Value as Content,
};
use serde_json::{Map, Value};

use crate::error::Error;

/// How the value of a field is written (protobuf's encoding, 'Message Structure').
mod wire {
    pub const VARINT: u32 = 0;
    pub const FIXED64: u32 = 1;
    pub const MEASURED: u32 = 2;
    pub const GROUP: u32 = 3;
    pub const GROUP_END: u32 = 4;
    pub const FIXED32: u32 = 5;
}

/// A message of this type from JSON with places.
///
/// # Errors
/// If it is none, or has a place where none can be.
pub(crate) fn of_json(descriptor: &MessageDescriptor, json: &str) -> Result<Payload, Error> {
    let value: Value = serde_json::from_str(json).map_err(not(descriptor))?;
    let pieces = message(descriptor, &value, descriptor.full_name())?;
    // With an example in each place it must be a message too.
    let whole = DynamicMessage::deserialize(descriptor.clone(), example(&value))
        .map_err(not(descriptor))?;
    complete(&whole)?;
    Ok(pieces)
}

/// Checks that a message has all of its required fields.
///
/// # Errors
/// With the first that is missing.
pub(crate) fn complete(message: &DynamicMessage) -> Result<(), Error> {
    missing(message).map_or(Ok(()), |field| {
        Err(Error::Json {
            message: message.descriptor().full_name().to_owned(),
            says: format!("the required field `{field}` is missing"),
        })
    })
}

/// A field that must be in the message, or in one within it, and is not (proto2).
fn missing(message: &DynamicMessage) -> Option<String> {
    let descriptor = message.descriptor();
    let mut required =
        (descriptor.fields()).filter(|field| field.cardinality() == Cardinality::Required);
    let own = required.find(|field| !message.has_field(field));
    own.map(|field| field.full_name().to_owned()).or_else(|| {
        message
            .fields()
            .find_map(|(_, value)| missing_within(value))
    })
}

fn missing_within(value: &Content) -> Option<String> {
    match value {
        Content::Message(message) => missing(message),
        Content::List(values) => values.iter().find_map(missing_within),
        Content::Map(entries) => entries.values().find_map(missing_within),
        _ => None,
    }
}

/// For `map_err`: this is no message of that type.
pub(crate) fn not(descriptor: &MessageDescriptor) -> impl Fn(serde_json::Error) -> Error + use<> {
    let name = descriptor.full_name().to_owned();
    move |error| Error::Json {
        message: name.clone(),
        says: error.to_string(),
    }
}

fn varies(value: &Value) -> bool {
    match value {
        Value::String(text) => !Template::parse(text).is_fixed(),
        Value::Array(items) => items.iter().any(varies),
        Value::Object(fields) => {
            (fields.iter()).any(|(key, value)| !Template::parse(key).is_fixed() || varies(value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The same with the largest random numbers, and 1 for counters.
fn example(value: &Value) -> Value {
    match value {
        Value::String(text) => {
            let part = |part: &Part| match part {
                Part::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                Part::Random { high, .. } => high.to_string(),
                Part::Counter => "1".to_owned(),
            };
            Value::String(Template::parse(text).0.iter().map(part).collect())
        }
        Value::Array(items) => items.iter().map(example).collect(),
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| (key.clone(), example(value));
            Value::Object(fields.iter().map(field).collect())
        }
        other => other.clone(),
    }
}

fn message(descriptor: &MessageDescriptor, value: &Value, field: &str) -> Result<Payload, Error> {
    let own_form = descriptor.full_name().starts_with("google.protobuf.");
    let Value::Object(fields) = value else {
        return Err(place(field, OWN_FORM));
    };
    if own_form {
        return Err(place(field, OWN_FORM));
    }
    let mut pieces = Vec::new();
    for (name, value) in fields {
        let found = descriptor
            .get_field_by_json_name(name)
            .or_else(|| descriptor.get_field_by_name(name));
        match found {
            Some(field) if varies(value) => self::field(&field, value, &mut pieces)?,
            // Extensions too.
            _ => pieces.push(fixed(descriptor, name, value)?),
        }
    }
    Ok(Payload(pieces))
}

const OWN_FORM: &str = "the JSON of this type has a form of its own, in which nothing can be filled in; write it without a place";

/// A field whose value is the same each time.
fn fixed(descriptor: &MessageDescriptor, name: &str, value: &Value) -> Result<Piece, Error> {
    let alone = Value::Object(Map::from_iter([(name.to_owned(), value.clone())]));
    let message =
        DynamicMessage::deserialize(descriptor.clone(), alone).map_err(not(descriptor))?;
    Ok(bytes(message.encode_to_vec()))
}

/// A field whose value varies.
fn field(field: &FieldDescriptor, value: &Value, into: &mut Vec<Piece>) -> Result<(), Error> {
    let of = field.parent_message();
    match value {
        Value::Object(entries) if field.is_map() => {
            for (key, value) in entries {
                if !Template::parse(key).is_fixed() {
                    return Err(place(
                        field.name(),
                        "a map's keys cannot vary; write them as they are",
                    ));
                }
                if !varies(value) {
                    let one = Value::Object(Map::from_iter([(key.clone(), value.clone())]));
                    into.push(fixed(of, field.name(), &one)?);
                    continue;
                }
                // An entry is a message of two fields.
                let Kind::Message(entry) = field.kind() else {
                    continue;
                };
                let mut pieces = vec![fixed(&entry, "key", &Value::String(key.clone()))?];
                one(&entry.map_entry_value_field(), value, &mut pieces)?;
                into.push(tag(field, wire::MEASURED));
                into.push(Piece::Measured(Payload(pieces)));
            }
            Ok(())
        }
        Value::Array(items) if field.is_list() => {
            for item in items {
                match varies(item) {
                    true => one(field, item, into)?,
                    false => into.push(fixed(of, field.name(), &Value::Array(vec![item.clone()]))?),
                }
            }
            Ok(())
        }
        value => one(field, value, into),
    }
}

/// One value of a field. Whoever reads packed numbers reads single ones too.
fn one(field: &FieldDescriptor, value: &Value, into: &mut Vec<Piece>) -> Result<(), Error> {
    let (form, wire) = match field.kind() {
        Kind::Message(inner) if field.is_group() => {
            into.push(tag(field, wire::GROUP));
            into.extend(message(&inner, value, field.name())?.0);
            into.push(tag(field, wire::GROUP_END));
            return Ok(());
        }
        Kind::Message(inner) => {
            into.push(tag(field, wire::MEASURED));
            into.push(Piece::Measured(message(&inner, value, field.name())?));
            return Ok(());
        }
        Kind::String => {
            let parts = text(value).0.into_iter().map(Piece::Part).collect();
            into.push(tag(field, wire::MEASURED));
            into.push(Piece::Measured(Payload(parts)));
            return Ok(());
        }
        Kind::Int32 | Kind::Int64 | Kind::Uint32 | Kind::Uint64 => (Form::Varint, wire::VARINT),
        Kind::Sint32 | Kind::Sint64 => (Form::Zigzag, wire::VARINT),
        Kind::Fixed32 | Kind::Sfixed32 => (Form::Fixed32, wire::FIXED32),
        Kind::Fixed64 | Kind::Sfixed64 => (Form::Fixed64, wire::FIXED64),
        Kind::Double | Kind::Float | Kind::Bool | Kind::Bytes | Kind::Enum(_) => {
            return Err(place(
                field.name(),
                "only strings and whole numbers can vary; write it without a place",
            ));
        }
    };
    let [number] = &text(value).0[..] else {
        return Err(place(
            field.name(),
            "a whole number that varies is one place and nothing else, such as \"{random:1..100}\"",
        ));
    };
    into.push(tag(field, wire));
    into.push(Piece::Number {
        number: number.clone(),
        form,
    });
    Ok(())
}

/// The places of a string; whatever else can vary is none.
fn text(value: &Value) -> Template {
    Template::parse(value.as_str().unwrap_or_default())
}

fn tag(field: &FieldDescriptor, wire: u32) -> Piece {
    let mut tag = Vec::new();
    prost::encoding::encode_varint(u64::from(field.number()) << 3 | u64::from(wire), &mut tag);
    bytes(tag)
}

fn bytes(bytes: Vec<u8>) -> Piece {
    Piece::Part(Part::Bytes(bytes))
}

fn place(field: &str, says: &'static str) -> Error {
    Error::Place {
        field: field.to_owned(),
        says,
    }
}

#[cfg(test)]
mod tests;
