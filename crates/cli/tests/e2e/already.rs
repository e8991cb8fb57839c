//! `photofinish compare --url A --url B`: servers that run already.

use std::fs;

use serde_json::Value;

use crate::support::{Server, Yard, all_good, measurements, records};

fn json(yard: &Yard, name: &str) -> Value {
    let text = fs::read_to_string(yard.path(name)).expect("the report");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn they_race_and_are_left_alone() {
    let yard = Yard::new();
    let one = Server::start(&yard, &["event-loop", "--threads", "1"]);
    let other = Server::start(&yard, &["thread-per-connection"]);
    let (a, b) = (one.url("/plaintext"), other.url("/plaintext"));
    let urls = format!("--url {a} --url {b} -c 2,4 --json race.json");
    let ended = yard.compare(&format!(
        "{urls} --html race.html --fail-if '127.0.0.1:1.p99 > 1us'"
    ));
    ended.code(2).says(&["--fail-if"]);
    let args = format!("{urls} --fail-if '{}.throughput < 1'", one.address);
    let ended = yard.compare(&args).code(0);
    ended.prints(&["up already"]).says(&["connecting to"]);
    let race = json(&yard, "race.json");
    let warnings = race["warnings"].as_array().expect("warnings");
    let already = warnings.iter().find(|it| it["about"] == "already-up");
    let says = already.and_then(|it| it["en"].as_str());
    let expected = "2 servers were up already and not restarted";
    assert!(
        says.is_some_and(|says| says.starts_with(expected)),
        "{race}"
    );
    let dir = yard.result("compare");
    let lines = measurements(&dir);
    assert_eq!(lines.len(), 2 * 2 * 2);
    all_good(&lines);
    for line in &lines {
        let server = &line["server"];
        assert!(server["cpu_cores"].as_f64() > Some(0.0), "{line}");
        assert!(server["rss_max_bytes"].as_u64() > Some(0), "{line}");
    }
    let pids: Vec<i64> = records(&dir.join("trials.jsonl"))
        .iter()
        .map(|trial| trial["pid"].as_i64().expect("a process"))
        .collect();
    let own = [i64::from(one.pid()), i64::from(other.pid())];
    assert!(
        pids.len() == 4 && pids.iter().all(|pid| own.contains(pid)),
        "{pids:?} {own:?}"
    );
    // They still serve.
    for url in [&a, &b] {
        yard.run(&format!("load {url} -c 1 -n 10")).code(0);
    }

    // What is missing is measured again, of the same servers.
    let text = fs::read_to_string(dir.join("measurements.jsonl")).expect("measurements");
    let kept: Vec<&str> = text.lines().take(4).collect();
    fs::write(dir.join("measurements.jsonl"), kept.join("\n") + "\n").expect("write");
    yard.compare(&format!("{args} --resume")).code(0);
    assert_eq!(measurements(&dir).len(), 2 * 2 * 2);
}

#[test]
fn one_server_races_itself_under_two_names_and_rates_are_levels() {
    let yard = Yard::new();
    let server = Server::start(&yard, &["event-loop", "--threads", "1"]);
    let url = server.url("/plaintext");
    let ended = yard.compare(&format!(
        "--url {url} --url {url} -n one -n other --rate 500 -c 4 \
         --ready-path /plaintext"
    ));
    ended.code(0).prints(&["one"]);
    for line in measurements(&yard.result("compare")) {
        let checks = line["measurement"]["checks"]
            .as_array()
            .expect("checks")
            .clone();
        let of_others = checks.iter().find(|check| check["name"] == "bystanders");
        // The other one is the same process, which is no bystander.
        assert!(of_others.is_none_or(|check| check["ok"] == true), "{line}");
    }
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let yard = Yard::new();
    let server = Server::start(&yard, &["event-loop", "--threads", "1"]);
    let url = server.url("/plaintext");
    yard.compare(&["--url", &url, "--url", "http://127.0.0.1:1/x", "-c", "2"])
        .code(3)
        .says(&["http://127.0.0.1:1/x", "start the server there first"]);
    assert!(yard.results("compare").is_empty());
}

#[test]
fn what_is_about_starting_servers_is_refused() {
    let yard = Yard::new();
    let urls = "--url http://127.0.0.1:1/ --url http://127.0.0.1:2/";
    for flags in [
        "--capacity 'p99 < 10ms'",
        "--freeze",
        "--usual-priority",
        "--profile",
        "--env A=b",
        "--start-timeout 1s",
        "--no-shell",
        "--lanes split",
        "--on hosts.toml",
        "--unix-socket /run/x",
    ] {
        let flag = flags.split(' ').next().unwrap_or_default();
        // What makes a comparison short names lanes too.
        yard.refuses(&format!("compare {urls} {flags}"), &[flag]);
    }
    for (args, says) in [
        (format!("{urls} --rev main"), "--url"),
        (format!("{urls} './server {{port}}'"), "--url"),
        (
            "--url http://192.0.2.1/ --url http://127.0.0.1:2/".to_owned(),
            "--allow-remote",
        ),
        (
            "'./a {port}' './b {port}' --url http://127.0.0.1:{port}/ --allow-remote".to_owned(),
            "--allow-remote",
        ),
        (
            "--url http://127.0.0.1:{port}/".to_owned(),
            "the number of commands cannot be 0",
        ),
    ] {
        yard.compare(&args).code(2).says(&[says]);
    }
}
