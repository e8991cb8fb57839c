//! How long a slice is, and how much of its beginning does not count.

use std::time::Duration;

use hdrhistogram::Histogram;
use photofinish_load::Outcome;
use photofinish_model::OnePiece;
use photofinish_stats::effort;

use super::stalls;
use crate::convert;

/// Shortest measured part of a slice. Slow phases of a shared machine last some 100 ms; a turn of all servers
/// should be shorter.
const MIN_SLICE: Duration = Duration::from_millis(15);
/// Shortest measured part of a slice of a server that compiles itself while it runs: its first milliseconds
/// after a pause are slow.
const MIN_SLICE_COMPILED: Duration = Duration::from_millis(100);
/// Shortest measured part of a slice in an open loop. The queue of a server below saturation has its usual length
/// within a few response times.
const MIN_SLICE_OPEN: Duration = Duration::from_millis(20);
/// A slice is as long as the pause between two slices, which is long if generators begin by messages. This is
/// the longest slice for that reason.
const MAX_MIN_SLICE_BETWEEN: Duration = Duration::from_millis(100);
/// Fewest requests in a slice.
const MIN_REQUESTS: f64 = 300.0;
/// Shortest slice, in 90th percentiles of the response time. A burst of another process moves the 90th
/// percentile less than the 99th.
const MIN_RESPONSE_TIMES: u32 = 20;
/// Shortest slice of a closed loop, in mean response times, if fewer than [`TURNS`] longer slices fit.
const MIN_MEAN_RESPONSE_TIMES: u32 = 5;
/// Shortest slice, in times until the first response, if fewer than [`TURNS`] longer slices fit. Responses of
/// a server that lets requests wait come in waves, of which a slice must hold many.
const MIN_WAVES: u32 = 20;
/// Longest slice, unless the fewest turns with longer slices fit into twice the duration.
const MAX_SLICE: Duration = Duration::from_millis(400);
/// Shortest ramp-up of a slice. It lasts until each connection had its first response.
const MIN_RAMP_UP: Duration = Duration::from_millis(5);
/// Shortest ramp-up of a slice in an open loop, until its queue has its usual length.
const MIN_RAMP_UP_OPEN: Duration = Duration::from_millis(10);
/// Shortest ramp-up of a slice of a server that compiles itself.
const MIN_RAMP_UP_COMPILED: Duration = Duration::from_millis(50);
/// Share of the rate below which an open loop is overloaded: its queue grows for as long as load flows.
const MIN_ACHIEVED: f64 = 0.95;
/// Fewest turns of a level, if they take no more than twice the duration.
const TURNS: u32 = 8;
/// Fewest turns of any level.
pub(crate) const MIN_TURNS: u32 = 4;
/// Lengths are multiples of this.
const LENGTH_STEP: Duration = Duration::from_millis(5);

/// Length of a trial slice, which is not measured: it warms the server again and shows how long slices must
/// be.
pub(crate) const PILOT_TIME: Duration = Duration::from_millis(200);
/// Ramp-up of the continuous run after a level's turns.
pub(crate) const CONTINUOUS_RAMP_UP: Duration = Duration::from_millis(200);

/// What a pilot slice showed of one target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pilot {
    /// Good responses per second, while they flowed.
    rps: f64,
    /// The median response time.
    usual: Duration,
    /// The 90th percentile of the response time.
    p90: Duration,
    /// The mean response time.
    mean: Duration,
    /// From when load began until the first response; `None` if none came.
    first: Option<Duration>,
    /// From when load began until each connection had its first response; `None` if one had none.
    full_after: Option<Duration>,
    /// Achieved over offered rate; `None` in a closed loop.
    achieved: Option<f64>,
    /// Whether the server compiles itself while it runs.
    compiles: bool,
    /// What the slice took beyond its load.
    between: Duration,
    /// The longest response time, of those that no stall explains.
    longest: Duration,
    /// The share of the connections' time that responses took which were longer than each of [`OUTLAST_LENGTHS`].
    outlasting: [f64; 16],
    /// Whether the server stalled for most of it, so that it shows little.
    stalled: bool,
}

impl Pilot {
    pub(crate) fn of(outcome: &Outcome, compiles: bool, between: Duration) -> Pilot {
        let offered = outcome.offered.filter(|offered| *offered > 0);
        let usual = Duration::from_nanos(outcome.latency.value_at_quantile(0.5));
        let found = outcome.stalls(stalls::limit(outcome.usual_service()));
        let all = found.loaded_stalled + found.under_way;
        let (longest, outlasting) = match all.is_zero() {
            true => outlasting(&outcome.latency),
            false => Default::default(),
        };
        let first = outcome.first_response;
        let first = first.map(|first| first.saturating_sub(found.under_way).max(usual.min(first)));
        Pilot {
            rps: outcome.responses_in_window as f64 / found.flow.as_secs_f64().max(1e-9),
            usual,
            p90: Duration::from_nanos(outcome.latency.value_at_quantile(0.9)),
            mean: Duration::from_nanos(outcome.latency.mean() as u64),
            first,
            full_after: outcome.all_responded.map(|full| full.saturating_sub(all)),
            achieved: offered.map(|offered| outcome.responses_in_window as f64 / offered as f64),
            compiles,
            between,
            longest,
            outlasting,
            stalled: found.flow < outcome.duration / 2,
        }
    }

    /// Whether it shows little, because the server stalled for most of it.
    pub(crate) fn is_stalled(&self) -> bool {
        self.stalled
    }

    /// Whether too many responses outlast a slice that is so long.
    fn is_outlasting(&self, counted: Duration) -> bool {
        let times = counted.as_secs_f64() / OUTLAST_LENGTHS.0.as_secs_f64();
        let place = times.max(1.0).log(OUTLAST_LENGTHS.1).floor() as usize;
        self.outlasting[place.min(self.outlasting.len() - 1)] > MAX_OUTLASTING_SHARE
    }

    /// How long a slice's counted part is at least, for its requests and for what kind of load and server it is.
    fn least(&self) -> Duration {
        let requests = Duration::try_from_secs_f64(MIN_REQUESTS / self.rps);
        let open = self.achieved.map_or(Duration::ZERO, |_| MIN_SLICE_OPEN);
        let compiled = if self.compiles {
            MIN_SLICE_COMPILED
        } else {
            Duration::ZERO
        };
        requests.unwrap_or(Duration::MAX).max(open).max(compiled)
    }

    /// How long it is for its response times, where there is room for that.
    fn wished(&self) -> Duration {
        self.p90.saturating_mul(MIN_RESPONSE_TIMES)
    }

    /// The same where there is not.
    fn enough(&self) -> Duration {
        match (self.achieved, self.first) {
            (None, Some(first)) => {
                let flowing = self.mean.saturating_mul(MIN_MEAN_RESPONSE_TIMES);
                self.wished()
                    .min(flowing.max(first.saturating_mul(MIN_WAVES)))
            }
            _ => self.wished(),
        }
    }
}

/// The slices of a level, of the same length for all targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// What counts.
    pub(crate) counted: Duration,
    /// What flows before it.
    pub(crate) lead_in: Duration,
    /// How many turns there are.
    pub(crate) turns: u32,
    /// Longer times without a response are stalls.
    pub(crate) stall: Duration,
}

/// Largest share of the connections' time that responses longer than a slice may take. Beyond it, a slice
/// never reaches the state in which some connections wait while the others have the server to themselves.
const MAX_OUTLASTING_SHARE: f64 = 0.2;
/// Length of a slice, in longest responses, if responses outlast shorter slices.
const SLICE_LONGEST_RESPONSES: u32 = 10;
/// Ramp-up of such a slice, in longest responses: until about as many connections wait as usual.
const RAMP_UP_LONGEST_RESPONSES: u32 = 3;

/// The shortest length of responses for which a pilot measures the share of the connections' time that longer
/// ones take, and the factor from one length to the next.
const OUTLAST_LENGTHS: (Duration, f64) = (MIN_SLICE, 1.5);

/// Share of the duration that is measured again in a continuous run, to show the effect of slices.
const CONTINUOUS_SHARE: f64 = 0.2;
/// The shortest and the longest continuous run. A level for which it would be shorter has none.
const CONTINUOUS_LIMITS: (Duration, Duration) =
    (Duration::from_millis(300), Duration::from_secs(2));

/// Length of the continuous run after turns in which servers stalled, in multiples of the plan's turns: turns meet
/// stalls by chance, while a run of many stalls shows their share of the time with hardly any error.
const STALLED_TIMES: u32 = 2;
/// Longest continuous run after such turns, however long the levels of the plan are.
const MAX_CONTINUOUS_STALLED: Duration = Duration::from_secs(10);

/// How long the level is measured in one continuous run if servers stalled in its turns.
pub(crate) fn stalled_block(duration: Duration) -> Duration {
    (duration * STALLED_TIMES).clamp(CONTINUOUS_LIMITS.0, MAX_CONTINUOUS_STALLED)
}

/// How long the level is measured in one continuous run after its turns; `None`: it is too short for that.
pub(crate) fn block(duration: Duration) -> Option<Duration> {
    let block = duration.mul_f64(CONTINUOUS_SHARE).min(CONTINUOUS_LIMITS.1);
    (block >= CONTINUOUS_LIMITS.0).then_some(block)
}

/// The longest of these response times, in nanoseconds, and the share of all their time that those longer than each of [`OUTLAST_LENGTHS`] take.
fn outlasting(latency: &Histogram<u64>) -> (Duration, [f64; 16]) {
    let longer = |than: f64| -> f64 {
        let bins = latency.iter_recorded();
        let bins = bins.map(|bin| (bin.value_iterated_to() as f64, bin.count_at_value() as f64));
        bins.filter(|(time, _)| *time > than)
            .map(|(time, count)| time * count)
            .sum()
    };
    let all = longer(0.0);
    let shares = std::array::from_fn(|place| {
        let than = OUTLAST_LENGTHS.0.as_nanos() as f64 * OUTLAST_LENGTHS.1.powi(place as i32);
        convert::ratio(longer(than), all).unwrap_or(0.0)
    });
    (Duration::from_nanos(latency.max()), shares)
}

impl Cut {
    /// Whether no level has shorter slices.
    pub(crate) fn is_shortest(&self) -> bool {
        self.counted == MIN_SLICE
    }

    /// With as many turns as are best, but no fewer than it has, and at most three times as many.
    pub(crate) fn with_best(self, best: f64) -> Cut {
        let planned = f64::from(self.turns);
        let turns = best.max(planned).min(planned * effort::MOST) as u32;
        Cut { turns, ..self }
    }

    /// With so many times as many turns, but never fewer than the fewest.
    pub(crate) fn stretched(self, times: f64) -> Cut {
        let turns = ((f64::from(self.turns) * times) as u32).max(MIN_TURNS);
        Cut { turns, ..self }
    }

    /// How long load flows.
    pub(crate) fn slice(&self) -> Duration {
        self.lead_in + self.counted
    }
}

/// Slices that suit all of the targets, in each of which load flows for `duration` together.
///
/// # Errors
/// Why the level has to be measured in one continuous run.
pub(crate) fn cut(pilots: &[Pilot], duration: Duration) -> Result<Cut, OnePiece> {
    // Noise only adds to it.
    let between = pilots.iter().map(|pilot| pilot.between).min();
    let mut least = MIN_SLICE.max(between.unwrap_or_default().min(MAX_MIN_SLICE_BETWEEN));
    let (mut wished, mut lead_in) = (least, MIN_RAMP_UP);
    for pilot in pilots {
        if pilot.rps <= 0.0 {
            return Err(OnePiece::Slow);
        }
        if pilot
            .achieved
            .is_some_and(|achieved| achieved < MIN_ACHIEVED)
        {
            return Err(OnePiece::Overloaded);
        }
        least = least.max(pilot.least()).max(pilot.enough());
        wished = wished.max(pilot.least()).max(pilot.wished());
        if pilot.compiles {
            lead_in = lead_in.max(MIN_RAMP_UP_COMPILED);
        }
        if pilot.achieved.is_some() {
            lead_in = lead_in.max(MIN_RAMP_UP_OPEN);
        }
        lead_in = lead_in.max(pilot.full_after.unwrap_or(Duration::MAX));
    }
    let usual = pilots.iter().map(|pilot| pilot.usual).max();
    let all = duration.saturating_mul(2);
    // With the longest lead-in.
    let room = all / TURNS * 2 / 3;
    let mut counted = wished.min(room.max(least));
    let short = counted;
    for pilot in pilots.iter().filter(|pilot| pilot.is_outlasting(short)) {
        counted = counted.max(pilot.longest.saturating_mul(SLICE_LONGEST_RESPONSES));
        lead_in = lead_in.max(pilot.longest.saturating_mul(RAMP_UP_LONGEST_RESPONSES));
    }
    if counted > MAX_SLICE.max(all / MIN_TURNS) {
        return Err(OnePiece::Slow);
    }
    let steps = counted.as_nanos().div_ceil(LENGTH_STEP.as_nanos()) as u32;
    let counted = LENGTH_STEP * steps;
    // A third of the slice.
    let lead_in = lead_in.min(counted / 2);
    if counted > MAX_SLICE && (lead_in + counted) * MIN_TURNS > all {
        return Err(OnePiece::Slow);
    }
    Ok(Cut {
        counted,
        lead_in,
        turns: turns(duration, lead_in + counted),
        stall: stalls::limit(usual.unwrap_or_default()),
    })
}

/// How many slices make up the duration, with what does not count of them.
fn turns(duration: Duration, slice: Duration) -> u32 {
    let fit = |duration: Duration| {
        let turns = duration.as_nanos().div_ceil(slice.as_nanos());
        u32::try_from(turns).unwrap_or(u32::MAX)
    };
    fit(duration).max(fit(duration * 2).clamp(MIN_TURNS, TURNS))
}

/// About how long a target takes for a level in turns, borders included.
pub(crate) fn takes(duration: Duration) -> Duration {
    /// How long the samples between two slices take.
    const SAMPLING_TIME: Duration = Duration::from_millis(2);
    let slice = MIN_SLICE + MIN_RAMP_UP;
    let block = block(duration).map_or(Duration::ZERO, |block| CONTINUOUS_RAMP_UP + block);
    PILOT_TIME + (slice + SAMPLING_TIME) * turns(duration, slice) + block
}

#[cfg(test)]
mod tests;
