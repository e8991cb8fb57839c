//! Levels that are a search: what is read, what is refused, what flags change.

use std::time::Duration;

use super::{mistakes_in, read_study, study};
use crate::plan::Plan;
use crate::{RunFlags, Scale, resolve};
use photofinish_model::finding::left_out::{LeftOut, Untested};
use photofinish_model::settings::{RaceLayer, Set};
use photofinish_model::{Load, Objective, Search};

const LOAD: &str = "load = { capacity = \"p99 < 10ms\", step = \"1s\" }";

const CLAIM: &str = "[[claim]]\nid = \"a\"\nsays = \"s\"\nmetric = \"throughput\"\nof = \"event-loop\"\n\
    over = \"quarkus\"\nratio = 1.1\ncapacity = \"p99<10ms\"\nsource = \"x\"\n";

fn searches<S>(plan: &Plan<S>) -> Vec<&Search> {
    let loads = plan.workloads[0].loads.iter();
    loads
        .filter_map(|load| match load {
            Load::Capacity(search) => Some(search),
            _ => None,
        })
        .collect()
}

fn applied(workload: &str, claim: &str, overrides: RunFlags) -> Plan {
    let plan = read_study(&study("", workload, claim)).expect("a plan");
    resolve(plan, &overrides).expect("applied")
}

#[test]
fn a_search_has_the_figures_of_the_file_or_those_of_the_command() {
    let load = "load = { capacity = [\"p99 < 10ms\", \"mean <= 1ms and errors < 1%\"], connections = 7, \
                precision = 0.05, step = \"1s\", start = 50, max-steps = 9, max-time = \"1m\" }";
    let plan = read_study(&study("", load, "")).expect("a plan");
    let found = searches(&plan);
    let objective = |text| Objective::parse(text).expect("an objective");
    let expected = |text| Search {
        objective: objective(text),
        connections: 7,
        step: Duration::from_secs(1),
        start: 50.0,
        precision: 0.05,
        max_steps: 9,
        max_time: Duration::from_secs(60),
    };
    let (first, second) = (
        expected("p99 < 10ms"),
        expected("mean <= 1ms and errors < 1%"),
    );
    assert_eq!(found, [&first, &second]);
    // Beside the levels of `connections`.
    assert_eq!(plan.workloads[0].loads.len(), 4);
    let plan = read_study(&study("", "load = { capacity = \"p99 < 10ms\" }", "")).expect("a plan");
    let usual = Search::new(objective("p99 < 10ms"), 100);
    assert_eq!(searches(&plan), [&usual]);
    assert_eq!(
        (usual.precision, usual.step),
        (0.02, Duration::from_secs(3))
    );
}

#[test]
fn a_search_may_be_the_only_level() {
    let text = study("", "", "").replace("connections = [16, 100]", LOAD);
    let plan = read_study(&text).expect("a plan");
    assert_eq!(plan.workloads[0].loads.len(), 1);
}

#[test]
fn mistakes_are_reported_with_their_line() {
    insta::assert_snapshot!(mistakes_in(
        &[
            "load = \"p99 < 10ms\"",
            "load = { }",
            "load = { capacity = [] }",
            "load = { capacity = \"p98 < 10ms\" }",
            "load = { capacity = \"p99 < 10\", conections = 5 }",
            "load = { capacity = 10 }",
            "load = { capacity = \"p99 < 10ms\", precision = 2, connections = 0, start = 0, max-steps = 0 }",
            "load = { capacity = \"p99 < 10ms\", step = \"5s\", max-time = \"2s\" }",
            "load = { capacity = [\"p99 < 10ms\", \"p99 < 10ms\"] }",
        ],
        |workload| read_study(&study("", workload, ""))
    ));
}

#[test]
fn claims_about_a_capacity_are_told_apart() {
    let claim = |replace: &str, with: &str| CLAIM.replace(replace, with);
    let texts = [
        claim("p99<10ms", "p99 < 9ms"),
        claim("p99<10ms", "p9 < 9ms"),
        claim("\"throughput\"", "\"p99\""),
        claim("source", "connections = 16\nsource"),
        claim("source", "measured-at = { connections = 16 }\nsource"),
    ];
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    insta::assert_snapshot!(mistakes_in(&texts, |claim| read_study(&study(
        "", LOAD, claim
    ))));
    let plan = read_study(&study("", LOAD, CLAIM)).expect("a plan");
    assert!(plan.workloads[0].loads.contains(&plan.claims[0].load));
}

#[test]
fn flags_change_searches_and_the_claims_about_them() {
    let kept = |overrides| {
        let plan = applied(LOAD, CLAIM, overrides);
        assert_eq!(plan.claims.len(), 1, "{:?}", plan.left_out);
        plan
    };
    let plan = kept(RunFlags {
        settings: RaceLayer {
            duration: Set::flag(Duration::from_millis(700)),
            ..RaceLayer::default()
        },
        ..RunFlags::default()
    });
    assert_eq!(searches(&plan)[0].step, Duration::from_millis(700));
    let plan = kept(RunFlags {
        smoke: true,
        ..RunFlags::default()
    });
    let search = searches(&plan)[0];
    assert_eq!(
        (search.step, search.max_steps),
        (Duration::from_millis(300), 4)
    );
    assert_eq!(search.max_time, Duration::from_secs(3));
    // The smallest level is none that goes on to the server's limit, unless there is no other.
    let small = || RunFlags {
        scale: Some(Scale::Small),
        ..RunFlags::default()
    };
    let plan = applied(LOAD, CLAIM, small());
    assert_eq!(plan.workloads[0].loads, [Load::Closed { connections: 16 }]);
    let level = match plan.left_out.as_slice() {
        [
            LeftOut::Claim {
                why: Untested::Level { load, .. },
                ..
            },
        ] => load.objective(),
        _ => None,
    };
    assert_eq!(
        level.map(|objective| objective.to_string()).as_deref(),
        Some("p99 < 10ms"),
        "{:?}",
        plan.left_out
    );
    let text = study("", "", "").replace("connections = [16, 100]", LOAD);
    let plan = resolve(read_study(&text).expect("a plan"), &small()).expect("applied");
    assert_eq!(searches(&plan).len(), 1);
}
