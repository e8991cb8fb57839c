//! Flags with wrong values: the flag is named, what is allowed is said, exit 2.

use crate::support::{GOOD, Yard};

#[test]
fn load_refuses_what_cannot_be_sent() {
    let yard = Yard::new();
    // Nobody is asked: each of these is wrong by itself.
    for (flags, says) in [
        ("-c 0", &["-c 0", "at least one connection"][..]),
        ("-c many", &["--connections", "is not a number"]),
        ("-d 0", &["--duration 0", "at least 100ms"]),
        ("-d 99.9ms", &["--duration 99.9ms", "at least 100ms"]),
        ("--stages 1ms@5,2ms@1..9", &["--stages", "at least 100ms"]),
        ("--stages 1s@5,1s", &["--stages, stage 2 `1s`"]),
        ("--duration=-1s", &["--duration -1s"]),
        ("-d 1m30", &["--duration 1m30", "is not a length of time"]),
        (
            "-d '5 parsecs'",
            &["--duration 5 parsecs", "h, m, s, ms, us"],
        ),
        (
            "-n 1.5",
            &["--requests", "`1.5` is not a whole number", "20k"],
        ),
        ("-n 1,5k", &["--requests", "read in two ways"]),
        ("-n 0", &["-n 0", "at least one request"]),
        ("-n 5 -d 1s", &["--requests", "--duration"]),
        ("--rate -1", &["--rate", "`-1` is negative"]),
        ("--rate 0", &["--rate 0", "above zero"]),
        ("--rate nan", &["--rate", "`nan` is not a number"]),
        ("--timeout 0", &["--timeout", "1ms to 10m"]),
        ("-t 0", &["--threads 0", "at least one thread"]),
        ("-H nocolon", &["-H: there is no colon", "Name: value"]),
        ("-H ': x'", &["-H: this is not a header's name"]),
        ("-H 'A: x\r\nB: y'", &["-H", "control character"]),
        ("-m 'GE T'", &["--method 'GE T'", "not a method"]),
        ("--expect-status 99", &["--expect-status", "100 to 599"]),
        ("--body @no-such-file", &["--body", "no-such-file"]),
        ("--expect-body @none", &["--expect-body", "none"]),
        (
            "--follow-redirects -X POST",
            &["--follow-redirects: only a GET"],
        ),
    ] {
        let ended = yard.refuses(&format!("load http://127.0.0.1:9/plaintext {flags}"), says);
        assert_eq!(ended.out, "", "{flags}");
    }
    for (args, says) in [
        (
            "http://203.0.113.1/",
            &["203.0.113.1", "--allow-remote"][..],
        ),
        ("ftp://127.0.0.1/", &["ftp:// cannot be loaded"]),
        ("http://", &["http://", "not a URL"]),
        ("http://127.0.0.1:99999/", &["99999", "invalid port number"]),
        ("http://me:secret@127.0.0.1/", &["-H"]),
        (
            "ws://127.0.0.1:9/ --size 8 --follow-redirects",
            &["--follow-redirects: only HTTP"],
        ),
        (
            "http://127.0.0.1:9/{counter} --follow-redirects",
            &["--follow-redirects: the URL is another one each time"],
        ),
        (
            "ws://127.0.0.1:9/ --size 8 --expect-contains x",
            &["--expect-body instead of --expect-contains"],
        ),
        (
            "tcp://127.0.0.1:9 --size 8 --expect-status 200",
            &["an echo is the message that was sent"],
        ),
        ("-c 10", &["load needs <URL>", "photofinish load http"]),
    ] {
        yard.refuses(&format!("load {args}"), says);
    }
    let capacity = "capacity http://127.0.0.1:1/ --slo";
    let says = ["--slo 'p98 < 1ms': `p98` is not a figure"];
    yard.refuses(&format!("{capacity} 'p98 < 1ms'"), &says);
    yard.refuses(
        &format!("{capacity} 'p99 < 1ms' --start 0"),
        &["--start", "1 to 10000000"],
    );
}

#[test]
fn run_refuses_what_is_out_of_range() {
    let yard = Yard::new();
    yard.target("a", GOOD).study("s", &["a"], "");
    for (flags, says) in [
        ("--rounds 0", &["--rounds", "1 to 1000"][..]),
        (
            "--until-decided --max-rounds -1",
            &["--max-rounds", "2 to 100"],
        ),
        (
            "--undecided fail",
            &["--undecided", "there is none", "give a --fail-if"],
        ),
        ("-d 1ms", &["--duration", "100ms"]),
        ("--within 5s", &["--within", "10s to 24h"]),
        ("--warmup soon", &["--warmup", "soon", "h, m, s, ms, us"]),
        ("--lanes left", &["--lanes", "`left`", "split", "none"]),
        ("--lanes server=0,generator=0", &["--lanes"]),
        ("--seed x", &["--seed"]),
        ("--resume no-such-folder", &["no-such-folder"]),
        ("--resume", &["--resume", "no earlier run of s"]),
    ] {
        yard.refuses(&format!("run s {flags}"), says);
    }
    assert!(yard.results("s").is_empty());
}

#[test]
fn what_is_wrong_with_servers_is_reported() {
    let yard = Yard::new();
    for (flags, says) in [
        ("eventloop", &["eventloop", "event-loop"]),
        ("event-loop -p 99999", &["--port", "65535"]),
        ("event-loop --host here", &["--host", "here"]),
        ("delay --delay x", &["--delay x", "x"]),
    ] {
        yard.refuses(&format!("server {flags}"), says);
    }
}

#[test]
fn shells_and_man_learn_the_command_line_from_the_program() {
    let yard = Yard::new();
    for shell in ["bash", "zsh", "fish"] {
        let ended = yard.run(&["completions", shell]).code(0);
        ended.prints(&["PHOTOFINISH_COMPLETE", "photofinish"]);
    }
    let man = |page: &str| yard.run(page).code(0);
    man("man").prints(&[".TH photofinish 1", "Races servers side by side"]);
    man("man compare").prints(&["parameter", "\\-\\-url"]);
    let says = ["there is no command `comapre`; did you mean `compare` or"];
    yard.refuses("man comapre", &says);
}
