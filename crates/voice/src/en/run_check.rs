//! The validity checks of a whole run.

use photofinish_model::finding::noise::NoiseFinding;
use photofinish_model::finding::run_check::{Counted, Responded, RunCheckFinding};
use photofinish_model::network::{Interface, InterfaceKind};
use photofinish_model::units::{Unit, plural, thousands};

use super::{check, load, metric, network, noise};

pub(crate) fn finding(finding: &RunCheckFinding) -> String {
    match finding {
        RunCheckFinding::Title { check } => check::title(check).to_owned(),
        RunCheckFinding::Passed { checked, counted } => {
            format!("passed: {} checked", count(*checked, *counted))
        }
        RunCheckFinding::Failed {
            check,
            failing,
            checked,
            counted,
        } => format!(
            "failed in {} of {}: {}",
            thousands(*failing as f64),
            count(*checked, *counted),
            check::meaning(check)
        ),
        RunCheckFinding::Partly {
            checked,
            of,
            counted,
            why,
        } => {
            let why = why.as_ref().map_or_else(String::new, |why| {
                format!("; the others: {}", self::finding(why))
            });
            format!(
                "passed where it could be checked: {} of {}{why}",
                thousands(*checked as f64),
                count(*of, *counted)
            )
        }
        RunCheckFinding::NotChecked { why: None } => "not checked".to_owned(),
        RunCheckFinding::NotChecked { why: Some(why) } => match why.as_ref() {
            RunCheckFinding::Recorded { says } => says.clone(),
            why => format!("not checked: {}", self::finding(why)),
        },
        RunCheckFinding::Measured { finding } => check::finding(finding),
        RunCheckFinding::Recorded { says } => says.clone(),
        RunCheckFinding::NoPair {} => "no A/A pair in this study: run with --aa".to_owned(),
        RunCheckFinding::SmokeRun {} => "a smoke run has no noise floor".to_owned(),
        RunCheckFinding::PairNeedsRounds {} => {
            "an A/A pair needs two rounds with figures of both copies".to_owned()
        }
        RunCheckFinding::NoiseFloor {
            workload,
            load,
            floor,
        } => format!(
            "{workload}, {}: {}",
            load::level(load),
            noise::finding(floor)
        ),
        RunCheckFinding::DiffersFromItself { floor } => match floor {
            NoiseFinding::Void { .. } | NoiseFinding::NothingToCompare { .. } => {
                noise::finding(floor)
            }
            NoiseFinding::Differed {
                metric,
                by,
                interval,
                ..
            } => {
                let name = metric::name(metric);
                format!(
                    "the {name} of its two copies differs by {}: do not trust a smaller difference in {name} here",
                    noise::size(*by, *interval)
                )
            }
        },
        RunCheckFinding::SharedProcess { pid, target, round } => {
            format!("its server process {pid} is that of {target} in round {round}")
        }
        RunCheckFinding::RanAlready {} => {
            "the servers were already running, and no process was started for a round".to_owned()
        }
        RunCheckFinding::NoOwnCores {
            machine,
            pod,
            asked,
            may,
        } => format!(
            "the pod {pod} asked for {} and may run on {} of {machine}: it is limited by CPU time, not to cores of its own",
            plural(*asked as usize, "core", "cores"),
            thousands(f64::from(*may))
        ),
        RunCheckFinding::NotBound {
            machine,
            job,
            asked,
            may,
        } => format!(
            "job {job} asked for {} of {machine} and may run on {} of them: Slurm does not bind it to those that it gave",
            plural(*asked as usize, "core", "cores"),
            thousands(f64::from(*may))
        ),
        RunCheckFinding::FullLink { link } => network::full_link(link),
        RunCheckFinding::NoLinkSpeed { machine, interface } => match interface {
            None => format!("the network interface of {machine} is not known"),
            Some(Interface { name, kind, .. }) => {
                let what = match kind {
                    InterfaceKind::Loopback => "the loopback interface, which has no speed",
                    InterfaceKind::Virtual => "a virtual link without a speed of its own",
                    InterfaceKind::Device => "a device that does not state its speed",
                };
                format!("{name} of {machine} is {what}")
            }
        },
        RunCheckFinding::Grouped {} => {
            "all trials of one target were run before those of the next".to_owned()
        }
        RunCheckFinding::Seed { seed } => format!("seed {seed}"),
        RunCheckFinding::OtherResponse {
            got,
            other,
            expected,
        } => format!(
            "responded with {}, but {other} responded with {}",
            response(got),
            response(expected)
        ),
        RunCheckFinding::WireBytes { workload, bytes } => {
            let each: Vec<String> = bytes
                .iter()
                .map(|(target, bytes)| format!("{target} {}", thousands(*bytes as f64)))
                .collect();
            format!(
                "{workload}: bytes of a response on the wire differ: {}",
                each.join(", ")
            )
        }
        RunCheckFinding::OwnHeaders { workload, headers } => {
            let own: Vec<String> = headers
                .iter()
                .map(|(target, own)| format!("{target} sends {}", own.join(", ")))
                .collect();
            format!(
                "{workload}: headers that not all targets send: {}",
                own.join("; ")
            )
        }
        RunCheckFinding::NeverSettled {
            target,
            duration_s,
            workload,
            load,
            round,
        } => format!(
            "never settled: {target}, after {} of warm-up on {workload} at {} in round {round}",
            Unit::Microseconds.text(duration_s * 1e6),
            load::level(load)
        ),
    }
}

fn count(n: usize, counted: Counted) -> String {
    let (one, several) = match counted {
        Counted::Measurements => ("measurement", "measurements"),
        Counted::Trials => ("trial", "trials"),
        Counted::Pods => ("pod", "pods"),
        Counted::Nodes => ("node", "nodes"),
        Counted::TargetsAndWorkloads => ("target and workload", "pairs of target and workload"),
        Counted::AaComparisons => ("A/A comparison", "A/A comparisons"),
    };
    plural(n, one, several)
}

fn response(response: &Responded) -> String {
    let hash: String = response.sha256.chars().take(8).collect();
    let status = match response.status {
        0 => String::new(),
        status => format!("status {status} and "),
    };
    format!(
        "{status}a body of {} (SHA-256 {hash}…)",
        plural(response.bytes as usize, "byte", "bytes")
    )
}
