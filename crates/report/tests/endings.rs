//! How races end: the cases that a reader meets, at three widths, with and without Unicode.

use std::path::Path;

use photofinish_judge::comparison::Comparison;
use photofinish_model::capacity::Found;
use photofinish_model::samples::{self, assert_contains, assert_starts};
use photofinish_model::store::Results;
use photofinish_model::{Arrivals, Check, Load, check};
use photofinish_report::{Detail, Screen, race};
use photofinish_voice::checks;

const NOISE: [f64; 5] = [0.01, -0.02, 0.0, 0.02, -0.01];
const OTHER: [f64; 5] = [-0.01, 0.02, 0.01, -0.02, 0.0];
const B: [f64; 5] = [128_000.0, 129_000.0, 127_000.0, 128_500.0, 127_500.0];

fn times(ratio: f64, noise: [f64; 5]) -> Vec<f64> {
    let rates = B.iter().zip(noise);
    rates.map(|(b, e)| b * ratio * f64::exp(e)).collect()
}

/// User CPU of a server for a request, next to 2 µs of system CPU.
fn user_cpu(results: &mut Results, server: &str, us: f64) {
    for line in results
        .lines
        .iter_mut()
        .filter(|line| line.target == server)
    {
        let used = line.server.as_mut().expect("sampled");
        used.cpu_user_us_per_request = Some(us);
    }
}

fn two() -> Results {
    let mut results = samples::race(&["event-loop", "threads"], &[&times(1.48, NOISE), &B]);
    user_cpu(&mut results, "threads", 7.6);
    results
}

fn three_at_four_levels() -> Results {
    let names = ["event-loop", "tio-boot@virtual-threads", "quarkus"];
    let at = |ratio: f64| {
        let [a, b, c] = [times(ratio, NOISE), B.to_vec(), times(1.0, OTHER)];
        samples::race(&names, &[&a, &b, &c])
    };
    let mut results = at(1.5);
    for (connections, ratio) in [(16, 1.2), (256, 1.9), (1_000, 2.4)] {
        let load = Load::Closed { connections };
        results.study.workloads[0].loads.push(load.clone());
        for mut line in at(ratio).lines {
            line.load = load.clone();
            results.lines.push(line);
        }
    }
    results
}

fn invalid() -> Results {
    let mut results = two();
    for trial in results.trials.iter_mut().filter(|t| t.target == "threads") {
        trial.verified[0].status = 404;
    }
    results
}

fn at_a_rate() -> Results {
    let mut results = two();
    let load = Load::Open {
        rate: 50_000.0,
        arrivals: Arrivals::Poisson,
        connections: 100,
    };
    results.study.workloads[0].loads = vec![load.clone()];
    for line in &mut results.lines {
        line.load = load.clone();
        // Both achieve it; their response times are those of the closed loop.
        line.measurement.as_mut().expect("measured").throughput_rps = 50_000.0;
    }
    results
}

fn capacity() -> Results {
    let found = |rate: &f64| samples::found(Some(*rate), Some(rate * 1.01));
    let searches = |rates: &[f64]| rates.iter().map(found).collect::<Vec<Found>>();
    let [a, b] = [searches(&times(1.3, NOISE)), searches(&B)];
    samples::capacity_race(&["event-loop", "threads"], &[&a, &b])
}

fn disturbed() -> Results {
    let mut results = two();
    for line in results.lines.iter_mut().take(3) {
        let measurement = line.measurement.as_mut().expect("measured");
        measurement
            .checks
            .retain(|check| check.name != check::QUIET);
        measurement.checks.push(Check {
            name: check::QUIET.to_owned(),
            ok: Some(false),
            says: Some(checks::steal(0.2)),
        });
    }
    results
}

fn cases() -> Vec<(&'static str, Results)> {
    let race = |a: Vec<f64>| samples::race(&["event-loop", "threads"], &[&a, &B]);
    vec![
        ("two servers", two()),
        ("three servers at four levels", three_at_four_levels()),
        ("a tie", race(times(1.001, NOISE.map(|e| e / 4.0)))),
        ("undecided", race(times(1.012, NOISE))),
        ("invalid", invalid()),
        ("at a rate", at_a_rate()),
        ("a capacity", capacity()),
        ("a disturbed machine", disturbed()),
    ]
}

fn ending(results: &Results, screen: Screen) -> String {
    let page = Path::new("results/compare/20261124T083107Z/report.html");
    race(&Comparison::from(results), page, Detail::Ending, screen)
}

/// The second server lacks a round in which the first one's median was high: the figures and the ratio of the common rounds disagree.
#[test]
fn a_difference_that_the_figures_contradict_is_not_printed() {
    let mut results = two();
    results
        .lines
        .retain(|line| (line.target.as_str(), line.round) != ("threads", 1));
    for line in &mut results.lines {
        let latency = (line.measurement.as_mut()).and_then(|it| it.latency_us.as_mut());
        latency.expect("response times").p50 = match (&*line.target, line.round) {
            ("event-loop", 1) => 40_000.0,
            ("event-loop", round) => 400.0 + f64::from(round),
            (_, round) => 500.0 + f64::from(round),
        };
    }
    let comparison = Comparison::from(&results);
    let p50 = comparison.cells[0]
        .verdicts_on(photofinish_model::Metric::P50)
        .next();
    assert!(p50.is_some_and(|verdict| verdict.ratio.is_some_and(|ratio| ratio < 1.0)));
    let screen = Screen::plain(100);
    let report = race(&comparison, Path::new("results"), Detail::Ending, screen);
    assert!(report.contains("[unclear]"), "{report}");
}

#[test]
fn endings_of_the_usual_cases() {
    let all = cases();
    let all = all
        .iter()
        .map(|(name, results)| format!("## {name}\n\n{}", ending(results, Screen::plain(80))));
    insta::assert_snapshot!(all.collect::<Vec<String>>().join("\n"));
}

#[test]
fn every_ending_fits_and_needs_neither_colour_nor_unicode() {
    for (name, results) in cases() {
        for width in [60, 80, 120] {
            for unicode in [true, false] {
                let text = ending(
                    &results,
                    Screen {
                        unicode,
                        ..Screen::plain(width)
                    },
                );
                assert!(text.lines().count() <= 12, "{name} at {width}:\n{text}");
                let widest = text.lines().map(|line| line.chars().count()).max();
                assert!(widest <= Some(width), "{name} at {width}:\n{text}");
                assert!(unicode || text.is_ascii(), "{name}: {text}");
                assert!(text.contains("trust"), "{name}: {text}");
                assert!(!text.contains("NaN"), "{name}: {text}");
            }
        }
    }
}

/// The table's difference, the headline and the cost line are three views of one result.
#[test]
fn headline_table_and_cost_agree() {
    let text = ending(&two(), Screen::plain(100));
    assert_starts(
        &text,
        "event-loop is 1.48× as fast as threads, 95% CI 1.45–1.51",
    );
    // 1.48 × exp(∓ 0.0196), and half of what lies between: 2.9 points.
    assert!(text.contains("+48% ±3"), "{text}");
    // 9.6 µs less 5.0 µs, all of it user CPU; 5.0 is 48% less than 9.6.
    assert_contains(&text, "threads +4.6 µs CPU per request: user CPU 4.6");
    assert!(
        text.contains("5.00 µs") && text.contains("9.60 µs"),
        "{text}"
    );
    assert!(text.contains("−48%"), "{text}");
}
