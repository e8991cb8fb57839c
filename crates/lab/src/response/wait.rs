//! How a request that is sent once waits: until a deadline, and as long as somebody wants it to.

use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

use photofinish_model::finding::failure::NoResponse;
use socket2::Socket;

use super::Route;

/// How often a wait looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(50);

/// Until when, and as long as who wants it.
#[derive(Clone, Copy)]
pub(super) struct Wait<'a> {
    timeout: Duration,
    deadline: Instant,
    unwanted: &'a dyn Fn() -> bool,
}

impl<'a> Wait<'a> {
    /// From now on.
    pub(super) fn begin(timeout: Duration, unwanted: &'a dyn Fn() -> bool) -> Wait<'a> {
        Wait {
            timeout,
            deadline: Instant::now() + timeout,
            unwanted,
        }
    }

    /// For how long to wait until this is to be asked again; `None`: no longer.
    pub(super) fn turn(&self) -> Option<Duration> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        (!left.is_zero() && !(self.unwanted)()).then(|| left.min(LOOK))
    }

    /// Why it is over, when `bytes` had come.
    pub(super) fn over(&self, bytes: u64) -> NoResponse {
        match (self.unwanted)() {
            true => NoResponse::Interrupted {},
            false => NoResponse::Late {
                within_s: self.timeout.as_secs_f64(),
                bytes,
            },
        }
    }
}

/// Whether an error of a [`Patient`] is that the wait is over: it knows no other of that kind.
pub(super) fn is_over(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::TimedOut
}

/// A socket whose every read and write waits so.
pub(super) struct Patient<'a> {
    socket: Socket,
    wait: Wait<'a>,
}

/// Sets how long a read or a write may take: each its own, since the other may be another thread's.
type Limit = fn(&Socket, Option<Duration>) -> io::Result<()>;

impl<'a> Patient<'a> {
    /// A new connection.
    pub(super) fn connect(route: Route, wait: Wait<'a>) -> Result<Patient<'a>, NoResponse> {
        let left = wait.deadline.saturating_duration_since(Instant::now());
        let socket = (route.from.connect(route.to, left)).map_err(NoResponse::connect)?;
        Ok(Patient { socket, wait })
    }

    pub(super) fn socket(&self) -> &Socket {
        &self.socket
    }

    /// Does a call again and again until it comes to something.
    fn until_done<T>(
        &mut self,
        limit: Limit,
        mut call: impl FnMut(&mut Socket) -> io::Result<T>,
    ) -> io::Result<T> {
        while let Some(turn) = self.wait.turn() {
            limit(&self.socket, Some(turn))?;
            match call(&mut self.socket) {
                Err(error) if is_nothing(&error) => {}
                other => return other,
            }
        }
        Err(io::ErrorKind::TimedOut.into())
    }
}

/// Whether nothing happened within a call's limit; which of the first two kinds says that depends on the system.
fn is_nothing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
    )
}

impl Read for Patient<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.until_done(Socket::set_read_timeout, |socket| socket.read(into))
    }
}

impl Write for Patient<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.until_done(Socket::set_write_timeout, |socket| socket.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.flush()
    }
}
