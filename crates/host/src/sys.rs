//! The few system calls that the standard library does not have. All of this crate's `unsafe` is here.

use std::io;
use std::mem::{MaybeUninit, size_of, size_of_val, zeroed};
use std::net::TcpStream;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus};
use std::ptr::{null, null_mut};
use std::time::Duration;

/// The kernel's convention: -1 is an error, told by `errno`.
fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

/// Makes orphaned descendants become children of this process instead of init's.
pub(super) fn adopt_orphans() -> io::Result<()> {
    // SAFETY: takes no pointers.
    check(unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }).map(drop)
}

/// Has every file descriptor but the standard three closed when a program is executed.
pub(super) fn close_strays_on_exec() {
    // Not close_range(2): its flag for this came with Linux 5.11, and long-term distributions are older.
    for fd in super::procfs::numbers("/proc/self/fd")
        .into_iter()
        .filter(|&fd| fd > 2)
    {
        // SAFETY: takes no pointers; a descriptor that is closed already is an error that changes nothing.
        unsafe { libc::fcntl(fd as libc::c_int, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
}

/// A set of signals.
fn signal_set(signals: &[libc::c_int]) -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: sigemptyset makes the set valid before anything else touches it.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for &signal in signals {
            libc::sigaddset(set.as_mut_ptr(), signal);
        }
        set.assume_init()
    }
}

/// Blocks signals and has them read from a file descriptor instead. For a process of one thread.
///
/// Whoever started it may have had them ignored (`nohup`, a script's `trap ''`): with SIGCHLD ignored the kernel tells
/// no exit status, and a server would inherit an ignored SIGTERM. So they are as usual again.
pub(super) fn signals_as_file(signals: &[libc::c_int]) -> io::Result<OwnedFd> {
    let set = signal_set(signals);
    // SAFETY: the set is valid; the descriptor is new and nobody else's.
    unsafe {
        check(libc::sigprocmask(libc::SIG_BLOCK, &set, null_mut()))?;
        for &signal in signals {
            libc::signal(signal, libc::SIG_DFL);
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
pub(super) fn next_signal(fd: &OwnedFd) -> Option<libc::c_int> {
    let mut info = MaybeUninit::<libc::signalfd_siginfo>::uninit();
    let size = size_of_val(&info);
    // SAFETY: the kernel writes whole records of this size or nothing.
    unsafe {
        let read = libc::read(fd.as_raw_fd(), info.as_mut_ptr().cast(), size);
        (read == size as isize).then(|| info.assume_init().ssi_signo as libc::c_int)
    }
}

/// Waits until a descriptor can be read (or has come to its end), for at most `timeout`. `None`s are left out.
pub(super) fn wait_readable(
    fds: &[Option<BorrowedFd<'_>>],
    timeout: Option<Duration>,
) -> io::Result<Vec<bool>> {
    let mut polls: Vec<libc::pollfd> = fds
        .iter()
        .map(|fd| libc::pollfd {
            fd: fd.map_or(-1, |fd| fd.as_raw_fd()),
            events: libc::POLLIN,
            revents: 0,
        })
        .collect();
    let millis = timeout.map_or(-1, |t| {
        // Rounded up, so that a wait is never shorter than it was asked to be.
        i32::try_from(t.as_nanos().div_ceil(1_000_000)).unwrap_or(i32::MAX)
    });
    // SAFETY: the pointer and the length are those of the vector.
    match check(unsafe { libc::poll(polls.as_mut_ptr(), polls.len() as libc::nfds_t, millis) }) {
        Err(e) if e.kind() == io::ErrorKind::Interrupted => Ok(vec![false; fds.len()]),
        Err(e) => Err(e),
        Ok(_) => Ok(polls.iter().map(|p| p.revents != 0).collect()),
    }
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
    let mut status = 0;
    // SAFETY: the pointer is to a local.
    match check(unsafe { libc::waitpid(-1, &mut status, libc::WNOHANG) }) {
        Ok(0) => Ok(Reaped::Running),
        Ok(pid) => Ok(Reaped::Child(pid as u32, ExitStatus::from_raw(status))),
        Err(e) if e.raw_os_error() == Some(libc::ECHILD) => Ok(Reaped::NoChildren),
        Err(e) => Err(e),
    }
}

/// Sends a signal to a process; one that is gone is no error.
pub(super) fn signal(pid: u32, signal: libc::c_int) {
    if let Ok(pid @ 2..) = libc::pid_t::try_from(pid) {
        // SAFETY: takes no pointers; the id is that of a single process.
        unsafe { libc::kill(pid, signal) };
    }
}

/// Puts a command into a session of its own, so that the terminal's signals do not reach it.
pub(super) fn own_session(command: &mut Command) {
    let prepare = || {
        // SAFETY: async-signal-safe, takes no pointers.
        check(unsafe { libc::setsid() }).map(drop)
    };
    // SAFETY: the closure only makes a system call.
    unsafe { command.pre_exec(prepare) };
}

/// Prepares a command as a server below a keeper (the calling process, of one thread): it is killed when the keeper
/// is, its signals are not blocked, and it runs on these cores (empty = any), as this user and group where one is named.
pub(super) fn as_kept(command: &mut Command, cpus: &[usize], user: Option<(u32, u32)>) {
    let set = (!cpus.is_empty()).then(|| cpu_set(cpus));
    let none = signal_set(&[]);
    // SAFETY: takes no pointers.
    let keeper = unsafe { libc::getpid() };
    let prepare = move || {
        // SAFETY: async-signal-safe calls on values that were made before the fork.
        unsafe {
            // First: whoever becomes another user loses the signal that is asked for below.
            if let Some((uid, gid)) = user {
                check(libc::setgroups(0, null()))?;
                check(libc::setgid(gid))?;
                check(libc::setuid(uid))?;
            }
            check(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL))?;
            if libc::getppid() != keeper {
                // The keeper ended before it could be watched.
                return Err(io::Error::from_raw_os_error(libc::ESRCH));
            }
            if let Some(set) = &set {
                check(libc::sched_setaffinity(0, size_of_val(set), set))?;
            }
            check(libc::sigprocmask(libc::SIG_SETMASK, &none, null_mut())).map(drop)
        }
    };
    // SAFETY: the closure allocates nothing and takes no locks.
    unsafe { command.pre_exec(prepare) };
}

/// The cores as the kernel takes them; those beyond its 1,024 are left out.
fn cpu_set(cpus: &[usize]) -> libc::cpu_set_t {
    // SAFETY: all zeroes is the empty set; the indices are within it.
    unsafe {
        let mut set: libc::cpu_set_t = zeroed();
        for &cpu in cpus {
            if cpu < libc::CPU_SETSIZE as usize {
                libc::CPU_SET(cpu, &mut set);
            }
        }
        set
    }
}

/// The cores that a process may use (0 = this thread), in order.
pub fn affinity(pid: u32) -> io::Result<Vec<usize>> {
    // SAFETY: the kernel fills the set; the indices are within it.
    unsafe {
        let mut set: libc::cpu_set_t = zeroed();
        check(libc::sched_getaffinity(
            pid as libc::pid_t,
            size_of::<libc::cpu_set_t>(),
            &mut set,
        ))?;
        Ok((0..libc::CPU_SETSIZE as usize)
            .filter(|&cpu| libc::CPU_ISSET(cpu, &set))
            .collect())
    }
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
    Some(Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
}

/// So many clock ticks, the unit of CPU times in `/proc`.
pub(super) fn ticks(count: u64) -> Duration {
    // SAFETY: takes no pointers.
    let per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) }.max(1) as u64;
    Duration::from_nanos((1_000_000_000 / per_second).saturating_mul(count))
}

/// The size of a page of memory in bytes.
pub(super) fn page_size() -> u64 {
    // SAFETY: takes no pointers.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(1) as u64
}

/// The limit of open files: what holds now, and how far this user may raise it.
pub fn open_files() -> io::Result<(u64, u64)> {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the pointer is to a local.
    check(unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) })?;
    Ok((limit.rlim_cur, limit.rlim_max))
}

/// Free bytes for this user on the file system of a folder.
pub fn free_bytes(path: &std::path::Path) -> io::Result<u64> {
    use std::os::unix::ffi::OsStrExt;
    let path = std::ffi::CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: the path ends in a zero byte; the kernel fills the record.
    unsafe {
        let mut stat: libc::statvfs = zeroed();
        check(libc::statvfs(path.as_ptr(), &mut stat))?;
        Ok(stat.f_bavail * stat.f_frsize)
    }
}

/// Asks the kernel to stamp what arrives on this connection.
pub fn stamp_arrivals(socket: &TcpStream) -> io::Result<()> {
    let on: libc::c_int = 1;
    // SAFETY: the pointer and the length are those of a local.
    check(unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_TIMESTAMPNS,
            (&raw const on).cast(),
            size_of_val(&on) as libc::socklen_t,
        )
    })
    .map(drop)
}

/// Receives up to 64 bytes and tells the kernel's stamp of their arrival (time since 1970), where there is one.
pub fn receive_stamp(socket: &TcpStream) -> io::Result<Option<Duration>> {
    let mut data = [0_u8; 64];
    let mut control = [0_u64; 16];
    // SAFETY: every pointer is to a local that outlives the call, with its length; the control messages are walked
    // with the macros made for that, within what the kernel wrote.
    unsafe {
        let mut part = libc::iovec {
            iov_base: data.as_mut_ptr().cast(),
            iov_len: data.len(),
        };
        let mut message: libc::msghdr = zeroed();
        message.msg_iov = &mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = size_of_val(&control) as _;
        if libc::recvmsg(socket.as_raw_fd(), &mut message, 0) < 0 {
            return Err(io::Error::last_os_error());
        }
        let mut header = libc::CMSG_FIRSTHDR(&message);
        while let Some(head) = header.as_ref() {
            if head.cmsg_level == libc::SOL_SOCKET && head.cmsg_type == libc::SCM_TIMESTAMPNS {
                let time: libc::timespec = libc::CMSG_DATA(header)
                    .cast::<libc::timespec>()
                    .read_unaligned();
                return Ok(Some(Duration::new(time.tv_sec as u64, time.tv_nsec as u32)));
            }
            header = libc::CMSG_NXTHDR(&message, header);
        }
    }
    Ok(None)
}
