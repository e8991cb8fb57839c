//! Servers that run already: raced as others are, and neither started nor stopped.

use std::net::SocketAddr;
use std::sync::atomic::AtomicU32;

use photofinish_host::{Process, ProcessSpec};
use photofinish_model::{Exchange, check};
use photofinish_study::Scheme;
use photofinish_study::plan::{Endpoint, Listen};

use super::*;
use crate::events::Sequential;
use crate::fake::{self, BODY, FakeServer};

/// A server that is none of the run's, and its address.
fn running_server(bench: &Bench) -> (Process, Arc<FakeServer>, Endpoint) {
    let port = bench.host.host().free_port().expect("a port");
    let command = ["serve", BODY, &port.to_string()].map(str::to_owned);
    let spec = ProcessSpec {
        command: command.to_vec(),
        log: bench.folder.path().join("running.log"),
        ..ProcessSpec::default()
    };
    let process = bench.host.host().start(&spec).expect("a server");
    let endpoint = Endpoint {
        url: format!("http://api.test:{port}/own"),
        address: SocketAddr::from(([127, 0, 0, 1], port)).into(),
        authority: format!("api.test:{port}"),
        path: "/own".to_owned(),
        scheme: Scheme::Http,
        tls: false,
    };
    (process, bench.host.last(), endpoint)
}

/// A plan for two targets at this place.
fn plan(endpoint: &Endpoint, rounds: u32) -> Plan {
    let mut plan = fake::plan(&["a", "b"], rounds);
    for target in &mut plan.targets {
        target.start.command.clear();
        target.start.listen = Listen::Already(Box::new(endpoint.clone()));
    }
    plan
}

#[test]
fn it_is_measured_at_its_own_path_and_left_as_it_was() {
    let mut bench = Bench::new();
    let (mut process, life, endpoint) = running_server(&bench);
    let expected = endpoint.clone();
    let load = FakeLoad(Box::new(move |config, control| {
        assert_eq!(config.authority, expected.authority);
        assert_eq!(config.address, expected.address);
        let Exchange::Http { request, .. } = &config.exchange else {
            panic!("not HTTP")
        };
        assert_eq!(request.path.text(), "/own");
        Ok(fake::measured(config, control))
    }));
    for turns in [false, true] {
        let options = RunOptions {
            results: bench.folder.path().join(format!("turns-{turns}")),
            ..bench.options()
        };
        let plan = fake::with(plan(&endpoint, 2), |settings| {
            settings.turns = turns;
        });
        let finished = bench.run_with(&plan, &options, &load).expect("a run");
        assert_eq!((finished.failed, finished.interrupted), (0, false));
        let results = Results::read(&options.results).expect("results");
        assert!(results.study.targets.iter().all(|target| target.already));
        assert_eq!((results.lines.len(), results.trials.len()), (8, 4));
        for line in &results.lines {
            let measurement = line.measurement.as_ref().expect("a measurement");
            // Nothing is known of its process: no figure of it is zero.
            assert!(line.server.is_none());
            assert!(measurement.check(check::BYSTANDERS).is_none());
        }
        for trial in &results.trials {
            assert_eq!((trial.pid, trial.ready_s), (None, None));
            assert_eq!(trial.port, Some(port_of(&endpoint)));
            assert_eq!(trial.verified.len(), 1);
        }
    }
    // The other process's own start is the only one.
    assert_eq!(bench.host.started.lock().expect("lock").len(), 1);
    assert!(!is_set(&life.stopped));
    // Two at one place are up together all the same.
    let sequential = |event: &Event| {
        matches!(
            event,
            Event::Warning(crate::Warning::Sequential(Sequential::Listen { .. }))
        )
    };
    assert!(!bench.events.iter().any(sequential));
    process.stop(Duration::ZERO).expect("stopped");
}

fn port_of(endpoint: &Endpoint) -> u16 {
    let port = endpoint.authority.rsplit(':').next();
    port.and_then(|port| port.parse().ok()).expect("a port")
}

#[test]
fn one_that_vanishes_ends_its_measurement_and_keeps_those_before() {
    let mut bench = Bench::new();
    let (_process, life, endpoint) = running_server(&bench);
    let runs = AtomicU32::new(0);
    let load = FakeLoad(Box::new(move |config, control| {
        if runs.fetch_add(1, Ordering::SeqCst) < 4 {
            return Ok(fake::measured(config, control));
        }
        life.close();
        let mut outcome = fake::measured(config, control);
        outcome.responses_in_window = 0;
        (outcome.good, outcome.drained) = (0, 0);
        Ok(outcome)
    }));
    let mut plan = plan(&endpoint, 2);
    for target in &mut plan.targets {
        target.ready.timeout = Duration::from_millis(50);
    }
    let finished = bench.race(&plan, &load);
    assert!(finished.failed > 0 && !finished.interrupted);
    let lines = bench.results().lines;
    let measured = lines.iter().filter(|line| line.measurement.is_some());
    assert_eq!((lines.len(), measured.count()), (8, 4));
    let why = lines.iter().find_map(|line| line.failure.as_ref());
    let says = why.expect("a reason").to_string();
    assert!(says.contains("no response"), "{says}");
}

#[test]
fn one_that_is_not_there_is_named_before_anything_is_written() {
    let mut bench = Bench::new();
    let (_process, _, endpoint) = running_server(&bench);
    // A port that other tests may be given would have a server again; this one is nobody's.
    let endpoint = Endpoint {
        address: SocketAddr::from(([127, 0, 0, 1], 1)).into(),
        ..endpoint
    };
    let options = bench.options();
    let says = bench.refusal(&plan(&endpoint, 1), &options);
    let begins = format!("reach {}: ", endpoint.url);
    assert!(says.starts_with(&begins), "{says}");
    assert!(says.contains("start the server there first"), "{says}");
    assert!(!options.results.exists());
}
