//! Talking to a database, whichever it is.

use std::time::Duration;

use super::error::Refused;

/// How long a connection may take to be made.
pub(super) const CONNECT: Duration = Duration::from_secs(5);

/// What a database refused of a text of SQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mistake {
    /// The line of the text, counted from 1.
    pub(super) line: usize,
    pub(super) why: Refused,
}

/// A connection to a database. One is made for each use, so that none is idle beside a measurement.
pub(super) trait Database {
    /// Runs every statement of a text.
    fn run(&mut self, text: &str) -> Result<(), Mistake>;
    /// Counts a table's rows.
    fn count(&mut self, table: &str) -> Result<u64, Refused>;
    /// The server's version, such as `15.14`.
    fn version(&mut self) -> Result<String, Refused>;
}

/// An error and its causes in one line.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut says = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !says.contains(&text) {
            says = format!("{says}: {text}");
        }
        cause = error.source();
    }
    says
}
