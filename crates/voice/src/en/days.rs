//! Two runs of a study.

use photofinish_model::finding::days::{Changed, Differs, Had, HadWorkload, Thing, Unmeasured};
use photofinish_model::units::{Unit, thousands};

use super::load::place;
use super::verdict::void;
use super::{asked, check, load};

pub(crate) fn differs(differs: &Differs) -> String {
    match differs {
        Differs::Smoke => "a smoke run, which says nothing about speed".to_owned(),
        Differs::Backwards => "the second run is the earlier one".to_owned(),
        Differs::OtherResponse { target, workload } => {
            format!("{workload}: the responses of {target} are not those of the run before")
        }
        Differs::NotMeasured(found) => unmeasured(found),
        Differs::Thing {
            what,
            before,
            after,
        } => {
            let text = |was: &Option<Had>| was.as_ref().map_or_else(|| "none".to_owned(), had);
            format!(
                "{}: before {}; after {}",
                thing(what),
                text(before),
                text(after)
            )
        }
    }
}

pub(crate) fn unmeasured(
    Unmeasured {
        place: at,
        target,
        later,
    }: &Unmeasured,
) -> String {
    match later {
        true => format!("{}: {target} was not measured in the later run", place(at)),
        false => format!(
            "{}: {target} was not measured in the earlier run",
            place(at)
        ),
    }
}

fn had(had: &Had) -> String {
    match had {
        Had::Name { name } => name.clone(),
        Had::Names { names } => names.join(", "),
        Had::Checks { names } => {
            let titles: Vec<&str> = names.iter().map(|name| check::title(name)).collect();
            titles.join(", ")
        }
        Had::Count { count } => thousands(*count as f64),
        Had::Bytes { bytes } => Unit::Bytes.text(*bytes as f64),
        Had::Seconds { seconds } => format!("{seconds} s"),
        Had::Workloads { workloads } => {
            let all: Vec<String> = workloads.iter().map(workload).collect();
            all.join("; ")
        }
    }
}

fn workload(HadWorkload { name, asked, loads }: &HadWorkload) -> String {
    let levels: Vec<String> = loads.iter().map(load::level).collect();
    let asked = asked::asked(asked);
    format!("{name} ({asked}) at {}", levels.join(", "))
}

fn thing(thing: &Thing) -> String {
    match thing {
        Thing::Study => "study".to_owned(),
        Thing::Processor => "processor".to_owned(),
        Thing::Cores => "cores".to_owned(),
        Thing::ServerCores => "cores of the servers".to_owned(),
        Thing::GeneratorCores => "cores of the load generator".to_owned(),
        Thing::Memory => "memory".to_owned(),
        Thing::Kernel => "kernel".to_owned(),
        Thing::OperatingSystem => "operating system".to_owned(),
        Thing::Governor => "governor".to_owned(),
        Thing::ServerPriority => "higher CPU priority of the servers".to_owned(),
        Thing::Hypervisor => "hypervisor".to_owned(),
        Thing::Photofinish => "photofinish".to_owned(),
        Thing::Commit => "commit".to_owned(),
        Thing::Duration => "length of a measurement".to_owned(),
        Thing::Command { target } => format!("command of {target}"),
        Thing::Tool { target, tool } => format!("{tool} of {target}"),
        Thing::Targets => "targets".to_owned(),
        Thing::Loads => "load".to_owned(),
        Thing::FailedChecks => "failed checks".to_owned(),
    }
}

pub(crate) fn changed(changed: &Changed) -> String {
    match changed {
        Changed::Faster => "faster".to_owned(),
        Changed::Slower => "slower".to_owned(),
        Changed::Higher => "higher".to_owned(),
        Changed::Lower => "lower".to_owned(),
        Changed::Tie => "tie".to_owned(),
        Changed::Undecided => "undecided".to_owned(),
        Changed::Void { reason } => format!("void: {}", void(reason)),
    }
}
