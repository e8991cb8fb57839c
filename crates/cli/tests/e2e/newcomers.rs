//! What users of other load generators type first.

use std::fs;

use crate::support::{GOOD, Server, Yard};

#[test]
fn flags_of_other_tools_are_answered_in_a_line() {
    let yard = Yard::new();
    // Each way to an answer: cli/src/foreign.rs tests the table.
    for (args, says) in [
        (
            "load -z 30s http://127.0.0.1:9/",
            "-z of oha and hey is -d here",
        ),
        (
            "load http://127.0.0.1:9/ -d a=1",
            "-d of curl and hey is --body",
        ),
        ("load -h2 http://127.0.0.1:9/", "-h2 of hey is --http2 here"),
        ("run script.js", "run takes a study here"),
    ] {
        let ended = yard.refuses(args, &[says]);
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
    yard.run(&format!("load {bare} -n 50 -c 1 -X GET -u me:canary"))
        .code(0);
    let says = ["--user: there is no colon"];
    yard.refuses(&format!("load {bare} -n 5 -u me"), &says);
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
    let url = "--url http://127.0.0.1:{port}/plaintext";
    let server = "{photofinish} server event-loop --port {port}";
    yard.compare(&format!(
        "'{server} {{flags}}' {url} -c 2 -L flags ,--threads=1 -n usual,one"
    ))
    .code(0)
    .says(&["usual, one"]);
    // A folder that photofinish makes is not committed by a slip.
    let ignored = fs::read_to_string(yard.path("results/.gitignore"));
    assert_eq!(ignored.expect("a file"), "*\n");
    let report = |args: &str| yard.run(args).code(0);
    report("report").prints(&["results/compare/", "usual"]);
    report("report latest").prints(&["usual", "one"]);
    for range in ["-L n 1..40", "-P n 1 40"] {
        let says = ["1..40: these are 40 servers", "at most 26"];
        yard.refuses(
            &format!("compare '{server} --threads {{n}}' {url} {range}"),
            &says,
        );
    }
}
