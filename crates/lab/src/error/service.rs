//! What can go wrong with a service.

use std::path::{Path, PathBuf};

use photofinish_host as host;
use photofinish_model::finding::failure::{FailureFinding, Printed};
use photofinish_voice::{Language, Say};

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
    /// A private instance could not be set up or started.
    #[error("start {what}: {says}{}", printed.say(Language::En))]
    Start {
        /// The database's name, its version, its program, and the service's name.
        what: String,
        /// What happened.
        says: String,
        /// Its last lines.
        printed: Printed,
    },
    /// It does not run as root, which photofinish is, and there is no other user for it.
    #[error(
        "start {what}: a database does not run as root here, and there is no user {} to run it as; add one, or do not run \
         photofinish as root", users.join(" or ")
    )]
    NoAccount {
        /// The database's name, its version, its program, and the service's name.
        what: String,
        /// Who would do.
        users: [&'static str; 2],
    },
    /// The database does not let itself be used.
    #[error("connect to the service {service} at {place}: {source}")]
    Connect {
        /// The service's name.
        service: String,
        /// User, host, port and database.
        place: String,
        /// Why.
        source: Refused,
    },
    /// The database is of a version that does not fit.
    #[error(
        "connect to the service {service} at {place}: its version is {found}, but the study wants {wanted}"
    )]
    Version {
        /// The service's name.
        service: String,
        /// User, host, port and database.
        place: String,
        /// What it says.
        found: String,
        /// The condition.
        wanted: String,
    },
    /// The database refused SQL.
    #[error("run {file}:{line} on the service {service}: {source}")]
    Sql {
        /// The service's name.
        service: String,
        /// The file.
        file: String,
        /// The line of the file, counted from 1.
        line: usize,
        /// Why.
        source: Refused,
    },
    /// A table could not be counted.
    #[error("count the rows of {table} on the service {service}: {source}")]
    Count {
        /// The service's name.
        service: String,
        /// The table.
        table: String,
        /// Why.
        source: Refused,
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
    /// The user interrupted.
    #[error("finish: interrupted")]
    Interrupted,
}

/// As it is recorded in place of what could not be measured.
impl From<Error> for FailureFinding {
    fn from(error: Error) -> FailureFinding {
        FailureFinding::Service {
            says: error.to_string(),
        }
    }
}

/// A database that refuses something, in its words, or those of its driver where it is silent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub(crate) String);

/// An error about a file.
pub(crate) fn file<'a>(
    verb: &'static str,
    path: &'a Path,
) -> impl Fn(std::io::Error) -> Error + 'a {
    move |source| {
        Error::Host(host::Error::File {
            verb,
            path: path.to_owned(),
            source,
        })
    }
}
