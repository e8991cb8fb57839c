//! The made-up runs: a usual one, a large one, one with hostile names, and those with little in them.

mod cases;
pub mod daily;
mod levels;
mod profiled;
mod rich;
mod sustained;

use hdrhistogram::Histogram;
use photofinish_model::finding::asked::Asked;
use photofinish_model::samples;
use photofinish_model::*;

use crate::made_up::{Noise, Server, check, measure, warm_up};

/// What a run would have left on disk.
pub struct Run {
    pub study: StudyRecord,
    pub trials: Vec<TrialRecord>,
    pub lines: Vec<(Line, Option<Histogram<u64>>)>,
    /// The names and texts of its files of stacks.
    pub stacks: Vec<(String, String)>,
}

const EVENT: Server = Server {
    most: 212_000.0,
    least_s: 90e-6,
    tail: 0.6,
    warms_s: 0,
    switches: 0.04,
    bytes: 141,
    law: None,
    spread: 0.008,
};
const VIRTUAL: Server = Server {
    most: 204_000.0,
    least_s: 95e-6,
    tail: 1.0,
    warms_s: 12,
    switches: 0.21,
    bytes: 179,
    law: None,
    spread: 0.008,
};
const THREADS: Server = Server {
    most: 141_000.0,
    least_s: 105e-6,
    tail: 2.5,
    warms_s: 18,
    switches: 1.9,
    bytes: 116,
    law: None,
    spread: 0.008,
};
const NAMES: [&str; 3] = ["event-loop", "tio-boot@virtual-threads", "quarkus"];
const SERVERS: [Server; 3] = [EVENT, VIRTUAL, THREADS];

/// All of them but the runs of a history.
pub fn all() -> Vec<Run> {
    let mut all = cases::cases();
    all.extend([
        usual(),
        levels::levels(),
        rich::rich(),
        sustained::sustained(),
        profiled::profiled(),
        large(),
        hostile(),
        smoke(),
        one_round(),
        nothing(),
        broken(),
    ]);
    all
}

/// Three servers at five levels, at two rates and with a wait; a measurement failed, another has errors.
fn usual() -> Run {
    let mut study = study("usual", &NAMES, 5);
    study.title = "Event loop, virtual threads or a thread for each connection?".to_owned();
    study.source = Some("a made-up study: every figure follows from arithmetic".to_owned());
    study.workloads = vec![
        workload("plaintext", "/plaintext", closed(&[8, 16, 64, 256, 1000])),
        workload("steady-rate", "/plaintext", open(&[20_000.0, 80_000.0])),
        workload("sleep-20ms", "/sleep?ms=20", closed(&[256])),
    ];
    study.claims = vec![
        claim("a", Metric::Throughput, NAMES[1], NAMES[2], 1.067),
        claim("b", Metric::P99, NAMES[0], NAMES[2], 0.12),
        claim("c", Metric::Throughput, NAMES[0], NAMES[1], 1.30),
        claim("d", Metric::Max, NAMES[2], NAMES[1], 4.4),
        claim("e", Metric::Throughput, NAMES[2], NAMES[1], 1.10),
        Claim {
            says: format!("the cause: {} switches contexts less often", NAMES[1]),
            ratio: None,
            direction: Some(ClaimDirection::Less),
            ..claim("f", Metric::ContextSwitches, NAMES[1], NAMES[2], 1.0)
        },
    ];
    let mut run = held(study, 10, |target, workload| Server {
        least_s: SERVERS[target].least_s + if workload == 2 { 20e-3 } else { 0.0 },
        ..SERVERS[target]
    });
    fail_some(&mut run);
    run
}

/// Four servers at ten levels in five rounds of 30 s: the size that a page must bear.
fn large() -> Run {
    let names = ["tomcat", "tomcat@virtual-threads", "netty", "event-loop"];
    let mut study = study("large", &names, 5);
    study.title = "Four servers at ten levels".to_owned();
    study.workloads = vec![
        workload("hello", "/hello", closed(&[1, 10, 100, 300, 1000, 3000])),
        workload("sleep", "/sleep?ms=100", closed(&[100, 300, 1000, 3000])),
    ];
    let servers = [
        THREADS,
        VIRTUAL,
        Server {
            tail: 1.4,
            most: 187_000.0,
            ..EVENT
        },
        EVENT,
    ];
    held(study, 30, |target, workload| Server {
        least_s: servers[target].least_s + if workload == 1 { 100e-3 } else { 0.0 },
        ..servers[target]
    })
}

/// Names and texts that try to become markup.
fn hostile() -> Run {
    let names = [
        "</script><img src=x onerror=alert(1)>",
        "<!--<script>\u{2028}'\"&lt;b>",
    ];
    let mut study = study("hostile", &names, 3);
    study.title = "<svg onload=alert(2)>".to_owned();
    study.source = Some("javascript:alert(3)".to_owned());
    study.workloads = vec![workload(
        "<b>bold</b>",
        "/?<script>alert(4)</script>",
        closed(&[100]),
    )];
    let mut bad = claim("<i>a</i>", Metric::Throughput, names[0], names[1], 1.2);
    bad.says = "<script>alert(5)</script>".to_owned();
    bad.workload = study.workloads[0].name.clone();
    bad.load = samples::CLOSED_100;
    study.claims = vec![bad];
    let mut run = held(study, 5, |target, _| SERVERS[target]);
    profiled::hostile_stacks(&mut run);
    fail_some(&mut run);
    for trial in &mut run.trials {
        for verified in &mut trial.verified {
            verified.head = "HTTP/1.1 200 OK\r\n<img src=x onerror=alert(6)>: 1\r\n\r\n".to_owned();
        }
    }
    run
}

fn smoke() -> Run {
    let mut study = study("smoke", &NAMES[..2], 1);
    study.settings.smoke = true;
    held(study, 1, |target, _| SERVERS[target])
}

fn one_round() -> Run {
    held(study("one-round", &NAMES, 1), 4, |target, _| {
        SERVERS[target]
    })
}

/// A run that was stopped before its first measurement.
fn nothing() -> Run {
    let mut run = held(study("nothing", &NAMES, 3), 4, |target, _| SERVERS[target]);
    run.lines.clear();
    run.trials.clear();
    run
}

/// A server beside one that fails in another way in every round.
fn broken() -> Run {
    let failures = samples::failures();
    let study = study("broken", &["steady", "made"], failures.len() as u32);
    let mut run = held(study, 4, |_, _| EVENT);
    let lines = run
        .lines
        .iter_mut()
        .filter(|(line, _)| line.target == "made");
    for (line, histogram) in lines {
        let failure = failures.get(line.round as usize - 1).cloned();
        (line.measurement, line.failure, *histogram) = (None, failure, None);
    }
    run
}

fn study(name: &str, targets: &[&str], rounds: u32) -> StudyRecord {
    StudyRecord {
        name: name.to_owned(),
        title: format!("made-up: {name}"),
        ..samples::study(targets, rounds)
    }
}

fn workload(name: &str, path: &str, loads: Vec<Load>) -> WorkloadRecord {
    WorkloadRecord {
        name: name.to_owned(),
        request: Asked::get(path),
        loads,
        targets: Vec::new(),
        responses_vary: false,
        digests: None,
        sweep: None,
    }
}

fn closed(levels: &[u32]) -> Vec<Load> {
    let levels = levels.iter();
    levels
        .map(|&connections| Load::Closed { connections })
        .collect()
}

fn open(rates: &[f64]) -> Vec<Load> {
    let rates = rates.iter();
    rates
        .map(|&rate| Load::Open {
            rate,
            arrivals: Arrivals::Poisson,
            connections: 100,
        })
        .collect()
}

fn claim(id: &str, metric: Metric, of: &str, over: &str, ratio: f64) -> Claim {
    Claim {
        id: id.to_owned(),
        says: format!("the published ratio of {of} over {over} is {ratio}"),
        load: Load::Closed { connections: 256 },
        source: "a made-up source".to_owned(),
        ..samples::claim(metric, of, over, ratio)
    }
}

/// Holds every trial of a study; the order within a round is turned round each time.
fn held(study: StudyRecord, seconds: usize, server: impl Fn(usize, usize) -> Server) -> Run {
    let mut noise = Noise::new(study.seed);
    let (mut trials, mut lines) = (Vec::new(), Vec::new());
    let mut number = 0;
    for round in 1..=study.settings.rounds {
        let mut order: Vec<usize> = (0..study.targets.len()).collect();
        if round % 2 == 0 {
            order.reverse();
        }
        for target in order {
            number += 1;
            let label = &study.targets[target].label;
            let mut trial = samples::trial(label, round, number);
            let verified = trial.verified.remove(0);
            for (index, workload) in study.workloads.iter().enumerate() {
                let server = server(target, index);
                trial.verified.push(Verified {
                    workload: workload.name.clone(),
                    wire_bytes: server.bytes,
                    ..verified.clone()
                });
                if let Some(load) = workload.loads.last() {
                    let warmed = warm_up(&server, &workload.name, load, &mut noise);
                    trial.warmups.push(warmed);
                }
                for load in &workload.loads {
                    let place = (label.as_str(), workload.name.as_str(), load);
                    lines.push(measure(&server, place, round, number, seconds, &mut noise));
                }
            }
            trials.push(trial);
        }
    }
    Run {
        study,
        trials,
        lines,
        stacks: Vec::new(),
    }
}

/// The first measurement of round 2 failed, the last of all had timeouts, and at one the generator was the limit.
fn fail_some(run: &mut Run) {
    if let Some((line, histogram)) = run.lines.iter_mut().find(|(line, _)| line.round == 2) {
        *line = Line {
            measurement: None,
            server: None,
            machine: None,
            failure: Some(samples::failure(
                "signal 9, <b>java.lang.OutOfMemoryError</b>",
            )),
            ..line.clone()
        };
        *histogram = None;
    }
    if let Some((line, _)) = run.lines.last_mut() {
        if let Some(measurement) = &mut line.measurement {
            measurement.errors.insert("timeout".to_owned(), 17);
            measurement.first_error = Some(FirstError {
                says: "no complete response within 5s".to_owned(),
                at_s: None,
            });
        }
        check(line);
    }
    if let Some((line, _)) = run.lines.first_mut() {
        if let Some(measurement) = &mut line.measurement {
            measurement.generator.cpu_utilisation = 0.97;
        }
        check(line);
    }
}
