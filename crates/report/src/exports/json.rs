//! JSON: the comparison as it is.

use photofinish_model::settings::Row;
use photofinish_model::text::clean_json;
use serde::Serialize;

use crate::export::Format;

/// A record with its lines, in which nothing acts on a terminal. It is made of structs, strings and finite numbers, and so has a JSON
/// form.
pub(crate) fn pretty(record: &impl Serialize) -> String {
    clean_json(&serde_json::to_string_pretty(record).unwrap_or_default())
}

/// The format.
pub(crate) const FORMAT: Format = Format {
    row: Row::of_output("json", "Write JSON to this file (- for standard output)")
        .aliases(&["export-json"]),
    run: |run| Ok(pretty(run.comparison) + "\n"),
    days: |days, _| Ok(pretty(days) + "\n"),
    pooled: |pooled, _| Ok(pretty(pooled) + "\n"),
    history: |history| Ok(pretty(history) + "\n"),
};
