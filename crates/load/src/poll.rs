//! Waiting for sockets: the kernel's `epoll`, by edges.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::io::Errno;
use rustix::time::Timespec;

/// Both directions, the peer's end, and an event only when something changes: asking for writability for good costs
/// nothing while a socket takes all that is sent.
const WATCHED: EventFlags = EventFlags::IN
    .union(EventFlags::OUT)
    .union(EventFlags::RDHUP)
    .union(EventFlags::ET);

/// A set of files that are watched together.
pub struct Poll {
    epoll: OwnedFd,
    events: Vec<epoll::Event>,
}

impl Poll {
    /// Watches nothing yet; takes `at_once` events from the kernel at most.
    pub fn new(at_once: usize) -> io::Result<Self> {
        Ok(Poll {
            epoll: epoll::create(CreateFlags::CLOEXEC)?,
            events: Vec::with_capacity(at_once),
        })
    }

    /// Watches a file, whose events come with `token`, until it is closed.
    pub fn watch(&self, file: impl AsFd, token: u64) -> io::Result<()> {
        Ok(epoll::add(
            &self.epoll,
            file,
            EventData::new_u64(token),
            WATCHED,
        )?)
    }

    /// Reports once more what is true of a watched file now.
    pub fn report_again(&self, file: impl AsFd, token: u64) -> io::Result<()> {
        Ok(epoll::modify(
            &self.epoll,
            file,
            EventData::new_u64(token),
            WATCHED,
        )?)
    }

    /// Waits until something happens; or only looks. How many events there are (0 also after a signal).
    #[inline]
    pub fn wait(&mut self, sleep: bool) -> io::Result<usize> {
        const NOW: Timespec = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        let limit = if sleep { None } else { Some(&NOW) };
        self.events.clear();
        match epoll::wait(&self.epoll, spare_capacity(&mut self.events), limit) {
            Err(Errno::INTR) => Ok(0),
            count => Ok(count?),
        }
    }

    /// Event `at` of those that the last wait brought.
    #[inline]
    pub fn event(&self, at: usize) -> Event {
        let epoll::Event { flags, data } = self.events[at];
        Event {
            token: data.u64(),
            flags,
        }
    }
}

/// What happened to a file.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    pub token: u64,
    flags: EventFlags,
}

impl Event {
    /// There is something to read, the end included.
    #[inline]
    pub fn readable(self) -> bool {
        self.flags.intersects(EventFlags::IN | EventFlags::RDHUP) || self.failed()
    }

    /// There is room to write.
    #[inline]
    pub fn writable(self) -> bool {
        self.flags.contains(EventFlags::OUT)
    }

    /// The peer will send nothing more.
    #[inline]
    pub fn ended(self) -> bool {
        self.flags.contains(EventFlags::RDHUP) || self.failed()
    }

    /// The connection is broken or was never made.
    #[inline]
    pub fn failed(self) -> bool {
        self.flags.intersects(EventFlags::ERR | EventFlags::HUP)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;

    use super::*;

    /// What is reported of one end, which was registered as 7, after `act` did something with the other.
    fn reported(poll: &mut Poll, act: impl FnOnce()) -> Vec<Event> {
        act();
        let count = poll.wait(false).unwrap();
        (0..count).map(|at| poll.event(at)).collect()
    }

    #[test]
    fn a_change_is_reported_once_and_again_when_asked() {
        let (mut near, mut far) = UnixStream::pair().unwrap();
        let mut poll = Poll::new(4).unwrap();
        poll.watch(&near, 7).unwrap();
        let events = reported(&mut poll, || {});
        assert!(
            matches!(events[..], [event] if event.token == 7 && event.writable() && !event.readable())
        );
        assert!(reported(&mut poll, || {}).is_empty());
        let events = reported(&mut poll, || far.write_all(b"ab").unwrap());
        assert!(
            matches!(events[..], [event] if event.readable() && !event.ended() && !event.failed())
        );
        near.read_exact(&mut [0]).unwrap();
        assert!(reported(&mut poll, || {}).is_empty());
        poll.report_again(&near, 7).unwrap();
        assert!(matches!(reported(&mut poll, || {})[..], [event] if event.readable()));
        let events = reported(&mut poll, || drop(far));
        assert!(matches!(events[..], [event] if event.ended() && event.readable()));
    }

    #[test]
    fn more_events_than_there_is_room_for_come_with_the_next_wait() {
        let pairs: Vec<_> = (0..5).map(|_| UnixStream::pair().unwrap()).collect();
        let mut poll = Poll::new(3).unwrap();
        for (token, (near, _)) in (0..).zip(&pairs) {
            poll.watch(near, token).unwrap();
        }
        let mut tokens = Vec::new();
        for expected in [3, 2, 0] {
            let count = poll.wait(false).unwrap();
            assert_eq!(count, expected);
            tokens.extend((0..count).map(|at| poll.event(at).token));
        }
        tokens.sort_unstable();
        assert_eq!(tokens, [0, 1, 2, 3, 4]);
    }
}
