//! Machines that servers and load generator run on: what each lacks, their clocks, and the network between them.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use photofinish_host::task::{self, Ended};
use photofinish_host::{Allocation, Error, Generator, Host, ProcessSpec};
use photofinish_load::Ahead;
use photofinish_model::files::{self, temp::TempFolder};
use photofinish_model::network::{Interface, InterfaceKind};
use photofinish_model::units::{plural, signed, thousands};
use photofinish_voice::run_check::{node_lacks_cores, pod_lacks_cores};

use super::Finding;
use crate::convert::us;
use crate::record::network;
use crate::record::network::Echo;

/// Number of round trips by which clocks are compared.
pub const ROUND_TRIPS: u32 = 500;
/// Offset, in seconds, above which a clock is not set.
const MAX_CLOCK_ERROR_S: f64 = 1.0;
/// How long the examination of a machine may take.
const EXAMINE_TIMEOUT: Duration = Duration::from_secs(60);
/// Number of bytes that are sent to measure the throughput.
const FILL_BYTES: u32 = 8 << 20;
/// How long small requests are sent.
const SEND_TIME: Duration = Duration::from_millis(500);
/// How long the built-in server may take to be ready.
const READY_TIMEOUT: Duration = Duration::from_secs(10);

/// What the doctor says there.
///
/// # Errors
/// If the machine cannot be reached.
pub fn elsewhere(remote: &Host) -> Result<String, Error> {
    let folder = TempFolder::new().map_err(Error::Temp)?;
    let log = folder.path().join("doctor");
    let program = remote.photofinish().display().to_string();
    let spec = ProcessSpec {
        command: [&*program, "doctor", "--quick"].map(str::to_owned).to_vec(),
        log: log.clone(),
        ..ProcessSpec::default()
    };
    match task::run(remote, &spec, EXAMINE_TIMEOUT, &|| false)? {
        Ended::Well | Ended::Badly(_) => {
            let says = files::read_tail(&log, files::WRITTEN).unwrap_or_default();
            Ok(String::from_utf8_lossy(&says).into_owned())
        }
        Ended::TooLong | Ended::Interrupted => Ok("it did not respond in time".to_owned()),
    }
}

/// What an offset of a clock means.
pub fn clock(ahead: Ahead) -> Finding {
    let name = "clock";
    let (offset, uncertain) = (ahead.nanos as f64 / 1e9, us(ahead.uncertain));
    let says = |means: &str| {
        let offset = signed(offset * 1e3, 3);
        format!("{offset} ms, ± {uncertain:.0} µs: {means}")
    };
    if offset.abs() < MAX_CLOCK_ERROR_S {
        return Finding::ok(
            name,
            says("close to this machine's; no figure depends on it"),
        );
    }
    Finding::warn(
        name,
        says("no figure depends on it, but the times in logs of the two machines do not fit together"),
    )
    .with("set it, best by NTP (`timedatectl set-ntp true`)")
}

/// How fast the link to an agent is.
///
/// # Errors
/// If the machine cannot be reached.
pub fn link(remote: &Host) -> Result<Finding, Error> {
    let mut trip = Duration::MAX;
    for _ in 0..50 {
        let begun = Instant::now();
        remote.clock()?;
        trip = trip.min(begun.elapsed());
    }
    let begun = Instant::now();
    let bytes = remote.fill(FILL_BYTES)?.len();
    let rate = bytes as f64 / begun.elapsed().as_secs_f64() / 1e6;
    Ok(Finding::ok(
        "link to it",
        format!(
            "{:.0} µs round trip, {rate:.0} MB/s: for control messages, logs and builds; load does not use it",
            us(trip)
        ),
    ))
}

/// What a scheduler has given of a machine, where one has.
///
/// # Errors
/// If the machine cannot be reached.
pub fn allocation(remote: &Host) -> Result<Option<Finding>, Error> {
    let Some(allocation) = remote.allocation()? else {
        return Ok(None);
    };
    let name = "given cores";
    let (whose, cpus, lacks, remedy) = match &allocation {
        Allocation::Pod(pod) => (
            format!("pod {} on {}", pod.pod, pod.machine),
            &pod.cpus,
            pod_lacks_cores(pod),
            "set kubelet's CPU manager policy to `static` there",
        ),
        Allocation::Node(node) => (
            format!(
                "job {} in partition {}{}",
                node.job,
                node.partition,
                match node.exclusive {
                    true => "",
                    false => ", which shares its nodes with other jobs,",
                }
            ),
            &node.cpus,
            node_lacks_cores(node),
            "set TaskPlugin to task/affinity or task/cgroup in slurm.conf, or leave `cpus` out for whole nodes",
        ),
    };
    Ok(Some(match lacks {
        None => Finding::ok(name, format!("{whose} runs on {}: its own", listed(cpus))),
        Some(lacks) => Finding::warn(name, lacks.en).with(remedy),
    }))
}

/// Cores by their numbers, such as `2 cores (0, 1)`.
fn listed(cpus: &[u32]) -> String {
    let numbers: Vec<String> = cpus.iter().map(u32::to_string).collect();
    let count = plural(cpus.len(), "core", "cores");
    format!("{count} ({})", numbers.join(", "))
}

/// What lies between the load generator and the server: whether they are apart, how long a small request takes, and by what links.
pub fn between(host: &Host, generator: &dyn Generator, interrupt: &AtomicBool) -> Vec<Finding> {
    let name = "two machines";
    let mut findings = Vec::new();
    let boots = [host, generator.machine()].map(|machine| machine.facts());
    findings.push(match boots {
        [Ok(server), Ok(generator)] if server.boot == generator.boot => Finding::warn(
            name,
            "server and load generator are on the same machine, and compete for caches and memory bandwidth",
        )
        .with("name another machine for one of them"),
        [Ok(_), Ok(_)] => Finding::ok(name, "server and load generator have a machine each"),
        [Err(error), _] | [_, Err(error)] => Finding::bad(name, format!("failed to {error}")),
    });
    findings.push(round_trip(host, generator, interrupt));
    findings.push(links(host, generator.machine()));
    findings
}

/// How long a small request takes.
fn round_trip(host: &Host, generator: &dyn Generator, interrupt: &AtomicBool) -> Finding {
    let name = "round trip";
    let exchanged = Echo::start(host, READY_TIMEOUT).and_then(|mut echo| {
        echo.await_ready(generator.machine(), interrupt)?;
        echo.exchange(generator, SEND_TIME)
    });
    match exchanged {
        Ok(trip) => Finding::ok(
            name,
            format!(
                "a small request takes {:.0} µs at least and {:.0} µs mostly, the built-in server's work included: \
                 response times are that much longer than the servers'",
                trip.min_us, trip.p50_us
            ),
        ),
        Err(why) => Finding::bad(name, format!("no load comes through: {why}")).with(
            "let the network between the two pass TCP to any port of the server's machine, or state the right `address` in [server]",
        ),
    }
}

/// Through what load passes, and how fast that is.
fn links(host: &Host, generator: &Host) -> Finding {
    let (from, to) = network::ends(host, generator);
    let is_loopback = |end: &Option<Interface>| {
        end.as_ref()
            .is_some_and(|end| end.kind == InterfaceKind::Loopback)
    };
    let states_speed =
        |end: &Option<Interface>| end.as_ref().is_some_and(|end| end.mbit_per_s.is_some());
    let means = match [&from, &to].map(states_speed) {
        _ if is_loopback(&from) => "nothing leaves the machine",
        [true, true] => "whether a link was full is checked",
        _ => "whether a link was full cannot be checked",
    };
    Finding::ok(
        "network link",
        format!(
            "load leaves by {} and arrives by {}: {means}",
            described(from.as_ref()),
            described(to.as_ref())
        ),
    )
}

/// An interface in a few words.
fn described(interface: Option<&Interface>) -> String {
    let Some(Interface {
        name,
        kind,
        mbit_per_s,
    }) = interface
    else {
        return "an unknown interface".to_owned();
    };
    match (kind, mbit_per_s) {
        (_, Some(speed)) => format!("{name} ({} Mbit/s)", thousands(*speed as f64)),
        (InterfaceKind::Loopback, None) => format!("{name} (loopback)"),
        (InterfaceKind::Virtual, None) => format!("{name} (virtual, such as veth: no speed)"),
        (InterfaceKind::Device, None) => format!("{name} (it states no speed)"),
    }
}

#[cfg(test)]
mod tests {
    use photofinish_model::samples::assert_starts;

    use super::*;
    use crate::doctor::Level;

    #[test]
    fn a_clock_that_is_off_is_reported_with_its_uncertainty() {
        let ahead = |nanos| Ahead {
            nanos,
            uncertain: Duration::from_micros(150),
        };
        let reported = clock(ahead(1_200_000));
        assert_eq!(reported.level, Level::Ok);
        assert_starts(&reported.says, "+1.200 ms, ± 150 µs: ");
        let reported = clock(ahead(-5_000_000_000));
        assert_eq!(reported.level, Level::Warn);
        assert_starts(&reported.says, "−5000.000 ms");
    }
}
