//! Two runs of a study.

use photofinish_model::finding::days::{Changed, Differs, Thing};

use super::verdict::void;

pub(crate) fn differs(differs: &Differs) -> String {
    match differs {
        Differs::Smoke => "a smoke run, from which nothing may be concluded".to_owned(),
        Differs::Thing {
            what,
            before,
            after,
        } => {
            let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
            format!(
                "{}: {} before, {} after",
                thing(what),
                text(before),
                text(after)
            )
        }
    }
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
        Thing::Hypervisor => "hypervisor".to_owned(),
        Thing::Photofinish => "photofinish".to_owned(),
        Thing::Commit => "commit".to_owned(),
        Thing::Duration => "length of a measurement".to_owned(),
        Thing::Command { target } => format!("command of {target}"),
        Thing::Tool { target, tool } => format!("{tool} of {target}"),
        Thing::Targets => "targets".to_owned(),
        Thing::Loads => "load".to_owned(),
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
