//! Servers on another machine, reached by SSH.

use std::fs;
use std::time::Duration;

use crate::namespaces::{HERE, folder, sh};
use crate::support::{
    AT_HOST, Yard, all_good, measurements, parts_add_up, wait_for_time, wait_until,
};
use crate::test_all::java;
use crate::test_all::machines::{environment, whole_report, yard};

mod databases;
mod net;
mod pairs;

use net::{Net, agents};

#[test]
fn servers_are_raced_on_another_machine() {
    let yard = yard("lanes = \"split\"\nduration = \"2s\"");
    let Some(net) = Net::new(&yard) else { return };
    let run = net.start(&yard, &["run", "far", "--on", "hosts.toml"]);
    run.end().code(0);
    whole_report(&yard, "far").prints(&[
        "servers on a; load from b (",
        "network: each response time includes the way there and back; an empty exchange takes",
    ]);
    let results = yard.result("far");
    let lines = measurements(&results);
    assert_eq!(lines.len(), 4);
    for line in &lines {
        assert!(line["measurement"]["requests"].as_u64() > Some(0), "{line}");
        // What the server has used is read beside it.
        assert!(
            line["server"]["cpu_user_us_per_request"].is_number(),
            "{line}"
        );
        assert!(line["machine"]["hiccup_us"].is_object(), "{line}");
    }
    let environment = environment(&results);
    assert_eq!(environment["machines"]["server"], "a");
    assert_eq!(environment["machines"]["generator"], "b");
    // The namespaces are of one machine.
    assert_eq!(environment["machines"]["same"], true);
    // The way between them was looked at before the first round.
    let networks = environment["machines"]["networks"].as_array();
    let network = &networks.expect("they are two machines")[0];
    assert_eq!(network["generator"], "b");
    for end in ["generator_interface", "server_interface"] {
        assert_eq!(network[end]["name"], "eth0", "{network}");
        assert_eq!(network[end]["kind"], "virtual", "{network}");
        assert!(network[end]["mbit_per_s"].is_null(), "{network}");
    }
    let trip = network["round_trip"]["p50_us"].as_f64().expect("a time");
    for line in &lines {
        let p50 = line["measurement"]["latency_us"]["p50"].as_f64();
        assert!(p50 > Some(trip / 2.0), "{trip} {line}");
    }
    // The server's words have come over.
    let log = fs::read_to_string(results.join("logs/good-round-1.log")).expect("a log");
    assert!(log.contains("listening on http://10.99.0.1:"), "{log}");
    // The binary lies in the cache there, once.
    let cache = fs::read_dir(yard.path("far-a/photofinish/agent")).expect("a folder");
    assert_eq!(cache.count(), 1);
    drop(net);
    yard.wait_empty();
}

#[test]
fn a_study_of_java_servers_is_built_and_run_on_another_machine() {
    let yard = yard("");
    let Some(net) = Net::new(&yard) else { return };
    // The machines reach one another, and nothing else.
    java::fill(&yard, None);
    let photofinish = net.spaces.within(HERE, env!("CARGO_BIN_EXE_photofinish"));
    java::runs_on_hosts(&yard, photofinish);
    drop(net);
    yard.wait_empty();
}

#[test]
fn calls_go_to_another_machine_without_their_schema() {
    let yard = Yard::new();
    let target = AT_HOST
        .replace("\"event-loop\", \"--threads\", \"1\"", "\"grpc-echo\"")
        .replace("[ready]\npath = \"/plaintext\"", "");
    yard.target("good", &target).target("other", &target);
    let proto = "syntax = \"proto3\"; package echo; message M { string text = 1; } service Echo { rpc Unary(M) returns (M); }";
    yard.write("studies/echo.proto", proto);
    let study = "title = \"t\"\nrounds = 1\nduration = \"500ms\"\nlead-in = \"0ms\"\nwarmup = { min = \"0s\", max = \"0s\" }\n\
                 lanes = \"none\"\ntargets = [\"good\", \"other\"]\n[[workload]]\nname = \"unary\"\nprotocol = \"grpc\"\n\
                 path = \"/echo.Echo/Unary\"\nproto = \"echo.proto\"\nmessage = '{\"text\": \"n={counter}\"}'\nconnections = [4]\n";
    yard.write("studies/far.toml", study);
    let Some(net) = Net::new(&yard) else { return };
    net.start(&yard, &["run", "far", "--on", "hosts.toml"])
        .end()
        .code(0);
    let lines = measurements(&yard.result("far"));
    assert_eq!(lines.len(), 2);
    all_good(&lines);
    drop(net);
    yard.wait_empty();
}

#[test]
fn what_comes_before_a_start_and_after_a_stop_runs_where_the_server_does() {
    let yard = Yard::new();
    let Some(net) = Net::new(&yard) else { return };
    let server =
        "test -f {temp}/filled && exec {photofinish} server event-loop --host {host} --port {port}";
    let note = |name: &str| {
        let path = yard.path(name);
        format!("echo $XDG_CACHE_HOME {{port}} >> {}", path.display())
    };
    let args = [
        "compare",
        server,
        server,
        "--prepare",
        &format!("touch {{temp}}/filled; {}", note("prepared")),
        "--cleanup",
        &note("cleaned"),
        "--url",
        "http://127.0.0.1:{port}/plaintext",
        "-c",
        "2",
        "--rounds",
        "1",
        "-d",
        "200ms",
        "--warmup",
        "100ms",
        "--lanes",
        "none",
        "--on",
        "hosts.toml",
    ];
    net.start(&yard, &args).end().code(0);
    all_good(&measurements(&yard.result("compare")));
    for name in ["prepared", "cleaned"] {
        let text = fs::read_to_string(yard.path(name)).expect("it ran");
        assert_eq!(text.lines().count(), 2, "{text}");
        let there = |line: &str| line.contains("/far-a ") && !line.ends_with(' ');
        assert!(text.lines().all(there), "{text}");
    }
    drop(net);
    yard.wait_empty();
}

#[test]
fn an_agent_that_is_killed_fails_the_run_with_a_sentence() {
    let yard = yard("duration = \"60s\"");
    let Some(net) = Net::new(&yard) else { return };
    let run = net.start(&yard, &["run", "far", "--on", "hosts.toml"]);
    wait_until("a server is up", || {
        let all = yard.processes();
        all.iter()
            .any(|process| process.contains("server event-loop"))
            .then_some(())
            .ok_or(format!("{all:#?}"))
    });
    for agent in agents(&yard) {
        sh(&format!("kill -9 {agent}"));
    }
    let ended = run.end().code(3);
    assert!(
        ended.err.contains("reach a: ") || ended.err.contains("reach b: "),
        "{}",
        ended.err
    );
    drop(net);
    yard.wait_empty();
}

#[test]
fn a_cut_link_ends_everything_on_both_sides() {
    let yard = yard("duration = \"300s\"");
    let Some(net) = Net::new(&yard) else { return };
    let run = net.start(&yard, &["run", "far", "--on", "hosts.toml"]);
    wait_until("a server is up", || {
        let all = yard.processes();
        all.iter()
            .any(|process| process.contains("server event-loop"))
            .then_some(())
            .ok_or(format!("{all:#?}"))
    });
    net.spaces.cut(true);
    let ended = run.end().code(3);
    assert!(
        ended.err.contains("reach a: ") || ended.err.contains("reach b: "),
        "{}",
        ended.err
    );
    // The agents notice by themselves, though nothing informs them.
    wait_until("no agent and no server is left", || {
        let all: Vec<String> = yard
            .processes()
            .into_iter()
            .filter(|process| !process.contains("sshd"))
            .collect();
        all.is_empty().then_some(()).ok_or(format!("{all:#?}"))
    });
}

#[test]
fn a_link_that_is_cut_for_ten_seconds_is_survived() {
    // Requests wait longer than the link is away: none is lost.
    let yard = yard("duration = \"2s\"\ntimeout = \"60s\"");
    let Some(net) = Net::new(&yard) else { return };
    let run = net.start(&yard, &["run", "far", "--on", "hosts.toml"]);
    yard.wait_measured("far", 1);
    net.spaces.cut(true);
    wait_for_time(Duration::from_secs(10));
    net.spaces.cut(false);
    run.end().code(0);
    let lines = measurements(&yard.result("far"));
    assert_eq!(lines.len(), 4);
    all_good(&lines);
    drop(net);
    yard.wait_empty();
}

#[test]
fn a_generator_whose_clock_is_five_seconds_ahead_measures_with_another() {
    let yard = yard("duration = \"1s\"");
    let net = Net::where_c_has(&yard, "PHOTOFINISH_TEST_CLOCK_AHEAD=5s");
    let Some(net) = net else { return };
    net.start(&yard, &["run", "far", "--on", "two.toml"])
        .end()
        .code(0);
    let lines = measurements(&yard.result("far"));
    assert_eq!(lines.len(), 4);
    all_good(&lines);
    for line in &lines {
        let parts = line["measurement"]["generators"].as_array().expect("two");
        let clocks = parts.iter().map(|part| {
            let ahead = part["clock_ahead_us"].as_f64().expect("it is known");
            let uncertain = part["clock_uncertain_us"].as_f64().expect("it is known");
            assert!(uncertain < 20_000.0, "{part}");
            (ahead, uncertain)
        });
        let clocks: Vec<(f64, f64)> = clocks.collect();
        assert!(clocks[0].0.abs() <= clocks[0].1 + 100.0, "{clocks:?}");
        assert!(
            (clocks[1].0 - 5e6).abs() <= clocks[1].1 + 100.0,
            "{clocks:?}"
        );
        // Both have measured for as long as the measurement lasted: their windows were the same ones.
        assert!(parts.iter().all(|part| part["requests"].as_u64() > Some(0)));
    }
    drop(net);
    yard.wait_empty();
}

#[test]
fn what_cannot_be_reached_is_said() {
    let yard = yard("");
    let Some(net) = Net::new(&yard) else { return };
    let dir = folder(&yard);
    let hosts = format!(
        "[server]\nssh = \"10.99.0.77\"\nssh-options = [\"-F\", \"{}/ssh-config\", \"-oConnectTimeout=1\"]\n[[generator]]\nlocal = true\n",
        dir.display()
    );
    yard.write("hosts.toml", hosts);
    let run = net.start(&yard, &["run", "far", "--on", "hosts.toml"]);
    run.end()
        .code(3)
        .says(&["failed to reach 10.99.0.77: ssh: connect to host 10.99.0.77"]);
    yard.write("hosts.toml", "[server]\nlocal = true\n");
    let run = net.start(&yard, &["run", "far", "--on", "hosts.toml"]);
    run.end().code(2).says(&["generator"]);
}

#[test]
fn the_doctor_looks_at_other_machines() {
    let yard = yard("");
    let Some(net) = Net::new(&yard) else { return };
    let run = net.start(&yard, &["doctor", "--on", "hosts.toml"]);
    run.end().code(0).prints(&[
        "a (server):",
        "b (generator):",
        "clock",
        "link to it",
        "round trip",
        "load leaves by eth0 (virtual",
        "on the same machine",
    ]);
}

#[test]
fn load_comes_from_another_machine() {
    let yard = yard("");
    let Some(net) = Net::new(&yard) else { return };
    let file = yard.path("hosts.toml");
    let text = fs::read_to_string(&file).expect("a file");
    let (_, generator) = text.split_once("[[generator]]").expect("one");
    let here = "[server]\nlocal = true\naddress = \"10.99.0.254\"\n";
    fs::write(&file, format!("{here}[[generator]]{generator}")).expect("a file");
    net.start(&yard, &["run", "far", "--on", "hosts.toml"])
        .end()
        .code(0);
    let results = yard.result("far");
    assert_eq!(measurements(&results).len(), 4);
    let log = fs::read_to_string(results.join("logs/good-round-1.log")).expect("a log");
    assert!(log.contains("listening on http://10.99.0.254:"), "{log}");
    drop(net);
    yard.wait_empty();
}

#[test]
fn two_generators_are_one() {
    let yard = yard("lanes = \"split\"\nduration = \"2s\"");
    let Some(net) = Net::new(&yard) else { return };
    let run = net.start(&yard, &["run", "far", "--on", "two.toml"]);
    run.end().code(0);
    whole_report(&yard, "far").prints(&[
        "servers on a; load from b (",
        "load from c (",
        "good by load generator b: ",
        "good by load generator c: ",
        // The namespaces are of one machine, which is no measurement of several.
        "runs on the servers' machine",
    ]);
    let results = yard.result("far");
    let lines = measurements(&results);
    assert_eq!(lines.len(), 4);
    lines.iter().for_each(|line| parts_add_up(line, 2));
    let environment = environment(&results);
    assert_eq!(environment["machines"]["generator"], "b and c");
    assert_eq!(environment["machines"]["generators"][1]["name"], "c");
    assert_eq!(environment["machines"]["networks"][1]["generator"], "c");
    drop(net);
    yard.wait_empty();
}

/// Kills an agent, while a run of five rounds goes on.
fn killed(yard: &Yard, net: &Net, hosts: &str) {
    let run = net.start(yard, &["run", "far", "--rounds", "5", "--on", hosts]);
    yard.wait_measured("far", 2);
    // The last one named is a generator's; XDG_CACHE_HOME shows on which machine an agent is.
    let machine = if hosts == "two.toml" {
        "far-c"
    } else {
        "far-b"
    };
    let generator = agents(yard).into_iter().find(|agent| {
        let environment = fs::read(format!("/proc/{agent}/environ")).unwrap_or_default();
        String::from_utf8_lossy(&environment).contains(machine)
    });
    sh(&format!("kill -9 {}", generator.expect("an agent")));
    let ended = run.end().code(3);
    assert!(ended.err.contains("reach "), "{}", ended.err);
}

#[test]
fn a_run_whose_generator_is_killed_is_resumed() {
    for hosts in ["hosts.toml", "two.toml"] {
        let yard = yard("duration = \"1s\"");
        let Some(net) = Net::new(&yard) else { return };
        killed(&yard, &net, hosts);
        let kept = measurements(&yard.result("far"));
        let kept = kept
            .iter()
            .filter(|line| line["measurement"].is_object())
            .count();
        assert!(kept >= 2, "{kept}");
        net.start(
            &yard,
            &["run", "far", "--rounds", "5", "--resume", "--on", hosts],
        )
        .end()
        .code(0);
        let lines = measurements(&yard.result("far"));
        let measured = lines
            .iter()
            .filter(|line| line["measurement"].is_object())
            .count();
        assert_eq!(measured, 10, "{kept} were kept");
        drop(net);
        yard.wait_empty();
    }
}
