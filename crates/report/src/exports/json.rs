//! JSON: the comparison as it is.

use photofinish_judge::days::Days;
use photofinish_judge::history::History;
use photofinish_model::text::clean_json;
use photofinish_voice::Language;
use serde::Serialize;

use crate::Error;
use crate::export::{Export, Run};

/// A record with its lines, in which nothing acts on a terminal. It is made of structs, strings and finite numbers, and so has a JSON
/// form.
pub(crate) fn pretty(record: &impl Serialize) -> String {
    clean_json(&serde_json::to_string_pretty(record).unwrap_or_default())
}

pub(crate) struct Json;

impl Export for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn help(&self) -> &'static str {
        "Write JSON to this file (- for standard output)"
    }

    fn run(&self, run: Run) -> Result<String, Error> {
        Ok(pretty(run.comparison) + "\n")
    }

    fn days(&self, days: &Days, _: Option<Language>) -> Result<String, Error> {
        Ok(pretty(days) + "\n")
    }

    fn history(&self, history: &History) -> Result<String, Error> {
        Ok(pretty(history) + "\n")
    }
}
