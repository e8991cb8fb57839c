//! How a check over a whole run is counted, and where it failed.

use photofinish_model::Load;
use photofinish_model::finding::run_check::{Counted, RunCheckFinding};
use photofinish_voice::Message;
use schemars::JsonSchema;
use serde::Serialize;

/// A place where a check failed. What is not named holds for all (a check of the whole run has no round).
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Failing {
    /// The target.
    pub target: Option<String>,
    /// The workload.
    pub workload: Option<String>,
    /// The load level in words.
    pub level: Option<Message<Load>>,
    /// The round.
    pub round: Option<u32>,
    /// The arithmetic.
    pub says: Message<RunCheckFinding>,
}

impl Failing {
    /// A failure of the run as a whole.
    pub(in crate::comparison) fn new(finding: RunCheckFinding) -> Failing {
        Failing {
            target: None,
            workload: None,
            level: None,
            round: None,
            says: finding.into(),
        }
    }

    /// The place in words, such as `quarkus, plaintext, 100 connections, round 3`.
    pub fn place(&self) -> String {
        let round = self.round.map(|round| format!("round {round}"));
        let level = self.level.as_ref().map(|level| level.en.clone());
        [&self.target, &self.workload, &level, &round]
            .into_iter()
            .filter_map(|part| part.as_deref())
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// How a check was counted.
#[derive(Debug, Default, PartialEq)]
pub(in crate::comparison) struct Tally {
    pub(in crate::comparison) checked: usize,
    pub(in crate::comparison) of: usize,
    pub(in crate::comparison) failing: Vec<Failing>,
    pub(in crate::comparison) notes: Vec<RunCheckFinding>,
    /// Why it was not made, where that is known.
    pub(in crate::comparison) why_not: Option<RunCheckFinding>,
    pub(in crate::comparison) counted: Counted,
}
