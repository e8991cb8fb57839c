use photofinish_model::kubernetes::PodRecord;
use photofinish_model::samples;
use photofinish_stats::Direction;

use super::*;

/// Three rounds on a pair of machines, in which a is so many times as fast as b, more or less.
fn run(pair: &str, ratio: f64) -> Results {
    let a = [0.99, 1.0, 1.01].map(|noise| 1000.0 * ratio * noise);
    let mut run = samples::race(&["a", "b"], &[&a, &[1000.0; 3]]);
    run.study.pair = Some(pair.to_owned());
    run
}

fn pooled(ratios: &[f64]) -> Pooled {
    let runs = ratios.iter().enumerate();
    let runs: Vec<Results> = runs
        .map(|(place, ratio)| run(&format!("m{place}"), *ratio))
        .collect();
    Pooled::from(&runs).expect("runs")
}

fn throughput(pooled: &Pooled) -> &PooledRatio {
    let mut ratios = pooled.ratios.iter();
    ratios
        .find(|it| it.metric == Metric::Throughput)
        .expect("a ratio")
}

fn said(messages: &[Message]) -> Vec<&str> {
    messages.iter().map(|says| says.en.as_str()).collect()
}

/// Three machines at 1.1 with a spread of about 1%: 6 degrees of freedom.
#[test]
fn three_machines_have_a_verdict_on_themselves_alone() {
    let pooled = pooled(&[1.1, 1.1, 1.1]);
    let ratio = throughput(&pooled);
    let verdict = ratio.on_these.as_ref().expect("a verdict");
    assert_eq!((verdict.rounds, verdict.ahead()), (9, Some("a")));
    let logs = [0.99f64, 1.0, 1.01].map(f64::ln);
    let mean = logs.iter().sum::<f64>() / 3.0;
    let squares: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
    // t(6) = 2.446912; three machines with as many squares, of three rounds each.
    let half = 2.446_911_85 * (squares * 3.0 / 6.0 / 9.0).sqrt();
    let interval = verdict.interval.expect("an interval");
    assert!((interval.half_width().expect("a half") - half.exp_m1()).abs() < 1e-6);
    assert_eq!(ratio.like_these, None);
    assert_eq!((ratio.each.len(), ratio.deviating.len()), (3, 0));
    let says = said(&pooled.says);
    assert!(
        says[0].starts_with("on these 3 pairs of machines: a is 10.0% faster than b"),
        "{says:?}"
    );
    assert!(
        says[1].contains("does not certainly differ from machine to machine"),
        "{says:?}"
    );
    assert_eq!(
        says[2],
        "a verdict on machines like these takes 4 pairs of machines"
    );
}

#[test]
fn machines_that_differ_leave_the_ratio_on_others_open() {
    let pooled = pooled(&[1.0, 1.0, 1.0, 1.2]);
    let ratio = throughput(&pooled);
    let [these, like] = [&ratio.on_these, &ratio.like_these].map(|it| it.as_ref().expect("one"));
    assert_eq!(these.direction(), Some(Direction::Above));
    assert_eq!(like.direction(), Some(Direction::Undecided));
    let heterogeneity = ratio.heterogeneity.as_ref().expect("a test");
    assert!(heterogeneity.p_value < 1e-6 && heterogeneity.sd > 0.08);
    let deviating: Vec<&str> = ratio
        .deviating
        .iter()
        .map(|it| it.machine.as_str())
        .collect();
    assert_eq!(deviating, ["m3"]);
    let says = said(&pooled.says);
    assert!(
        says[1].starts_with("on machines like these: undecided after 12 rounds"),
        "{says:?}"
    );
    assert!(says[2].contains("p < 0.001"), "{says:?}");
    assert_eq!(
        says[3],
        "m3 disagrees with the other machines: its ratio is 1.200 × theirs"
    );
}

#[test]
fn a_machine_that_measured_something_else_does_not_count() {
    let runs = [run("m0", 1.1), run("m1", 1.1), run("m2", 1.1)];
    let mut other = runs.clone();
    other[1].study.targets[0].command.push("--fast".to_owned());
    let mut tool = runs.clone();
    for (run, found) in tool
        .iter_mut()
        .zip(["25 (/opt/a)", "25 (/opt/b)", "21 (/opt/a)"])
    {
        let tools = &mut run.study.targets[0].tools;
        tools.insert("jdk".to_owned(), found.to_owned());
    }
    for (runs, left_out) in [(runs, None), (other, Some("m1")), (tool, Some("m2"))] {
        let pooled = Pooled::from(&runs).expect("runs");
        let mut machines = pooled.machines.iter();
        let found = machines.find(|machine| machine.left_out.is_some());
        assert_eq!(found.map(|machine| machine.name.as_str()), left_out);
        let each = &throughput(&pooled).each;
        assert_eq!(each.len(), if left_out.is_some() { 2 } else { 3 });
        if let Some(name) = left_out {
            let says = said(&pooled.warnings)
                .into_iter()
                .find(|says| says.contains("does not count"));
            let says = says.expect("a warning");
            let expected = format!("{name} does not count: it did not measure what m0 measured: ");
            assert!(says.starts_with(&expected), "{says}");
        }
    }
}

#[test]
fn a_machine_on_which_a_verdict_is_invalid_does_not_count() {
    let mut runs = [run("m0", 1.1), run("m1", 1.1), run("m2", 1.1)];
    for trial in runs[2]
        .trials
        .iter_mut()
        .filter(|trial| trial.target == "a")
    {
        trial.verified[0].status = 503;
    }
    let pooled = Pooled::from(&runs).expect("runs");
    let counted = pooled
        .machines
        .iter()
        .filter(|machine| machine.left_out.is_none());
    assert_eq!(counted.count(), 2);
    let verdict = throughput(&pooled).on_these.as_ref().expect("a verdict");
    assert_eq!(verdict.rounds, 6);
}

#[test]
fn what_says_nothing_has_no_verdict() {
    assert_eq!(Pooled::from(&[]), None);
    let mut smoke = run("m0", 1.1);
    smoke.study.settings.smoke = true;
    let pooled = Pooled::from(&[smoke]).expect("a run");
    assert_eq!(said(&pooled.says), ["a smoke run does not measure speed"]);
    assert_eq!(pooled.ratios, []);
    // One round each shows no spread.
    let one = |pair: &str| {
        let mut run = samples::race(&["a", "b"], &[&[1100.0], &[1000.0]]);
        run.study.pair = Some(pair.to_owned());
        run
    };
    let pooled = Pooled::from(&[one("m0"), one("m1")]).expect("runs");
    let verdict = throughput(&pooled).on_these.as_ref().expect("a ratio");
    assert!(verdict.void().is_some() && verdict.ratio.is_some());
}

#[test]
fn rounds_with_a_gap_are_not_measured() {
    let whole = run("m0", 1.1);
    assert_eq!(measured_rounds(&whole), 3);
    let mut failed = whole.clone();
    failed.lines[0].measurement = None;
    assert_eq!(measured_rounds(&failed), 2);
    let mut interrupted = whole;
    interrupted
        .lines
        .retain(|line| line.round < 3 || line.target == "a");
    assert_eq!(measured_rounds(&interrupted), 2);
}

/// Runs that add rounds until they are decided, with so many rounds on each of two pairs of machines.
fn until_decided(ratio: f64, rounds: usize) -> PairRuns {
    const NOISE: [f64; 5] = [0.99, 1.01, 1.0, 0.995, 1.005];
    let runs = ["m0", "m1"].map(|pair| {
        let a: Vec<f64> = NOISE.map(|noise| 1000.0 * ratio * noise)[..rounds].to_vec();
        let mut run = samples::race(&["a", "b"], &[&a, &vec![1000.0; rounds]]);
        run.study.pair = Some(pair.to_owned());
        run.study.settings.max_rounds = Some(20);
        run
    });
    PairRuns::judged(runs.to_vec()).expect("runs")
}

/// With a cap of 20 rounds on two pairs analyses are planned after 4, 6, 8 … rounds of both.
#[test]
fn rounds_that_are_added_are_analysed_after_waves() {
    let progress = |pairs: &PairRuns| pairs.pooled.progress();
    let first = until_decided(1.3, 1);
    assert_eq!((progress(&first).open, progress(&first).of), (1, 1));
    let decided = until_decided(1.3, 2);
    assert_eq!((progress(&decided).open, progress(&decided).of), (0, 1));
    let verdict = throughput(&decided.pooled).on_these.clone();
    let verdict = verdict.expect("a verdict");
    assert_eq!(
        (verdict.decided_after(), verdict.ahead()),
        (Some(4), Some("a"))
    );
    let says = said(&decided.pooled.says);
    assert!(says.contains(&"decided after 4 rounds"), "{says:?}");
    // 1.4% with a spread of 1%: t is 2.8 after 4 rounds, where the bound is above 8.
    let open = until_decided(1.014, 2);
    assert_eq!(progress(&open).open, 1);
    let verdict = throughput(&open.pooled).on_these.clone().expect("one");
    assert_eq!(verdict.direction(), Some(Direction::Undecided));
    let interval = verdict.interval.expect("an interval");
    assert!(interval.contains(1.0), "{interval:?}");
    assert!(open.pooled.first_undecided().is_some());
    // The call stands in later waves that do not contradict it.
    let later = until_decided(1.3, 5);
    let verdict = throughput(&later.pooled).on_these.clone();
    assert_eq!(verdict.and_then(|it| it.decided_after()), Some(4));
}

#[test]
fn rounds_are_added_until_the_interval_on_these_machines_is_narrow() {
    let narrow = |wanted: f64, rounds: usize| {
        let mut pairs = until_decided(1.3, rounds);
        for run in &mut pairs.runs {
            run.study.settings.half_width = Some(wanted);
        }
        let progress = Pooled::from(&pairs.runs).expect("runs").progress();
        assert_eq!(progress.of, 1);
        progress.open == 0
    };
    // However narrow an interval is, it takes five rounds.
    assert!(!narrow(0.5, 2) && narrow(0.5, 3));
    assert!(narrow(0.02, 5) && !narrow(0.001, 5));
}

#[test]
fn pairs_of_pods_that_share_a_node_are_named() {
    let nodes = [["n1", "n2"], ["n3", "n2"], ["n4", "n5"]];
    let runs = nodes.iter().zip(["pair-1", "pair-2", "pair-3"]);
    let runs: Vec<Results> = runs
        .map(|(nodes, pair)| {
            let mut run = run(pair, 1.1);
            let mut machines = samples::machines(None, None);
            machines.pods = nodes
                .map(|node| PodRecord {
                    machine: node.to_owned(),
                    pod: String::new(),
                    image: String::new(),
                    cpus_asked: 1,
                    cpus: vec![0],
                    host_network: false,
                })
                .to_vec();
            run.environment.machines = Some(machines);
            run
        })
        .collect();
    let pooled = Pooled::from(&runs).expect("runs");
    let says = said(&pooled.warnings);
    let shared = "pair-1, pair-2 share the node n2: they are pairs of pods, not of machines";
    let named = says.iter().filter(|says| says.contains("share the node"));
    assert_eq!(named.collect::<Vec<_>>(), [&shared]);
}
