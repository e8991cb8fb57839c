//! Whether the server was there all the time.

use photofinish_model::Measurement;
use photofinish_voice::checks as found;

use super::outcome::Outcome;

/// Shorter times without a response are no outage: a collector may stop a server for so long.
const LEAST_S: f64 = 0.1;
/// An outage matters from this share of the time on.
const SHARE: f64 = 0.01;
/// The share of a time without a response in which the load generator's own core stood still, from which on the server is not charged with it.
const OWN: f64 = 0.5;

/// Times in which requests waited and no response came on any connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outages<'a> {
    /// How long each lasted within the window, in seconds. Those that were under way when load began are not among them.
    pub each_s: &'a [f64],
    /// Whether this is all that will be measured, so that one that comes once is not seen again in another round.
    pub is_only_run: bool,
}

/// Fails if the server was unavailable: no response came for long while requests or connects failed, or once in an only run. Stalls that recur are a
/// property of the server and no outage. `None` if it was not.
pub(super) fn available(measurement: &Measurement, outages: &Outages) -> Option<Outcome> {
    let long = outages.each_s.iter().filter(|length| **length >= LEAST_S);
    let total: f64 = long.clone().sum();
    let longest = long.clone().copied().fold(0.0, f64::max);
    let own_us = measurement
        .generator
        .stood_still
        .map_or(0.0, |it| it.longest_us);
    if total == 0.0 || total < measurement.duration_s * SHARE || own_us / 1e6 > longest * OWN {
        return None;
    }
    let lost = measurement.requests.saturating_sub(measurement.responses());
    let connects: u64 = measurement.failed_connects.values().sum();
    let once = outages.is_only_run && longest > total / 2.0;
    let (total_us, duration_us) = (total * 1e6, measurement.duration_s * 1e6);
    (once || lost + connects > 0).then(|| {
        let says = match long.count() {
            1 => found::unavailable(total_us, duration_us),
            outages => found::unavailable_times(total_us, duration_us, outages as u64),
        };
        Outcome::new(false, says)
    })
}
