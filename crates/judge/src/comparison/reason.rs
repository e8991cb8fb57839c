//! Why figures are not judged.

use photofinish_model::message::Message;
use photofinish_model::network::FullLink;
use photofinish_voice::network;
use photofinish_voice::verdict::reason;
use schemars::JsonSchema;
use serde::Serialize;

/// Why figures that were measured are not judged.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Invalid {
    /// What follows from it.
    #[serde(skip)]
    pub kind: InvalidKind,
    /// The reason.
    pub reason: Message,
}

/// What follows from a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidKind {
    /// There is one round. More rounds would lift it.
    OneRound,
    /// The figures may not be stated next to each other either.
    NotComparable,
    /// Nothing else.
    Other,
}

impl Invalid {
    /// Returns that one round shows no spread.
    pub(crate) fn one_round() -> Invalid {
        Invalid {
            kind: InvalidKind::OneRound,
            reason: reason::one_round(),
        }
    }

    /// Returns a reason for which figures may not be stated next to each other.
    pub(super) fn not_comparable(reason: Message) -> Invalid {
        Invalid {
            kind: InvalidKind::NotComparable,
            reason,
        }
    }

    /// Whether further rounds may lift it.
    pub(crate) fn is_too_early(&self) -> bool {
        self.kind == InvalidKind::OneRound
    }
}

impl From<Message> for Invalid {
    fn from(reason: Message) -> Invalid {
        Invalid {
            kind: InvalidKind::Other,
            reason,
        }
    }
}

/// Returns that a network link carried about as much as it can.
pub(super) fn full_link(link: &FullLink) -> Message {
    network::full_link(&link.interface, &link.machine, link.share, link.mbit_per_s)
}
