//! A pool of a database's connections on one event loop, and who waits for one.

use std::collections::VecDeque;
use std::io;
use std::net::TcpStream;

use rustix::event::epoll::EventFlags;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, sockopt};

use crate::database::{Config, Protocol, Query, Step};
use crate::http;
use crate::mariadb::MariaDb;
use crate::poller::{Poller, Token};
use crate::postgres::Postgres;
use crate::stream::{Got, Stream};

/// The connections of all loops together: as many as the other targets' pools have.
pub const CONNECTIONS: usize = 10;

/// How much is read at once.
const BUFFER: usize = 64 << 10;

/// The connections of one loop of several.
pub fn share(at: usize, loops: usize) -> usize {
    CONNECTIONS / loops + usize::from(at < CONNECTIONS % loops)
}

/// Who waits for an answer: the place of a connection and which one it was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiter {
    /// Its place.
    pub place: usize,
    /// Tells it from those that had the place before.
    pub id: u64,
    /// Whether the connection stays open after the answer.
    pub keep_alive: bool,
}

/// Which database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// For study 2.
    Postgres,
    /// For study 3.
    MariaDb,
}

/// Answers that are to be sent, one after the other in `bytes`, each with its end there.
#[derive(Default)]
pub struct Done {
    /// Head and body of each.
    pub bytes: Vec<u8>,
    /// Whose they are.
    pub ends: Vec<(Waiter, usize)>,
}

impl Done {
    fn push(&mut self, waiter: Waiter, status: u16, body: &[u8]) {
        let kind = match body {
            [] => "",
            _ => "application/json",
        };
        http::answer(&mut self.bytes, status, kind, body);
        self.ends.push((waiter, self.bytes.len()));
    }

    fn fail(&mut self, waiter: Waiter, why: &str) {
        http::complain(&mut self.bytes, 500, why);
        self.ends.push((waiter, self.bytes.len()));
    }

    /// None.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Connecting,
    Greeting,
    Ready,
}

struct Connection {
    stream: Stream,
    protocol: Box<dyn Protocol>,
    stage: Stage,
    input: Vec<u8>,
    body: Vec<u8>,
    asking: Option<Waiter>,
}

/// The pool. Its connections are opened when a query needs one.
pub struct Pool {
    kind: Kind,
    config: Result<Config, String>,
    connections: Vec<Option<Connection>>,
    free: Vec<usize>,
    waiting: VecDeque<(Waiter, Query)>,
    done: Done,
    buffer: Vec<u8>,
    out: Vec<u8>,
    told: String,
}

impl Pool {
    /// A pool of at most so many connections, none open yet.
    pub fn new(kind: Kind, config: &Result<Config, String>, size: usize) -> Pool {
        Pool {
            kind,
            config: config.clone(),
            connections: (0..size).map(|_| None).collect(),
            free: Vec::new(),
            waiting: VecDeque::new(),
            done: Done::default(),
            buffer: vec![0; BUFFER],
            out: Vec::new(),
            told: String::new(),
        }
    }

    /// The pools share their tokens out: even ones are PostgreSQL's.
    fn token(&self, place: usize) -> Token {
        Token::Database(place * 2 + usize::from(self.kind == Kind::MariaDb))
    }

    /// Takes a query; its answer comes with [`Pool::take_done`], in time.
    pub fn submit(&mut self, poller: &Poller, waiter: Waiter, query: Query) {
        if let Some(place) = self.free.pop() {
            return self.begin(poller, place, waiter, &query);
        }
        self.waiting.push_back((waiter, query));
        self.grow(poller);
    }

    /// Whether there are answers to be sent.
    pub fn has_done(&self) -> bool {
        !self.done.ends.is_empty()
    }

    /// The answers to be sent, in place of an empty `done`.
    pub fn take_done(&mut self, done: &mut Done) {
        std::mem::swap(&mut self.done, done);
    }

    /// Opens a connection, if there is room for one more.
    fn grow(&mut self, poller: &Poller) {
        let Some(place) = self.connections.iter().position(Option::is_none) else {
            return;
        };
        match self.connect(poller, place) {
            Ok(connection) => self.connections[place] = Some(connection),
            Err(why) => self.without_one(&why),
        }
    }

    fn connect(&self, poller: &Poller, place: usize) -> Result<Connection, String> {
        let config = self.config.as_ref().map_err(String::clone)?;
        let open = || -> io::Result<TcpStream> {
            let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
            let family = match config.address.is_ipv4() {
                true => AddressFamily::INET,
                false => AddressFamily::INET6,
            };
            let socket = rustix::net::socket_with(family, SocketType::STREAM, flags, None)?;
            sockopt::set_tcp_nodelay(&socket, true)?;
            match rustix::net::connect(&socket, &config.address) {
                Ok(()) | Err(Errno::INPROGRESS) => {}
                Err(error) => return Err(error.into()),
            }
            poller.add(&socket, self.token(place), EventFlags::OUT)?;
            Ok(TcpStream::from(socket))
        };
        let socket = open().map_err(|error| unreachable(config, &error))?;
        let protocol: Box<dyn Protocol> = match self.kind {
            Kind::Postgres => Box::new(Postgres::new(config)),
            Kind::MariaDb => Box::new(MariaDb::new(config)),
        };
        Ok(Connection {
            stream: Stream::new(socket, self.token(place), EventFlags::OUT),
            protocol,
            stage: Stage::Connecting,
            input: Vec::new(),
            body: Vec::new(),
            asking: None,
        })
    }

    /// Sends a query over a connection that has none in flight.
    fn begin(&mut self, poller: &Poller, place: usize, waiter: Waiter, query: &Query) {
        let Some(connection) = &mut self.connections[place] else {
            return self
                .done
                .fail(waiter, "the connection to the database is gone");
        };
        self.out.clear();
        match connection.protocol.ask(query, &mut self.out) {
            Ok(()) => {
                connection.asking = Some(waiter);
                connection.body.clear();
                connection.stream.send(&self.out);
                connection.stream.settle(poller, true);
            }
            Err(why) => {
                self.done.fail(waiter, &why);
                self.next(poller, place);
            }
        }
    }

    /// Gives a connection without a query in flight to who waits longest.
    fn next(&mut self, poller: &Poller, place: usize) {
        match self.waiting.pop_front() {
            Some((waiter, query)) => self.begin(poller, place, waiter, &query),
            None => self.free.push(place),
        }
    }

    /// Something happened on a connection.
    pub fn event(&mut self, poller: &Poller, place: usize, flags: EventFlags) {
        if let Err(why) = self.go_on(poller, place, flags) {
            self.lose(poller, place, &why);
        }
    }

    fn go_on(&mut self, poller: &Poller, place: usize, flags: EventFlags) -> Result<(), String> {
        let Some(Some(connection)) = self.connections.get_mut(place) else {
            return Ok(());
        };
        self.out.clear();
        if connection.stage == Stage::Connecting {
            if let (Some(error), Ok(config)) = (connection.stream.error(), &self.config) {
                return Err(unreachable(config, &error));
            }
            connection.stage = Stage::Greeting;
            connection.protocol.open(&mut self.out)?;
            connection.stream.send(&self.out);
        } else if flags.contains(EventFlags::OUT) {
            connection.stream.flush();
        }
        if flags.intersects(EventFlags::IN | EventFlags::HUP | EventFlags::ERR) {
            match connection.stream.read(&mut self.buffer) {
                Got::Bytes(length) => connection.input.extend_from_slice(&self.buffer[..length]),
                Got::Nothing => {}
                Got::End => return Err("the database closed the connection".to_owned()),
            }
            return self.hear(poller, place);
        }
        connection.stream.settle(poller, true);
        Ok(())
    }

    /// Takes the messages that are there.
    fn hear(&mut self, poller: &Poller, place: usize) -> Result<(), String> {
        let mut at = 0;
        while let Some(Some(connection)) = self.connections.get_mut(place) {
            self.out.clear();
            let taken = connection.protocol.take(
                &connection.input[at..],
                &mut self.out,
                &mut connection.body,
            )?;
            let Some((length, step)) = taken else {
                connection.input.drain(..at);
                connection.stream.settle(poller, true);
                break;
            };
            at += length;
            if !self.out.is_empty() {
                connection.stream.send(&self.out);
            }
            let free = match step {
                Step::More => false,
                Step::Ready => {
                    connection.stage = Stage::Ready;
                    true
                }
                Step::Answered(status) => {
                    if let Some(waiter) = connection.asking.take() {
                        self.done.push(waiter, status, &connection.body);
                    }
                    true
                }
                Step::Refused(why) => {
                    if let Some(waiter) = connection.asking.take() {
                        self.done.fail(waiter, &why);
                    }
                    self.tell(&why);
                    true
                }
            };
            if free {
                self.next(poller, place);
            }
        }
        Ok(())
    }

    /// Gives a connection up.
    fn lose(&mut self, poller: &Poller, place: usize, why: &str) {
        let Some(connection) = self.connections[place].take() else {
            return;
        };
        self.free.retain(|&free| free != place);
        if let Some(waiter) = connection.asking {
            self.done.fail(waiter, why);
        }
        // One that was in use is replaced. One that never was would fail again.
        if connection.stage == Stage::Ready {
            self.tell(why);
            if !self.waiting.is_empty() {
                self.grow(poller);
            }
        } else {
            self.without_one(why);
        }
    }

    /// A connection could not be opened: if there is no other, nobody waits for one any longer.
    fn without_one(&mut self, why: &str) {
        self.tell(why);
        if self.connections.iter().all(Option::is_none) {
            for (waiter, _) in self.waiting.drain(..) {
                self.done.fail(waiter, why);
            }
        }
    }

    /// Tells what went wrong, once while it stays the same: the answers tell it each time.
    fn tell(&mut self, why: &str) {
        if self.told != why {
            crate::tell(why);
            why.clone_into(&mut self.told);
        }
    }
}

fn unreachable(config: &Config, error: &io::Error) -> String {
    format!("connect to the database at {}: {error}", config.address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_connections_are_shared_out_whole() {
        let shares = |loops| (0..loops).map(|at| share(at, loops)).collect::<Vec<_>>();
        assert_eq!(shares(1), [10]);
        assert_eq!(shares(4), [3, 3, 2, 2]);
        assert_eq!(shares(10), [1; 10]);
    }
}
