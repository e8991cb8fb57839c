//! `scripts/convert-results` makes format version 1 of what early versions wrote.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use photofinish_judge::comparison::Comparison;
use photofinish_model::capacity::Step;
use photofinish_model::finding::asked::{Asked, AskedMessage};
use photofinish_model::finding::capacity::Broken;
use photofinish_model::finding::left_out::{LeftOut, Untested};
use photofinish_model::samples::assert_contains;
use photofinish_model::store::{MEASUREMENTS, Results, STUDY, TRIALS};
use photofinish_model::{Metric, samples};
use serde_json::{Value, json};

fn convert(folder: &Path) -> Output {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scripts/convert-results");
    let done = Command::new(script).arg(folder).output();
    done.expect("python3 runs the script")
}

fn converted(folder: &Path) -> Results {
    let done = convert(folder);
    let says = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{says}");
    Results::read(folder).expect("a results folder")
}

/// A run of two servers as JSON: the study, and the lines of measurements and trials.
struct Early {
    study: Value,
    lines: Vec<Value>,
    trials: Vec<Value>,
}

impl Early {
    /// A run as the first version wrote it.
    fn new() -> Early {
        let run = samples::race(&["a", "b"], &[&[1100.0, 1110.0], &[1000.0, 1010.0]]);
        let value = |record: Value, version: u32| {
            let mut record = record;
            record["version"] = version.into();
            record
        };
        let json = |record| serde_json::to_value(record).expect("JSON");
        let mut study = value(serde_json::to_value(&run.study).expect("JSON"), 1);
        for name in ["settings", "services", "secrets", "fingerprint_key"] {
            study.as_object_mut().expect("an object").remove(name);
        }
        for (name, value) in [
            ("rounds", json!(2)),
            ("max_rounds", Value::Null),
            ("duration_s", json!(2.5)),
            ("margin", json!(0.03)),
            ("smoke", json!(false)),
        ] {
            study[name] = value;
        }
        let workload = study["workloads"][0].as_object_mut().expect("an object");
        workload.remove("responses_vary");
        workload.insert("answers_vary".to_owned(), true.into());
        workload["request"] = "GET /plaintext over HTTP/2 (3 streams)".into();
        let lines = run.lines.iter().map(|line| {
            let mut line = value(json(line), 2);
            let measured = line["measurement"].as_object_mut().expect("an object");
            measured.remove("changed");
            measured["windows"] = json!([
                {"start_s": 0.0, "duration_s": 1.0, "answers": 7, "errors": 0, "p50_us": null, "p99_us": null, "max_us": null}
            ]);
            measured["checks"] = json!([
                {"name": "known-ruler", "ok": null, "says": "not checked for one load run"},
                {"name": "errors", "ok": true, "says": "all is well", "finding": {"code": "no-errors"}},
            ]);
            line
        });
        let lines = lines.collect();
        let trials = run
            .trials
            .iter()
            .map(|trial| value(serde_json::to_value(trial).expect("JSON"), 3));
        let trials = trials.collect();
        Early {
            study,
            lines,
            trials,
        }
    }

    fn write(&self) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let rows = |all: &[Value]| -> String { all.iter().map(|one| format!("{one}\n")).collect() };
        let mut environment = serde_json::to_value(samples::environment()).expect("JSON");
        environment["version"] = 1.into();
        for (name, text) in [
            (STUDY, self.study.to_string()),
            ("environment.json", environment.to_string()),
            (MEASUREMENTS, rows(&self.lines)),
            (TRIALS, rows(&self.trials)),
        ] {
            fs::write(folder.path().join(name), text).expect("written");
        }
        folder
    }
}

#[test]
fn a_run_of_early_versions_is_read_with_its_figures() {
    let early = Early::new();
    let folder = early.write();
    assert!(Results::read(folder.path()).is_err());
    let results = converted(folder.path());
    let settings = &results.study.settings;
    assert_eq!((settings.rounds, settings.margin), (2, 0.03));
    assert_eq!(
        (settings.within, settings.duration.as_secs_f64()),
        (None, 2.5)
    );
    let workload = &results.study.workloads[0];
    assert!(workload.responses_vary);
    assert_eq!(
        workload.request.message().en,
        "GET /plaintext (HTTP/2, 3 streams)"
    );
    let measured = results.lines[0].measurement.as_ref().expect("measured");
    assert_eq!(measured.throughput_rps, 1100.0);
    assert_eq!(measured.windows[0].responses, 7);
    assert_eq!(measured.checks[0].name, "noise-floor");
    assert_eq!(measured.checks[0].says, None);
    let says = measured.checks[1].says.as_ref().expect("a message");
    assert_eq!((&*says.en, &*says.zh), ("all is well", "“all is well”"));
    let ratio = Comparison::from(&results).cells[0].verdicts[0].ratio;
    let expected = (1.1_f64 * 1110.0 / 1010.0).sqrt();
    assert!((ratio.expect("a ratio") - expected).abs() < 1e-9);
    // A second time nothing changes.
    let read = |name| fs::read(folder.path().join(name)).expect("a file");
    let before = [STUDY, MEASUREMENTS, TRIALS].map(read);
    converted(folder.path());
    assert_eq!([STUDY, MEASUREMENTS, TRIALS].map(read), before);
}

#[test]
fn failures_keep_their_sentences() {
    let printed = json!({"log": "", "lines": []});
    let silence = |why: Value| json!({"window_s": 1.0, "workload": "plaintext", "load": {"kind": "closed", "connections": 1}, "why": why});
    let cases = [
        (json!("it died"), "failed to measure: it died"),
        (json!("failed to start x: no"), "failed to start x: no"),
        (
            json!({"code": "recorded", "says": "it died"}),
            "failed to measure: it died",
        ),
        (
            json!({"code": "load", "says": "no threads"}),
            "failed to send load: no threads",
        ),
        (
            json!({"code": "load", "why": {"trouble": "request", "why": {"fault": "recorded", "says": "a line break"}}}),
            "failed to send load: load as configured: a line break",
        ),
        (
            json!({"code": "server", "fate": {"fate": "lost", "when": "loaded", "says": "reach far: gone"}, "printed": printed}),
            "the server was lost while load was sent: failed to reach far: gone",
        ),
        (
            json!({"code": "response", "wrong": {"wrong": "shape", "request": "TCP echo of 1 byte", "says": "it differs"}}),
            "TCP echo of 1 byte: it differs",
        ),
        (
            json!({"code": "response", "wrong": {"wrong": "request", "request": "GET /", "says": "a line break"}}),
            "GET /: a line break",
        ),
        (
            json!({"code": "response", "wrong": {"wrong": "silent", "request": "GET /", "met": {"met": "grpc", "says": "no reply"}}}),
            "GET /: gRPC: no reply",
        ),
        (
            json!({"code": "gone", "silence": silence(json!({"why": "error", "says": "closed"})), "then": {"code": "recorded", "says": "failed to connect"}}),
            "closed; then failed to connect",
        ),
    ];
    let mut early = Early::new();
    early.trials[0]["failure"] = "it did not start".into();
    let line = early.lines[0].clone();
    early.lines = cases
        .iter()
        .zip(1..)
        .map(|((failure, _), round)| {
            let mut line = line.clone();
            (line["measurement"], line["failure"]) = (Value::Null, failure.clone());
            line["round"] = round.into();
            line
        })
        .collect();
    let results = converted(early.write().path());
    let failure = results.trials[0].failure.as_ref().expect("a failure");
    assert_eq!(failure.to_string(), "failed to measure: it did not start");
    for ((_, sentence), line) in cases.iter().zip(&results.lines) {
        let says = line.failure.as_ref().expect("a failure").to_string();
        assert!(says.ends_with(sentence), "{says}");
    }
}

#[test]
fn requests_claims_and_what_was_left_out_become_data() {
    let mut early = Early::new();
    early.study["left_out"] = json!([
        "target c: --only leaves it out",
        "limit d: --no-limit leaves it out",
        "workload e: none of its targets runs",
        "claim f: its level (1,000 connections) does not run (it does with --scale published)",
        {"code": "recorded", "says": "something else"},
    ]);
    let workload = early.study["workloads"][0].clone();
    let requests = [
        json!("TCP echo of 5120 bytes"),
        json!("WebSocket /a, message secret (2 in flight)"),
        json!("WebSocket /a, messages of 64 bytes"),
        json!("POST /a b"),
        json!({"code": "written", "text": "GET /c"}),
        json!({"code": "web-socket", "path": "/", "message": {"kind": "text", "text": "secret"}, "streams": 1}),
    ];
    early.study["workloads"] = requests
        .iter()
        .map(|request| {
            let mut workload = workload.clone();
            workload["request"] = request.clone();
            workload
        })
        .collect();
    early.study["claims"] = json!([{
        "id": "a", "says": "", "metric": "bytes-per-answer", "of": "a", "over": "b", "workload": "plaintext",
        "load": {"kind": "closed", "connections": 100}, "figures": "", "source": "", "judged": true,
    }]);
    let study = converted(early.write().path()).study;
    let target = |name: &str| name.to_owned();
    assert_eq!(
        study.left_out,
        [
            LeftOut::Target {
                target: target("c")
            },
            LeftOut::Limit {
                target: target("d")
            },
            LeftOut::Workload {
                workload: target("e")
            },
            LeftOut::Claim {
                id: target("f"),
                why: Untested::Level {
                    load: photofinish_model::Load::Closed { connections: 1_000 },
                    published: true,
                },
            },
        ]
    );
    assert_eq!(study.notes.as_deref(), Some("Left out: something else"));
    let asked: Vec<String> = study
        .workloads
        .iter()
        .map(|one| one.request.message().en)
        .collect();
    assert_eq!(
        asked,
        [
            "TCP echo of 5,120 bytes",
            "WebSocket /a, message *** (2 in flight)",
            "WebSocket /a, messages of 64 bytes",
            "POST /a b",
            "GET /c",
            "WebSocket /, message ***",
        ]
    );
    let Asked::WebSocket { message, .. } = &study.workloads[5].request else {
        panic!("{study:?}");
    };
    assert_eq!(
        *message,
        AskedMessage::Text {
            text: target("***")
        }
    );
    assert_eq!(study.claims[0].metric, Metric::BytesPerResponse);
}

#[test]
fn why_a_rate_failed_becomes_data() {
    let mut early = Early::new();
    let step = |requests: u64, errors: u64, why: Value, finding: Value| {
        json!({"offered_rps": 100.0, "achieved_rps": 50.0, "requests": requests, "errors": errors, "p50_us": 1.0, "p99_us": 20500.25,
            "generator_cpu": 0.5, "hiccup_us": null, "holds": false, "why": why, "finding": finding})
    };
    let time = json!({"code": "time", "figure": "p99", "us": 7.0});
    let steps = [
        step(10, 0, json!("p99 20.5 ms"), Value::Null),
        step(10, 0, json!("p95 20.5 ms"), Value::Null),
        step(10, 0, json!("p99 above 10 ms"), time),
        step(
            10,
            0,
            json!("achieved 50.0% of the offered rate"),
            Value::Null,
        ),
        step(10, 1, json!("10.00% errors"), Value::Null),
        step(0, 0, json!("no request came to an end"), Value::Null),
        step(
            10,
            0,
            json!({"code": "recorded", "says": "p50 1 µs"}),
            Value::Null,
        ),
    ];
    early.lines[0]["measurement"]["capacity"] = json!({
        "sustained_rps": null, "failed_rps": 100.0, "ended": "found", "generator_limited": false, "noise_us": null, "steps": steps,
    });
    let results = converted(early.write().path());
    let measured = results.lines[0].measurement.as_ref().expect("measured");
    let steps: &[Step] = &measured.capacity.as_ref().expect("a search").steps;
    let time = |figure: &str, us| Broken::Time {
        figure: figure.to_owned(),
        us,
    };
    let why: Vec<Broken> = steps.iter().filter_map(|step| step.why.clone()).collect();
    assert_eq!(
        why,
        [
            time("p99", 20_500.25),
            time("p95", 20_500.0),
            time("p99", 7.0),
            Broken::NotAchieved { ratio: 0.5 },
            Broken::Errors { share: 0.1 },
            Broken::NoResponse {},
            time("p50", 1.0),
        ]
    );
}

#[test]
fn a_folder_that_cannot_be_converted_stays_as_it_is() {
    let mut early = Early::new();
    early.lines[1]["version"] = 4.into();
    let folder = early.write();
    let read = |name| fs::read_to_string(folder.path().join(name)).expect("a file");
    let before = [STUDY, MEASUREMENTS, TRIALS].map(read);
    let done = convert(folder.path());
    assert_eq!(done.status.code(), Some(1));
    let says = String::from_utf8_lossy(&done.stderr);
    assert_contains(
        &says,
        "measurements.jsonl, line 2: format version 4 is unknown",
    );
    assert_eq!([STUDY, MEASUREMENTS, TRIALS].map(read), before);
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 4);
    // Half a line at the end is what a killed run leaves.
    early.lines[1]["version"] = 3.into();
    let folder = early.write();
    let path = folder.path().join(MEASUREMENTS);
    let text = fs::read_to_string(&path).expect("text");
    fs::write(&path, format!("{text}{{\"version\":3,\"ro")).expect("written");
    assert_eq!(converted(folder.path()).lines.len(), early.lines.len());
}
