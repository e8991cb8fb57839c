use super::*;
use photofinish_model::samples::assert_starts;

/// Noise whose mean is 0 and whose spread is that of [`NOISE`], in another order.
const OTHER: [f64; 5] = [-0.01, 0.02, 0.01, -0.02, 0.0];
/// Ten times as much.
const WILD: [f64; 5] = [-0.2, 0.2, 0.1, -0.2, 0.1];

fn times(ratio: f64, noise: [f64; 5]) -> Vec<f64> {
    let rates = B.iter().zip(noise);
    rates.map(|(b, e)| b * ratio * f64::exp(e)).collect()
}

fn race(throughputs: &[Vec<f64>]) -> Results {
    let names = ["a", "b", "c", "d"];
    let throughputs: Vec<&[f64]> = throughputs.iter().map(Vec::as_slice).collect();
    samples::race(&names[..throughputs.len()], &throughputs)
}

/// The lead in throughput: leaders, behind, beside; and the headline.
fn reported(throughputs: &[Vec<f64>]) -> (String, Option<Standing>, String) {
    let comparison = Comparison::from(&race(throughputs));
    let lead = comparison.cells[0].lead(Metric::Throughput).expect("one");
    let groups = [&lead.leaders, &lead.behind, &lead.beside].map(|group| group.join(" "));
    (groups.join(" | "), lead.among, comparison.headline.en)
}

#[test]
fn a_group_leads_by_the_smallest_of_its_verdicts() {
    let race = race(&[times(2.05, NOISE), times(2.04, OTHER), B.to_vec()]);
    let comparison = Comparison::from(&race);
    let lead = comparison.cells[0].lead(Metric::Throughput).expect("one");
    assert_eq!(
        (&*lead.leaders, &*lead.behind),
        (&["a".to_owned(), "b".to_owned()][..], &["c".to_owned()][..])
    );
    assert_eq!(
        (lead.among, lead.beside.len()),
        (Some(Standing::Undecided), 0)
    );
    // b / c = 2.04 is the smaller one. Its p-value is the second of three, so the interval is at 1 − 5% / 2, with what the three pairs say of
    // their spread: those of a / b, a / c and b / c, all less their means.
    let of_pairs = [0, 1, 2].map(|pair| {
        let rounds = NOISE.iter().zip(OTHER);
        let log = |(a, b): (&f64, f64)| [a - b, *a, b][pair];
        stats::spread::of_one_kind(&rounds.map(log).collect::<Vec<f64>>())
    });
    let spread = stats::spread_of_pairs(&of_pairs).expect("a spread");
    let alone: Vec<(f64, f64)> = OTHER.iter().map(|e| (2.04 * e.exp(), 1.0)).collect();
    let alone = stats::Paired::new(&alone).expect("rounds");
    let expected = alone.helped_by(&spread).interval(0.025, 0.0);
    let expected = expected.expect("an interval");
    let gap = lead.gap.as_ref().expect("a gap");
    assert_eq!((&*gap.of, &*gap.over), ("b", "c"));
    assert!(near(gap.ratio, 2.04));
    assert!((gap.interval.low - expected.low).abs() < 1e-5);
    assert!((gap.interval.high - expected.high).abs() < 1e-5);
    let (low, high) = (expected.low, expected.high);
    assert_eq!(
        comparison.headline.en,
        format!(
            "a and b are at least 2.04× as fast as c, 95% CI {low:.2}–{high:.2} (undecided between the two)"
        )
    );
    // Times: the ratio is the throughput's, turned over, and the nearest to 1 is the largest.
    let mean = comparison.cells[0].lead(Metric::Mean).expect("one");
    assert!(near(mean.gap.as_ref().expect("a gap").ratio, 1.0 / 2.04));
}

#[test]
fn one_that_is_ahead_of_all_leads_alone() {
    let (groups, among, headline) =
        reported(&[B.to_vec(), times(1.5, NOISE), times(1.001, [0.0; 5])]);
    assert_eq!((groups.as_str(), among), ("b | a c | ", None));
    assert_eq!(
        headline,
        "b is 1.50× as fast as c, the runner-up, 95% CI 1.47–1.53"
    );
}

#[test]
fn a_tie_at_the_top_is_said() {
    let (groups, among, headline) =
        reported(&[times(1.5, [0.0; 5]), times(1.5, [0.0; 5]), B.to_vec()]);
    assert_eq!(
        (groups.as_str(), among),
        ("a b | c | ", Some(Standing::Tie))
    );
    assert_eq!(
        headline,
        "a and b are at least 1.50× as fast as c, 95% CI 1.50–1.50 (the two tie within 2%)"
    );
}

#[test]
fn all_may_be_undecided_or_tie() {
    let (groups, among, headline) = reported(&[times(1.0, WILD), B.to_vec(), times(1.01, OTHER)]);
    assert_eq!(
        (groups.as_str(), among),
        ("a b c |  | ", Some(Standing::Undecided))
    );
    assert_eq!(headline, "Undecided between a, b and c");
    let (_, among, headline) = reported(&[B.to_vec(), B.to_vec(), B.to_vec()]);
    assert_eq!(among, Some(Standing::Tie));
    assert_eq!(headline, "a, b and c tie within 2%");
}

#[test]
fn verdicts_that_make_no_order_claim_less() {
    // a is ahead of c; b is told apart from neither.
    let three = [times(1.1, NOISE), times(1.05, WILD), B.to_vec()];
    let (groups, among, headline) = reported(&three);
    assert_eq!((groups.as_str(), among), ("a | c | b", None));
    assert_eq!(
        headline,
        "a is 10.0% faster than c, 95% CI 6.9–13.2% (b is not distinguishable from a)"
    );
    // All three are ahead of d: a group, with no more order within it than there is.
    let four = [
        three[0].clone(),
        three[1].clone(),
        B.to_vec(),
        times(0.1, NOISE),
    ];
    let (groups, among, headline) = reported(&four);
    assert_eq!(
        (groups.as_str(), among),
        ("a b c | d | ", Some(Standing::Mixed))
    );
    assert_starts(&headline, "a, b and c are at least ");
    assert!(
        headline.ends_with("(no clear order between these 3)"),
        "{headline}"
    );
}

#[test]
fn a_figure_of_zero_takes_part_in_no_order() {
    let mut c = B.to_vec();
    c[2] = 0.0;
    let (groups, _, headline) = reported(&[times(1.5, NOISE), B.to_vec(), c]);
    assert_eq!(groups, "a | b | ");
    assert_eq!(
        headline,
        "a is 1.50× as fast as b, 95% CI 1.47–1.53; no verdict on c: a figure of c is zero"
    );
    // One that was never measured is a failure, not a contender.
    let (groups, _, _) = reported(&[times(1.5, NOISE), B.to_vec(), Vec::new()]);
    assert_eq!(groups, "a | b | ");
}

/// The same race at several numbers of connections.
fn levels(races: &[&[Vec<f64>]]) -> String {
    let mut results = race(races[0]);
    for (place, throughputs) in races.iter().enumerate().skip(1) {
        let load = Load::Closed {
            connections: place as u32,
        };
        results.study.workloads[0].loads.push(load.clone());
        for mut line in race(throughputs).lines {
            line.load = load.clone();
            results.lines.push(line);
        }
    }
    Comparison::from(&results).headline.en
}

#[test]
fn groups_are_reported_at_a_few_levels_and_counted_at_many() {
    let together = [times(2.05, NOISE), times(2.04, OTHER), B.to_vec()];
    let alone = [times(1.5, NOISE), B.to_vec(), B.to_vec()];
    let level = [times(1.0, WILD), B.to_vec(), times(1.01, OTHER)];
    let partly = [times(1.1, NOISE), times(1.05, WILD), B.to_vec()];
    assert_eq!(
        levels(&[&alone, &alone]),
        "a is fastest at both levels; b and c tie at both levels"
    );
    let few = levels(&[&together, &partly]);
    assert_eq!(
        few,
        "a and b are at least 2.04× as fast as c at 100 connections, 95% CI 1.95–2.13 (undecided between the two); \
         a is 10.0% faster than c at 1 connection, 95% CI 5.5–14.7% (b is not distinguishable from a)"
    );
    assert_eq!(
        levels(&[&together, &together, &alone, &level, &partly]),
        "a and b lead together at 2 of 5 loads; a leads at 2 of 5 loads; undecided at 1"
    );
}

#[test]
fn one_leader_at_several_levels_is_reported_with_each_and_with_their_range_at_many() {
    let at = |ratio: f64| [times(ratio, NOISE), B.to_vec()];
    let (open, slow, fast) = ([times(1.0, WILD), B.to_vec()], at(2.5), at(5.1));
    assert_eq!(
        levels(&[&slow, &fast, &open]),
        "a is 2.50× to 5.10× as fast as b at 100 connections and 1; undecided between a and b at 2 connections: a is at most 20.7% slower or 26.1% faster (95% CI)"
    );
    let [first, second, third] = [1.3, 1.5, 1.9].map(at);
    assert_eq!(
        levels(&[&first, &second, &third, &slow, &fast]),
        "a leads at 5 of 5 loads"
    );
    assert_eq!(
        levels(&[&first, &slow]),
        "a is 1.30× to 2.50× as fast as b at both levels"
    );
}

/// Every way in which the six pairs of four targets may come out, orders or not.
#[test]
fn no_more_is_claimed_than_every_verdict_says() {
    let results = race(&[4.0, 3.0, 2.0, 1.0].map(|ratio| times(ratio, [0.0; 5])));
    let cell = Comparison::from(&results).cells.remove(0);
    let contenders: Vec<&TargetFigures> = cell.contenders().collect();
    let pairs: Vec<Verdict> = cell.verdicts[..6].to_vec();
    for outcome in 0..3_usize.pow(6) {
        let mut rest = outcome;
        let mut verdicts = pairs.clone();
        for verdict in &mut verdicts {
            let winner = [None, Some(&verdict.of), Some(&verdict.over)][rest % 3].cloned();
            if let Judgement::Judged(judged) = &mut verdict.judgement {
                judged.ahead = winner;
            }
            rest /= 3;
        }
        let lead = verdict::lead::leads(&contenders, &verdicts).remove(0);
        let ahead = |a: &String, b: &String| {
            let mut pairs = verdicts.iter();
            pairs.any(|v| v.ahead() == Some(a.as_str()) && [&v.of, &v.over].contains(&b))
        };
        for leader in &lead.leaders {
            assert!(
                lead.behind.iter().all(|other| ahead(leader, other)),
                "{lead:?}"
            );
        }
        let mut all = [&lead.leaders[..], &lead.behind, &lead.beside].concat();
        all.sort();
        assert_eq!(all, ["a", "b", "c", "d"]);
        assert_eq!(lead.gap.is_some(), !lead.behind.is_empty());
        assert_eq!(lead.among.is_none(), lead.leaders.len() == 1);
        // Where no order is claimed with some, it is one target's lead alone.
        assert!(lead.beside.is_empty() || lead.leaders.len() == 1);
    }
}
