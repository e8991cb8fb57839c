//! `--stages 10s@1000,30s@1000..5000`: the rate of an open loop over time.

use photofinish_model::amount::{AmountError, parse_amount};
use photofinish_model::duration::{DurationError, parse_duration};
use photofinish_model::{SHORTEST_LOAD, Stage};

use crate::commands::server::too_short;
use crate::exit::Failure;

/// Parses stages; the message of a failure names the flag and the stage.
pub fn stages(text: &str) -> Result<Vec<Stage>, Failure> {
    let parsed = (1..).zip(text.split(',')).map(|(number, part)| {
        let part = part.trim();
        stage(part).map_err(|says| {
            Failure::request(format!(
                "--stages, stage {number} `{part}`: {says}; write 30s@1000 for a rate, 30s@1000..5000 for a ramp"
            ))
        })
    });
    let stages: Vec<Stage> = parsed.collect::<Result<_, _>>()?;
    if stages.iter().all(|s| s.from == 0.0 && s.to == 0.0) {
        return Err(Failure::request(
            "--stages: at a rate of 0 in all stages nothing is sent",
        ));
    }
    if Stage::total(&stages) < SHORTEST_LOAD {
        return Err(Failure::request(format!("--stages: {}", too_short())));
    }
    Ok(stages)
}

/// Why a text is no stage.
#[derive(Debug, thiserror::Error)]
enum StageError {
    #[error("there is no @ between its length and its rate")]
    NoRate,
    #[error(transparent)]
    Length(#[from] DurationError),
    #[error("its length is 0")]
    NoLength,
    #[error(transparent)]
    Rate(#[from] AmountError),
}

fn stage(text: &str) -> Result<Stage, StageError> {
    let (time, rates) = text.split_once('@').ok_or(StageError::NoRate)?;
    let duration = parse_duration(time)?;
    if duration.is_zero() {
        return Err(StageError::NoLength);
    }
    let (from, to) = rates.split_once("..").unwrap_or((rates, rates));
    let (from, to) = (parse_amount(from)?, parse_amount(to)?);
    Ok(Stage { duration, from, to })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::exit::FailureText;

    fn says(text: &str) -> String {
        match stages(text) {
            Err(Failure::Request(FailureText::Words(words))) => words,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn rates_and_ramps_follow_each_other() {
        let stages = stages("10s@1000, 1m30s@1k..5000").expect("stages");
        let stage = |seconds, from, to| Stage {
            duration: Duration::from_secs(seconds),
            from,
            to,
        };
        assert_eq!(stages, [stage(10, 1e3, 1e3), stage(90, 1e3, 5e3)]);
        assert_eq!(Stage::total(&stages), Duration::from_secs(100));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_stage() {
        assert!(says("10s@1000,30s").starts_with("--stages, stage 2 `30s`: there is no @"));
        assert!(says("10s@1000,").starts_with("--stages, stage 2 ``: there is no @"));
        assert!(says("10@1000").contains("stage 1 `10@1000`: `10` has no unit"));
        assert!(says("0s@1000").contains("its length is 0"));
        assert!(says("1s@-3").contains("`-3` is negative"));
        assert!(says("1s@1..x").contains("`x` is not a number"));
        assert!(says("1s@NaN").contains("`NaN` is not a number"));
        assert!(says("1s@0").contains("nothing is sent"));
    }
}
