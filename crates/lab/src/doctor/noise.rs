//! What makes this machine's figures scatter.

use std::thread;
use std::time::Duration;

use hdrhistogram::Histogram;
use photofinish_model::interference::CORE_SPEED;
use photofinish_model::{BusyProcess, MachineUse};

use super::{Finding, Level};
use crate::cpu_sets::AssignedCpus;
use photofinish_host::facts::{governor, hypervisor, read};
use photofinish_host::{Facts, Host, MachineSample, MeterKind, core_to_core};

/// How long other processes are observed.
const WATCH_TIME: Duration = Duration::from_millis(700);

pub(super) fn examine(cores: &[usize], cpu_sets: &AssignedCpus) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(reported) = watch() {
        let busiest = reported.busiest.as_ref();
        findings.extend(
            reported
                .other_cores
                .map(|cores| judge_others(cores, busiest)),
        );
        findings.push(judge_steal(reported.steal_share));
    }
    findings.push(judge_hypervisor(hypervisor(
        &read("/proc/cpuinfo").unwrap_or_default(),
    )));
    if let (Some(&server), Some(&generator)) = (cpu_sets.server.first(), cpu_sets.generator.first())
    {
        findings.extend(core_to_core(server, generator).map(judge_latency));
        findings.extend(speeds([server, generator]).map(judge_speeds));
    }
    findings.push(judge_priority(Facts::take(cores).gives_priority));
    findings.push(judge_governor(governor(cores)));
    findings.extend(turbo().map(judge_turbo));
    findings
}

/// What the machine does while photofinish does nothing.
fn watch() -> Option<MachineUse> {
    let before = MachineSample::take()?;
    thread::sleep(WATCH_TIME);
    MachineSample::take()?.since(&before)
}

fn judge_others(cores: f64, busiest: Option<&BusyProcess>) -> Finding {
    let most = busiest.map_or_else(String::new, |busiest| {
        format!(", of which `{}` {:.2}", busiest.name, busiest.cores)
    });
    let (level, means) = match cores {
        c if c < 0.05 => (Level::Ok, "quiet enough"),
        c if c < 0.3 => (
            Level::Warn,
            "figures will vary more, so a verdict takes more rounds",
        ),
        _ => (
            Level::Bad,
            "they compete with server and load generator, so figures are too low",
        ),
    };
    let says = format!("{cores:.2} cores used{most}: {means}");
    Finding::new("other processes", level, says).unless_ok("stop them, or wait")
}

fn judge_steal(share: f64) -> Finding {
    let (level, means) = match share {
        s if s < 0.005 => (Level::Ok, "negligible"),
        s if s < 0.05 => (
            Level::Warn,
            "high percentiles show its pauses, not the server's",
        ),
        _ => (
            Level::Bad,
            "other virtual machines use the cores, so figures are not those of the servers",
        ),
    };
    let percent = share * 100.0;
    let says = format!("the hypervisor took {percent:.1}% of the cores' time: {means}");
    Finding::new("steal", level, says)
        .unless_ok("use a dedicated machine, or an instance with dedicated cores")
}

fn judge_hypervisor(name: Option<String>) -> Finding {
    match name {
        None => Finding::ok(
            "machine",
            "no hypervisor found: the cores belong to this system alone",
        ),
        Some(name) => Finding::warn(
            "machine",
            format!(
                "a virtual machine ({name}): others share its caches and memory, which no counter shows; trust ratios between targets rather than single figures"
            ),
        ),
    }
}

/// How many times as long a fixed piece of arithmetic takes at one moment as at another, on the worse of two cores. `None` if nobody
/// could look.
fn speeds(cores: [usize; 2]) -> Option<f64> {
    let meters = cores.map(|core| Host::this_machine().meter(MeterKind::Reference, Some(core)));
    thread::sleep(WATCH_TIME);
    let times = meters
        .into_iter()
        .map(|meter| Some(longest_over_shortest(&meter.end()?)));
    let times: Vec<f64> = times.collect::<Option<_>>()?;
    times.into_iter().reduce(f64::max)
}

/// The 95th percentile of the looks over the 5th: the rarest do not count.
fn longest_over_shortest(looks: &Histogram<u64>) -> f64 {
    let at = |share| looks.value_at_quantile(share) as f64;
    at(0.95) / at(0.05).max(1.0)
}

fn judge_speeds(times: f64) -> Finding {
    /// Clock speeds of one core differ by less; a busy hardware thread of the same core costs more.
    const MAX_CLOCK_RATIO: f64 = 1.35;
    let name = "core speed";
    let says = |means: &str| {
        format!(
            "the same arithmetic takes up to {times:.1} times as long at one moment as at another: {means}"
        )
    };
    match times {
        t if t < CORE_SPEED.limit => Finding::ok(name, says("the cores keep their speed")),
        t if t < MAX_CLOCK_RATIO => Finding::warn(name, says("their clock speed changes, so a verdict takes more turns"))
            .with("see frequency and turbo; a virtual machine's host changes it by itself"),
        _ => Finding::warn(
            name,
            says("something else uses the same core's units, such as another virtual machine on its other hardware thread, so a verdict takes more turns"),
        )
        .with("use a dedicated machine, or an instance with whole cores"),
    }
}

fn judge_latency(latency: Duration) -> Finding {
    /// Largest core-to-core latency between cores that share a cache, however many share it.
    const MAX_SHARED_CACHE: Duration = Duration::from_nanos(100);
    let says = |means: &str| {
        format!(
            "{} ns between the server's core and the load generator's: {means}",
            latency.as_nanos()
        )
    };
    match latency < MAX_SHARED_CACHE {
        true => Finding::ok("core-to-core", says("they share a cache")),
        false => Finding::warn(
            "core-to-core",
            says("they share no cache, so a request costs both sides more"),
        )
        .with("choose cores of one cache by --lanes (`lscpu -e` shows which); a virtual machine's move by themselves"),
    }
}

fn judge_priority(gives: bool) -> Finding {
    let says = match gives {
        true => {
            "servers come before other programs on their cores (nice -20), but for those in containers or with a database"
        }
        false => {
            "servers have the usual priority, so other programs on their cores slow them; started by root they would come first"
        }
    };
    Finding::ok("CPU priority", says)
}

fn judge_governor(name: Option<String>) -> Finding {
    match name.as_deref() {
        None => Finding::ok("frequency", "no governor, as in most virtual machines: nothing here changes the cores' speed"),
        Some("performance") => Finding::ok("frequency", "the governor is performance: cores do not slow down between requests"),
        Some(name) => Finding::warn("frequency", format!("the governor is {name}: cores slow down when load is low, so latency at low load is too high"))
            .with("cpupower frequency-set -g performance (as root)"),
    }
}

/// Whether cores may run faster than they can for long; `None` if that is not known.
fn turbo() -> Option<bool> {
    let intel = read("/sys/devices/system/cpu/intel_pstate/no_turbo").map(|off| off == "0");
    intel.or_else(|| read("/sys/devices/system/cpu/cpufreq/boost").map(|on| on == "1"))
}

fn judge_turbo(on: bool) -> Finding {
    if !on {
        return Finding::ok("turbo", "off: cores keep one speed however warm they are");
    }
    let says = "on: cores slow down when warm or when more of them work, so later trials may be slower; interleaving spreads this over all targets";
    Finding::warn("turbo", says).with("echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo, or echo 0 > /sys/devices/system/cpu/cpufreq/boost (as root)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_judged_by_its_size() {
        for (finding, level) in [
            (judge_others(0.01, None), Level::Ok),
            (judge_others(0.1, None), Level::Warn),
            (judge_others(1.5, None), Level::Bad),
            (judge_steal(0.0), Level::Ok),
            (judge_steal(0.02), Level::Warn),
            (judge_steal(0.2), Level::Bad),
            (judge_hypervisor(None), Level::Ok),
            (judge_hypervisor(Some("KVM".to_owned())), Level::Warn),
            (judge_latency(Duration::from_nanos(45)), Level::Ok),
            (judge_latency(Duration::from_nanos(180)), Level::Warn),
            (judge_speeds(1.04), Level::Ok),
            (judge_speeds(1.2), Level::Warn),
            (judge_speeds(1.9), Level::Warn),
            (judge_priority(true), Level::Ok),
            (judge_priority(false), Level::Ok),
            (judge_governor(None), Level::Ok),
            (judge_governor(Some("performance".to_owned())), Level::Ok),
            (judge_governor(Some("powersave".to_owned())), Level::Warn),
            (judge_turbo(false), Level::Ok),
            (judge_turbo(true), Level::Warn),
        ] {
            assert_eq!(finding.level, level, "{finding:?}");
        }
        assert!(
            judge_steal(0.0213)
                .says
                .starts_with("the hypervisor took 2.1% of")
        );
    }

    #[test]
    fn a_core_that_is_slow_in_a_tenth_of_the_looks_is_told_by_how_much() {
        let mut looks = Histogram::new(3).expect("bounds");
        // The rarest looks do not count.
        for (ns, times) in [(2_000, 4), (4_000, 86), (7_200, 6), (90_000, 4)] {
            looks.record_n(ns, times).expect("within bounds");
        }
        let times = longest_over_shortest(&looks);
        assert!((times - 1.8).abs() < 0.01, "{times}");
        let said = judge_speeds(times).says;
        assert!(said.contains("takes up to 1.8 times as long"), "{said}");
        assert_eq!(
            longest_over_shortest(&Histogram::new(3).expect("bounds")),
            0.0
        );
    }
}
