//! The target that shows what the machine can do.

use super::{mistakes_in, read_study, study};
use crate::plan::{Draft, Plan};
use crate::{Error, RunFlags, resolve};
use photofinish_model::finding::left_out::{LeftOut, Untested};
use photofinish_model::settings::{RaceLayer, Set};

/// Two contenders, one workload for all and one for quarkus alone, and a limit.
fn limited(head: &str, claim: &str) -> Result<Draft, Error> {
    let second =
        "[[workload]]\nname = \"v\"\npath = \"/v\"\nconnections = 7\ntargets = [\"quarkus\"]";
    let head = format!("limit = \"quarkus@virtual-threads\"\n{head}");
    read_study(&study(&head, second, claim))
}

const LIMIT: &str = "quarkus@virtual-threads";

const CLAIM: &str = "[[claim]]\nid = \"a\"\nsays = \"s\"\nmetric = \"throughput\"\nof = \"quarkus\"\n\
                     over = \"quarkus@virtual-threads\"\nratio = 0.5\nworkload = \"v\"\nsource = \"x\"\n";

fn labels<S>(plan: &Plan<S>) -> Vec<&str> {
    plan.targets.iter().map(|target| &*target.label).collect()
}

fn with(overrides: RunFlags) -> Plan {
    resolve(limited("", CLAIM).unwrap(), &overrides).unwrap()
}

#[test]
fn it_races_along_behind_the_contenders_on_every_workload() {
    let plan = with(RunFlags::default());
    assert_eq!(labels(&plan), ["event-loop", "quarkus", LIMIT]);
    let marks: Vec<bool> = plan.targets.iter().map(|target| target.limit).collect();
    assert_eq!(marks, [false, false, true]);
    assert_eq!(plan.workloads[0].targets, [""; 0]);
    assert_eq!(plan.workloads[1].targets, ["quarkus", LIMIT]);
    assert_eq!(plan.claims.len(), 1);
}

#[test]
fn it_needs_the_services_that_any_contender_needs() {
    let service = |targets| {
        format!(
            "[service.db]\nkind = \"postgresql\"\n{targets}\n[service.other]\nkind = \"mariadb\"\n"
        )
    };
    let text = study(
        "limit = \"event-loop\"",
        "",
        &service("targets = [\"quarkus\"]"),
    )
    .replace("[\"event-loop\", \"quarkus\"]", "[\"quarkus\"]");
    let plan = read_study(&text).unwrap();
    assert_eq!(plan.services[0].targets, ["quarkus", "event-loop"]);
    assert_eq!(plan.services[1].targets, [""; 0]);
}

#[test]
fn other_flags_keep_it() {
    let only = |labels: &[&str]| RunFlags {
        only: labels.iter().map(|&label| label.to_owned()).collect(),
        ..RunFlags::default()
    };
    let plan = with(only(&["event-loop"]));
    assert_eq!(labels(&plan), ["event-loop", LIMIT]);
    assert_eq!(plan.workloads.len(), 1);
    let target = "quarkus".to_owned();
    assert_eq!(plan.left_out[0], LeftOut::Target { target });
    assert_eq!(with(only(&["event-loop", LIMIT])), plan);
    assert!(resolve(limited("", "").unwrap(), &only(&[LIMIT])).is_err());
    let smoke = RunFlags {
        smoke: true,
        ..RunFlags::default()
    };
    assert_eq!(with(smoke).targets.len(), 3);
}

#[test]
fn the_second_copy_is_that_of_a_contender() {
    let aa = RunFlags {
        settings: RaceLayer {
            aa: Set::flag(true),
            ..RaceLayer::default()
        },
        only: vec!["quarkus".to_owned()],
        ..RunFlags::default()
    };
    let plan = with(aa);
    assert_eq!(labels(&plan), ["quarkus", "quarkus-again", LIMIT]);
    assert_eq!(
        crate::same_as(&plan.targets[1], &plan.targets[..1]),
        Some("quarkus")
    );
    assert_eq!(crate::same_as(&plan.targets[2], &plan.targets[..2]), None);
}

#[test]
fn a_flag_leaves_it_out() {
    let without = RunFlags {
        no_limit: true,
        ..RunFlags::default()
    };
    let plan = with(without.clone());
    assert_eq!(labels(&plan), ["event-loop", "quarkus"]);
    assert_eq!(plan.workloads[1].targets, ["quarkus"]);
    let target = || LIMIT.to_owned();
    assert_eq!(
        plan.left_out,
        [
            LeftOut::Limit { target: target() },
            LeftOut::Claim {
                id: "a".to_owned(),
                why: Untested::Target { target: target() },
            },
        ]
    );
    // A study without one has none to leave out.
    let plan = resolve(read_study(&study("", "", "")).unwrap(), &without).unwrap();
    assert_eq!(plan.left_out, []);
}

#[test]
fn mistakes() {
    let heads = [
        "limit = \"limitt\"",
        "limit = \"quarkus@fast\"",
        "limit = \"quarkus\"",
        "limit = [\"quarkus\"]",
        "limit = { target = \"quarkus\" }",
        "limit = \"\"",
        "limit = \"broken\"",
    ];
    let mut all = mistakes_in(&heads, |head| read_study(&study(head, "", "")));
    // Workloads are for contenders; the limit takes them all.
    let restricted = "targets = [\"quarkus@virtual-threads\"]";
    all += &mistakes_in(&["limit = \"quarkus@virtual-threads\""], |head| {
        read_study(&study(head, restricted, ""))
    });
    insta::assert_snapshot!(all);
}
