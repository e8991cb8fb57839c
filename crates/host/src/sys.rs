//! The system calls that the standard library does not have, as this crate needs them.
//!
//! They are `rustix`'s where it has them. All of this crate's `unsafe` is here: what runs between fork and exec, a signal
//! mask (which rustix leaves to C libraries), the CPU clock of another process, and descriptors known by number alone.

use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::ptr::null_mut;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::FdFlags;
pub(super) use rustix::process::Signal;
use rustix::process::{DumpableBehavior, Pid, Resource, Rlimit, WaitOptions};
use rustix::thread::CpuSet;
use rustix::time::ClockId;

/// The kernel's convention: -1 is an error, and `errno` says which.
fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

/// Makes orphaned descendants become children of this process instead of init's.
pub(super) fn adopt_orphans() -> io::Result<()> {
    Ok(rustix::process::set_child_subreaper(Some(
        rustix::process::getpid(),
    ))?)
}

/// Has every file descriptor but the standard three closed when a program is executed.
pub(super) fn close_strays_on_exec() {
    // Not close_range(2): its flag for this came with Linux 5.11, and long-term distributions are older.
    for fd in super::processes::numbers("/proc/self/fd")
        .into_iter()
        .filter(|&fd| fd > 2)
    {
        // SAFETY: the descriptor is borrowed for this call alone; one that is closed already (that of the listing) is
        // an error that changes nothing.
        let fd = unsafe { BorrowedFd::borrow_raw(fd as libc::c_int) };
        let _ = rustix::io::fcntl_setfd(fd, FdFlags::CLOEXEC);
    }
}

/// A set of signals.
fn signal_set(signals: &[Signal]) -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: sigemptyset makes the set valid before anything else touches it.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for signal in signals {
            libc::sigaddset(set.as_mut_ptr(), signal.as_raw());
        }
        set.assume_init()
    }
}

/// Blocks signals and has them read from a file descriptor instead. For a process of one thread.
///
/// Whoever started it may have had them ignored (`nohup`, a script's `trap ''`): with SIGCHLD ignored the kernel reports
/// no exit status, and a server would inherit an ignored SIGTERM. So they are as usual again.
pub(super) fn signals_as_file(signals: &[Signal]) -> io::Result<OwnedFd> {
    let set = signal_set(signals);
    // SAFETY: the set is valid; the descriptor is new and nobody else's.
    unsafe {
        check(libc::sigprocmask(libc::SIG_BLOCK, &set, null_mut()))?;
        for signal in signals {
            libc::signal(signal.as_raw(), libc::SIG_DFL);
        }
        let fd = check(libc::signalfd(
            -1,
            &set,
            libc::SFD_CLOEXEC | libc::SFD_NONBLOCK,
        ))?;
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

/// The next signal that waits in [`signals_as_file`]'s descriptor.
pub(super) fn next_signal(fd: &OwnedFd) -> Option<Signal> {
    // The kernel writes whole records of this size or nothing; the signal's number comes first (signalfd(2)).
    let mut info = [0_u8; size_of::<libc::signalfd_siginfo>()];
    let read = rustix::io::read(fd, &mut info[..]).ok()?;
    let number = info.first_chunk().filter(|_| read == info.len())?;
    Signal::from_named_raw(i32::from_ne_bytes(*number))
}

/// Waits until a descriptor can be read (or has come to its end), for at most `timeout`. `None`s are left out.
pub(super) fn wait_readable<const N: usize>(
    fds: &[Option<BorrowedFd<'_>>; N],
    timeout: Option<Duration>,
) -> io::Result<[bool; N]> {
    let mut polls: Vec<PollFd<'_>> = fds
        .iter()
        .flatten()
        .map(|&fd| PollFd::from_borrowed_fd(fd, PollFlags::IN))
        .collect();
    // What does not fit is longer than any wait.
    let timeout = timeout.and_then(|t| Timespec::try_from(t).ok());
    match rustix::event::poll(&mut polls, timeout.as_ref()) {
        Err(rustix::io::Errno::INTR) => return Ok([false; N]),
        result => result?,
    };
    let mut polled = polls.iter();
    Ok(fds.map(|fd| fd.is_some() && polled.next().is_some_and(|p| !p.revents().is_empty())))
}

/// What came of looking for a child that has ended.
pub(super) enum Reaped {
    /// This one has.
    Child(u32, ExitStatus),
    /// There are children, all running.
    Running,
    /// There are no children.
    NoChildren,
}

/// Takes the next child that has ended.
pub(super) fn reap() -> io::Result<Reaped> {
    match rustix::process::wait(WaitOptions::NOHANG) {
        Ok(None) => Ok(Reaped::Running),
        Ok(Some((pid, status))) => Ok(Reaped::Child(
            pid.as_raw_pid() as u32,
            ExitStatus::from_raw(status.as_raw()),
        )),
        Err(rustix::io::Errno::CHILD) => Ok(Reaped::NoChildren),
        Err(e) => Err(e.into()),
    }
}

/// Takes a child that has ended, if this one has.
pub(super) fn reap_child(pid: u32) {
    if let Some(pid) = other(pid) {
        let _ = rustix::process::waitpid(Some(pid), WaitOptions::NOHANG);
    }
}

/// Keeps other processes of this user from reading this one's memory and from opening its files by `/proc`.
pub(super) fn seal() -> io::Result<()> {
    Ok(rustix::process::set_dumpable_behavior(
        DumpableBehavior::NotDumpable,
    )?)
}

/// The id of a process that may be signalled: none of this process's group, nor init.
fn other(pid: u32) -> Option<Pid> {
    let pid = i32::try_from(pid).ok().filter(|&pid| pid > 1)?;
    Pid::from_raw(pid)
}

/// Kills all processes of a group.
pub(super) fn kill_group(leader: u32) {
    let leader = i32::try_from(leader).ok().and_then(Pid::from_raw);
    if let Some(leader) = leader {
        let _ = rustix::process::kill_process_group(leader, Signal::KILL);
    }
}

/// Sends a signal to a process; one that is gone is no error.
pub(super) fn signal(pid: u32, signal: Signal) {
    if let Some(pid) = other(pid) {
        let _ = rustix::process::kill_process(pid, signal);
    }
}

/// Puts a keeper into a session of its own, so that the terminal's signals do not reach it. When its parent ends it continues
/// if it was stopped, so that it can end its server.
pub(super) fn as_keeper(command: &mut Command) {
    let prepare = || {
        rustix::process::setsid()?;
        Ok(rustix::process::set_parent_process_death_signal(Some(
            Signal::CONT,
        ))?)
    };
    // SAFETY: the closure makes two system calls, which are async-signal-safe, and allocates nothing.
    unsafe { command.pre_exec(prepare) };
}

/// Has a command's program inherit this file, which no other does; the command holds it until it is dropped.
pub(super) fn inherit(command: &mut Command, file: OwnedFd) {
    let prepare = move || Ok(rustix::io::fcntl_setfd(&file, FdFlags::empty())?);
    // SAFETY: the closure makes one system call, which is async-signal-safe, and allocates nothing.
    unsafe { command.pre_exec(prepare) };
}

/// Prepares a command as a server below a keeper (the calling process, of one thread): it is killed when the keeper
/// is, its signals are not blocked, and it runs on these cores (empty = any), as this user and group where one is named.
/// It joins a group by writing to `join`.
pub(super) fn as_kept(
    command: &mut Command,
    cpus: &[usize],
    user: Option<(u32, u32)>,
    join: Option<File>,
) {
    if let Some((user, group)) = user {
        command.uid(user).gid(group);
    }
    let cpus = (!cpus.is_empty()).then(|| cpu_set(cpus));
    let keeper = rustix::process::getpid();
    let none = signal_set(&[]);
    let prepare = move || {
        // The standard library has changed the user before this: whoever becomes another user loses the signal.
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        if rustix::process::getppid() != Some(keeper) {
            // The keeper ended before it could be watched.
            return Err(rustix::io::Errno::SRCH.into());
        }
        if let Some(cpus) = &cpus {
            rustix::thread::sched_setaffinity(None, cpus)?;
        }
        if let Some(join) = &join {
            // It is one safeguard of several, and may be refused (by a limit of a group above).
            let _ = rustix::io::write(join, b"0");
        }
        // SAFETY: the set was made before the fork, and the call is async-signal-safe.
        check(unsafe { libc::sigprocmask(libc::SIG_SETMASK, &none, null_mut()) }).map(drop)
    };
    // SAFETY: the closure only makes system calls on values that were made before the fork; it allocates nothing and
    // takes no locks.
    unsafe { command.pre_exec(prepare) };
}

/// The cores as the kernel takes them; those beyond its 1,024 are left out.
fn cpu_set(cpus: &[usize]) -> CpuSet {
    let mut set = CpuSet::new();
    for &cpu in cpus.iter().filter(|&&cpu| cpu < CpuSet::MAX_CPU) {
        set.set(cpu);
    }
    set
}

/// The cores that this process may use, in order.
///
/// # Errors
/// Those of sched_getaffinity(2).
pub fn affinity() -> io::Result<Vec<usize>> {
    // Of the process, not of the thread that asks: that one may be pinned.
    Ok(cores(rustix::thread::sched_getaffinity(Some(
        rustix::process::getpid(),
    ))?))
}

/// The cores that a process may use, in order; `None` when it has ended.
pub(super) fn affinity_of(pid: u32) -> Option<Vec<usize>> {
    let pid = Pid::from_raw(i32::try_from(pid).ok()?)?;
    rustix::thread::sched_getaffinity(Some(pid)).ok().map(cores)
}

/// Lets a thread use these cores alone; `false` if the kernel refuses that. One that has ended refuses nothing.
pub(super) fn place(tid: u32, cpus: &[usize]) -> bool {
    let Some(tid) = i32::try_from(tid).ok().and_then(Pid::from_raw) else {
        return true;
    };
    let placed = rustix::thread::sched_setaffinity(Some(tid), &cpu_set(cpus));
    matches!(placed, Ok(()) | Err(rustix::io::Errno::SRCH))
}

/// The nice value of the calling thread.
pub(super) fn nice_value() -> io::Result<i32> {
    Ok(rustix::process::getpriority_process(None)?)
}

/// Gives a thread this nice value, `None` the calling one.
pub(super) fn set_nice_value(tid: Option<u32>, nice: i32) -> io::Result<()> {
    let tid = match tid {
        None => None,
        Some(tid) => Some(other(tid).ok_or(io::ErrorKind::NotFound)?),
    };
    Ok(rustix::process::setpriority_process(tid, nice)?)
}

/// Those of a set, in order.
fn cores(set: CpuSet) -> Vec<usize> {
    (0..CpuSet::MAX_CPU)
        .filter(|&cpu| set.is_set(cpu))
        .collect()
}

/// The CPU time of a process, ended threads included, to the nanosecond; `None` when it has ended.
///
/// The clock's id is made as `clock_getcpuclockid(3)` makes it, whose glibc version asks for nothing more.
pub(super) fn process_cpu(pid: u32) -> Option<Duration> {
    const CPUCLOCK_SCHED: libc::clockid_t = 2;
    let clock = (!(pid as libc::clockid_t) << 3) | CPUCLOCK_SCHED;
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is to a local.
    check(unsafe { libc::clock_gettime(clock, &mut time) }).ok()?;
    time_of(time)
}

/// The time that a clock shows; `None` if it is negative, as under some hypervisors after a migration.
fn time_of(time: libc::timespec) -> Option<Duration> {
    let seconds = u64::try_from(time.tv_sec).ok()?;
    let nanos = u32::try_from(time.tv_nsec).ok()?;
    Some(Duration::new(seconds, nanos))
}

/// So many clock ticks, the unit of CPU times in `/proc`.
pub(super) fn ticks(count: u64) -> Duration {
    let per_second = rustix::param::clock_ticks_per_second().max(1);
    Duration::from_nanos((1_000_000_000 / per_second).saturating_mul(count))
}

/// The time by the clock that never goes back, since some moment before this machine was up.
pub(super) fn uptime() -> Duration {
    let time = rustix::time::clock_gettime(ClockId::Monotonic);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

/// The size of a page of memory in bytes.
pub(super) fn page_size() -> u64 {
    rustix::param::page_size() as u64
}

/// Whether this process may do what only root may.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The limit of open files: what holds now, and how far this user may raise it.
pub fn open_files() -> (u64, u64) {
    let limit = rustix::process::getrlimit(Resource::Nofile);
    let bound = |limit: Option<u64>| limit.unwrap_or(u64::MAX);
    (bound(limit.current), bound(limit.maximum))
}

/// How many processes and threads this user may have, as far as the kernel can count them.
pub(super) fn processes_allowed() -> u64 {
    let numbers = std::fs::read_to_string("/proc/sys/kernel/pid_max");
    let numbers = numbers.ok().and_then(|text| text.trim().parse().ok());
    let limit = rustix::process::getrlimit(Resource::Nproc);
    let most = [limit.current, limit.maximum, numbers];
    most.into_iter().flatten().min().unwrap_or(u64::MAX)
}

/// Raises the limit of open files as far as this user may, where it is below `needed`; servers inherit it.
///
/// # Errors
/// The most that this user may have, where that is less.
pub fn allow_open_files(needed: u64) -> Result<(), u64> {
    let (now, most) = open_files();
    if now >= needed {
        return Ok(());
    }
    let limit = Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    if most < needed || rustix::process::setrlimit(Resource::Nofile, limit).is_err() {
        return Err(most);
    }
    Ok(())
}

/// Free bytes for this user on the file system of a folder.
///
/// # Errors
/// Those of statvfs(3).
pub fn free_bytes(path: &Path) -> io::Result<u64> {
    let stat = rustix::fs::statvfs(path)?;
    Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
}

/// The calling thread comes before all others on its core, but for those of the same kind, from now on.
///
/// # Errors
/// If this user may not ask for that.
pub fn take_precedence() -> io::Result<()> {
    let priority = libc::sched_param { sched_priority: 1 };
    // SAFETY: `priority` outlives the call.
    check(unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const priority) }).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_before_its_beginning_shows_nothing() {
        let time = |tv_sec, tv_nsec| time_of(libc::timespec { tv_sec, tv_nsec });
        assert_eq!(time(2, 5), Some(Duration::new(2, 5)));
        assert_eq!(time(-1, 999_999_999), None);
        assert_eq!(time(0, -1), None);
    }
}
