//! Whether the load generator, and not the server, was the bottleneck.

use photofinish_model::message::Message;
use photofinish_model::{ArrivalClock, Load, Measurement, Overloaded};

use photofinish_voice::checks as found;

use super::outcome::Outcome;

/// A thread that is on its core for so much of the time cannot be distinguished from one that always is.
pub const BUSY: f64 = 0.95;
/// A connection may be in the generator's hands for this share of its cycle.
const TURNAROUND: f64 = 0.10;
/// Unless so many requests are with the server on average. Were their number Poisson-distributed, the
/// server would have nothing to do for e^-5 = 0.7% of the time, so the generator takes nothing from it.
const PLENTY: f64 = 5.0;
/// Or more of its cycle than with the server: then most requests queue in the generator, however many there are.
const MOST: f64 = 0.5;
/// A thread that runs whenever a connection is in its hands uses at least that share of a core; one that used less than this part of it was
/// kept from its core.
const KEPT: f64 = 1.0 / 3.0;
/// A thread that waits is woken within less than this, in microseconds.
const WAKE_US: f64 = 500.0;
/// The share of the time for which its own CPU limit may stop it.
const THROTTLED: f64 = 0.01;
/// What an open loop must achieve of its offered rate.
const ACHIEVED: f64 = 0.99;
/// So many times what a server that keeps up has in its hands is a queue that grew.
const GROWN: f64 = 1.5;
/// Standard deviations that chance may add to it: it reaches them in one run of a thousand.
const CHANCE: f64 = 3.0;
/// What requests that were sent late may add to the 99th percentile of the response time, as a share of it.
const LATE: f64 = 0.10;
/// A step of the wall clock that spoils latencies, as a share of their median.
const STEP: f64 = 0.01;

/// Neither the generator's CPU, nor its turnaround, nor its schedule limited what was measured.
pub(super) fn generator(measurement: &Measurement, clock_step_us: f64) -> Outcome {
    let generator = &measurement.generator;
    let found = measurement.capacity.as_ref();
    let hands = hands(measurement);
    let mut limits = Vec::new();
    let at_failed = found.and_then(|found| found.failed_rps.filter(|_| found.generator_limited));
    limits.extend(at_failed.map(found::generator_busy_at_failed));
    if generator.cpu_utilisation >= BUSY {
        limits.push(found::generator_busy());
    }
    let starved = hands.filter(|hands| {
        let share = hands.share();
        share > MOST || (share > TURNAROUND && hands.at_server < PLENTY)
    });
    let throttled = (generator.throttled_share).filter(|share| *share > THROTTLED);
    limits.extend(throttled.map(found::generator_throttled));
    limits.extend(starved.map(|hands| {
        let used = generator.cpu_utilisation;
        if hands.turnaround_us >= WAKE_US && used < hands.share() * KEPT {
            return found::generator_kept(hands.turnaround_us, used);
        }
        let more = hands.turnaround_us / (hands.cycle_us - hands.turnaround_us);
        match more < 1.0 {
            true => found::generator_starves(hands.at_server, more),
            false => found::generator_starves_mostly(hands.at_server),
        }
    }));
    let p50 = measurement.latency_us.map_or(f64::MAX, |l| l.p50);
    if generator.arrival_clock == ArrivalClock::Kernel && clock_step_us > p50 * STEP {
        limits.push(found::clock_stepped(clock_step_us));
    }
    let without_port = measurement.without_port();
    limits.extend((without_port > 0).then(|| found::generator_ports(without_port)));
    limits.extend(late(measurement));
    let open = matches!(measurement.load, Load::Open { .. });
    let ok = limits.is_empty();
    let mut parts = limits;
    parts.extend(measurement.overloaded.map(|over| {
        let (achieved, offered) = (over.achieved_rps, over.offered_rps);
        match ok {
            true => found::overloaded_server(achieved, offered),
            false => found::overloaded(achieved, offered),
        }
    }));
    parts.push(found::busiest_thread(generator.cpu_utilisation));
    parts.extend(hands.map(|hands| {
        found::turnaround(
            hands.share(),
            hands.turnaround_us,
            hands.cycle_us,
            hands.at_server,
        )
    }));
    parts.extend(open.then(|| found::achieved(generator.achieved_ratio)));
    parts.extend(generator.lag_us.map(|lag| found::lag(lag.p50)));
    Outcome::new(ok, found::generator(parts))
}

/// How long connections are in the generator's hands.
#[derive(Clone, Copy)]
struct Hands {
    /// From a response to the next request on its connection.
    turnaround_us: f64,
    /// From a request to the next one on its connection.
    cycle_us: f64,
    /// Requests at the server on average.
    at_server: f64,
}

impl Hands {
    /// The share of a connection's cycle.
    fn share(&self) -> f64 {
        self.turnaround_us / self.cycle_us
    }
}

/// Requests that were sent late though a connection was idle, where p99 contains a good part of that.
fn late(measurement: &Measurement) -> Option<Message> {
    let late = measurement.generator.late?;
    let (p99_us, in_time_us) = (measurement.latency_us?.p99, late.p99_in_time_us?);
    (p99_us - in_time_us > p99_us * LATE).then(|| {
        found::generator_late(
            late.requests,
            measurement.requests,
            late.longest_us,
            in_time_us,
            p99_us,
        )
    })
}

/// How long connections are in the generator's hands, where one waits whenever it is not the server's turn: in a closed loop, and in
/// an open one that is overloaded, where a request is due for every connection. Whatever the server sent back counts, good or bad.
/// Opening a connection in place of one that was closed is part of a cycle, and in nobody's hands.
///
/// With fewer than two requests for each place in which one can be under way, most of what there is of a cycle is the run's beginning and end.
fn hands(measurement: &Measurement) -> Option<Hands> {
    let room = f64::from(measurement.load.connections()) * f64::from(measurement.streams);
    if (measurement.requests as f64) < 2.0 * room {
        return None;
    }
    let rate = measurement.responses_per_s()?;
    let (between_us, service_us) = match measurement.load {
        Load::Closed { .. } => (
            measurement.generator.turnaround_us?,
            measurement.latency_us?.mean,
        ),
        Load::Open { .. } => {
            measurement.overloaded?;
            let service = measurement.service_us?.mean;
            // The cycle of a request in flight, by Little's law: how many there can be over rate.
            let cycle = room / rate * 1e6;
            ((cycle - service).max(0.0), service)
        }
        Load::Capacity { .. } => return None,
    };
    let cycle_us = between_us + service_us;
    let turnaround_us = (between_us - opening_us(measurement)).max(0.0);
    (rate > 0.0 && service_us > 0.0 && cycle_us.is_finite()).then_some(Hands {
        turnaround_us,
        cycle_us,
        at_server: rate * service_us / 1e6,
    })
}

/// How long a cycle contains of opening connections, mean: the load asks for that, whoever sends it, and no generator could spare it.
fn opening_us(measurement: &Measurement) -> f64 {
    let opening = measurement.opening.unwrap_or_default();
    let kinds = [opening.connect, opening.tls_full, opening.tls_resumed];
    let opened = kinds.into_iter().flatten();
    let all_us: f64 = opened.map(|kind| kind.count as f64 * kind.us.mean).sum();
    let requests = measurement.requests + measurement.lead_in_requests;
    let reopened = measurement.reconnects as f64 / requests.max(1) as f64;
    all_us / measurement.connects.max(1) as f64 * reopened
}

/// What the schedule of an open loop came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Requests that fell due in the window, sent or not.
    pub offered: u64,
    /// Of these, the ones that were sent only after its end, though a connection was free: the generator's thread was late.
    pub sent_late: u64,
}

/// Whether requests of an open loop came in faster than they were served, well or badly: what was offered and had no end
/// when the window closed is more than a server that keeps up has in its hands, which is its rate × its service time
/// (Little's law).
///
/// A request that still waited to be sent has no service time yet, so that a queue in the generator counts in full. A queue
/// in the server that grows at a steady pace is twice as long at the end as the mean time in it makes it: [`GROWN`]
/// lies between.
pub fn overloaded(measurement: &Measurement, schedule: Schedule) -> Option<Overloaded> {
    let offered = schedule.offered as f64;
    let seconds = measurement.duration_s;
    let ended = measurement.throughput_rps * seconds + failed_by_themselves(measurement) as f64;
    // One that was late on its way stood in no queue: a machine that stands still for a moment is not overloaded.
    let missing = offered - ended - schedule.sent_late as f64;
    let service_s = measurement.service_us.map_or(0.0, |s| s.mean / 1e6);
    let in_service = rate_at_the_end(measurement).unwrap_or(measurement.throughput_rps) * service_s;
    // Arrivals by chance: their number in a given time has its mean for variance.
    let allowed = GROWN * in_service + CHANCE * in_service.sqrt() + 1.0;
    let short = missing > allowed && ended < ACHIEVED * offered;
    (short && seconds > 0.0).then(|| Overloaded {
        offered_rps: offered / seconds,
        achieved_rps: measurement.throughput_rps,
    })
}

/// Requests that came to a bad end by themselves: they stand in no queue. (A connect that failed is no request.)
fn failed_by_themselves(measurement: &Measurement) -> u64 {
    let queued = |kind: &str| matches!(kind, "timeout" | "censored") || kind.starts_with("connect");
    let errors = measurement.errors.iter();
    errors
        .filter(|(kind, _)| !queued(kind))
        .map(|(_, n)| n)
        .sum()
}

/// Responses per second in the last window that is long enough to tell: at the first, and in a ramp, there were others.
fn rate_at_the_end(measurement: &Measurement) -> Option<f64> {
    let windows = &measurement.windows;
    let whole = windows.first()?.duration_s;
    let last = windows
        .iter()
        .rev()
        .find(|window| window.duration_s * 2.0 >= whole)?;
    (last.duration_s > 0.0).then(|| last.responses as f64 / last.duration_s)
}
