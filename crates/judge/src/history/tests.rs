use photofinish_model::message::Argument;
use photofinish_model::samples;
use photofinish_stats::Random;
use photofinish_voice::Language;

use super::*;

/// When run number `n` began.
fn day(n: usize) -> String {
    format!("2026-03-{:02}T02:00:00Z", n + 1)
}

/// A run of three rounds of a and b on that day, with these rates give or take what `random` says of the run and of each round.
fn run(n: usize, rates: [f64; 2], random: &mut Random) -> Results {
    // What slows the machine down on a day slows both down.
    let slow = (0.05 * random.normal()).exp();
    let mut rounds = |rate: f64| -> Vec<f64> {
        let own = (0.005 * random.normal()).exp();
        let each = [0; 3].map(|_| (0.004 * random.normal()).exp());
        each.iter().map(|round| rate * slow * own * round).collect()
    };
    let (a, b) = (rounds(rates[0]), rounds(rates[1]));
    let mut results = samples::race(&["a", "b"], &[&a, &b]);
    results.study.started = day(n);
    results
}

/// Runs in which a loses a tenth from run `at` on.
fn slower_from(at: usize, runs: usize) -> Vec<Results> {
    let mut random = Random::stream(42, 1);
    let rate = |n: usize| if n < at { 1000.0 } else { 900.0 };
    (0..runs)
        .map(|n| run(n, [rate(n), 500.0], &mut random))
        .collect()
}

fn throughput<'h>(history: &'h History, target: &str) -> &'h Series {
    let mut all = history.series.iter();
    all.find(|s| s.target == target && s.metric == Metric::Throughput)
        .expect("a series")
}

#[test]
fn a_known_change_is_found_with_its_size_and_place() {
    let mut runs = slower_from(9, 14);
    runs.rotate_left(5);
    let history = History::from(runs, Some("b")).expect("a history");
    assert_eq!(history.runs[0].started, day(0), "the earliest first");
    let series = throughput(&history, "a");
    assert!((series.values[0].expect("a ratio") / 2.0 - 1.0).abs() < 0.03);
    let [shift] = series.shifts.as_slice() else {
        panic!("{series:?}");
    };
    assert_eq!((shift.at, shift.machine_changed), (9, false));
    assert!(shift.earliest <= 9 && shift.latest >= 9 && shift.latest - shift.earliest <= 2);
    // The true ratio is 0.9.
    let interval = shift.interval.expect("an interval");
    assert!(interval.contains(0.9) && interval.high < 0.92, "{shift:?}");
    // Response times rise with it, in all three metrics; b is what a is compared with.
    assert_eq!(history.says.len(), 3, "{:?}", history.says);
    assert!(history.series.iter().all(|series| series.target == "a"));
    let says = &history.says[0];
    assert_eq!(says.id, "history.shifted");
    assert_eq!(says.args["server"], "a");
    assert_eq!(says.args["metric"], "throughput");
    assert_eq!(says.args["over"], found::relative_to("b").value());
    assert_eq!(says.args["since"], "2026-03-10T02:00:00Z");
}

#[test]
fn without_a_baseline_the_days_hide_what_a_ratio_shows() {
    // The machine differs by 5% from day to day, which cancels in the ratio alone.
    let history = History::from(slower_from(9, 14), None).expect("a history");
    assert_eq!(history.series.len(), 6);
    assert_eq!(throughput(&history, "a").shifts, []);
    assert_eq!(history.says, [found::stable(6_usize, 14_usize)]);
}

#[test]
fn a_change_of_the_machine_is_marked_and_named_beside_a_shift() {
    let mut runs = slower_from(9, 14);
    for run in &mut runs[9..] {
        run.environment.kernel = "6.12.0".to_owned();
    }
    // A commit differs from run to run, and is no change of the machine.
    runs[3].environment.commit = Some("fedcba9".to_owned());
    let history = History::from(runs, Some("b")).expect("a history");
    let changed: Vec<usize> = (0..14)
        .filter(|run| history.runs[*run].machine_changed)
        .collect();
    assert_eq!(changed, [9]);
    assert_eq!(
        history.runs[9].differs[0].text(Language::En),
        "kernel: before 6.1.0; after 6.12.0"
    );
    assert_eq!(history.runs[3].differs, []);
    assert!(throughput(&history, "a").shifts[0].machine_changed);
    let says = history.says[0].text(Language::En);
    assert!(says.ends_with("which may be the cause"), "{says}");
    // One far from the shift is not its cause.
    let mut runs = slower_from(9, 14);
    for run in &mut runs[2..] {
        run.environment.kernel = "6.12.0".to_owned();
    }
    let history = History::from(runs, Some("b")).expect("a history");
    assert!(!throughput(&history, "a").shifts[0].machine_changed);
}

#[test]
fn stable_histories_have_no_change_point() {
    // Two targets, three metrics, 16 runs: 100 times. At most 5 may have any.
    let mut random = Random::stream(7, 3);
    let mut search = Search::new(CHANCE / 6.0);
    let runs = History::from(slower_from(16, 16), None)
        .expect("a history")
        .runs;
    let template = History::from(slower_from(1, 1), None)
        .expect("a history")
        .series;
    let shifted = (0..100).filter(|_| {
        let mut any = false;
        for series in &template {
            let values = (0..16).map(|_| Some(1000.0 * (0.03 * random.normal()).exp()));
            let series = Series {
                values: values.collect(),
                ..series.clone()
            };
            any |= !shifts(&series, &runs, &mut search).is_empty();
        }
        any
    });
    let shifted = shifted.count();
    assert!(shifted <= 5, "{shifted} of 100");
}

#[test]
fn runs_that_lack_a_figure_are_passed_over() {
    let mut runs = slower_from(9, 14);
    runs[4].lines.clear();
    runs[9].lines.clear();
    let history = History::from(runs, Some("b")).expect("a history");
    let series = throughput(&history, "a");
    assert_eq!((series.values[4], series.values[9]), (None, None));
    assert_eq!(series.shifts[0].at, 10);
    assert!(
        series
            .values
            .iter()
            .flatten()
            .all(|value| value.is_finite())
    );
}

#[test]
fn few_runs_and_wrong_ones_are_said() {
    let history = History::from(slower_from(3, 5), Some("a")).expect("a history");
    assert_eq!(
        history.says[0].text(Language::En),
        "5 runs: finding change points takes 6 runs"
    );
    assert_eq!(History::from(Vec::new(), None), Err(Error::NoRuns));
    let mut runs = slower_from(3, 5);
    runs[1].study.name = "other".to_owned();
    let reported = History::from(runs, None)
        .expect_err("two studies")
        .to_string();
    assert_eq!(
        reported,
        "the runs are of several studies (other, sample): give those of one"
    );
    let reported = History::from(slower_from(3, 5), Some("c")).expect_err("no such target");
    assert_eq!(
        reported.to_string(),
        "--baseline c: no run compares a target with it; targets: a, b"
    );
}

#[test]
fn a_run_of_another_job_is_left_out_and_marked() {
    let mut runs = slower_from(9, 8);
    for trial in (runs[..3].iter_mut()).flat_map(|run| &mut run.trials) {
        if trial.target == "a" {
            trial.verified[0].body_sha256 = "0".repeat(64);
        }
    }
    let history = History::from(runs, None).expect("a history");
    let known = |target: &str| -> Vec<bool> {
        let values = &throughput(&history, target).values;
        values.iter().map(Option::is_some).collect()
    };
    assert_eq!(known("a"), [&[false; 3][..], &[true; 5]].concat());
    assert_eq!(known("b"), [true; 8]);
    let differs = &history.runs[3].differs;
    assert!(
        (differs.iter())
            .any(|says| says.en == "plaintext: the responses of a are not those of the run before"),
        "{differs:?}"
    );
}

/// `compare` has one name for all of its races. Those of other commands, URLs or levels than the last one's are no part of its history.
#[test]
fn unrelated_races_are_no_history() {
    let ad_hoc = |command: &str, connections: u32, n: usize| {
        let mut random = Random::stream(42, n as u64);
        let mut results = run(n, [1000.0, 500.0], &mut random);
        results.study.name = "compare".to_owned();
        results.study.targets[0].command = vec![command.to_owned()];
        results.study.workloads[0].loads = vec![Load::Closed { connections }];
        for line in &mut results.lines {
            line.load = Load::Closed { connections };
        }
        results
    };
    let mut runs: Vec<Results> = (0..7).map(|n| ad_hoc("./server", 100, n)).collect();
    runs.push(ad_hoc("./another", 100, 7));
    runs.push(ad_hoc("./server", 16, 8));
    runs.push(ad_hoc("./server", 100, 9));
    let history = History::from(runs.clone(), None).expect("a history");
    assert_eq!(history.runs.len(), 8);
    assert_eq!(history.says[0], found::other_races(2_usize));
    // Runs of a study are those of its name.
    for run in &mut runs {
        run.study.name = "a study".to_owned();
    }
    let history = History::from(runs, None).expect("a history");
    assert_eq!(history.runs.len(), 10);
}

/// A run of two pairs of machines on that day, of which the second is three times as fast.
fn on_pairs(n: usize, rates: [f64; 2], random: &mut Random) -> Vec<Results> {
    let pairs = [("m0", 1.0), ("m1", 3.0)];
    let run = |(pair, times): (&str, f64)| {
        let mut results = run(n, rates.map(|rate| rate * times), random);
        results.study.pair = Some(pair.to_owned());
        results.dir = format!("results/sample/{n}/{pair}").into();
        results
    };
    pairs.map(run).to_vec()
}

/// The rounds of several pairs are one run with the figures on these machines, whatever the machines' own figures are.
#[test]
fn a_run_on_several_pairs_of_machines_is_one_run() {
    let mut random = Random::stream(42, 3);
    let rate = |n: usize| if n < 9 { 1000.0 } else { 900.0 };
    let mut all = |n: usize| on_pairs(n, [rate(n), 500.0], &mut random);
    let mut runs: Vec<Results> = (0..14).flat_map(&mut all).collect();
    let history = History::from(runs.clone(), Some("b")).expect("a history");
    assert_eq!(history.runs.len(), 14);
    assert_eq!(
        (history.runs[0].folder.as_str(), history.runs[0].rounds),
        ("results/sample/0", 6)
    );
    assert!(history.runs.iter().all(|run| run.differs.is_empty()));
    let series = throughput(&history, "a");
    let [shift] = series.shifts.as_slice() else {
        panic!("{series:?}");
    };
    assert_eq!(shift.at, 9);
    assert!(
        shift
            .interval
            .is_some_and(|interval| interval.contains(0.9))
    );
    // By themselves figures are the geometric mean of both machines: √3 × those of the first.
    let figures = History::from(runs.clone(), None).expect("a history");
    let first = throughput(&figures, "a").values[0].expect("a figure");
    assert!(
        (first / (1000.0 * 3f64.sqrt()) - 1.0).abs() < 0.2,
        "{first}"
    );
    // The last run lacks a machine: its figures are of others, and its ratio is still one.
    runs.pop();
    let figures = History::from(runs.clone(), None).expect("a history");
    let last = &figures.runs[13];
    assert!(last.machine_changed);
    assert_eq!(
        last.differs[0].en,
        "pairs of machines: before m0, m1; after m0"
    );
}
