//! Servers and load generators in pods of a real cluster, which `scripts/test-cluster` has started: `make test-cluster`.

mod cluster;
mod nodes;
mod pairs;

use std::fs;
use std::process::Command;
use std::time::Instant;

use self::cluster::{Cluster, HOSTS, in_pods, kill, state, yard};
use crate::running::Running;
use crate::support::{measurements, wait_until};
use crate::test_all::java::repository;
use crate::test_all::machines::{GONE_WITHIN, environment, wait_for_server, whole_report};

#[test]
#[ignore = "takes a cluster: make test-cluster"]
fn quickstart_comes_to_a_verdict() {
    let cluster = Cluster::new();
    let yard = yard("");
    let mut command = cluster.command("racer", env!("CARGO_BIN_EXE_photofinish"));
    yard.place(&mut command);
    let hosts = yard.path("hosts.toml").display().to_string();
    let results = yard.path("results").display().to_string();
    command.args([
        "run",
        "quickstart",
        "--rounds",
        "2",
        "--on",
        &hosts,
        "--results",
        &results,
    ]);
    command.current_dir(repository());
    Running::start(command).end().code(0);
    whole_report(&yard, "quickstart").prints(&[
        "servers on pf-tc-node",
        "load from pf-tc-node",
        "which is the servers' machine",
        "Each pod or Slurm node has whole cores of its own",
    ]);
    let results = yard.result("quickstart");
    let lines = measurements(&results);
    assert!(
        lines
            .iter()
            .all(|line| line["measurement"]["requests"].as_u64() > Some(0)),
        "{lines:#?}"
    );
    let environment = environment(&results);
    let machines = &environment["machines"];
    assert_ne!(machines["server"], machines["generator"]);
    // kubelet's static CPU manager has given each a core of its own, and the script sees that they are different ones.
    let [server, generator] = [0, 1].map(|n| &machines["pods"][n]);
    for pod in [server, generator] {
        assert_eq!(pod["cpus_asked"], 1);
        assert_eq!(pod["cpus"].as_array().map(Vec::len), Some(1), "{machines}");
    }
    assert_ne!(server["cpus"], generator["cpus"]);
    assert_eq!(environment["server_cpus"], server["cpus"]);
    assert_eq!(environment["generator_cpus"], generator["cpus"]);
    cluster.wait_empty();
    yard.wait_empty();
}

#[test]
#[ignore = "takes a cluster: make test-cluster"]
fn what_a_killed_photofinish_leaves_is_gone() {
    let cluster = Cluster::new();
    // By itself, and with all that could clean up after it on this machine.
    for with_all in [false, true] {
        let yard = yard("duration = \"300s\"");
        let run = cluster.start(&yard, &["run", "far", "--on", "hosts.toml"]);
        wait_for_server(in_pods);
        let all = yard.processes();
        run.signal("KILL");
        if with_all {
            all.iter().for_each(|process| kill(process));
        }
        let begun = Instant::now();
        cluster.wait_empty();
        let took = begun.elapsed();
        assert!(took < GONE_WITHIN, "{took:?}");
        eprintln!("nothing was left after {:.1} s", took.as_secs_f64());
        drop(run);
        yard.wait_empty();
    }
}

#[test]
#[ignore = "takes a cluster: make test-cluster"]
fn pods_that_never_started_are_gone_too() {
    let cluster = Cluster::new();
    let yard = yard("");
    yard.write("hosts.toml", HOSTS.replace("cpus = 1", "cpus = 9"));
    let run = cluster.start(&yard, &["run", "far", "--on", "hosts.toml"]);
    wait_until("its pods are Pending", || {
        let left = cluster.left();
        let pods = left.iter().filter(|name| name.starts_with("pod/")).count();
        if pods == 2 {
            Ok(())
        } else {
            Err(format!("{left:#?}"))
        }
    });
    run.signal("KILL");
    cluster.wait_empty();
    drop(run);
    yard.wait_empty();
}

#[test]
#[ignore = "takes a cluster: make test-cluster"]
fn a_program_that_the_image_holds_is_not_copied() {
    let cluster = Cluster::new();
    let program = env!("CARGO_BIN_EXE_photofinish");
    let mut image = Command::new(repository().join("scripts/test-cluster"));
    let made = image.args(["image", program]).status().expect("the script");
    assert!(made.success());
    for (image, program) in [
        ("photofinish:test", "/bin/photofinish"),
        ("base:1", "/photofinish/photofinish-"),
    ] {
        let yard = yard("duration = \"300s\"");
        let hosts = HOSTS.replace("base:1", image);
        yard.write("hosts.toml", hosts);
        let run = cluster.start(&yard, &["run", "far", "--on", "hosts.toml"]);
        wait_for_server(in_pods);
        let agents = in_pods().into_iter();
        let agents: Vec<String> = agents
            .filter(|process| process.trim_end().ends_with(" agent"))
            .collect();
        assert_eq!(agents.len(), 2, "{agents:#?}");
        for agent in agents {
            let pid = agent.split(':').next().expect("an id");
            let runs = fs::read_link(format!("/proc/{pid}/exe")).expect("it runs");
            let runs = runs.display().to_string();
            assert!(runs.starts_with(program), "{runs}");
        }
        run.signal("INT");
        run.end().code(3);
        cluster.wait_empty();
        yard.wait_empty();
    }
}

#[test]
#[ignore = "takes a cluster: make test-cluster"]
fn an_interrupt_ends_the_wait_for_pods() {
    let cluster = Cluster::new();
    let yard = yard("");
    yard.write("hosts.toml", HOSTS.replace("cpus = 1", "cpus = 9"));
    let run = cluster.start(&yard, &["run", "far", "--on", "hosts.toml"]);
    wait_until("there are pods", || {
        let left = cluster.left();
        if left.is_empty() {
            Err("none".to_owned())
        } else {
            Ok(())
        }
    });
    run.signal("INT");
    run.end().code(3);
    cluster.wait_empty();
}

#[test]
#[ignore = "takes a cluster: make test-cluster"]
fn a_pod_that_is_killed_fails_the_run_with_a_sentence() {
    let cluster = Cluster::new();
    let yard = yard("duration = \"300s\"");
    let run = cluster.start(&yard, &["run", "far", "--on", "hosts.toml"]);
    wait_for_server(in_pods);
    let agents = in_pods();
    let agent = agents
        .iter()
        .find(|process| process.trim_end().ends_with(" agent"));
    kill(agent.expect("an agent"));
    let ended = run.end().code(3);
    assert!(ended.err.contains("reach pf-tc-node"), "{}", ended.err);
    cluster.wait_empty();
    yard.wait_empty();
}

#[test]
#[ignore = "takes a cluster: make test-cluster"]
fn what_cannot_be_had_is_said() {
    let cluster = Cluster::new();
    let yard = yard("");
    let says = |user: &str, from: &str, to: &str, parts: &[&str]| {
        assert!(HOSTS.contains(from), "{from}");
        yard.write("hosts.toml", HOSTS.replace(from, to));
        let run = cluster.start_as(user, &yard, &["run", "far", "--on", "hosts.toml"]);
        run.end().code(3).says(parts);
        cluster.wait_empty();
    };
    says(
        "racer",
        "base:1",
        "nowhere:1",
        &[
            ": its image localhost/nowhere:1 cannot be pulled: ",
            "connection refused",
            "image-pull-secrets",
        ],
    );
    says(
        "racer",
        "base:1",
        "bare:1",
        &["its image localhost/bare:1 cannot be started with `sh`"],
    );
    let full = "no node takes it (0/4 nodes are available: 2 node(s) had untolerated taint(s), 2 Insufficient cpu";
    let pending = format!("the pod for server: it does not run after 2 s: {full}");
    says(
        "racer",
        "cpus = 1",
        "cpus = 9\nwait = \"2s\"",
        &[&pending, "ask for less"],
    );
    // Two generators and a server have two nodes that take them: each must have one of its own. Which of them has none hangs on the
    // order in which the cluster makes their pods.
    let third = "256Mi\"\nwait = \"5s\"\n[[generator]]\n[[generator]]\n";
    let pending = format!(": it does not run after 5 s: {full}");
    says(
        "racer",
        "256Mi\"\n",
        third,
        &["reach the pod for ", &pending],
    );
    let rights = "User \"nobody\" cannot create resource \"jobs\" in API group \"batch\" in the namespace \"race\"";
    says(
        "nobody",
        "",
        "",
        &["failed to reach Kubernetes: ", rights, "deploy/rbac.yaml"],
    );
    let account = "service-account = \"somebody\"\nwait = \"2s\"\nimage =";
    says(
        "racer",
        "image =",
        account,
        &[
            "does not run after 2 s",
            "serviceaccount \"somebody\" not found",
        ],
    );
    says(
        "racer",
        "image =",
        "context = \"lab\"\nimage =",
        &["reach Kubernetes (context lab): ", "does not exist"],
    );
    says(
        "admin",
        "\"race\"",
        "\"nowhere\"",
        &["namespaces \"nowhere\" not found"],
    );
}

#[test]
#[ignore = "takes a cluster: make test-cluster"]
fn without_a_cluster_or_kubectl_that_is_said() {
    let yard = yard("");
    let start = |path: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_photofinish"));
        yard.place(&mut command);
        command.args(["run", "far", "--on", "hosts.toml"]);
        // Nobody listens there.
        let config = "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: \"https://127.0.0.1:1\"}}]\nusers: [{name: u, user: {token: t}}]\n\
                      contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n";
        yard.write("config", config);
        command.env("KUBECONFIG", yard.path("config"));
        command.env("PATH", path);
        Running::start(command)
    };
    let with = format!("{}/bin:/usr/bin:/bin", state());
    start(&with).end().code(3).says(&[
        "failed to reach Kubernetes: error: ",
        "connect: connection refused",
    ]);
    let only = yard.path("only-a-shell");
    fs::create_dir(&only).expect("a folder");
    std::os::unix::fs::symlink("/bin/sh", only.join("sh")).expect("a link");
    let only = only.display().to_string();
    start(&only)
        .end()
        .code(3)
        .says(&["there is no `kubectl` on this machine"]);
}
