//! In what responses of several servers must be alike.

use std::collections::BTreeMap;

use photofinish_model::Same;
use serde_json::{Number, Value};

/// Up to here a fraction of zero does not change which integer a number is.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// What of a body is compared: as it came, or its values if they are compared as JSON. A body that is no JSON is compared as it came.
pub(super) fn compared(same: Same, body: Vec<u8>) -> Vec<u8> {
    if same != Same::Json {
        return body;
    }
    match serde_json::from_slice(&body) {
        Ok(value) => ordered(value).to_string().into_bytes(),
        Err(_) => body,
    }
}

/// A value with the members of its objects by their names, and with its numbers in one form: 1.0 is 1.
fn ordered(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let members: BTreeMap<String, Value> = members.into_iter().collect();
            let members = members.into_iter();
            Value::Object(
                members
                    .map(|(name, value)| (name, ordered(value)))
                    .collect(),
            )
        }
        Value::Array(elements) => Value::Array(elements.into_iter().map(ordered).collect()),
        Value::Number(number) => Value::Number(number_of(number)),
        other => other,
    }
}

fn number_of(number: Number) -> Number {
    match number.as_f64() {
        Some(value) if number.is_f64() && value.fract() == 0.0 && value.abs() < EXACT => {
            Number::from(value as i64)
        }
        _ => number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> String {
        let body = compared(Same::Json, text.as_bytes().to_vec());
        String::from_utf8(body).expect("text")
    }

    #[test]
    fn json_is_compared_by_its_values() {
        let one = json(r#"{"b": [1, {"y": null, "x": 2.0}], "a": "ä"}"#);
        assert_eq!(one, json(r#"{ "a":"\u00e4","b":[1.0,{"x":2,"y":null}]}"#));
        assert_ne!(json("[1, 2]"), json("[2, 1]"));
        assert_ne!(json("1"), json("\"1\""));
        assert_ne!(json("9007199254740993"), json("9007199254740992"));
        assert_ne!(json("0.1"), json("0.2"));
    }

    #[test]
    fn other_bodies_are_compared_as_they_came() {
        assert_eq!(json("no { JSON"), "no { JSON");
        let spaced = b"[ 1 ]".to_vec();
        assert_eq!(compared(Same::Body, spaced.clone()), spaced);
    }
}
