//! What targets need beside them: databases, found or fetched, started, filled, counted, stopped.
//!
//! [`find::find`] says what a service is run with, [`Instance`] is one that is up, and [`Services`]
//! are those of a run. What each kind of database needs stands in a file of its own.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use photofinish_judge::checks::Rows;
use photofinish_model::Secret;
use photofinish_model::finding::failure::FailureFinding;
use photofinish_study::plan::{Service, ServiceKind, Workload};

use photofinish_host::{Host, Installed, Usage};

use crate::error::{Failure, failed};
use crate::measure::requests::Requests;
use crate::prepare::fetch::Fetcher;

mod find;
mod home;
mod instance;
mod kinds;
mod mariadb;
mod postgresql;
mod registry;
mod relay;
mod sql;
mod statements;

use crate::error::service as error;
pub use error::Error;
pub use find::Found;
pub use instance::{Instance, Stage};

/// Finds what each service is to be run with; fetches what is not installed. `fetching` is called with an
/// artifact's coordinates before it is, which may take minutes.
pub fn find(
    host: &Host,
    service: &Service,
    cache: &Path,
    interrupted: &dyn Fn() -> bool,
    fetching: &mut dyn FnMut(&str),
) -> Result<Found, Error> {
    let fetcher = Fetcher {
        host,
        cache,
        interrupted,
    };
    find::find(service, &fetcher, fetching)
}

/// The programs of a kind's servers on a machine.
///
/// # Errors
/// If the machine cannot be asked.
pub(crate) fn servers(kind: ServiceKind, host: &Host) -> Result<Vec<Installed>, Error> {
    find::servers(registry::kind(kind), host)
}

/// The version of a kind that a run fetches on this machine if none that fits is installed; `None`: none can be fetched.
pub(crate) fn fetched(kind: ServiceKind) -> Option<&'static str> {
    let mut artifacts = registry::kind(kind).artifacts.iter();
    let here = artifacts.find(|artifact| artifact.arch == std::env::consts::ARCH)?;
    Some(here.version)
}

/// Removes what a run that was killed has left of its private instances, whose [`Stage::dir`] was this.
pub(crate) fn clear(dir: &Path) {
    home::clear(dir);
}

/// What every private instance of a service is set to.
pub(crate) fn settings(service: &Service) -> BTreeMap<String, String> {
    if service.url.is_some() {
        return BTreeMap::new();
    }
    let settings = registry::kind(service.kind).settings;
    settings
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

/// The services of a run: each is up, or it is known why not.
#[derive(Default)]
pub(crate) struct Services(Vec<(Service, Up)>);

/// An instance that is up, or why there is none.
type Up = Result<Mutex<Instance>, Failure>;

impl Services {
    /// Adds a service that is up or not.
    pub(crate) fn add(&mut self, service: Service, instance: Result<Instance, Error>) {
        self.0
            .push((service, instance.map(Mutex::new).map_err(failed)));
    }

    /// Ends all that the run has started; what could not be ended is returned.
    pub(crate) fn stop(&self) -> Vec<Error> {
        let up = self
            .0
            .iter()
            .filter_map(|(_, instance)| instance.as_ref().ok());
        up.filter_map(|instance| lock(instance).stop().err())
            .collect()
    }

    /// Why a target cannot run, where a service that it needs is not up.
    pub(crate) fn why_not(&self, label: &str) -> Option<Failure> {
        let mut needed = self.0.iter().filter(|(service, _)| service.is_for(label));
        needed.find_map(|(_, instance)| instance.as_ref().err().cloned())
    }

    /// What a target's server finds its services by.
    pub(crate) fn env(&self, label: &str) -> BTreeMap<String, Secret<String>> {
        self.of(label).flat_map(|instance| instance.env()).collect()
    }

    /// Prepares a workload's service for it.
    pub(crate) fn before(&self, host: &Host, workload: &Workload) -> Result<(), Failure> {
        let Some(before) = &workload.before else {
            return Ok(());
        };
        (self.named(&before.service)?.run(host, &before.sql)).map_err(failed)
    }

    /// Counts what the requests of a measurement have left in a workload's table.
    pub(crate) fn count_after(
        &self,
        host: &Host,
        workload: &Workload,
        requests: Requests,
    ) -> Option<Rows> {
        let count = workload.count_after.as_ref()?;
        let found = self
            .named(&count.service)
            .and_then(|mut instance| instance.count(host, &count.table).map_err(failed));
        Some(Rows {
            table: count.table.clone(),
            found,
            good: requests.good,
            sent: requests.sent,
        })
    }

    /// The CPU time of the run's own services of this kind, to the nanosecond; `None` if one of them cannot be read.
    pub(crate) fn cpu(&self, counts: impl Fn(&Service) -> bool) -> Option<Duration> {
        let counted = self.0.iter().filter(|(service, _)| counts(service));
        let up = counted.filter_map(|(_, instance)| instance.as_ref().ok().map(lock));
        up.filter(|instance| instance.pid().is_some())
            .map(|mut instance| instance.cpu())
            .sum()
    }

    /// What a target's services have used so far; `None` if it has none of the run's own.
    pub(crate) fn usage(&self, label: &str) -> Option<Usage> {
        let used = self.of(label).filter_map(|mut instance| instance.usage());
        used.reduce(Usage::plus)
    }

    /// Fails if one of a target's services has ended.
    pub(crate) fn require_alive(&self, label: &str) -> Result<(), Failure> {
        self.of(label)
            .try_for_each(|mut instance| instance.require_alive())
            .map_err(failed)
    }

    fn of<'s>(&'s self, label: &'s str) -> impl Iterator<Item = MutexGuard<'s, Instance>> {
        let needed = self
            .0
            .iter()
            .filter(move |(service, _)| service.is_for(label));
        needed.filter_map(|(_, instance)| instance.as_ref().ok().map(lock))
    }

    fn named(&self, name: &str) -> Result<MutexGuard<'_, Instance>, Failure> {
        match self.0.iter().find(|(service, _)| service.name == name) {
            Some((_, Ok(instance))) => Ok(lock(instance)),
            Some((_, Err(why))) => Err(why.clone()),
            None => Err(failed(FailureFinding::NoService {
                service: name.to_owned(),
            })),
        }
    }
}

/// A thread that broke down while it held the lock has left nothing half done that matters here.
fn lock(instance: &Mutex<Instance>) -> MutexGuard<'_, Instance> {
    instance.lock().unwrap_or_else(PoisonError::into_inner)
}
