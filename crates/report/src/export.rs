//! What a format is in which a report can be written to a file. All of them are listed in [`crate::exports`].

use photofinish_judge::comparison::Comparison;
use photofinish_judge::days::Days;
use photofinish_judge::history::History;
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

/// A format of a report.
pub trait Export: Sync {
    /// Its name, which is that of the flag: `--NAME FILE`.
    fn name(&self) -> &'static str;

    /// The flag's help, a line.
    fn help(&self) -> &'static str;

    /// A run.
    ///
    /// # Errors
    /// Where the format cannot hold it, which would be a fault in this program.
    fn run(&self, run: Run) -> Result<String, Error>;

    /// What changed between two runs.
    ///
    /// # Errors
    /// As [`Export::run`].
    fn days(&self, days: &Days, language: Option<Language>) -> Result<String, Error>;

    /// A study's runs over time.
    ///
    /// # Errors
    /// As [`Export::run`].
    fn history(&self, history: &History) -> Result<String, Error>;
}
