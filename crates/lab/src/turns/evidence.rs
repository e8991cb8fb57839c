//! What was seen around each slice, from outside of what is measured.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use photofinish_host::{CoreTimes, Host, Machine, Meter};
use photofinish_model::{Disturbed, MOVED, moved};

use super::even::{Evenness, Reference};
use super::state::{Grade, TurnState};
use crate::convert::STANDSTILL;
use crate::scene::Scene;

/// CPU time of strangers in a slice that disturbs it, or of servers that should rest: a scheduler's turn or more …
const OTHERS: Duration = Duration::from_millis(3);
/// … or this share of a slice, where that is more. So much of one may a core have stood still, too.
const SHARE: f64 = 0.03;

/// Watches the cores of server and generator while a level is measured in turns.
pub(crate) struct Evidence<'s> {
    scene: &'s Scene<'s>,
    /// Empty: all.
    cores: Vec<usize>,
    /// `None` where the machine cannot be looked at.
    hiccups: Option<Box<dyn Meter>>,
    /// How fast the server's cores are, and the generator's; empty where that is not looked at.
    references: [Vec<Box<dyn Meter>>; 2],
    /// Cores of the server, each with one of the generator's, whose latency says how far apart both are; empty: that is not looked at.
    pairs: &'s [(usize, usize)],
    /// The core-to-core latency as it usually is, and as it was last and when, in nanoseconds.
    usual_latency: Cell<Option<f64>>,
    last_latency: Cell<Option<(Instant, f64)>>,
    /// How fast the cores were beside each target so far.
    evenness: RefCell<Evenness>,
}

/// A core-to-core latency that was seen a moment ago is that of now as well: cores stay where they are for seconds, and a look may take as long
/// as a short slice beside others.
const MOMENT: Duration = Duration::from_millis(50);

/// The CPU time that a part of the race has used until a moment; `None` where that cannot be known.
pub(crate) type Clock = Option<Duration>;

/// One end of a slice.
pub(crate) struct Border {
    at: Instant,
    cores: Option<CoreTimes>,
    /// What photofinish itself has used on the servers' machine.
    own: Clock,
    /// The slice's own server and services.
    owner: Clock,
    /// The servers and services that should rest meanwhile.
    bystanders: Clock,
    /// The core-to-core latency of server and generator, in nanoseconds.
    latency: Option<f64>,
}

/// What was seen around one slice.
#[derive(Clone, Debug)]
pub(crate) struct Around {
    /// From border to border.
    pub(crate) took: Duration,
    /// CPU time of processes of neither side on the cores of server and generator.
    pub(crate) others: Option<Duration>,
    pub(crate) bystanders: Option<Duration>,
    /// The core-to-core latency before and after it, in nanoseconds.
    pub(crate) latencies: Option<[f64; 2]>,
    /// The same as shares of what is usual.
    pub(crate) of_usual: Option<[f64; 2]>,
    /// How late a thread that only sleeps woke up.
    pub(crate) late: Option<Histogram<u64>>,
    /// How long a fixed piece of arithmetic took on the server's core and on the generator's, in nanoseconds.
    pub(crate) reference: Reference,
}

impl<'s> Evidence<'s> {
    /// `sampled`: whether the machine can be looked at. `usual_latency`: where its cores usually lie, by their core-to-core latency in nanoseconds;
    /// without it, where they lie first.
    pub(crate) fn new(
        scene: &'s Scene<'s>,
        sampled: bool,
        usual_latency: Option<f64>,
    ) -> Evidence<'s> {
        let core = scene.lanes.generator.first().copied();
        let [server, generator] = looked_at(scene);
        Evidence {
            hiccups: sampled.then(|| scene.generator.machine().hiccups(core)),
            references: match sampled {
                true => [
                    references(scene.host.machine(), server),
                    references(scene.generator.machine(), generator),
                ],
                false => Default::default(),
            },
            pairs: &scene.pairs,
            usual_latency: Cell::new(usual_latency),
            ..Evidence::without_hiccups(scene)
        }
    }

    /// That of the CPU time that was used, alone.
    pub(crate) fn without_hiccups(scene: &'s Scene<'s>) -> Evidence<'s> {
        let lanes = &scene.lanes;
        // Where one side may use every core, so may strangers that disturb it.
        let cores = match lanes.server.is_empty() || lanes.generator.is_empty() {
            true => Vec::new(),
            false => [&lanes.server[..], &lanes.generator[..]].concat(),
        };
        Evidence {
            scene,
            cores,
            hiccups: None,
            references: Default::default(),
            pairs: &[],
            usual_latency: Cell::new(None),
            last_latency: Cell::new(None),
            evenness: RefCell::default(),
        }
    }

    /// With how fast the server's cores are.
    pub(crate) fn with_server_speed(self) -> Evidence<'s> {
        let [server, _] = looked_at(self.scene);
        Evidence {
            references: [references(self.scene.host.machine(), server), Vec::new()],
            ..self
        }
    }

    /// The core-to-core latency of server and generator now, in nanoseconds.
    fn latency(&self) -> Option<f64> {
        if let Some((at, latency)) = self.last_latency.take()
            && at.elapsed() < MOMENT
        {
            return Some(latency);
        }
        let latency = core_to_core(self.scene.host, self.pairs)?;
        self.last_latency.set(Some((Instant::now(), latency)));
        Some(latency)
    }

    /// Looks at everything now.
    pub(crate) fn border(&self, owner: Clock, bystanders: Clock) -> Border {
        // Before the clocks are read: it takes time.
        let latency = self.latency();
        let meters = self.references.iter().flatten().chain(&self.hiccups);
        meters.for_each(|meter| drop(meter.lap()));
        Border {
            at: Instant::now(),
            cores: self.scene.host.core_times(),
            own: self.scene.host.machine().own_cpu(),
            owner,
            bystanders,
            latency,
        }
    }

    /// What happened since.
    pub(crate) fn since(&self, opened: &Border, owner: Clock, bystanders: Clock) -> Around {
        let late = self.hiccups.as_ref().and_then(|hiccups| hiccups.lap());
        let reference = self.references.each_ref().map(|meters| mean_time(meters));
        let closed = Border {
            at: Instant::now(),
            cores: self.scene.host.core_times(),
            own: self.scene.host.machine().own_cpu(),
            owner,
            bystanders,
            latency: None,
        };
        let latencies = opened.latency.zip(self.latency()).map(<[f64; 2]>::from);
        let usual = self.usual_latency.get().or(latencies.map(|both| both[0]));
        self.usual_latency.set(usual);
        Around {
            late,
            reference,
            latencies,
            of_usual: (latencies.zip(usual))
                .map(|(both, usual)| both.map(|latency| latency / usual)),
            ..opened.until(&closed, &self.cores)
        }
    }

    /// What was seen around the slices of a turn, each with the place of its target: what disturbs one of them disturbs the turn.
    pub(super) fn turn_state<'a>(
        &self,
        slices: impl Iterator<Item = (usize, &'a Around)> + Clone,
    ) -> TurnState {
        let looked = slices
            .clone()
            .map(|(place, around)| (place, around.reference));
        let uneven = self.evenness.borrow_mut().add(&looked.collect::<Vec<_>>());
        let uneven = uneven.map(|grade| TurnState::Disturbed(Disturbed::UnevenCores, grade));
        let seen = slices.map(|(_, around)| around.seen()).chain(uneven);
        seen.reduce(TurnState::with).unwrap_or(TurnState::Usual)
    }
}

/// The cores whose speed is looked at, of the server and of the generator: those of the pairs, or where there are none the first of either side.
fn looked_at(scene: &Scene<'_>) -> [BTreeSet<usize>; 2] {
    let lanes = &scene.lanes;
    match &scene.pairs[..] {
        [] => [&lanes.server, &lanes.generator].map(|lane| lane.iter().copied().take(1).collect()),
        pairs => [
            pairs.iter().map(|(server, _)| *server).collect(),
            pairs.iter().map(|(_, generator)| *generator).collect(),
        ],
    }
}

/// Meters of how fast cores are.
fn references(machine: &dyn Machine, cores: BTreeSet<usize>) -> Vec<Box<dyn Meter>> {
    cores
        .into_iter()
        .map(|core| machine.reference(core))
        .collect()
}

/// How long the arithmetic took since the last lap, in nanoseconds: the harmonic mean, since what a core gets done goes by its mean speed.
fn mean_time(meters: &[Box<dyn Meter>]) -> Option<f64> {
    let (mut looks, mut speeds) = (0, 0.0);
    for meter in meters {
        for looked in meter.lap()?.iter_recorded() {
            looks += looked.count_at_value();
            speeds += looked.count_at_value() as f64 / looked.value_iterated_to().max(1) as f64;
        }
    }
    (looks > 0).then(|| looks as f64 / speeds)
}

/// The core-to-core latency of a server's and a generator's cores in nanoseconds, the geometric mean over some pairs of them; `None` where there are none.
pub(crate) fn core_to_core(host: &dyn Host, pairs: &[(usize, usize)]) -> Option<f64> {
    let logs = pairs.iter().map(|(server, generator)| {
        let latency = host.core_to_core(*server, *generator)?;
        Some((latency.as_secs_f64() * 1e9).ln())
    });
    let logs: Vec<f64> = logs.collect::<Option<_>>()?;
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

/// Whether so much CPU time of strangers within so long disturbs a measurement.
pub(crate) fn are_many(others: Duration, took: Duration) -> bool {
    others >= limit(OTHERS, took)
}

/// How much within so long disturbs it, where so little does in a short slice.
fn limit(short: Duration, took: Duration) -> Duration {
    short.max(took.mul_f64(SHARE))
}

impl Border {
    /// What was used from this border to that one on these cores.
    fn until(&self, closed: &Border, cores: &[usize]) -> Around {
        let grown = |of: fn(&Border) -> Clock| {
            let (then, now) = of(self).zip(of(closed))?;
            now.checked_sub(then)
        };
        let bystanders = grown(|border| border.bystanders);
        let others = || {
            let (then, now) = self.cores.as_ref().zip(closed.cores.as_ref())?;
            let race = grown(|border| border.owner)? + bystanders?;
            let own = grown(|border| border.own)?;
            Some(now.since(then, cores)?.saturating_sub(race + own))
        };
        Around {
            took: closed.at.saturating_duration_since(self.at),
            others: others(),
            bystanders,
            latencies: None,
            of_usual: None,
            late: None,
            reference: [None; 2],
        }
    }
}

impl Around {
    /// The longest that a thread that only sleeps woke up late.
    pub(crate) fn stopped(&self) -> Option<Duration> {
        let late = self.late.as_ref().filter(|late| !late.is_empty())?;
        Some(Duration::from_nanos(late.max()))
    }

    /// What was seen of the slice.
    pub(crate) fn seen(&self) -> TurnState {
        let of = |seen: Option<Duration>, short: Duration, what: Disturbed| {
            let times = seen?.as_secs_f64() / limit(short, self.took).as_secs_f64();
            Some(TurnState::Disturbed(what, Grade::of(times)?))
        };
        let others = of(self.others, OTHERS, Disturbed::OtherProcesses);
        let bystanders = of(self.bystanders, OTHERS, Disturbed::Bystanders);
        let stopped = of(self.stopped(), STANDSTILL, Disturbed::StoppedCore);
        let disturbed = [others, bystanders, stopped].into_iter().flatten();
        disturbed.fold(self.cores(), TurnState::with)
    }

    /// Where the cores lay.
    fn cores(&self) -> TurnState {
        let Some([before, after]) = self.of_usual else {
            return TurnState::Usual;
        };
        let far = before.min(after) > MOVED || before.max(after) < 1.0 / MOVED;
        let most = moved(before, 1.0).max(moved(after, 1.0));
        match Grade::of(most / MOVED) {
            None => TurnState::Usual,
            Some(grade) if far => TurnState::Elsewhere(grade),
            Some(grade) => TurnState::Disturbed(Disturbed::MovedCores, grade),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn around(took: u64, others: Option<u64>, late: &[u64]) -> Around {
        let mut histogram = Histogram::new_with_bounds(1, 60_000_000_000, 3).expect("bounds");
        for late in late {
            histogram.saturating_record(late * 1_000_000);
        }
        Around {
            took: ms(took),
            others: others.map(ms),
            bystanders: None,
            latencies: None,
            of_usual: None,
            late: Some(histogram),
            reference: [None; 2],
        }
    }

    #[test]
    fn only_what_is_seen_outside_disturbs() {
        let others = |grade| TurnState::Disturbed(Disturbed::OtherProcesses, Grade::at(grade));
        assert_eq!(around(70, Some(2), &[1]).seen(), TurnState::Usual);
        assert_eq!(around(70, Some(3), &[1]).seen(), others(0));
        assert_eq!(around(70, Some(35), &[1]).seen(), others(3));
        assert_eq!(around(70, Some(70_000), &[1]).seen(), others(5));
        // 3% of 400 ms is 12 ms.
        assert_eq!(around(400, Some(11), &[1]).seen(), TurnState::Usual);
        assert_eq!(around(400, Some(12), &[1]).seen(), others(0));
        assert_eq!(around(70, None, &[]).seen(), TurnState::Usual);
        let stopped = |grade| TurnState::Disturbed(Disturbed::StoppedCore, Grade::at(grade));
        assert_eq!(around(70, None, &[0, 6]).seen(), stopped(0));
        assert_eq!(around(70, Some(0), &[0, 4]).seen(), TurnState::Usual);
        assert_eq!(around(400, Some(0), &[0, 11]).seen(), TurnState::Usual);
        assert_eq!(around(400, Some(0), &[0, 13]).seen(), stopped(0));
        let rest = |others, bystanders| Around {
            bystanders: Some(ms(bystanders)),
            ..around(70, Some(others), &[1])
        };
        let bystanders = |grade| TurnState::Disturbed(Disturbed::Bystanders, Grade::at(grade));
        assert_eq!(rest(0, 2).seen(), TurnState::Usual);
        assert_eq!(rest(0, 3).seen(), bystanders(0));
        assert_eq!(rest(3, 59).seen(), bystanders(4));
        assert_eq!(rest(6, 3).seen(), others(1));
        // The worse of both.
        assert_eq!(around(70, Some(3), &[11]).seen(), stopped(1));
        assert_eq!(around(70, Some(3), &[6]).seen(), others(0));
    }

    #[test]
    fn cores_are_elsewhere_from_begin_to_end_or_were_moved() {
        let seen = |of_usual| {
            let around = around(70, None, &[]);
            let of_usual = Some(of_usual);
            Around { of_usual, ..around }.seen()
        };
        let moved = |grade| TurnState::Disturbed(Disturbed::MovedCores, Grade::at(grade));
        assert_eq!(seen([1.9, 0.6]), TurnState::Usual);
        assert_eq!(seen([2.5, 4.5]), TurnState::Elsewhere(Grade::at(1)));
        assert_eq!(seen([0.4, 0.3]), TurnState::Elsewhere(Grade::at(0)));
        assert_eq!(seen([1.0, 4.5]), moved(1));
        assert_eq!(seen([4.5, 0.4]), moved(1));
    }

    #[test]
    fn strangers_are_what_neither_side_has_used() {
        let begun = Instant::now();
        let border = |at, cores: [u64; 2], owner, bystanders| Border {
            at: begun + ms(at),
            cores: Some(CoreTimes::Cores(cores.map(ms).to_vec())),
            own: Some(ms(at / 2)),
            owner,
            bystanders,
            latency: None,
        };
        let opened = border(0, [1_000, 2_000], Some(ms(300)), Some(ms(50)));
        let closed = border(70, [1_070, 2_050], Some(ms(340)), Some(ms(52)));
        // 120 ms were used: 35 by photofinish, 40 by the server, 2 by those that should rest.
        let seen = opened.until(&closed, &[]);
        assert_eq!((seen.took, seen.others), (ms(70), Some(ms(43))));
        assert_eq!(seen.bystanders, Some(ms(2)));
        // On the second core alone 50 were, which is less than the race has used on both.
        assert_eq!(opened.until(&closed, &[1]).others, Some(Duration::ZERO));
        // A server whose process has ended meanwhile leaves nothing to say.
        let gone = border(70, [1_070, 2_050], None, Some(ms(52)));
        assert_eq!(opened.until(&gone, &[]).others, None);
    }
}
