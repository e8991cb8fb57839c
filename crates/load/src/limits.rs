//! How many files this process may have open.

use std::io;

use crate::error::Error;

/// What a run opens beside its connections: for each thread a poll and a timer.
const PER_THREAD: u64 = 2;
/// What others in the process may open meanwhile.
const SPARE: u64 = 32;

/// Makes sure that the connections can be opened; raises the soft limit up to the hard one.
pub fn allow_files(connections: u64, threads: u64) -> Result<(), Error> {
    let already = std::fs::read_dir("/proc/self/fd").map_or(64, |files| files.count() as u64);
    let needed = already + connections + threads * PER_THREAD + SPARE;
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `limit` is valid for writing.
    if unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) } != 0 {
        return Err(Error::system("read the limit of open files")(
            io::Error::last_os_error(),
        ));
    }
    if limit.rlim_cur >= needed {
        return Ok(());
    }
    if limit.rlim_max < needed {
        return Err(Error::Files {
            needed,
            allowed: limit.rlim_max,
        });
    }
    limit.rlim_cur = needed;
    // SAFETY: `limit` is valid for reading.
    if unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &limit) } != 0 {
        return Err(Error::system("raise the limit of open files")(
            io::Error::last_os_error(),
        ));
    }
    Ok(())
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
