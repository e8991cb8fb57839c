//! Remarks next to a verdict, and what a verdict depends on.

use photofinish_model::message::Message;
use photofinish_voice::verdict::note;
use schemars::JsonSchema;
use serde::Serialize;

/// A remark next to a verdict.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Note {
    /// The remark.
    #[serde(flatten)]
    pub says: Message,
    /// Whether it casts doubt on the verdict; other remarks explain how the verdict was reached.
    pub caution: bool,
    /// What the verdict depends on, if it must not be stated without this remark.
    #[serde(skip)]
    pub hedge: Option<Hedge>,
}

/// What a verdict depends on.
#[derive(Clone, Debug, PartialEq)]
pub enum Hedge {
    /// The difference is no larger than that of a server from its own copy.
    WithinNoise {
        /// How far the noise floor reaches: a ratio above 1.
        reach: f64,
    },
    /// The verdict holds only if rounds are independent.
    IfIndependent {
        /// The rounds.
        rounds: usize,
        /// The largest correlation of consecutive rounds that so few rounds do not exclude.
        correlation: f64,
    },
    /// The rounds of a server fall into two groups.
    TwoGroups {
        /// The server.
        target: String,
        /// How the groups differ.
        groups: Groups,
    },
}

/// Two groups of a server's rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Groups {
    /// The rounds of the smaller group.
    pub few: usize,
    /// All rounds.
    pub rounds: usize,
    /// The figure of the smaller group / that of the larger one.
    pub ratio: f64,
}

impl Note {
    /// Returns a remark that casts doubt on the verdict.
    pub(super) fn caution(says: Message) -> Note {
        Note {
            says,
            caution: true,
            hedge: None,
        }
    }

    /// Returns a remark that explains how the verdict was reached.
    pub(super) fn explanation(says: Message) -> Note {
        Note {
            caution: false,
            ..Note::caution(says)
        }
    }
}

impl From<Hedge> for Note {
    fn from(hedge: Hedge) -> Note {
        let says = match &hedge {
            Hedge::WithinNoise { reach } => note::within_noise(reach - 1.0),
            Hedge::IfIndependent {
                rounds,
                correlation,
            } => note::if_independent(*rounds, *correlation),
            Hedge::TwoGroups { target, groups } => note::two_groups(groups.of(target)),
        };
        Note {
            hedge: Some(hedge),
            ..Note::caution(says)
        }
    }
}

impl Groups {
    /// Returns how the groups of a server's rounds differ.
    pub(super) fn of(&self, target: &str) -> Message {
        match self.few {
            1 => note::one_in_group(self.rounds, target, self.ratio),
            few => note::several_in_group(few, self.rounds, target, self.ratio),
        }
    }
}
