//! The files of this repository, and finding files on the disk.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use super::{STUB, render, study};
use crate::error::Error;
use crate::find::{Library, load_study, load_study_with};
use crate::plan::{Draft, Target};
use crate::targets::Targets;
use photofinish_model::Load;
use photofinish_model::settings::Group;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

#[test]
fn every_target_of_the_repository_is_right() {
    let targets = Library::new(Some(&repository()), Path::new("/")).targets();
    for entry in &targets {
        if let Err(error) = &entry.targets {
            panic!("{}", render(error));
        }
    }
    for built_in in ["event-loop", "thread-per-connection"] {
        assert!(
            targets.iter().any(|entry| entry.name == built_in),
            "{built_in}"
        );
    }
}

/// The repository's targets, with a stand-in for those of the published studies that are not
/// there: a study is right or wrong apart from them.
struct Repository(Library);

impl Targets for Repository {
    fn names(&self) -> Vec<String> {
        self.0.names()
    }

    fn find(&self, name: &str) -> Option<Result<Vec<Target>, Error>> {
        let stand_in = ["tio-boot", "quarkus"].contains(&name);
        let found = self.0.find(name);
        found.or_else(|| stand_in.then(|| super::read_target(name, STUB[1].1)))
    }
}

fn study_of_repository(name: &str) -> Draft {
    let path = repository()
        .join("studies")
        .join(name)
        .with_extension("toml");
    let library = Library::new(Some(&repository()), Path::new("/"));
    let text = std::fs::read_to_string(path).unwrap();
    match super::read_study_with(&text, &Repository(library)) {
        Ok(plan) => plan,
        Err(error) => panic!("{}", render(&error)),
    }
}

#[test]
fn every_study_of_the_repository_is_right() {
    let library = Library::new(Some(&repository()), Path::new("/"));
    for entry in library.studies() {
        study_of_repository(&entry.name);
    }
}

#[test]
fn quickstart_takes_about_a_minute() {
    let plan = study_of_repository("quickstart");
    let levels: usize = plan.workloads.iter().map(|w| w.loads.len()).sum();
    assert_eq!((plan.targets.len(), levels), (2, 4));
    let settings = plan.settings.complete();
    let trials = settings.rounds * 2;
    let measured = (settings.duration + settings.lead_in) * 4 * trials;
    let [least, most] =
        [settings.warmup_min, settings.warmup_max].map(|w| (measured + w * trials).as_secs());
    assert!(
        (40..60).contains(&least) && most < 70,
        "{least} to {most} s"
    );
}

#[test]
fn the_claims_of_the_first_published_study() {
    let plan = study_of_repository("tio-boot-vs-quarkus");
    let claims: Vec<(&str, &str, Option<f64>)> = plan
        .claims
        .iter()
        .map(|claim| (&*claim.id, claim.metric.spec().key, claim.ratio))
        .collect();
    assert_eq!(
        claims,
        [
            ("a", "throughput", Some(1.067)),
            ("b", "mean", Some(0.937)),
            ("c", "max", Some(4.4)),
            ("d-throughput", "throughput", Some(1.03)),
            ("d-max", "max", Some(0.467)),
            ("e-switches", "context-switches", None),
            ("e-stack", "stack-depth", None),
        ]
    );
    for claim in &plan.claims {
        assert!(!claim.figures.is_empty() && !claim.source.is_empty());
        assert_eq!(claim.load, Load::Closed { connections: 100 });
    }
}

fn write(root: &Path, file: &str, text: &str) {
    let path = root.join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn library() -> (TempDir, Library) {
    let root = TempDir::new().unwrap();
    for (name, text) in STUB {
        write(root.path(), &format!("targets/{name}/target.toml"), text);
    }
    write(root.path(), "studies/race.toml", &study("", "", ""));
    write(root.path(), "studies/wrong.toml", "rounds = 0\n");
    let library = Library {
        roots: vec![root.path().to_owned()],
    };
    (root, library)
}

#[test]
fn lists_what_is_there_with_what_is_wrong() {
    let (_root, library) = library();
    let targets: Vec<(String, bool)> = library
        .targets()
        .into_iter()
        .map(|entry| (entry.name, entry.targets.is_ok()))
        .collect();
    let named = |name: &str, right| (name.to_owned(), right);
    assert_eq!(
        targets,
        [
            named("broken", false),
            named("event-loop", true),
            named("quarkus", true)
        ]
    );
    let studies: Vec<(String, bool)> = library
        .studies()
        .into_iter()
        .map(|entry| (entry.name, entry.plan.is_ok()))
        .collect();
    assert_eq!(studies, [named("race", true), named("wrong", false)]);
}

#[test]
fn a_study_is_found_by_name_and_by_file() {
    let (root, library) = library();
    let by_name = load_study(&library, "race").unwrap();
    let path = root.path().join("studies/race.toml");
    // By its file, a study finds the targets beside it whatever the library is.
    let nowhere = Library { roots: Vec::new() };
    let by_file = load_study(&nowhere, path.to_str().unwrap()).unwrap();
    assert_eq!(by_name, by_file);
    assert_eq!(by_name.name, "race");
    let dir = by_name.targets[0].dir.as_deref();
    assert_eq!(dir, Some(&*root.path().join("targets/event-loop")));
}

#[test]
fn the_first_root_counts() {
    let (_root, mut library) = library();
    let mine = TempDir::new().unwrap();
    write(
        mine.path(),
        "studies/race.toml",
        &study("rounds = 9", "", ""),
    );
    library.roots.insert(0, mine.path().to_owned());
    assert_eq!(
        load_study(&library, "race")
            .unwrap()
            .settings
            .complete()
            .rounds,
        9
    );
}

#[test]
fn further_targets_stand_behind_those_of_the_study() {
    let (root, library) = library();
    let load = |further: &[&str]| {
        let further: Vec<String> = further.iter().map(|label| (*label).to_owned()).collect();
        load_study_with(&library, "race", &further)
    };
    let target = "title = \"x\"\n[start]\ncommand = [\"x\", \"{port}\"]\n[variant.fast]\n";
    write(root.path(), "targets/mine/target.toml", target);
    let plan = load(&["mine@fast", "mine"]).unwrap();
    let labels: Vec<&str> = plan.targets.iter().map(|t| t.label.as_str()).collect();
    assert_eq!(labels[labels.len() - 2..], ["mine@fast", "mine"]);
    let says = |further: &[&str]| render(&load(further).unwrap_err());
    for (further, parts) in [
        (
            &["mien"][..],
            ["--with: there is no target `mien`", "did you mean `mine`?"],
        ),
        (
            &["mine@slow"],
            [
                "--with: the target `mine` has no variant like `mine@slow`",
                "its labels: mine, mine@fast",
            ],
        ),
        (
            &["mine", "mine"],
            ["--with: the target `mine` is there already", "--aa"],
        ),
    ] {
        let mistakes = says(further);
        assert!(
            parts.iter().all(|part| mistakes.contains(part)),
            "{mistakes}"
        );
    }
    let broken = says(&["broken"]);
    assert!(broken.contains("targets/broken/target.toml:"), "{broken}");
}

#[test]
fn a_study_that_is_not_there() {
    let (root, library) = library();
    let by_name = load_study(&library, "rase").unwrap_err();
    insta::assert_snapshot!(render(&by_name), @"
    × there is no study `rase`
    help: did you mean `race`? studies: race, wrong
    ");
    let path = root.path().join("studies/rase.toml");
    let by_file = load_study(&library, path.to_str().unwrap())
        .unwrap_err()
        .to_string();
    assert!(
        by_file.contains("rase.toml") && by_file.contains("No such file"),
        "{by_file}"
    );
}

#[test]
fn a_study_with_a_name_that_is_none() {
    let (root, library) = library();
    write(root.path(), "My Race.toml", &study("", "", ""));
    let path = root.path().join("My Race.toml");
    let error = load_study(&library, path.to_str().unwrap()).unwrap_err();
    assert!(
        error.to_string().contains("`My Race` is not a name"),
        "{error}"
    );
}

#[test]
fn the_studies_with_databases_test_every_claim_and_fit_into_20_minutes() {
    let claims = |plan: &Draft| -> Vec<(String, f64)> {
        let claims = plan.claims.iter();
        claims
            .filter_map(|claim| Some((claim.id.clone(), claim.ratio?)))
            .collect()
    };
    let expected = |claims: &[(&str, f64)]| -> Vec<(String, f64)> {
        claims
            .iter()
            .map(|(id, ratio)| ((*id).to_owned(), *ratio))
            .collect()
    };
    let actix = study_of_repository("spring-boot-vs-actix");
    let published = [
        ("a-8", 1.21),
        ("a-16", 1.047),
        ("b-8", 3.94),
        ("b-16", 1.71),
        ("c-8", 11.84),
        ("c-16", 7.89),
    ];
    assert_eq!(claims(&actix), expected(&published));
    let threads = study_of_repository("platform-vs-virtual-threads");
    let published = [
        ("insert-throughput", 1.011),
        ("range-throughput", 1.013),
        ("key-throughput", 1.018),
        ("insert-p99", 0.44),
        ("range-p90", 1.59),
        ("range-p99", 1.73),
        ("key-p90", 1.5),
        ("key-p99", 0.41),
    ];
    assert_eq!(claims(&threads), expected(&published));
    for plan in [actix, threads] {
        assert_eq!(plan.services.len(), 1);
        let levels: usize = plan.workloads.iter().map(|w| w.loads.len()).sum();
        // A start and a stop take some 6 s, a refill of a table less than 1 s. What has no compiler to wait for is warm after 20 s.
        let settings = plan.settings.clone().complete();
        let measured =
            (settings.duration + settings.lead_in + Duration::from_secs(1)) * levels as u32;
        let trial = |target: &Target| {
            let warmup = match target.needs.contains_key("jdk") {
                true => settings.warmup_max,
                false => Duration::from_secs(20),
            };
            warmup + measured + Duration::from_secs(6)
        };
        let took = plan.targets.iter().map(trial).sum::<Duration>() * settings.rounds;
        assert!(
            took <= Duration::from_secs(20 * 60),
            "{}: {took:?}",
            plan.name
        );
    }
}
