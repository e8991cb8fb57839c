//! What was seen around each slice, from outside of what is measured.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use photofinish_host::{CoreTimes, Host, Meter, MeterKind};

use super::around::{Around, SoFar};
use super::state::Disturbance;
use crate::convert::STANDSTILL;
use crate::run_context::RunContext;

/// Watches the cores of server and generator while a level is measured in turns.
pub(crate) struct Evidence<'s> {
    run: &'s RunContext<'s>,
    /// Empty: all.
    cores: Vec<usize>,
    /// `None` if the machine cannot be looked at.
    hiccups: Option<Meter>,
    /// How fast the server's cores are, and the generator's; empty if that is not looked at.
    references: [Vec<Meter>; 2],
    /// How late these cores let a thread run that nothing keeps from them.
    wakes: [Vec<Meter>; 2],
    /// Cores of the server, each with one of the generator's, whose latency says how far apart both are; empty: that is not looked at.
    pairs: &'s [(usize, usize)],
    /// The core-to-core latency as it was last and when, in nanoseconds.
    last_latency: Cell<Option<(Instant, f64)>>,
    /// What the cores were like beside each target so far.
    so_far: RefCell<SoFar>,
}

/// How long a measured core-to-core latency is valid: cores keep their placement for seconds, and a
/// measurement may take as long as a short slice while other processes run.
const LATENCY_LIFETIME: Duration = Duration::from_millis(50);

/// Shortest delay of a runnable thread, which no other thread keeps from its core, that shows a preempted
/// core.
const MIN_PREEMPTION: Duration = Duration::from_millis(1);

/// The CPU time that a part of the race has used until a moment; `None` if that cannot be known.
pub(crate) type CpuTime = Option<Duration>;

/// One end of a slice.
pub(crate) struct Border {
    at: Instant,
    cores: Option<CoreTimes>,
    /// What photofinish itself has used on the servers' machine.
    own: CpuTime,
    /// The slice's own server and services.
    owner: CpuTime,
    /// The servers and services that should rest meanwhile.
    idle_servers: CpuTime,
    /// The core-to-core latency of server and generator, in nanoseconds.
    latency: Option<f64>,
}

impl<'s> Evidence<'s> {
    /// `sampled`: whether the machine can be looked at.
    pub(crate) fn new(run: &'s RunContext<'s>, sampled: bool) -> Evidence<'s> {
        let core = run.cpu_sets.generator.first().copied();
        let [server, generator] = looked_at(run);
        let on_both = |kind| match sampled {
            true => [
                on_cores(run.host, &server, kind),
                on_cores(run.generator.machine(), &generator, kind),
            ],
            false => Default::default(),
        };
        Evidence {
            hiccups: sampled.then(|| {
                let machine = run.generator.machine();
                machine.meter(MeterKind::Hiccups, core)
            }),
            references: on_both(MeterKind::Reference),
            wakes: on_both(MeterKind::Wakes),
            pairs: &run.pairs,
            ..Evidence::without_hiccups(run)
        }
    }

    /// That of the CPU time that was used, alone.
    pub(crate) fn without_hiccups(run: &'s RunContext<'s>) -> Evidence<'s> {
        let cpu_sets = &run.cpu_sets;
        // Where one side may use every core, so may other processes that disturb it.
        let cores = match cpu_sets.server.is_empty() || cpu_sets.generator.is_empty() {
            true => Vec::new(),
            false => [&cpu_sets.server[..], &cpu_sets.generator[..]].concat(),
        };
        Evidence {
            run,
            cores,
            hiccups: None,
            references: Default::default(),
            wakes: Default::default(),
            pairs: &[],
            last_latency: Cell::new(None),
            so_far: RefCell::default(),
        }
    }

    /// With how fast the server's cores are.
    pub(crate) fn with_server_speed(self) -> Evidence<'s> {
        let [server, _] = looked_at(self.run);
        Evidence {
            references: [
                on_cores(self.run.host, &server, MeterKind::Reference),
                Vec::new(),
            ],
            ..self
        }
    }

    /// The core-to-core latency of server and generator now, in nanoseconds.
    fn latency(&self) -> Option<f64> {
        if let Some((at, latency)) = self.last_latency.take()
            && at.elapsed() < LATENCY_LIFETIME
        {
            return Some(latency);
        }
        let latency = core_to_core(self.run.host, self.pairs)?;
        self.last_latency.set(Some((Instant::now(), latency)));
        Some(latency)
    }

    /// Looks at everything now.
    pub(crate) fn border(&self, owner: CpuTime, idle_servers: CpuTime) -> Border {
        // Before the clocks are read: it takes time.
        let latency = self.latency();
        let cores = self.references.iter().chain(&self.wakes).flatten();
        let meters = cores.chain(&self.hiccups);
        meters.for_each(|meter| drop(meter.lap()));
        Border {
            latency,
            ..self.now(owner, idle_servers)
        }
    }

    /// The clocks now.
    fn now(&self, owner: CpuTime, idle_servers: CpuTime) -> Border {
        Border {
            at: Instant::now(),
            cores: self.run.host.core_times(),
            own: self.run.host.own_cpu(),
            owner,
            idle_servers,
            latency: None,
        }
    }

    /// What happened since.
    pub(crate) fn since(&self, opened: &Border, owner: CpuTime, idle_servers: CpuTime) -> Around {
        let late = self.hiccups.as_ref().and_then(|hiccups| hiccups.lap());
        let references = self.references.each_ref().map(|meters| laps(meters));
        let reference = (references.each_ref()).map(|laps| mean_time(laps.as_deref()?));
        let wakes = self.wakes.each_ref().map(|meters| laps(meters));
        let wake = wakes.each_ref().map(|laps| mean_lateness(laps.as_deref()?));
        let on_cores = wakes
            .iter()
            .flatten()
            .flatten()
            .map(|lap| stood(lap, MIN_PREEMPTION));
        let stood = on_cores.chain(late.as_ref().map(|late| stood(late, STANDSTILL)));
        let closed = self.now(owner, idle_servers);
        let latencies = opened.latency.zip(self.latency()).map(<[f64; 2]>::from);
        Around {
            late,
            reference,
            wake,
            stood: stood.max().unwrap_or_default(),
            latencies,
            ..opened.until(&closed, &self.cores)
        }
    }

    /// What disturbed a turn, by what was seen around its slices, each with the place of its target: what disturbs one of them disturbs the turn.
    pub(crate) fn disturbance<'a>(
        &self,
        slices: impl Iterator<Item = (usize, &'a Around)> + Clone,
    ) -> Option<Disturbance> {
        self.so_far.borrow_mut().add(slices)
    }
}

/// The cores whose speed is looked at, of the server and of the generator: those of the pairs, or where there are none the first of either side.
fn looked_at(run: &RunContext<'_>) -> [BTreeSet<usize>; 2] {
    let cpu_sets = &run.cpu_sets;
    match &run.pairs[..] {
        [] => [&cpu_sets.server, &cpu_sets.generator]
            .map(|cores| cores.iter().copied().take(1).collect()),
        pairs => [
            pairs.iter().map(|(server, _)| *server).collect(),
            pairs.iter().map(|(_, generator)| *generator).collect(),
        ],
    }
}

fn on_cores(machine: &Host, cores: &BTreeSet<usize>, kind: MeterKind) -> Vec<Meter> {
    let meter = |core: &usize| machine.meter(kind, Some(*core));
    cores.iter().map(meter).collect()
}

/// How long the arithmetic took since the last lap, in nanoseconds: the harmonic mean, since what a core gets done goes by its mean speed.
fn mean_time(laps: &[Histogram<u64>]) -> Option<f64> {
    let (mut looks, mut speeds) = (0, 0.0);
    for looked in laps.iter().flat_map(Histogram::iter_recorded) {
        looks += looked.count_at_value();
        speeds += looked.count_at_value() as f64 / looked.value_iterated_to().max(1) as f64;
    }
    (looks > 0).then(|| looks as f64 / speeds)
}

/// What these meters noted since the last lap; `None` if one of them noted nothing.
fn laps(meters: &[Meter]) -> Option<Vec<Histogram<u64>>> {
    meters.iter().map(|meter| meter.lap()).collect()
}

/// For how long a core stalled, by how late threads ran on it: all times from `least` on.
fn stood(late: &Histogram<u64>, least: Duration) -> Duration {
    let times = late.iter_recorded().filter_map(|at| {
        let time = Duration::from_nanos(at.value_iterated_to());
        (time >= least).then(|| time.saturating_mul(at.count_at_value() as u32))
    });
    times.sum()
}

/// How late threads ran, in nanoseconds: the mean, since each moment in which a core stalls is lost.
fn mean_lateness(laps: &[Histogram<u64>]) -> Option<f64> {
    let looks: u64 = laps.iter().map(Histogram::len).sum();
    let late: f64 = laps.iter().map(|lap| lap.mean() * lap.len() as f64).sum();
    // Nothing is ever in time to the nanosecond, and a ratio to it would be no figure.
    (late > 0.0).then(|| late / looks as f64)
}

/// The core-to-core latency of a server's and a generator's cores in nanoseconds, the geometric mean over some pairs of them; `None` if there are none.
pub(crate) fn core_to_core(host: &Host, pairs: &[(usize, usize)]) -> Option<f64> {
    let logs = pairs.iter().map(|(server, generator)| {
        let latency = host.core_to_core(*server, *generator)?;
        Some((latency.as_secs_f64() * 1e9).ln())
    });
    let logs: Vec<f64> = logs.collect::<Option<_>>()?;
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

impl Border {
    /// What was used from this border to that one on these cores.
    fn until(&self, closed: &Border, cores: &[usize]) -> Around {
        let grown = |of: fn(&Border) -> CpuTime| {
            let (then, now) = of(self).zip(of(closed))?;
            now.checked_sub(then)
        };
        let idle_servers = grown(|border| border.idle_servers);
        let others = || {
            let (then, now) = self.cores.as_ref().zip(closed.cores.as_ref())?;
            let race = grown(|border| border.owner)? + idle_servers?;
            let own = grown(|border| border.own)?;
            Some(now.since(then, cores)?.saturating_sub(race + own))
        };
        Around {
            took: closed.at.saturating_duration_since(self.at),
            others: others(),
            idle_servers,
            latencies: None,
            late: None,
            reference: [None; 2],
            wake: [None; 2],
            stood: Duration::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    /// What cores noted, in nanoseconds.
    fn laps(cores: &[&[u64]]) -> Vec<Histogram<u64>> {
        let lap = |times: &&[u64]| {
            let mut lap = Histogram::new_with_bounds(1, 60_000_000_000, 3).expect("bounds");
            times.iter().for_each(|time| lap.saturating_record(*time));
            lap
        };
        cores.iter().map(lap).collect()
    }

    /// Every sample of any core counts alike: (100 + 200 + 600) / 3, and the harmonic mean 3 / (1/100 + 1/200 + 1/600).
    #[test]
    fn means_are_over_the_samples_of_all_cores() {
        let both = laps(&[&[100, 200], &[600]]);
        assert_eq!(mean_lateness(&both), Some(300.0));
        assert!((mean_time(&both).expect("samples") - 180.0).abs() < 1e-9);
        assert_eq!((mean_lateness(&[]), mean_time(&[])), (None, None));
        assert_eq!(mean_lateness(&laps(&[&[0, 0]])), None);
    }

    #[test]
    fn other_processes_used_what_neither_side_has() {
        let begun = Instant::now();
        let border = |at, cores: [u64; 2], owner, idle_servers| Border {
            at: begun + ms(at),
            cores: Some(CoreTimes::Cores(cores.map(ms).to_vec())),
            own: Some(ms(at / 2)),
            owner,
            idle_servers,
            latency: None,
        };
        let opened = border(0, [1_000, 2_000], Some(ms(300)), Some(ms(50)));
        let closed = border(70, [1_070, 2_050], Some(ms(340)), Some(ms(52)));
        // 120 ms were used: 35 by photofinish, 40 by the server, 2 by those that should rest.
        let seen = opened.until(&closed, &[]);
        assert_eq!((seen.took, seen.others), (ms(70), Some(ms(43))));
        assert_eq!(seen.idle_servers, Some(ms(2)));
        // On the second core alone 50 were, which is less than the race has used on both.
        assert_eq!(opened.until(&closed, &[1]).others, Some(Duration::ZERO));
        // A server whose process has ended meanwhile leaves nothing to say.
        let gone = border(70, [1_070, 2_050], None, Some(ms(52)));
        assert_eq!(opened.until(&gone, &[]).others, None);
    }
}
