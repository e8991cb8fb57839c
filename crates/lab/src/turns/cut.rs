//! How long a slice is, and how much of its beginning does not count.

use std::time::Duration;

use hdrhistogram::Histogram;
use photofinish_load::Outcome;
use photofinish_model::OnePiece;
use photofinish_stats::effort;

use super::stalls;
use crate::convert;

/// A slice's counted part is at least this long: a machine's spells that no process shows last some 100 ms, and a turn of all targets
/// should be shorter than they …
const LEAST: Duration = Duration::from_millis(15);
/// … this long where a server compiles itself while it runs, whose first milliseconds after a pause are slow …
const LEAST_COMPILED: Duration = Duration::from_millis(100);
/// … and this long in an open loop: the queue of a server that is not saturated is what it is at that rate within a few of its response times.
const LEAST_OPEN: Duration = Duration::from_millis(20);
/// It is as long as what comes between two slices takes, which is much where generators begin by messages, but not for that longer
/// than this …
const MOST_BETWEEN: Duration = Duration::from_millis(100);
/// It holds so many requests …
const REQUESTS: f64 = 300.0;
/// … and so many of the usual longest response times: the 90th percentile, which a stranger's burst does not move as it moves the 99th.
const RESPONSE_TIMES: u32 = 20;
/// Where fewer than [`TURNS`] of such slices fit, they are shorter, but hold so many mean response times of a closed loop …
const FEWEST_RESPONSE_TIMES: u32 = 5;
/// … and so often what passes until the first response: those of a server that computes flow from then on, and those of one that lets
/// requests wait come in waves, of which a slice must hold many.
const WAVES: u32 = 20;
/// It is at most this long, or so long that the fewest turns take twice the duration, if that is longer: longer slices leave no turns.
const MOST: Duration = Duration::from_millis(400);
/// What does not count: until each connection had its first response, and at least this long …
const LEAD_IN: Duration = Duration::from_millis(5);
/// … or this long in an open loop, until its queue is what it is at that rate …
const LEAD_IN_OPEN: Duration = Duration::from_millis(10);
/// … or this long where the server compiles itself.
const LEAD_IN_COMPILED: Duration = Duration::from_millis(50);
/// An open loop whose rate is not achieved within so much is overloaded: its queue grows for as long as load flows.
const ACHIEVED: f64 = 0.95;
/// At least so many turns are made, as long as they take no more than twice the duration …
const TURNS: u32 = 8;
/// … and so many in any case.
pub(super) const FEWEST: u32 = 4;
/// Lengths are multiples of this.
const STEP: Duration = Duration::from_millis(5);

/// How long load flows to try a level out, without being counted: its server is warm again, and it shows how long slices must be.
pub(crate) const PILOT: Duration = Duration::from_millis(200);
/// What does not count of a level's piece beside its turns.
pub(crate) const BLOCK_LEAD_IN: Duration = Duration::from_millis(200);

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
    /// From when load began until the first response; `None` where none came.
    first: Option<Duration>,
    /// From when load began until each connection had its first response; `None` where one had none.
    full_after: Option<Duration>,
    /// Achieved over offered rate; `None` in a closed loop.
    achieved: Option<f64>,
    /// Whether the server compiles itself while it runs.
    compiles: bool,
    /// What the slice took beyond its load.
    between: Duration,
    /// The longest response time, of those that no stall explains.
    longest: Duration,
    /// The share of the connections' time that responses took which were longer than each of [`OUTLAST`].
    outlasting: [f64; 16],
    /// Whether the server stood still for most of it, so that it shows little.
    stalled: bool,
}

impl Pilot {
    pub(crate) fn of(outcome: &Outcome, compiles: bool, between: Duration) -> Pilot {
        let offered = outcome.offered.filter(|offered| *offered > 0);
        let usual = Duration::from_nanos(outcome.latency.value_at_quantile(0.5));
        let limit = stalls::limit(usual);
        let found = outcome.stalls(limit);
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

    /// Whether it shows little, because the server stood still for most of it.
    pub(crate) fn is_stalled(&self) -> bool {
        self.stalled
    }

    /// Whether too many responses outlast a slice that is so long.
    fn is_outlasting(&self, counted: Duration) -> bool {
        let times = counted.as_secs_f64() / OUTLAST.0.as_secs_f64();
        let place = times.max(1.0).log(OUTLAST.1).floor() as usize;
        self.outlasting[place.min(self.outlasting.len() - 1)] > OUTLASTING
    }

    /// How long a slice's counted part is at least, for its requests and for what kind of load and server it is.
    fn least(&self) -> Duration {
        let requests = Duration::try_from_secs_f64(REQUESTS / self.rps);
        let open = self.achieved.map_or(Duration::ZERO, |_| LEAST_OPEN);
        let compiled = if self.compiles {
            LEAST_COMPILED
        } else {
            Duration::ZERO
        };
        requests.unwrap_or(Duration::MAX).max(open).max(compiled)
    }

    /// How long it is for its response times, where there is room for that.
    fn wished(&self) -> Duration {
        self.p90.saturating_mul(RESPONSE_TIMES)
    }

    /// The same where there is not.
    fn enough(&self) -> Duration {
        match (self.achieved, self.first) {
            (None, Some(first)) => {
                let flowing = self.mean.saturating_mul(FEWEST_RESPONSE_TIMES);
                self.wished().min(flowing.max(first.saturating_mul(WAVES)))
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

/// Responses that outlast a slice may take this share of the connections' time; beyond it the slice never reaches the state in which some
/// connections wait while the others have the server to themselves …
const OUTLASTING: f64 = 0.2;
/// … so that slices are so many times as long as the longest response …
const LONGEST_TIMES: u32 = 10;
/// … after a lead-in of so many: until about as many connections wait as always.
const LONGEST_LEAD_IN: u32 = 3;

/// Lengths of responses for which a pilot shows which share of the connections' time longer ones take: the shortest, and by how many times each
/// next one is longer.
const OUTLAST: (Duration, f64) = (LEAST, 1.5);

/// Of the duration, so much is measured once more in one piece, to show what slices do …
const BLOCK_SHARE: f64 = 0.2;
/// … but at most this long, and not at all where that would be shorter than this.
const BLOCK: (Duration, Duration) = (Duration::from_millis(300), Duration::from_secs(2));

/// Where servers stood still, the continuous run is so many times as long as the plan's turns: turns meet stalls by chance, while a run of many
/// stalls shows their share of the time with hardly any error …
const STALLED_TIMES: u32 = 2;
/// … but at most this long, however long the plan's levels are.
const STALLED_BLOCK: Duration = Duration::from_secs(10);

/// How long the level is measured in one continuous run where servers stood still in its turns.
pub(crate) fn stalled_block(duration: Duration) -> Duration {
    (duration * STALLED_TIMES).clamp(BLOCK.0, STALLED_BLOCK)
}

/// How long the level is measured in one piece after its turns; `None`: it is too short for that.
pub(crate) fn block(duration: Duration) -> Option<Duration> {
    let block = duration.mul_f64(BLOCK_SHARE).min(BLOCK.1);
    (block >= BLOCK.0).then_some(block)
}

/// The longest of these response times, in nanoseconds, and the share of all their time that those longer than each of [`OUTLAST`] take.
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
        let than = OUTLAST.0.as_nanos() as f64 * OUTLAST.1.powi(place as i32);
        convert::ratio(longer(than), all).unwrap_or(0.0)
    });
    (Duration::from_nanos(latency.max()), shares)
}

impl Cut {
    /// Whether no level has shorter slices.
    pub(crate) fn is_shortest(&self) -> bool {
        self.counted == LEAST
    }

    /// With as many turns as are best, but no fewer than it has, and at most three times as many.
    pub(crate) fn with_best(self, best: f64) -> Cut {
        let planned = f64::from(self.turns);
        let turns = best.max(planned).min(planned * effort::MOST) as u32;
        Cut { turns, ..self }
    }

    /// With so many times as many turns, but never fewer than the fewest.
    pub(crate) fn stretched(self, times: f64) -> Cut {
        let turns = ((f64::from(self.turns) * times) as u32).max(FEWEST);
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
/// Why the level has to be measured in one piece.
pub(crate) fn cut(pilots: &[Pilot], duration: Duration) -> Result<Cut, OnePiece> {
    // Noise only adds to it.
    let between = pilots.iter().map(|pilot| pilot.between).min();
    let mut least = LEAST.max(between.unwrap_or_default().min(MOST_BETWEEN));
    let (mut wished, mut lead_in) = (least, LEAD_IN);
    for pilot in pilots {
        if pilot.rps <= 0.0 {
            return Err(OnePiece::Slow);
        }
        if pilot.achieved.is_some_and(|achieved| achieved < ACHIEVED) {
            return Err(OnePiece::Overloaded);
        }
        least = least.max(pilot.least()).max(pilot.enough());
        wished = wished.max(pilot.least()).max(pilot.wished());
        if pilot.compiles {
            lead_in = lead_in.max(LEAD_IN_COMPILED);
        }
        if pilot.achieved.is_some() {
            lead_in = lead_in.max(LEAD_IN_OPEN);
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
        counted = counted.max(pilot.longest.saturating_mul(LONGEST_TIMES));
        lead_in = lead_in.max(pilot.longest.saturating_mul(LONGEST_LEAD_IN));
    }
    if counted > MOST.max(all / FEWEST) {
        return Err(OnePiece::Slow);
    }
    let steps = counted.as_nanos().div_ceil(STEP.as_nanos()) as u32;
    let counted = STEP * steps;
    // A third of the slice.
    let lead_in = lead_in.min(counted / 2);
    if counted > MOST && (lead_in + counted) * FEWEST > all {
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
    fit(duration).max(fit(duration * 2).clamp(FEWEST, TURNS))
}

/// About how long a target takes for a level in turns, borders included.
pub(crate) fn takes(duration: Duration) -> Duration {
    /// What is looked at between two slices.
    const BORDER: Duration = Duration::from_millis(2);
    let slice = LEAST + LEAD_IN;
    let block = block(duration).map_or(Duration::ZERO, |block| BLOCK_LEAD_IN + block);
    PILOT + (slice + BORDER) * turns(duration, slice) + block
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    const FAST: Pilot = Pilot {
        rps: 60_000.0,
        usual: Duration::from_micros(200),
        p90: Duration::from_micros(400),
        mean: Duration::from_micros(200),
        first: Some(Duration::from_micros(100)),
        full_after: Some(Duration::from_millis(1)),
        achieved: None,
        compiles: false,
        between: ms(2),
        longest: ms(2),
        outlasting: [0.0; 16],
        stalled: false,
    };

    #[test]
    fn best_turns_are_no_fewer_than_planned_and_at_most_three_times_as_many() {
        let cut = cut(&[FAST; 2], Duration::from_secs(2)).expect("turns");
        assert_eq!(cut.turns, 100);
        for (best, turns) in [
            (f64::NAN, 100),
            (0.0, 100),
            (99.9, 100),
            (141.7, 141),
            (300.5, 300),
            (f64::INFINITY, 300),
        ] {
            assert_eq!(cut.with_best(best), Cut { turns, ..cut });
        }
    }

    #[test]
    fn a_stretched_level_has_some_turns() {
        let cut = cut(&[FAST; 2], Duration::from_secs(2)).expect("turns");
        for (times, turns) in [(1.0, 100), (2.5, 250), (0.5, 50), (0.01, FEWEST)] {
            assert_eq!(cut.stretched(times), Cut { turns, ..cut });
        }
    }

    #[test]
    fn slices_are_as_short_as_the_slowest_target_allows() {
        let of = |pilots: &[Pilot]| cut(pilots, Duration::from_secs(5));
        let expected = |counted, lead_in, turns| {
            Ok(Cut {
                counted: ms(counted),
                lead_in: ms(lead_in),
                turns,
                stall: ms(5),
            })
        };
        assert_eq!(of(&[FAST; 2]), expected(15, 5, 250));
        // 300 requests at 2,000/s are 150 ms.
        let slower = Pilot {
            rps: 2_000.0,
            ..FAST
        };
        assert_eq!(of(&[FAST, slower]), expected(150, 5, 33));
        // 20 times 4.2 ms is 84 ms, in steps of 5.
        let longer = Pilot {
            p90: Duration::from_micros(4_200),
            ..FAST
        };
        assert_eq!(of(&[longer, FAST]), expected(85, 5, 56));
        // What comes between slices takes as long as they do, at most.
        let far = |between| Pilot {
            between: ms(between),
            ..FAST
        };
        assert_eq!(of(&[far(41), far(60)]), expected(45, 5, 100));
        assert_eq!(of(&[far(300)]), expected(100, 5, 48));
        let compiles = Pilot {
            compiles: true,
            ..FAST
        };
        assert_eq!(of(&[FAST, compiles]), expected(100, 50, 34));
        // Until the flow is full, but at most a third of the slice.
        let late = |after| Pilot {
            full_after: after,
            ..FAST
        };
        assert_eq!(of(&[late(Some(ms(6)))]), expected(15, 6, 239));
        let half = Ok(Cut {
            counted: ms(15),
            lead_in: Duration::from_micros(7_500),
            turns: 223,
            stall: ms(5),
        });
        assert_eq!(of(&[late(Some(ms(70)))]), half);
        assert_eq!(of(&[late(None)]), half);
        let open = Pilot {
            achieved: Some(0.999),
            ..FAST
        };
        assert_eq!(of(&[open; 2]), expected(20, 10, 167));
        // Eight at least, where they take no more than twice the duration; four in any case.
        assert_eq!(cut(&[slower], ms(700)), expected(150, 5, 8));
        assert_eq!(cut(&[slower], ms(500)), expected(150, 5, 7));
        assert_eq!(cut(&[slower], ms(100)), expected(150, 5, 4));
    }

    #[test]
    fn a_piece_beside_turns_is_a_fifth_of_the_duration() {
        let usual = |duration| block(ms(duration));
        assert_eq!(usual(2_500), Some(ms(500)));
        assert_eq!(usual(60_000), Some(ms(2_000)));
        assert_eq!(usual(1_000), None);
        // It is twice as long as the turns where servers stood still in them.
        let stalled = |duration| stalled_block(ms(duration));
        assert_eq!(stalled(2_500), ms(5_000));
        assert_eq!(stalled(60_000), ms(10_000));
        assert_eq!(stalled(100), ms(300));
    }

    #[test]
    fn slices_are_shorter_where_few_would_fit_and_responses_flow() {
        let of = |pilot| cut(&[FAST, pilot], ms(2_400)).map(|cut| (cut.counted, cut.turns));
        // Eight slices of 400 ms and their lead-ins of half of that fit into twice the duration: 20 times 60 ms would leave no eight.
        let flows = Pilot {
            p90: ms(60),
            mean: ms(40),
            full_after: Some(ms(900)),
            ..FAST
        };
        assert_eq!(of(flows), Ok((ms(400), 8)));
        // 20 times 19 ms fits; five times 90 ms is 450.
        assert_eq!(
            of(Pilot {
                p90: ms(19),
                ..flows
            }),
            Ok((ms(380), 8))
        );
        assert_eq!(
            of(Pilot {
                mean: ms(90),
                ..flows
            }),
            Ok((ms(450), 8))
        );
        // Waves of 40 ms: 20 of them are 800 ms, and 20 of 60 ms more than four slices could have.
        let waves = |first| {
            of(Pilot {
                first: Some(ms(first)),
                ..flows
            })
        };
        assert_eq!(waves(40), Ok((ms(800), 4)));
        assert_eq!(waves(60), Err(OnePiece::Slow));
        // No longer than what is wished.
        assert_eq!(
            of(Pilot {
                p90: ms(30),
                mean: ms(200),
                ..flows
            }),
            Ok((ms(600), 6))
        );
        // An open loop's queue is what it is at its rate.
        let open = Pilot {
            achieved: Some(1.0),
            ..flows
        };
        assert_eq!(of(open), Err(OnePiece::Slow));
    }

    /// Each 500th of 100,000 responses per second takes 0.2 s: half of the connections' time.
    #[test]
    fn slices_are_long_beside_responses_that_keep_many_connections() {
        let mut latency = Histogram::new_with_bounds(1, 60_000_000_000, 3).expect("bounds");
        latency.record_n(400_000, 24_950).expect("in bounds");
        latency.record_n(200_000_000, 50).expect("in bounds");
        let (longest, outlasting) = outlasting(&latency);
        assert!(longest >= ms(200) && longest < ms(201), "{longest:?}");
        // 10 s of 19.98 s.
        assert!((outlasting[0] - 0.5005).abs() < 1e-3, "{outlasting:?}");
        assert!(
            outlasting[6] > 0.5 && outlasting[7] == 0.0,
            "{outlasting:?}"
        );
        let waits = Pilot {
            longest: ms(200),
            outlasting,
            ..FAST
        };
        let of = |duration| cut(&[FAST, waits], ms(duration));
        let found = of(8_000).expect("slices");
        assert_eq!((found.counted, found.lead_in), (ms(2_000), ms(600)));
        assert_eq!(of(2_500), Err(OnePiece::Slow));
        // Those of a fifth of the time are left to the slices that there are.
        let rare = Pilot {
            outlasting: [OUTLASTING; 16],
            ..waits
        };
        assert_eq!(cut(&[rare], ms(2_500)).map(|cut| cut.counted), Ok(ms(15)));
    }

    #[test]
    fn a_stall_within_a_pilot_is_none_of_its_response_times() {
        use photofinish_load::Gap;
        let second = Duration::from_secs(1);
        let mut outcome = crate::fake::outcome(16, PILOT, 20_000, Duration::from_micros(160));
        outcome.first_response = Some(ms(120));
        outcome.all_responded = Some(ms(122));
        outcome.gaps = vec![Gap {
            began: -50_000_000,
            lasted: ms(119),
            under_way: true,
        }];
        outcome.lead_in = ms(50);
        let pilot = Pilot::of(&outcome, false, ms(2));
        // 20,000 in 200 ms less 69.
        assert!((pilot.rps - 20_000.0 / 0.131).abs() < 1.0, "{}", pilot.rps);
        assert_eq!((pilot.first, pilot.full_after), (Some(ms(1)), Some(ms(3))));
        assert!(!pilot.is_stalled());
        outcome.gaps[0].lasted = second;
        assert!(Pilot::of(&outcome, false, ms(2)).is_stalled());
    }

    #[test]
    fn what_is_too_slow_for_slices_is_measured_in_one_piece() {
        let of = |pilot| cut(&[FAST, pilot], ms(800));
        assert_eq!(of(Pilot { rps: 700.0, ..FAST }), Err(OnePiece::Slow));
        // 300 requests at 700/s are 429 ms, which four slices have within 2 s with their lead-ins, and not within 1.6 s.
        let slow = Pilot { rps: 700.0, ..FAST };
        let slices = cut(&[FAST, slow], ms(1_000)).expect("slices");
        assert_eq!((slices.counted, slices.turns), (ms(430), 5));
        assert_eq!(of(Pilot { rps: 0.0, ..FAST }), Err(OnePiece::Slow));
        assert_eq!(
            of(Pilot {
                p90: ms(21),
                first: None,
                ..FAST
            }),
            Err(OnePiece::Slow)
        );
        assert_eq!(
            of(Pilot {
                p90: Duration::MAX,
                first: None,
                ..FAST
            }),
            Err(OnePiece::Slow)
        );
        let overloaded = Pilot {
            achieved: Some(0.9),
            ..FAST
        };
        assert_eq!(of(overloaded), Err(OnePiece::Overloaded));
    }
}
