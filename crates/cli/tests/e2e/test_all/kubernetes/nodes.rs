//! Several generators, nodes that fail, and a study that takes a JDK.

use std::fs;
use std::process::Command;
use std::time::Duration;

use super::cluster::{Cluster, HOSTS, kill, yard};
use crate::support::{Yard, measurements, parts_add_up, wait_for_time};
use crate::test_all::java::{self, repository};
use crate::test_all::machines::{environment, whole_report};

/// How many measurements a run has so far.
fn measured(yard: &Yard) -> usize {
    let folders = yard.results("far");
    let Some(folder) = folders.first() else {
        return 0;
    };
    let lines = measurements(folder);
    let good = lines.iter().filter(|line| line["measurement"].is_object());
    good.count()
}

/// The processes of kubelet, with their node's name.
fn kubelets() -> Vec<String> {
    let entries = fs::read_dir("/proc").expect("/proc").flatten();
    let all = entries.filter_map(|entry| {
        let command = fs::read(entry.path().join("cmdline")).ok()?;
        let command = String::from_utf8_lossy(&command).replace('\0', " ");
        let is_one = command.starts_with("kubelet ") && command.contains("--hostname-override");
        is_one.then(|| format!("{}: {command}", entry.file_name().display()))
    });
    all.collect()
}

#[test]
#[ignore = "takes a cluster: make test-cluster"]
fn two_generators_measure_as_one() {
    let cluster = Cluster::new();
    let yard = yard("lanes = \"split\"\nduration = \"2s\"");
    // Two of the nodes are there for those that tolerate their taint.
    let more = "256Mi\"\ntolerations = [\"spare:NoSchedule\"]\n[[generator]]\n[[generator]]\n";
    yard.write("hosts.toml", HOSTS.replace("256Mi\"\n", more));
    let run = cluster.start(&yard, &["run", "far", "--on", "hosts.toml"]);
    run.end().code(0);
    whole_report(&yard, "far").prints(&[
        "; load from pf-tc-node",
        "good by load generator pf-tc-node",
    ]);
    let results = yard.result("far");
    let lines = measurements(&results);
    assert_eq!(lines.len(), 4);
    lines.iter().for_each(|line| parts_add_up(line, 2));
    let environment = environment(&results);
    let pods = environment["machines"]["pods"].as_array().expect("pods");
    let mut nodes: Vec<&str> = pods
        .iter()
        .filter_map(|pod| pod["machine"].as_str())
        .collect();
    nodes.sort_unstable();
    nodes.dedup();
    assert_eq!(nodes.len(), 3, "{pods:?}");
    cluster.wait_empty();
    yard.wait_empty();
}

#[test]
#[ignore = "takes a cluster: make test-cluster"]
fn a_run_whose_kubelets_are_killed_is_resumed() {
    let cluster = Cluster::new();
    let yard = yard("duration = \"1s\"");
    let args = [
        "run",
        "far",
        "--sequential",
        "--rounds",
        "5",
        "--on",
        "hosts.toml",
    ];
    let run = cluster.start(&yard, &args);
    yard.wait_measured("far", 1);
    let before = kubelets();
    assert_eq!(before.len(), 3, "{before:#?}");
    before.iter().for_each(|kubelet| kill(kubelet));
    let ended = run.end().code(3);
    assert!(ended.err.contains("reach pf-tc-node"), "{}", ended.err);
    // The script starts them again, as an init system does, and what they had to run ends.
    cluster.wait_empty();
    yard.wait_empty();
    let kept = measured(&yard);
    assert!((1..10).contains(&kept), "{kept}");
    let run = cluster.start(&yard, &[&args[..], &["--resume"]].concat());
    run.end().code(0);
    assert_eq!(measured(&yard), 10, "{kept} were kept");
    cluster.wait_empty();
    yard.wait_empty();
}

/// Cuts the links of two nodes, and mends them when it goes.
struct CutOff;

impl CutOff {
    fn set(to: &str) {
        for node in ["1", "2"] {
            let mut link = Command::new(repository().join("scripts/test-cluster"));
            let status = link.args(["link", node, to]).status();
            assert!(status.expect("the script").success());
        }
    }

    fn new() -> CutOff {
        Self::set("down");
        CutOff
    }
}

impl Drop for CutOff {
    fn drop(&mut self) {
        Self::set("up");
    }
}

#[test]
#[ignore = "takes a cluster: make test-cluster"]
fn links_of_nodes_that_are_cut_for_ten_seconds_are_survived() {
    let cluster = Cluster::new();
    // Requests wait longer than the link is away: none is lost.
    let yard = yard("duration = \"2s\"\ntimeout = \"60s\"");
    let run = cluster.start(&yard, &["run", "far", "--on", "hosts.toml"]);
    yard.wait_measured("far", 1);
    let cut_off = CutOff::new();
    wait_for_time(Duration::from_secs(10));
    drop(cut_off);
    run.end().code(0);
    assert_eq!(measured(&yard), 4);
    cluster.wait_empty();
    yard.wait_empty();
}

#[test]
#[ignore = "takes a cluster: make test-cluster"]
fn a_study_of_java_servers_is_built_and_run_in_pods() {
    let cluster = Cluster::new();
    let yard = yard("");
    // Pods have no network.
    java::fill(&yard, Some("m2"));
    let mut image = Command::new(repository().join("scripts/test-cluster"));
    let made = image.arg("java").arg(yard.path("m2")).status();
    assert!(made.expect("the script").success());
    // The generator's image needs none of it.
    let hosts =
        HOSTS.replace("256Mi", "1Gi") + "[server]\nimage = \"localhost/java:1\"\n[[generator]]\n";
    yard.write("hosts.toml", hosts);
    let command = cluster.command("racer", env!("CARGO_BIN_EXE_photofinish"));
    java::runs_on_hosts(&yard, command);
    cluster.wait_empty();
    yard.wait_empty();
}

#[test]
#[ignore = "takes a cluster: make test-cluster"]
fn a_database_is_filled_in_the_server_s_pod() {
    let cluster = Cluster::new();
    let service =
        "[service.db]\nkind = \"postgresql\"\nschema = \"rows.sql\"\nrows = { item = 11 }";
    let yard = yard(service);
    let rows = "CREATE TABLE item AS SELECT generate_series(1, 11);\n";
    yard.write("studies/rows.sql", rows);
    let hosts = HOSTS.replace("256Mi", "1Gi");
    yard.write("hosts.toml", hosts);
    let run = cluster.start(&yard, &["run", "far", "--on", "hosts.toml"]);
    run.end().code(0).says(&["service db: up and filled"]);
    assert_eq!(measured(&yard), 4);
    cluster.wait_empty();
    yard.wait_empty();
}
