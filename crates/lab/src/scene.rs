//! What every part of a run needs to know.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use photofinish_host::{Generator, Host};
use photofinish_study::plan::Plan;

use crate::error::Halt;
use crate::events::Event;
use crate::java::Java;
use crate::lanes::Lanes;
use crate::service::Services;

/// Where a run takes place; nothing of it changes from round to round.
pub(crate) struct Scene<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) host: &'a dyn Host,
    pub(crate) generator: &'a dyn Generator,
    /// Those of several generators that run on the servers' machine.
    pub(crate) sharing: Vec<String>,
    pub(crate) lanes: Lanes,
    pub(crate) java: Java,
    /// What the targets need beside them.
    pub(crate) services: Services,
    pub(crate) seed: u64,
    /// The folder for what servers print.
    pub(crate) logs: PathBuf,
    pub(crate) events: &'a dyn Fn(Event),
    pub(crate) interrupt: &'a AtomicBool,
}

impl Scene<'_> {
    /// Reports to whoever watches.
    pub(crate) fn report(&self, event: Event) {
        (self.events)(event);
    }

    pub(crate) fn interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Ends what is being done where the user wishes so.
    pub(crate) fn go_on(&self) -> Result<(), Halt> {
        match self.interrupted() {
            true => Err(Halt::Interrupted),
            false => Ok(()),
        }
    }

    /// The file for what a target prints while `what` is done, such as `build`.
    pub(crate) fn log(&self, label: &str, what: &str) -> PathBuf {
        let fits = |c: char| c.is_ascii_alphanumeric() || "@._-".contains(c);
        let name: String = label
            .chars()
            .map(|c| if fits(c) { c } else { '_' })
            .collect();
        self.logs.join(format!("{name}-{what}.log"))
    }
}
