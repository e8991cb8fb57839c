//! Waiting without a thread: all delays are equally long, so who came first is due first.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// What is due when, in the order in which it came.
pub struct Delays<T> {
    delay: Duration,
    queue: VecDeque<(Instant, T)>,
}

impl<T> Delays<T> {
    /// An empty queue; each entry waits that long.
    pub fn new(delay: Duration) -> Delays<T> {
        Delays {
            delay,
            queue: VecDeque::new(),
        }
    }

    /// Lets an entry wait from `now` on.
    pub fn push(&mut self, now: Instant, entry: T) {
        self.queue.push_back((now + self.delay, entry));
    }

    /// The time until the first entry is due; `None` where none waits.
    pub fn left(&self, now: Instant) -> Option<Duration> {
        let (due, _) = self.queue.front()?;
        Some(due.saturating_duration_since(now))
    }

    /// The first entry, if it is due.
    pub fn pop(&mut self, now: Instant) -> Option<T> {
        let (due, _) = self.queue.front()?;
        match *due <= now {
            true => self.queue.pop_front().map(|(_, entry)| entry),
            false => None,
        }
    }

    /// Whether none waits, which spares a look at the clock.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_due_in_order_and_never_too_early() {
        let begin = Instant::now();
        let at = |ms| begin + Duration::from_millis(ms);
        let mut delays = Delays::new(Duration::from_millis(100));
        assert_eq!(delays.left(begin), None);
        delays.push(at(0), 'a');
        delays.push(at(0), 'b');
        delays.push(at(30), 'c');
        assert_eq!(delays.left(at(1)), Some(Duration::from_millis(99)));
        assert_eq!(delays.pop(at(99)), None);
        assert_eq!(delays.pop(at(100)), Some('a'));
        assert_eq!(delays.pop(at(100)), Some('b'));
        assert_eq!(delays.pop(at(100)), None);
        assert_eq!(delays.left(at(100)), Some(Duration::from_millis(30)));
        assert_eq!(delays.left(at(500)), Some(Duration::ZERO));
        assert_eq!(delays.pop(at(500)), Some('c'));
        assert!(delays.is_empty());
    }
}
