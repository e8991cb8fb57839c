//! What every part of a run needs to know.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use photofinish_host::{Generator, Host};
use photofinish_study::plan::Plan;
use sha2::{Digest, Sha256};

use crate::cpu_sets::AssignedCpus;
use crate::error::Halt;
use crate::events::{Event, Warning};
use crate::hex::hex;
use crate::prepare::java::Java;
use crate::service::Services;

/// Where a run takes place; nothing of it changes from round to round.
pub(crate) struct RunContext<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) host: &'a Host,
    pub(crate) generator: &'a dyn Generator,
    /// Those of several generators that run on the servers' machine.
    pub(crate) sharing: Vec<String>,
    pub(crate) cpu_sets: AssignedCpus,
    /// Whether servers come before other programs on their cores.
    pub(crate) raised_priority: bool,
    /// Cores whose core-to-core latency says how far the server is from the generator; empty if that is not known.
    pub(crate) pairs: Vec<(usize, usize)>,
    pub(crate) java: Java,
    /// The targets of which it was reported that their servers' CPU time is not known.
    pub(crate) forgetful: RefCell<BTreeSet<String>>,
    /// What the targets need beside them.
    pub(crate) services: Services,
    pub(crate) seed: u64,
    /// The folder for what servers print.
    pub(crate) logs: PathBuf,
    pub(crate) events: &'a dyn Fn(Event),
    pub(crate) interrupt: &'a AtomicBool,
}

impl RunContext<'_> {
    /// How many cores a server may use.
    pub(crate) fn server_cores(&self) -> usize {
        match self.cpu_sets.server.len() {
            0 => self.host.cores(),
            cores => cores,
        }
    }

    /// Reports to whoever watches.
    pub(crate) fn report(&self, event: Event) {
        (self.events)(event);
    }

    /// Reports that the CPU time of a target's server is not known, once for each target.
    pub(crate) fn without_cpu(&self, target: &str) {
        if self.forgetful.borrow_mut().insert(target.to_owned()) {
            let target = target.to_owned();
            self.report(Event::Warning(Warning::NoCpu { target }));
        }
    }

    pub(crate) fn interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Ends what is being done for an interrupt.
    pub(crate) fn go_on(&self) -> Result<(), Halt> {
        match self.interrupted() {
            true => Err(Halt::Interrupted),
            false => Ok(()),
        }
    }

    /// The file for what a target prints while `what` is done, such as `build`.
    pub(crate) fn log(&self, label: &str, what: &str) -> PathBuf {
        self.logs.join(format!("{}-{what}.log", file_name(label)))
    }
}

/// The most characters of a label in the name of a file.
const MAX_LABEL: usize = 80;

/// A label as part of a file's name: safe in any folder, and another one for another label.
fn file_name(label: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || "@._-".contains(c);
    let name: String = label
        .chars()
        .take(MAX_LABEL)
        .map(|c| if fits(c) { c } else { '_' })
        .collect();
    match name == label {
        true => name,
        // What was left out may be all that distinguishes it.
        false => format!("{name}-{}", &hex(&Sha256::digest(label))[..8]),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::file_name;

    #[test]
    fn labels_become_safe_and_distinct_names_of_files() {
        assert_eq!(file_name("spring@4.2-nio"), "spring@4.2-nio");
        let long = "x".repeat(300);
        let longer = format!("{long}y");
        let labels = [
            "my server",
            "my_server",
            "my/server",
            "../x",
            ".._x",
            "a\nb",
            "\u{1b}[31m",
            "服务器",
            "服務器",
            "",
            &long,
            &longer,
        ];
        let names: BTreeSet<String> = labels.map(file_name).into();
        assert_eq!(names.len(), labels.len());
        for name in names {
            let safe = |c: char| c.is_ascii_alphanumeric() || "@._-".contains(c);
            assert!(name.len() < 100 && name.chars().all(safe), "{name}");
        }
    }
}
