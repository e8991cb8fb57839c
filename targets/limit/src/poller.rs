//! epoll, level-triggered: an event comes again until it is dealt with, so that one read and one
//! write a request are enough.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;

/// How many events one wait brings at most.
const EVENTS: usize = 512;

/// What an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// The socket that is listened on.
    Door,
    /// A client's connection: its place, which is its socket's number.
    Client(usize),
    /// A database's connection: its place in the pool.
    Database(usize),
}

impl Token {
    fn pack(self) -> EventData {
        let (kind, place) = match self {
            Token::Door => (0, 0),
            Token::Client(place) => (1, place),
            Token::Database(place) => (2, place),
        };
        EventData::new_u64((place as u64) << 2 | kind)
    }

    fn unpack(data: EventData) -> Token {
        let data = data.u64();
        let place = (data >> 2) as usize;
        match data & 3 {
            0 => Token::Door,
            1 => Token::Client(place),
            _ => Token::Database(place),
        }
    }
}

/// One epoll instance. Other threads may add sockets to it.
pub struct Poller(OwnedFd);

impl Poller {
    /// A new one.
    ///
    /// # Errors
    /// The system's.
    pub fn new() -> io::Result<Poller> {
        Ok(Poller(epoll::create(CreateFlags::CLOEXEC)?))
    }

    /// Adds a socket.
    ///
    /// # Errors
    /// The system's.
    pub fn add(&self, socket: impl AsFd, token: Token, interest: EventFlags) -> io::Result<()> {
        Ok(epoll::add(&self.0, socket, token.pack(), interest)?)
    }

    /// Changes what a socket is waited for.
    ///
    /// # Errors
    /// The system's.
    pub fn change(&self, socket: impl AsFd, token: Token, interest: EventFlags) -> io::Result<()> {
        Ok(epoll::modify(&self.0, socket, token.pack(), interest)?)
    }

    /// Waits for events, at most so long, and puts them in place of those before.
    ///
    /// # Errors
    /// The system's; a signal is none.
    pub fn wait(&self, events: &mut Events, timeout: Option<Duration>) -> io::Result<()> {
        events.0.clear();
        // A time that does not fit is as good as none.
        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        let room = rustix::buffer::spare_capacity(&mut events.0);
        match epoll::wait(&self.0, room, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// What a wait brought.
pub struct Events(Vec<Event>);

impl Events {
    /// None yet.
    pub fn new() -> Events {
        Events(Vec::with_capacity(EVENTS))
    }

    /// Each with what it is about.
    pub fn iter(&self) -> impl Iterator<Item = (Token, EventFlags)> {
        self.0.iter().map(|event| {
            // Copied out, because the fields of a packed struct cannot be borrowed.
            let (data, flags) = (event.data, event.flags);
            (Token::unpack(data), flags)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_survive_the_kernel() {
        for token in [
            Token::Door,
            Token::Client(0),
            Token::Client(1 << 20),
            Token::Database(9),
        ] {
            assert_eq!(Token::unpack(token.pack()), token);
        }
    }
}
