//! Whether the machine was quiet during a measurement.
//!
//! What stays below each of the limits changes a figure by one to a few per cent at most. On machines with several
//! cores for each lane less of it meets the race, but caches, memory and the cores' frequency are shared by all.

use photofinish_model::MachineUse;

/// The share of all cores' time that a hypervisor may take: it is missing from the throughput.
const STEAL: f64 = 0.01;
/// What other processes may use: 5% of one core, which the scheduler spreads over two lanes or more …
const OTHER_CORES: f64 = 0.05;
/// … or this share of all cores, where that is more.
const OTHER_SHARE: f64 = 0.01;
/// How late the hiccup meter may wake one time in a hundred. The generator's own thread may keep it from its core, but
/// not so long: the kernel takes a core from a thread within a few milliseconds when another one wakes.
const HICCUP_P99_US: f64 = 5_000.0;
/// The share of the time in which some process may wait for memory.
const MEMORY_STALL: f64 = 0.01;
/// Pages of 4 KiB that may go to or come from swap: 1 MiB a second, which no disk's bandwidth notices.
const SWAPPED_PAGES_PER_S: f64 = 256.0;

/// The check, from what the machine did meanwhile.
pub(crate) fn judge(machine: Option<&MachineUse>) -> (Option<bool>, String) {
    let Some(machine) = machine else {
        return (None, "not checked: the machine was not sampled".to_owned());
    };
    let cores = f64::from(machine.cores.unwrap_or(1));
    let other_limit = OTHER_CORES.max(OTHER_SHARE * cores);
    let percent = |share: f64| format!("{:.1}%", share * 100.0);
    // What it is, how much of it there was, and how much there may be.
    let mut told = vec![
        Told {
            noisy: machine.steal_share > STEAL,
            says: format!("steal {}", percent(machine.steal_share)),
            limit: percent(STEAL),
        },
        Told {
            noisy: machine.other_cores > other_limit,
            says: format!("other processes {:.2} cores", machine.other_cores),
            limit: format!("{other_limit:.2}"),
        },
    ];
    told.extend(machine.hiccup_us.map(|hiccup| Told {
        noisy: hiccup.p99 > HICCUP_P99_US,
        says: format!("hiccups p99 {:.2} ms", hiccup.p99 / 1e3),
        limit: format!("{} ms", HICCUP_P99_US / 1e3),
    }));
    told.extend(machine.memory_stall_share.map(|share| Told {
        noisy: share > MEMORY_STALL,
        says: format!("waiting for memory {}", percent(share)),
        limit: percent(MEMORY_STALL),
    }));
    told.extend(machine.swapped_pages_per_s.map(|pages| Told {
        noisy: pages > SWAPPED_PAGES_PER_S,
        says: format!("swap {pages:.0} pages/s"),
        limit: format!("{SWAPPED_PAGES_PER_S:.0}"),
    }));
    let quiet = !told.iter().any(|told| told.noisy);
    // What was too much comes first, with its limit.
    told.sort_by_key(|told| !told.noisy);
    let says: Vec<String> = told.iter().map(Told::words).collect();
    (Some(quiet), says.join(", "))
}

struct Told {
    noisy: bool,
    says: String,
    limit: String,
}

impl Told {
    fn words(&self) -> String {
        match self.noisy {
            true => format!("{} (at most {})", self.says, self.limit),
            false => self.says.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use photofinish_model::Lag;

    use super::*;

    const QUIET: MachineUse = MachineUse {
        steal_share: 0.001,
        other_cores: 0.02,
        hiccup_us: Some(Lag {
            mean: 30.0,
            p50: 20.0,
            p99: 90.0,
            max: 900.0,
        }),
        cores: Some(2),
        memory_stall_share: Some(0.0),
        swapped_pages_per_s: Some(0.0),
    };

    #[test]
    fn a_quiet_machine_is_told_with_its_figures() {
        let (ok, says) = judge(Some(&QUIET));
        assert_eq!(ok, Some(true));
        assert_eq!(
            says,
            "steal 0.1%, other processes 0.02 cores, hiccups p99 0.09 ms, waiting for memory 0.0%, swap 0 pages/s"
        );
        assert_eq!(judge(None).0, None);
    }

    #[test]
    fn each_kind_of_noise_is_told_first_with_its_limit() {
        let hiccup = |p99| QUIET.hiccup_us.map(|hiccup| Lag { p99, ..hiccup });
        for (machine, says) in [
            (
                MachineUse {
                    steal_share: 0.02,
                    ..QUIET
                },
                "steal 2.0% (at most 1.0%), ",
            ),
            (
                MachineUse {
                    other_cores: 0.3,
                    ..QUIET
                },
                "other processes 0.30 cores (at most 0.05), ",
            ),
            (
                MachineUse {
                    hiccup_us: hiccup(7_000.0),
                    ..QUIET
                },
                "hiccups p99 7.00 ms (at most 5 ms), ",
            ),
            (
                MachineUse {
                    memory_stall_share: Some(0.5),
                    ..QUIET
                },
                "waiting for memory 50.0% (at most 1.0%), ",
            ),
            (
                MachineUse {
                    swapped_pages_per_s: Some(999.0),
                    ..QUIET
                },
                "swap 999 pages/s (at most 256), ",
            ),
        ] {
            let told = judge(Some(&machine));
            assert_eq!(told.0, Some(false));
            assert!(told.1.starts_with(says), "{}", told.1);
        }
    }

    #[test]
    fn a_large_machine_has_room_for_others() {
        let of = |cores, other_cores| {
            judge(Some(&MachineUse {
                cores: Some(cores),
                other_cores,
                ..QUIET
            }))
            .0
        };
        assert_eq!(of(64, 0.6), Some(true));
        assert_eq!(of(64, 0.7), Some(false));
        assert_eq!(of(4, 0.06), Some(false));
    }
}
