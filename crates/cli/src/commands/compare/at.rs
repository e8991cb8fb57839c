//! `--at`: one rate for all servers, as a share of what the slowest of them achieves.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use photofinish_lab::RunOptions;
use photofinish_model::Load;
use photofinish_model::store::Results;
use photofinish_model::units;
use photofinish_study::plan::Plan;

use crate::args::RaceArgs;
use crate::exit::Failure;
use crate::machines::machines;
use crate::{out, signals};

/// For how long each server is loaded as fast as it responds.
const PROBE: Duration = Duration::from_secs(1);

/// Finds the rate for each number of connections: so large a share of the throughput that the slowest server has in one short round, with two digits.
/// `plan` has closed loops.
///
/// # Errors
/// If a server cannot be measured, and on Ctrl-C.
pub(super) fn rates(
    plan: &Plan,
    share: f64,
    args: &RaceArgs,
    interrupt: &AtomicBool,
) -> Result<BTreeMap<u32, f64>, Failure> {
    let mut plan = plan.clone();
    let settings = &mut plan.settings;
    settings.rounds = 1;
    settings.duration = PROBE;
    settings.profile = Some(false);
    (settings.until_decided, settings.max_rounds) = (false, None);
    (settings.within, settings.half_width) = (None, None);
    (settings.aa, settings.why) = (false, None);
    // A server that fails is named, whatever becomes of the others.
    settings.ends_without_contest = false;
    let folder = tempfile::tempdir()
        .map_err(|error| Failure::run(format!("cannot create a temporary folder: {error}")))?;
    // One round is enough, so it is on the first of several pairs of machines.
    let pairs = machines(args.on.as_deref(), interrupt)?;
    let Some(machines) = pairs.first() else {
        return Ok(BTreeMap::new());
    };
    let options = RunOptions {
        results: folder.path().join("rate"),
        resume: false,
        seed: args.seed,
        cache: machines.cache.clone(),
        conditions: Vec::new(),
        dealt: None,
    };
    let (host, generator) = (&machines.host, &machines.generator);
    let finished = photofinish_lab::run(&plan, &options, host, generator, &mut |_| {}, interrupt)?;
    if finished.interrupted || signals::interrupted(interrupt) {
        return Err(Failure::Incomplete);
    }
    let results = Results::read(&finished.dir)
        .map_err(|error| Failure::run(format!("--at: cannot read what was measured: {error}")))?;
    let mut slowest: BTreeMap<u32, (f64, &str)> = BTreeMap::new();
    for line in &results.lines {
        let Load::Closed { connections } = line.load else {
            continue;
        };
        let Some(measurement) = &line.measurement else {
            let why = (line.failure.as_ref()).map_or_else(String::new, ToString::to_string);
            let problem = format!("--at: {} could not be measured: {why}", line.target);
            return Err(Failure::run(problem));
        };
        let found = (measurement.throughput_rps, line.target.as_str());
        let least = slowest.entry(connections).or_insert(found);
        if found.0 < least.0 {
            *least = found;
        }
    }
    let rates = slowest.into_iter().map(|(connections, (rps, target))| {
        let rate = two_digits(rps * share);
        if !args.detail.all.quiet {
            out::note(&found(share, rate, connections, (rps, target)));
        }
        (connections, rate)
    });
    Ok(rates.collect())
}

/// What a share came to, of the throughput of the slowest server.
fn found(share: f64, rate: f64, connections: u32, (rps, target): (f64, &str)) -> String {
    let percent = share * 100.0;
    let connections = units::plural(connections as usize, "connection", "connections");
    format!("--at {percent:.0}%: {rate}/s at {connections}, of {rps:.0}/s that {target} achieves")
}

/// A rate with two digits that count, and at least one request per second.
fn two_digits(rate: f64) -> f64 {
    let unit = 10_f64.powf(rate.max(1.0).log10().floor() - 1.0).max(1.0);
    ((rate / unit).round() * unit).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_printed_with_its_origin() {
        assert_eq!(
            found(0.6, 35_000.0, 100, (58_333.3, "node")),
            "--at 60%: 35000/s at 100 connections, of 58333/s that node achieves"
        );
        assert_eq!(
            found(0.95, 1.0, 1, (1.2, "b")),
            "--at 95%: 1/s at 1 connection, of 1/s that b achieves"
        );
    }

    #[test]
    fn rates_have_two_digits() {
        for (rate, expected) in [
            (34_920.0, 35_000.0),
            (123_456.0, 120_000.0),
            (987.0, 990.0),
            (12.4, 12.0),
            (4.4, 4.0),
            (0.2, 1.0),
        ] {
            assert_eq!(two_digits(rate), expected);
        }
    }
}
