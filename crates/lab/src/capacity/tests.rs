//! The search against a made-up server: M/M/1, whose response times are known.

use photofinish_study::RequestFlags;

use super::*;
use crate::{convert, fake};

/// Serves so many a second.
const SERVER: f64 = 10_000.0;

fn options(objective: &str) -> CapacityOptions {
    CapacityOptions {
        load: LoadOptions {
            unix_socket: None,
            url: "http://127.0.0.1:1/".to_owned(),
            flags: RequestFlags::default(),
            load: Load::Closed { connections: 10 },
            stages: Vec::new(),
            until: Until::Requests(1),
            lead_in: Duration::ZERO,
            threads: None,
            batch: Duration::ZERO,
            allow_remote: false,
            seed: 1,
        },
        search: Search {
            step: Duration::from_secs(1),
            max_time: Duration::from_secs(60),
            ..Search::new(Objective::parse(objective).expect("an objective"), 10)
        },
    }
}

/// In an M/M/1 queue the mean response time is 1 / (μ − λ); here all responses take that long.
fn server(rate: f64) -> Measured<f64> {
    let achieved = rate.min(SERVER);
    let mean = Duration::from_secs_f64(if rate < SERVER {
        1.0 / (SERVER - rate)
    } else {
        0.5 * (1.0 - SERVER / rate)
    });
    measured(rate, achieved as u64, mean)
}

/// A second at this rate, with so many responses, each after `mean`.
fn measured(rate: f64, responses: u64, mean: Duration) -> Measured<f64> {
    let mut outcome = fake::outcome(10, Duration::from_secs(1), responses, mean);
    outcome.offered = Some(rate as u64);
    let load = Load::Open {
        rate,
        arrivals: Arrivals::Poisson,
        connections: 10,
    };
    Measured {
        measurement: convert::measurement(&outcome, &load),
        hiccup_us: Some(rate),
        rest: rate,
    }
}

fn found(options: &CapacityOptions, late_after: usize, interrupt: &AtomicBool) -> Found {
    let mut looks = 0;
    let mut late = || {
        looks += 1;
        looks > late_after
    };
    let mut seen = 0;
    let mut count = |_: &Step| seen += 1;
    let Sought { found, best } = find(
        &options.search,
        &mut |attempt| Ok::<_, Error>(server(attempt.rate)),
        &mut count,
        &mut late,
        interrupt,
    )
    .expect("a capacity");
    assert_eq!(seen, found.steps.len());
    // What is kept is the step at the highest rate that held.
    assert_eq!(best.map(|best| best.rest), found.sustained_rps);
    found
}

#[test]
fn a_queue_s_capacity_is_what_its_formula_says() {
    // 1 / (10,000 − λ) < 1 ms up to λ = 9,000.
    let capacity = found(&options("mean < 1ms"), 100, &AtomicBool::new(false));
    let sustained = capacity.sustained_rps.expect("sustained");
    assert!((8_820.0..=9_000.0).contains(&sustained), "{sustained}");
    assert!(capacity.failed_rps.expect("failed") >= 9_000.0 * 0.999);
    assert_eq!(capacity.ended, Ended::Found);
    assert!(!capacity.generator_limited);
    // 16,000/s could not be achieved; that is why it failed, whatever its mean was.
    let beyond = capacity.steps.iter().find(|s| s.offered_rps == 16_000.0);
    let why = beyond.and_then(|step| step.why.clone()).expect("why");
    assert_eq!(why, Broken::NotAchieved { ratio: 0.625 });
}

#[test]
fn steps_and_time_are_bounded_and_an_interruption_ends_the_search() {
    let mut few = options("mean < 1ms");
    few.search.max_steps = 3;
    let capacity = found(&few, 100, &AtomicBool::new(false));
    assert_eq!((capacity.steps.len(), capacity.ended), (3, Ended::Steps));
    assert_eq!(
        (capacity.sustained_rps, capacity.failed_rps),
        (Some(4_000.0), None)
    );
    let capacity = found(&options("mean < 1ms"), 2, &AtomicBool::new(false));
    assert_eq!((capacity.steps.len(), capacity.ended), (2, Ended::Time));
    let capacity = found(&options("mean < 1ms"), 100, &AtomicBool::new(true));
    assert_eq!(
        (capacity.steps.len(), capacity.ended),
        (0, Ended::Interrupted)
    );
}

#[test]
fn low_rates_get_longer_steps_within_bounds() {
    let options = options("p99 < 1s");
    let length = |rate| at(&options, Attempt { rate, before: 0 }).until;
    assert_eq!(length(1_000.0), Until::Elapsed(Duration::from_secs(1)));
    assert_eq!(length(100.0), Until::Elapsed(Duration::from_secs(2)));
    assert_eq!(length(1.0), Until::Elapsed(Duration::from_secs(10)));
}

#[test]
fn one_hiccup_does_not_end_the_climb_and_noise_is_reported() {
    let mut seen = 0;
    let hiccup = &mut |Attempt { rate, .. }| {
        seen += 1;
        // The second step meets a hiccup; at the same rate the third does not.
        Ok::<_, Error>(if seen == 2 {
            server(9_999.0)
        } else {
            server(rate)
        })
    };
    let never = AtomicBool::new(false);
    let found = |objective| {
        let options = options(objective);
        let mut steps = |attempt: Attempt| Ok::<_, Error>(server(attempt.rate));
        let sought = find(
            &options.search,
            &mut steps,
            &mut |_| {},
            &mut || false,
            &never,
        );
        sought.expect("a capacity").found
    };
    let options = options("mean < 1ms");
    let climbed = find(&options.search, hiccup, &mut |_| {}, &mut || false, &never);
    let climbed = climbed.expect("a capacity").found;
    let rates: Vec<f64> = climbed.steps[..4].iter().map(|s| s.offered_rps).collect();
    assert_eq!(rates, [1_000.0, 2_000.0, 2_000.0, 4_000.0]);
    assert_eq!(climbed.sustained_rps, found("mean < 1ms").sustained_rps);
    // The made-up machine's threads wake as many µs late as there are requests a second: 9 ms at the limit of
    // 9,000/s are more than half of 1 ms, and far less than half of a minute.
    assert!(found("mean < 1ms").noise_us.is_some());
    assert_eq!(
        found("mean < 1ms and max < 60s").noise_us,
        found("mean < 1ms").noise_us
    );
    assert_eq!(found("max < 60s").noise_us, None);
}

#[test]
fn a_search_is_guessed_to_take_its_steps() {
    let mut search = options("p99 < 1s").search;
    // 7 doublings, the rate that fails twice, and 6 halvings (ln 2 / ln 1.02 = 35 < 2^6), every second one twice,
    // and one more at the end: 19 × 1.2 s.
    assert_eq!(estimate(&search), Duration::from_millis(22_800));
    search.max_steps = 5;
    assert_eq!(estimate(&search), Duration::from_secs(6));
    search.max_time = Duration::from_secs(2);
    assert_eq!(estimate(&search), Duration::from_millis(3_200));
}

/// What a search finds of a server that does each step by itself.
fn sought(
    options: &CapacityOptions,
    mut attempt_at: impl FnMut(Attempt) -> Measured<f64>,
) -> Found {
    let never = AtomicBool::new(false);
    let sought = find(
        &options.search,
        &mut |attempt| Ok::<_, Error>(attempt_at(attempt)),
        &mut |_| {},
        &mut || false,
        &never,
    );
    sought.expect("a capacity").found
}

#[test]
fn two_tries_that_met_one_slow_spell_do_not_end_the_climb() {
    let options = options("mean < 1ms");
    // Both tries at 4,000/s are slow, as if at 9,999/s.
    let found = sought(&options, |Attempt { rate, before }| match (rate, before) {
        (4_000.0, 0 | 1) => server(9_999.0),
        _ => server(rate),
    });
    let sustained = found.sustained_rps.expect("sustained");
    assert!((8_820.0..=9_000.0).contains(&sustained), "{sustained}");
    let at_4000 = found.steps.iter().filter(|s| s.offered_rps == 4_000.0);
    assert_eq!(at_4000.count(), 3);
    // The limit itself was tried three times.
    let failed = found.failed_rps.expect("failed");
    let at_limit = found.steps.iter().filter(|s| s.offered_rps == failed);
    assert_eq!(at_limit.count(), 3);
    assert_eq!(found.ended, Ended::Found);
}

/// A server that always takes 14.3 ms: halving the rate for minutes finds nothing else.
#[test]
fn a_time_that_does_not_depend_on_the_rate_ends_the_search_at_the_second_rate() {
    let slow =
        |Attempt { rate, .. }: Attempt| measured(rate, rate as u64, Duration::from_micros(14_300));
    let found = sought(&options("p99 < 10ms"), slow);
    let rates: Vec<f64> = found.steps.iter().map(|step| step.offered_rps).collect();
    assert_eq!(rates, [1_000.0, 1_000.0, 500.0, 500.0]);
    assert_eq!((found.ended, found.sustained_rps), (Ended::Floor, None));
    let doubts = photofinish_judge::comparison::doubts(None, &found);
    assert_eq!(
        doubts[0].en,
        "no rate met the objective at 500/s: p99 14.3 ms; the search ended there because it was about the same at twice the rate"
    );
}

#[test]
fn a_server_whose_responses_are_all_wrong_ends_the_search_at_once() {
    let wrong = |achieved: u64| {
        move |Attempt { rate, .. }: Attempt| {
            let mut step = measured(rate, rate as u64, Duration::from_millis(1));
            let measurement = &mut step.measurement;
            measurement.throughput_rps = achieved as f64;
            let errors = measurement.requests - achieved;
            measurement.errors.insert("status".to_owned(), errors);
            step
        }
    };
    let found = sought(&options("p99 < 10ms"), wrong(0));
    assert_eq!((found.steps.len(), found.ended), (1, Ended::Floor));
    assert_eq!(
        (found.sustained_rps, found.failed_rps),
        (None, Some(1_000.0))
    );
    let doubts = photofinish_judge::comparison::doubts(None, &found);
    assert_eq!(
        doubts[0].en,
        "no rate met the objective at 1,000/s: 100% errors; the search ended there because every response was wrong"
    );
    // One good response is worth another rate.
    assert!(sought(&options("p99 < 10ms"), wrong(1)).steps.len() > 1);
}
