//! How far another machine's clock is off, by the shortest of many round trips in which it was read (Cristian 1989).

use std::time::{Duration, Instant, SystemTime};

use photofinish_load::Ahead;

/// How fast two clocks drift apart at most: quartz keeps within 100 ppm.
const MAX_DRIFT: f64 = 100e-6;

/// One look at a clock: `read` returns the time since the epoch there. It is known to half of the time that this took.
///
/// # Errors
/// Those of `read`.
pub fn compare<E>(read: impl FnOnce() -> Result<Duration, E>) -> Result<Ahead, E> {
    let (begun, wall) = (Instant::now(), SystemTime::UNIX_EPOCH.elapsed());
    let theirs = read()?;
    let half = begun.elapsed() / 2;
    let ours = wall.unwrap_or_default() + half;
    let nanos = theirs.as_nanos() as i128 - ours.as_nanos() as i128;
    Ok(Ahead {
        nanos: i64::try_from(nanos).unwrap_or(i64::MAX),
        uncertain: half,
    })
}

/// What is known of a clock by the best of some looks.
#[derive(Debug, Default)]
pub struct Clock {
    known: Option<(Ahead, Instant)>,
}

impl Clock {
    /// Looks at it so many times; an earlier look that is still better stays, for as long as drift makes nothing worse of it.
    ///
    /// # Errors
    /// Those of `compare`.
    pub fn update<E>(
        &mut self,
        times: u32,
        mut compare: impl FnMut() -> Result<Ahead, E>,
    ) -> Result<Ahead, E> {
        for _ in 0..times.max(1) {
            let seen = compare()?;
            let now = Instant::now();
            if self
                .at(now)
                .is_none_or(|known| seen.uncertain <= known.uncertain)
            {
                self.known = Some((seen, now));
            }
        }
        Ok(self.at(Instant::now()).unwrap_or_default())
    }

    /// What is known of it at a moment.
    fn at(&self, now: Instant) -> Option<Ahead> {
        let (ahead, seen) = self.known?;
        let drift = now.saturating_duration_since(seen).mul_f64(MAX_DRIFT);
        Some(Ahead {
            uncertain: ahead.uncertain + drift,
            ..ahead
        })
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// A clock 5 s ahead that is read after one part of a round trip and replies after the other.
    fn read(there: Duration, back: Duration) -> impl FnOnce() -> Result<Duration, Infallible> {
        let until = |at: Instant| while Instant::now() < at {};
        move || {
            until(Instant::now() + there);
            let theirs = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
            until(Instant::now() + back);
            Ok(theirs + Duration::from_secs(5))
        }
    }

    #[test]
    fn a_clock_five_seconds_off_is_known_to_its_uncertainty() {
        let micros = Duration::from_micros;
        for (there, back) in [(50, 50), (0, 400), (400, 0)] {
            let Ok(seen) = compare(read(micros(there), micros(back)));
            let off = (seen.nanos - 5_000_000_000).unsigned_abs();
            // The wall clock and the monotonic one are read one after the other.
            let known = seen.uncertain + micros(20);
            assert!(Duration::from_nanos(off) <= known, "{seen:?}");
        }
    }

    #[test]
    fn the_shortest_round_trip_counts_until_drift_spoils_it() {
        let ahead = |nanos, micros| Ahead {
            nanos,
            uncertain: Duration::from_micros(micros),
        };
        let mut looks = [ahead(900, 500), ahead(5, 10), ahead(-700, 300)].into_iter();
        let mut clock = Clock::default();
        let known = clock
            .update(3, || looks.next().ok_or(()))
            .expect("three looks");
        assert_eq!(known.nanos, 5);
        assert!(known.uncertain >= Duration::from_micros(10));
        // Ten seconds later it may be off by another millisecond.
        let later = Instant::now() + Duration::from_secs(10);
        let then = clock.at(later).expect("it is known");
        assert!(then.uncertain >= Duration::from_micros(1_010), "{then:?}");
        assert_eq!(clock.update(1, || Err::<Ahead, _>(())), Err(()));
    }
}
