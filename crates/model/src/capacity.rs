//! What a search for a server's capacity found: the curve, and the highest rate that met the objective.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::capacity::{Broken, LowerBound};

/// What `photofinish capacity --json` prints.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Capacity {
    /// The version of this format; see [`VERSION`](crate::VERSION).
    pub version: u32,
    /// What was loaded.
    pub url: String,
    /// What had to hold, as it was given.
    pub objective: String,
    /// Connections of each step.
    pub connections: u32,
    /// What was found.
    #[serde(flatten)]
    pub found: Found,
}

/// What a search found, by itself or at a level of a study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Found {
    /// The highest rate that met the objective, in requests per second; `null` where none did.
    pub sustained_rps: Option<f64>,
    /// The lowest rate above it that missed the objective; `null` where none was found.
    pub failed_rps: Option<f64>,
    /// What ended the search.
    pub ended: Ended,
    /// Whether the generator's busiest thread had no time to spare at the lowest rate that missed the objective: the
    /// server may then sustain more than was found.
    pub generator_limited: bool,
    /// How late a thread that only sleeps woke at that rate (99th percentile, in microseconds), where that alone
    /// may have broken the objective: the machine is then too noisy for it; else `null`.
    pub noise_us: Option<f64>,
    /// Every step, in the order in which it was made.
    pub steps: Vec<Step>,
}

impl Found {
    /// Why the server may sustain more than the highest rate that met the objective; `None`: what is above it failed.
    pub fn lower_bound(&self) -> Option<LowerBound> {
        self.sustained_rps?;
        if self.generator_limited {
            return Some(LowerBound::GeneratorBusy);
        }
        if self.failed_rps.is_some() {
            return None;
        }
        Some(match self.ended {
            Ended::Found | Ended::Floor => LowerBound::NoHigherRate,
            Ended::Steps => LowerBound::Steps,
            Ended::Time => LowerBound::Time,
            Ended::Interrupted => LowerBound::Interrupted,
        })
    }

    /// By what share the rate that failed is above the one that met the objective: nothing finer is known.
    pub fn gap(&self) -> Option<f64> {
        let (held, failed) = self.sustained_rps.zip(self.failed_rps)?;
        (held > 0.0).then(|| failed / held - 1.0)
    }
}

/// What ended a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// The two rates are as near to each other as was asked for, or no rate worth trying is left.
    Found,
    /// No rate met the objective, and what broke it does not depend on the rate.
    Floor,
    /// As many steps were made as are allowed.
    Steps,
    /// It took as long as is allowed.
    Time,
    /// A person ended it.
    Interrupted,
}

/// One open-loop run at one rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// The rate that was asked for, in requests per second.
    pub offered_rps: f64,
    /// Good responses per second.
    pub achieved_rps: f64,
    /// Requests that were completed.
    pub requests: u64,
    /// Those that ended badly.
    pub errors: u64,
    /// Median response time; `null` where no request was completed.
    pub p50_us: Option<f64>,
    /// Its 99th percentile.
    pub p99_us: Option<f64>,
    /// The share of one core that the generator's busiest thread used, 0 to 1.
    pub generator_cpu: f64,
    /// How late a thread that only sleeps woke meanwhile, 99th percentile; `null` where it was not measured.
    pub hiccup_us: Option<f64>,
    /// Whether the objective was met.
    pub holds: bool,
    /// Why it did not; `null` where it did.
    pub why: Option<Broken>,
}
