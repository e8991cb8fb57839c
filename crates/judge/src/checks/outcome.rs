//! What came of a check.

use photofinish_model::Check;
use photofinish_model::finding::check::CheckFinding;
use photofinish_voice::{Language, Say};

/// Whether a check holds (`None`: it was not made), and what was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Whether it holds; `None` where it was not checked.
    pub ok: Option<bool>,
    /// The arithmetic, or why it was not checked.
    pub finding: CheckFinding,
}

impl Outcome {
    pub(crate) fn new(ok: impl Into<Option<bool>>, finding: CheckFinding) -> Outcome {
        Outcome {
            ok: ok.into(),
            finding,
        }
    }

    /// The same under a check's name, as it is written to disk.
    pub(super) fn named(self, name: &str) -> Check {
        Check {
            name: name.to_owned(),
            ok: self.ok,
            says: self.finding.say(Language::En),
            finding: Some(self.finding),
        }
    }
}
