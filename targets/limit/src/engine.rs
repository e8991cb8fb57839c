//! The event loop, one a core, and the door: who listens hands connections round.
//!
//! The kernel's own sharing out (`SO_REUSEPORT`) is by a hash, so that of 8 connections one loop
//! may get 6. Handed round, each gets 4.

use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use rustix::event::epoll::EventFlags;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, sockopt};

use crate::poller::{Events, Poller, Token};
use crate::stream::Stream;

/// How many connections may wait to be accepted: a study opens 5,000 at once.
const BACKLOG: i32 = 8192;

/// How long accepting pauses where the process may not open another socket.
const PAUSE: Duration = Duration::from_millis(10);

/// What a server does with the events of one loop.
pub trait Service {
    /// Whether a client is at that place.
    fn knows(&self, place: usize) -> bool;
    /// Takes a new client.
    fn welcome(&mut self, place: usize, stream: Stream);
    /// Something happened on a client's connection.
    fn client(&mut self, poller: &Poller, place: usize, flags: EventFlags);
    /// Something happened on a database's connection.
    fn database(&mut self, _poller: &Poller, _place: usize, _flags: EventFlags) {}
    /// How long until [`Service::due`] has something to do.
    fn timeout(&self) -> Option<Duration> {
        None
    }
    /// Does what is due, after each batch of events.
    fn due(&mut self, _poller: &Poller) {}
}

/// One loop's clients; the place of each is the number of its socket.
pub struct Clients<C>(Vec<Option<C>>);

impl<C> Clients<C> {
    /// None yet.
    pub fn new() -> Clients<C> {
        Clients(Vec::new())
    }

    /// The client at that place.
    pub fn get(&mut self, place: usize) -> Option<&mut C> {
        self.0.get_mut(place)?.as_mut()
    }

    /// Whether a client is at that place.
    pub fn holds(&self, place: usize) -> bool {
        self.0.get(place).is_some_and(Option::is_some)
    }

    /// Puts a client at its place.
    pub fn put(&mut self, place: usize, client: C) {
        if self.0.len() <= place {
            self.0.resize_with(place + 1, || None);
        }
        self.0[place] = Some(client);
    }

    /// Lets a client go, which closes its connection.
    pub fn remove(&mut self, place: usize) {
        if let Some(slot) = self.0.get_mut(place) {
            *slot = None;
        }
    }
}

/// One loop.
pub struct Loop<S> {
    poller: Arc<Poller>,
    arrivals: Receiver<TcpStream>,
    door: Option<Door>,
    service: S,
}

/// The way to a loop.
struct Desk {
    poller: Arc<Poller>,
    arrivals: Sender<TcpStream>,
}

/// The socket that is listened on.
struct Door {
    listener: OwnedFd,
    desks: Vec<Desk>,
    next: usize,
}

/// Makes a loop for each service, which all serve one address.
///
/// # Errors
/// The address cannot be listened on, in words.
pub fn loops<S: Service>(
    address: SocketAddr,
    services: impl Iterator<Item = S>,
) -> Result<Vec<Loop<S>>, String> {
    let mut loops = Vec::new();
    let mut desks = Vec::new();
    for service in services {
        let poller = Arc::new(Poller::new().map_err(|e| format!("make an event loop: {e}"))?);
        let (sender, receiver) = channel();
        desks.push(Desk {
            poller: Arc::clone(&poller),
            arrivals: sender,
        });
        loops.push(Loop {
            poller,
            arrivals: receiver,
            door: None,
            service,
        });
    }
    let listener = listen(address).map_err(|e| format!("listen on {address}: {e}"))?;
    if let Some(first) = loops.first_mut() {
        let added = first.poller.add(&listener, Token::Door, EventFlags::IN);
        added.map_err(|e| format!("wait for connections: {e}"))?;
        first.door = Some(Door {
            listener,
            desks,
            next: 0,
        });
    }
    Ok(loops)
}

fn listen(address: SocketAddr) -> io::Result<OwnedFd> {
    let family = match address {
        SocketAddr::V4(_) => AddressFamily::INET,
        SocketAddr::V6(_) => AddressFamily::INET6,
    };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = rustix::net::socket_with(family, SocketType::STREAM, flags, None)?;
    sockopt::set_socket_reuseaddr(&socket, true)?;
    // What is accepted inherits it: an answer is one write, and shall go out at once.
    sockopt::set_tcp_nodelay(&socket, true)?;
    rustix::net::bind(&socket, &address)?;
    rustix::net::listen(&socket, BACKLOG)?;
    Ok(socket)
}

impl Door {
    /// Accepts who waits and hands them round.
    fn open(&mut self) -> io::Result<()> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        loop {
            let socket = match rustix::net::accept_with(&self.listener, flags) {
                Ok(socket) => TcpStream::from(socket),
                Err(Errno::AGAIN) => return Ok(()),
                // Gone again before it was accepted.
                Err(Errno::INTR | Errno::CONNABORTED) => continue,
                Err(Errno::MFILE | Errno::NFILE) => {
                    crate::tell("more connections than this process may open files");
                    thread::sleep(PAUSE);
                    return Ok(());
                }
                Err(error) => return Err(error.into()),
            };
            let desk = &self.desks[self.next];
            self.next = (self.next + 1) % self.desks.len();
            let token = Token::Client(place(&socket));
            desk.poller.add(&socket, token, EventFlags::IN)?;
            // It fails only where the loop has ended, and then the process ends.
            let _ = desk.arrivals.send(socket);
        }
    }
}

fn place(socket: &TcpStream) -> usize {
    // Numbers of open files are never negative.
    usize::try_from(socket.as_raw_fd()).unwrap_or_default()
}

impl<S: Service> Loop<S> {
    /// Serves for ever.
    ///
    /// # Errors
    /// The system's.
    pub fn run(mut self) -> io::Result<Infallible> {
        let mut events = Events::new();
        loop {
            self.poller.wait(&mut events, self.service.timeout())?;
            for (token, flags) in events.iter() {
                match token {
                    Token::Door => {
                        if let Some(door) = &mut self.door {
                            door.open()?;
                        }
                    }
                    Token::Client(place) => {
                        if !self.service.knows(place) {
                            self.welcome();
                        }
                        self.service.client(&self.poller, place, flags);
                    }
                    Token::Database(place) => {
                        self.service.database(&self.poller, place, flags);
                    }
                }
            }
            self.service.due(&self.poller);
        }
    }

    /// Takes those who were handed over. Who is in the poller, but not here yet, is on the way: the
    /// event comes again.
    fn welcome(&mut self) {
        while let Ok(socket) = self.arrivals.try_recv() {
            let place = place(&socket);
            let stream = Stream::new(socket, Token::Client(place), EventFlags::IN);
            self.service.welcome(place, stream);
        }
    }
}
