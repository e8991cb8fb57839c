//! The honesty rules in words.

use photofinish_model::check;

/// What a rule says, in a few words.
pub fn title(name: &str) -> &str {
    match name {
        check::LITTLES_LAW => "Little's law: connections = throughput × cycle time, within 5%",
        check::GENERATOR => "The generator was not the limit",
        check::ERRORS => "No errors and no timeouts",
        check::STEADY => "Steady: no shift within a measurement",
        check::SAME_JOB => "Same job: equal status and body from all targets",
        check::ROWS => "As many rows in the table as requests that were answered with success",
        check::QUIET => "A quiet machine",
        check::INTERLEAVED => "Fresh processes, targets interleaved in random order",
        check::RULER => "A known ruler: an A/A pair tells the noise floor",
        check::BYTES => "Bytes agree: bytes on the wire = answers × bytes of an answer",
        other => other,
    }
}

/// The reason in what an unchecked rule says; `None` where it says only that it was not checked.
pub fn why_not(says: &str) -> Option<&str> {
    match says.strip_prefix("not checked") {
        Some(rest) => rest.strip_prefix(": "),
        None => Some(says),
    }
}

/// What it means for the figures when a rule does not hold.
pub fn meaning(name: &str) -> &'static str {
    match name {
        check::LITTLES_LAW => {
            "throughput and response times do not fit together: connections were idle or lost, or one of the figures is wrong"
        }
        check::GENERATOR => {
            "the figures may show this machine's load generator rather than the server: give it more cores or lower the load"
        }
        check::ERRORS => {
            "throughput counts good answers only, and failed requests are in the response times with the time that they had waited"
        }
        check::STEADY => {
            "the server was still changing while it was measured: the mean mixes two states"
        }
        check::SAME_JOB => "the targets do different work, so their speed cannot be compared",
        check::ROWS => {
            "the server says that it has done what it has not done, or has done it twice: its figures are not those of the job"
        }
        check::QUIET => "something else used the machine: differences may be its doing",
        check::INTERLEAVED => {
            "a slow change of the machine, or one server's history, may pass for a difference between targets"
        }
        check::RULER => {
            "on this machine a target differs from itself by more than it should: small differences mean nothing"
        }
        check::BYTES => {
            "requests were counted that did not carry the bytes of a whole answer, or bytes that no request counts"
        }
        _ => "see docs/methods.md",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_told_from_their_lack() {
        assert_eq!(why_not("not checked: an open loop"), Some("an open loop"));
        assert_eq!(why_not("an open loop"), Some("an open loop"));
        assert_eq!(why_not("not checked yet"), None);
        assert_eq!(why_not("not checked for one load run"), None);
    }
}
