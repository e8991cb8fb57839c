//! Published claims, held against what was measured.

use photofinish_model::{Claim, ClaimDirection};

use super::*;

pub(super) fn claim(metric: Metric, ratio: f64) -> Claim {
    Claim {
        says: "a beats b".to_owned(),
        figures: "x against y".to_owned(),
        source: "somewhere".to_owned(),
        ..samples::claim(metric, "a", "b", ratio)
    }
}

#[test]
fn a_direction_without_a_size_is_judged_as_a_verdict_is() {
    let stated = |direction| Claim {
        ratio: None,
        direction: Some(direction),
        ..claim(Metric::Throughput, 1.0)
    };
    let judged = |ratio| {
        let mut results = two(ratio);
        results.study.claims = vec![stated(ClaimDirection::More), stated(ClaimDirection::Less)];
        let comparison = Comparison::from(&results);
        let verdicts = [0, 1].map(|at| comparison.claims[at].verdict);
        (verdicts, comparison.claims[1].says.en.clone())
    };
    use ClaimVerdict::{DoesNotHold, Holds};
    let (verdicts, says) = judged(1.10);
    assert_eq!(verdicts, [Holds, DoesNotHold]);
    assert_eq!(
        says,
        "published less (no figure given), measured 1.100 [1.079 … 1.122]"
    );
    let (verdicts, _) = judged(0.90);
    assert_eq!(verdicts, [DoesNotHold, Holds]);
}

#[test]
fn a_claim_about_profiles_says_how_to_get_them() {
    let mut results = two(1.10);
    results.study.claims = vec![Claim {
        ratio: None,
        direction: Some(ClaimDirection::Less),
        ..claim(Metric::StackDepth, 1.0)
    }];
    let comparison = Comparison::from(&results);
    assert_eq!(
        (comparison.claims[0].verdict, &*comparison.claims[0].says.en),
        (
            ClaimVerdict::NotMeasured,
            "profiles of this run do not show it; run with --profile"
        )
    );
}

#[test]
fn claims_have_each_outcome() {
    let mut results = two(1.10);
    results.study.claims = vec![
        claim(Metric::Throughput, 1.09),
        claim(Metric::Throughput, 1.50),
        claim(Metric::Throughput, 0.80),
        claim(Metric::Max, 0.25),
        Claim {
            load: Load::Closed { connections: 7 },
            ..claim(Metric::Throughput, 1.1)
        },
        Claim {
            of: "zebra".to_owned(),
            ..claim(Metric::Throughput, 1.1)
        },
        // 1.09 ± 3% is 1.058 … 1.123, which holds all of 1.079 … 1.122; so is 1.1 with one decimal, 1.05 … 1.15.
        Claim {
            margin: Some(0.03),
            ..claim(Metric::Throughput, 1.09)
        },
        Claim {
            decimals: Some(1),
            ..claim(Metric::Throughput, 1.1)
        },
    ];
    let comparison = Comparison::from(&results);
    let verdicts: Vec<ClaimVerdict> = comparison.claims.iter().map(|c| c.verdict).collect();
    assert_eq!(
        verdicts,
        [
            // 1.09 ± 2% is 1.069 … 1.112: the interval reaches beyond it.
            ClaimVerdict::DirectionHolds,
            ClaimVerdict::SameDirection,
            ClaimVerdict::DoesNotHold,
            ClaimVerdict::Shown,
            ClaimVerdict::NotMeasured,
            ClaimVerdict::NotMeasured,
            ClaimVerdict::Holds,
            ClaimVerdict::Holds,
        ]
    );
    assert_eq!(
        comparison.claims[0].says.en,
        "published 1.090 (holds from 1.069 to 1.112), measured 1.100 [1.079 … 1.122]"
    );
    assert_eq!(
        comparison.claims[3].says.en,
        "a max 887 … 923 ms (p99.9 355 … 369 ms); b max 0.990 … 1.01 s (p99.9 396 … 404 ms)"
    );
    assert_eq!(comparison.claims[3].ratio, None);
    assert_eq!(
        comparison.claims[4].says.en,
        "plaintext, 7 connections is not among the levels of this run"
    );

    let mut undecided = two(1.012);
    undecided.study.claims = vec![claim(Metric::Throughput, 1.067)];
    assert_eq!(
        Comparison::from(&undecided).claims[0].verdict,
        ClaimVerdict::Undecided
    );
    undecided.study.settings.smoke = true;
    let void = Comparison::from(&undecided).claims.remove(0);
    assert_eq!(void.verdict, ClaimVerdict::Void);
    assert_eq!(void.says.id, "invalid.smoke");
}

#[test]
fn what_was_published_coarsely_is_held_against_no_finer_margin() {
    let mut results = two(1.0);
    let fine = claim(Metric::Throughput, 0.95);
    let coarse = Claim {
        margin: Some(0.06),
        ..fine.clone()
    };
    results.study.claims = vec![fine, coarse];
    let comparison = Comparison::from(&results);
    let says: Vec<&str> = comparison.claims.iter().map(|c| &*c.says.en).collect();
    assert_eq!(
        says,
        [
            "published 0.950 (holds from 0.931 to 0.969), measured 1.000 [0.981 … 1.020]",
            "published 0.950 ± 6% (holds from 0.896 to 1.007), measured 1.000 [0.981 … 1.020]",
        ]
    );
}

#[test]
fn a_claim_about_a_level_that_was_not_run_is_tested_at_the_one_in_its_stead() {
    let mut results = two(1.10);
    let published = Claim {
        load: Load::Closed { connections: 5_000 },
        measured_at: Some(CLOSED_100),
        ..claim(Metric::Throughput, 1.09)
    };
    results.study.claims = vec![published];
    let found = Comparison::from(&results).claims.remove(0);
    assert_eq!(found.verdict, ClaimVerdict::DirectionHolds);
    assert_eq!(found.level.en, "5,000 connections");
    assert_eq!(
        found.measured_level.map(|level| level.en).as_deref(),
        Some("100 connections")
    );
    assert_eq!(
        found.says.en,
        "published 1.090 (holds from 1.069 to 1.112), measured 1.100 [1.079 … 1.122] at 100 connections"
    );
}

#[test]
fn the_sides_of_a_claim_may_stand_at_two_levels() {
    let mut results = two(1.10);
    let more = Load::Closed { connections: 1_000 };
    results.study.workloads[0].loads.push(more.clone());
    // At 1,000 connections every target serves half as many, round by round.
    let again: Vec<_> = results
        .lines
        .iter()
        .map(|line| {
            let mut line = line.clone();
            line.load = more.clone();
            if let Some(measurement) = &mut line.measurement {
                measurement.throughput_rps /= 2.0;
            }
            line
        })
        .collect();
    results.lines.extend(again);
    results.study.claims = vec![Claim {
        over: "a".to_owned(),
        load: more,
        over_load: Some(CLOSED_100),
        ..claim(Metric::Throughput, 0.5)
    }];
    let found = Comparison::from(&results).claims.remove(0);
    assert_eq!(found.verdict, ClaimVerdict::Holds);
    assert!((found.ratio.unwrap() - 0.5).abs() < 1e-9);
    assert_eq!(
        found.over_place.as_ref().map(|place| place.en.as_str()),
        Some("plaintext, 100 connections")
    );
}
