//! Servers and load generators on the nodes of a Slurm job.

mod cluster;

use std::fs;
use std::path::Path;
use std::time::Instant;

use serde_json::Value;

use crate::namespaces::sh;
use crate::running::Running;
use crate::support::{Yard, all_good, measurements, wait_until};
use crate::test_all::machines::{GONE_WITHIN, environment, wait_for_server, whole_report, yard};
use cluster::Cluster;

/// What was printed, as one line: sentences are broken where lines are full.
fn unbroken(printed: &str) -> String {
    printed.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The only job's id.
fn job(cluster: &Cluster) -> String {
    let jobs = cluster.jobs();
    assert_eq!(jobs.len(), 1, "{jobs:#?}");
    jobs[0].split(' ').next().expect("an id").to_owned()
}

#[test]
fn quickstart_comes_to_a_verdict_on_two_nodes() {
    let yard = Yard::new();
    let Some(cluster) = Cluster::new(&yard) else {
        return;
    };
    let [hosts, results] =
        ["hosts.toml", "results"].map(|name| yard.path(name).display().to_string());
    let mut command = cluster.command(
        &yard,
        &[
            "run",
            "quickstart",
            "--rounds",
            "2",
            "--scale",
            "small",
            "-d",
            "1s",
            "--no-profile",
            "--on",
            &hosts,
            "--results",
            &results,
        ],
    );
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    Running::start(command).end().code(0);
    whole_report(&yard, "quickstart").prints(&[
        "servers on n1",
        "load from n2",
        "Each pod or Slurm node has whole cores of its own",
    ]);
    let results = yard.result("quickstart");
    let lines = measurements(&results);
    let good = |line: &Value| line["measurement"]["requests"].as_u64() > Some(0);
    assert!(!lines.is_empty() && lines.iter().all(good), "{lines:#?}");
    let environment = environment(&results);
    let nodes = environment["machines"]["nodes"].as_array().expect("two");
    assert_eq!(nodes.len(), 2);
    for (node, name) in nodes.iter().zip(["n1", "n2"]) {
        assert_eq!(node["machine"], name);
        assert_eq!(
            (&node["exclusive"], &node["all_cpus"]),
            (&true.into(), &true.into())
        );
        assert_eq!(node["partition"], "race");
        let cores = node["cpus"].as_array().map(Vec::len);
        assert_eq!(cores.map(|n| n as u64), node["cpus_asked"].as_u64());
    }
    // The server's words have come over, from the address by which Slurm knows the node.
    let logs = fs::read_dir(results.join("logs")).expect("logs").flatten();
    let logs: String = logs
        .map(|log| fs::read_to_string(log.path()).unwrap_or_default())
        .collect();
    assert!(logs.contains("listening on http://10.99.0.1:"), "{logs}");
    cluster.wait_empty(&yard);
}

#[test]
fn an_agent_is_bound_to_as_many_cores_as_it_asks_for() {
    for (plugin, bound) in [("task/affinity", true), ("task/none", false)] {
        let yard = yard("rounds = 1");
        let Some(cluster) = Cluster::that_binds_by(&yard, plugin) else {
            return;
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        yard.write(
            "hosts.toml",
            "[slurm]\ncpus = 1\npartition = \"race\"\n[server]\nnode = \"n2\"\n",
        );
        let run = cluster.start(&yard, &["run", "far", "--on", "hosts.toml"]);
        run.end().code(0);
        let report = whole_report(&yard, "far");
        let ended = report.prints(&["servers on n2", "load from n1"]);
        let environment = environment(&yard.result("far"));
        for node in environment["machines"]["nodes"].as_array().expect("two") {
            assert_eq!(node["cpus_asked"], 1);
            let may = node["cpus"].as_array().map(Vec::len);
            assert_eq!(may, Some(if bound { 1 } else { cores }), "{node}");
        }
        let unbound = !bound && cores > 1;
        let says =
            format!("may run on {cores} of them: Slurm does not bind it to those that it gave");
        let printed = unbroken(&ended.out);
        assert_eq!(printed.contains(&says), unbound, "{printed}");
        let failed = "failed: Each pod or Slurm node has whole cores of its own";
        assert_eq!(printed.contains(failed), unbound, "{printed}");
        // The doctor says so beforehand.
        let doctor = cluster.start(&yard, &["doctor", "--on", "hosts.toml"]);
        let printed = unbroken(&doctor.end().code(0).out);
        assert!(printed.contains("n2 (server): "), "{printed}");
        assert_eq!(printed.contains(&says), unbound, "{printed}");
        let own = printed.contains("in partition race runs on 1 core (");
        assert_eq!(own, bound, "{printed}");
        cluster.wait_empty(&yard);
    }
}

#[test]
fn what_a_killed_photofinish_leaves_is_gone() {
    let yard = yard("duration = \"300s\"");
    let Some(cluster) = Cluster::new(&yard) else {
        return;
    };
    let space = |pid: &str| fs::read_link(format!("/proc/{pid}/ns/net")).ok();
    // By itself, and with all that could clean up after it on this machine.
    for with_all in [false, true] {
        let run = cluster.start(&yard, &["run", "far", "--on", "hosts.toml"]);
        wait_for_server(|| yard.processes());
        if with_all {
            let here = space(&run.pid().to_string());
            let all = yard.processes();
            let pids = all.iter().filter_map(|process| process.split(':').next());
            let mine: Vec<&str> = pids
                .filter(|pid| here.is_some() && space(pid) == here)
                .collect();
            // photofinish, two of srun at least, and the shell that would cancel the job.
            assert!(mine.len() >= 4, "{all:#?}");
            // None of them is to see another one die. Whoever has ended meanwhile is gone as well.
            let mine = mine.join(" ");
            sh(&format!(
                "kill -STOP {mine} 2>/dev/null || true; kill -KILL {mine} 2>/dev/null || true"
            ));
        } else {
            run.signal("KILL");
        }
        let begun = Instant::now();
        cluster.wait_empty(&yard);
        let took = begun.elapsed();
        assert!(took < GONE_WITHIN, "{took:?}");
        eprintln!("nothing was left after {:.1} s", took.as_secs_f64());
        drop(run);
    }
    // Nor a folder on a node.
    let left = fs::read_dir("/tmp").expect("a folder").flatten();
    let left = left.filter(|entry| entry.path().join("life").exists());
    assert_eq!(left.count(), 0);
}

#[test]
fn a_job_that_waits_says_why_and_goes_when_nobody_waits_for_it() {
    let yard = yard("");
    let Some(cluster) = Cluster::new(&yard) else {
        return;
    };
    let other = cluster.occupied();
    yard.write("hosts.toml", "[slurm]\nwait = \"2s\"\n");
    let only_the_other_is_left = || {
        wait_until("only the other job is left", || {
            let jobs = cluster.jobs();
            (jobs.len() == 1 && jobs[0].starts_with(&other))
                .then_some(())
                .ok_or(format!("{jobs:#?}"))
        });
    };
    let run = cluster.start(&yard, &["run", "far", "--on", "hosts.toml"]);
    run.end().code(3).says(&[
        "failed to reach Slurm: job ",
        " is PENDING (Resources) after 2 s; ask for less, or state a longer `wait` in [slurm]",
    ]);
    only_the_other_is_left();
    yard.write("hosts.toml", "[slurm]\n");
    for signal in ["INT", "KILL"] {
        let run = cluster.start(&yard, &["run", "far", "--on", "hosts.toml"]);
        run.wait_for("is PENDING (Resources)");
        run.signal(signal);
        let ended = run.end();
        assert_ne!(ended.status.code(), Some(0), "{}", ended.err);
        only_the_other_is_left();
    }
    // Once there is room it runs.
    let run = cluster.start(&yard, &["run", "far", "--on", "hosts.toml"]);
    run.wait_for("is PENDING (Resources)");
    cluster
        .slurm(&format!("scancel {other}"))
        .expect("it is there");
    run.end().code(0);
    all_good(&measurements(&yard.result("far")));
    cluster.wait_empty(&yard);
}

#[test]
fn a_cancelled_job_fails_the_run_with_slurms_words() {
    let yard = yard("duration = \"300s\"");
    let Some(cluster) = Cluster::new(&yard) else {
        return;
    };
    let run = cluster.start(&yard, &["run", "far", "--on", "hosts.toml"]);
    wait_for_server(|| yard.processes());
    cluster
        .slurm(&format!("scancel {}", job(&cluster)))
        .expect("it is there");
    let ended = run.end().code(3);
    // Whose words come first is a race: those of srun, or of what keeps the step on the node, whose name may have the node's.
    let words = [
        "n1: srun: ",
        "n2: srun: ",
        "n1: slurmstepd: ",
        "n2: slurmstepd: ",
        "n1: slurmstepd-n1: ",
        "n2: slurmstepd-n2: ",
    ];
    let says = |words: &&str| ended.err.contains(&format!("reach {words}"));
    assert!(words.iter().any(says), "{}", ended.err);
    cluster.wait_empty(&yard);
    // And one that has not begun yet.
    let other = cluster.occupied();
    let run = cluster.start(&yard, &["run", "far", "--on", "hosts.toml"]);
    run.wait_for("is PENDING (Resources)");
    cluster
        .slurm("scancel --state=PENDING --user=root")
        .expect("it is there");
    run.end()
        .code(3)
        .says(&["failed to reach Slurm: job ", "has ended: CANCELLED"]);
    cluster
        .slurm(&format!("scancel {other}"))
        .expect("it is there");
    cluster.wait_empty(&yard);
}

#[test]
fn what_cannot_be_had_is_said() {
    let yard = yard("");
    let Some(cluster) = Cluster::new(&yard) else {
        return;
    };
    let says = |hosts: &str, parts: &[&str]| {
        yard.write("hosts.toml", hosts);
        let run = cluster.start(&yard, &["run", "far", "--on", "hosts.toml"]);
        run.end().code(3).says(parts);
        cluster.wait_empty(&yard);
    };
    says(
        "[slurm]\npartition = \"nowhere\"\n",
        &["failed to reach Slurm: sbatch: error: invalid partition specified: nowhere"],
    );
    says(
        "[slurm]\n[server]\nnode = \"n9\"\n",
        &["failed to reach Slurm: sbatch: error: ", "nvalid node name"],
    );
    says(
        "[slurm]\n[[generator]]\n[[generator]]\n",
        &[
            "failed to reach Slurm: job ",
            " will not run (PartitionNodeLimit): ask for what its partition may give",
        ],
    );
    says(
        "[slurm]\noptions = [\"--no-such-option\"]\n",
        &["failed to reach Slurm: sbatch: ", "no-such-option"],
    );
}

#[test]
fn without_slurms_commands_that_is_said() {
    let yard = yard("");
    yard.write("hosts.toml", "[slurm]\n");
    let only = yard.path("only-a-shell");
    fs::create_dir(&only).expect("a folder");
    std::os::unix::fs::symlink("/bin/sh", only.join("sh")).expect("a link");
    let mut command = yard.command(&["run", "far", "--on", "hosts.toml"]);
    command.env("PATH", &only).env_remove("SLURM_JOB_ID");
    Running::start(command).end().code(3).says(&[
        "failed to reach Slurm: there is no `srun` on this machine; run photofinish where",
    ]);
}

#[test]
fn a_job_that_is_there_already_is_used_and_stays() {
    let yard = yard("");
    let Some(cluster) = Cluster::new(&yard) else {
        return;
    };
    let id = cluster.occupied();
    let mut command = cluster.command(&yard, &["run", "far", "--on", "hosts.toml"]);
    // As in an allocation of another shape.
    command
        .env("SLURM_JOB_ID", &id)
        .env("SLURM_NTASKS", "7")
        .env("SLURM_CPUS_PER_TASK", "9");
    Running::start(command).end().code(0);
    all_good(&measurements(&yard.result("far")));
    let environment = environment(&yard.result("far"));
    assert_eq!(environment["machines"]["nodes"][0]["job"], id.as_str());
    yard.wait_empty();
    assert_eq!(job(&cluster), id);
    let three = "[slurm]\n[[generator]]\n[[generator]]\n";
    yard.write("hosts.toml", three);
    let mut command = cluster.command(&yard, &["run", "far", "--on", "hosts.toml"]);
    command.env("SLURM_JOB_ID", &id);
    Running::start(command).end().code(3).says(&[
        &format!("failed to reach Slurm: job {id} has 2 nodes: "),
        "which makes 3",
    ]);
    cluster
        .slurm(&format!("scancel {id}"))
        .expect("it is there");
    cluster.wait_empty(&yard);
    let mut command = cluster.command(&yard, &["run", "far", "--on", "hosts.toml"]);
    command.env("SLURM_JOB_ID", &id);
    Running::start(command).end().code(3).says(&[&format!(
        "failed to reach Slurm: job {id} has ended: CANCELLED"
    )]);
    cluster.wait_empty(&yard);
}
