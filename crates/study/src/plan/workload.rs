//! What is sent, what must come back, and the load levels.

use std::time::Duration;

use super::{Search, SqlFile};

/// What is sent and what must come back.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// Its name.
    pub name: String,
    /// What is spoken. All that is told of a request and of an answer below is HTTP's.
    pub protocol: Protocol,
    /// `GET`, `POST`, …
    pub method: String,
    /// Path and query. It, the headers' values and the body may hold places that are filled in for
    /// each request; see [`crate::template`].
    pub path: String,
    /// Headers, in order.
    pub headers: Vec<(String, String)>,
    /// The body; empty = none.
    pub body: Vec<u8>,
    /// The status that must come back.
    pub expect_status: Option<u16>,
    /// The body that must come back; `None` = the same as every other target's.
    pub expect_body: Option<Vec<u8>>,
    /// What must stand somewhere in the body; `{random}` and `{counter}` are those of the request.
    pub expect_contains: Option<String>,
    /// How many elements the first JSON array of the body must have.
    pub expect_rows: Option<u64>,
    /// How long an answer may take.
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

/// A table that must hold as many rows after a measurement as requests were answered with success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountAfter {
    /// The service's name.
    pub service: String,
    /// The table.
    pub table: String,
}

impl Workload {
    /// Whether answers may differ from target to target, so that only their shape is compared.
    pub fn answers_vary(&self) -> bool {
        self.expect_body.is_none() && (self.expect_contains.is_some() || self.expect_rows.is_some())
    }
}

/// What is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/1.1.
    Http,
    /// Plain TCP: a message is sent, and the same bytes must come back.
    TcpEcho {
        /// The message's bytes.
        size: u64,
    },
}

/// A workload of a file that was written once and stands for several, which differ in one variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sweep {
    /// The name in the file.
    pub name: String,
    /// What differs: `size`.
    pub variable: String,
    /// What it is here, in bytes.
    pub value: u64,
}

/// How load is sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Load {
    /// Closed loop.
    Closed {
        /// How many connections.
        connections: u32,
    },
    /// Open loop.
    Open {
        /// Requests per second.
        rate: f64,
        /// How the gaps are distributed.
        arrivals: Arrivals,
        /// How many connections.
        connections: u32,
    },
    /// Open loops, at one rate after the other: the highest that holds an objective.
    Capacity {
        /// What is searched for.
        search: Search,
        /// How many connections.
        connections: u32,
    },
}

impl Load {
    /// How many connections it opens.
    pub fn connections(&self) -> u32 {
        match *self {
            Load::Closed { connections }
            | Load::Open { connections, .. }
            | Load::Capacity { connections, .. } => connections,
        }
    }
}

/// The distribution of the gaps between due times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// Exponential gaps.
    Poisson,
    /// Equal gaps.
    Constant,
}
