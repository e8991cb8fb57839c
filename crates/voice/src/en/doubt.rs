//! What to doubt of a run.

use photofinish_model::finding::doubt::DoubtFinding;
use photofinish_model::units::{Unit, number, plural};

use super::{check, load, verdict};

pub(crate) fn doubt(doubt: &DoubtFinding) -> String {
    match doubt {
        DoubtFinding::Smoke {} => {
            "a smoke run shows that everything works, but says nothing about speed".to_owned()
        }
        DoubtFinding::Already { targets } => format!(
            "{} already and not restarted between rounds: intervals do not cover differences between processes (memory layout, JIT), and photofinish did not pin them to cores",
            plural(*targets, "server was up", "servers were up")
        ),
        DoubtFinding::Checks { failed } => {
            let names: Vec<&str> = failed.iter().map(|name| check::failed(name)).collect();
            format!(
                "{} failed: {}",
                plural(names.len(), "validity check", "validity checks"),
                names.join("; ")
            )
        }
        DoubtFinding::Uneven {
            target,
            place,
            times,
        } => format!(
            "uneven rounds: the throughput of {target} at {} differs by a factor of up to {} from round to round; the machine is busy, or the measurements are too short",
            load::place(place),
            number(*times)
        ),
        DoubtFinding::TwoGroups {
            target,
            place,
            groups,
        } => format!(
            "rounds fall into two groups: at {} {}; its ratios depend on how many of each there were",
            load::place(place),
            verdict::two_groups(target, groups)
        ),
        DoubtFinding::ShortSlices {
            target,
            place,
            waits_us,
            slice_us,
        } => format!(
            "short slices: at {} a connection to {target} still waited for {} on average when a slice of {} ended; with `--sequential` more connections may wait at a time",
            load::place(place),
            Unit::Microseconds.text(*waits_us),
            Unit::Microseconds.text(*slice_us)
        ),
        DoubtFinding::IfIndependent { verdicts, rounds } => format!(
            "{} only if the rounds are independent, which {} cannot show: more can",
            plural(*verdicts, "verdict holds", "verdicts hold"),
            plural(*rounds, "round", "rounds")
        ),
        DoubtFinding::WithinNoise { verdicts } => format!(
            "{} within the noise floor: the machine has shown as much between two copies of one target",
            plural(*verdicts, "difference lies", "differences lie")
        ),
        DoubtFinding::LeftOut { parts } => {
            format!("{} of the study left out", plural(*parts, "part", "parts"))
        }
        DoubtFinding::Gaps { measurements } => format!(
            "{} failed or missing",
            plural(*measurements, "measurement", "measurements")
        ),
    }
}
