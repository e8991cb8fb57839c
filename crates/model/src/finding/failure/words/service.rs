//! Why a service that a target needs is not there.

use crate::finding::failure::{DatabaseFate, ServiceTrouble, StartedDatabase};

use super::printed;
use crate::finding::complaint::words::span;

/// A fragment that fits 'failed to …'.
pub(super) fn trouble(trouble: &ServiceTrouble) -> String {
    match trouble {
        ServiceTrouble::Programs {
            service,
            title,
            wanted,
            found,
            remedy,
        } => format!("find {title} {wanted} for the service {service}: {found}; {remedy}"),
        ServiceTrouble::Fetch {
            service,
            artifact,
            says,
        } => format!("fetch {artifact} for the service {service}: {says}"),
        ServiceTrouble::Start {
            database: started,
            fate: became,
            printed: last,
        } => format!(
            "start {}: {}{}",
            database(started),
            fate(became),
            printed(last)
        ),
        ServiceTrouble::Connect {
            service,
            place,
            says,
        } => format!("connect to the service {service} at {place}: {says}"),
        ServiceTrouble::Sql {
            service,
            file,
            line,
            says,
        } => format!("run {file}:{line} on the service {service}: {says}"),
        ServiceTrouble::Rows {
            service,
            table,
            expected,
            found,
        } => format!(
            "verify the rows that the study states for the service {service}: the table {table} should have {expected}, but has {found}; correct the schema or `rows`"
        ),
    }
}

pub(super) fn database(database: &StartedDatabase) -> String {
    let StartedDatabase {
        title,
        version,
        origin,
        service,
    } = database;
    format!("{title} {version} ({origin}) for the service {service}")
}

fn fate(fate: &DatabaseFate) -> String {
    match fate {
        DatabaseFate::SetUp { how } => format!("its set-up ended with {how}"),
        DatabaseFate::SetUpTooLong { within_s } => {
            format!("its set-up took longer than {}", span(*within_s))
        }
        DatabaseFate::NotReady { within_s, says } => {
            format!("it was not ready within {}: {says}", span(*within_s))
        }
        DatabaseFate::Ended { how } => format!("it ended meanwhile ({how})"),
        DatabaseFate::Refused { says } => says.clone(),
    }
}
