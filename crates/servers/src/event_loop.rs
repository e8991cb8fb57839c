//! A few threads, each with an event loop over many connections.

use std::io;
use std::os::fd::AsRawFd;
use std::thread;
use std::time::Instant;

use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};
use socket2::Socket;

use crate::Spoken;
use crate::connection::{Connection, State};
use crate::listen;
use crate::policy::Policy;
use crate::timer::Timers;

const LISTENER: Token = Token(usize::MAX);
const TIMER: Token = Token(usize::MAX - 1);

/// Serves with `threads` event loops that share one listening socket; does not return unless a
/// loop breaks.
pub fn serve<P: Policy>(
    listener: &Socket,
    threads: usize,
    spoken: &Spoken,
    policy: impl Fn() -> P + Sync,
) -> io::Result<()> {
    thread::scope(|scope| {
        let loops: Vec<_> = (0..threads)
            .map(|_| {
                let listener = listener.try_clone()?;
                let policy = &policy;
                thread::Builder::new().spawn_scoped(scope, move || {
                    Loop::new(listener, spoken.clone(), policy())?.run()
                })
            })
            .collect::<io::Result<_>>()?;
        for one in loops {
            one.join()
                .unwrap_or_else(|_| Err(io::Error::other("an event loop panicked")))?;
        }
        Ok(())
    })
}

struct Loop<P> {
    poll: Poll,
    listener: Socket,
    connections: Vec<Option<Connection>>,
    free: Vec<usize>,
    generation: u64,
    timers: Timers<(usize, u64, u32)>,
    spoken: Spoken,
    policy: P,
}

impl<P: Policy> Loop<P> {
    fn new(listener: Socket, spoken: Spoken, policy: P) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let poll = Poll::new()?;
        let timers = Timers::new()?;
        poll.registry().register(
            &mut SourceFd(&listener.as_raw_fd()),
            LISTENER,
            Interest::READABLE,
        )?;
        poll.registry()
            .register(&mut SourceFd(&timers.fd()), TIMER, Interest::READABLE)?;
        Ok(Loop {
            poll,
            listener,
            connections: Vec::new(),
            free: Vec::new(),
            generation: 0,
            timers,
            spoken,
            policy,
        })
    }

    fn run(mut self) -> io::Result<()> {
        let mut events = Events::with_capacity(1024);
        let mut buffer = vec![0; 16 * 1024];
        loop {
            match self.poll.poll(&mut events, None) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            }
            if let Some(time) = self.policy.freeze() {
                thread::sleep(time);
            }
            for event in &events {
                match event.token() {
                    LISTENER => self.accept()?,
                    TIMER => {}
                    Token(at) => {
                        if event.is_writable() {
                            self.step(at, |connection, _| connection.writable());
                        }
                        if event.is_readable() || event.is_read_closed() {
                            self.step(at, |connection, policy| {
                                connection.readable(policy, &mut buffer)
                            });
                        }
                    }
                }
            }
            while let Some((at, generation, ticket)) = self.timers.due() {
                let same = self.connections[at]
                    .as_ref()
                    .is_some_and(|c| c.generation == generation);
                if same {
                    self.step(at, |connection, policy| {
                        connection.due(ticket, policy, &mut buffer)
                    });
                }
            }
            self.timers.arm()?;
        }
    }

    /// Lets the connection at `at` do something, and does what follows from it.
    fn step(&mut self, at: usize, act: impl FnOnce(&mut Connection, &mut P) -> io::Result<State>) {
        let Some(connection) = self.connections.get_mut(at).and_then(Option::as_mut) else {
            return;
        };
        let acted = act(connection, &mut self.policy);
        for (delay, ticket) in connection.waits.drain(..) {
            let payload = (at, connection.generation, ticket);
            self.timers.add(Instant::now() + delay, payload);
        }
        match acted {
            Ok(State::Open | State::Waits) => {}
            Ok(State::Closed) | Err(_) => {
                self.connections[at] = None;
                self.free.push(at);
            }
        }
    }

    fn accept(&mut self) -> io::Result<()> {
        loop {
            let stream = match listen::accept(&self.listener) {
                Ok(stream) => stream,
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                // A connection that was gone before it was accepted, or no descriptor left for
                // it: neither ends the server.
                Err(e) => {
                    eprintln!("a connection was not accepted: {e}");
                    return Ok(());
                }
            };
            let at = self.free.pop().unwrap_or_else(|| {
                self.connections.push(None);
                self.connections.len() - 1
            });
            self.generation += 1;
            let both = Interest::READABLE | Interest::WRITABLE;
            self.poll
                .registry()
                .register(&mut SourceFd(&stream.as_raw_fd()), Token(at), both)?;
            match Connection::new(stream, self.generation, P::STAMPS, &self.spoken) {
                Ok(connection) => self.connections[at] = Some(connection),
                Err(_) => self.free.push(at),
            }
        }
    }
}
