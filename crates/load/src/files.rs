//! A thread's own table of open files.

use std::io;
use std::mem::zeroed;
use std::os::fd::{AsRawFd, BorrowedFd};

/// Signals that the thread's own instructions cause: they cannot wait, and Rust's handler reports a stack that ran over.
const FAULTS: [libc::c_int; 6] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGILL,
    libc::SIGFPE,
    libc::SIGTRAP,
    libc::SIGSYS,
];

/// Gives the calling thread a table of open files of its own, with standard input, output and error in it and nothing
/// else. For a thread that has just been started: it shares the table of the one that started it, and has opened nothing
/// itself. What it opens from now on is nothing to any other thread.
///
/// Where threads share a table, every call on a file counts that file's users up and down, by an atomic instruction each
/// (`fdget` and `fput`): some 1% of what a request costs. Where the system refuses, the thread goes on with what it has.
///
/// The file `kept` stays too, under its number.
///
/// No signal is handled on this thread from now on, but those that its own instructions cause: a handler may use a file,
/// by a number that means another one here.
pub fn own(kept: BorrowedFd) {
    let kept = kept.as_raw_fd() as libc::c_uint;
    const FIRST: libc::c_uint = libc::STDERR_FILENO as libc::c_uint + 1;
    // The table is shared with the thread that started this one, so that the call copies it and closes copies, of which
    // this thread uses none; the files of other threads stay as they are.
    if block_signals().is_ok()
        && close(kept + 1, libc::c_uint::MAX, libc::CLOSE_RANGE_UNSHARE)
        && kept > FIRST
    {
        close(FIRST, kept - 1, 0);
    }
}

/// Closes all files of these numbers; whether it did.
fn close(first: libc::c_uint, last: libc::c_uint, flags: libc::c_uint) -> bool {
    // SAFETY: no pointers; whoever calls this uses none of the files.
    unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) == 0 }
}

fn block_signals() -> io::Result<()> {
    // SAFETY: all zeros is valid storage for a set, which `sigfillset` then makes; all pointers are to `blocked`.
    let result = unsafe {
        let mut blocked: libc::sigset_t = zeroed();
        libc::sigfillset(&mut blocked);
        for signal in FAULTS {
            libc::sigdelset(&mut blocked, signal);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &blocked, std::ptr::null_mut())
    };
    match result {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::io::Read;
    use std::os::fd::{AsFd, AsRawFd};
    use std::thread;

    use super::*;

    #[test]
    fn a_threads_files_are_its_own_and_others_keep_theirs() {
        let mut mine = File::open("/proc/self/stat").unwrap();
        let kept = File::open("/proc/self/status").unwrap();
        let number = mine.as_raw_fd();
        thread::scope(|scope| {
            let body = || {
                own(kept.as_fd());
                assert!(fs::metadata(format!("/proc/thread-self/fd/{number}")).is_err());
                let linked = fs::read_link(format!("/proc/thread-self/fd/{}", kept.as_raw_fd()));
                assert!(linked.unwrap().ends_with("status"));
                // The first free number, whatever it means elsewhere.
                let first = if kept.as_raw_fd() == 3 { 4 } else { 3 };
                assert_eq!(File::open("/proc/self/stat").unwrap().as_raw_fd(), first);
            };
            scope.spawn(body).join().unwrap();
        });
        assert!(mine.read(&mut [0; 8]).unwrap() > 0);
    }
}
