//! The checks over a whole run.

use super::*;
use photofinish_model::kubernetes::PodRecord;
use photofinish_model::message::Message;
use photofinish_model::samples::WORKLOAD;
use photofinish_model::slurm::NodeRecord;
use photofinish_model::{Check, Machines, Warmup, check};
use photofinish_voice::checks as said;

fn status(comparison: &Comparison, name: &str) -> CheckStatus {
    let check = comparison.checks.iter().find(|check| check.name == name);
    check.expect("the rule").status
}

fn english(notes: &[Message]) -> Vec<&str> {
    notes.iter().map(|note| note.en.as_str()).collect()
}

#[test]
fn rules_are_ok_only_when_all_were_checked() {
    let mut results = two(1.1);
    let comparison = Comparison::from(&results);
    let names: Vec<&str> = comparison.checks.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, check::ALL);
    assert_eq!(status(&comparison, check::LITTLES_LAW), CheckStatus::Ok);
    assert_eq!(status(&comparison, check::SAME_JOB), CheckStatus::Ok);
    assert_eq!(status(&comparison, check::INTERLEAVED), CheckStatus::Ok);
    for name in [check::STEADY, check::QUIET, check::NOISE_FLOOR] {
        assert_eq!(status(&comparison, name), CheckStatus::NotChecked);
    }
    let checks = &mut results.lines[4].measurement.as_mut().expect("one").checks;
    checks[0] = Check {
        name: check::LITTLES_LAW.to_owned(),
        ok: Some(false),
        says: Some(samples::message("90 is not 100")),
    };
    checks[1].ok = None;
    checks[1].says = Some(said::not_sampled());
    let comparison = Comparison::from(&results);
    let littles_law = &comparison.checks[0];
    assert_eq!(littles_law.status, CheckStatus::Failed);
    assert_eq!(
        littles_law.failing[0].place(),
        "a, plaintext, 100 connections, round 3"
    );
    assert_eq!(littles_law.failing[0].says.en, "90 is not 100");
    assert_eq!(status(&comparison, check::GENERATOR), CheckStatus::Partly);
    assert_eq!(
        comparison.checks[1].says.en,
        "passed where it could be checked: 9 of 10 measurements; the others: the machine was not sampled"
    );
    assert_eq!(comparison.checks[3].says.id, "run_check.not_checked");
}

/// Two machines that a scheduler gave.
fn apart(pods: Vec<PodRecord>, nodes: Vec<NodeRecord>) -> Machines {
    Machines {
        pods,
        nodes,
        networks: Vec::new(),
        ..samples::machines(None, None)
    }
}

/// Asserts that the last check is that of own cores and failed so, and what its first failure says.
fn own_cores_fail(results: &Results, begins: &str, says: &str) {
    let comparison = Comparison::from(results);
    let check = comparison.checks.last().expect("one");
    assert_eq!(check.name, check::OWN_CORES);
    assert_eq!(check.status, CheckStatus::Failed);
    assert!(check.says.en.starts_with(begins), "{}", check.says.en);
    assert_eq!(check.failing[0].says.en, says);
}

#[test]
fn a_pod_without_cores_of_its_own_fails_a_check() {
    let mut results = two(1.1);
    let pod = |machine: &str, cpus: &[u32]| PodRecord {
        machine: machine.to_owned(),
        pod: format!("pod-on-{machine}"),
        image: "image".to_owned(),
        cpus_asked: 2,
        cpus: cpus.to_vec(),
        host_network: false,
    };
    let mut machines = apart(vec![pod("one", &[2, 3]), pod("other", &[4, 5])], Vec::new());
    results.environment.machines = Some(machines.clone());
    let comparison = Comparison::from(&results);
    assert_eq!(status(&comparison, check::OWN_CORES), CheckStatus::Ok);
    machines.pods[1].cpus = (0..8).collect();
    results.environment.machines = Some(machines);
    own_cores_fail(
        &results,
        "failed in 1 of 2 pods: ",
        "the pod pod-on-other asked for 2 cores and may run on 8 of other: it is limited by CPU time, not to cores of its own",
    );
}

#[test]
fn a_node_whose_job_is_bound_to_no_cores_fails_the_same_check() {
    let mut results = two(1.1);
    let node = |machine: &str, may: u32| NodeRecord {
        machine: machine.to_owned(),
        job: "12".to_owned(),
        partition: "race".to_owned(),
        exclusive: true,
        cpus_asked: 2,
        all_cpus: false,
        cpus: (0..may).collect(),
    };
    let nodes = vec![node("one", 2), node("other", 4)];
    results.environment.machines = Some(apart(Vec::new(), nodes));
    own_cores_fail(
        &results,
        "failed in 1 of 2 nodes: ",
        "job 12 asked for 2 cores of other and may run on 4 of them: Slurm does not bind it to those that it gave",
    );
}

#[test]
fn a_server_that_never_settled_is_listed_but_not_where_its_warm_up_had_a_fixed_length() {
    let mut results = two(1.1);
    let settled = [(true, false), (false, false), (false, true)];
    for ((settled, fixed), trial) in settled.into_iter().zip(&mut results.trials) {
        trial.warmups = vec![Warmup {
            duration_s: 60.0,
            settled,
            fixed,
            load: CLOSED_100,
            workload: WORKLOAD.to_owned(),
            windows: Vec::new(),
            shifts: Vec::new(),
        }];
    }
    let steady = Comparison::from(&results).checks[3].clone();
    assert_eq!(steady.status, CheckStatus::NotChecked);
    assert_eq!(
        english(&steady.notes),
        ["never steady: b, after 60.0 s of warm-up on plaintext at 100 connections in round 1"]
    );
}

#[test]
fn another_body_is_another_job_and_other_headers_are_reported() {
    let mut results = two(1.1);
    for trial in results.trials.iter_mut().filter(|t| t.target == "b") {
        trial.verified[0].head =
            "HTTP/1.1 200 OK\r\nServer: b\r\nContent-Length: 13\r\n\r\n".to_owned();
        trial.verified[0].wire_bytes = 66;
    }
    let same_job = Comparison::from(&results).checks[4].clone();
    assert_eq!(same_job.status, CheckStatus::Ok);
    assert_eq!(
        english(&same_job.notes),
        [
            "plaintext: bytes of a response on the wire differ: a 79, b 66",
            "plaintext: headers that not all servers send: a sends content-type; b sends server",
        ]
    );
    results.trials[1].verified[0].body_sha256 = "00".repeat(32);
    results.trials[1].verified[0].body_bytes = 12;
    let same_job = Comparison::from(&results).checks[4].clone();
    assert_eq!(same_job.status, CheckStatus::Failed);
    assert_eq!(same_job.failing[0].place(), "b, plaintext, round 1");
    assert!(
        same_job.failing[0]
            .says
            .en
            .contains("but a responded with status 200 and a body of 13 bytes")
    );
    results.study.workloads[0].responses_vary = true;
    let same_job = Comparison::from(&results).checks[4].clone();
    assert_eq!(same_job.status, CheckStatus::Ok);
}

#[test]
fn a_reused_process_and_a_grouped_order_fail() {
    let mut results = two(1.1);
    results.trials[3].pid = results.trials[0].pid;
    let interleaved = Comparison::from(&results).checks[6].clone();
    assert_eq!(interleaved.status, CheckStatus::Failed);
    assert_eq!(interleaved.failing.len(), 1);

    let mut results = two(1.1);
    results.trials.sort_by(|x, y| x.target.cmp(&y.target));
    for (trial, number) in results.trials.iter_mut().zip(1..) {
        trial.trial = number;
    }
    let interleaved = Comparison::from(&results).checks[6].clone();
    assert_eq!(
        interleaved.failing[0].says.en,
        "all trials of one server were run before those of the next"
    );
}

#[test]
fn the_network_is_bytes_over_the_window() {
    use photofinish_model::Metric;
    let results = two(1.0);
    let line = &results.lines[0];
    let measurement = line.measurement.as_ref().unwrap();
    // 128 bytes in and 64 out for each request.
    let rate = measurement.requests as f64 / 5.0;
    assert_eq!(Metric::ResponseBytes.of(line), Some(rate * 128.0));
    assert_eq!(Metric::RequestBytes.of(line), Some(rate * 64.0));
    assert_eq!(Metric::Network.of(line), Some(rate * 192.0));
}
