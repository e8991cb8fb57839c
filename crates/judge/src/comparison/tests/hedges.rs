//! What a verdict is never shown without.

use photofinish_model::message::Message;
use photofinish_model::samples;
use photofinish_voice::verdict::note;
use photofinish_voice::warning;

use super::*;
use crate::comparison::{Groups, Hedge};

fn doubts(comparison: &Comparison) -> Vec<Message> {
    let warnings = comparison.warnings.iter();
    warnings.map(|warning| warning.says.clone()).collect()
}

fn hedges(comparison: &Comparison) -> Vec<Hedge> {
    let verdict = find(comparison, Metric::Throughput);
    let notes = verdict.notes.iter();
    notes.filter_map(|note| note.hedge.clone()).collect()
}

/// d = 0.02, 0.03, 0.04: mean 0.03, s = 0.01, half = 4.303 · 0.01 / √3 = 0.0248, and √(22/7) = 1.773 times that with a correlation of 0.5.
#[test]
fn a_verdict_that_needs_independent_rounds_says_so() {
    let b = [1000.0; 3];
    let a = [0.02f64, 0.03, 0.04].map(|d| 1000.0 * d.exp());
    let comparison = Comparison::from(&samples::race(&["a", "b"], &[&a, &b]));
    let note = Hedge::IfIndependent {
        rounds: 3,
        correlation: 0.5,
    };
    assert_eq!(hedges(&comparison), [note]);
    assert_eq!(
        comparison.headline.en,
        "a is 3.0% faster than b, 95% CI 0.52–5.6%"
    );
    assert_eq!(doubts(&comparison), [warning::one_if_independent(3_u32)]);
    // 0.06 is more than 1.773 × 0.0248 = 0.044.
    let far = a.map(|a| a * 0.03f64.exp());
    let comparison = Comparison::from(&samples::race(&["a", "b"], &[&far, &b]));
    assert_eq!((hedges(&comparison), doubts(&comparison)), (vec![], vec![]));
}

/// Twelve rounds that go to and fro: the estimate is 0, and up to 0 + 1.5 / √12 = 0.433 is not excluded. s = 1%, so half is 2.201 / √12 = 0.635%
/// of independent rounds, and 1.58 times that with 0.433.
#[test]
fn more_rounds_exclude_more_correlation() {
    let b = [1000.0; 12];
    let at = |mean: f64| {
        let one = 0.01 * (11.0f64 / 12.0).sqrt();
        let d = |round: usize| mean + if round.is_multiple_of(2) { one } else { -one };
        let a: Vec<f64> = (0..12).map(|round| 1000.0 * d(round).exp()).collect();
        hedges(&Comparison::from(&samples::race(&["a", "b"], &[&a, &b])))
    };
    let found = at(0.009);
    let [
        Hedge::IfIndependent {
            rounds: 12,
            correlation,
        },
    ] = found[..]
    else {
        panic!("{found:?}");
    };
    assert!((correlation - 0.433).abs() < 1e-3, "{correlation}");
    assert_eq!(at(0.0115), []);
}

#[test]
fn rounds_that_are_like_the_ones_before_widen_the_interval() {
    let b = [1000.0; 10];
    let a =
        [4.0f64, 4.4, 5.0, 5.6, 6.0, 6.0, 5.6, 5.0, 4.4, 4.0].map(|d| 1000.0 * (d / 100.0).exp());
    let comparison = Comparison::from(&samples::race(&["a", "b"], &[&a, &b]));
    let verdict = find(&comparison, Metric::Throughput);
    let note = &verdict.notes[0].says;
    assert_eq!(note.id, "note.correlated");
    let of = |name: &str| note.args[name].as_f64().expect("a number");
    let (correlation, times) = (of("correlation"), of("times"));
    assert!(correlation > 0.5 && times > 1.5, "{note:?}");
    let plain = stats::geometric_mean(&a, ALPHA).and_then(|mean| mean.interval);
    let (plain, found) = plain.zip(verdict.interval).expect("intervals");
    let width = |interval: Interval| (interval.high / interval.low).ln();
    assert!((width(found) / width(plain) / times - 1.0).abs() < 1e-9);
}

/// One process of six is 25% slower, and b meets no such round.
#[test]
fn processes_of_two_kinds_are_said_beside_a_verdict() {
    let b = [600.0, 601.0, 599.0, 600.0, 602.0, 598.0];
    let a = [1000.0, 1001.0, 750.0, 999.0, 1002.0, 998.0];
    let comparison = Comparison::from(&samples::race(&["a", "b"], &[&a, &b]));
    let found = hedges(&comparison);
    let [Hedge::TwoGroups { target, groups }] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!((target.as_str(), groups.few, groups.rounds), ("a", 1, 6));
    assert!((groups.ratio - 0.75).abs() < 1e-3, "{groups:?}");
    let doubts = doubts(&comparison);
    let ids: Vec<&str> = doubts.iter().map(|doubt| &*doubt.id).collect();
    assert_eq!(ids, ["warning.uneven", "warning.two_groups"]);
    assert!(doubts[1].en.contains(&groups.of("a").en), "{doubts:?}");
    // Where both are slow in that round, it is the machine.
    let slow = [600.0, 601.0, 450.0, 600.0, 602.0, 598.0];
    let comparison = Comparison::from(&samples::race(&["a", "b"], &[&a, &slow]));
    assert_eq!(hedges(&comparison), []);
}

#[test]
fn the_smaller_group_is_reported_beside_the_larger() {
    let b = [1000.0; 5];
    let a = [500.0, 501.0, 499.0, 700.0, 701.0];
    let comparison = Comparison::from(&samples::race(&["a", "b"], &[&a, &b]));
    let found = hedges(&comparison);
    let groups = found.iter().find_map(|note| match note {
        Hedge::TwoGroups { groups, .. } => Some(*groups),
        _ => None,
    });
    let Some(Groups { few, rounds, ratio }) = groups else {
        panic!("{found:?}");
    };
    assert_eq!((few, rounds), (2, 5));
    assert!((ratio - 1.401).abs() < 1e-3, "{ratio}");
}

/// Two rounds have an interval of at least 10% to either side, so they call nothing below 10%. None is left out for being unlike the other.
#[test]
fn two_rounds_call_large_differences_only() {
    for (a, ahead) in [
        ([1000.0, 1000.0], None),
        ([1090.0, 1090.0], None),
        ([1110.0, 1110.0], Some("a")),
        ([1000.0, 2390.0], None),
    ] {
        let results = samples::race(&["a", "b"], &[&a, &[1000.0, 1000.0]]);
        let comparison = Comparison::from(&results);
        let verdict = find(&comparison, Metric::Throughput);
        assert_eq!((verdict.ahead(), verdict.void()), (ahead, None), "{a:?}");
        let (ratio, interval) = verdict.ratio.zip(verdict.interval).expect("an interval");
        assert!(interval.low <= ratio / 1.0999 && interval.high >= ratio * 1.0999);
        assert_eq!(interval.contains(1.0), ahead.is_none(), "{a:?}");
        // A run that adds rounds goes on.
        let mut until = results.clone();
        until.study.settings.max_rounds = Some(20);
        let open = usize::from(ahead.is_none());
        assert_eq!(Comparison::from(&until).progress().open, open, "{a:?}");
    }
}

/// After three rounds 63% of all processes may be of a kind that they did not show, whatever the verdict.
#[test]
fn few_rounds_state_what_they_may_not_have_shown() {
    let reported = |a: &[f64]| {
        let b = vec![1000.0; a.len()];
        let comparison = Comparison::from(&samples::race(&["a", "b"], &[a, &b]));
        let notes = find(&comparison, Metric::Throughput).notes.clone();
        let unseen = notes
            .into_iter()
            .find(|note| note.says.id == "note.unseen_kind");
        unseen.map(|note| note.says.en)
    };
    let expected =
        "3 rounds may not show a kind of process that up to 63% of all processes belong to";
    for a in [
        [1500.0, 1510.0, 1490.0],
        [1000.0, 1001.0, 999.0],
        [900.0, 1500.0, 1000.0],
    ] {
        let says = reported(&a).expect("a note");
        assert!(says.starts_with(&expected[..50]), "{says}");
        assert!(says.contains("63"), "{says}");
    }
    assert_eq!(reported(&[1500.0, 1510.0, 1490.0, 1505.0, 1495.0]), None);
}

/// Rounds that go to and fro by 70%: with a cap of 20 a mean of 0 hardly leaves the interval of ±39% after 14 of them.
#[test]
fn what_further_rounds_will_hardly_decide_is_said() {
    let b = [1000.0; 14];
    let a: Vec<f64> = (0..14)
        .map(|round| if round % 2 == 0 { 1419.0 } else { 704.7 })
        .collect();
    let run = |rounds: usize, cap: u32| {
        let mut results = samples::race(&["a", "b"], &[&a[..rounds], &b[..rounds]]);
        results.study.settings.max_rounds = Some(cap);
        Comparison::from(&results)
    };
    let hopeless = |comparison: &Comparison| {
        let progress = comparison.progress();
        (progress.open, progress.hopeless)
    };
    let late = run(14, 20);
    assert_eq!(hopeless(&late), (1, 1));
    let notes = &find(&late, Metric::Throughput).notes;
    let says = note::improbable(20_u32);
    assert!(notes.iter().any(|note| note.says == says), "{notes:?}");
    // With many more rounds to come it is not, nor before the 8th.
    assert_eq!(hopeless(&run(14, 40)), (1, 0));
    assert_eq!(hopeless(&run(6, 7)), (1, 0));
}
