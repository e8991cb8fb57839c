//! The JSON Schemas of all that is written for other programs, each with the version of its format in its `$id`.

use photofinish_model::{Environment, Line, StudyRecord, TimeOver, TrialRecord, VERSION};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

use crate::comparison::{self, Comparison};
use crate::days::{self, Days};
use crate::half_width::{self, HalfWidthPlan};
use crate::history::{self, History};
use crate::pooled::{self, Pooled};

/// Something that is written as JSON.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Its name.
    pub name: &'static str,
    /// Where it is found, in a line.
    pub what: &'static str,
    /// The version of its format.
    pub version: u32,
    make: fn() -> Schema,
}

/// All formats.
pub const ALL: [Format; 10] = [
    format(
        "measurements",
        "a line of measurements.jsonl",
        VERSION,
        read::<Line>,
    ),
    format(
        "trials",
        "a line of trials.jsonl",
        VERSION,
        read::<TrialRecord>,
    ),
    format("study", "study.json", VERSION, read::<StudyRecord>),
    format(
        "environment",
        "environment.json",
        VERSION,
        read::<Environment>,
    ),
    format(
        "time-over",
        "a line of time-over.jsonl",
        VERSION,
        read::<TimeOver>,
    ),
    format(
        "report",
        "report RESULTS --json",
        comparison::VERSION,
        written::<Comparison>,
    ),
    format(
        "report-of-two-runs",
        "report RESULTS LATER --json",
        days::VERSION,
        written::<Days>,
    ),
    format(
        "report-of-pairs",
        "report RESULTS --json, of several pairs of machines",
        pooled::VERSION,
        written::<Pooled>,
    ),
    format(
        "history",
        "history RESULTS --json",
        history::VERSION,
        written::<History>,
    ),
    format(
        "plan",
        "plan STUDY --json",
        half_width::VERSION,
        written::<HalfWidthPlan>,
    ),
];

const fn format(
    name: &'static str,
    what: &'static str,
    version: u32,
    make: fn() -> Schema,
) -> Format {
    Format {
        name,
        what,
        version,
        make,
    }
}

impl Format {
    /// Its schema, of draft 2020-12.
    pub fn schema(&self) -> Schema {
        let mut schema = (self.make)();
        let id = format!("urn:photofinish:{}:{}", self.name, self.version);
        schema.insert("$id".to_owned(), id.into());
        schema
    }
}

/// The schema of what is read back: fields that are left out if they are empty may be missing.
fn read<T: JsonSchema>() -> Schema {
    schemars::schema_for!(T)
}

/// What is only written: every field is there but those that are left out where they are empty.
fn written<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use photofinish_model::samples;
    use serde_json::Value;

    use super::*;

    fn value(name: &str) -> Value {
        let format = ALL.iter().find(|format| format.name == name);
        let schema = format.expect(name).schema();
        serde_json::to_value(&schema).expect("a schema is JSON")
    }

    /// The fields of what is written, and those that the schema names and requires.
    fn fits(schema: &Value, written: &Value) {
        let keys = |value: &Value| -> BTreeSet<String> {
            value
                .as_object()
                .expect("an object")
                .keys()
                .cloned()
                .collect()
        };
        let (fields, known) = (keys(written), keys(&schema["properties"]));
        assert!(fields.is_subset(&known), "{fields:?} {known:?}");
        for required in schema["required"].as_array().expect("what is required") {
            let required = required.as_str().expect("a name");
            assert!(fields.contains(required), "{required} {fields:?}");
        }
    }

    #[test]
    fn each_schema_has_its_version_and_fits_what_is_written() {
        let results = samples::race(&["a", "b"], &[&[2.0, 2.0], &[1.0, 1.0]]);
        let json = |value: serde_json::Result<Value>| value.expect("JSON");
        let written = [
            (
                "measurements",
                json(serde_json::to_value(&results.lines[0])),
            ),
            ("study", json(serde_json::to_value(&results.study))),
            (
                "environment",
                json(serde_json::to_value(&results.environment)),
            ),
            (
                "time-over",
                json(serde_json::to_value(samples::time_over(3))),
            ),
            (
                "report",
                json(serde_json::to_value(Comparison::from(&results))),
            ),
            (
                "report-of-two-runs",
                json(serde_json::to_value(Days::from(&results, &results))),
            ),
            (
                "report-of-pairs",
                json(serde_json::to_value(
                    Pooled::from(std::slice::from_ref(&results)).expect("a run"),
                )),
            ),
            (
                "history",
                json(serde_json::to_value(
                    History::from(vec![results.clone()], None).expect("a history"),
                )),
            ),
            (
                "plan",
                json(serde_json::to_value(
                    HalfWidthPlan::from(&results, half_width::DEFAULT, None).expect("a plan"),
                )),
            ),
        ];
        for (name, written) in written {
            let schema = value(name);
            fits(&schema, &written);
            let id = format!("urn:photofinish:{name}:{}", written["version"]);
            assert_eq!(schema["$id"], id);
        }
        let names: BTreeSet<&str> = ALL.iter().map(|format| format.name).collect();
        assert_eq!(names.len(), ALL.len());
    }
}
