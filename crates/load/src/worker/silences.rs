//! When a thread had no response for long.

use crate::clock::{NEVER, Nanos};
use crate::outcome::{LEAST, Silence};

/// So many are kept; then the shorter half of their range is forgotten, so that a run of any length takes the same memory.
const MOST: usize = 4096;

/// The silences of one thread in one slice.
#[derive(Debug)]
pub struct Silences {
    /// Shorter ones are not noted.
    least: Nanos,
    /// The last response, or the beginning of load.
    last: Nanos,
    /// When the thread last sent a request while none was in flight.
    waiting: Nanos,
    /// When a request was last given up without a response.
    given_up: Nanos,
    /// Until when responses may show that the newest silence has kept requests waiting for longer.
    settles: Nanos,
    all: Vec<Silence>,
}

impl Silences {
    /// Those of a slice whose load begins at `start`.
    pub fn begin(start: Nanos) -> Silences {
        Silences {
            least: LEAST,
            last: start,
            waiting: start,
            given_up: 0,
            settles: 0,
            all: Vec::new(),
        }
    }

    /// A request that fell due at `due` was sent while none was in flight. If the last one was lost, the server was waited for all the time:
    /// none was in flight because there was no connection.
    #[inline]
    pub fn sent(&mut self, due: Nanos) {
        if self.given_up <= self.last {
            self.waiting = due;
        }
    }

    /// A response came at `at` to a request that had waited for the server since `since`.
    #[inline]
    pub fn responded(&mut self, since: Nanos, at: Nanos) {
        if at.saturating_sub(self.last) >= self.least {
            // If one was lost meanwhile, the server was waited for although this one was sent when it was back.
            let is_back = self.given_up > self.last;
            let waiting = if is_back {
                self.waiting.min(since)
            } else {
                since
            };
            self.note(waiting, at);
            self.settles = at.saturating_add(LEAST);
        } else if at < self.settles {
            self.settle(since, at);
        }
        self.last = self.last.max(at);
    }

    /// The requests that waited through a silence are those that are responded to after it. While the generator itself is kept from its core, requests
    /// are in flight for it that have long been responded to.
    #[cold]
    fn settle(&mut self, since: Nanos, at: Nanos) {
        let newest = self.all.last_mut();
        let newest =
            newest.filter(|one| one.to <= at && one.to.saturating_add(LEAST) == self.settles);
        if let Some(silence) = newest {
            silence.waiting = silence.waiting.min(since.max(silence.from));
        }
    }

    /// A request was given up at `at`.
    pub fn gave_up(&mut self, at: Nanos) {
        self.given_up = self.given_up.max(at);
    }

    #[cold]
    fn note(&mut self, waiting: Nanos, to: Nanos) {
        self.all.push(Silence {
            from: self.last,
            waiting: waiting.max(self.last),
            to,
        });
        while self.all.len() >= MOST {
            self.least *= 2;
            let least = self.least;
            self.all.retain(|one| one.to - one.from >= least);
        }
    }

    /// All of them, where the slice is over at `now`. `waits`: whether a request is still in flight.
    pub fn end(mut self, waits: bool, now: Nanos) -> Vec<Silence> {
        let until = if waits { now } else { self.given_up };
        if until > self.last {
            self.note(self.waiting, until);
            self.last = until;
        }
        self.all.push(Silence {
            from: self.last,
            waiting: NEVER,
            to: NEVER,
        });
        self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::MILLISECOND as MS;

    fn of(all: &[Silence]) -> Vec<(Nanos, Nanos, Nanos)> {
        let ms = |time: Nanos| if time == NEVER { NEVER } else { time / MS };
        let of = |one: &Silence| (ms(one.from), ms(one.waiting), ms(one.to));
        all.iter().map(of).collect()
    }

    #[test]
    fn silences_are_noted_from_response_to_response() {
        let mut all = Silences::begin(10 * MS);
        all.sent(11 * MS);
        all.responded(11 * MS, 20 * MS);
        all.responded(11 * MS, 20 * MS + MS / 2);
        // Out of order, as kernels' stamps may be.
        all.responded(11 * MS, 19 * MS);
        all.responded(20 * MS, 70 * MS);
        // Idle until 90.
        all.sent(90 * MS);
        all.responded(90 * MS, 95 * MS);
        let noted = all.end(false, 100 * MS);
        assert_eq!(
            of(&noted),
            [(10, 11, 20), (20, 20, 70), (70, 90, 95), (95, NEVER, NEVER)]
        );
        let mut lost = Silences::begin(0);
        lost.sent(0);
        lost.gave_up(5 * MS);
        assert_eq!(of(&lost.end(false, 9 * MS))[0], (0, 0, 5));
        // A server that is gone for 70 ms, and whose connections are opened again.
        let mut gone = Silences::begin(0);
        gone.sent(0);
        gone.responded(0, 10 * MS);
        gone.gave_up(12 * MS);
        gone.sent(79 * MS);
        gone.responded(79 * MS, 80 * MS);
        gone.gave_up(90 * MS);
        let gone = of(&gone.end(false, 90 * MS));
        assert_eq!(gone[1..3], [(10, 10, 80), (80, 80, 90)]);
        let waits = Silences::begin(0);
        assert_eq!(of(&waits.end(true, 9 * MS))[0], (0, 0, 9));
    }

    #[test]
    fn requests_wait_only_if_they_are_responded_to_afterwards() {
        // The server has responded to all by 10; the generator is kept from its core until 60, and reads responses while it sends again.
        let mut all = Silences::begin(0);
        all.sent(0);
        all.responded(0, 10 * MS);
        all.responded(60 * MS, 60 * MS + MS / 10);
        all.responded(0, 10 * MS);
        // Another one really waited meanwhile, and is responded to a little later.
        let mut waited = Silences::begin(0);
        waited.sent(0);
        waited.responded(0, 10 * MS);
        waited.responded(60 * MS, 60 * MS);
        waited.responded(20 * MS, 60 * MS + MS / 2);
        waited.responded(15 * MS, 62 * MS);
        assert_eq!(of(&all.end(false, 70 * MS))[1], (10, 60, 60));
        assert_eq!(of(&waited.end(false, 70 * MS))[1], (10, 20, 60));
    }

    #[test]
    fn however_many_there_are_the_longest_are_kept() {
        let mut all = Silences::begin(0);
        let mut at = 0;
        for number in 0..100_000 {
            at += if number == 50_000 { 900 * MS } else { 2 * MS };
            all.responded(0, at);
        }
        let noted = all.end(false, at);
        assert!(noted.len() <= MOST);
        assert!(noted.iter().any(|one| one.to - one.from == 900 * MS));
    }
}
