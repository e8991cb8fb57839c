//! What a format is in which a report can be written to a file. All of them are listed in [`crate::exports`].

use photofinish_judge::comparison::Comparison;
use photofinish_judge::days::Days;
use photofinish_judge::history::History;
use photofinish_judge::pooled::Pooled;
use photofinish_model::settings::Row;
use photofinish_model::store::Results;
use photofinish_voice::Language;

use crate::Error;

/// What a report is written from.
#[derive(Clone, Copy, Debug)]
pub struct Run<'r> {
    /// The results folder, for formats that hold every measurement.
    pub results: &'r Results,
    /// What it was judged to show.
    pub comparison: &'r Comparison,
    /// The language that was asked for; `None`: the reader's own, where the format knows it, else English.
    pub language: Option<Language>,
}

/// A format of a report. Its functions fail only for a fault in this program.
#[derive(Debug)]
pub struct Format {
    /// Its name, flag and help.
    pub row: Row,
    /// Writes a run.
    pub run: fn(Run<'_>) -> Result<String, Error>,
    /// Writes what changed between two runs.
    pub days: fn(&Days, Option<Language>) -> Result<String, Error>,
    /// Writes the rounds of several pairs of machines.
    pub pooled: fn(&Pooled, Option<Language>) -> Result<String, Error>,
    /// Writes a study's runs over time.
    pub history: fn(&History) -> Result<String, Error>,
}
