//! Talking to a database, whichever it is.

use std::time::Duration;

use photofinish_study::plan::{ServiceKind, ServiceUrl};

use super::{mariadb, postgresql};

/// How long a connection may take to be made.
pub(super) const CONNECT: Duration = Duration::from_secs(5);

/// What a database said to a piece of SQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The line of the text, counted from 1.
    pub(crate) line: usize,
    /// The database's words.
    pub(crate) says: String,
}

/// A connection to a database. One is made for each use, so that none is idle beside a measurement.
pub(crate) trait Database {
    /// Runs every statement of a text.
    fn run(&mut self, text: &str) -> Result<(), Refused>;
    /// Counts a table's rows.
    fn count(&mut self, table: &str) -> Result<u64, String>;
    /// The server's version, such as `15.14`.
    fn version(&mut self) -> Result<String, String>;
}

/// Connects; the error is in the driver's words.
pub(crate) fn connect(kind: ServiceKind, url: &ServiceUrl) -> Result<Box<dyn Database>, String> {
    match kind {
        ServiceKind::Postgresql => postgresql::connect(url),
        ServiceKind::Mariadb => mariadb::connect(url),
    }
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
