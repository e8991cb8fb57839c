//! The HTTP server of one event loop: its connections, each with at most one request in work.

use std::time::{Duration, Instant};

use rustix::event::epoll::EventFlags;

use crate::database::Config;
use crate::engine::{Clients, Service};
use crate::http::{self, LONGEST_BODY, LONGEST_HEAD, Parsed};
use crate::poller::Poller;
use crate::pool::{Done, Waiter};
use crate::stream::{Got, Stream};
use crate::work::{Outcome, Work};

/// How much is read at once.
const BUFFER: usize = 64 << 10;
/// So much may wait behind a request before no more is read.
const LONGEST_QUEUE: usize = LONGEST_HEAD + LONGEST_BODY;

/// One loop of the HTTP server.
pub struct Server {
    clients: Clients<Client>,
    work: Work,
    buffer: Vec<u8>,
    out: Vec<u8>,
    done: Done,
    /// How many clients there were.
    welcomed: u64,
}

struct Client {
    id: u64,
    stream: Stream,
    /// What came and is no whole request, or waits behind one that is in work.
    input: Vec<u8>,
    /// Its request waits for a time or for a database.
    waits: bool,
    /// It sends no more, but takes answers still.
    ended: bool,
    /// Nothing more is answered but what is in work.
    ending: bool,
}

impl Server {
    /// Without clients; with so many connections to the database at most.
    pub fn new(config: &Result<Config, String>, connections: usize) -> Server {
        Server {
            clients: Clients::new(),
            work: Work::new(config, connections),
            buffer: vec![0; BUFFER],
            out: Vec::new(),
            done: Done::default(),
            welcomed: 0,
        }
    }

    /// Sends what the databases have answered, and goes on with those clients' next requests, which
    /// may be answered at once with an error.
    fn deliver(&mut self, poller: &Poller) {
        let mut done = std::mem::take(&mut self.done);
        while let Some(pool) = self.work.pools.iter_mut().find(|pool| pool.has_done()) {
            pool.take_done(&mut done);
            let mut begin = 0;
            for &(waiter, end) in &done.ends {
                if let Some(client) = waiting(&mut self.clients, waiter) {
                    client.stream.send(&done.bytes[begin..end]);
                    client.go_on(poller, &mut self.work, waiter, &mut self.out);
                }
                begin = end;
            }
            done.clear();
        }
        self.done = done;
    }
}

/// Who waits, if it is still there.
fn waiting(clients: &mut Clients<Client>, waiter: Waiter) -> Option<&mut Client> {
    let client = clients.get(waiter.place)?;
    (client.id == waiter.id && client.waits).then_some(client)
}

impl Client {
    /// Answers the whole requests in `bytes` up to one that waits; how many bytes are done with.
    fn serve(
        &mut self,
        poller: &Poller,
        work: &mut Work,
        place: usize,
        bytes: &[u8],
        out: &mut Vec<u8>,
    ) -> usize {
        out.clear();
        let mut at = 0;
        while at < bytes.len() && !self.waits && !self.ending {
            match http::parse(&bytes[at..]) {
                Parsed::Partial => break,
                Parsed::Whole(request) => {
                    at += request.length;
                    let waiter = Waiter {
                        place,
                        id: self.id,
                        keep_alive: request.keep_alive,
                    };
                    match work.take(poller, waiter, &request, out) {
                        Outcome::Answered => self.ending |= !request.keep_alive,
                        Outcome::Later => self.waits = true,
                    }
                }
                Parsed::Bad(status, why) => {
                    http::complain(out, status, why);
                    self.ending = true;
                }
            }
        }
        if !out.is_empty() {
            self.stream.send(out);
        }
        at
    }

    /// Goes on with what has come meanwhile.
    fn serve_input(&mut self, poller: &Poller, work: &mut Work, place: usize, out: &mut Vec<u8>) {
        let mut input = std::mem::take(&mut self.input);
        let served = self.serve(poller, work, place, &input, out);
        input.drain(..served);
        self.input = input;
    }

    /// Its request was answered just now.
    fn go_on(&mut self, poller: &Poller, work: &mut Work, waiter: Waiter, out: &mut Vec<u8>) {
        self.waits = false;
        self.ending |= !waiter.keep_alive;
        if !self.input.is_empty() {
            self.serve_input(poller, work, waiter.place, out);
        }
        self.settle(poller);
    }

    /// Waits for what is needed next, or ends.
    fn settle(&mut self, poller: &Poller) {
        let over = self.ending || self.ended;
        if over && !self.waits && !self.stream.is_pending() {
            self.stream.shut_down();
        }
        let full = self.waits && self.input.len() > LONGEST_QUEUE;
        let read = !over && !full;
        self.stream.settle(poller, read);
    }
}

impl Service for Server {
    fn knows(&self, place: usize) -> bool {
        self.clients.holds(place)
    }

    fn welcome(&mut self, place: usize, stream: Stream) {
        self.welcomed += 1;
        let client = Client {
            id: self.welcomed,
            stream,
            input: Vec::new(),
            waits: false,
            ended: false,
            ending: false,
        };
        self.clients.put(place, client);
    }

    fn client(&mut self, poller: &Poller, place: usize, flags: EventFlags) {
        let Some(client) = self.clients.get(place) else {
            return;
        };
        if flags.intersects(EventFlags::HUP | EventFlags::ERR) {
            return self.clients.remove(place);
        }
        if flags.contains(EventFlags::OUT) {
            client.stream.flush();
        }
        if flags.contains(EventFlags::IN) && !client.ending && !client.ended {
            match client.stream.read(&mut self.buffer) {
                Got::Bytes(length) if client.input.is_empty() && !client.waits => {
                    let bytes = &self.buffer[..length];
                    let served = client.serve(poller, &mut self.work, place, bytes, &mut self.out);
                    client.input.extend_from_slice(&bytes[served..]);
                }
                Got::Bytes(length) => {
                    client.input.extend_from_slice(&self.buffer[..length]);
                    client.serve_input(poller, &mut self.work, place, &mut self.out);
                }
                Got::Nothing => {}
                // What is in work is still answered: it may listen on.
                Got::End if client.waits || client.stream.is_pending() => client.ended = true,
                Got::End => return self.clients.remove(place),
            }
        }
        client.settle(poller);
        self.deliver(poller);
    }

    fn database(&mut self, poller: &Poller, place: usize, flags: EventFlags) {
        // The pools share the places out; see `Pool::token`.
        let pools = self.work.pools.len();
        self.work.pools[place % pools].event(poller, place / pools, flags);
        self.deliver(poller);
    }

    fn timeout(&self) -> Option<Duration> {
        if self.work.delays.is_empty() {
            return None;
        }
        self.work.delays.left(Instant::now())
    }

    fn due(&mut self, poller: &Poller) {
        if self.work.delays.is_empty() {
            return;
        }
        let now = Instant::now();
        while let Some(waiter) = self.work.delays.pop(now) {
            if let Some(client) = waiting(&mut self.clients, waiter) {
                client.stream.send(&self.work.answers.world);
                client.go_on(poller, &mut self.work, waiter, &mut self.out);
            }
        }
        // What such a client asked next may have been answered at once.
        self.deliver(poller);
    }
}
