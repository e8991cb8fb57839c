//! The whole of a comparison in a sentence.

use photofinish_stats::Interval;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Load;
use crate::finding::verdict::{Amount, Needed, Note, Void};

/// The headline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Headline {
    /// No contender was measured.
    Nothing {
        /// Whether the limit was.
        limit: bool,
        /// How many failures are recorded.
        failures: usize,
    },
    /// A smoke run.
    Smoke {
        /// Measurements that went through.
        done: usize,
        /// Measurements asked for.
        asked: usize,
    },
    /// A target against its second copy, and no other.
    NoiseFloor {
        /// Each place.
        floors: Vec<Floor>,
    },
    /// One target only.
    Alone {
        /// Its throughput at each place.
        figures: Vec<Rate>,
    },
    /// No round has measurements of two targets.
    NoCommonRound,
    /// One round only.
    OneRound {
        /// The throughput of each target at each place.
        figures: Vec<Rate>,
    },
    /// What the rounds say of throughput.
    Verdict {
        /// What is alike at one or more places.
        groups: Vec<Group>,
        /// The rounds of the place with the most.
        rounds: usize,
    },
}

/// A workload at a load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// The workload; `null` where all places have the same.
    pub workload: Option<String>,
    /// The load.
    pub load: Load,
}

/// The throughput of a target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rate {
    /// Where.
    pub place: Place,
    /// The target.
    pub target: String,
    /// Requests per second.
    pub rate: f64,
    /// Its interval.
    pub interval: Option<Interval>,
}

/// By how much a target differed from its copy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Floor {
    /// Where.
    pub place: Place,
    /// The target.
    pub target: String,
    /// Target / copy.
    pub ratio: Option<f64>,
    /// Its interval.
    pub interval: Option<Interval>,
    /// Why nothing may be said of the two; not there where something may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub void: Option<Void>,
}

impl AheadAt {
    /// By how much at the least: the end of the interval that is nearest to 1, in place of the ratio and without an interval.
    pub fn at_least(&self) -> AheadAt {
        let Amount {
            metric,
            ratio,
            interval,
        } = self.amount;
        let nearest = |interval: Interval| match ratio >= 1.0 {
            true => interval.low,
            false => interval.high,
        };
        AheadAt {
            amount: Amount {
                metric,
                ratio: interval.map_or(ratio, nearest),
                interval: None,
            },
            ..self.clone()
        }
    }
}

/// Places with the same outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Group {
    /// Some are ahead.
    Ahead {
        /// They.
        leaders: Vec<String>,
        /// The best of those behind; `null` where that is not the same everywhere.
        over: Option<String>,
        /// Whether there are others behind.
        others_behind: bool,
        /// How the leaders stand to one another.
        among: Option<Among>,
        /// Those of whom no order to the leaders is claimed.
        beside: Vec<String>,
        /// Whether rates that are sustained are compared.
        sustained: bool,
        /// By how much, place by place.
        at: Vec<AheadAt>,
    },
    /// All tie.
    Tie {
        /// They.
        targets: Vec<String>,
        /// The margin.
        margin: f64,
        /// Where.
        at: Vec<Place>,
    },
    /// Some are ahead of others, but there is no first.
    NoOrder {
        /// All of them.
        targets: Vec<String>,
        /// Where.
        at: Vec<Place>,
    },
    /// Nobody is ahead of all.
    Undecided {
        /// All of them.
        targets: Vec<String>,
        /// How many rounds would decide it.
        needed: Needed,
        /// Where.
        at: Vec<Place>,
    },
    /// Nothing may be said of some.
    Void {
        /// They, where others are judged there; empty where nobody is.
        targets: Vec<String>,
        /// Why.
        reason: Void,
        /// Where.
        at: Vec<Place>,
    },
}

impl Group {
    /// At how many places.
    pub fn places(&self) -> usize {
        match self {
            Group::Ahead { at, .. } => at.len(),
            Group::Tie { at, .. }
            | Group::NoOrder { at, .. }
            | Group::Undecided { at, .. }
            | Group::Void { at, .. } => at.len(),
        }
    }

    /// Whether one outcome at one place is all that is judged: what is void beside it has no figures.
    pub fn is_single(groups: &[Group]) -> bool {
        let mut judged = groups.iter().filter(|g| !matches!(g, Group::Void { .. }));
        judged.next().is_some_and(|group| group.places() == 1) && judged.next().is_none()
    }
}

/// How several leaders stand to one another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Among {
    /// Every two of them tie.
    Tie {
        /// The margin.
        margin: f64,
    },
    /// None is ahead of another, and not all tie.
    Undecided {
        /// How many rounds would decide it.
        needed: Needed,
    },
    /// Some are ahead of others.
    NoOrder,
}

/// By how much at a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AheadAt {
    /// Where.
    pub place: Place,
    /// By how much.
    pub amount: Amount,
    /// What qualifies it; not there where there is nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hedges: Vec<Note>,
}
