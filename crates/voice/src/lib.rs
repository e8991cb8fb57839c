//! The messages of photofinish: a table for each area, with a row for each message and its sentence in English and Chinese.
//!
//! [`photofinish_model::messages!`] makes a function of each row. Causes of failures are not messages: they are errors with an
//! English sentence, which Chinese sentences quote.

#![forbid(unsafe_code)]

pub mod capacity;
pub mod checks;
pub mod claim;
pub mod cost;
pub mod difference;
pub mod errors;
pub mod failure;
pub mod figure;
pub mod half_width;
pub mod headline;
pub mod history;
pub mod label;
pub mod latency;
pub mod left_out;
pub mod measurement;
pub mod network;
pub mod noise_floor;
pub mod place;
pub mod pooled;
pub mod run_check;
pub mod scaling;
pub mod sweep;
pub mod threshold;
pub mod trust;
pub mod verdict;
pub mod warning;
pub mod windows;

pub use photofinish_model::message::Language;

use photofinish_model::finding::asked;
use photofinish_model::message::Row;

/// All rows of all tables, for the list of all sentences.
pub fn rows() -> Vec<Row> {
    let tables = [
        asked::table::ALL,
        capacity::ALL,
        capacity::sustained::ALL,
        checks::ALL,
        checks::titles::ALL,
        checks::failures::ALL,
        checks::meanings::ALL,
        checks::effects::ALL,
        checks::failures_of_one::ALL,
        checks::effects_of_one::ALL,
        claim::ALL,
        cost::ALL,
        difference::ALL,
        errors::ALL,
        errors::kinds::ALL,
        failure::ALL,
        figure::ALL,
        half_width::ALL,
        headline::ALL,
        headline::also::ALL,
        headline::by::ALL,
        headline::range::ALL,
        headline::setting::ALL,
        history::ALL,
        label::ALL,
        latency::ALL,
        left_out::ALL,
        measurement::ALL,
        measurement::ending::ALL,
        network::ALL,
        noise_floor::ALL,
        place::ALL,
        pooled::ALL,
        run_check::ALL,
        scaling::ALL,
        sweep::ALL,
        threshold::ALL,
        trust::ALL,
        verdict::ALL,
        verdict::note::ALL,
        verdict::reason::ALL,
        warning::ALL,
        warning::short::ALL,
        windows::ALL,
    ];
    tables.concat()
}
