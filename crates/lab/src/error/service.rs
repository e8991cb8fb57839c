//! What can go wrong with a service.

use photofinish_host as host;
use photofinish_model::finding::failure::{FailureFinding, ServiceTrouble};

use super::fetch;

/// What can go wrong with a service; fragments that fit 'failed to {error}'.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What users meet most.
    #[error("{}", .0.to_string())]
    Trouble(Box<ServiceTrouble>),
    /// Its programs could not be fetched, for a reason that few meet.
    #[error(transparent)]
    Fetch(fetch::Error),
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
    /// The machine.
    #[error(transparent)]
    Host(#[from] host::Error),
}

impl Error {
    /// What kept the programs of this service from being fetched.
    pub(crate) fn fetch(service: &str, error: fetch::Error) -> Error {
        match error {
            fetch::Error::Failed { artifact, says } => Error::from(ServiceTrouble::Fetch {
                service: service.to_owned(),
                artifact,
                says,
            }),
            fetch::Error::Host(error) => Error::Host(error),
            error @ fetch::Error::Checksum { .. } => Error::Fetch(error),
        }
    }
}

impl From<ServiceTrouble> for Error {
    fn from(trouble: ServiceTrouble) -> Error {
        Error::Trouble(Box::new(trouble))
    }
}

/// As it is recorded in place of what could not be measured.
impl From<Error> for FailureFinding {
    fn from(error: Error) -> FailureFinding {
        match error {
            Error::Trouble(why) => FailureFinding::NotServed { why: *why },
            Error::Host(error) => error.into(),
            error => FailureFinding::Service {
                says: error.to_string(),
            },
        }
    }
}

/// A database that refuses something, in its words, or those of its driver where it is silent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub(crate) String);
