//! `photofinish audit`: figures that cannot be true, its exit codes, standard input.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use crate::support::{Running, Yard};

/// 10 connections that each wait 1 ms make at most 10,000 requests per second, not 50,000.
fn wrk(rate: &str, requests: &str) -> String {
    format!(
        "Running 10s test @ http://127.0.0.1:8080/
  2 threads and 10 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.00ms  100.00us   2.00ms   70.00%
    Req/Sec     5.00k   100.00     5.50k    70.00%
  {requests} requests in 10.00s, 12.00MB read
Requests/sec:  {rate}
Transfer/sec:      1.20MB
"
    )
}

fn yard() -> Yard {
    let yard = Yard::new();
    fs::write(yard.path("sound.txt"), wrk("10000.00", "100000")).expect("a file");
    fs::write(yard.path("broken.txt"), wrk("50000.00", "100000")).expect("a file");
    fs::write(yard.path("prose.txt"), "It was fast.\n").expect("a file");
    yard
}

#[test]
fn what_cannot_be_true_is_said_and_fails_only_where_asked() {
    let yard = yard();
    yard.run(&["audit", "broken.txt"])
        .code(0)
        .prints(&["broken.txt", "cannot be true", "50000"]);
    yard.run(&["audit", "broken.txt", "--fail-if", "impossible"])
        .code(1);
    yard.run(&["audit", "broken.txt", "--fail-if", "doubtful"])
        .code(1);
    yard.run(&["audit", "sound.txt", "--fail-if", "impossible"])
        .code(0)
        .prints(&["no figure that cannot be true"]);
    yard.run(&[
        "audit",
        "sound.txt",
        "broken.txt",
        "--fail-if",
        "impossible",
    ])
    .code(1);
    yard.run(&["audit", "sound.txt", "--fail-if", "slow"])
        .code(2)
        .says(&["--fail-if", "impossible", "doubtful"]);
}

#[test]
fn json_holds_the_findings() {
    let yard = yard();
    let found = |args: &[&str], code: i32| {
        let json = yard.run(args).code(code).json();
        json["files"][0]["impossible"].as_u64().expect("a number")
    };
    assert_eq!(found(&["audit", "sound.txt", "--json"], 0), 0);
    let broken = ["audit", "broken.txt", "--json", "--fail-if", "impossible"];
    assert!(found(&broken, 1) > 0);
}

#[test]
fn standard_input_is_read() {
    let yard = yard();
    let mut command = yard.command(&["audit", "-", "--fail-if", "impossible"]);
    command.stdin(Stdio::piped());
    let mut running = Running::start(command);
    let mut input = running.input();
    input
        .write_all(wrk("50000.00", "100000").as_bytes())
        .expect("written");
    drop(input);
    running.end().code(1).prints(&["cannot be true"]);
}

#[test]
fn what_is_no_report_is_said() {
    let yard = yard();
    yard.run(&["audit", "prose.txt"])
        .code(0)
        .prints(&["prose.txt", "no report of a known tool"]);
    // A gate that has nothing to judge is not green.
    yard.run(&["audit", "prose.txt", "--fail-if", "impossible"])
        .code(2)
        .says(&["prose.txt", "--fail-if", "docs/audit.md"]);
    yard.run(&["audit", "prose.txt", "broken.txt", "--fail-if", "doubtful"])
        .code(1);
    yard.run(&["audit", "sound.txt", "prose.txt", "--fail-if", "doubtful"])
        .code(2);
    yard.run(&["audit", "no-such-file"])
        .code(2)
        .says(&["cannot read no-such-file"]);
    yard.run(&["audit", "studies"])
        .code(2)
        .says(&["cannot read studies"]);
    yard.run(&["audit"]).code(2).says(&["FILE"]);
}
