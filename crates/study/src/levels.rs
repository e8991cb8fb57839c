//! Load levels and CPU lanes as they are typed at the command line.

use photofinish_model::amount::{parse_amount, parse_count};
use photofinish_model::store::MOST_LEVELS;
use photofinish_model::{Arrivals, Load};
use thiserror::Error;

use crate::plan::Lanes;

/// Why a text names no load level or no lanes.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LevelError {
    /// Not a level.
    #[error(
        "`{0}` is not a load level; write 100 for 100 connections, 5000/s for a rate, 5000/s:constant for equal gaps, 5000/s:poisson:200 for 200 connections"
    )]
    Level(String),
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
    /// Not lanes.
    #[error(
        "`{0}` names no lanes; write split, none, or the cores of both: server=0-1,generator=2-3"
    )]
    Lanes(String),
    /// A core in both lanes.
    #[error(
        "core {0} is in both lanes; server and generator need cores of their own (or write none)"
    )]
    Shared(usize),
}

/// The most connections that a level may have.
pub const MAX_CONNECTIONS: u32 = 100_000;

/// The highest rate that a level may have, per second.
pub const MAX_RATE: f64 = 1e7;

/// The connections of an open loop where none are given.
pub const RATE_CONNECTIONS: u32 = 100;

/// The largest number that a core may have (the size of Linux' `cpu_set_t`).
const MAX_CORE: usize = 1023;

/// Parses levels separated by commas: `16,256,5000/s`.
///
/// # Errors
/// Whatever is no level, out of range or there twice.
pub fn parse_loads(text: &str) -> Result<Vec<Load>, LevelError> {
    let loads = text
        .split(',')
        .map(parse_load)
        .collect::<Result<Vec<_>, _>>()?;
    check_loads(&loads)?;
    Ok(loads)
}

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

/// A level as [`parse_load`] reads it, but for a search, which it does not.
fn show(load: &Load) -> String {
    match load {
        Load::Closed { connections } => connections.to_string(),
        Load::Open {
            rate,
            arrivals,
            connections,
        } => {
            let arrivals = match arrivals {
                Arrivals::Poisson => "poisson",
                Arrivals::Constant => "constant",
            };
            format!("{rate}/s:{arrivals}:{connections}")
        }
        Load::Capacity(search) => search.objective.text().to_owned(),
    }
}

/// Parses one level: `100` is a closed loop of 100 connections; `5000/s` (or `5k/s`) an open loop with
/// Poisson arrivals over 100 connections; `5000/s:constant:200` one with equal gaps over 200.
///
/// # Errors
/// A text that is no level, or a number out of range.
pub fn parse_load(text: &str) -> Result<Load, LevelError> {
    let text = text.trim();
    let malformed = || LevelError::Level(text.to_owned());
    let connections = |digits: &str| {
        let count = parse_count(digits).map_err(|_| malformed())?;
        u32::try_from(count).map_err(|_| LevelError::Range(text.to_owned()))
    };
    // What is out of range is told as it was written.
    let within = |load| match check_loads(std::slice::from_ref(&load)) {
        Ok(()) => Ok(load),
        Err(_) => Err(LevelError::Range(text.to_owned())),
    };
    let Some((rate, options)) = text.split_once("/s") else {
        let connections = connections(text)?;
        return within(Load::Closed { connections });
    };
    let rate = parse_amount(rate).map_err(|_| malformed())?;
    let mut arrivals = Arrivals::Poisson;
    let mut over = RATE_CONNECTIONS;
    let mut options = options.split(':');
    if options.next() != Some("") {
        return Err(malformed());
    }
    for option in options {
        match option {
            "poisson" => arrivals = Arrivals::Poisson,
            "constant" => arrivals = Arrivals::Constant,
            digits => over = connections(digits)?,
        }
    }
    within(Load::Open {
        rate,
        arrivals,
        connections: over,
    })
}

/// Parses `split`, `none` or `server=0-1,generator=2-3`.
///
/// # Errors
/// Anything else; lanes without cores; a core in both lanes.
pub fn parse_lanes(text: &str) -> Result<Lanes, LevelError> {
    match text.trim() {
        "split" => return Ok(Lanes::Split),
        "none" => return Ok(Lanes::None),
        _ => {}
    }
    let malformed = || LevelError::Lanes(text.trim().to_owned());
    let (mut server, mut generator) = (Vec::new(), Vec::new());
    let mut lane = None;
    for part in text.split(',') {
        let cores = match part.split_once('=') {
            Some((name, cores)) => {
                lane = Some(match name.trim() {
                    "server" => &mut server,
                    "generator" => &mut generator,
                    _ => return Err(malformed()),
                });
                cores
            }
            None => part,
        };
        let range = parse_cores(cores).ok_or_else(malformed)?;
        lane.as_mut().ok_or_else(malformed)?.extend(range);
    }
    explicit_lanes(server, generator)?.ok_or_else(malformed)
}

/// Lanes of these cores; `None` where one lane has no core.
pub(crate) fn explicit_lanes(
    mut server: Vec<usize>,
    mut generator: Vec<usize>,
) -> Result<Option<Lanes>, LevelError> {
    for lane in [&mut server, &mut generator] {
        lane.sort_unstable();
        lane.dedup();
    }
    if let Some(core) = server.iter().find(|core| generator.contains(core)) {
        return Err(LevelError::Shared(*core));
    }
    let given = !server.is_empty() && !generator.is_empty();
    Ok(given.then_some(Lanes::Explicit { server, generator }))
}

fn parse_cores(text: &str) -> Option<std::ops::RangeInclusive<usize>> {
    let (first, last) = text.trim().split_once('-').unwrap_or((text, text));
    let first = first.trim().parse().ok()?;
    let last = last.trim().parse().ok()?;
    (first <= last && last <= MAX_CORE).then_some(first..=last)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_levels() {
        let closed = |connections| Load::Closed { connections };
        assert_eq!(
            parse_loads("16, 256,1000"),
            Ok(vec![closed(16), closed(256), closed(1000)])
        );
        assert_eq!(
            parse_load("2.5/s:constant:7"),
            Ok(Load::Open {
                rate: 2.5,
                arrivals: Arrivals::Constant,
                connections: 7
            })
        );
        assert_eq!(
            parse_load("5000/s"),
            Ok(Load::Open {
                rate: 5000.0,
                arrivals: Arrivals::Poisson,
                connections: 100
            })
        );
    }

    #[test]
    fn refuses_what_is_no_level() {
        for text in [
            "",
            "x",
            "5000/h",
            "5000/sx",
            "1e3k",
            "1,5k/s",
            "-1/s",
            "NaN/s",
            "inf/s",
            "100:constant",
            "/s",
            "5/s:",
        ] {
            assert!(
                matches!(parse_load(text), Err(LevelError::Level(_))),
                "{text}"
            );
        }
        for text in ["0", "100001", "0/s", "11m/s", "5/s:0"] {
            assert!(
                matches!(parse_load(text), Err(LevelError::Range(_))),
                "{text}"
            );
        }
        assert_eq!(
            parse_loads("16,16"),
            Err(LevelError::Twice("16".to_owned()))
        );
    }

    #[test]
    fn reads_lanes() {
        assert_eq!(parse_lanes("split"), Ok(Lanes::Split));
        assert_eq!(parse_lanes("none"), Ok(Lanes::None));
        assert_eq!(
            parse_lanes("generator=2-3,server=0,5"),
            Ok(Lanes::Explicit {
                server: vec![0, 5],
                generator: vec![2, 3]
            })
        );
    }

    #[test]
    fn refuses_what_is_no_lanes() {
        for text in [
            "",
            "server=0",
            "0-1",
            "server=1-0,generator=2",
            "client=1,server=0",
        ] {
            assert!(
                matches!(parse_lanes(text), Err(LevelError::Lanes(_))),
                "{text}"
            );
        }
        assert_eq!(
            parse_lanes("server=0-2,generator=2"),
            Err(LevelError::Shared(2))
        );
    }

    #[test]
    fn what_is_shown_is_read_back() {
        for text in ["100", "2.5/s:constant:7", "5000/s:poisson:100"] {
            assert_eq!(show(&parse_load(text).unwrap()), text);
        }
    }

    proptest! {
        #[test]
        fn never_panics(text in "\\PC*") {
            let _ = parse_loads(&text);
            let _ = parse_lanes(&text);
        }
    }
}
