//! Flags with wrong values: the flag is named, what is allowed is said, exit 2.

use crate::support::{GOOD, Yard};

#[test]
fn load_refuses_what_cannot_be_sent() {
    let yard = Yard::new();
    // Nobody is asked: each of these is wrong by itself.
    let url = "http://127.0.0.1:9/plaintext";
    let cases: &[(&[&str], &[&str])] = &[
        (&[url, "-c", "0"], &["-c 0", "at least one connection"]),
        (&[url, "-c", "many"], &["--connections"]),
        (&[url, "-d", "0"], &["--duration 0", "at least 100ms"]),
        (&[url, "-d", "1ns"], &["--duration 1ns", "at least 100ms"]),
        (
            &[url, "-d", "99.9ms"],
            &["--duration 99.9ms", "at least 100ms"],
        ),
        (
            &[url, "--stages", "1ms@5,2ms@1..9"],
            &["--stages", "at least 100ms"],
        ),
        (&[url, "--duration=-1s"], &["--duration -1s"]),
        (
            &[url, "-d", "1m30"],
            &["--duration 1m30", "is not a length of time"],
        ),
        (
            &[url, "-n", "1.5"],
            &["--requests", "`1.5` is not a whole number", "20k"],
        ),
        (&[url, "-n", "1,5k"], &["--requests", "read in two ways"]),
        (&[url, "-c", "many"], &["--connections", "is not a number"]),
        (
            &[url, "-d", "5 parsecs"],
            &["--duration 5 parsecs", "h, m, s, ms, us"],
        ),
        (&[url, "-n", "0"], &["-n 0", "at least one request"]),
        (&[url, "-n", "5", "-d", "1s"], &["--requests", "--duration"]),
        (&[url, "--rate", "-1"], &["--rate", "`-1` is negative"]),
        (&[url, "--rate", "0"], &["--rate 0", "above zero"]),
        (
            &[url, "--rate", "nan"],
            &["--rate", "`nan` is not a number"],
        ),
        (
            &[url, "--rate", "inf"],
            &["--rate", "`inf` is not a number"],
        ),
        (&[url, "--rate", "fast"], &["--rate", "20k (20,000)"]),
        (&[url, "--timeout", "0"], &["--timeout 0", "at least 1ms"]),
        (
            &[url, "--timeout", "900us"],
            &["--timeout 900us", "at least 1ms"],
        ),
        (&[url, "-t", "0"], &["--threads 0", "at least one thread"]),
        (
            &[url, "-H", "nocolon"],
            &["-H: there is no colon", "Name: value"],
        ),
        (&[url, "-H", ": x"], &["-H: this is not a header's name"]),
        (&[url, "-H", "a b: x"], &["-H: this is not a header's name"]),
        (&[url, "-H", "A: x\r\nB: y"], &["-H", "control character"]),
        (&[url, "-m", "GE T"], &["--method 'GE T'", "not a method"]),
        (
            &[url, "--expect-status", "99"],
            &["--expect-status", "100..=599"],
        ),
        (
            &[url, "--body", "@no-such-file"],
            &["--body", "no-such-file"],
        ),
        (
            &[url, "--expect-body", "@no-such-file"],
            &["--expect-body", "no-such-file"],
        ),
        (
            &[url, "--follow-redirects", "-X", "POST"],
            &["--follow-redirects: only a GET"],
        ),
        (
            &["ws://127.0.0.1:9/", "--size", "8", "--follow-redirects"],
            &["--follow-redirects: only HTTP"],
        ),
        (
            &["http://127.0.0.1:9/{counter}", "--follow-redirects"],
            &["--follow-redirects: the URL is another one each time"],
        ),
        (
            &["ws://127.0.0.1:9/", "--size", "8", "--expect-contains", "x"],
            &["--expect-body instead of --expect-contains"],
        ),
        (
            &["tcp://127.0.0.1:9", "--size", "8", "--expect-status", "200"],
            &["an echo is the message that was sent"],
        ),
        (
            &["-c", "10"],
            &["load needs <URL>", "photofinish load http"],
        ),
        (&["http://203.0.113.1/"], &["203.0.113.1", "--allow-remote"]),
        (&["ftp://127.0.0.1/"], &["ftp:// cannot be loaded"]),
        (&["http://"], &["http://", "not a URL"]),
        (
            &["http://127.0.0.1:99999/"],
            &["99999", "invalid port number"],
        ),
        (&["http://me:secret@127.0.0.1/"], &["-H"]),
    ];
    for (args, says) in cases {
        let mut all = vec!["load"];
        all.extend(*args);
        let ended = yard.run(&all).code(2).says(says);
        assert_eq!(ended.out, "", "{args:?}");
    }
}

#[test]
fn run_refuses_what_is_out_of_range() {
    let yard = Yard::new();
    yard.target("a", GOOD).study("s", &["a"], "");
    let cases: &[(&[&str], &[&str])] = &[
        (&["--rounds", "0"], &["--rounds", "1 to 1000"]),
        (&["--rounds", "-1"], &["--rounds", "-1", "1 to 1000"]),
        (
            &["--until-decided", "--max-rounds", "-1"],
            &["--max-rounds", "2 to 100"],
        ),
        (
            &["--undecided", "fail"],
            &["--undecided", "there is none", "give a --fail-if"],
        ),
        (&["--duration", "1ms"], &["--duration", "100ms"]),
        (&["-d", "0"], &["--duration", "100ms"]),
        (&["--within", "5s"], &["--within", "10s to 24h"]),
        (
            &["--warmup", "soon"],
            &["--warmup", "soon", "h, m, s, ms, us"],
        ),
        (
            &["--lanes", "left"],
            &["--lanes", "`left`", "split", "none"],
        ),
        (&["--lanes", "server=0,generator=0"], &["--lanes"]),
        (&["--seed", "x"], &["--seed"]),
        (&["--resume", "no-such-folder"], &["no-such-folder"]),
        (&["--resume"], &["--resume", "no earlier run of s"]),
    ];
    for (args, says) in cases {
        let mut all = vec!["run", "s"];
        all.extend(*args);
        let ended = yard.run(&all);
        // A folder that cannot be resumed is found when the run begins.
        let code = ended.status.code();
        assert!(code == Some(2), "{args:?}: {code:?} {}", ended.err);
        ended.says(says);
    }
    assert!(yard.results("s").is_empty());
}

#[test]
fn a_level_that_is_out_of_range_is_told_as_it_was_written() {
    let yard = Yard::new();
    let race = [
        "compare",
        "a {port}",
        "b {port}",
        "--url",
        "http://127.0.0.1:{port}/",
    ];
    for (more, says) in [
        (["--rate", "0"], "`0` is out of range"),
        (["-c", "0"], "`0` is out of range"),
    ] {
        let ended = yard.run(&[&race[..], &more].concat()).code(2);
        ended.says(&[says]);
    }
}

#[test]
fn results_that_are_not_there_are_told_in_a_sentence() {
    let yard = Yard::new();
    for command in ["report", "history"] {
        yard.run(&[command, "no-such-folder"])
            .code(2)
            .says(&["photofinish: failed to read no-such-folder: "]);
    }
}

#[test]
fn what_is_wrong_with_servers_is_reported() {
    let yard = Yard::new();
    let cases: &[(&[&str], &[&str])] = &[
        (&["eventloop"], &["eventloop", "event-loop"]),
        (&["event-loop", "-p", "99999"], &["--port", "65535"]),
        (&["event-loop", "-p", "-1"], &["--port"]),
        (&["event-loop", "--host", "here"], &["--host"]),
        (&["delay", "--delay", "x"], &["--delay x"]),
    ];
    for (args, says) in cases {
        let mut all = vec!["server"];
        all.extend(*args);
        yard.run(&all).code(2).says(says);
    }
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
