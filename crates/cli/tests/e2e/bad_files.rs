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
fn unknown_names_get_the_nearest_ones() {
    let yard = yard();
    yard.study("one", &["netty", "quarkos"], "");
    let epoll = format!("{GOOD}[variant.epoll]\nenv = {{ A = \"b\" }}\n");
    yard.target("netty", &epoll);
    yard.study("two", &["netty@epol", "quarkus"], "");
    for (args, says) in [
        (
            "sprign",
            ["there is no study `sprign`", "did you mean `spring`?"],
        ),
        (
            "zzz",
            ["there is no study `zzz`", "studies: one, spring, two"],
        ),
        (
            "one",
            [
                "studies/one.toml:7: there is no target `quarkos`",
                "did you mean `quarkus`?",
            ],
        ),
        ("two", ["studies/two.toml:7", "did you mean `netty@epoll`"]),
        (
            "spring --only nety",
            [
                "`nety` is not one of the study's targets",
                "did you mean `netty`?",
            ],
        ),
    ] {
        yard.refuses(&format!("run {args}"), &says);
    }
    assert!(yard.results("spring").is_empty());
}

#[test]
fn mistakes_in_files_are_shown_where_they_are_before_anything_runs() {
    let yard = yard();
    let file = yard.path("studies/spring.toml");
    let sound = fs::read_to_string(&file).expect("a study");
    // Two of many: study/src/tests/study_errors.rs has all.
    let round = [
        "spring.toml:2: unknown key `round`",
        "did you mean `rounds`?",
    ];
    for (from, to, says) in [
        ("rounds = 2", "round = 2", &round[..]),
        ("title = \"a test\"", "title = \"a test", &["spring.toml:1"]),
    ] {
        let broken = sound.replace(from, to);
        assert_ne!(broken, sound, "{from}");
        fs::write(&file, broken).expect("a study");
        yard.refuses("run spring", says);
    }
    fs::write(&file, &sound).expect("a study");
    let other = "roundz = 3\nlane = \"none\"";
    yard.study("other", &["netty", "quarkus"], other);
    yard.refuses("run spring other", &["`roundz`", "`lane`", "2 mistakes"]);
    yard.target("quarkus", &GOOD.replace("[start]", "[strat]"));
    let strat = [
        "targets/quarkus/target.toml:3",
        "`strat`",
        "did you mean `start`?",
    ];
    // What a log or an editor can find: the message is on one line, unbroken, without colours.
    let ended = yard.refuses("run spring", &strat);
    assert!(!ended.err.contains('\u{1b}'), "{}", ended.err);
    assert!(yard.results("spring").is_empty());
}
