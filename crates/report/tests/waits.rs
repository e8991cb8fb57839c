//! What threads waited for, in a report.

use std::collections::BTreeMap;
use std::path::Path;

use photofinish_judge::comparison::Comparison;
use photofinish_model::store::Results;
use photofinish_model::{Metric, Wait, Waits, samples};
use photofinish_report::{self as report, Detail, Screen};

/// Two servers, of which the first waits for a pool, 250 of whose samples at 50 Hz are 5 s, which 1,000 requests shared.
fn waiting(virtual_threads: bool) -> Results {
    let rounds = [1_000.0, 1_010.0, 990.0];
    let mut results = samples::race(&["platform", "virtual"], &[&rounds, &rounds]);
    for line in &mut results.lines {
        let is_virtual = line.target == "virtual";
        let waits = match is_virtual {
            true => BTreeMap::new(),
            false => BTreeMap::from([(Wait::Pool, 250)]),
        };
        line.waits = Some(Waits {
            throughput_rps: 990.0,
            responses: 1_000,
            hertz: 50.0,
            samples: 900,
            waits,
            has_virtual_threads: is_virtual && virtual_threads,
            file: "profiles/x.waits.folded".to_owned(),
            merged: 0,
        });
    }
    results
}

/// As one line, whatever its width.
fn markdown(results: &Results) -> String {
    let text = report::markdown(&Comparison::from(results));
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

#[test]
fn waits_stand_beside_what_was_used() {
    let results = waiting(false);
    let comparison = Comparison::from(&results);
    let target = |label: &str| {
        let mut targets = comparison.cells[0].targets.iter();
        targets.find(|t| t.target == label).expect("a target")
    };
    let pool = target("platform").figure(Metric::WaitPool);
    let mean = pool.and_then(|figure| figure.mean).expect("a figure");
    assert!((mean - 5_000.0).abs() < 1e-6, "{mean}");
    assert_eq!(
        target("virtual")
            .figure(Metric::WaitPool)
            .expect("zero")
            .max,
        0.0
    );
    let text = markdown(&results);
    assert!(text.contains("wait for a pooled connection"), "{text}");
    assert!(text.contains("5.00 ms"), "{text}");
    assert!(text.contains("Waits, per request: for how long"), "{text}");
    // Nobody waits so.
    assert!(!text.contains("wait for a lock"), "{text}");
    assert!(!text.contains("Virtual threads"), "{text}");
}

#[test]
fn virtual_threads_are_said_to_wait_unseen() {
    let text = markdown(&waiting(true));
    let says = "Virtual threads (virtual) are not seen while they wait.";
    assert!(text.contains(says), "{text}");
}

#[test]
fn who_was_not_looked_at_has_no_waits() {
    let mut results = waiting(true);
    for line in &mut results.lines {
        line.waits = None;
    }
    let text = markdown(&results);
    assert!(
        !text.contains("Waits") && !text.contains("wait for"),
        "{text}"
    );
}

#[test]
fn a_race_ends_with_what_was_waited_for() {
    let text = report::race(
        &Comparison::from(&waiting(true)),
        Path::new("report.html"),
        Detail::default(),
        Screen::plain(200),
    );
    let says = "platform: wait for a pooled connection 5.00 ms; virtual: those of virtual threads not seen; per request, at";
    assert!(text.contains(says), "{text}");
}
