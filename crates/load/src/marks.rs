//! Reports to the caller when the window opens and closes, so that it can sample the server over the same interval.

use std::time::{Duration, Instant};

use crate::clock::{self, NEVER, Nanos};
use crate::control::{Control, Mark};

/// The marks of one run.
#[derive(Debug)]
pub struct Marks<'a> {
    control: &'a Control,
    opened: bool,
    closed: bool,
}

impl<'a> Marks<'a> {
    /// None is reported yet.
    pub fn new(control: &'a Control) -> Self {
        Marks {
            control,
            opened: false,
            closed: false,
        }
    }

    /// How long it is until the next mark; `None` when none is ahead, or it is not known when.
    pub fn wait(&self, opens: Nanos, closes: Nanos) -> Option<Duration> {
        let next = match (self.opened, self.closed) {
            (false, _) => opens,
            (true, false) => closes,
            (true, true) => NEVER,
        };
        (next != NEVER).then(|| Duration::from_nanos(next.saturating_sub(clock::now())))
    }

    /// Reports the marks that are reached.
    pub fn report(&mut self, opens: Nanos, closes: Nanos) {
        let now = clock::now();
        if !self.opened && now >= opens {
            self.opened = true;
            self.control.mark(Mark::Opened(instant(opens, now)));
        }
        if self.opened && !self.closed && now >= closes {
            self.closed = true;
            self.control.mark(Mark::Closed(instant(closes, now)));
        }
    }
}

/// A moment that is not after `now`, which is this one.
fn instant(at: Nanos, now: Nanos) -> Instant {
    let ago = Duration::from_nanos(now.saturating_sub(at));
    let now = Instant::now();
    now.checked_sub(ago).unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn each_mark_is_reported_once_and_not_before_its_time() {
        let (windows, _) = mpsc::channel();
        let (give, reported) = mpsc::channel();
        let control = Control::with_windows(windows).with_marks(give);
        let mut marks = Marks::new(&control);
        let now = clock::now();
        marks.report(NEVER, NEVER);
        assert_eq!(marks.wait(NEVER, NEVER), None);
        assert_eq!(reported.try_recv().ok(), None);
        assert!(marks.wait(now + 3_600_000_000_000, NEVER) > Some(Duration::from_secs(3_000)));
        marks.report(now, NEVER);
        marks.report(now, NEVER);
        assert!(matches!(reported.try_recv(), Ok(Mark::Opened(_))));
        assert_eq!(reported.try_recv().ok(), None);
        marks.report(now, now);
        marks.report(now, now);
        assert!(matches!(reported.try_recv(), Ok(Mark::Closed(_))));
        assert_eq!(reported.try_recv().ok(), None);
        assert_eq!(marks.wait(now, now), None);
    }
}
