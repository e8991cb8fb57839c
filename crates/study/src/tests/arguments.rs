//! Flags over a study.

use std::time::Duration;

use photofinish_model::Load;
use photofinish_model::finding::left_out::{LeftOut, Untested};

use super::{read_study, render, study};
use crate::plan::{Plan, Within};
use crate::{Overrides, Scale, apply};

const CLAIM: &str = "[[claim]]\nid = \"a\"\nsays = \"s\"\nmetric = \"mean\"\nof = \"event-loop\"\n\
                     over = \"quarkus\"\nratio = 1.1\nconnections = 100\nsource = \"x\"\n";

fn plan() -> Plan {
    let second =
        "[[workload]]\nname = \"v\"\npath = \"/v\"\nconnections = 7\ntargets = [\"quarkus\"]";
    let claim = CLAIM.replace("connections", "workload = \"w\"\nconnections");
    read_study(&study("", second, &claim)).unwrap()
}

fn applied(overrides: Overrides) -> Plan {
    apply(plan(), &overrides).unwrap()
}

#[test]
fn nothing_asked_for_changes_nothing() {
    assert_eq!(applied(Overrides::default()), plan());
}

#[test]
fn smoke_is_short_and_keeps_every_level() {
    let smoke = applied(Overrides {
        smoke: true,
        ..Overrides::default()
    });
    assert!(smoke.smoke);
    assert_eq!(smoke.rounds, 1);
    assert_eq!(smoke.duration, Duration::from_secs(1));
    assert_eq!(smoke.lead_in, Duration::ZERO);
    assert_eq!(smoke.warmup.max, Duration::ZERO);
    assert_eq!(smoke.workloads, plan().workloads);
}

#[test]
fn flags_count_over_study_and_smoke() {
    let plan = applied(Overrides {
        smoke: true,
        rounds: Some(2),
        duration: Some(Duration::from_secs(3)),
        warmup_max: Some(Duration::from_millis(500)),
        ..Overrides::default()
    });
    assert_eq!(plan.rounds, 2);
    assert_eq!(plan.duration, Duration::from_secs(3));
    assert_eq!(plan.warmup.max, Duration::from_millis(500));
}

#[test]
fn only_takes_out_what_cannot_run_and_says_so() {
    let plan = applied(Overrides {
        only: vec!["event-loop".to_owned()],
        ..Overrides::default()
    });
    assert_eq!(plan.targets.len(), 1);
    assert_eq!(plan.workloads.len(), 1);
    assert!(plan.claims.is_empty());
    let target = "quarkus".to_owned();
    assert_eq!(
        plan.left_out,
        [
            LeftOut::Target {
                target: target.clone()
            },
            LeftOut::Workload {
                workload: "v".to_owned()
            },
            untested(Untested::Target { target }),
        ]
    );
}

/// The claim `a`, which is not tested.
fn untested(why: Untested) -> LeftOut {
    let id = "a".to_owned();
    LeftOut::Claim { id, why }
}

/// A study whose claims are about levels that do not all run by themselves.
fn scaled(claim: &str, scale: Option<Scale>) -> Plan {
    let claim = CLAIM.replace("connections = 100", &format!("connections = 5000\n{claim}"));
    let text = study("", "published-connections = [300, 5000]", &claim);
    let overrides = Overrides {
        scale,
        ..Overrides::default()
    };
    apply(read_study(&text).unwrap(), &overrides).unwrap()
}

#[test]
fn scales_choose_among_the_levels_of_the_file() {
    let closed = |connections| Load::Closed { connections };
    let loads = |scale| scaled("", scale).workloads.remove(0).loads;
    assert_eq!(loads(None), [closed(16), closed(100)]);
    assert_eq!(loads(Some(Scale::Published)), [closed(300), closed(5_000)]);
    assert_eq!(loads(Some(Scale::Small)), [closed(16)]);
}

#[test]
fn a_claim_is_tested_at_its_level_or_at_the_one_in_its_stead() {
    assert_eq!(
        scaled("", None).left_out,
        [untested(Untested::Level {
            load: Load::Closed { connections: 5_000 },
            published: true,
        })]
    );
    assert_eq!(scaled("", Some(Scale::Published)).claims.len(), 1);
    let stand_in = "measured-at = { connections = 100 }";
    let plan = scaled(stand_in, None);
    assert_eq!(plan.claims[0].load, Load::Closed { connections: 5_000 });
    assert_eq!(
        plan.claims[0].measured_at,
        Some(Load::Closed { connections: 100 })
    );
    // Neither runs.
    assert!(scaled(stand_in, Some(Scale::Small)).claims.is_empty());
    // Side B's level does not run.
    assert!(scaled("over-connections = 300", None).claims.is_empty());
    assert_eq!(
        scaled("over-connections = 300", Some(Scale::Published))
            .claims
            .len(),
        1
    );
}

#[test]
fn a_second_copy_of_the_first_target_races_along() {
    let with = |overrides| {
        let plan = applied(overrides);
        let labels = plan.targets.iter().map(|target| target.label.clone());
        labels.collect::<Vec<_>>()
    };
    let aa = || Overrides {
        aa: true,
        ..Overrides::default()
    };
    let labels = with(aa());
    assert_eq!(labels, ["event-loop", "quarkus", "event-loop-again"]);
    // Asking twice adds none, and a smoke run has none.
    let twice = apply(applied(aa()), &aa()).unwrap();
    assert_eq!(twice.targets.len(), 3);
    assert_eq!(
        crate::same_as(&twice.targets[2], &twice.targets[..2]),
        Some("event-loop")
    );
    assert_eq!(crate::same_as(&twice.targets[1], &twice.targets[..1]), None);
    let smoke = Overrides {
        smoke: true,
        ..aa()
    };
    assert_eq!(with(smoke).len(), 2);
    // It takes the workloads that the first one takes.
    let only = Overrides {
        only: vec!["quarkus".to_owned()],
        ..aa()
    };
    let plan = applied(only);
    assert_eq!(plan.workloads[1].targets, ["quarkus", "quarkus-again"]);
    assert_eq!(plan.workloads[0].targets, [""; 0]);
    let asked = apply(
        read_study(&study("aa = true", "", "")).unwrap(),
        &Overrides::default(),
    );
    assert_eq!(asked.unwrap().targets.len(), 3);
}

#[test]
fn targets_take_turns_unless_a_flag_or_the_study_says_otherwise() {
    let asked = |turns| Overrides {
        turns: Some(turns),
        ..Overrides::default()
    };
    assert!(plan().turns);
    assert!(!applied(asked(false)).turns);
    let study = || read_study(&study("turns = false\n", "", "")).unwrap();
    assert!(!apply(study(), &Overrides::default()).unwrap().turns);
    assert!(apply(study(), &asked(true)).unwrap().turns);
}

#[test]
fn rounds_are_added_up_to_a_cap() {
    let until = |max_rounds| Overrides {
        until_decided: true,
        max_rounds,
        ..Overrides::default()
    };
    let plan = applied(until(None));
    assert_eq!((plan.until_decided, plan.rounds), (true, 20));
    assert_eq!(applied(until(Some(12))).rounds, 12);
    let mut mistakes = String::new();
    for wrong in [
        Overrides {
            rounds: Some(5),
            ..until(None)
        },
        Overrides {
            smoke: true,
            ..until(None)
        },
        until(Some(1)),
        Overrides {
            max_rounds: Some(9),
            ..Overrides::default()
        },
    ] {
        mistakes += &(render(&apply(super::arguments::plan(), &wrong).unwrap_err()) + "\n");
    }
    insta::assert_snapshot!(mistakes);
}

#[test]
fn rounds_have_a_limit_of_time_unless_a_flag_says_how_many_there_are() {
    const MINUTE: Duration = Duration::from_secs(60);
    let study = || read_study(&study("rounds = 6\nwithin = \"20m\"\n", "", "")).unwrap();
    assert_eq!(plan().within, None);
    assert_eq!(study().within, Some(Within::of(20 * MINUTE)));
    let within = |overrides| {
        let plan = apply(study(), &overrides).unwrap();
        plan.within.map(|within| within.time)
    };
    assert_eq!(within(Overrides::default()), Some(20 * MINUTE));
    let asked = || Overrides {
        within: Some(MINUTE),
        ..Overrides::default()
    };
    assert_eq!(within(asked()), Some(MINUTE));
    for (lifted, flags) in [
        (
            None,
            Overrides {
                rounds: Some(9),
                ..Overrides::default()
            },
        ),
        (
            None,
            Overrides {
                until_decided: true,
                ..Overrides::default()
            },
        ),
        (
            None,
            Overrides {
                smoke: true,
                ..Overrides::default()
            },
        ),
        (
            None,
            Overrides {
                duration: Some(MINUTE),
                ..Overrides::default()
            },
        ),
        (
            None,
            Overrides {
                aa: true,
                ..Overrides::default()
            },
        ),
        (
            Some(MINUTE),
            Overrides {
                rounds: Some(9),
                ..asked()
            },
        ),
        (
            Some(MINUTE),
            Overrides {
                until_decided: true,
                ..asked()
            },
        ),
    ] {
        assert_eq!(within(flags), lifted);
    }
}

#[test]
fn wrong_flags() {
    let wrong = |overrides| render(&apply(plan(), &overrides).unwrap_err()) + "\n";
    let mut mistakes = wrong(Overrides {
        rounds: Some(0),
        ..Overrides::default()
    });
    mistakes += &wrong(Overrides {
        duration: Some(Duration::ZERO),
        ..Overrides::default()
    });
    mistakes += &wrong(Overrides {
        within: Some(Duration::from_secs(1)),
        ..Overrides::default()
    });
    mistakes += &wrong(Overrides {
        within: Some(Duration::from_secs(60)),
        smoke: true,
        ..Overrides::default()
    });
    mistakes += &wrong(Overrides {
        only: vec!["quarkos".to_owned()],
        ..Overrides::default()
    });
    insta::assert_snapshot!(mistakes);
}

#[test]
fn servers_are_stopped_beside_others_only_in_turns() {
    let freeze = |turns| Overrides {
        freeze: true,
        turns,
        ..Overrides::default()
    };
    assert!(!plan().freeze);
    assert!(applied(freeze(None)).freeze);
    let error = apply(plan(), &freeze(Some(false))).unwrap_err().to_string();
    assert!(error.contains("--freeze"), "{error}");
}
