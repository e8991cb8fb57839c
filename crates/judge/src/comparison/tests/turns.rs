//! What turns say beside a verdict.

use photofinish_model::{Disturbed, OnePiece, Turn, Turns, TurnsBlock, Warmup};
use photofinish_voice::verdict::note as said;

use super::*;

pub(crate) fn turns(throughputs: [f64; 5], disturbed: &[usize], spared: bool) -> Turns {
    let turn = |(place, throughput_rps)| Turn {
        throughput_rps,
        disturbed: disturbed
            .contains(&place)
            .then_some(Disturbed::OtherProcesses),
        spared: spared && disturbed.contains(&place),
        ..Turn::default()
    };
    Turns {
        slice_s: 0.05,
        lead_in_s: 0.02,
        turns: throughputs.into_iter().enumerate().map(turn).collect(),
        bystanders: Some(0.0),
        frozen: false,
        block: None,
    }
}

/// Two rounds; in each, the last turn was disturbed, in which `a` had no more than `b`.
fn disturbed(spared: bool) -> Results {
    let mut results = samples::race(&["a", "b"], &[&[200.0, 200.0], &[100.0, 100.0]]);
    for line in &mut results.lines {
        let throughputs = match line.target.as_str() {
            "a" => [200.0, 200.0, 200.0, 200.0, 100.0],
            _ => [100.0; 5],
        };
        line.turns = Some(turns(throughputs, &[4], spared));
    }
    results
}

#[test]
fn the_ratio_is_shown_with_and_without_the_disturbed_turns() {
    let comparison = Comparison::from(&disturbed(false));
    let verdict = find(&comparison, Metric::Throughput);
    let reported = verdict.turns.as_ref().expect("turns");
    assert_eq!(
        (reported.made, reported.kept, reported.disturbed),
        (10, 8, 2)
    );
    let near = |got: Option<f64>, expected: f64| {
        let got = got.expect("a ratio");
        assert!((got - expected).abs() < 1e-12, "{got} for {expected}");
    };
    near(verdict.ratio, 2.0);
    near(reported.trimmed_ratio, 2.0);
    // 900 to 500.
    near(reported.all_turns_ratio, 1.8);
    let note = &verdict.notes[0].says;
    assert_eq!(note.id, "note.excluded");
    assert_eq!(
        note.en,
        "2 of 10 turns were excluded (other processes: 2); including them the ratio is 1.800"
    );
    assert_eq!(find(&comparison, Metric::P50).turns, None);
}

#[test]
fn turns_that_count_all_the_same_are_said_to() {
    let comparison = Comparison::from(&disturbed(true));
    let verdict = find(&comparison, Metric::Throughput);
    assert_eq!(verdict.turns.as_ref().map(|turns| turns.kept), Some(10));
    assert_eq!(verdict.notes[0].says.id, "note.kept");
}

/// Nobody needs a quieter machine for what photofinish can stop.
#[test]
fn where_other_targets_servers_disturb_most_turns_they_can_be_paused() {
    let says = |frozen: bool| {
        let mut results = disturbed(true);
        for turns in results
            .lines
            .iter_mut()
            .filter_map(|line| line.turns.as_mut())
        {
            turns.frozen = frozen;
            for turn in turns
                .turns
                .iter_mut()
                .filter(|turn| turn.disturbed.is_some())
            {
                turn.disturbed = Some(Disturbed::Bystanders);
            }
        }
        let comparison = Comparison::from(&results);
        find(&comparison, Metric::Throughput).notes[0].says.clone()
    };
    let (paused, not) = (says(true), says(false));
    assert_eq!(not.id, "note.kept_use_freeze");
    assert!(not.en.contains(&said::idle_servers(2_u32).en), "{}", not.en);
    assert_eq!(paused.id, "note.kept");
}

#[test]
fn nothing_is_said_of_turns_that_nothing_disturbed_or_that_were_not_made() {
    let mut results = disturbed(false);
    for line in &mut results.lines {
        line.turns = Some(turns([100.0; 5], &[], false));
    }
    let comparison = Comparison::from(&results);
    let notes = &find(&comparison, Metric::Throughput).notes;
    assert_eq!(notes.len(), 2);
    let mean = said::trimmed_mean(1.0);
    assert_eq!(notes[0].says, said::in_turns(10_u32, 10_u32, mean, None));
    let comparison = Comparison::from(&two(1.1));
    assert_eq!(find(&comparison, Metric::Throughput).turns, None);
}

#[test]
fn what_was_measured_in_one_piece_says_why() {
    let mut results = samples::race(&["a", "b"], &[&[200.0; 3], &[100.0; 3]]);
    for line in results.lines.iter_mut().filter(|line| line.round != 2) {
        line.one_piece = Some(OnePiece::Overloaded);
    }
    let comparison = Comparison::from(&results);
    assert_eq!(
        find(&comparison, Metric::Throughput).notes[0].says,
        said::continuous(vec![1, 3], said::rate_not_achieved())
    );
    assert!(find(&comparison, Metric::P50).notes.is_empty());
}

/// Three rounds in which `a` has twice `b`'s throughput in turns, and so many times as much in one piece.
fn in_one_piece(times: [f64; 3], disturbed: bool) -> Comparison {
    let mut results = samples::race(&["a", "b"], &[&[200.0; 3], &[100.0; 3]]);
    for line in &mut results.lines {
        let (in_turns, block) = match line.target.as_str() {
            "a" => (200.0, 100.0 * times[line.round as usize - 1]),
            _ => (100.0, 100.0),
        };
        let mut reported = turns([in_turns; 5], &[], false);
        let mut seen = reported.turns[0].clone();
        seen.throughput_rps = block;
        seen.disturbed = disturbed.then_some(Disturbed::StoppedCore);
        reported.block = Some(TurnsBlock {
            length_s: 1.0,
            seen,
        });
        line.turns = Some(reported);
    }
    Comparison::from(&results)
}

#[test]
fn turns_that_differ_from_one_piece_are_named() {
    let differ = |comparison: &Comparison| -> Option<String> {
        let notes = &find(comparison, Metric::Throughput).notes;
        let mut says = notes.iter().map(|note| &note.says);
        let found = says.find(|says| says.id == "note.turns_differ");
        found.map(|says| says.en.clone())
    };
    // 2.2, 2.21 and 2.19 for 2: a tenth more, which no noise of half a percent explains.
    let comparison = in_one_piece([2.2, 2.21, 2.19], false);
    assert_eq!(
        differ(&comparison).as_deref(),
        Some(
            "turns and continuous runs differ: 2.000 in turns, 2.200 in continuous runs of the same 3 rounds: measure with `--sequential` too"
        )
    );
    let turns = find(&comparison, Metric::Throughput).turns.as_ref();
    let blocks = turns
        .and_then(|turns| turns.blocks.as_ref())
        .expect("blocks");
    assert_eq!(blocks.rounds, 3);
    assert!((blocks.ratio - 2.2).abs() < 1e-3, "{}", blocks.ratio);
    // Within the margin; and so noisy that nothing follows.
    assert_eq!(differ(&in_one_piece([2.02, 2.03, 2.01], false)), None);
    assert_eq!(differ(&in_one_piece([1.2, 2.9, 2.4], false)), None);
    // What was disturbed shows nothing.
    let disturbed = in_one_piece([2.2, 2.21, 2.19], true);
    assert_eq!(differ(&disturbed), None);
    let turns = find(&disturbed, Metric::Throughput).turns.as_ref();
    assert_eq!(turns.and_then(|turns| turns.blocks.as_ref()), None);
}

/// Turns' log ratios are −0.1, −0.1, 0, 0.1, 0.1 beside their round's (variance 0.01), which are 0, 0.3 and −0.3 (0.09): T₂² = 0.09 − 0.01 / 5,
/// and half of 0.09 · √(2 / 2) more. A turn takes 2 × 70 ms, a round 2 × (0.5 + 3) s: √(7 / 0.14 · 0.01 / 0.133).
#[test]
fn turns_that_are_best_by_hand() {
    let of_rounds = [0.0f64, 0.3, -0.3];
    let a = of_rounds.map(|d| 100.0 * d.exp());
    let mut results = samples::race(&["a", "b"], &[&a, &[100.0; 3]]);
    for line in &mut results.lines {
        let at = match line.target.as_str() {
            "a" => of_rounds[line.round as usize - 1],
            _ => 0.0,
        };
        let beside =
            [-0.1, -0.1, 0.0, 0.1, 0.1].map(|d: f64| if line.target == "a" { d } else { 0.0 });
        line.turns = Some(turns(beside.map(|d| 100.0 * (at + d).exp()), &[], false));
    }
    for trial in &mut results.trials {
        trial.ready_s = Some(0.5);
        trial.warmups = vec![Warmup {
            duration_s: 3.0,
            settled: true,
            fixed: false,
            load: CLOSED_100,
            workload: "plaintext".to_owned(),
            windows: Vec::new(),
            shifts: Vec::new(),
        }];
    }
    let best = Comparison::from(&results).best_turns(&results);
    let expected = (7.0 / 0.14 * 0.01 / 0.133f64).sqrt();
    assert_eq!(best.len(), 1);
    assert_eq!(
        (&*best[0].workload, &best[0].load),
        ("plaintext", &CLOSED_100)
    );
    assert!(
        (best[0].turns - expected).abs() < 1e-9,
        "{best:?} for {expected}"
    );
    // Of a level in which every other turn counts each costs twice as much, and twice as many are made.
    for line in &mut results.lines {
        let reported = line.turns.as_mut().expect("turns");
        let mut disturbed = reported.turns.clone();
        for turn in &mut disturbed {
            turn.disturbed = Some(Disturbed::OtherProcesses);
        }
        reported.turns.extend(disturbed);
    }
    let best = Comparison::from(&results).best_turns(&results);
    assert!(
        (best[0].turns - expected * 2f64.sqrt()).abs() < 1e-9,
        "{best:?}"
    );
    // What is decided asks for none, nor do two rounds.
    let decided = samples::race(&["a", "b"], &[&[200.0; 3], &[100.0; 3]]);
    assert_eq!(Comparison::from(&decided).best_turns(&decided), []);
    results.lines.retain(|line| line.round < 3);
    assert_eq!(Comparison::from(&results).best_turns(&results), []);
}

/// Rounds of 90 turns in which the server's core takes 1 to 1.5 times as long for each target by itself, and throughput is `at_equal` over that. In two turns
/// of three the cores were so uneven that they count only because the others are too few.
fn restless(at_equal: &[(&str, f64)]) -> Results {
    let labels: Vec<&str> = at_equal.iter().map(|(label, _)| *label).collect();
    let mut results = samples::race(&labels, &vec![&[100.0; 3][..]; labels.len()]);
    for line in &mut results.lines {
        let place = labels.iter().position(|label| *label == line.target);
        let place = place.expect("one of them");
        let mut reported = turns([0.0; 5], &[], false);
        let turn = reported.turns[0].clone();
        let one = |number: usize| {
            // Each takes each of the 6 times equally often, in an order of its own.
            let step = [0, 3, 1, 4, 2, 5][(number * [1, 5, 1, 5][place] + place) % 6];
            let times = 1.0 + 0.1 * f64::from(step);
            Turn {
                throughput_rps: at_equal[place].1 / times,
                reference_ns: Some([4_000.0 * times, 4_000.0]),
                disturbed: (!number.is_multiple_of(3)).then_some(Disturbed::UnevenCores),
                spared: !number.is_multiple_of(3),
                ..turn.clone()
            }
        };
        reported.turns = (0..90).map(one).collect();
        line.turns = Some(reported);
    }
    results
}

#[test]
fn throughputs_are_compared_at_equally_fast_cores() {
    let comparison = Comparison::from(&restless(&[("a", 200.0), ("b", 100.0)]));
    let verdict = find(&comparison, Metric::Throughput);
    let ratio = verdict.ratio.expect("a ratio");
    assert!((ratio - 2.0).abs() < 1e-9, "{ratio}");
    let reported = verdict.turns.as_ref().expect("turns");
    assert_eq!(
        (reported.made, reported.kept, reported.disturbed),
        (270, 270, 0)
    );
    let trimmed = reported.trimmed_ratio.expect("a ratio");
    assert!((trimmed - 2.0).abs() < 1e-9, "{trimmed}");
    let notes: Vec<&str> = verdict
        .notes
        .iter()
        .map(|note| note.says.en.as_str())
        .collect();
    let said = "the cores' speed changed from slice to slice, and 10% faster cores gave 10.0% more throughput: \
                the ratio is corrected to equal core speed; as measured it is 1.000";
    assert!(notes.contains(&said), "{notes:?}");
    // A target's own figure is what was measured.
    let figure = comparison.cells[0].targets[0].figure(Metric::Throughput);
    assert_eq!(figure.and_then(|figure| figure.mean), Some(100.0));
    // Without the times nothing is corrected, nor where even turns are enough: those that are not do not count then.
    let changed = |change: fn(&mut Turn)| {
        let mut results = restless(&[("a", 200.0), ("b", 100.0)]);
        let turns = results.lines.iter_mut().flat_map(|line| &mut line.turns);
        turns.flat_map(|turns| &mut turns.turns).for_each(change);
        let comparison = Comparison::from(&results);
        let verdict = find(&comparison, Metric::Throughput);
        assert_eq!(verdict.ratio, Some(1.0));
        let reported = verdict.turns.as_ref().expect("turns");
        (reported.made, reported.kept, reported.disturbed)
    };
    assert_eq!(changed(|turn| turn.reference_ns = None), (270, 270, 180));
    assert_eq!(changed(|turn| turn.spared = false), (270, 90, 180));
}

/// Four targets of 100, 200, 400 and 800: each pair's ratio, and no more spread than rounding leaves, but for what a server may do to its own core: √2 · 17% /
/// √270 = 1.5%.
#[test]
fn throughputs_of_four_targets_are_pooled_at_equally_fast_cores() {
    let labels = [("a", 100.0), ("b", 200.0), ("c", 400.0), ("d", 800.0)];
    let comparison = Comparison::from(&restless(&labels));
    let verdicts = comparison.cells[0].verdicts.iter();
    let mut seen = 0;
    for verdict in verdicts.filter(|verdict| verdict.metric == Metric::Throughput) {
        let of = |label: &str| labels.iter().find(|(own, _)| *own == label).expect("one").1;
        let expected = of(&verdict.of) / of(&verdict.over);
        let ratio = verdict.ratio.expect("a ratio");
        assert!((ratio / expected - 1.0).abs() < 0.01, "{ratio} {expected}");
        let interval = verdict.interval.expect("an interval");
        assert!(
            interval.contains(ratio) && interval.high / interval.low < 1.04,
            "{interval:?}"
        );
        seen += 1;
    }
    assert_eq!(seen, 6);
}

/// Four rounds of five turns whose medians have these ratios, in slices of 50 ms of so many requests per second.
pub(crate) fn with_medians(ratios: [f64; 5], rps: f64) -> Results {
    let mut results = samples::race(&["a", "b"], &[&[200.0; 4], &[100.0; 4]]);
    for line in &mut results.lines {
        let mut reported = turns([rps; 5], &[4], false);
        for (turn, ratio) in reported.turns.iter_mut().zip(ratios) {
            let times = if line.target == "a" { ratio } else { 1.0 };
            turn.p50_us = Some(300.0 * times);
        }
        line.turns = Some(reported);
    }
    results
}

#[test]
fn medians_are_compared_turn_by_turn() {
    let ratios = [1.5, 1.02, 1.02, 0.5, 9.0];
    let comparison = Comparison::from(&with_medians(ratios, 40_000.0));
    let verdict = find(&comparison, Metric::P50);
    // The fifth turn was disturbed and does not count.
    let ratio = verdict.ratio.expect("a ratio");
    assert!((ratio - 1.02).abs() < 1e-12, "{ratio}");
    assert!(
        verdict.notes.iter().any(|note| note.says.en.starts_with(
            "each round's ratio is the median of its turns' ratios; the medians of all its requests give "
        )),
        "{:?}",
        verdict.notes
    );
    // What a target's own figure says is of all its requests.
    let figure = |results: &Results| {
        let comparison = Comparison::from(results);
        let figure = comparison.cells[0].targets[0].figure(Metric::P50);
        figure.map(|figure| figure.rounds.clone())
    };
    let without = samples::race(&["a", "b"], &[&[200.0; 4], &[100.0; 4]]);
    assert_eq!(figure(&with_medians(ratios, 40_000.0)), figure(&without));
}

/// Four targets whose turns are d = 0.1 · target beside one another, in each round by ± as much as there.
#[test]
fn medians_by_turns_of_four_targets_are_pooled() {
    let off = [
        [0.0, 0.02, -0.02],
        [0.01, -0.01, 0.0],
        [-0.015, 0.0, 0.015],
        [0.0, 0.0, 0.0],
    ];
    let labels = ["a", "b", "c", "d"];
    let mut results = samples::race(&labels, &[&[100.0; 3][..]; 4]);
    for line in &mut results.lines {
        let mut reported = turns([40_000.0; 5], &[], false);
        let target = labels
            .iter()
            .position(|label| *label == line.target)
            .expect("one");
        let at = 0.1 * target as f64 + off[target][line.round as usize - 1];
        for (number, turn) in reported.turns.iter_mut().enumerate() {
            // The machine is slower in some turns, for all.
            turn.p50_us = Some(300.0 * (1.0 + (number % 2) as f64) * at.exp());
        }
        line.turns = Some(reported);
    }
    let comparison = Comparison::from(&results);
    let verdict = find(&comparison, Metric::P50);
    let pairs: Vec<(f64, f64)> = (0..3)
        .map(|r| (off[0][r].exp(), (0.1 + off[1][r]).exp()))
        .collect();
    let own = stats::Paired::new(&pairs).expect("rounds");
    let place = (0..)
        .zip(off.map(|row| stats::spread::of_one_kind(&row)))
        .collect();
    let of_targets = stats::spreads(&[place])[0];
    let mut of_pairs = Vec::new();
    for a in 0..4 {
        for b in a + 1..4 {
            let logs: Vec<f64> = (0..3).map(|r| off[a][r] - off[b][r]).collect();
            of_pairs.push(stats::spread::of_one_kind(&logs));
        }
    }
    // What the pairs say of one another, or the targets: whichever knows more.
    let spread = stats::Spread::surer(of_targets, stats::spread_of_pairs(&of_pairs));
    let spread = spread.expect("a spread");
    let expected = own.helped_by(&spread).interval(1.0 - verdict.level, 0.001);
    let (expected, found) = expected.zip(verdict.interval).expect("intervals");
    assert!(
        (found.low / expected.low - 1.0).abs() < 1e-9,
        "{found:?} {expected:?}"
    );
    assert!((found.high / expected.high - 1.0).abs() < 1e-9);
    let alone = own
        .interval(1.0 - verdict.level, 0.001)
        .expect("an interval");
    assert!((alone.high / found.high).ln().abs() > 0.001);
}

#[test]
fn medians_of_few_requests_are_not() {
    // 0.05 s × 398/s are 19.9 requests.
    let results = with_medians([1.5, 1.02, 1.02, 0.5, 9.0], 398.0);
    let without = samples::race(&["a", "b"], &[&[200.0; 4], &[100.0; 4]]);
    let verdict = |results: &Results| {
        let comparison = Comparison::from(results);
        let verdict = find(&comparison, Metric::P50);
        (verdict.ratio, verdict.interval, verdict.notes.clone())
    };
    assert_eq!(verdict(&results), verdict(&without));
}

/// Five rounds of 20 turns. In every fourth `a` has `in_excluded` of its other throughput, which is 5% above `b`'s: these are excluded as other
/// processes' doing, but they may be `a`'s own.
fn with_bursts(in_excluded: f64) -> Results {
    let mut results = samples::race(&["a", "b"], &[&[105.0; 5], &[100.0; 5]]);
    for line in &mut results.lines {
        let mut reported = turns([0.0; 5], &[], false);
        let turn = reported.turns[0].clone();
        let one = |number: usize| {
            let noise = 0.996 + 0.002 * ((number * 7 + line.round as usize) % 5) as f64;
            let is_burst = number.is_multiple_of(4);
            let times = if is_burst { in_excluded } else { 1.0 };
            Turn {
                throughput_rps: match line.target.as_str() {
                    "a" => 105.0 * noise * times,
                    _ => 100.0,
                },
                disturbed: is_burst.then_some(Disturbed::OtherProcesses),
                ..turn.clone()
            }
        };
        reported.turns = (0..20).map(one).collect();
        line.turns = Some(reported);
    }
    results
}

#[test]
fn a_verdict_that_excluded_turns_contradict_says_so() {
    let note = |in_excluded: f64| {
        let comparison = Comparison::from(&with_bursts(in_excluded));
        let verdict = find(&comparison, Metric::Throughput);
        assert_eq!(verdict.ahead(), Some("a"));
        let mut says = verdict.notes.iter().map(|note| note.says.clone());
        says.find(|says| says.id.ends_with(".if_interference"))
    };
    // 0.75 · 1.05 + 0.25 · 0.84 = 0.9975: over all turns the two are equal.
    let args = note(0.8).expect("a note").args;
    let [excluded, all] = ["excluded", "all"].map(|name| args[name].as_f64().expect("a ratio"));
    assert_eq!(args["disturbed"], 25);
    assert!((excluded - 0.84).abs() < 0.01, "{excluded}");
    assert!((all - 0.9975).abs() < 0.01, "{all}");
    // As fast in these, or faster still: the verdict is the same with them.
    assert_eq!(note(1.0), None);
    assert_eq!(note(1.1), None);
}
