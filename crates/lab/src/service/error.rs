//! What can go wrong with a service.

use std::path::PathBuf;

use photofinish_host as host;

/// What can go wrong with a service; fragments that fit 'failed to {error}'.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No programs of a version that fits, neither installed nor known to Maven Central.
    #[error("find {title} {wanted} for the service {service}: {found}; {remedy}")]
    Programs {
        /// The service's name.
        service: String,
        /// The database's name.
        title: &'static str,
        /// The condition on its version.
        wanted: String,
        /// What was found.
        found: String,
        /// What to do.
        remedy: String,
    },
    /// An artifact could not be fetched.
    #[error("fetch {artifact} for the service {service}: {says}")]
    Fetch {
        /// The service's name.
        service: String,
        /// The artifact's coordinates.
        artifact: String,
        /// Why, and what to do.
        says: String,
    },
    /// An artifact is not the one whose checksum is known.
    #[error(
        "trust {}: its SHA-256 is {found}, but should be {expected}; it was removed here: remove it from Maven's local \
         repository too, then run again", file.display()
    )]
    Checksum {
        /// The file.
        file: PathBuf,
        /// What it should be.
        expected: String,
        /// What it is.
        found: String,
    },
    /// A file or folder could not be used.
    #[error("{verb} {}: {source}", path.display())]
    File {
        /// What was tried: `read`, `write`, …
        verb: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A private instance could not be set up or started.
    #[error("start {what}: {says}{}", lines(log, last))]
    Start {
        /// The database's name, its version, its program, and the service's name.
        what: String,
        /// What happened.
        says: String,
        /// Its log.
        log: PathBuf,
        /// The log's last lines.
        last: Vec<String>,
    },
    /// The database does not let itself be used.
    #[error("connect to the service {service} at {place}: {says}")]
    Connect {
        /// The service's name.
        service: String,
        /// User, host, port and database.
        place: String,
        /// Why, in the driver's words.
        says: String,
    },
    /// The database refused SQL.
    #[error("run {file}:{line} on the service {service}: {says}")]
    Sql {
        /// The service's name.
        service: String,
        /// The file.
        file: String,
        /// The line of the file, counted from 1.
        line: usize,
        /// The database's words.
        says: String,
    },
    /// A table could not be counted.
    #[error("count the rows of {table} on the service {service}: {says}")]
    Count {
        /// The service's name.
        service: String,
        /// The table.
        table: String,
        /// The database's words.
        says: String,
    },
    /// A table does not hold what the study says.
    #[error(
        "begin with the rows that the study states for the service {service}: the table {table} should hold {expected}, \
         but holds {found}; put the schema or `rows` right"
    )]
    Rows {
        /// The service's name.
        service: String,
        /// The table.
        table: String,
        /// What the study says.
        expected: u64,
        /// What was counted.
        found: u64,
    },
    /// The machine.
    #[error(transparent)]
    Host(#[from] host::Error),
    /// The person interrupted.
    #[error("finish: interrupted")]
    Interrupted,
}

/// An error about a file.
pub(super) fn file<'a>(
    verb: &'static str,
    path: &'a std::path::Path,
) -> impl Fn(std::io::Error) -> Error + 'a {
    move |source| Error::File {
        verb,
        path: path.to_owned(),
        source,
    }
}

/// A log's last lines, indented below a message.
fn lines(log: &std::path::Path, last: &[String]) -> String {
    if last.is_empty() {
        return "; it printed nothing".to_owned();
    }
    let last: String = last.iter().map(|line| format!("\n    | {line}")).collect();
    format!("; its last lines ({}):{last}", log.display())
}
