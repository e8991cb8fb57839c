//! The TCP echo of study 4: what is read is written.

use rustix::event::epoll::EventFlags;

use crate::engine::{Clients, Service};
use crate::poller::Poller;
use crate::stream::{Got, Stream};

/// How much is read at once: a message of 100k in one go, if it is there.
const BUFFER: usize = 256 << 10;

/// One loop of the echo server.
pub struct Echo {
    clients: Clients<Client>,
    buffer: Vec<u8>,
}

struct Client {
    stream: Stream,
    /// It sends no more; what it has not got back yet is still sent.
    ended: bool,
}

impl Echo {
    /// Without clients.
    pub fn new() -> Echo {
        Echo {
            clients: Clients::new(),
            buffer: vec![0; BUFFER],
        }
    }
}

impl Service for Echo {
    fn knows(&self, place: usize) -> bool {
        self.clients.holds(place)
    }

    fn welcome(&mut self, place: usize, stream: Stream) {
        let client = Client {
            stream,
            ended: false,
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
        // No more is read until all of it is sent: who does not take cannot make this buffer grow.
        if flags.contains(EventFlags::IN) && !client.stream.is_pending() {
            match client.stream.read(&mut self.buffer) {
                Got::Bytes(length) => client.stream.send(&self.buffer[..length]),
                Got::Nothing => {}
                Got::End => client.ended = true,
            }
        }
        if client.ended && !client.stream.is_pending() {
            return self.clients.remove(place);
        }
        client.stream.settle(poller, !client.ended);
    }
}
