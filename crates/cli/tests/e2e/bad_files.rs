//! Names that are not there and mistakes in files: the place, what is allowed, exit 2.

use std::fs;

use crate::support::{GOOD, Yard};

fn yard() -> Yard {
    let yard = Yard::new();
    yard.target("netty", GOOD).target("quarkus", GOOD);
    yard.study("spring", &["netty", "quarkus"], "");
    yard
}

#[test]
fn an_unknown_study_gets_the_nearest_names() {
    let yard = yard();
    yard.run(&["run", "sprign"])
        .code(2)
        .says(&["there is no study `sprign`", "did you mean `spring`?"]);
    yard.run(&["run", "zzz"])
        .code(2)
        .says(&["there is no study `zzz`", "studies: spring"]);
    assert!(yard.results("spring").is_empty());
}

#[test]
fn unknown_targets_and_variants_get_the_nearest_names() {
    let yard = yard();
    yard.study("one", &["netty", "quarkos"], "");
    yard.run(&["run", "one"]).code(2).says(&[
        "studies/one.toml:7: there is no target `quarkos`",
        "did you mean `quarkus`?",
    ]);
    yard.target(
        "netty",
        &format!("{GOOD}[variant.epoll]\nenv = {{ A = \"b\" }}\n"),
    );
    yard.study("two", &["netty@epol", "quarkus"], "");
    yard.run(&["run", "two"]).code(2).says(&[
        "studies/two.toml:7",
        "epol",
        "did you mean `netty@epoll`",
    ]);
    yard.run(&["run", "spring", "--only", "nety"])
        .code(2)
        .says(&[
            "--only",
            "`nety` is not one of the study's targets",
            "did you mean `netty`?",
        ]);
}

#[test]
fn mistakes_in_files_are_shown_where_they_are() {
    let yard = yard();
    let file = yard.path("studies/spring.toml");
    let sound = fs::read_to_string(&file).expect("a study");
    // Two of many: study/src/tests/study_errors.rs has all.
    let round: &[&str] = &[
        "spring.toml:2: unknown key `round`",
        "did you mean `rounds`?",
    ];
    let cases: [(&str, &str, &[&str]); 2] = [
        ("rounds = 2", "round = 2", round),
        ("title = \"a test\"", "title = \"a test", &["spring.toml:1"]),
    ];
    for (from, to, says) in cases {
        let broken = sound.replace(from, to);
        assert_ne!(broken, sound, "{from}");
        fs::write(&file, broken).expect("a study");
        yard.run(&["run", "spring"]).code(2).says(says);
    }
    fs::write(&file, &sound).expect("a study");
    yard.target("quarkus", &GOOD.replace("[start]", "[strat]"));
    yard.run(&["run", "spring"]).code(2).says(&[
        "targets/quarkus/target.toml:3",
        "`strat`",
        "did you mean `start`?",
    ]);
    // What a log or an editor can find: the message is on one line, unbroken, without colours.
    let ended = yard.run(&["run", "spring"]);
    assert!(!ended.err.contains('\u{1b}'), "{}", ended.err);
    assert!(yard.results("spring").is_empty());
}

#[test]
fn several_mistakes_are_reported_together_and_before_anything_runs() {
    let yard = yard();
    yard.study(
        "other",
        &["netty", "quarkus"],
        "roundz = 3\nlane = \"none\"",
    );
    yard.run(&["run", "spring", "other"])
        .code(2)
        .says(&["`roundz`", "`lane`", "2 mistakes"]);
    assert!(yard.results("spring").is_empty());
}
