//! The outcome of a check.

use photofinish_model::Check;
use photofinish_model::message::Message;

/// Whether a check holds, and the arithmetic.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Whether it holds; `None` if it was not checked.
    pub ok: Option<bool>,
    /// The arithmetic, or why it was not checked; `None` if one load run by itself cannot show it.
    pub says: Option<Message>,
}

impl Outcome {
    pub(crate) fn new(ok: impl Into<Option<bool>>, says: Message) -> Outcome {
        Outcome {
            ok: ok.into(),
            says: Some(says),
        }
    }

    /// Returns the outcome of a check that one load run by itself cannot show.
    pub(super) fn of_one_run() -> Outcome {
        Outcome {
            ok: None,
            says: None,
        }
    }

    /// Returns the outcome with the check's name, as it is recorded.
    pub(super) fn named(self, name: &str) -> Check {
        Check {
            name: name.to_owned(),
            ok: self.ok,
            says: self.says,
        }
    }
}
