//! Targets with which something is wrong: they alone fail, with a reason that says what to do.

use photofinish_judge::comparison::{Cell, Comparison};
use photofinish_model::Metric;
use photofinish_model::finding::complaint::Complaint;
use photofinish_model::finding::failure::FailureFinding;
use photofinish_model::samples::{assert_contains, assert_starts};
use photofinish_model::version::VersionReq;
use photofinish_study::plan::{Build, Listen, Service, ServiceKind, ServiceUrl};

use super::*;
use crate::fake::{self, FakeServer};

/// Runs `good` beside a target `bad` that is bent; returns why it failed.
fn bent(bench: &mut Bench, bend: impl Fn(&mut Plan)) -> String {
    let mut plan = fake::plan(&["good", "bad"], 2);
    bend(&mut plan);
    let finished = bench.run(&plan);
    assert_eq!((finished.failed, finished.interrupted), (4, false));
    assert!(bench.host.all_stopped());
    assert_eq!(bench.failures("good"), [""; 0]);
    let good = bench
        .results()
        .lines
        .into_iter()
        .filter(|line| line.target == "good");
    assert!(
        good.clone().count() == 4 && good.into_iter().all(|line| Metric::P99.of(&line).is_some())
    );
    let failures = bench.failures("bad");
    assert_eq!(failures.len(), 4);
    let reason = bench.trial("bad").failure.expect("a reason").to_string();
    assert_eq!(failures[0], reason);
    let reported = |event: &&Event| matches!(event, Event::Failed { target, missing: 2, .. } if target == "bad");
    assert_eq!(bench.events.iter().filter(reported).count(), 2);
    reason
}

fn start(plan: &mut Plan, command: &[&str]) {
    plan.targets[1].start.command = command.iter().map(|word| (*word).to_owned()).collect();
}

/// Of a target that cannot run at all, the reason is reported once; a server that fails to start has a reason of its own in each round.
#[test]
fn a_target_that_fails_says_why_and_what_to_do() {
    type Case = (fn(&mut Plan), &'static str, &'static str, usize);
    let cases: [Case; 6] = [
        (
            |plan| {
                let wanted = VersionReq {
                    text: ">=21".to_owned(),
                    terms: Vec::new(),
                };
                plan.targets[1].needs.insert("jdk".to_owned(), wanted);
            },
            "failed to find jdk >=21: none; install jdk",
            "",
            1,
        ),
        (
            |plan| start(plan, &["nonesuch"]),
            "failed to start nonesuch: no such program: nonesuch",
            "",
            0,
        ),
        (
            |plan| plan.targets[1].start.listen = Listen::Port(1),
            "port 1, which bad needs, is taken by process 4711 (nginx -g daemon); end that, or give the target another port",
            "",
            0,
        ),
        (
            |plan| start(plan, &["crash", "cannot bind"]),
            "the server ended before it was ready (exit status 1); its last lines",
            "bad-round-1.log):\n    | started crash cannot bind",
            0,
        ),
        (
            |plan| {
                start(plan, &["mute"]);
                plan.targets[1].ready.timeout = Duration::from_millis(30);
            },
            "the server was not ready within 30ms: GET http://127.0.0.1:",
            "| started mute",
            0,
        ),
        (
            |plan| plan.targets[1].start.command[1] = "Hello, world".to_owned(),
            "GET /plaintext: wrong body: expected 13 bytes, got 12; they differ first at offset 7: expected \"World!\", got \"world\"",
            "",
            0,
        ),
    ];
    for (bend, begins, ends, unusable) in cases {
        let mut bench = Bench::new();
        let says = bent(&mut bench, bend);
        assert!(says.starts_with(begins) && says.ends_with(ends), "{says}");
        assert!(!ends.is_empty() || says == begins, "{says}");
        let count = |is: fn(&&Event) -> bool| bench.events.iter().filter(is).count();
        assert_eq!(
            count(|event| matches!(event, Event::Unusable { .. })),
            unusable
        );
        let known = count(|event| matches!(event, Event::Failed { known: true, .. }));
        assert_eq!(known, 2 * unusable);
    }
}

#[test]
fn a_limit_that_cannot_run_leaves_the_race_to_the_others() {
    let mut bench = Bench::new();
    bent(&mut bench, |plan| {
        plan.targets[1].limit = true;
        start(plan, &["crash", "{port}"]);
    });
    let comparison = Comparison::from(&bench.results());
    assert_eq!(
        comparison.head.limit().map(|limit| limit.label.as_str()),
        Some("bad")
    );
    assert!(!comparison.failures.is_empty());
    let shares = |cell: &Cell| {
        cell.targets
            .iter()
            .any(|target| target.share_of_limit.is_some())
    };
    assert!(!comparison.cells.iter().any(shares));
}

/// A service named `db` at an address where nobody listens.
fn nowhere(targets: &[&str]) -> Service {
    Service {
        name: "db".to_owned(),
        kind: ServiceKind::Postgresql,
        version: VersionReq::any(),
        url: Some(ServiceUrl {
            host: "127.0.0.1".to_owned(),
            port: 1,
            user: "me".to_owned(),
            password: "".into(),
            database: "shop".to_owned(),
        }),
        schema: Vec::new(),
        rows: [].into(),
        targets: targets.iter().map(|label| (*label).to_owned()).collect(),
    }
}

#[test]
fn a_service_that_is_not_there_ends_only_the_targets_that_need_it() {
    let mut bench = Bench::new();
    let says = bent(&mut bench, |plan| plan.services = vec![nowhere(&["bad"])]);
    assert_starts(
        &says,
        "failed to connect to the service db at me@127.0.0.1:1/shop: ",
    );
    let record = bench.results().study;
    assert_eq!(record.services[0].kind, "postgresql");
    assert_eq!(record.services[0].version, "");
}

#[test]
fn a_build_that_fails() {
    let mut bench = Bench::new();
    let folder = tempfile::tempdir().expect("a folder");
    let says = bent(&mut bench, |plan| {
        plan.targets[1].dir = Some(folder.path().to_owned());
        plan.targets[1].build = Some(Build {
            command: vec!["false".to_owned()],
            env: Default::default(),
            timeout: Duration::from_secs(20),
            in_place: false,
        });
    });
    assert!(says.starts_with("failed to build bad: "), "{says}");
    assert!(says.contains("logs/bad-build.log"), "{says}");
}

fn words(words: [&str; 2]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

/// The programs that were started, in their order.
fn programs(bench: &Bench) -> Vec<String> {
    let started = bench.host.started.lock().expect("lock");
    started.iter().map(|spec| spec.command[0].clone()).collect()
}

const WELL: &str = "exit status 0";
const BADLY: &str = "exit status 3";

#[test]
fn what_prepares_for_a_server_and_fails_is_shown_and_cleaned_up_after() {
    let mut bench = Bench::new();
    let says = bent(&mut bench, |plan| {
        plan.targets[0].start.prepare = words(["end", WELL]);
        plan.targets[1].start.prepare = words(["end", BADLY]);
        plan.targets[1].stop.cleanup = words(["end", "signal 9 (SIGKILL)"]);
    });
    assert_eq!(
        says.lines().next(),
        Some(&*format!(
            "the `prepare` command before its start failed (exit status 3): end exit status 3; its last lines ({}):",
            bench
                .options()
                .results
                .join("logs/bad-round-1.log")
                .display()
        ))
    );
    // The log's line that shows the command is no line of its own.
    assert_eq!(
        says.lines().skip(1).collect::<Vec<_>>(),
        ["    | started end exit status 3"]
    );
    let mut programs = programs(&bench);
    programs.sort();
    // In each of 2 rounds: the good one's two, and of the bad one what prepares and what cleans up.
    assert_eq!(
        programs,
        ["end", "end", "end", "end", "end", "end", "serve", "serve"]
    );
    let warned = bench.events.iter().filter(|event| {
        matches!(event, Event::Warning(crate::Warning::Cleanup { target, .. }) if target == "bad")
    });
    assert_eq!(warned.count(), 2);
    let prepared = &bench.results().study.targets[1].prepare;
    assert_eq!(prepared, &words(["end", BADLY]));
}

#[test]
fn what_cleans_up_after_a_server_and_fails_is_a_failure_of_the_round() {
    let mut bench = Bench::new();
    let mut plan = fake::plan(&["good", "bad"], 1);
    plan.targets[1].start.prepare = words(["end", WELL]);
    plan.targets[1].stop.cleanup = words(["end", BADLY]);
    let finished = bench.run(&plan);
    // What was measured before stays.
    assert_eq!((finished.failed, finished.missing), (1, 0));
    assert_eq!(bench.failures("bad"), [""; 0]);
    let why = bench.trial("bad").failure.expect("a reason");
    assert!(
        why.to_string()
            .starts_with("the `cleanup` command after its stop failed (exit status 3): "),
        "{why:?}"
    );
    let of_bad: Vec<String> = (programs(&bench).into_iter())
        .filter(|program| program == "end")
        .collect();
    assert_eq!(of_bad.len(), 2);
    assert!(bench.host.all_stopped());
}

#[test]
fn a_server_that_closes_its_sockets_before_it_ends_has_ended() {
    let mut bench = Bench::new();
    let host = bench.host.clone();
    let load = FakeLoad(Box::new(move |config, control| {
        let life = host.last();
        life.close();
        // Its end comes when its port is closed already, as that of a virtual machine with much to clean up.
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            life.crash();
        });
        let mut outcome = fake::measured(config, control);
        outcome.responses_in_window = 0;
        (outcome.good, outcome.drained) = (0, 0);
        Ok(outcome)
    }));
    let plan = fake::plan(&["a"], 1);
    let finished = bench.race(&plan, &load);
    assert_eq!(finished.failed, 2);
    for says in bench.failures("a") {
        assert!(
            says.starts_with(
                "the server ended while load was sent (signal 11 (SIGSEGV)); its last lines ("
            ),
            "{says}"
        );
    }
}

#[test]
fn a_wrong_status() {
    let mut bench = Bench::new();
    let mut plan = fake::plan(&["a"], 1);
    fake::http(&mut plan.workloads[0]).1.status = Some(201);
    assert_eq!(bench.run(&plan).failed, 2);
    assert_eq!(
        bench.failures("a")[0],
        "GET /plaintext: expected status 201, got 200 with the body \"Hello, World!\""
    );
}

/// A generator that measures well until `trouble` has been let loose on the newest server.
fn after_first(host: &Arc<FakeHost>, trouble: fn(&FakeServer)) -> FakeLoad {
    let host = host.clone();
    let runs = std::sync::atomic::AtomicU32::new(0);
    FakeLoad(Box::new(move |config, control| {
        let run = runs.fetch_add(1, Ordering::SeqCst);
        if run != 1 {
            return Ok(fake::measured(config, control));
        }
        trouble(&host.last());
        let mut outcome = fake::silent(config.connections());
        outcome.first_error = Some(Complaint::said("connection refused"));
        if host.last().exited.lock().expect("lock").is_some() {
            while !control.stopped() {
                std::thread::yield_now();
            }
        }
        Ok(outcome)
    }))
}

#[test]
fn a_server_that_dies_while_it_is_measured() {
    let mut bench = Bench::new();
    let load = after_first(&bench.host, FakeServer::crash);
    let plan = fake::plan(&["a"], 2);
    let finished = bench.race(&plan, &load);
    // The second measurement of the first trial is lost; the next round begins anew.
    assert_eq!((finished.failed, finished.missing), (1, 1));
    let results = bench.results();
    let good = results
        .lines
        .iter()
        .filter(|line| line.measurement.is_some())
        .count();
    assert_eq!((results.lines.len(), good), (4, 3));
    let says = &bench.failures("a")[0];
    let expected = "the server ended while load was sent (signal 11 (SIGSEGV)); its last lines";
    assert!(says.starts_with(expected), "{says}");
}

#[test]
fn a_server_that_stops_responding() {
    let mut bench = Bench::new();
    let load = after_first(&bench.host, FakeServer::close);
    let plan = fake::plan(&["a"], 2);
    let finished = bench.race(&plan, &load);
    assert_eq!(finished.failed, 1);
    let says = &bench.failures("a")[0];
    assert_starts(says, "no good response in 1.0 s of plaintext at ");
    let then = "connection refused; then the server did not respond: GET /plaintext: ";
    assert!(says.contains(then), "{says}");
    assert_contains(says, "\n    | started serve Hello, World! ");
}

#[test]
fn a_level_that_nothing_comes_of_ends_only_itself() {
    let mut bench = Bench::new();
    let load = FakeLoad(Box::new(|config, control| match config.connections() {
        256 => Ok(fake::silent(256)),
        _ => Ok(fake::measured(config, control)),
    }));
    let finished = bench.race(&fake::plan(&["a"], 2), &load);
    assert_eq!(finished.failed, 2);
    let failures = bench.failures("a");
    assert_eq!(failures.len(), 2);
    assert_eq!(
        failures[0],
        "no good response in 1.0 s of plaintext at 256 connections: no response arrived"
    );
    assert!(
        bench
            .results()
            .trials
            .iter()
            .all(|trial| trial.failure.is_none())
    );
}

#[test]
fn responses_that_come_after_the_window_are_not_called_silence() {
    let mut bench = Bench::new();
    let load = FakeLoad(Box::new(|config, _| {
        let mut outcome = fake::silent(config.connections());
        // One request a connection, sent in the lead-in.
        outcome.sent = u64::from(config.connections());
        outcome.lead_in_requests = outcome.sent;
        outcome.good = outcome.sent;
        Ok(outcome)
    }));
    assert_eq!(bench.race(&fake::plan(&["a"], 1), &load).failed, 2);
    let says = &bench.failures("a")[0];
    let why =
        "responses arrived only after that; measure for longer than a response takes (`duration`)";
    assert!(says.ends_with(why), "{says}");
}

#[test]
fn a_workload_that_a_server_is_stuck_with_ends_only_itself() {
    let mut bench = Bench::new();
    let host = bench.host.clone();
    let load = FakeLoad(Box::new(move |config, control| {
        if config.connections() != 7 {
            return Ok(fake::measured(config, control));
        }
        host.last().stuck.store(true, Ordering::SeqCst);
        Ok(fake::silent(7))
    }));
    let mut plan = fake::plan(&["a"], 2);
    plan.workloads.push(fake::workload("stuck", &[7]));
    let finished = bench.race(&plan, &load);
    assert_eq!(finished.failed, 2);
    assert_eq!(
        bench.failures("a"),
        ["no good response in 1.0 s of stuck at 7 connections: no response arrived"; 2]
    );
    let results = bench.results();
    let good = |line: &&Line| line.measurement.is_some();
    assert_eq!(results.lines.iter().filter(good).count(), 4);
}

#[test]
fn a_load_that_cannot_be_sent() {
    let mut bench = Bench::new();
    let load = FakeLoad(Box::new(|_, _| {
        Err(photofinish_load::Error::Files {
            needed: 300,
            allowed: 256,
        })
    }));
    let finished = bench.race(&fake::plan(&["a"], 1), &load);
    assert_eq!(finished.failed, 2);
    assert_eq!(
        bench.failures("a")[0],
        "failed to send load: open 300 files: this process may open 256; raise the hard limit (`ulimit -Hn`) or use fewer connections"
    );
}

/// The rounds in which a server was started, by its log.
fn starts(bench: &Bench, label: &str) -> Vec<String> {
    let started = bench.host.started.lock().expect("lock");
    let logs = started.iter().filter_map(|spec| spec.log.file_name());
    let logs = logs.map(|name| name.to_string_lossy().into_owned());
    logs.filter(|name| name.starts_with(label)).collect()
}

#[test]
fn a_target_that_fails_to_start_twice_is_not_started_again_until_the_run_is_resumed() {
    let mut bench = Bench::new();
    let mut plan = fake::plan(&["good", "bad"], 4);
    start(&mut plan, &["crash", "cannot bind"]);
    let finished = bench.run(&plan);
    // Two levels in each of four rounds.
    assert_eq!(finished.failed, 8);
    assert_eq!(
        starts(&bench, "bad"),
        ["bad-round-1.log", "bad-round-2.log"]
    );
    assert_eq!(starts(&bench, "good").len(), 4);
    let failures = bench.failures("bad");
    assert!(
        failures[..4]
            .iter()
            .all(|says| says.contains("ended before it was ready"))
    );
    let says = "not started again: it failed to start in rounds 1 and 2; once that is fixed, --resume measures what is missing";
    assert_eq!(failures[4..], [says; 4]);
    // Recorded for each round, and reported once.
    let reported = bench.events.iter().filter(|event| {
        matches!(event, Event::Failed { why, known: false, .. } if matches!(**why, FailureFinding::GivenUp { .. }))
    });
    assert_eq!(reported.count(), 1);
    // What resumes the run tries again, as often.
    start(&mut plan, &["crash", "cannot bind"]);
    assert_eq!(bench.resume(&plan).failed, 8);
    assert_eq!(starts(&bench, "bad").len(), 4);
    assert_eq!(starts(&bench, "good").len(), 4);
}

#[test]
fn a_target_that_starts_between_two_failures_is_started_in_every_round() {
    // It fails in every other round.
    let mut bench = Bench::new();
    let host = bench.host.clone();
    let mut plan = fake::plan(&["a"], 5);
    plan.settings.warmup_max = Duration::from_secs(1);
    let load = FakeLoad(Box::new(move |config, control| {
        let started = host.started.lock().expect("lock").len();
        match started % 2 {
            0 => Ok(fake::measured(config, control)),
            _ => Err(fake::refused()),
        }
    }));
    let finished = bench.race(&plan, &load);
    assert_eq!(finished.failed, 6);
    assert_eq!(starts(&bench, "a").len(), 5);
}

#[test]
fn a_results_folder_that_cannot_be_written_is_reported_before_the_first_trial() {
    let mut bench = Bench::new();
    let mut options = bench.options();
    options.results = "/proc/nowhere/run".into();
    let says = bench.refusal(&fake::plan(&["a"], 1), &options);
    assert!(says.contains("/proc/nowhere/run"), "{says}");
    assert!(bench.host.started.lock().expect("lock").is_empty());
}

#[test]
fn a_study_in_which_nothing_would_be_measured() {
    let mut bench = Bench::new();
    let mut plan = fake::plan(&["a"], 1);
    plan.workloads[0].targets = vec!["b".to_owned()];
    let options = bench.options();
    assert_eq!(
        bench.refusal(&plan, &options),
        "run fake: no target takes any of its workloads; nothing would be measured"
    );
}
