//! Whether the servers of a round can be up together.

use photofinish_model::Load;
use photofinish_study::plan::{Listen, Plan, Target};

use crate::events::Sequential;
use crate::journal::Journal;
use crate::order::Scheduled;
use crate::prepare;
use crate::run_context::RunContext;

const MIB: u64 = 1 << 20;
/// Memory that a server needs if nothing is known of it, in bytes.
const DEFAULT_MEMORY: u64 = 512 * MIB;
/// Share of the available memory that servers may take: the kernel's caches make room for the rest.
const USABLE_SHARE: f64 = 0.9;

/// Why a plan's targets are measured sequentially whatever its servers need; `None`: they take turns, where their servers can be up together.
pub fn sequential(plan: &Plan) -> Option<Sequential> {
    let mut loads = plan.workloads.iter().flat_map(|workload| &workload.loads);
    if !plan.settings.turns {
        Some(Sequential::Asked)
    } else if plan.settings.smoke {
        Some(Sequential::Smoke)
    } else if plan.targets.len() < 2 {
        Some(Sequential::OneTarget)
    } else if loads.all(|load| matches!(load, Load::Capacity(_))) {
        // A search takes minutes at each target, and has nothing of the others' being up.
        Some(Sequential::Searches)
    } else {
        None
    }
}

/// What keeps these trials' servers from being up together.
pub(crate) fn obstacle(
    run: &RunContext,
    trials: &[Scheduled],
    journal: &Journal,
) -> Option<Sequential> {
    let plan = run.plan;
    let targets = trials.iter().map(|trial| &plan.targets[trial.target]);
    let targets: Vec<&Target> = targets.collect();
    if let Some((at, targets)) = same_place(&targets) {
        return Some(Sequential::Listen { at, targets });
    }
    let loads = plan.workloads.iter().flat_map(|workload| &workload.loads);
    let connections = loads.map(Load::connections).max().unwrap_or(0);
    let all = connections.saturating_mul(trials.len() as u32);
    if let Err(crate::Error::OpenFiles { needed, limit }) =
        prepare::open_files([run.host, run.generator.machine()], all)
    {
        return Some(Sequential::OpenFiles { needed, limit });
    }
    let available = run.host.memory_available()?;
    let memory = |target: &&Target| {
        journal
            .memory(&target.label)
            .unwrap_or_else(|| guess(target))
    };
    // What runs already has its memory.
    let started = targets.iter().filter(|target| target.already().is_none());
    let needed = started.map(memory).sum();
    let fits = needed as f64 <= available as f64 * USABLE_SHARE;
    (!fits).then_some(Sequential::Memory { needed, available })
}

/// A port or a Unix socket on which two of them insist.
fn same_place(targets: &[&Target]) -> Option<(Listen, [String; 2])> {
    targets.iter().enumerate().find_map(|(place, target)| {
        let at = &target.start.listen;
        if let Listen::FreePort | Listen::Socket | Listen::Already(_) = at {
            return None;
        }
        let other = targets[place + 1..]
            .iter()
            .find(|other| other.start.listen == *at)?;
        Some((at.clone(), [target.label.clone(), other.label.clone()]))
    })
}

/// What a target's server may need that has not been seen yet: its heap's limit, where its command states one.
fn guess(target: &Target) -> u64 {
    let start = &target.start;
    let words = start.command.iter().chain(&start.jvm_flags);
    words
        .filter_map(|word| heap(word))
        .max()
        .unwrap_or(DEFAULT_MEMORY)
}

/// The bytes of a flag such as `-Xmx512m`.
fn heap(flag: &str) -> Option<u64> {
    let size = flag.strip_prefix("-Xmx")?;
    let digits = size.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match size[digits.len()..].to_ascii_lowercase().as_str() {
        "" => 1,
        "k" => 1 << 10,
        "m" => MIB,
        "g" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake;

    #[test]
    fn a_heap_is_read_as_java_reads_it() {
        for (flag, bytes) in [
            ("-Xmx512m", Some(512 * MIB)),
            ("-Xmx2G", Some(2_048 * MIB)),
            ("-Xmx1048576", Some(MIB)),
            ("-Xmx64k", Some(65_536)),
            ("-Xms1g", None),
            ("-Xmx", None),
            ("-Xmx1x", None),
        ] {
            assert_eq!(heap(flag), bytes, "{flag}");
        }
        let mut target = fake::target("a");
        assert_eq!(guess(&target), DEFAULT_MEMORY);
        target.start.jvm_flags = vec!["-Xmx3g".to_owned()];
        assert_eq!(guess(&target), 3_072 * MIB);
    }

    #[test]
    fn a_port_is_for_one_server_at_a_time() {
        let mut targets = ["a", "b", "c"].map(fake::target);
        let socket = Listen::SocketAt("/run/app.sock".into());
        for (at, other) in [
            (Listen::Port(8_080), Listen::Port(8_081)),
            (socket, Listen::Socket),
        ] {
            targets[0].start.listen = at.clone();
            targets[1].start.listen = other.clone();
            targets[2].start.listen = Listen::Socket;
            assert_eq!(same_place(&targets.iter().collect::<Vec<_>>()), None);
            targets[2].start.listen = at.clone();
            let same = same_place(&targets.iter().collect::<Vec<_>>());
            assert_eq!(same, Some((at, ["a".to_owned(), "c".to_owned()])));
        }
    }
}
