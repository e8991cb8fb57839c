//! Results in which others' words stand wherever a results file may have some.

use std::path::PathBuf;

use photofinish_model::samples;
use photofinish_model::store::Results;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The maps of which a results file may have any key.
const OPEN_MAPS: [&str; 3] = ["errors", "status", "tools"];

/// A run that lies on disk.
pub fn stored(folder: &str) -> Results {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../judge/tests/stored")
        .join(folder);
    Results::read(&dir).expect("a results folder")
}

/// A run of which something went wrong in every way that there is.
pub fn every_failure() -> Results {
    let mut results = samples::race(&["a", "b"], &[&[2.0, 2.0], &[1.0, 1.0]]);
    for (at, why) in samples::failures().into_iter().enumerate() {
        let round = u32::try_from(at).expect("few") + 3;
        results.lines.push(photofinish_model::Line {
            failure: Some(why),
            ..samples::failed_line("b", round, round, "")
        });
    }
    results
}

/// The same run with `words` before every string that may have any value; also in the names of checks, if `names` says so, by
/// which reports look them up.
pub fn with(results: &Results, words: &str, names: bool) -> Results {
    let all = |record: &Value| {
        let mut leaves = Vec::new();
        strings(record, String::new(), &mut leaves);
        leaves.retain(|leaf| names || !(leaf.contains("/checks/") && leaf.ends_with("/name")));
        leaves
    };
    Results {
        dir: results.dir.clone(),
        study: replaced(&results.study, words, &all),
        environment: replaced(&results.environment, words, &all),
        lines: (results.lines.iter())
            .map(|line| replaced(line, words, &all))
            .collect(),
        trials: (results.trials.iter())
            .map(|trial| replaced(trial, words, &all))
            .collect(),
        time_over: results.time_over.clone(),
    }
}

/// A record with `words` before each of its strings, where it is a record all the same: of an enumeration there are only so many.
fn replaced<T: Serialize + DeserializeOwned>(
    record: &T,
    words: &str,
    leaves: &dyn Fn(&Value) -> Vec<String>,
) -> T {
    let mut value = serde_json::to_value(record).expect("JSON");
    open(&mut value, words);
    for leaf in leaves(&value) {
        let place = value.pointer_mut(&leaf).expect("it is there");
        let before = place.take();
        let text = before.as_str().expect("a string");
        *place = Value::String(format!("{words}{text}"));
        if T::deserialize(&value).is_err() {
            *value.pointer_mut(&leaf).expect("it is there") = before;
        }
    }
    T::deserialize(value).expect("a record")
}

/// Puts `words` before the keys of the maps that may have any.
fn open(value: &mut Value, words: &str) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(|value| open(value, words)),
        Value::Object(all) => {
            for (key, value) in all.iter_mut() {
                open(value, words);
                if let (true, Value::Object(map)) = (OPEN_MAPS.contains(&key.as_str()), value) {
                    *map = std::mem::take(map)
                        .into_iter()
                        .map(|(key, value)| (format!("{words}{key}"), value))
                        .collect();
                }
            }
        }
        _ => {}
    }
}

/// The places of all strings, as JSON pointers.
fn strings(value: &Value, at: String, into: &mut Vec<String>) {
    match value {
        Value::String(_) => into.push(at),
        Value::Array(all) => {
            for (index, value) in all.iter().enumerate() {
                strings(value, format!("{at}/{index}"), into);
            }
        }
        Value::Object(all) => {
            for (key, value) in all {
                let key = key.replace('~', "~0").replace('/', "~1");
                strings(value, format!("{at}/{key}"), into);
            }
        }
        _ => {}
    }
}
