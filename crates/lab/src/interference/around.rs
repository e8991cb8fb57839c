//! What was observed around a slice, and which signals of interference it shows.

use std::time::Duration;

use hdrhistogram::Histogram;
use photofinish_model::interference::{
    CORE_SPEED, IDLE_SERVERS, OTHER_PROCESSES, PREEMPTED_CORE, STOPPED_CORE,
};

use super::between_servers::{BetweenServers, OnCores};
use super::grade::Grade;
use super::state::{Disturbance, worst};

/// What was seen around one slice.
#[derive(Clone, Debug)]
pub(crate) struct Around {
    /// From border to border.
    pub(crate) took: Duration,
    /// CPU time of processes of neither side on the cores of server and generator.
    pub(crate) others: Option<Duration>,
    pub(crate) idle_servers: Option<Duration>,
    /// The core-to-core latency before and after it, in nanoseconds.
    pub(crate) latencies: Option<[f64; 2]>,
    /// How late a thread that only sleeps woke up.
    pub(crate) late: Option<Histogram<u64>>,
    /// How long a fixed piece of arithmetic took on the server's core and on the generator's, in nanoseconds.
    pub(crate) reference: OnCores,
    /// How late the server's core and the generator's let a thread run that no other thread keeps from it, in nanoseconds.
    pub(crate) wake: OnCores,
    /// For how long a core of server or generator stood still, the one that did for longest.
    pub(crate) stood: Duration,
}

/// Whether so much CPU time of other processes within so long disturbs a measurement.
pub(crate) fn are_many(others: Duration, took: Duration) -> bool {
    OTHER_PROCESSES.times_within(others, took) >= 1.0
}

impl Around {
    /// The longest that a thread that only sleeps woke up late.
    pub(crate) fn stopped(&self) -> Option<Duration> {
        let late = self.late.as_ref().filter(|late| !late.is_empty())?;
        Some(Duration::from_nanos(late.max()))
    }

    /// What disturbed the slice by itself.
    pub(crate) fn disturbances(&self) -> impl Iterator<Item = Disturbance> + Clone {
        let observed = [
            (OTHER_PROCESSES, self.others),
            (IDLE_SERVERS, self.idle_servers),
            (STOPPED_CORE, self.stopped()),
        ];
        let took = self.took;
        observed.into_iter().filter_map(move |(signal, observed)| {
            let times = signal.times_within(observed?, took);
            Some((signal.disturbed, Grade::of(times)?))
        })
    }
}

/// What was observed of a signal around a slice.
type Observed = fn(&Around) -> OnCores;

/// The signals that are compared between the servers of a turn, with what was observed of each server so far.
#[derive(Debug)]
pub(super) struct SoFar([(BetweenServers, Observed); 2]);

impl Default for SoFar {
    fn default() -> SoFar {
        SoFar([
            (BetweenServers::new(CORE_SPEED), |around| around.reference),
            (BetweenServers::new(PREEMPTED_CORE), |around| around.wake),
        ])
    }
}

impl SoFar {
    /// Adds a turn, by what was observed around its slices, each with the place of its target: what disturbs one of them disturbs the turn.
    pub(super) fn add<'a>(
        &mut self,
        slices: impl Iterator<Item = (usize, &'a Around)> + Clone,
    ) -> Option<Disturbance> {
        let between = self.0.iter_mut().filter_map(|(between, of)| {
            let observed = slices.clone().map(|(place, around)| (place, of(around)));
            let grade = between.add(&observed.collect::<Vec<_>>())?;
            Some((between.signal.disturbed, grade))
        });
        let between: Vec<Disturbance> = between.collect();
        let within = slices.flat_map(|(_, around)| around.disturbances());
        worst(within.chain(between))
    }
}

#[cfg(test)]
mod tests {
    use photofinish_model::Disturbed;

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
            idle_servers: None,
            latencies: None,
            late: Some(histogram),
            reference: [None; 2],
            wake: [None; 2],
            stood: Duration::ZERO,
        }
    }

    impl Around {
        fn disturbance(&self) -> Option<Disturbance> {
            worst(self.disturbances())
        }
    }

    #[test]
    fn only_what_is_seen_outside_disturbs() {
        let others = |grade| Some((Disturbed::OtherProcesses, Grade::at(grade)));
        assert_eq!(around(40, Some(2), &[1]).disturbance(), None);
        assert_eq!(around(40, Some(3), &[1]).disturbance(), others(0));
        assert_eq!(around(40, Some(35), &[1]).disturbance(), others(3));
        assert_eq!(around(40, Some(70_000), &[1]).disturbance(), others(5));
        // 6% of 400 ms is 24 ms.
        assert_eq!(around(400, Some(23), &[1]).disturbance(), None);
        assert_eq!(around(400, Some(24), &[1]).disturbance(), others(0));
        assert_eq!(around(40, None, &[]).disturbance(), None);
        let stopped = |grade| Some((Disturbed::StoppedCore, Grade::at(grade)));
        assert_eq!(around(40, None, &[0, 6]).disturbance(), stopped(0));
        assert_eq!(around(40, Some(0), &[0, 4]).disturbance(), None);
        assert_eq!(around(400, Some(0), &[0, 11]).disturbance(), None);
        assert_eq!(around(400, Some(0), &[0, 13]).disturbance(), stopped(0));
        let rest = |others, idle_servers| Around {
            idle_servers: Some(ms(idle_servers)),
            ..around(40, Some(others), &[1])
        };
        let idle_servers = |grade| Some((Disturbed::Bystanders, Grade::at(grade)));
        assert_eq!(rest(0, 2).disturbance(), None);
        assert_eq!(rest(0, 3).disturbance(), idle_servers(0));
        assert_eq!(rest(3, 59).disturbance(), idle_servers(4));
        assert_eq!(rest(6, 3).disturbance(), others(1));
        // 3% of 400 ms is 12 ms.
        let long = |idle_servers| Around {
            took: ms(400),
            ..rest(11, idle_servers)
        };
        assert_eq!(long(11).disturbance(), None);
        assert_eq!(long(12).disturbance(), idle_servers(0));
        // The worse of both.
        assert_eq!(around(40, Some(3), &[11]).disturbance(), stopped(1));
        assert_eq!(around(40, Some(3), &[6]).disturbance(), others(0));
    }

    #[test]
    fn a_core_that_is_later_beside_one_target_stood_still_there() {
        let mut so_far = SoFar::default();
        let mut turn = |late: [f64; 2], took: [f64; 2]| {
            let slices = [0, 1].map(|at: usize| Around {
                wake: [Some(20_000.0), Some(late[at])],
                reference: [Some(took[at]), Some(4_000.0)],
                ..around(40, Some(0), &[1])
            });
            so_far.add(slices.iter().enumerate())
        };
        let stopped = |grade| Some((Disturbed::StoppedCore, Grade::at(grade)));
        assert_eq!(turn([20_000.0, 50_000.0], [4_000.0; 2]), None);
        assert_eq!(turn([90_000.0, 80_000.0], [4_000.0; 2]), None);
        // Three times as late, five times, nine times.
        assert_eq!(turn([20_000.0, 62_000.0], [4_000.0; 2]), stopped(0));
        assert_eq!(turn([110_000.0, 20_000.0], [4_000.0; 2]), stopped(1));
        assert_eq!(turn([20_000.0, 190_000.0], [4_000.0; 2]), stopped(2));
        // How fast a core is counts as before, and what it is called is the other.
        let uneven = Some((Disturbed::UnevenCores, Grade::at(0)));
        assert_eq!(turn([20_000.0; 2], [4_000.0, 4_600.0]), uneven);
        assert_eq!(turn([20_000.0, 70_000.0], [4_000.0, 6_100.0]), stopped(2));
    }
}
