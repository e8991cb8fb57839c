//! The checked plan: what a run will do, with every name resolved and every number in range.

mod service;
mod target;
mod workload;

use photofinish_model::Claim;
use photofinish_model::finding::left_out::LeftOut;
use photofinish_model::settings::{RaceLayer, RaceSettings};

pub use service::{Service, ServiceKind, ServiceUrl, SqlFile};
pub use target::{Build, Endpoint, Image, Listen, Ready, Start, Stop, Target};
pub use workload::{Before, CountAfter, Workload};

/// A study, ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan<S = RaceSettings> {
    /// The study's name; also the name of its folder under `results/`.
    pub name: String,
    /// A line that says what is compared.
    pub title: String,
    /// Where it was published.
    pub source: Option<String>,
    /// What a reader should know besides the figures, such as what the authors did not measure.
    pub notes: Option<String>,
    /// The study file's text as it was read (made up for `compare`).
    pub text: String,
    /// How it is measured.
    pub settings: S,
    /// The contenders, in the order of the file; the study's limit, where it has one, stands behind them.
    pub targets: Vec<Target>,
    /// What the targets need next to them.
    pub services: Vec<Service>,
    /// What is sent and what must come back.
    pub workloads: Vec<Workload>,
    /// What others have published.
    pub claims: Vec<Claim>,
    /// What flags such as `--only` have left out of the study, for the report to say.
    pub left_out: Vec<LeftOut>,
}

/// A study as its file or its command states it: flags can still replace settings. [`crate::resolve`] makes the plan.
pub type Draft = Plan<RaceLayer>;

impl Draft {
    /// The plan with these settings.
    pub(crate) fn with(self, settings: RaceSettings) -> Plan {
        let Plan {
            name,
            title,
            source,
            notes,
            text,
            settings: _,
            targets,
            services,
            workloads,
            claims,
            left_out,
        } = self;
        Plan {
            name,
            title,
            source,
            notes,
            text,
            settings,
            targets,
            services,
            workloads,
            claims,
            left_out,
        }
    }
}
