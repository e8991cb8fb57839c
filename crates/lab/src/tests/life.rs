//! Trials in which everything goes well.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use photofinish_load::{Mark, Until};
use photofinish_model::settings::CpuSets;
use photofinish_model::{Exchange, Template, Warmup, Window, check};

use super::*;
use crate::fake::{self, BODY};

#[test]
fn a_run_measures_everything_once_and_stops_every_server() {
    let mut bench = Bench::new();
    let plan = fake::plan(&["a", "b"], 3);
    let finished = bench.run(&plan);
    assert_eq!((finished.failed, finished.interrupted), (0, false));
    assert_eq!(finished.different_jobs, [""; 0]);
    let results = bench.results();
    assert_eq!(results.lines.len(), 12);
    assert_eq!(results.trials.len(), 6);
    assert!(results.lines.iter().all(|line| line.failure.is_none()));
    assert!(bench.host.all_stopped());
    assert_eq!(results.study.seed, 11);
    // Both targets in each round, every level once.
    for round in 1..=3 {
        let mut lines: Vec<_> = (results.lines.iter())
            .filter(|line| line.round == round)
            .map(|line| (line.target.as_str(), line.load.label()))
            .collect();
        lines.sort_unstable();
        let levels = ["16 connections", "256 connections"].map(str::to_owned);
        let expected = ["a", "b"].map(|target| levels.clone().map(|level| (target, level)));
        assert_eq!(lines, expected.concat());
    }
}

#[test]
fn a_line_holds_what_was_measured_and_used() {
    let mut bench = Bench::new();
    bench.run(&fake::plan(&["a"], 1));
    let results = bench.results();
    let line = results
        .lines
        .iter()
        .find(|line| line.load.label() == "16 connections")
        .expect("a line");
    let measurement = line.measurement.as_ref().expect("a measurement");
    assert_eq!(measurement.throughput_rps, 16_000.0);
    // The fake server uses 1 s of CPU between any two looks.
    let server = line.server.as_ref().expect("what the server used");
    assert_eq!(server.cpu_user_us_per_request, Some(1e6 / 16_000.0));
    assert_eq!(server.cpu_cores, Some(1.0));
    assert_eq!(server.threads_max, 3);
    let law = measurement
        .checks
        .iter()
        .find(|c| c.name == check::LITTLES_LAW)
        .expect("the law");
    assert_eq!(law.ok, Some(true), "{:?}", law.says);
}

#[test]
fn the_command_is_filled_in_and_the_response_recorded() {
    let mut bench = Bench::new();
    let mut plan = fake::plan(&["a@x"], 1);
    let start = &mut plan.targets[0].start;
    start
        .command
        .extend(["{jvm_flags}", "{photofinish} {cpus}"].map(str::to_owned));
    start.jvm_flags = vec!["-Xmx1g".to_owned(), "-Dport={port}".to_owned()];
    start.env.insert("PORT".to_owned(), "{port}".into());
    bench.run(&plan);
    let trial = bench.trial("a@x");
    let port = trial.port.expect("a port");
    let cores = std::thread::available_parallelism().expect("cores");
    let expected = [
        "serve".to_owned(),
        BODY.to_owned(),
        port.to_string(),
        "-Xmx1g".to_owned(),
        format!("-Dport={port}"),
        format!("/bin/photofinish {cores}"),
    ];
    assert_eq!(trial.command, expected);
    assert_eq!(
        *bench.host.started.lock().expect("lock")[0].env["PORT"].expose(),
        port.to_string()
    );
    assert_eq!(trial.pid, Some(4712));
    assert!(trial.ready_s.is_some());
    let verified = &trial.verified[0];
    assert_eq!((verified.status, verified.body_bytes), (200, 13));
    assert_eq!(verified.head, "HTTP/1.1 200 OK\r\nContent-Length: 13");
    assert_eq!(verified.wire_bytes, 39 + 13);
    assert!(
        bench
            .options()
            .results
            .join("logs/a@x-round-1.log")
            .exists()
    );
}

#[test]
fn a_server_has_a_folder_for_temporary_files_while_it_lives() {
    let mut bench = Bench::new();
    let mut plan = fake::plan(&["a"], 2);
    let env = &mut plan.targets[0].start.env;
    env.insert("BASE".to_owned(), "{temp}/base".into());
    bench.run(&plan);
    let started = bench.host.started.lock().expect("lock");
    let folders: Vec<&String> = started
        .iter()
        .map(|spec| spec.env["TMPDIR"].expose())
        .collect();
    assert_ne!(folders[0], folders[1]);
    for spec in started.iter() {
        let folder = spec.env["TMPDIR"].expose();
        assert_eq!(*spec.env["BASE"].expose(), format!("{folder}/base"));
        assert!(!std::path::Path::new(folder).exists());
    }
}

#[test]
fn each_workload_is_warmed_up_until_it_has_settled() {
    let mut bench = Bench::new();
    let mut plan = fake::plan(&["a"], 1);
    plan.workloads.push(fake::workload("json", &[7]));
    plan.settings.warmup_min = Duration::from_secs(4);
    plan.settings.warmup_max = Duration::from_secs(400);
    bench.run(&plan);
    let warmups = bench.trial("a").warmups;
    let of: Vec<_> = warmups
        .iter()
        .map(|w| (w.workload.as_str(), w.load.label()))
        .collect();
    let expected = [("plaintext", "256 connections"), ("json", "7 connections")];
    assert_eq!(
        of,
        expected.map(|(workload, load)| (workload, load.to_owned()))
    );
    assert!(warmups.iter().all(|w| w.settled && w.windows.len() >= 8));
    let reported = |event: &&Event| {
        matches!(
            event,
            Event::Warmed {
                settled: Some(true),
                ..
            }
        )
    };
    assert_eq!(bench.events.iter().filter(reported).count(), 2);
}

#[test]
fn a_server_that_was_warm_at_once_is_warmed_up_no_longer_in_later_rounds() {
    let lengths = |compiles: u32| {
        let mut bench = Bench::new();
        let mut plan = fake::plan(&["a", "b"], 3);
        plan.settings.warmup_min = Duration::from_secs(4);
        plan.settings.warmup_max = Duration::from_secs(400);
        for target in &mut plan.targets {
            let env = &mut target.start.env;
            env.insert(fake::COMPILES.to_owned(), compiles.to_string().into());
        }
        bench.run(&plan);
        let trials = bench.results().trials.into_iter();
        let warmup = |trial: TrialRecord| {
            let warmup = &trial.warmups[0];
            (trial.round, warmup.fixed)
        };
        trials.map(warmup).collect::<Vec<_>>()
    };
    // The first round shows how long it takes, for each.
    for (round, fixed) in lengths(0) {
        assert_eq!(fixed, round > 1, "{round}");
    }
    assert!(lengths(3).iter().all(|(_, fixed)| !fixed));
}

/// What came of a warm-up.
struct WarmedUp {
    /// How long each run of load was that the server got, and whether the load generator did not sleep in it.
    runs: Vec<(Duration, bool)>,
    warmup: Warmup,
    /// The cores that its compilers were to use, one after another.
    placed: Vec<Vec<usize>>,
}

/// Warms a server up that has compiled at so many looks.
fn warmed_up(compiles: u32, cpu_sets: CpuSets) -> WarmedUp {
    let mut bench = Bench::new();
    let mut plan = fake::plan(&["a"], 1);
    plan.settings.lanes = cpu_sets;
    let env = &mut plan.targets[0].start.env;
    env.insert(fake::COMPILES.to_owned(), compiles.to_string().into());
    plan.settings.warmup_min = Duration::from_secs(4);
    plan.settings.warmup_max = Duration::from_secs(400);
    let runs = Arc::new(Mutex::new(Vec::new()));
    let reported = Arc::clone(&runs);
    let load = FakeLoad(Box::new(move |config, control| {
        let Until::Elapsed(length) = config.until else {
            panic!("a run by number")
        };
        let run = (length, config.eager);
        reported.lock().expect("lock").push(run);
        // No more windows than are enough.
        let count = (length.as_millis() / config.window.as_millis()).min(10) as u32;
        for i in 0..count {
            let window = Window {
                start_s: (config.window * i).as_secs_f64(),
                duration_s: config.window.as_secs_f64(),
                ..fake::window(0, 100)
            };
            if let Some(windows) = control.windows() {
                windows.send(window).expect("the lab listens");
            }
        }
        let opened = Instant::now();
        control.mark(Mark::Opened(opened));
        control.mark(Mark::Closed(opened + config.window * count));
        let latency = Duration::from_millis(1);
        Ok(fake::outcome(
            config.connections(),
            config.window * count,
            1_000,
            latency,
        ))
    }));
    bench.race(&plan, &load);
    let mut runs = runs.lock().expect("lock").clone();
    // Two levels are measured.
    runs.truncate(runs.len() - 2);
    let placed = bench.host.life(0).placed.lock().expect("lock").clone();
    WarmedUp {
        runs,
        warmup: bench.trial("a").warmups.remove(0),
        placed,
    }
}

#[test]
fn a_server_without_a_compiler_is_warmed_up_without_bursts_until_it_has_settled() {
    let WarmedUp { runs, warmup, .. } = warmed_up(0, CpuSets::None);
    assert_eq!(runs.len(), 1);
    assert!(runs[0].0 > Duration::from_secs(390), "{runs:?}");
    assert_eq!((warmup.settled, warmup.windows.len()), (true, 10));
    assert_eq!(warmup.windows[0].duration_s, 0.1);
}

#[test]
fn bursts_go_on_while_compilers_have_work() {
    let WarmedUp {
        runs,
        warmup,
        placed,
    } = warmed_up(8, CpuSets::None);
    // One in which they were at work, two that gave them nothing to do, and the last run.
    let second = Duration::from_secs(1);
    assert_eq!(runs[..3], [(second, false); 3]);
    assert_eq!(runs.len(), 4, "{runs:?}");
    assert_eq!((warmup.settled, warmup.windows.len()), (true, 16));
    assert!(placed.is_empty());
}

#[test]
fn compilers_have_the_generators_cores_while_bursts_flow() {
    let apart = CpuSets::Explicit {
        server: vec![0],
        generator: vec![1],
    };
    let WarmedUp { runs, placed, .. } = warmed_up(8, apart.clone());
    let (last, bursts) = runs.split_last().expect("runs");
    let second = Duration::from_secs(1);
    assert!(bursts.len() > 2 && bursts.iter().all(|burst| *burst == (second, false)));
    // At last all is as it is when it is measured.
    assert!(last.0 > second && last.1, "{last:?}");
    let (in_bursts, after) = placed.split_at(bursts.len());
    assert_eq!(in_bursts, vec![vec![1]; bursts.len()]);
    assert_eq!(after, [[0], [0]]);
    // Without compilers nothing flows in bursts.
    let WarmedUp { runs, placed, .. } = warmed_up(0, apart);
    assert!(runs[0].1 && placed.iter().all(|cores| *cores == [0]));
}

#[test]
fn progress_counts_up_to_the_end() {
    let mut bench = Bench::new();
    bench.run(&fake::plan(&["a", "b"], 2));
    let done: Vec<_> = (bench.events.iter())
        .filter_map(|event| match event {
            Event::Measured { progress, .. } => Some((progress.done, progress.total)),
            _ => None,
        })
        .collect();
    let expected: Vec<_> = (1..=8).map(|done| (done, 8)).collect();
    assert_eq!(done, expected);
    assert!(matches!(
        bench.events.first(),
        Some(Event::Begins {
            trials: 4,
            seed: 11,
            ..
        })
    ));
}

#[test]
fn targets_whose_responses_differ_do_not_do_the_same_job() {
    let mut bench = Bench::new();
    let mut plan = fake::plan(&["a", "b"], 2);
    fake::http(&mut plan.workloads[0]).1.body = None;
    plan.targets[1].start.command[1] = "Hello, Mars!".to_owned();
    let finished = bench.run(&plan);
    assert_eq!(finished.failed, 0);
    assert_eq!(finished.different_jobs, ["plaintext"]);
    let results = bench.results();
    let first = results.trials.first().expect("a trial").trial;
    for line in &results.lines {
        let checks = &line.measurement.as_ref().expect("a measurement").checks;
        let job = checks
            .iter()
            .find(|c| c.name == check::SAME_JOB)
            .expect("the check");
        let expected = (line.trial != first).then_some(false);
        assert_eq!(job.ok, expected, "{:?}", job.says);
    }
    let mut reported = bench.events.iter().filter_map(|event| match event {
        Event::Differs(finding) => Some(finding.en.clone()),
        _ => None,
    });
    let says = reported.next();
    assert_eq!(reported.next(), None, "once a workload");
    assert!(
        says.as_ref()
            .expect("it is reported")
            .contains("differ first at offset 7"),
        "{says:?}"
    );
}

#[test]
fn redirects_are_followed_once_and_their_end_is_loaded_and_recorded() {
    let loaded = |follow_redirects: bool| {
        let mut bench = Bench::new();
        let mut plan = fake::plan(&["a", "b"], 2);
        let (request, expect) = fake::http(&mut plan.workloads[0]);
        request.path = Template::fixed("/old");
        expect.follow_redirects = follow_redirects;
        let options = bench.options();
        let paths = Arc::new(Mutex::new(BTreeSet::new()));
        let seen = Arc::clone(&paths);
        let load = FakeLoad(Box::new(move |config, control| {
            if let Exchange::Http { request, .. } = &config.exchange {
                seen.lock().expect("lock").insert(request.path.text());
            }
            Ok(fake::measured(config, control))
        }));
        let finished = bench.run_with(&plan, &options, &load).expect("a run");
        drop(load);
        let events = bench.events.iter().filter_map(|event| match event {
            Event::Redirected { target, path } => Some(format!("{target} {path}")),
            _ => None,
        });
        // A round's order is random.
        let events: BTreeSet<String> = events.collect();
        let events = Vec::from_iter(events);
        let trials = bench.results().trials;
        let verified = trials.iter().flat_map(|trial| &trial.verified);
        let recorded: Vec<Option<String>> = verified.map(|one| one.path.clone()).collect();
        let paths = Vec::from_iter(paths.lock().expect("lock").clone());
        (finished.failed > 0, paths, events, recorded)
    };
    let path = Some("/new".to_owned());
    assert_eq!(
        loaded(true),
        (
            false,
            vec!["/new".to_owned()],
            vec!["a /new".to_owned(), "b /new".to_owned()],
            vec![path; 4]
        )
    );
    // A redirect that nobody follows is a wrong response.
    let (failed, paths, events, recorded) = loaded(false);
    assert!(failed && paths.is_empty() && events.is_empty() && recorded.is_empty());
}

#[test]
fn a_server_is_called_as_its_url_calls_it_by_verification_and_load() {
    let mut bench = Bench::new();
    let mut plan = fake::plan(&["a", "b"], 1);
    plan.targets[0].host = Some("localhost".to_owned());
    let options = bench.options();
    let called = Arc::new(Mutex::new(BTreeSet::new()));
    let seen = Arc::clone(&called);
    let load = FakeLoad(Box::new(move |config, control| {
        let host = config.authority.rsplit_once(':').expect("a port").0;
        seen.lock().expect("lock").insert(host.to_owned());
        Ok(fake::measured(config, control))
    }));
    bench.run_with(&plan, &options, &load).expect("a run");
    drop(load);
    let called = called.lock().expect("lock").clone();
    assert_eq!(Vec::from_iter(called), ["127.0.0.1", "localhost"]);
    let lives = bench.host.lives.lock().expect("lock");
    let asked = lives.iter().map(|life| {
        let called = life.called.lock().expect("lock");
        called.split(':').next().map(str::to_owned)
    });
    let asked: BTreeSet<Option<String>> = asked.collect();
    assert_eq!(
        asked.into_iter().flatten().collect::<Vec<_>>(),
        ["127.0.0.1", "localhost"]
    );
}
