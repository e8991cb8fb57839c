//! Flags with wrong values: the flag is named, what is allowed is said, exit 2.

use std::fmt::Write as _;

use crate::support::{GOOD, Yard};

/// What photofinish says of each of these command lines, which it refuses before it does anything.
fn refusals(yard: &Yard, command: &[&str], all: &[&[&str]]) -> String {
    let mut said = String::new();
    for flags in all {
        let ended = yard.run(&[command, flags].concat()).code(2);
        assert_eq!(ended.out, "", "{flags:?}");
        let _ = writeln!(said, "{command:?} {flags:?}\n{}", ended.err);
    }
    said
}

#[test]
fn load_refuses_what_cannot_be_sent() {
    let yard = Yard::new();
    // Nobody is asked: each of these is wrong by itself.
    let flags: &[&[&str]] = &[
        &["-c", "0"],
        &["-c", "many"],
        &["-d", "0"],
        &["-d", "1ns"],
        &["-d", "99.9ms"],
        &["--stages", "1ms@5,2ms@1..9"],
        &["--duration=-1s"],
        &["-d", "1m30"],
        &["-d", "5 parsecs"],
        &["-n", "0"],
        &["-n", "1.5"],
        &["-n", "1,5k"],
        &["-n", "5", "-d", "1s"],
        &["--rate", "-1"],
        &["--rate", "0"],
        &["--rate", "nan"],
        &["--rate", "inf"],
        &["--rate", "fast"],
        &["--timeout", "0"],
        &["--timeout", "900us"],
        &["-t", "0"],
        &["-H", "nocolon"],
        &["-H", ": x"],
        &["-H", "a b: x"],
        &["-H", "A: x\r\nB: y"],
        &["-m", "GE T"],
        &["--expect-status", "99"],
        &["--body", "@no-such-file"],
        &["--expect-body", "@no-such-file"],
    ];
    insta::assert_snapshot!(
        "load_flags",
        refusals(&yard, &["load", "http://127.0.0.1:9/plaintext"], flags)
    );
    let urls: &[&[&str]] = &[
        &["http://203.0.113.1/"],
        &["ftp://127.0.0.1/"],
        &["http://"],
        &["http://127.0.0.1:99999/"],
        &["http://me:secret@127.0.0.1/"],
    ];
    insta::assert_snapshot!("load_urls", refusals(&yard, &["load"], urls));
}

#[test]
fn run_refuses_what_is_out_of_range() {
    let yard = Yard::new();
    yard.target("a", GOOD).study("s", &["a"], "");
    let flags: &[&[&str]] = &[
        &["--rounds", "0"],
        &["--rounds", "-1"],
        &["--until-decided", "--max-rounds", "-1"],
        &["--undecided", "fail"],
        &["--duration", "1ms"],
        &["-d", "0"],
        &["--within", "5s"],
        &["--warmup", "soon"],
        &["--lanes", "left"],
        &["--lanes", "server=0,generator=0"],
        &["--seed", "x"],
        &["--resume", "no-such-folder"],
        &["--resume"],
    ];
    insta::assert_snapshot!("run_flags", refusals(&yard, &["run", "s"], flags));
    assert!(yard.results("s").is_empty());
}

#[test]
fn what_is_wrong_elsewhere_is_told_as_it_was_written() {
    let yard = Yard::new();
    let url = "http://127.0.0.1:{port}/";
    let race = ["compare", "a {port}", "b {port}", "--url", url];
    let mut said = refusals(&yard, &race, &[&["--rate", "0"], &["-c", "0"]]);
    let servers: &[&[&str]] = &[
        &["eventloop"],
        &["event-loop", "-p", "99999"],
        &["event-loop", "-p", "-1"],
        &["event-loop", "--host", "here"],
        &["delay", "--delay", "x"],
    ];
    said += &refusals(&yard, &["server"], servers);
    said += &refusals(&yard, &["report"], &[&["no-such-folder"]]);
    said += &refusals(&yard, &["history"], &[&["no-such-folder"]]);
    insta::assert_snapshot!("other_commands", said);
}

#[test]
fn shells_and_man_learn_the_command_line_from_the_program() {
    let yard = Yard::new();
    for shell in ["bash", "zsh", "fish"] {
        yard.run(&["completions", shell])
            .code(0)
            .prints(&["PHOTOFINISH_COMPLETE", "photofinish"]);
    }
    yard.run(&["man"])
        .code(0)
        .prints(&[".TH photofinish 1", "Races servers side by side"]);
    yard.run(&["man", "compare"])
        .code(0)
        .prints(&["parameter", "\\-\\-url"]);
    yard.run(&["man", "comapre"])
        .code(2)
        .says(&["there is no command `comapre`; did you mean `compare` or"]);
}
