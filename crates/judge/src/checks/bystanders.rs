//! Whether the servers that were up beside the one that was measured had rested.

use photofinish_model::finding::check::CheckFinding;

use super::Outcome;

/// What servers that rest may use all together, in cores: about what the timers of two virtual machines take.
pub const RESTING_CORES: f64 = 0.02;

/// The check, from the CPU that they used during this one's slices.
pub(super) fn bystanders(cores: f64) -> Outcome {
    let limit = RESTING_CORES;
    Outcome::new(cores <= limit, CheckFinding::Bystanders { cores, limit })
}

#[cfg(test)]
mod tests {
    use photofinish_voice::{Language, Say};

    use super::*;

    #[test]
    fn others_rest() {
        assert_eq!(bystanders(0.02).ok, Some(true));
        let busy = bystanders(0.034);
        assert_eq!(busy.ok, Some(false));
        assert_eq!(
            busy.finding.say(Language::En),
            "the other targets' servers used 3.4% of a core meanwhile (at most 2.0%): stop them meanwhile (`--freeze`), or measure one target after the other (`--sequential`)"
        );
    }
}
