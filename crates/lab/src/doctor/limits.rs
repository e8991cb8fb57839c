//! Cores, files, ports, queues, memory, disk: what bounds the size of a race.

use std::path::Path;

use super::{Finding, Level, gib, thousands};
use crate::cpu_sets::AssignedCpus;
use crate::error::OTHER_FILES;
use photofinish_host::facts::{bytes, read};
use photofinish_host::{bounds, sys};

/// The largest level of the studies that come with photofinish.
const CONNECTIONS: u64 = 10_000;

pub(super) fn examine(cores: &[usize], cpu_sets: &AssignedCpus) -> Vec<Finding> {
    let ports = photofinish_load::ephemeral_range().map(|range| range.len() as u64);
    let queue = read("/proc/sys/net/core/somaxconn").and_then(|n| n.parse().ok());
    let memory = read("/proc/meminfo").unwrap_or_default();
    let mut findings = vec![judge_cores(cores.len(), cpu_sets)];
    findings.extend(bounds::cores().map(|quota| judge_quota(quota, cores.len())));
    let (now, most) = sys::open_files();
    findings.push(judge_files(now, most));
    findings.extend(ports.map(judge_ports));
    findings.extend(queue.map(judge_queue));
    findings.extend(judge_memory(&memory, bounds::memory()));
    findings.extend(judge_swap(&memory));
    findings.extend(sys::free_bytes(Path::new(".")).ok().map(judge_disk));
    findings
}

fn judge_cores(count: usize, cpu_sets: &AssignedCpus) -> Finding {
    let says = |says: &str| {
        format!(
            "{count} {}: {says}",
            if count == 1 { "core" } else { "cores" }
        )
    };
    if cpu_sets.server.is_empty() {
        return Finding::bad(
            "cores",
            says("server and load generator share it, so every figure is that of both together"),
        )
        .with("use a machine with two cores or more");
    }
    if let Some(shared) = &cpu_sets.shared {
        return Finding::warn("cores", says(&shared.to_string()));
    }
    let list = |cpus: &[usize]| {
        cpus.iter()
            .map(usize::to_string)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let (server, generator) = (list(&cpu_sets.server), list(&cpu_sets.generator));
    Finding::ok(
        "cores",
        says(&format!(
            "the server runs on {server} and the load generator on {generator}"
        )),
    )
}

fn judge_quota(quota: f64, cores: usize) -> Finding {
    let name = "CPU quota";
    if quota >= cores as f64 {
        return Finding::ok(
            name,
            format!("{quota:.1} cores of {cores}: it never takes effect"),
        );
    }
    let says = format!(
        "{quota:.1} cores of {cores}: processes that have used it up are paused for up to 0.1 s, which looks like a slow server"
    );
    Finding::bad(name, says)
        .with("run without a quota (docker: no --cpus; use --cpuset-cpus instead)")
}

fn judge_files(now: u64, most: u64) -> Finding {
    let room = most.saturating_sub(OTHER_FILES);
    let remedy = "raise the hard limit: `ulimit -Hn 65536` as root, or `nofile` in /etc/security/limits.conf";
    if room >= CONNECTIONS {
        let how = if now < most {
            ", which photofinish raises by itself"
        } else {
            ""
        };
        let says = format!(
            "{} open files{how}: enough for {} connections",
            thousands(now),
            thousands(CONNECTIONS)
        );
        return Finding::ok("open files", says);
    }
    let cannot = match room {
        0 => "no race can be run".to_owned(),
        room => format!(
            "races with more than {} connections cannot be run",
            thousands(room)
        ),
    };
    let says = format!("{} open files at most: {cannot}", thousands(most));
    let level = match room >= 1_000 {
        true => Level::Warn,
        false => Level::Bad,
    };
    Finding::new("open files", level, says).with(remedy)
}

fn judge_ports(count: u64) -> Finding {
    let count_shown = thousands(count);
    if count >= 2 * CONNECTIONS {
        return Finding::ok(
            "ephemeral ports",
            format!(
                "{count_shown}: enough for {} connections, including those just closed",
                thousands(CONNECTIONS)
            ),
        );
    }
    let says = format!(
        "{count_shown}: a closed connection keeps its port for a minute, so a race that opens many connections will fail to connect"
    );
    Finding::warn("ephemeral ports", says)
        .with("sysctl -w net.ipv4.ip_local_port_range=\"32768 60999\"")
}

fn judge_queue(length: u64) -> Finding {
    let name = "accept queue";
    if length >= 1_000 {
        return Finding::ok(
            name,
            format!(
                "somaxconn is {}: this many connections can be opened at once",
                thousands(length)
            ),
        );
    }
    let says = format!(
        "somaxconn is {length}: if more connections are opened at once, some wait a second or more for their first response"
    );
    Finding::warn(name, says).with("sysctl -w net.core.somaxconn=4096")
}

fn judge_memory(text: &str, bound: Option<bounds::Memory>) -> Option<Finding> {
    const GIB: u64 = 1 << 30;
    let free = bytes(text, "MemAvailable")?;
    let (free, there, remedy) = match bound.filter(|bound| bound.available < free) {
        Some(bounds::Memory { limit, available }) => (
            available,
            format!(
                "{} of {} available, the limit of the control group",
                gib(available),
                gib(limit)
            ),
            "raise the limit (docker: --memory), or stop what is not needed",
        ),
        None => (
            free,
            format!(
                "{} of {} available",
                gib(free),
                gib(bytes(text, "MemTotal")?)
            ),
            "stop what is not needed, or use a larger machine",
        ),
    };
    let (level, means) = match free {
        0..GIB => (Level::Bad, "a JVM under load may be killed, or swap"),
        GIB..2_147_483_648 => (
            Level::Warn,
            "enough for small servers, tight for two JVMs' builds",
        ),
        _ => (Level::Ok, "enough for every server here"),
    };
    Some(Finding::new("memory", level, format!("{there}: {means}")).unless_ok(remedy))
}

fn judge_swap(text: &str) -> Option<Finding> {
    let (total, free) = (bytes(text, "SwapTotal")?, bytes(text, "SwapFree")?);
    let used = total.saturating_sub(free);
    Some(if total == 0 {
        Finding::ok("swap", "none: no server's memory can be swapped out")
    } else if used < total / 10 {
        Finding::ok(
            "swap",
            format!(
                "{} of {} in use: too little to matter",
                gib(used),
                gib(total)
            ),
        )
    } else {
        let says = format!(
            "{} of {} in use: a server whose memory was swapped out responds in milliseconds rather than microseconds",
            gib(used),
            gib(total)
        );
        Finding::warn("swap", says).with("free memory, then `swapoff -a && swapon -a` as root")
    })
}

fn judge_disk(free: u64) -> Finding {
    let (level, means) = match free {
        0..67_108_864 => (Level::Bad, "results cannot be written"),
        67_108_864..2_147_483_648 => (Level::Warn, "enough for results, tight for builds"),
        _ => (Level::Ok, "enough for builds and results"),
    };
    Finding::new("disk", level, format!("{} free here: {means}", gib(free)))
        .unless_ok("free some space")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu_sets::Shared;

    #[test]
    fn cores_must_be_apart() {
        let cpu_sets =
            |server: &[usize], generator: &[usize], shared: Option<Shared>| AssignedCpus {
                server: server.to_vec(),
                generator: generator.to_vec(),
                shared,
            };
        let reported = judge_cores(4, &cpu_sets(&[0, 1], &[2, 3], None));
        assert_eq!(reported.level, Level::Ok);
        assert_eq!(
            reported.says,
            "4 cores: the server runs on 0, 1 and the load generator on 2, 3"
        );
        assert_eq!(
            judge_cores(2, &cpu_sets(&[0], &[1], Some(Shared::HardwareThreads))).level,
            Level::Warn
        );
        assert_eq!(
            judge_cores(1, &cpu_sets(&[], &[], Some(Shared::OnlyCore))).level,
            Level::Bad
        );
    }

    #[test]
    fn limits_are_judged_by_what_a_race_needs() {
        for (finding, level) in [
            (judge_files(1_024, 1_048_576), Level::Ok),
            (judge_files(4_096, 4_096), Level::Warn),
            (judge_files(256, 1_024), Level::Bad),
            (judge_quota(2.0, 2), Level::Ok),
            (judge_quota(1.5, 2), Level::Bad),
            (judge_ports(28_232), Level::Ok),
            (judge_ports(5_000), Level::Warn),
            (judge_queue(4_096), Level::Ok),
            (judge_queue(128), Level::Warn),
            (judge_disk(1 << 20), Level::Bad),
            (judge_disk(1 << 30), Level::Warn),
            (judge_disk(1 << 40), Level::Ok),
        ] {
            assert_eq!(finding.level, level, "{finding:?}");
            assert_eq!(finding.remedy.is_some(), level > Level::Ok, "{finding:?}");
        }
        assert!(
            judge_files(256, 1_024)
                .says
                .contains("more than 768 connections")
        );
        let few = judge_files(64, 64).says;
        assert_eq!(few, "64 open files at most: no race can be run");
    }

    #[test]
    fn memory_and_swap() {
        let text = |free: u64, swap: u64, swap_free: u64| {
            format!(
                "MemTotal: 8388608 kB\nMemAvailable: {free} kB\nSwapTotal: {swap} kB\nSwapFree: {swap_free} kB\n"
            )
        };
        let levels = |text: &str| {
            (
                judge_memory(text, None).map(|f| f.level),
                judge_swap(text).map(|f| f.level),
            )
        };
        assert_eq!(
            levels(&text(4_194_304, 0, 0)),
            (Some(Level::Ok), Some(Level::Ok))
        );
        assert_eq!(
            levels(&text(1_500_000, 1_000, 950)),
            (Some(Level::Warn), Some(Level::Ok))
        );
        assert_eq!(
            levels(&text(500_000, 1_000, 100)),
            (Some(Level::Bad), Some(Level::Warn))
        );
        assert_eq!(levels(""), (None, None));
        let within = |available| {
            let limit = 4 << 30;
            judge_memory(
                &text(4_194_304, 0, 0),
                Some(bounds::Memory { limit, available }),
            )
            .expect("memory is known")
        };
        // The least counts: of 4 GiB that the machine has left, the group may use 0.5.
        let bound = within(1 << 29);
        assert_eq!(bound.level, Level::Bad);
        assert!(
            bound.says.contains("limit of the control group"),
            "{bound:?}"
        );
        let loose = within(8 << 30);
        assert_eq!(loose.level, Level::Ok);
        assert!(!loose.says.contains("control group"), "{loose:?}");
    }
}
