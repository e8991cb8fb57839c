//! What is sent, what must come back, and the load levels.

use std::time::Duration;

use photofinish_model::{Exchange, Load, Login, Sweep};

use super::SqlFile;

/// What is sent and what must come back.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// Its name.
    pub name: String,
    /// What is sent and what must come back. Where no body is stated, it must be the same as every other target's.
    pub exchange: Exchange,
    /// What is sent once before, and whose response fills in `{login.NAME}`.
    pub login: Option<Login>,
    /// After how many requests a connection is closed; `None` = it is kept.
    pub requests_per_connection: Option<u32>,
    /// How long a response may take.
    pub timeout: Duration,
    /// The levels.
    pub loads: Vec<Load>,
    /// The levels at which others have published figures; empty = the same.
    pub published_loads: Vec<Load>,
    /// The sweep that it is a part of.
    pub sweep: Option<Sweep>,
    /// The labels of the targets that take it; empty = all.
    pub targets: Vec<String>,
    /// Whether it is warmed up by itself; one that is not takes a path that others warm up.
    pub warmed_up: bool,
    /// What is done to a service before the server is verified, warmed up and measured by this workload.
    pub before: Option<Before>,
    /// What is counted after each measurement.
    pub count_after: Option<CountAfter>,
}

/// SQL that is run before a workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Before {
    /// The service's name.
    pub service: String,
    /// What is run.
    pub sql: SqlFile,
}

/// A table that must hold as many rows after a measurement as requests had a good response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountAfter {
    /// The service's name.
    pub service: String,
    /// The table.
    pub table: String,
}
