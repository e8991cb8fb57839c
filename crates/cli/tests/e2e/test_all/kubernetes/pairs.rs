//! Pairs of pods that share the rounds of a study. Each node gives out one core, so a pair takes two nodes.

use super::cluster::{Cluster, HOSTS, yard};
use crate::support::{all_good, measurements};
use crate::test_all::machines::environment;

#[test]
#[ignore = "takes a cluster: make test-cluster"]
fn pairs_of_nodes_run_rounds_at_once() {
    let cluster = Cluster::new();
    let yard = yard("duration = \"500ms\"");
    let more = "256Mi\"\ntolerations = [\"spare:NoSchedule\"]\npairs = 2\n";
    yard.write("hosts.toml", HOSTS.replace("256Mi\"\n", more));
    let args = ["run", "far", "--on", "hosts.toml", "--rounds", "6"];
    let ended = cluster.start(&yard, &args).end().code(0);
    ended.prints(&[
        "on these 2 pairs of machines: ",
        "takes 4 pairs of machines",
    ]);
    let run = yard.result("far");
    let (mut all, mut nodes) = (0, Vec::new());
    for pair in ["pair-1", "pair-2"] {
        let lines = measurements(&run.join(pair));
        assert!(!lines.is_empty(), "{pair}");
        all_good(&lines);
        all += lines.len();
        let environment = environment(&run.join(pair));
        let pods = environment["machines"]["pods"].as_array().expect("pods");
        let machines = pods.iter().filter_map(|pod| pod["machine"].as_str());
        nodes.extend(machines.map(str::to_owned));
    }
    assert_eq!(all, 12);
    nodes.sort_unstable();
    nodes.dedup();
    assert_eq!(nodes.len(), 4, "{nodes:?}");
    cluster.wait_empty();
    yard.wait_empty();
}

#[test]
#[ignore = "takes a cluster: make test-cluster"]
fn a_cluster_without_room_for_all_pairs_measures_on_those_that_it_has() {
    let cluster = Cluster::new();
    let yard = yard("duration = \"500ms\"");
    let more = "256Mi\"\nwait = \"30s\"\npairs = 3\n";
    yard.write("hosts.toml", HOSTS.replace("256Mi\"\n", more));
    let args = ["run", "far", "--on", "hosts.toml", "--rounds", "2"];
    let ended = cluster.start(&yard, &args).end().code(0);
    ended.says(&[
        "1 of 3 pairs of machines measure all rounds, because pair-2 cannot be had: failed to reach the pod for ",
        "it does not run after 30 s",
    ]);
    let lines = measurements(&yard.result("far"));
    all_good(&lines);
    assert_eq!(lines.len(), 4);
    cluster.wait_empty();
    yard.wait_empty();
}
