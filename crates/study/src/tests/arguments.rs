//! Flags over a study.

use std::time::Duration;

use photofinish_model::Load;
use photofinish_model::finding::left_out::{LeftOut, Untested};
use photofinish_model::samples::assert_contains;
use photofinish_model::settings::{CpuSets, Group, RaceLayer, Set};

use super::{read_study, render, study};
use crate::plan::{Draft, Plan};
use crate::{RunFlags, Scale, resolve};

const CLAIM: &str = "[[claim]]\nid = \"a\"\nsays = \"s\"\nmetric = \"mean\"\nof = \"event-loop\"\n\
                     over = \"quarkus\"\nratio = 1.1\nconnections = 100\nsource = \"x\"\n";

fn plan() -> Draft {
    let second =
        "[[workload]]\nname = \"v\"\npath = \"/v\"\nconnections = 7\ntargets = [\"quarkus\"]";
    let claim = CLAIM.replace("connections", "workload = \"w\"\nconnections");
    read_study(&study("", second, &claim)).unwrap()
}

fn applied(flags: RunFlags) -> Plan {
    resolve(plan(), &flags).unwrap()
}

/// The flags of settings.
fn flags(settings: RaceLayer) -> RunFlags {
    RunFlags {
        settings,
        ..RunFlags::default()
    }
}

/// No flag.
fn none() -> RaceLayer {
    RaceLayer::default()
}

#[test]
fn nothing_asked_for_changes_nothing() {
    let resolved = applied(RunFlags::default());
    assert_eq!(resolved.settings, plan().settings.complete());
    assert_eq!(resolved.workloads, plan().workloads);
}

#[test]
fn smoke_is_short_and_keeps_every_level() {
    let smoke = applied(RunFlags {
        smoke: true,
        ..RunFlags::default()
    });
    let settings = &smoke.settings;
    assert!(settings.smoke);
    assert_eq!(settings.rounds, 1);
    assert_eq!(settings.duration, Duration::from_secs(1));
    assert_eq!(settings.lead_in, Duration::ZERO);
    assert_eq!(settings.warmup_max, Duration::ZERO);
    assert_eq!(smoke.workloads, plan().workloads);
}

#[test]
fn flags_count_over_study_and_smoke() {
    let settings = applied(RunFlags {
        smoke: true,
        settings: RaceLayer {
            rounds: Set::flag(2),
            duration: Set::flag(Duration::from_secs(3)),
            warmup_max: Set::flag(Duration::from_millis(500)),
            ..none()
        },
        ..RunFlags::default()
    })
    .settings;
    assert_eq!(settings.rounds, 2);
    assert_eq!(settings.duration, Duration::from_secs(3));
    assert_eq!(settings.warmup_max, Duration::from_millis(500));
}

#[test]
fn a_bound_of_the_warm_up_moves_the_other_one_of_a_lower_layer() {
    let warmup = |head: &str, flag: Option<Duration>| {
        let given = flags(RaceLayer {
            warmup_max: flag.and_then(Set::flag),
            ..none()
        });
        let plan = resolve(read_study(&study(head, "", "")).unwrap(), &given).unwrap();
        [plan.settings.warmup_min, plan.settings.warmup_max].map(|time| time.as_secs())
    };
    let second = Duration::from_secs(1);
    assert_eq!(warmup("", None), [3, 60]);
    assert_eq!(warmup("", Some(second)), [1, 1]);
    assert_eq!(warmup("warmup = { min = \"90s\" }", None), [90, 90]);
    assert_eq!(warmup("warmup = { max = \"2s\" }", None), [2, 2]);
    assert_eq!(warmup("warmup = { min = \"9s\" }", Some(second)), [1, 1]);
}

#[test]
fn only_takes_out_what_cannot_run_and_says_so() {
    let plan = applied(RunFlags {
        only: vec!["event-loop".to_owned()],
        ..RunFlags::default()
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
    let overrides = RunFlags {
        scale,
        ..RunFlags::default()
    };
    resolve(read_study(&text).unwrap(), &overrides).unwrap()
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
    let aa = || {
        flags(RaceLayer {
            aa: Set::flag(true),
            ..none()
        })
    };
    let labels = with(aa());
    assert_eq!(labels, ["event-loop", "quarkus", "event-loop-again"]);
    // A smoke run has none.
    let targets = applied(aa()).targets;
    let same_as = |place: usize| crate::same_as(&targets[place], &targets[..place]);
    assert_eq!((same_as(2), same_as(1)), (Some("event-loop"), None));
    let smoke = RunFlags {
        smoke: true,
        ..aa()
    };
    assert_eq!(with(smoke).len(), 2);
    // It takes the workloads that the first one takes.
    let only = RunFlags {
        only: vec!["quarkus".to_owned()],
        ..aa()
    };
    let plan = applied(only);
    assert_eq!(plan.workloads[1].targets, ["quarkus", "quarkus-again"]);
    assert_eq!(plan.workloads[0].targets, [""; 0]);
    let asked = resolve(
        read_study(&study("aa = true", "", "")).unwrap(),
        &RunFlags::default(),
    );
    assert_eq!(asked.unwrap().targets.len(), 3);
}

#[test]
fn targets_take_turns_unless_a_flag_or_the_study_says_otherwise() {
    let turns = |head: &str, flag: Option<bool>| {
        let given = flags(RaceLayer {
            turns: flag.and_then(Set::flag),
            ..none()
        });
        let plan = resolve(read_study(&study(head, "", "")).unwrap(), &given);
        plan.unwrap().settings.turns
    };
    assert!(turns("", None));
    assert!(!turns("", Some(false)));
    assert!(!turns("turns = false\n", None));
    assert!(turns("turns = false\n", Some(true)));
}

#[test]
fn rounds_are_added_up_to_a_cap() {
    let until = |max_rounds: Option<u32>| RaceLayer {
        until_decided: Set::flag(true),
        max_rounds: max_rounds.and_then(|most| Set::flag(Some(most))),
        ..none()
    };
    let rounds = |most| {
        let settings = applied(flags(until(most))).settings;
        (settings.until_decided, settings.rounds, settings.max_rounds)
    };
    assert_eq!(rounds(None), (true, 20, Some(20)));
    assert_eq!(rounds(Some(12)), (true, 12, Some(12)));
    let mut mistakes = String::new();
    for wrong in [
        flags(RaceLayer {
            rounds: Set::flag(5),
            ..until(None)
        }),
        RunFlags {
            smoke: true,
            ..flags(until(None))
        },
        flags(RaceLayer {
            max_rounds: Set::flag(Some(9)),
            ..none()
        }),
    ] {
        mistakes += &(render(&resolve(plan(), &wrong).unwrap_err()) + "\n");
    }
    insta::assert_snapshot!(mistakes);
}

#[test]
fn rounds_have_a_time_budget_unless_a_higher_layer_changes_what_it_is_for() {
    const MINUTE: Duration = Duration::from_secs(60);
    let study = || read_study(&study("rounds = 6\nwithin = \"20m\"\n", "", "")).unwrap();
    let within = |flags: RunFlags| resolve(study(), &flags).unwrap().settings.within;
    let asked = || RaceLayer {
        within: Set::flag(Some(MINUTE)),
        ..none()
    };
    let rounds = |below| RaceLayer {
        rounds: Set::flag(9),
        ..below
    };
    let until = |below| RaceLayer {
        until_decided: Set::flag(true),
        ..below
    };
    assert_eq!(plan().settings.complete().within, None);
    assert_eq!(within(RunFlags::default()), Some(20 * MINUTE));
    let smoke = RunFlags {
        smoke: true,
        ..RunFlags::default()
    };
    assert_eq!(within(smoke), None);
    for (lifted, settings) in [
        (Some(MINUTE), asked()),
        (None, rounds(none())),
        (None, until(none())),
        (
            None,
            RaceLayer {
                duration: Set::flag(MINUTE),
                ..none()
            },
        ),
        (
            None,
            RaceLayer {
                aa: Set::flag(true),
                ..none()
            },
        ),
        (
            Some(20 * MINUTE),
            RaceLayer {
                lead_in: Set::flag(MINUTE),
                ..none()
            },
        ),
        (Some(MINUTE), rounds(asked())),
        (Some(MINUTE), until(asked())),
    ] {
        assert_eq!(within(flags(settings)), lifted);
    }
}

#[test]
fn a_budget_that_somebody_gives_holds_however_few_rounds_fit() {
    let fewest = |draft, settings| {
        resolve(draft, &flags(settings))
            .unwrap()
            .settings
            .fewest_rounds
    };
    let compare = || super::compare::two_commands();
    let given = RaceLayer {
        within: Set::flag(Some(Duration::from_secs(60))),
        ..none()
    };
    assert_eq!(fewest(compare(), none()), 5);
    assert_eq!(fewest(compare(), given), 1);
}

#[test]
fn wrong_flags() {
    let wrong = |flags: RunFlags| render(&resolve(plan(), &flags).unwrap_err()) + "\n";
    let mut mistakes = wrong(RunFlags {
        smoke: true,
        ..flags(RaceLayer {
            within: Set::flag(Some(Duration::from_secs(60))),
            ..none()
        })
    });
    mistakes += &wrong(RunFlags {
        only: vec!["quarkos".to_owned()],
        ..RunFlags::default()
    });
    insta::assert_snapshot!(mistakes);
}

#[test]
fn servers_are_stopped_beside_others_only_in_turns() {
    let freeze = |turns: Option<bool>| {
        flags(RaceLayer {
            freeze: Set::flag(true),
            turns: turns.and_then(Set::flag),
            ..none()
        })
    };
    assert!(applied(freeze(None)).settings.freeze);
    let error = resolve(plan(), &freeze(Some(false))).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("--freeze: servers are measured one after the other (--sequential), ")
    );
    // What the file states is named by its line.
    let file = read_study(&study("turns = false", "", "")).unwrap();
    let error = resolve(file, &freeze(None)).unwrap_err().to_string();
    assert_contains(&error, "(`turns = false` in line 3 of the study)");
}

#[test]
fn lanes_of_a_flag_replace_those_of_the_study() {
    let file = read_study(&study("lanes = { server = [0], generator = [1] }", "", "")).unwrap();
    let given = flags(RaceLayer {
        lanes: Set::flag(CpuSets::None),
        ..none()
    });
    assert_eq!(resolve(file, &given).unwrap().settings.lanes, CpuSets::None);
}
