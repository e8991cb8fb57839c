//! A failure of every kind, as it is recorded.

use crate::finding::failure::FailureFinding;

/// A line for each failure.
const RECORDED: &str = include_str!("failures.jsonl");

/// A failure of every kind, each with arguments that no other has.
pub fn failures() -> Vec<FailureFinding> {
    let read = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    RECORDED.lines().map(read).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use schemars::schema_for;

    use super::*;

    #[test]
    fn every_kind_of_failure_is_there_once_and_is_written_as_it_was_read() {
        let failures = failures();
        let written = failures
            .iter()
            .map(|one| serde_json::to_string(one).expect("JSON"));
        let written: Vec<String> = written.collect();
        assert_eq!(written, RECORDED.lines().collect::<Vec<_>>());
        assert_eq!(written.iter().collect::<BTreeSet<_>>().len(), written.len());
        let schema = serde_json::to_value(schema_for!(FailureFinding)).expect("JSON");
        for kind in schema["oneOf"].as_array().expect("kinds") {
            let code = format!("{{\"code\":{}", kind["properties"]["code"]["const"]);
            let mut lines = RECORDED.lines();
            assert!(lines.any(|line| line.starts_with(&code)), "{code}");
        }
    }
}
