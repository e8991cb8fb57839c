//! The `delay` kind's policy: responds late by known times, and notes for each response the kernel's
//! stamp of the request's arrival and the time at which the response was written.

use std::time::{Duration, Instant};

use crate::Delays;
use crate::http::{Request, Route};
use crate::policy::Policy;

/// Beyond this many responses further ones are counted but not noted, so that memory is bounded.
const MAX_STAMPS: usize = 10_000_000;

/// What the server knows of its own responses; all times are from the request's arrival in the
/// kernel until just before the response was written, in microseconds, from exact sorted values.
#[derive(Clone, Debug, PartialEq)]
pub struct Truth {
    /// Responses noted.
    pub requests: usize,
    /// Mean.
    pub mean_us: f64,
    /// Percentiles by nearest rank: 50, 90, 95, 99, 99.9, 100.
    pub percentiles_us: [f64; 6],
}

impl Truth {
    /// From times in nanoseconds; `None` if there are none.
    pub fn new(times_ns: &[u64]) -> Option<Truth> {
        let mut sorted = times_ns.to_vec();
        sorted.sort_unstable();
        let last = sorted.len().checked_sub(1)?;
        // Nearest rank: the smallest value with at least p of all values at or below it.
        let at = |p: f64| {
            let rank = (p * sorted.len() as f64).ceil() as usize;
            sorted[rank.saturating_sub(1).min(last)] as f64 / 1e3
        };
        let sum: u128 = sorted.iter().map(|t| u128::from(*t)).sum();
        Some(Truth {
            requests: sorted.len(),
            mean_us: sum as f64 / sorted.len() as f64 / 1e3,
            percentiles_us: [0.5, 0.9, 0.95, 0.99, 0.999, 1.0].map(at),
        })
    }

    /// As a JSON object with the keys of `latency_us`.
    pub fn json(&self) -> String {
        let [p50, p90, p95, p99, p999, max] = self.percentiles_us;
        format!(
            "{{\"requests\":{},\"mean\":{:.3},\"p50\":{p50:.3},\"p90\":{p90:.3},\"p95\":{p95:.3},\"p99\":{p99:.3},\"p999\":{p999:.3},\"max\":{max:.3}}}",
            self.requests, self.mean_us
        )
    }
}

/// Moments in nanoseconds as a sorted JSON array.
fn arrivals_json(arrivals_ns: &[i64]) -> String {
    let mut sorted = arrivals_ns.to_vec();
    sorted.sort_unstable();
    let moments: Vec<String> = sorted.iter().map(i64::to_string).collect();
    format!("[{}]", moments.join(","))
}

/// The policy.
pub struct Delayed {
    delays: Delays,
    seen: u64,
    first: Option<Instant>,
    frozen: bool,
    times_ns: Vec<u64>,
    /// The kernel's stamps of the same requests, in the order of their responses.
    arrivals_ns: Vec<i64>,
}

impl Delayed {
    pub fn new(delays: Delays) -> Self {
        Delayed {
            delays,
            seen: 0,
            first: None,
            frozen: false,
            times_ns: Vec::new(),
            arrivals_ns: Vec::new(),
        }
    }
}

impl Policy for Delayed {
    const STAMPS: bool = true;

    fn delay(&mut self, request: Request) -> Duration {
        if request.route.asks_for_notes() {
            return Duration::ZERO;
        }
        self.first.get_or_insert_with(Instant::now);
        self.seen += 1;
        let asked = match request.route {
            Route::Sleep(time) => time,
            _ => Duration::ZERO,
        };
        let slow = self.delays.slow_one_in;
        asked
            + if slow > 0 && self.seen.is_multiple_of(slow) {
                self.delays.slow
            } else {
                self.delays.usual
            }
    }

    fn written(&mut self, arrival_ns: i64, written_ns: i64) {
        if self.times_ns.len() < MAX_STAMPS {
            self.times_ns
                .push(u64::try_from(written_ns - arrival_ns).unwrap_or(0));
            self.arrivals_ns.push(arrival_ns);
        }
    }

    fn truth(&self, route: Route) -> Option<String> {
        if route == Route::Arrivals {
            return Some(arrivals_json(&self.arrivals_ns));
        }
        Some(Truth::new(&self.times_ns).map_or_else(|| "{\"requests\":0}".to_owned(), |t| t.json()))
    }

    fn freeze(&mut self) -> Option<Duration> {
        let due = self.first? + self.delays.freeze_after?;
        if self.frozen || Instant::now() < due {
            return None;
        }
        self.frozen = true;
        Some(self.delays.freeze_for)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_are_reported_in_their_order() {
        let delays = Delays {
            usual: Duration::ZERO,
            slow: Duration::ZERO,
            slow_one_in: 0,
            freeze_after: None,
            freeze_for: Duration::ZERO,
        };
        let mut policy = Delayed::new(delays);
        assert_eq!(policy.truth(Route::Arrivals).as_deref(), Some("[]"));
        policy.written(2_000, 2_500);
        policy.written(1_000, 4_000);
        assert_eq!(
            policy.truth(Route::Arrivals).as_deref(),
            Some("[1000,2000]")
        );
        let truth = policy.truth(Route::Truth).unwrap();
        assert!(truth.starts_with("{\"requests\":2,"), "{truth}");
    }

    #[test]
    fn truth_is_by_nearest_rank() {
        let times: Vec<u64> = (1..=1000).rev().map(|us| us * 1000).collect();
        let truth = Truth::new(&times).unwrap();
        assert_eq!(truth.requests, 1000);
        assert_eq!(truth.mean_us, 500.5);
        assert_eq!(
            truth.percentiles_us,
            [500.0, 900.0, 950.0, 990.0, 999.0, 1000.0]
        );
        assert_eq!(Truth::new(&[]), None);
        assert_eq!(Truth::new(&[7_000]).unwrap().percentiles_us, [7.0; 6]);
    }
}
