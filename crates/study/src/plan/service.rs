//! What targets need next to them: databases.

use std::collections::BTreeMap;

use photofinish_model::Secret;
use photofinish_model::version::VersionReq;

/// What targets need next to them: a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// Its name; in upper case also the beginning of the variables by which servers find it.
    pub name: String,
    /// What it is.
    pub kind: ServiceKind,
    /// Which versions will do.
    pub version: VersionReq,
    /// A server that is there already; `None` = an instance of the run's own.
    pub url: Option<ServiceUrl>,
    /// What is run once before the first trial, in this order.
    pub schema: Vec<SqlFile>,
    /// Tables and how many rows each must hold before the first trial.
    pub rows: BTreeMap<String, u64>,
    /// The labels of the targets that need it; empty = all.
    pub targets: Vec<String>,
}

impl Service {
    /// Whether a target needs it.
    pub fn is_for(&self, label: &str) -> bool {
        self.targets.is_empty() || self.targets.iter().any(|target| target == label)
    }
}

/// The kinds of services.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceKind {
    /// PostgreSQL.
    Postgresql,
    /// MariaDB.
    Mariadb,
}

impl ServiceKind {
    /// As it is written in files.
    pub fn name(self) -> &'static str {
        match self {
            ServiceKind::Postgresql => "postgresql",
            ServiceKind::Mariadb => "mariadb",
        }
    }

    /// As its makers write it.
    pub fn title(self) -> &'static str {
        match self {
            ServiceKind::Postgresql => "PostgreSQL",
            ServiceKind::Mariadb => "MariaDB",
        }
    }

    /// The port on which it listens unless set otherwise.
    pub fn port(self) -> u16 {
        match self {
            ServiceKind::Postgresql => 5432,
            ServiceKind::Mariadb => 3306,
        }
    }
}

/// Where a service is and who may use it.
#[derive(Clone, PartialEq, Eq)]
pub struct ServiceUrl {
    /// The host's name or address.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The user.
    pub user: String,
    /// The password; may be empty.
    pub password: Secret<String>,
    /// The database.
    pub database: String,
}

/// Without the password: this is what errors and records show.
impl std::fmt::Display for ServiceUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ServiceUrl {
            host,
            port,
            user,
            database,
            ..
        } = self;
        write!(f, "{user}@{host}:{port}/{database}")
    }
}

impl std::fmt::Debug for ServiceUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ServiceUrl({self})")
    }
}

/// A file of SQL, as it was when the study was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlFile {
    /// The file, as it is named to the reader.
    pub name: String,
    /// Its text.
    pub text: String,
}
