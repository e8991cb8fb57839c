use super::*;
use photofinish_model::kubernetes::PodRecord;
use photofinish_model::message::Message;
use photofinish_model::samples::WORKLOAD;
use photofinish_model::slurm::NodeRecord;
use photofinish_model::{Check, Claim, ClaimDirection, Machines, Warmup, check};
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
    let mut machines = Machines {
        server: "one".to_owned(),
        generator: "other".to_owned(),
        same: false,
        generator_cpu: "Sample CPU".to_owned(),
        generator_cores: 2,
        generator_kernel: "6.1.0".to_owned(),
        generators: Vec::new(),
        pods: vec![pod("one", &[2, 3]), pod("other", &[4, 5])],
        nodes: Vec::new(),
        networks: Vec::new(),
    };
    results.environment.machines = Some(machines.clone());
    let comparison = Comparison::from(&results);
    assert_eq!(status(&comparison, check::OWN_CORES), CheckStatus::Ok);
    machines.pods[1].cpus = (0..8).collect();
    results.environment.machines = Some(machines);
    let comparison = Comparison::from(&results);
    let check = comparison.checks.last().expect("one");
    assert_eq!(check.name, check::OWN_CORES);
    assert_eq!(check.status, CheckStatus::Failed);
    assert!(
        check.says.en.starts_with("failed in 1 of 2 pods: "),
        "{}",
        check.says.en
    );
    assert_eq!(
        check.failing[0].says.en,
        "the pod pod-on-other asked for 2 cores and may run on 8 of other: it is limited by CPU time, not to cores of its own"
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
    results.environment.machines = Some(Machines {
        server: "one".to_owned(),
        generator: "other".to_owned(),
        same: false,
        generator_cpu: "Sample CPU".to_owned(),
        generator_cores: 2,
        generator_kernel: "6.1.0".to_owned(),
        generators: Vec::new(),
        pods: Vec::new(),
        nodes: vec![node("one", 2), node("other", 4)],
        networks: Vec::new(),
    });
    let comparison = Comparison::from(&results);
    let check = comparison.checks.last().expect("one");
    assert_eq!(check.name, check::OWN_CORES);
    assert_eq!(check.status, CheckStatus::Failed);
    assert!(
        check.says.en.starts_with("failed in 1 of 2 nodes: "),
        "{}",
        check.says.en
    );
    assert_eq!(
        check.failing[0].says.en,
        "job 12 asked for 2 cores of other and may run on 4 of them: Slurm does not bind it to those that it gave"
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

pub(super) fn claim(metric: Metric, ratio: f64) -> Claim {
    Claim {
        id: "a".to_owned(),
        says: "a beats b".to_owned(),
        metric,
        of: "a".to_owned(),
        over: "b".to_owned(),
        ratio: Some(ratio),
        direction: None,
        margin: None,
        workload: WORKLOAD.to_owned(),
        load: CLOSED_100,
        measured_at: None,
        over_workload: None,
        over_load: None,
        figures: "x against y".to_owned(),
        source: "somewhere".to_owned(),
        decimals: None,
        judged: metric != Metric::Max,
    }
}

#[test]
fn a_direction_without_a_size_is_judged_as_a_verdict_is() {
    let stated = |direction| Claim {
        ratio: None,
        direction: Some(direction),
        ..claim(Metric::Throughput, 1.0)
    };
    let judged = |ratio| {
        let mut results = two(ratio);
        results.study.claims = vec![stated(ClaimDirection::More), stated(ClaimDirection::Less)];
        let comparison = Comparison::from(&results);
        let verdicts = [0, 1].map(|at| comparison.claims[at].verdict);
        (verdicts, comparison.claims[1].says.en.clone())
    };
    use ClaimVerdict::{DoesNotHold, Holds};
    let (verdicts, says) = judged(1.10);
    assert_eq!(verdicts, [Holds, DoesNotHold]);
    assert_eq!(
        says,
        "published less (no figure given), measured 1.100 [1.079 … 1.122]"
    );
    let (verdicts, _) = judged(0.90);
    assert_eq!(verdicts, [DoesNotHold, Holds]);
}

#[test]
fn a_claim_about_profiles_says_how_to_get_them() {
    let mut results = two(1.10);
    results.study.claims = vec![Claim {
        ratio: None,
        direction: Some(ClaimDirection::Less),
        ..claim(Metric::StackDepth, 1.0)
    }];
    let comparison = Comparison::from(&results);
    assert_eq!(
        (comparison.claims[0].verdict, &*comparison.claims[0].says.en),
        (
            ClaimVerdict::NotMeasured,
            "profiles of this run do not show it; run with --profile"
        )
    );
}

#[test]
fn a_claim_of_an_older_run_is_read() {
    let mut json = serde_json::to_value(claim(Metric::Throughput, 1.1)).expect("JSON");
    json.as_object_mut().expect("a claim").remove("direction");
    let read: Claim = serde_json::from_value(json).expect("a claim");
    assert_eq!(read, claim(Metric::Throughput, 1.1));
}

#[test]
fn claims_have_each_outcome() {
    let mut results = two(1.10);
    results.study.claims = vec![
        claim(Metric::Throughput, 1.09),
        claim(Metric::Throughput, 1.50),
        claim(Metric::Throughput, 0.80),
        claim(Metric::Max, 0.25),
        Claim {
            load: Load::Closed { connections: 7 },
            ..claim(Metric::Throughput, 1.1)
        },
        Claim {
            of: "zebra".to_owned(),
            ..claim(Metric::Throughput, 1.1)
        },
        // 1.09 ± 3% is 1.058 … 1.123, which holds all of 1.079 … 1.122; so is 1.1 with one decimal, 1.05 … 1.15.
        Claim {
            margin: Some(0.03),
            ..claim(Metric::Throughput, 1.09)
        },
        Claim {
            decimals: Some(1),
            ..claim(Metric::Throughput, 1.1)
        },
    ];
    let comparison = Comparison::from(&results);
    let verdicts: Vec<ClaimVerdict> = comparison.claims.iter().map(|c| c.verdict).collect();
    assert_eq!(
        verdicts,
        [
            // 1.09 ± 2% is 1.069 … 1.112: the interval reaches beyond it.
            ClaimVerdict::DirectionHolds,
            ClaimVerdict::SameDirection,
            ClaimVerdict::DoesNotHold,
            ClaimVerdict::Shown,
            ClaimVerdict::NotMeasured,
            ClaimVerdict::NotMeasured,
            ClaimVerdict::Holds,
            ClaimVerdict::Holds,
        ]
    );
    assert_eq!(
        comparison.claims[0].says.en,
        "published 1.090 (holds from 1.069 to 1.112), measured 1.100 [1.079 … 1.122]"
    );
    assert_eq!(
        comparison.claims[3].says.en,
        "a max 887 … 923 ms (p99.9 355 … 369 ms); b max 0.990 … 1.01 s (p99.9 396 … 404 ms)"
    );
    assert_eq!(comparison.claims[3].ratio, None);
    assert_eq!(
        comparison.claims[4].says.en,
        "plaintext, 7 connections is not among the levels of this run"
    );

    let mut undecided = two(1.012);
    undecided.study.claims = vec![claim(Metric::Throughput, 1.067)];
    assert_eq!(
        Comparison::from(&undecided).claims[0].verdict,
        ClaimVerdict::Undecided
    );
    undecided.study.settings.smoke = true;
    let void = Comparison::from(&undecided).claims.remove(0);
    assert_eq!(void.verdict, ClaimVerdict::Void);
    assert_eq!(void.says.id, "invalid.smoke");
}

#[test]
fn what_was_published_coarsely_is_held_against_no_finer_margin() {
    let mut results = two(1.0);
    let fine = claim(Metric::Throughput, 0.95);
    let coarse = Claim {
        margin: Some(0.06),
        ..fine.clone()
    };
    results.study.claims = vec![fine, coarse];
    let comparison = Comparison::from(&results);
    let says: Vec<&str> = comparison.claims.iter().map(|c| &*c.says.en).collect();
    assert_eq!(
        says,
        [
            "published 0.950 (holds from 0.931 to 0.969), measured 1.000 [0.981 … 1.020]",
            "published 0.950 ± 6% (holds from 0.896 to 1.007), measured 1.000 [0.981 … 1.020]",
        ]
    );
}

#[test]
fn a_claim_about_a_level_that_was_not_run_is_tested_at_the_one_in_its_stead() {
    let mut results = two(1.10);
    let published = Claim {
        load: Load::Closed { connections: 5_000 },
        measured_at: Some(CLOSED_100),
        ..claim(Metric::Throughput, 1.09)
    };
    results.study.claims = vec![published];
    let found = Comparison::from(&results).claims.remove(0);
    assert_eq!(found.verdict, ClaimVerdict::DirectionHolds);
    assert_eq!(found.level.en, "5,000 connections");
    assert_eq!(
        found.measured_level.map(|level| level.en).as_deref(),
        Some("100 connections")
    );
    assert_eq!(
        found.says.en,
        "published 1.090 (holds from 1.069 to 1.112), measured 1.100 [1.079 … 1.122] at 100 connections"
    );
}

#[test]
fn the_sides_of_a_claim_may_stand_at_two_levels() {
    let mut results = two(1.10);
    let more = Load::Closed { connections: 1_000 };
    results.study.workloads[0].loads.push(more.clone());
    // At 1,000 connections every target serves half as many, round by round.
    let again: Vec<_> = results
        .lines
        .iter()
        .map(|line| {
            let mut line = line.clone();
            line.load = more.clone();
            if let Some(measurement) = &mut line.measurement {
                measurement.throughput_rps /= 2.0;
            }
            line
        })
        .collect();
    results.lines.extend(again);
    results.study.claims = vec![Claim {
        over: "a".to_owned(),
        load: more,
        over_load: Some(CLOSED_100),
        ..claim(Metric::Throughput, 0.5)
    }];
    let found = Comparison::from(&results).claims.remove(0);
    assert_eq!(found.verdict, ClaimVerdict::Holds);
    assert!((found.ratio.unwrap() - 0.5).abs() < 1e-9);
    assert_eq!(
        found.over_place.as_ref().map(|place| place.en.as_str()),
        Some("plaintext, 100 connections")
    );
}

#[test]
fn responses_that_vary_need_not_be_equal() {
    let mut results = two(1.1);
    results.trials[1].verified[0].body_sha256 = "00".repeat(32);
    results.study.workloads[0].responses_vary = true;
    assert_ne!(
        Comparison::from(&results).checks[4].status,
        CheckStatus::Failed
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
