//! Little's law: are all connections accounted for?

use photofinish_model::{Load, Measurement, Opened};
use photofinish_stats::queueing;
use photofinish_voice::checks as found;

use super::outcome::Outcome;

/// How far Little's law may be off.
const TOLERANCE: f64 = 0.05;
/// The share of requests that may end without a response. Each such end costs a connection, and to open another takes time
/// that no cycle contains.
const LOST: f64 = 0.01;

/// The share of places that is named if they were idle for it.
const NAMED: f64 = 0.01;

/// Connections = rate at which requests end × mean time of a connection's cycle (Little 1961). All requests of the window count,
/// good or bad: each kept its connection for its time.
///
/// The requests of the window are those that were sent in it. A connection's first one may begin a cycle after the window opened
/// (it was in flight, or waited for its turn among all connections' first requests), and its last one may end after the window
/// closed; in a run by number connections idle at the end instead. Either is at most the longest response and the longest turnaround,
/// and they have opposite signs, so that the law may be off by that over the window's length and be right. The longest turnaround is
/// at least as long as a response has waited to be read: for so long the generator's thread did not run. Where the server closes
/// connections, it holds a new one's opening: a connect whose first packet is dropped takes a second.
///
/// A place for a request (a connection, or a stream of one) counts only while it was in use. In a run by number it is idle before its first request and
/// when none is left; over HTTP/2 it is while the server allows fewer streams. In a run of few requests that is much of the time.
///
/// A connection that had one request under way for the whole window has none among the window's, however long that took. So the time
/// that requests from before the window spent in it, less what the window's own took after it, is what the law lacks.
pub(super) fn littles_law(measurement: &Measurement) -> Outcome {
    let Load::Closed { connections } = measurement.load else {
        return Outcome::new(None, found::law_open_loop());
    };
    let Some(latency) = measurement.latency_us else {
        return Outcome::new(None, found::no_request());
    };
    let requests = measurement.requests;
    let lost = requests.saturating_sub(measurement.responses());
    let timeouts = measurement.errors.get("timeout").copied().unwrap_or(0);
    // A timeout costs a connection too, but is long known to be one: its time is in the mean.
    let lost = lost.saturating_sub(timeouts);
    if lost as f64 > requests as f64 * LOST {
        return Outcome::new(None, found::law_lost(lost, requests));
    }
    let window_us = measurement.duration_s * 1e6;
    let turnaround = measurement.generator.turnaround_us.unwrap_or(0.0);
    let rate = requests as f64 / measurement.duration_s;
    let edges = measurement.edges.unwrap_or_default();
    // No turnaround precedes the first request of a place.
    let followed = requests.saturating_sub(edges.firsts) as f64 / requests.max(1) as f64;
    let cycle = latency.mean + turnaround * followed;
    let streams = measurement.streams;
    let all = f64::from(connections) * f64::from(streams);
    if (requests as f64) < all {
        let all = all as u64;
        return Outcome::new(None, found::law_few_requests(requests, all));
    }
    let idle = edges.idle_s / measurement.duration_s;
    let room = all - idle;
    if room < all / 2.0 {
        return Outcome::new(None, found::law_idle_places(idle / all));
    }
    let Some(law) = queueing::littles_law(room, rate, cycle / 1e6) else {
        return Outcome::new(None, found::no_request());
    };
    let off = (law.ratio - 1.0).abs();
    let unread = measurement.generator.lag_us.map_or(0.0, |lag| lag.max);
    let longest = turnaround.max(unread).max(longest_opening(measurement));
    let bound = (latency.max + longest) / window_us;
    let shift = shift(measurement, room).unwrap_or(0.0);
    let explained = (law.ratio + shift - 1.0).abs() <= TOLERANCE + bound;
    let edge = match explained {
        true => bound.max(shift.abs()),
        false => bound,
    };
    let places = match streams {
        1 => found::connections(connections),
        streams => found::streams(connections, streams),
    };
    let places = match idle >= all * NAMED {
        true => found::places_without_idle(places, idle),
        false => places,
    };
    let in_flight = law.in_flight;
    let says = found::law(
        rate,
        latency.mean,
        turnaround,
        in_flight,
        places,
        in_flight / room - 1.0,
    );
    if off <= TOLERANCE {
        Outcome::new(true, says)
    } else if off <= TOLERANCE + bound || explained {
        Outcome::new(None, found::law_cannot_tell(says, edge))
    } else {
        Outcome::new(false, says)
    }
}

/// The longest that it took to replace a connection, in microseconds; 0 where none was.
fn longest_opening(measurement: &Measurement) -> f64 {
    if measurement.reconnects == 0 {
        return 0.0;
    }
    let opening = measurement.opening.unwrap_or_default();
    let longest = |opened: Option<Opened>| opened.map_or(0.0, |opened| opened.us.max);
    longest(opening.connect) + longest(opening.tls_full).max(longest(opening.tls_resumed))
}

/// What the law lacks by what was under way at the window's ends, relative to `room`; `None` where that is not known.
fn shift(measurement: &Measurement, room: f64) -> Option<f64> {
    let edges = measurement.edges?;
    let shift = (edges.carried_s - edges.outlasted_s) / (room * measurement.duration_s);
    shift.is_finite().then_some(shift)
}
