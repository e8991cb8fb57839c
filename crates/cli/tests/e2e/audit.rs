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
    yard.write("sound.txt", wrk("10000.00", "100000"));
    yard.write("broken.txt", wrk("50000.00", "100000"));
    yard.write("prose.txt", "It was fast.\n");
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
    yard.run("audit sound.txt broken.txt --fail-if impossible")
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

/// A board whose p99 is its mean, in six rows.
fn board(factor: f64) -> String {
    let mut text = String::from("task,framework,connections,rps,avg_latency,p99_latency\n");
    for (name, mean) in [
        ("a", 10.4),
        ("b", 11.7),
        ("c", 12.9),
        ("d", 13.3),
        ("e", 14.8),
        ("f", 15.2),
    ] {
        let rate = factor * 50_000.0 / mean;
        text += &format!("json,{name},50,{rate:.0},{mean}ms,{mean}ms\n");
    }
    text
}

#[test]
fn a_board_is_audited_by_its_columns() {
    let yard = Yard::new();
    yard.write("board.csv", board(1.0));
    yard.run(
        "audit --board board.csv --html board.html --csv findings.csv \
         --fail-if impossible",
    )
    .code(1)
    .prints(&[
        "'p99_latency' equals 'avg_latency' in 6 of 6 rows",
        "cannot be true",
    ]);
    let page = fs::read_to_string(yard.path("board.html")).expect("a page");
    assert!(
        page.contains("<svg") && page.contains("p99_latency"),
        "{page}"
    );
    let findings = fs::read_to_string(yard.path("findings.csv")).expect("findings");
    assert!(findings.starts_with("board,scope,severity"), "{findings}");
    let value = yard
        .run(&["audit", "--board", "board.csv", "--json"])
        .code(0)
        .json();
    assert_eq!(value["impossible"], 1);
    yard.run(&["audit", "--board", "nothing.csv"])
        .code(2)
        .says(&["nothing.csv"]);
    yard.write("prose.txt", "It was fast.\n");
    yard.run(&["audit", "--board", "prose.txt"])
        .code(2)
        .says(&["prose.txt", "no board"]);
    yard.run(&["audit", "--board", "board.csv", "--link", "fast"])
        .code(2)
        .says(&["--link", "10Gbit"]);
    yard.run(&["audit", "board.csv", "--html", "x.html"])
        .code(2)
        .says(&["--board"]);
}

#[test]
fn months_of_a_board_are_compared() {
    let yard = Yard::new();
    fs::create_dir(yard.path("months")).expect("a folder");
    let many = |factor: f64| {
        let rows: Vec<String> = (1..=12)
            .map(|at| {
                format!(
                    "s{at},50,{:.1},{}.5ms",
                    factor * 1000.0 * f64::from(at),
                    at + 3
                )
            })
            .collect();
        format!("framework,connections,rps,p99_ms\n{}\n", rows.join("\n"))
    };
    yard.write("months/2026-01.csv", many(1.0));
    yard.write("months/2026-02.csv", many(1.0));
    yard.write("months/2026-03.csv", many(1.3));
    yard.run(&["audit", "--board", "months"]).code(0).prints(&[
        "12 of 12 rows are the same to the digit",
        "changed by 30.0%",
    ]);
}

#[test]
fn a_layout_of_one_s_own_is_read_and_its_mistakes_are_named() {
    let yard = Yard::new();
    let layout = "tool = \"mytool\"\nneeds = [\"requests\", \"duration\", \"rate\"]\n\n[[line]]\nform = \"did <requests> in <duration:s>s at <rate>/s\"\nbegins = true\n";
    yard.write("my.toml", layout);
    yard.write("sound.txt", "did 1000 in 2.0s at 500/s\n");
    yard.write("forged.txt", "did 1000 in 2.0s at 900/s\n");
    yard.run("audit --layout my.toml sound.txt --fail-if doubtful")
        .code(0)
        .prints(&["mytool"]);
    yard.run("audit --layout my.toml forged.txt --fail-if impossible")
        .code(1);
    yard.write("wrong.toml", layout.replace("<rate>", "<speed>"));
    yard.run(&["audit", "--layout", "wrong.toml", "sound.txt"])
        .code(2)
        .says(&["wrong.toml", "line 5", "speed"]);
}
