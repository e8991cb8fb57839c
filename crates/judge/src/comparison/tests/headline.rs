//! Which metric the headline states, and what stands next to it.

use photofinish_model::{Arrivals, check};
use photofinish_voice::checks as names;

use super::*;

/// A race at a rate that both servers achieve.
fn at_a_rate(ratio: f64) -> Results {
    let mut results = two(ratio);
    let load = Load::Open {
        rate: 900.0,
        arrivals: Arrivals::Poisson,
        connections: 100,
    };
    results.study.workloads[0].loads = vec![load.clone()];
    for line in &mut results.lines {
        line.load = load.clone();
    }
    results
}

fn fail(results: &mut Results, name: &str, is_failed: impl Fn(&str, u32) -> bool) {
    for line in &mut results.lines {
        let failed = is_failed(&line.target, line.round);
        let measurement = line.measurement.as_mut().expect("measured");
        let check = measurement.checks.iter_mut().find(|c| c.name == name);
        let check = check.expect("the check");
        check.ok = Some(!failed);
        check.says = Some(names::failed(name));
    }
}

/// User CPU of `b` for a request, 3 µs of `a`, next to 2 µs of system CPU of both.
fn user_cpu_of_b(results: &mut Results, us: f64) {
    for line in results.lines.iter_mut().filter(|line| line.target == "b") {
        let server = line.server.as_mut().expect("sampled");
        server.cpu_user_us_per_request = Some(us);
    }
}

#[test]
fn below_saturation_latency_leads() {
    let comparison = Comparison::from(&at_a_rate(1.10));
    assert_eq!(comparison.cells[0].headline_metric, Metric::P99);
    // 1 − 1 / 1.1, and the ends of the interval turned over.
    assert_eq!(
        comparison.headline.en,
        "a has a p99 9.1% lower than b, 95% CI 7.3–10.9%"
    );
    let mut overloaded = at_a_rate(1.10);
    for line in &mut overloaded.lines {
        let measurement = line.measurement.as_mut().expect("measured");
        measurement.overloaded = Some(photofinish_model::Overloaded {
            offered_rps: 2000.0,
            achieved_rps: measurement.throughput_rps,
        });
    }
    let comparison = Comparison::from(&overloaded);
    assert_eq!(comparison.cells[0].headline_metric, Metric::Throughput);
}

/// A run at a rate that all achieve goes on until response times are decided: throughput is the rate.
#[test]
fn what_the_headline_states_is_what_a_run_waits_for() {
    let mut results = at_a_rate(1.0);
    for line in results.lines.iter_mut().filter(|line| line.target == "b") {
        let measurement = line.measurement.as_mut().expect("measured");
        let latency = measurement.latency_us.as_mut().expect("response times");
        latency.p99 *= [1.0, 2.0, 0.5, 1.5, 0.7][line.round as usize - 1];
    }
    let comparison = Comparison::from(&results);
    assert_eq!(comparison.cells[0].headline_metric, Metric::P99);
    let progress = comparison.progress();
    assert_eq!((progress.open, progress.of), (1, 1));
    let open = comparison.first_undecided().expect("an open verdict");
    assert!(open.en.contains("p99"), "{}", open.en);
}

#[test]
fn cpu_time_leads_if_the_generator_was_the_bottleneck_of_the_fastest() {
    let mut results = two(1.01);
    user_cpu_of_b(&mut results, 8.0);
    fail(&mut results, check::GENERATOR, |target, round| {
        target == "a" && round < 4
    });
    let comparison = Comparison::from(&results);
    assert_eq!(comparison.cells[0].headline_metric, Metric::ServerCpu);
    // 5 of 10 µs in each round.
    assert_eq!(
        comparison.headline.en,
        "a uses 50.0% less CPU per request than b, 95% CI 50.0–50.0%"
    );
    // That is the answer, though throughput is open.
    assert_eq!(comparison.progress().open, 0);
    // In fewer rounds throughput leads.
    fail(&mut results, check::GENERATOR, |target, round| {
        target == "a" && round < 3
    });
    let comparison = Comparison::from(&results);
    assert_eq!(comparison.cells[0].headline_metric, Metric::Throughput);
    assert!(
        comparison
            .headline
            .en
            .starts_with("Undecided between a and b")
    );
}

#[test]
fn a_difference_within_the_margin_is_no_tie() {
    let a: Vec<f64> = (B.iter().zip(NOISE))
        .map(|(b, e)| b * 1.015 * (e / 10.0).exp())
        .collect();
    let comparison = Comparison::from(&samples::race(&["a", "b"], &[&a, &B]));
    // 1.015 × exp(∓ 0.00196324).
    assert_eq!(
        comparison.headline.en,
        "a is 1.5% faster than b, 95% CI 1.3–1.7% (within the margin of 2%)"
    );
}

#[test]
fn the_setting_names_load_cores_rounds_and_time() {
    let results = two(1.1);
    // Ten trials of 6 s, one after the other.
    assert_eq!(
        Comparison::from(&results).setting.en,
        "100 connections, 1 core, 5 rounds, 1 min"
    );
    let mut already = results.clone();
    already.study.targets[0].already = true;
    assert_eq!(
        Comparison::from(&already).setting.en,
        "100 connections, 5 rounds, 1 min"
    );
    // A round without a measurement of both counts for nothing.
    let mut lacking = results;
    lacking
        .lines
        .retain(|line| line.target == "a" || line.round != 5);
    lacking
        .lines
        .push(samples::failed_line("b", 5, 10, "it died"));
    assert_eq!(
        Comparison::from(&lacking).setting.en,
        "100 connections, 1 core, 4 of 5 rounds count, 1 min"
    );
}

#[test]
fn what_is_decided_next_to_what_is_not_is_named() {
    // Throughput scatters; the median does not: 10% more for b in each round.
    let wild = [0.2, -0.2, 0.1, -0.2, 0.1];
    let a: Vec<f64> = B.iter().zip(wild).map(|(b, e)| b * f64::exp(e)).collect();
    let race = || {
        let mut results = samples::race(&["a", "b"], &[&a, &B]);
        for line in &mut results.lines {
            let us = if line.target == "a" { 1000.0 } else { 1100.0 };
            let measurement = line.measurement.as_mut().expect("measured");
            measurement.latency_us.as_mut().expect("times").p50 = us;
        }
        results
    };
    let mut results = race();
    // The table of one level shows the median itself.
    assert_eq!(Comparison::from(&results).also, None);
    let more = Load::Closed { connections: 16 };
    results.study.workloads[0].loads.push(more.clone());
    results.lines.extend(
        race()
            .lines
            .into_iter()
            .map(|line| photofinish_model::Line {
                load: more.clone(),
                ..line
            }),
    );
    let also = Comparison::from(&results).also.expect("the median");
    assert_eq!(
        also.en,
        "a has a lower p50 than b at 100 connections and 16"
    );
}

#[test]
fn one_grade_sums_up_checks_and_warnings() {
    let grade = |results: &Results| {
        let trust = Comparison::from(results).trust;
        (trust.grade, trust.says.en)
    };
    let mut results = two(1.1);
    let (quotable, says) = grade(&results);
    assert_eq!(quotable, Grade::Quotable);
    assert!(says.starts_with("quotable: "), "{says}");
    // One of ten measurements was disturbed.
    fail(&mut results, check::QUIET, |target, round| {
        target == "b" && round == 2
    });
    assert_eq!(
        grade(&results),
        (
            Grade::WithCare,
            "with care: the machine was not quiet (1 of 10 times), which may have slowed some servers more than others".to_owned()
        )
    );
    // Little's law fails in one of ten, and then in five.
    fail(&mut results, check::LITTLES_LAW, |target, round| {
        target == "b" && round == 2
    });
    let (grade_of_one, says) = grade(&results);
    assert_eq!(grade_of_one, Grade::WithCare);
    assert!(
        says.ends_with("; also: the machine was not quiet"),
        "{says}"
    );
    fail(&mut results, check::LITTLES_LAW, |target, _| target == "b");
    let (grade_of_five, says) = grade(&results);
    assert_eq!(grade_of_five, Grade::NotQuotable);
    assert!(
        says.starts_with(
            "not quotable: Little's law does not hold (5 of 10 times), so throughput and"
        ),
        "{says}"
    );
}

#[test]
fn errors_in_more_than_one_of_a_hundred_requests_are_not_quoted() {
    let with = |errors: u64| {
        let mut results = two(1.1);
        let line = results.lines.iter_mut().find(|line| line.target == "b");
        let measurement = line.and_then(|line| line.measurement.as_mut());
        measurement.expect("measured").errors = BTreeMap::from([("timeout".to_owned(), errors)]);
        fail(&mut results, check::ERRORS, |target, round| {
            target == "b" && round == 1
        });
        Comparison::from(&results).trust.grade
    };
    // b was sent 25,000 requests in five rounds of 5 s.
    assert_eq!(with(250), Grade::WithCare);
    assert_eq!(with(251), Grade::NotQuotable);
}

#[test]
fn a_server_that_closes_connections_is_warned_of_if_the_other_does_not() {
    let mut results = two(1.1);
    assert_eq!(Comparison::from(&results).warnings, []);
    for line in results.lines.iter_mut().filter(|line| line.target == "b") {
        line.measurement.as_mut().expect("measured").reconnects = 1_000;
    }
    let warnings = Comparison::from(&results).warnings;
    let [warning] = warnings.as_slice() else {
        panic!("{warnings:?}");
    };
    // 5,000 of 25,000 requests.
    assert_eq!(
        warning.says.en,
        "b closed 5,000 connections at 100 connections (20.0% of its requests), and a 0: its figures contain opening them again"
    );
    // Both do.
    for line in &mut results.lines {
        let measurement = line.measurement.as_mut().expect("measured");
        measurement.reconnects = measurement.requests / 5;
    }
    assert_eq!(Comparison::from(&results).warnings, []);
}
