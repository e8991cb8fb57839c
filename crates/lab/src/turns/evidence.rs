//! What was seen around each slice, from outside of what is measured.

use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use photofinish_host::{CoreTimes, Meter};
use photofinish_model::Disturbed;

use crate::convert::STANDSTILL;
use crate::scene::Scene;

/// CPU time of strangers in a slice that disturbs it: a scheduler's turn or more …
const OTHERS: Duration = Duration::from_millis(3);
/// … or this share of a slice, where that is more.
const OTHERS_SHARE: f64 = 0.03;
/// Where more than this share of turns would go, all stay: what is left would be a choice of moments.
const TOO_MANY: f64 = 0.8;

/// Watches the cores of server and generator while a level is measured in turns.
pub(crate) struct Evidence<'s> {
    scene: &'s Scene<'s>,
    /// Empty: all.
    cores: Vec<usize>,
    /// `None` where the machine cannot be looked at.
    hiccups: Option<Box<dyn Meter>>,
}

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
}

/// What was seen around one slice.
#[derive(Clone, Debug)]
pub(crate) struct Around {
    /// From border to border.
    pub(crate) took: Duration,
    /// CPU time of processes of neither side on the cores of server and generator.
    pub(crate) others: Option<Duration>,
    pub(crate) bystanders: Option<Duration>,
    /// How late a thread that only sleeps woke up.
    pub(crate) late: Option<Histogram<u64>>,
}

impl<'s> Evidence<'s> {
    /// `sampled`: whether the machine can be looked at.
    pub(crate) fn new(scene: &'s Scene<'s>, sampled: bool) -> Evidence<'s> {
        let lanes = &scene.lanes;
        // Where one side may use every core, so may strangers that disturb it.
        let cores = match lanes.server.is_empty() || lanes.generator.is_empty() {
            true => Vec::new(),
            false => [&lanes.server[..], &lanes.generator[..]].concat(),
        };
        Evidence {
            scene,
            cores,
            hiccups: sampled.then(|| {
                let cpu = lanes.generator.first().copied();
                scene.generator.machine().hiccups(cpu)
            }),
        }
    }

    /// Looks at everything now.
    pub(crate) fn border(&self, owner: Clock, bystanders: Clock) -> Border {
        self.hiccups.iter().for_each(|hiccups| drop(hiccups.lap()));
        Border {
            at: Instant::now(),
            cores: self.scene.host.core_times(),
            own: self.scene.host.machine().own_cpu(),
            owner,
            bystanders,
        }
    }

    /// What happened since.
    pub(crate) fn since(&self, opened: &Border, owner: Clock, bystanders: Clock) -> Around {
        let late = self.hiccups.as_ref().and_then(|hiccups| hiccups.lap());
        let closed = Border {
            at: Instant::now(),
            cores: self.scene.host.core_times(),
            own: self.scene.host.machine().own_cpu(),
            owner,
            bystanders,
        };
        Around {
            late,
            ..opened.until(&closed, &self.cores)
        }
    }
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
            late: None,
        }
    }
}

impl Around {
    /// The longest that a thread that only sleeps woke up late.
    pub(crate) fn stopped(&self) -> Option<Duration> {
        let late = self.late.as_ref().filter(|late| !late.is_empty())?;
        Some(Duration::from_nanos(late.max()))
    }

    /// Whether this disturbed the slice.
    pub(crate) fn disturbed(&self) -> Option<Disturbed> {
        let limit = OTHERS.max(self.took.mul_f64(OTHERS_SHARE));
        if self.others.is_some_and(|others| others >= limit) {
            return Some(Disturbed::OtherProcesses);
        }
        let stopped = self.stopped().is_some_and(|stopped| stopped >= STANDSTILL);
        stopped.then_some(Disturbed::StoppedCore)
    }
}

/// Whether all turns count though this many of them were disturbed.
pub(crate) fn keeps_all(disturbed: usize, made: usize) -> bool {
    disturbed as f64 > made as f64 * TOO_MANY
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
            late: Some(histogram),
        }
    }

    #[test]
    fn only_what_is_seen_outside_disturbs() {
        let others = Some(Disturbed::OtherProcesses);
        assert_eq!(around(70, Some(2), &[1]).disturbed(), None);
        assert_eq!(around(70, Some(3), &[1]).disturbed(), others);
        // 3% of 400 ms is 12 ms.
        assert_eq!(around(400, Some(11), &[1]).disturbed(), None);
        assert_eq!(around(400, Some(12), &[1]).disturbed(), others);
        assert_eq!(around(70, None, &[]).disturbed(), None);
        let stopped = Some(Disturbed::StoppedCore);
        assert_eq!(around(70, None, &[0, 6]).disturbed(), stopped);
        assert_eq!(around(70, Some(0), &[0, 4]).disturbed(), None);
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

    #[test]
    fn all_turns_stay_where_hardly_any_would() {
        assert!(!keeps_all(80, 100));
        assert!(keeps_all(81, 100));
        assert!(!keeps_all(0, 8));
    }
}
