//! Load levels as they are typed at the command line.

use photofinish_model::settings::MAX_RATE;
use photofinish_model::store::MOST_LEVELS;
use photofinish_model::{Load, Worded};
use thiserror::Error;

/// Why a text names no load level.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LevelError {
    /// A number out of range.
    #[error(
        "`{0}` is out of range; connections are 1 to 100000, rates above 0 and at most 10000000 per second"
    )]
    Range(String),
    /// A level twice.
    #[error("the load level `{0}` is named twice")]
    Twice(String),
    /// More than a run measures.
    #[error("{0} load levels are too many; at most {MOST_LEVELS} can be measured")]
    Many(usize),
}

/// The most connections that a level may have.
pub const MAX_CONNECTIONS: u32 = 100_000;

/// The connections of an open loop where none are given.
pub const RATE_CONNECTIONS: u32 = 100;

/// Whether levels are within range, and each there once.
///
/// # Errors
/// The first level that is not.
pub fn check_loads(loads: &[Load]) -> Result<(), LevelError> {
    if loads.len() > MOST_LEVELS {
        return Err(LevelError::Many(loads.len()));
    }
    for (i, load) in loads.iter().enumerate() {
        let connections = load.connections();
        // A search keeps to the bounds of its own file.
        if let Load::Open { rate, .. } = *load
            && !(rate > 0.0 && rate <= MAX_RATE)
        {
            return Err(LevelError::Range(rate.to_string()));
        }
        if !(1..=MAX_CONNECTIONS).contains(&connections) {
            return Err(LevelError::Range(connections.to_string()));
        }
        if loads[..i].contains(load) {
            return Err(LevelError::Twice(show(load)));
        }
    }
    Ok(())
}

/// A level in a message.
fn show(load: &Load) -> String {
    match load {
        Load::Closed { connections } => connections.to_string(),
        Load::Open {
            rate,
            arrivals,
            connections,
        } => {
            let arrivals = arrivals.word();
            format!("{rate}/s:{arrivals}:{connections}")
        }
        Load::Capacity(search) => search.objective.text().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use photofinish_model::Arrivals;

    use super::*;

    #[test]
    fn levels_are_within_bounds_and_each_there_once() {
        let closed = |connections| Load::Closed { connections };
        let open = |rate| Load::Open {
            rate,
            arrivals: Arrivals::Constant,
            connections: 7,
        };
        let says = |loads: &[Load]| check_loads(loads).map_err(|error| error.to_string());
        assert_eq!(says(&[closed(16), open(2.5), closed(256)]), Ok(()));
        for (loads, part) in [
            (vec![closed(0)], "`0` is out of range"),
            (vec![closed(100_001)], "`100001` is out of range"),
            (vec![open(0.0)], "`0` is out of range"),
            (vec![open(f64::NAN)], "`NaN` is out of range"),
            (vec![closed(16), closed(16)], "`16` is named twice"),
            (
                vec![open(2.5), open(2.5)],
                "`2.5/s:constant:7` is named twice",
            ),
        ] {
            let wrong = says(&loads).expect_err(part);
            assert!(wrong.contains(part), "{wrong}");
        }
    }
}
