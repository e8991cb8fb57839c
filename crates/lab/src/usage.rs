//! What a server used during a measurement, per request where that makes sense.

use std::time::Duration;

use photofinish_model::ServerUse;

use crate::convert::{ratio, us};
use photofinish_host::{StoodStill, Usage};

/// The highest levels that were seen.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Highest {
    rss_bytes: u64,
    threads: u32,
    processes: u32,
}

impl Highest {
    /// Takes a sample into account.
    pub(crate) fn add(&mut self, usage: &Usage) {
        self.rss_bytes = self.rss_bytes.max(usage.rss_bytes);
        self.threads = self.threads.max(usage.threads);
        self.processes = self.processes.max(usage.processes);
    }
}

/// What had been used at the beginning and at the end of an interval.
pub(crate) type Span = (Usage, Usage);

/// What was used in intervals of this length together, over the responses of the same intervals.
pub(crate) fn server_use(
    spans: &[Span],
    length: Duration,
    responses: u64,
    highest: &Highest,
) -> ServerUse {
    let time = |of: fn(&Usage) -> Duration| -> Duration {
        let grown = |(earlier, later): &Span| of(later).saturating_sub(of(earlier));
        spans.iter().map(grown).sum()
    };
    let per_request = |figure: f64| ratio(figure, responses as f64);
    // What a process had used that nobody waited for is in no counter.
    let is_whole = (spans.iter()).all(|(earlier, later)| later.uncounted == earlier.uncounted);
    let cpu = |of: fn(&Usage) -> Duration| is_whole.then(|| time(of));
    let (user, system) = (cpu(|usage| usage.cpu_user), cpu(|usage| usage.cpu_system));
    let all = user.zip(system).map(|(user, system)| user + system);
    let counted = |of: fn(&Usage) -> u64| {
        let grown = |(earlier, later): &Span| of(later).checked_sub(of(earlier));
        let counts: Option<Vec<u64>> = spans.iter().map(grown).collect();
        per_request(counts?.iter().sum::<u64>() as f64)
    };
    let faults = |of: fn(&Usage) -> u64| is_whole.then(|| counted(of)).flatten();
    let stood = |of: fn(&StoodStill) -> Duration| {
        let grown = |(earlier, later): &Span| {
            let (earlier, later) = (earlier.stood_still?, later.stood_still?);
            of(&later).checked_sub(of(&earlier))
        };
        let times: Option<Vec<Duration>> = spans.iter().map(grown).collect();
        per_request(us(times?.iter().sum()))
    };
    ServerUse {
        gc_pause_us_per_request: stood(|still| still.collecting),
        safepoint_us_per_request: stood(|still| still.safepoints),
        cpu_user_us_per_request: user.and_then(|user| per_request(us(user))),
        cpu_system_us_per_request: system.and_then(|system| per_request(us(system))),
        cpu_cores: all.and_then(|all| ratio(all.as_secs_f64(), length.as_secs_f64())),
        compiling_share: all.and_then(|all| {
            let compiling = time(|usage| usage.cpu_compiling);
            ratio(compiling.as_secs_f64(), all.as_secs_f64())
        }),
        switches_voluntary_per_request: counted(|u| u.switches_voluntary),
        switches_forced_per_request: counted(|u| u.switches_forced),
        // Nobody wakes without a delay, so none at all is one that the kernel does not count.
        run_queue_us_per_request: per_request(us(time(|usage| usage.run_queue)))
            .filter(|waited| *waited > 0.0),
        faults_minor_per_request: faults(|u| u.faults_minor),
        faults_major_per_request: faults(|u| u.faults_major),
        rss_max_bytes: highest.rss_bytes,
        threads_max: highest.threads,
        processes_max: highest.processes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_per_response_of_the_same_interval() {
        let earlier = Usage {
            cpu_user: Duration::from_secs(10),
            cpu_system: Duration::from_secs(4),
            cpu_compiling: Duration::from_secs(6),
            switches_voluntary: 1_000,
            switches_forced: 5,
            run_queue: Duration::from_millis(10),
            faults_minor: 70,
            faults_major: 7,
            rss_bytes: 1,
            threads: 9,
            processes: 2,
            stood_still: Some(StoodStill {
                collecting: Duration::from_millis(10),
                safepoints: Duration::from_millis(15),
            }),
            uncounted: 3,
        };
        let later = Usage {
            cpu_user: Duration::from_secs(13),
            cpu_system: Duration::from_secs(6),
            cpu_compiling: Duration::from_secs(7),
            switches_voluntary: 51_000,
            switches_forced: 5,
            run_queue: Duration::from_millis(410),
            faults_minor: 60,
            faults_major: 7,
            rss_bytes: 5,
            threads: 3,
            processes: 1,
            stood_still: Some(StoodStill {
                collecting: Duration::from_millis(60),
                safepoints: Duration::from_millis(80),
            }),
            uncounted: 3,
        };
        let mut highest = Highest::default();
        highest.add(&earlier);
        highest.add(&later);
        let span = (earlier, later);
        let used = server_use(&[span], Duration::from_secs(4), 100_000, &highest);
        assert_eq!(used.cpu_user_us_per_request, Some(30.0));
        assert_eq!(used.cpu_system_us_per_request, Some(20.0));
        assert_eq!(used.cpu_cores, Some(1.25));
        assert_eq!(used.compiling_share, Some(0.2));
        assert_eq!(used.switches_voluntary_per_request, Some(0.5));
        assert_eq!(used.switches_forced_per_request, Some(0.0));
        // 400 ms over 100,000 responses.
        assert_eq!(used.run_queue_us_per_request, Some(4.0));
        // 50 and 65 ms over 100,000 responses.
        assert_eq!(used.gc_pause_us_per_request, Some(0.5));
        assert_eq!(used.safepoint_us_per_request, Some(0.65));
        // A counter that fell says nothing.
        assert_eq!(used.faults_minor_per_request, None);
        assert_eq!(
            (used.rss_max_bytes, used.threads_max, used.processes_max),
            (5, 9, 2)
        );
        let idle = server_use(&[span], Duration::from_secs(4), 0, &highest);
        assert_eq!(idle.cpu_user_us_per_request, None);
        // Processes ended in one of two spans whose CPU time nobody has.
        let forgotten = Usage {
            uncounted: 4,
            ..later
        };
        let spans = [span, (earlier, forgotten)];
        let forgotten = server_use(&spans, Duration::from_secs(8), 200_000, &highest);
        assert_eq!(forgotten.cpu_us_per_request(), None);
        assert_eq!(
            (forgotten.cpu_cores, forgotten.compiling_share),
            (None, None)
        );
        assert_eq!(forgotten.faults_major_per_request, None);
        assert_eq!(forgotten.switches_voluntary_per_request, Some(0.5));
        // Twice the same, over twice the time and the responses.
        let twice = server_use(&[span; 2], Duration::from_secs(8), 200_000, &highest);
        assert_eq!(twice, used);
    }
}
