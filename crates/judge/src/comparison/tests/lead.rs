use super::*;

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
fn told(throughputs: &[Vec<f64>]) -> (String, Option<Standing>, String) {
    let comparison = Comparison::from(&race(throughputs));
    let lead = comparison.cells[0].lead(Metric::Throughput).expect("one");
    let groups = [&lead.leaders, &lead.behind, &lead.beside].map(|group| group.join(" "));
    (groups.join(" | "), lead.among, comparison.headline)
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
    // b / c = 2.04 is the smaller one. Its p-value is the second of three, so the interval is at 1 − 5% / 2:
    // t(4, 98.75%) = 3.495406, half = t · √(0.001 / 4) / √5 = 0.0247163.
    let gap = lead.gap.as_ref().expect("a gap");
    assert_eq!((&*gap.of, &*gap.over), ("b", "c"));
    assert!(near(gap.ratio, 2.04));
    assert!((gap.interval.low - 2.04 * f64::exp(-0.024_716_3)).abs() < 1e-5);
    assert!((gap.interval.high - 2.04 * f64::exp(0.024_716_3)).abs() < 1e-5);
    let needed = lead.rounds_needed.expect("a number");
    assert_eq!(
        comparison.headline,
        format!(
            "a and b answer 2.04 [1.99 … 2.09] times as many requests per second as c at 100 connections; \
             undecided between the two (about {needed} rounds would tell), 5 rounds."
        )
    );
    // Times: the ratio is the throughput's, turned over, and the nearest to 1 is the largest.
    let mean = comparison.cells[0].lead(Metric::Mean).expect("one");
    assert!(near(mean.gap.as_ref().expect("a gap").ratio, 1.0 / 2.04));
}

#[test]
fn one_that_is_ahead_of_all_leads_alone() {
    let (groups, among, headline) = told(&[B.to_vec(), times(1.5, NOISE), times(1.001, [0.0; 5])]);
    assert_eq!((groups.as_str(), among), ("b | a c | ", None));
    assert!(
        headline.starts_with("b answers the most requests per second at 100 connections, 49.9% [")
            && headline.ends_with("] more than c, the next, 5 rounds."),
        "{headline}"
    );
}

#[test]
fn a_tie_at_the_top_is_said() {
    let (groups, among, headline) = told(&[times(1.5, [0.0; 5]), times(1.5, [0.0; 5]), B.to_vec()]);
    assert_eq!(
        (groups.as_str(), among),
        ("a b | c | ", Some(Standing::Tie))
    );
    assert_eq!(
        headline,
        "a and b answer 50.0% [50.0% … 50.0%] more requests per second than c at 100 connections; \
         the two tie within 2%, 5 rounds."
    );
}

#[test]
fn all_may_be_undecided_or_tie() {
    let (groups, among, headline) = told(&[times(1.0, WILD), B.to_vec(), times(1.01, OTHER)]);
    assert_eq!(
        (groups.as_str(), among),
        ("a b c |  | ", Some(Standing::Undecided))
    );
    assert!(
        headline.starts_with("Undecided between a, b and c at 100 connections (about "),
        "{headline}"
    );
    let (_, among, headline) = told(&[B.to_vec(), B.to_vec(), B.to_vec()]);
    assert_eq!(among, Some(Standing::Tie));
    assert_eq!(
        headline,
        "a, b and c tie within 2% in requests per second at 100 connections, 5 rounds."
    );
}

#[test]
fn verdicts_that_make_no_order_claim_less() {
    // a is ahead of c; b is told apart from neither.
    let three = [times(1.1, NOISE), times(1.05, WILD), B.to_vec()];
    let (groups, among, headline) = told(&three);
    assert_eq!((groups.as_str(), among), ("a | c | b", None));
    assert!(
        headline.starts_with("a answers 10.0% [")
            && headline.contains(
                "] more requests per second than c at 100 connections; b is not told apart from a"
            ),
        "{headline}"
    );
    // All three are ahead of d: a group, with no more order within it than there is.
    let four = [
        three[0].clone(),
        three[1].clone(),
        B.to_vec(),
        times(0.1, NOISE),
    ];
    let (groups, among, headline) = told(&four);
    assert_eq!(
        (groups.as_str(), among),
        ("a b c | d | ", Some(Standing::Mixed))
    );
    assert!(
        headline.starts_with("a, b and c answer 10.0 ["),
        "{headline}"
    );
    assert!(
        headline.ends_with("times as many requests per second as d at 100 connections; no clear order between these 3, 5 rounds."),
        "{headline}"
    );
}

#[test]
fn a_figure_of_zero_takes_part_in_no_order() {
    let mut c = B.to_vec();
    c[2] = 0.0;
    let (groups, _, headline) = told(&[times(1.5, NOISE), B.to_vec(), c]);
    assert_eq!(groups, "a | b | c");
    assert!(
        headline.contains("; c is not told apart from a"),
        "{headline}"
    );
    // One that was never measured is a failure, not a contender.
    let (groups, _, _) = told(&[times(1.5, NOISE), B.to_vec(), Vec::new()]);
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
    Comparison::from(&results).headline
}

#[test]
fn groups_are_told_at_a_few_levels_and_counted_at_many() {
    let together = [times(2.05, NOISE), times(2.04, OTHER), B.to_vec()];
    let alone = [times(1.5, NOISE), B.to_vec(), B.to_vec()];
    let level = [times(1.0, WILD), B.to_vec(), times(1.01, OTHER)];
    let partly = [times(1.1, NOISE), times(1.05, WILD), B.to_vec()];
    assert_eq!(
        levels(&[&alone, &alone]),
        "At 100 connections a is 50.0% faster than the next; at 1 connection a is 50.0% faster than the next; 5 rounds."
    );
    let few = levels(&[&together, &partly]);
    assert!(
        few.starts_with(
            "At 100 connections a and b are 2.04 times as fast as c (undecided between the two"
        ) && few.contains("; at 1 connection a is 10.0% faster than c (b is not told apart from a"),
        "{few}"
    );
    assert_eq!(
        levels(&[&together, &together, &alone, &level, &partly]),
        "Most requests per second at 5 loads: a and b together at 2, a at 1, undecided in part at 1, undecided at 1; 5 rounds."
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
            verdict.ahead = [None, Some(&verdict.of), Some(&verdict.over)][rest % 3].cloned();
            rest /= 3;
        }
        let lead = super::super::lead::leads(&contenders, &verdicts).remove(0);
        let ahead = |a: &String, b: &String| {
            let mut pairs = verdicts.iter();
            pairs.any(|v| v.ahead.as_ref() == Some(a) && [&v.of, &v.over].contains(&b))
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
