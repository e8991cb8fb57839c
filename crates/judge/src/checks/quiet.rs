//! Whether the machine was quiet during a measurement.
//!
//! What stays below each of the limits changes a figure by one to a few per cent at most. On machines with several
//! cores for each lane less of it meets the race, but caches, memory and the cores' frequency are shared by all.

use photofinish_model::interference::{VCPU_MIGRATION, latency_ratio};
use photofinish_model::message::Message;
use photofinish_model::units::{Unit, number};
use photofinish_model::{MachineUse, Measurement, STANDSTILL_US};

use photofinish_voice::checks as found;

use super::outcome::Outcome;

/// The share of all cores' time that a hypervisor may take: it is missing from the throughput.
const STEAL: f64 = 0.01;
/// What other processes may use: 5% of one core, which the scheduler spreads over two lanes or more …
const OTHER_CORES: f64 = 0.05;
/// … or this share of all cores, where that is more.
const OTHER_SHARE: f64 = 0.01;
/// How late the hiccup meter may wake one time in a hundred. The generator's own thread may keep it from its core, but
/// not so long: the kernel takes a core from a thread within a few milliseconds when another one wakes.
const HICCUP_P99_US: f64 = 5_000.0;
/// The load generator's core may stand still for this share of the window at once: in an open loop more of the requests than the
/// slowest 1% would wait for it.
const STOOD_STILL: f64 = 0.01;
/// The share of the time in which some process may wait for memory.
const MEMORY_STALL: f64 = 0.01;
/// Pages of 4 KiB that may go to or come from swap: 1 MiB a second, which no disk's bandwidth notices.
const SWAPPED_PAGES_PER_S: f64 = 256.0;
/// The share of the time for which the servers' container may be stopped: it is missing from the throughput.
const THROTTLED: f64 = 0.01;

/// The check, from what the machine did meanwhile; without that from what the load generator itself saw of it.
pub(super) fn quiet(machine: Option<&MachineUse>, measurement: &Measurement) -> Outcome {
    let mut sources: Vec<NoiseSource> = machine.map(of_machine).unwrap_or_default();
    sources.extend(stood_still(measurement));
    if sources.is_empty() {
        return Outcome::new(None, found::not_sampled());
    }
    // What was too much comes first.
    sources.sort_by_key(|source| !source.is_noisy);
    let quiet = !sources.iter().any(|source| source.is_noisy);
    let parts: Vec<Message> = sources.into_iter().map(|source| source.says).collect();
    Outcome::new(quiet, found::machine(parts))
}

/// A source of noise.
struct NoiseSource {
    is_noisy: bool,
    says: Message,
}

impl NoiseSource {
    /// Returns a source with the largest value that does not disturb a measurement, also as text.
    fn new(value: f64, (limit, text): (f64, String), says: Message) -> NoiseSource {
        let is_noisy = value > limit;
        NoiseSource {
            is_noisy,
            says: match is_noisy {
                true => found::at_most(says, text),
                false => says,
            },
        }
    }

    /// Returns a source that is a share of the time.
    fn share(value: f64, limit: f64, says: Message) -> NoiseSource {
        let text = format!("{:.1}%", limit * 100.0);
        NoiseSource::new(value, (limit, text), says)
    }
}

/// How long the load generator's core stood still at once: no longer than a hundredth of the window, and not longer than p99, which
/// would be its own and not the server's.
fn stood_still(measurement: &Measurement) -> Option<NoiseSource> {
    let longest = measurement.generator.stood_still?.longest_us;
    let window = measurement.duration_s * 1e6 * STOOD_STILL;
    let p99 = measurement.latency_us.map_or(f64::MAX, |l| l.p99);
    let limit = window.min(p99).max(STANDSTILL_US);
    let says = match longest {
        0.0 => found::never_stalled(STANDSTILL_US),
        longest => found::stalled(longest),
    };
    let limit = (limit, Unit::Microseconds.text(limit));
    Some(NoiseSource::new(longest, limit, says))
}

fn other_processes(machine: &MachineUse) -> Option<NoiseSource> {
    let cores = f64::from(machine.cores.unwrap_or(1));
    let limit = OTHER_CORES.max(OTHER_SHARE * cores);
    let others = machine.other_cores?;
    let busiest = machine.busiest.as_ref().filter(|_| others > limit);
    let says = match busiest {
        None => found::other_processes(others),
        Some(busiest) => found::other_processes_most(others, &busiest.name, busiest.cores),
    };
    let limit = (limit, format!("{limit:.2}"));
    Some(NoiseSource::new(others, limit, says))
}

fn of_machine(machine: &MachineUse) -> Vec<NoiseSource> {
    let (steal, stall) = (machine.steal_share, machine.memory_stall_share);
    let sources = [
        Some(NoiseSource::share(steal, STEAL, found::steal(steal))),
        machine.core_to_core_ns.map(|[before, after]| {
            let (factor, limit) = (latency_ratio(before, after), VCPU_MIGRATION.limit);
            NoiseSource::new(factor, (limit, number(limit)), found::migrated(factor))
        }),
        other_processes(machine),
        machine.hiccup_us.map(|late| {
            let limit = (HICCUP_P99_US, format!("{} ms", HICCUP_P99_US / 1e3));
            NoiseSource::new(late.p99, limit, found::hiccups(late.p99 / 1e3))
        }),
        stall.map(|share| NoiseSource::share(share, MEMORY_STALL, found::memory_stall(share))),
        machine.swapped_pages_per_s.map(|pages| {
            let limit = (SWAPPED_PAGES_PER_S, format!("{SWAPPED_PAGES_PER_S:.0}"));
            NoiseSource::new(pages, limit, found::swap(pages))
        }),
        machine
            .throttled_share
            .map(|share| NoiseSource::share(share, THROTTLED, found::throttled(share))),
    ];
    sources.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use photofinish_model::{BusyProcess, Lag, Latency, StoodStill, samples};

    use super::*;

    fn judge(machine: Option<&MachineUse>) -> (Option<bool>, String) {
        let outcome = quiet(machine, &samples::measurement(1_000.0));
        (
            outcome.ok,
            outcome.says.map(|says| says.en).unwrap_or_default(),
        )
    }

    const QUIET: MachineUse = MachineUse {
        steal_share: 0.001,
        other_cores: Some(0.02),
        busiest: None,
        hiccup_us: Some(Lag {
            mean: 30.0,
            p50: 20.0,
            p99: 90.0,
            max: 900.0,
        }),
        cores: Some(2),
        memory_stall_share: Some(0.0),
        swapped_pages_per_s: Some(0.0),
        throttled_share: None,
        core_to_core_ns: None,
    };

    #[test]
    fn a_quiet_machine_is_reported_with_its_figures() {
        let (ok, says) = judge(Some(&QUIET));
        assert_eq!(ok, Some(true));
        assert_eq!(
            says,
            "steal 0.1%, other processes 0.02 cores, hiccups p99 0.09 ms, waiting for memory 0.0%, swap 0 pages/s"
        );
        assert_eq!(judge(None).0, None);
    }

    #[test]
    fn each_kind_of_noise_is_reported_first_with_its_limit() {
        type Change = fn(&mut MachineUse);
        let rows: [(Change, &str); 8] = [
            (|it| it.steal_share = 0.02, "steal 2.0% (at most 1.0%), "),
            (
                |it| it.other_cores = Some(0.3),
                "other processes 0.30 cores (at most 0.05), ",
            ),
            (
                |it| {
                    it.other_cores = Some(0.3);
                    let (name, cores) = ("rustc".to_owned(), 0.25);
                    it.busiest = Some(BusyProcess { name, cores });
                },
                "other processes 0.30 cores, of which `rustc` 0.25 (at most 0.05), ",
            ),
            (
                |it| it.hiccup_us = it.hiccup_us.map(|us| Lag { p99: 7_000.0, ..us }),
                "hiccups p99 7.00 ms (at most 5 ms), ",
            ),
            (
                |it| it.memory_stall_share = Some(0.5),
                "waiting for memory 50.0% (at most 1.0%), ",
            ),
            (
                |it| it.swapped_pages_per_s = Some(999.0),
                "swap 999 pages/s (at most 256), ",
            ),
            (
                |it| it.throttled_share = Some(0.25),
                "the servers' container throttled by its CPU limit 25.0% (at most 1.0%), ",
            ),
            (
                |it| it.core_to_core_ns = Some([180.0, 40.0]),
                "core-to-core latency changed by a factor of 4.50 (at most 2.00), ",
            ),
        ];
        for (change, says) in rows {
            let mut machine = QUIET;
            change(&mut machine);
            let reported = judge(Some(&machine));
            assert_eq!(reported.0, Some(false));
            assert!(reported.1.starts_with(says), "{}", reported.1);
        }
    }

    #[test]
    fn a_large_machine_has_room_for_others() {
        let of = |cores, other_cores| {
            judge(Some(&MachineUse {
                cores: Some(cores),
                other_cores: Some(other_cores),
                ..QUIET
            }))
            .0
        };
        assert_eq!(of(64, 0.6), Some(true));
        assert_eq!(of(64, 0.7), Some(false));
        assert_eq!(of(4, 0.06), Some(false));
    }

    #[test]
    fn a_core_may_stand_still_for_a_hundredth_of_the_window_and_no_longer_than_p99() {
        // 5 s, so that 50 ms are a hundredth.
        let stood = |longest_us, p99_us: f64| {
            let mut measurement = samples::measurement(1_000.0);
            measurement.latency_us = (measurement.latency_us).map(|l| Latency { p99: p99_us, ..l });
            measurement.generator.stood_still = Some(StoodStill {
                longest_us,
                total_us: longest_us,
            });
            let outcome = quiet(None, &measurement);
            (
                outcome.ok,
                outcome.says.map(|says| says.en).unwrap_or_default(),
            )
        };
        for (longest_us, p99_us, ok) in [
            (0.0, 300.0, true),
            // No standstill, though it is longer than p99.
            (4_900.0, 300.0, true),
            (6_000.0, 300.0, false),
            (6_000.0, 20_000.0, true),
            (21_000.0, 20_000.0, false),
            (50_000.0, 900_000.0, true),
            (1_000_000.0, 975_000.0, false),
        ] {
            assert_eq!(
                stood(longest_us, p99_us).0,
                Some(ok),
                "{longest_us} {p99_us}"
            );
        }
        assert_eq!(
            stood(1_000_000.0, 975_000.0).1,
            "the load generator's core was stalled for up to 1.00 s (at most 50.0 ms)"
        );
        assert_eq!(
            stood(0.0, 300.0).1,
            "the load generator's core was never stalled for 5.00 ms"
        );
    }
}
