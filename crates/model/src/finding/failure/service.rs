//! Why a service that a target needs is not there.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Printed;
use crate::finding::complaint::span;

/// What went wrong with a service. `says` is what others said of it: the database, its driver, the system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Error)]
#[serde(tag = "trouble", rename_all = "kebab-case")]
pub enum ServiceTrouble {
    /// There are no programs of it in a version that fits.
    #[error("find {title} {wanted} for the service {service}: {found}; {remedy}")]
    Programs {
        /// The service's name.
        service: String,
        /// The database's name.
        title: String,
        /// The condition on its version.
        wanted: String,
        /// What was found where.
        found: String,
        /// What to do.
        remedy: String,
    },
    /// Its programs could not be fetched.
    #[error("fetch {artifact} for the service {service}: {says}")]
    Fetch {
        /// The service's name.
        service: String,
        /// The artifact's coordinates.
        artifact: String,
        /// Why, and what to do.
        says: String,
    },
    /// It did not start, or did not stay.
    #[error("start {database}: {fate}{printed}")]
    Start {
        /// What was started.
        database: StartedDatabase,
        /// What became of it.
        fate: DatabaseFate,
        /// What it printed last.
        printed: Printed,
    },
    /// It does not let itself be used.
    #[error("connect to the service {service} at {place}: {says}")]
    Connect {
        /// The service's name.
        service: String,
        /// User, host, port and database.
        place: String,
        /// Why.
        says: String,
    },
    /// It refused SQL.
    #[error("run {file}:{line} on the service {service}: {says}")]
    Sql {
        /// The service's name.
        service: String,
        /// The file.
        file: String,
        /// The line of the file, counted from 1.
        line: usize,
        /// Why.
        says: String,
    },
    /// A table does not begin with the rows that the study states.
    #[error(
        "verify the rows that the study states for the service {service}: the table {table} should have {expected}, but has {found}; correct the schema or `rows`"
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
}

/// A database that a run starts for itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Error)]
#[error("{title} {version} ({origin}) for the service {service}")]
pub struct StartedDatabase {
    /// Its makers' name for it, such as `PostgreSQL`.
    pub title: String,
    /// Its version.
    pub version: String,
    /// Where it came from: the program, or the artifact that was fetched.
    pub origin: String,
    /// The service's name.
    pub service: String,
}

/// What became of a database that was started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Error)]
#[serde(tag = "fate", rename_all = "kebab-case")]
pub enum DatabaseFate {
    /// The program that sets its files up failed.
    #[error("its set-up ended with {how}")]
    SetUp {
        /// Its exit status or signal.
        how: String,
    },
    /// The program that sets its files up took too long.
    #[error("its set-up took longer than {}", span(*.within_s))]
    SetUpTooLong {
        /// The bound in seconds.
        within_s: f64,
    },
    /// It could not be used in time.
    #[error("it was not ready within {}: {says}", span(*.within_s))]
    NotReady {
        /// The bound in seconds.
        within_s: f64,
        /// What the last try met.
        says: String,
    },
    /// It ended by itself.
    #[error("it ended meanwhile ({how})")]
    Ended {
        /// Its exit status or signal.
        how: String,
    },
    /// It refused to make the run's own database.
    #[error("{says}")]
    Refused {
        /// In its words.
        says: String,
    },
}
