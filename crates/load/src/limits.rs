//! How many files this process may have open.

use photofinish_model::finding::failure::LoadPart;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::error::{Error, system};

/// What a run opens beside its connections: for each thread a poll and a timer.
const PER_THREAD: u64 = 2;
/// What others in the process may open meanwhile.
const SPARE: u64 = 32;

/// Makes sure that the connections can be opened; raises the soft limit up to the hard one.
pub fn allow_files(connections: u64, threads: u64) -> Result<(), Error> {
    let already = std::fs::read_dir("/proc/self/fd").map_or(64, |files| files.count() as u64);
    let needed = already + connections + threads * PER_THREAD + SPARE;
    let limit = getrlimit(Resource::Nofile);
    // None: no limit.
    if limit.current.is_none_or(|current| current >= needed) {
        return Ok(());
    }
    if let Some(allowed) = limit.maximum.filter(|maximum| *maximum < needed) {
        return Err(Error::Files { needed, allowed });
    }
    let raised = Rlimit {
        current: Some(needed),
        ..limit
    };
    setrlimit(Resource::Nofile, raised).map_err(|error| system(LoadPart::Files)(error.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_connections_are_refused_with_both_figures() {
        allow_files(1, 1).unwrap();
        // More than any kernel allows (nr_open is an int).
        let Err(error @ Error::Files { needed, allowed }) = allow_files(1 << 40, 1) else {
            // No hard limit at all.
            return;
        };
        assert!(needed > 1 << 40 && allowed < needed);
        assert!(error.to_string().contains(&allowed.to_string()));
    }
}
