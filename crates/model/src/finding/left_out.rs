//! What flags have left out of a study.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::load::Load;

/// A part of the study that was not run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum LeftOut {
    /// A target that `--only` does not name.
    Target {
        /// Its label.
        target: String,
    },
    /// The study's limit, by `--no-limit`.
    Limit {
        /// Its label.
        target: String,
    },
    /// A workload none of whose targets runs.
    Workload {
        /// Its name.
        workload: String,
    },
    /// A claim that cannot be tested.
    Claim {
        /// Its short name.
        id: String,
        /// Why.
        why: Untested,
    },
}

/// Why a claim cannot be tested.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum Untested {
    /// A target of it does not run.
    Target {
        /// The target's label.
        target: String,
    },
    /// A workload of it does not run.
    Workload {
        /// The workload's name.
        workload: String,
    },
    /// A level of it does not run.
    Level {
        /// The level.
        load: Load,
        /// Whether `--scale published` has it.
        published: bool,
    },
    /// Revisions of its targets race (`--rev`).
    Revisions {},
}
