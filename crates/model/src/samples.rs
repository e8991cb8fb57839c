//! Made-up results with known arithmetic, for tests of whatever reads or draws results.

mod failures;
mod machines;

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::capacity::{Ended, Found, Step};
use crate::finding::asked::Asked;
use crate::finding::capacity::Broken;
use crate::finding::failure::{FailureFinding, Fate, Printed, When};
use crate::message::Message;
use crate::settings::RaceSettings;
use crate::store::Results;
use crate::*;

pub use failures::failures;
pub use machines::machines;

/// 100 connections, closed loop.
pub const CLOSED_100: Load = Load::Closed { connections: 100 };

/// The workload that all samples share.
pub const WORKLOAD: &str = "plaintext";

/// A study of these targets at [`CLOSED_100`], without claims.
pub fn study(targets: &[&str], rounds: u32) -> StudyRecord {
    StudyRecord {
        version: VERSION,
        name: "sample".to_owned(),
        title: "a sample race".to_owned(),
        source: None,
        notes: None,
        left_out: Vec::new(),
        started: "2026-01-31T12:00:00Z".to_owned(),
        seed: 7,
        pair: None,
        settings: RaceSettings {
            rounds,
            ..RaceSettings::default()
        },
        targets: targets
            .iter()
            .map(|label| TargetRecord {
                label: (*label).to_owned(),
                title: format!("the server {label}"),
                same_as: None,
                limit: false,
                command: vec![(*label).to_owned(), "{port}".to_owned()],
                image: None,
                prepare: Vec::new(),
                cleanup: Vec::new(),
                tools: BTreeMap::new(),
                already: false,
                revision: None,
            })
            .collect(),
        services: Vec::new(),
        workloads: vec![WorkloadRecord {
            name: WORKLOAD.to_owned(),
            request: Asked::get("/plaintext"),
            loads: vec![CLOSED_100],
            targets: Vec::new(),
            responses_vary: false,
            digests: None,
            sweep: None,
        }],
        claims: Vec::new(),
        secrets: Vec::new(),
        fingerprint_key: None,
    }
}

/// A machine.
pub fn environment() -> Environment {
    Environment {
        version: VERSION,
        photofinish: "0.1.0".to_owned(),
        commit: Some("0123abc".to_owned()),
        cpu: "Sample CPU".to_owned(),
        cpus: vec![0, 1],
        server_cpus: vec![0],
        generator_cpus: vec![1],
        memory_bytes: 8 << 30,
        kernel: "6.1.0".to_owned(),
        os: "Debian 12".to_owned(),
        governor: None,
        server_nice: None,
        hypervisor: Some("kvm".to_owned()),
        open_files: 65_536,
        tools: BTreeMap::new(),
        machines: None,
    }
}

/// A measurement at [`CLOSED_100`] over 5 s in which every time follows from the throughput: the
/// mean is `100 / throughput` (Little's law), p50 0.9 of it, p90 1.2, p95 1.5, p99 2, p99.9 4, max 10.
pub fn measurement(throughput: f64) -> Measurement {
    let mean = 100.0 / throughput * 1e6;
    let latency = Latency {
        mean,
        min: mean * 0.1,
        p50: mean * 0.9,
        p90: mean * 1.2,
        p95: mean * 1.5,
        p99: mean * 2.0,
        p999: mean * 4.0,
        max: mean * 10.0,
    };
    let requests = (throughput * 5.0) as u64;
    Measurement {
        requests,
        errors: BTreeMap::new(),
        duration_s: 5.0,
        throughput_rps: throughput,
        latency_us: Some(latency),
        service_us: Some(latency),
        bytes_in: requests * 128,
        bytes_out: requests * 64,
        load: CLOSED_100,
        drained: 100,
        failed_connects: BTreeMap::new(),
        closed_idle: BTreeMap::new(),
        first_error: None,
        mute: 0,
        edges: None,
        stalls: None,
        censored: 0,
        overloaded: None,
        changed: 0,
        streams: 1,
        lead_in_requests: 1000,
        status: BTreeMap::from([("200".to_owned(), requests)]),
        connects: 100,
        reconnects: 0,
        opening: None,
        generator: Generator {
            threads: 1,
            cpu_us_per_request: Some(4.0),
            cpu_utilisation: 0.5,
            lag_us: Some(Lag {
                mean: 5.0,
                p50: 3.0,
                p99: 20.0,
                max: 400.0,
            }),
            turnaround_us: Some(2.0),
            achieved_ratio: 1.0,
            arrival_clock: ArrivalClock::Kernel,
            late: None,
            stood_still: None,
            throttled_share: None,
        },
        generators: Vec::new(),
        windows: Vec::new(),
        steadiness: None,
        checks: check::ALL.map(checked).to_vec(),
        capacity: None,
    }
}

/// What one of several generators measured, which had half of the connections of [`measurement`].
pub fn generator_part(machine: &str, throughput: f64) -> GeneratorPart {
    let measured = measurement(throughput * 2.0);
    GeneratorPart {
        machine: machine.to_owned(),
        connections: 50,
        requests: measured.requests / 2,
        errors: 0,
        throughput_rps: throughput,
        latency_us: measured.latency_us,
        generator: measured.generator,
        limited: false,
        astray: 0,
        shares_server: false,
        clock_ahead_us: 1_200.0,
        clock_uncertain_us: 20.0,
    }
}

/// A check as one run has it: the first three hold, the others were not made.
fn checked(name: &str) -> Check {
    let made = [check::LITTLES_LAW, check::GENERATOR, check::ERRORS].contains(&name);
    Check {
        name: name.to_owned(),
        ok: made.then_some(true),
        says: made.then(as_it_should_be),
    }
}

/// What a check that holds says.
fn as_it_should_be() -> Message {
    message("as it should be")
}

/// A second in which so many responses came.
pub fn window(second: u64, responses: u64) -> Window {
    Window {
        start_s: second as f64,
        duration_s: 1.0,
        responses,
        errors: 0,
        p50_us: None,
        p99_us: None,
        max_us: None,
    }
}

/// That one server is so many times as fast as the other at [`WORKLOAD`] and [`CLOSED_100`].
pub fn claim(metric: Metric, of: &str, over: &str, ratio: f64) -> Claim {
    Claim {
        id: "a".to_owned(),
        says: format!("{of} over {over} is {ratio}"),
        metric,
        of: of.to_owned(),
        over: over.to_owned(),
        ratio: Some(ratio),
        direction: None,
        margin: None,
        workload: WORKLOAD.to_owned(),
        load: CLOSED_100,
        measured_at: None,
        over_workload: None,
        over_load: None,
        figures: "210,393.61 against 197,072.84".to_owned(),
        source: "a blog".to_owned(),
        decimals: None,
        judged: metric != Metric::Max,
    }
}

/// A message without arguments, the same in both languages.
pub fn message(text: &str) -> Message {
    Message::from_row("sample.message", [], text.to_owned(), text.to_owned())
}

/// A line at [`WORKLOAD`] and [`CLOSED_100`].
pub fn line(target: &str, round: u32, trial: u32, throughput: f64) -> Line {
    Line {
        round,
        trial,
        order: 1,
        target: target.to_owned(),
        workload: WORKLOAD.to_owned(),
        at: format!("2026-01-31T12:{trial:02}:00Z"),
        measurement: Some(measurement(throughput)),
        server: Some(ServerUse {
            cpu_user_us_per_request: Some(3.0),
            cpu_system_us_per_request: Some(2.0),
            cpu_cores: Some(0.98),
            switches_voluntary_per_request: Some(0.25),
            switches_forced_per_request: Some(0.01),
            run_queue_us_per_request: Some(0.5),
            faults_minor_per_request: Some(0.001),
            faults_major_per_request: Some(0.0),
            compiling_share: Some(0.0),
            rss_max_bytes: 200 << 20,
            gc_pause_us_per_request: None,
            safepoint_us_per_request: None,
            threads_max: 20,
            processes_max: 1,
        }),
        machine: Some(MachineUse {
            cores: Some(2),
            memory_stall_share: Some(0.0),
            swapped_pages_per_s: Some(0.0),
            throttled_share: None,
            core_to_core_ns: None,
            steal_share: 0.0,
            other_cores: Some(0.01),
            busiest: None,
            hiccup_us: None,
        }),
        ..Line::unmeasured(CLOSED_100)
    }
}

/// A search for `p99 < 10ms` over 100 connections.
pub fn capacity_level() -> Load {
    Load::Capacity(Search::new(
        Objective::parse("p99 < 10ms").expect("an objective"),
        100,
    ))
}

/// What a search found that ended with these rates: a step at the one that held and one at the one that did not, whose p99 is
/// 20 ms.
pub fn found(held: Option<f64>, failed: Option<f64>) -> Found {
    let step = |rate: &f64, holds: bool| Step {
        offered_rps: *rate,
        achieved_rps: *rate,
        requests: 1000,
        errors: 0,
        p50_us: Some(500.0),
        p99_us: Some(if holds { 9_000.0 } else { 20_000.0 }),
        generator_cpu: 0.5,
        hiccup_us: None,
        holds,
        why: (!holds).then(|| Broken::Time {
            figure: "p99".to_owned(),
            us: 20_000.0,
        }),
    };
    let held_step = held.iter().map(|rate| step(rate, true));
    Found {
        sustained_rps: held,
        failed_rps: failed,
        ended: if failed.is_some() {
            Ended::Found
        } else {
            Ended::Time
        },
        generator_limited: false,
        noise_us: None,
        steps: held_step
            .chain(failed.iter().map(|rate| step(rate, false)))
            .collect(),
    }
}

/// A run at [`capacity_level`] in which `searches[t][r]` is what was found of target t in round r + 1.
pub fn capacity_race(targets: &[&str], searches: &[&[Found]]) -> Results {
    let rates: Vec<Vec<f64>> = searches
        .iter()
        .map(|found| {
            found
                .iter()
                .map(|f| f.sustained_rps.unwrap_or(1.0))
                .collect()
        })
        .collect();
    let rates: Vec<&[f64]> = rates.iter().map(Vec::as_slice).collect();
    let mut results = race(targets, &rates);
    results.study.workloads[0].loads = vec![capacity_level()];
    for line in &mut results.lines {
        let found = targets
            .iter()
            .position(|target| *target == line.target)
            .and_then(|target| searches[target].get(line.round as usize - 1));
        line.load = capacity_level();
        if let (Some(measurement), Some(found)) = (&mut line.measurement, found) {
            measurement.throughput_rps = found.sustained_rps.unwrap_or(0.0);
            measurement.capacity = Some(found.clone());
        }
    }
    results
}

/// A server that ended under load, with its exit status or signal.
pub fn failure(how: &str) -> FailureFinding {
    FailureFinding::Server {
        fate: Fate::Ended {
            when: When::Loaded,
            how: how.to_owned(),
            well: false,
        },
        printed: Printed {
            log: String::new(),
            lines: Vec::new(),
        },
    }
}

/// A line of a measurement that failed.
pub fn failed_line(target: &str, round: u32, trial: u32, how: &str) -> Line {
    Line {
        measurement: None,
        server: None,
        service: None,
        machine: None,
        failure: Some(failure(how)),
        ..line(target, round, trial, 1.0)
    }
}

/// That there was no time for a round after these.
pub fn time_over(rounds: u32) -> TimeOver {
    TimeOver {
        version: VERSION,
        at: "2026-01-31T12:59:00Z".to_owned(),
        rounds,
    }
}

/// The trial of a server whose response to [`WORKLOAD`] is `Hello, World!`.
pub fn trial(target: &str, round: u32, trial: u32) -> TrialRecord {
    TrialRecord {
        version: VERSION,
        round,
        trial,
        target: target.to_owned(),
        at: format!("2026-01-31T12:{trial:02}:00Z"),
        ended: Some(format!("2026-01-31T12:{trial:02}:06Z")),
        pid: Some(4000 + trial),
        port: Some(8080),
        command: vec![target.to_owned(), "8080".to_owned()],
        image: None,
        ready_s: Some(0.5),
        warmups: Vec::new(),
        verified: vec![Verified {
            path: None,
            workload: WORKLOAD.to_owned(),
            status: 200,
            head: "HTTP/1.1 200 OK\r\nContent-Length: 13\r\nContent-Type: text/plain\r\n\r\n"
                .to_owned(),
            body_bytes: 13,
            body_sha256: "dffd6021bb2bd5b0af676290809ec3a53191dd81c7f70a4b28688a362182986f"
                .to_owned(),
            wire_bytes: 79,
        }],
        failure: None,
    }
}

/// A whole run: `throughputs[t][r]` is the throughput of target t in round r+1. The order within a
/// round is turned round from one round to the next.
pub fn race(targets: &[&str], throughputs: &[&[f64]]) -> Results {
    let rounds = throughputs.iter().map(|t| t.len()).max().unwrap_or(0);
    let mut lines = Vec::new();
    let mut trials = Vec::new();
    let mut number = 0;
    for round in 0..rounds {
        let mut order: Vec<usize> = (0..targets.len()).collect();
        if round % 2 == 1 {
            order.reverse();
        }
        for index in order {
            number += 1;
            let round_number = round as u32 + 1;
            trials.push(trial(targets[index], round_number, number));
            if let Some(&throughput) = throughputs[index].get(round) {
                lines.push(line(targets[index], round_number, number, throughput));
            }
        }
    }
    Results {
        dir: PathBuf::from("results/sample/2026-01-31T12-00-00Z"),
        study: study(targets, rounds as u32),
        environment: environment(),
        lines,
        trials,
        time_over: Vec::new(),
    }
}

/// Panics with the whole text unless it contains `part`.
#[track_caller]
pub fn assert_contains(text: &str, part: &str) {
    assert!(text.contains(part), "{text}");
}

/// Panics with the whole text unless it starts with `start`.
#[track_caller]
pub fn assert_starts(text: &str, start: &str) {
    assert!(text.starts_with(start), "{text}");
}
