//! How a check over a whole run is counted, and where it failed.

use photofinish_model::Line;
use photofinish_model::message::Message;
use photofinish_voice::{place, run_check as found};
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
    pub level: Option<Message>,
    /// The round.
    pub round: Option<u32>,
    /// The arithmetic.
    pub says: Message,
}

impl Failing {
    /// Whether it touches the figures of these servers at a place.
    pub(crate) fn touches(&self, workload: &str, level: &Message, targets: &[&str]) -> bool {
        let is_it =
            |known: &Option<String>, named: &str| known.as_deref().is_none_or(|it| it == named);
        targets.iter().any(|target| is_it(&self.target, target))
            && is_it(&self.workload, workload)
            && (self.level.as_ref()).is_none_or(|known| known == level)
    }

    /// A failure of the run as a whole.
    pub(crate) fn new(says: Message) -> Failing {
        Failing {
            target: None,
            workload: None,
            level: None,
            round: None,
            says,
        }
    }

    /// A failure of a measurement.
    pub(crate) fn of_line(line: &Line, says: Message) -> Failing {
        Failing {
            target: Some(line.target.clone()),
            workload: Some(line.workload.clone()),
            level: Some(place::level(&line.load)),
            round: Some(line.round),
            says,
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
pub(crate) struct Tally {
    pub(crate) checked: usize,
    pub(crate) of: usize,
    pub(crate) failing: Vec<Failing>,
    pub(crate) notes: Vec<Message>,
    /// Why it was not made, where that is known.
    pub(crate) why_not: Option<Message>,
    pub(crate) counted: Counted,
}

/// What a check counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Counted {
    #[default]
    Measurements,
    Trials,
    Pods,
    Nodes,
    TargetsAndWorkloads,
    AaComparisons,
}

impl Counted {
    /// Returns so many of them.
    pub(crate) fn count(self, n: usize) -> Message {
        match self {
            Counted::Measurements => found::measurements(n),
            Counted::Trials => found::trials(n),
            Counted::Pods => found::pods(n),
            Counted::Nodes => found::nodes(n),
            Counted::TargetsAndWorkloads => found::servers_and_workloads(n),
            Counted::AaComparisons => found::aa_comparisons(n),
        }
    }
}
