//! What users of other load generators type first.

use std::fs;

use crate::support::{GOOD, Server, Yard};

#[test]
fn flags_of_other_tools_are_answered_in_a_line() {
    let yard = Yard::new();
    let url = "http://127.0.0.1:9/";
    for (args, says) in [
        (
            &["load", "-z", "30s", url][..],
            "-z of oha and hey is -d here",
        ),
        (&["load", url, "-q", "100"], "is --rate: --rate 100"),
        (&["load", url, "--latency"], "--latency of wrk is -v here"),
        (&["load", url, "-d", "a=1"], "-d of curl and hey is --body"),
        (&["load", "-h2", url], "-h2 of hey is --http2 here"),
        (&["run", "script.js"], "run takes a study here"),
        (
            &["compare", "a", "b", "--url", url, "-w", "3"],
            "--warmup is a time",
        ),
    ] {
        let ended = yard.run(args).code(2).says(&[says]);
        assert_eq!(ended.err.trim().lines().count(), 1, "{}", ended.err);
    }
    // What is missing is shown in examples.
    yard.run(&["compare", "./a --port {port}", "./b --port {port}"])
        .code(2)
        .says(&[
            "compare needs --url <URL>, as in",
            "--url http://127.0.0.1:{port}/",
        ]);
}

#[test]
fn a_url_without_a_scheme_is_http_and_a_user_is_sent() {
    let yard = Yard::new();
    let server = Server::start(&yard, &["event-loop", "--threads", "1"]);
    let url = server.url("/plaintext");
    let bare = url.trim_start_matches("http://");
    yard.run(&[
        "load",
        bare,
        "-n",
        "50",
        "-c",
        "1",
        "-X",
        "GET",
        "-u",
        "me:canary",
    ])
    .code(0);
    yard.run(&["load", bare, "-n", "5", "-u", "me"])
        .code(2)
        .says(&["--user: there is no colon"]);
}

#[test]
fn shells_complete_studies_targets_and_results() {
    let yard = Yard::new();
    yard.target("plain", GOOD).study("quick", &["plain"], "");
    let offered = |words: &[&str]| {
        let mut command = yard.command(&[&["--", "photofinish"][..], words].concat());
        let output = command
            .env("PHOTOFINISH_COMPLETE", "bash")
            .env("_CLAP_COMPLETE_INDEX", words.len().to_string())
            .output()
            .expect("it runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert_eq!(offered(&["run", "qu"]), "quick");
    assert_eq!(offered(&["run", "quick", "--only", "pl"]), "plain");
    assert_eq!(offered(&["report", "la"]), "latest");
    assert_eq!(offered(&["run", "--until"]), "--until-decided");
}

#[test]
fn parameters_may_begin_with_hyphens_be_empty_and_be_ranges() {
    let yard = Yard::new();
    let server = "{photofinish} server event-loop --port {port} {flags}";
    let url = "http://127.0.0.1:{port}/plaintext";
    let flags = ["-L", "flags", ",--threads=1"];
    let names = ["-n", "usual,one"];
    let compared = yard.compare(&[&[server, "--url", url, "-c", "2"], &flags[..], &names].concat());
    compared.code(0).says(&["usual, one"]);
    // A folder that photofinish makes is not committed by a slip.
    assert_eq!(
        fs::read_to_string(yard.path("results/.gitignore")).expect("a file"),
        "*\n"
    );
    yard.run(&["report"])
        .code(0)
        .prints(&["results/compare/", "usual"]);
    yard.run(&["report", "latest"])
        .code(0)
        .prints(&["usual", "one"]);
    let threads = "{photofinish} server event-loop --port {port} --threads {n}";
    for range in [&["-L", "n", "1..40"][..], &["-P", "n", "1", "40"]] {
        let refused = yard.run(&[&["compare", threads, "--url", url], range].concat());
        refused
            .code(2)
            .says(&["1..40: these are 40 servers", "at most 26"]);
    }
}
