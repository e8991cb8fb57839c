//! What every part of a run needs to know.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use photofinish_load::config::{Config, Control};
use photofinish_load::outcome::Outcome;
use photofinish_study::plan::Plan;

use crate::error::Halt;
use crate::lanes::Lanes;
use crate::service::Services;
use photofinish_host::Host;

/// Sends load. The one that photofinish has, or a test's that only says what it would have measured.
pub(crate) trait LoadGenerator: Sync {
    /// Runs until the end that `config` states or `control` asks for.
    fn run(&self, config: &Config, control: &Control) -> Result<Outcome, String>;
}

/// photofinish's own load generator.
#[derive(Debug)]
pub(crate) struct Own;

impl LoadGenerator for Own {
    fn run(&self, config: &Config, control: &Control) -> Result<Outcome, String> {
        photofinish_load::run(config, control).map_err(|error| error.to_string())
    }
}

/// Where a run takes place; nothing of it changes from trial to trial.
pub(crate) struct Scene<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) host: &'a dyn Host,
    pub(crate) generator: &'a dyn LoadGenerator,
    pub(crate) lanes: Lanes,
    /// What the targets need beside them.
    pub(crate) services: Services,
    pub(crate) seed: u64,
    /// The folder for what servers print.
    pub(crate) logs: PathBuf,
    /// This program, for targets that are built into it.
    pub(crate) photofinish: PathBuf,
    pub(crate) interrupt: &'a AtomicBool,
}

impl Scene<'_> {
    pub(crate) fn interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Ends what is being done where the person wishes so.
    pub(crate) fn go_on(&self) -> Result<(), Halt> {
        match self.interrupted() {
            true => Err(Halt::Interrupted),
            false => Ok(()),
        }
    }
}
