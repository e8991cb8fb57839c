//! Servers in containers, by Debian's podman and an image made from nothing: measured like any other, and nothing is left of them.

pub mod podman;

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{GOOD, Yard, all_good, failure, measurements, records, wait_until};
use podman::{IMAGE, Podman, containerfile};

/// A study that takes as long as a test wants.
const LONG: &str = "rounds = 1\nwarmup = { min = \"50s\", max = \"60s\" }";

fn json(file: &Path) -> Value {
    let text = fs::read_to_string(file).expect("a file");
    serde_json::from_str(&text).expect("JSON")
}

/// Waits until neither a container nor a process is left.
fn wait_empty(yard: &Yard, podman: &Podman) {
    wait_until("no container is left", || {
        let left = podman.containers();
        left.is_empty().then_some(()).ok_or(format!("{left:?}"))
    });
    yard.wait_empty();
}

#[test]
fn a_server_in_a_container_is_pinned_and_measured_like_another() {
    let yard = Yard::new();
    let Some(podman) = Podman::new(&yard) else {
        return;
    };
    podman.target("boxed", &format!("image = \"{IMAGE}\""));
    podman.target(
        "built",
        "containerfile = \"Containerfile\"\ncommand = [\"{port}\"]",
    );
    for file in ["Containerfile", "server"] {
        let to = yard.path("targets/built").join(file);
        fs::copy(yard.path("image").join(file), to).expect("a file");
    }
    yard.target("plain", GOOD)
        .study("s", &["boxed", "built", "plain"], "lanes = \"split\"");
    let run = ["run", "s", "--no-profile", "--freeze"];
    podman.photofinish(&run).code(0).says(&["built built"]);
    let results = yard.result("s");
    let lines = measurements(&results);
    assert_eq!(lines.len(), 6);
    all_good(&lines);
    for line in &lines {
        let used = &line["server"];
        assert!(used["cpu_cores"].as_f64() > Some(0.0), "{line}");
        let at_least = |key: &str, least: u64| used[key].as_u64() >= Some(least);
        assert!(
            at_least("rss_max_bytes", 4096) && at_least("threads_max", 1),
            "{line}"
        );
        assert!(used["switches_voluntary_per_request"].is_f64(), "{line}");
        // The server and its child; what runs the container is no part of it.
        if line["target"] != "plain" {
            assert_eq!(used["processes_max"], 2, "{line}");
            assert!(used["rss_max_bytes"].as_u64() < Some(8 << 20), "{line}");
        }
    }
    let environment = json(&results.join("environment.json"));
    let cores: Vec<String> = environment["server_cpus"]
        .as_array()
        .expect("a list")
        .iter()
        .map(Value::to_string)
        .collect();
    let id = format!(
        "sha256:{}",
        podman.run(&["image", "inspect", "--format", "{{.Id}}", IMAGE])
    );
    for trial in records(&results.join("trials.jsonl")) {
        let target = trial["target"].as_str().expect("a name");
        if target == "plain" {
            assert!(trial.get("image").is_none(), "{trial}");
            continue;
        }
        // What both were built from is the same.
        assert_eq!(trial["image"], id.as_str(), "{trial}");
        let log = format!("logs/{target}-round-{}.log", trial["round"]);
        let printed = fs::read_to_string(results.join(log)).expect("a log");
        assert!(
            printed.contains(&format!("cores {}\n", cores.join(" "))),
            "{printed}"
        );
    }
    let study = json(&results.join("study.json"));
    let of = |place: usize, key: &str| study["targets"][place][key].clone();
    assert_eq!(
        (of(0, "image"), of(1, "image")),
        (IMAGE.into(), "Containerfile".into())
    );
    assert!(
        of(0, "tools")["podman"]
            .as_str()
            .is_some_and(|tool| tool.contains("/podman)"))
    );
    wait_empty(&yard, &podman);
}

#[test]
fn compare_races_images_with_commands() {
    let yard = Yard::new();
    let Some(podman) = Podman::new(&yard) else {
        return;
    };
    let command = "exec {photofinish} server event-loop --threads 1 --port {port}";
    let image = format!("{IMAGE} {{port}}");
    let url = "http://127.0.0.1:{port}/plaintext";
    let short = [
        "--rounds", "1", "-d", "200ms", "--warmup", "0", "--lanes", "none",
    ];
    let args = [
        "compare", command, "--image", &image, "--url", url, "-c", "4",
    ];
    let ended = podman.photofinish(&[&args[..], &short].concat()).code(0);
    ended.prints(&["One round only", "server:1 "]);
    let lines = measurements(&yard.result("compare"));
    all_good(&lines);
    assert_eq!(lines.len(), 2);
    wait_empty(&yard, &podman);
}

#[test]
fn whatever_ends_photofinish_ends_its_containers() {
    let yard = Yard::new();
    let Some(podman) = Podman::new(&yard) else {
        return;
    };
    podman.target("boxed", &format!("image = \"{IMAGE}\""));
    yard.study("s", &["boxed"], LONG);
    yard.study("short", &["boxed"], "rounds = 1");
    let find = |what: &str| {
        let all = yard.processes();
        let line = all.iter().find(|line| line.contains(what)).cloned();
        line.unwrap_or_else(|| panic!("no {what}: {all:?}"))
            .split(':')
            .next()
            .expect("a number")
            .to_owned()
    };
    let (keeper, guard) = (" __keep ", " trap '' HUP INT TERM; read -r _");
    for end in ["INT", "HUP", "KILL", "keeper", "both", "all"] {
        let running = podman.start(&["run", "s", "--no-profile"]);
        running.wait_for(": warming up on");
        assert_eq!(podman.containers().len(), 1);
        let kill = |pid: &str| {
            let killed = std::process::Command::new("kill")
                .args(["-9", pid])
                .status();
            assert!(killed.expect("kill runs").success());
        };
        match end {
            "keeper" => {
                kill(&find(keeper));
                wait_until("the run notices", || {
                    match running.err().contains("its keeper was ended") {
                        true => Ok(()),
                        false => Err(running.err()),
                    }
                });
                running.signal("INT");
                running.end();
            }
            // Its guard is left, which removes the container.
            "both" => {
                let keeper = find(keeper);
                running.signal("STOP");
                kill(&keeper);
                running.signal("KILL");
                running.end();
            }
            "all" => {
                let (keeper, guard) = (find(keeper), find(guard));
                running.signal("STOP");
                kill(&guard);
                kill(&keeper);
                running.signal("KILL");
                running.end();
                // Nobody is left who could end it; the next run does.
                assert_eq!(podman.containers().len(), 1);
                let again = podman.start(&["run", "short", "--no-profile"]);
                again.end().code(0);
            }
            signal => {
                running.signal(signal);
                running.end();
            }
        }
        wait_empty(&yard, &podman);
    }
}

#[test]
fn what_keeps_a_container_from_serving_is_said_with_the_remedy() {
    let yard = Yard::new();
    let Some(podman) = Podman::new(&yard) else {
        return;
    };
    // On this machine nobody serves images.
    podman.target("absent", "image = \"localhost:1/nonesuch:1\"");
    podman.target("wrong", "containerfile = \"Containerfile\"");
    podman.target(
        "crash",
        &format!("image = \"{IMAGE}\"\ncommand = [\"crash\"]"),
    );
    podman.target("empty", "containerfile = \"Containerfile\"");
    let write = |target: &str, text: &str| {
        let file = yard.path("targets").join(target).join("Containerfile");
        fs::write(file, text).expect("a file");
    };
    write("wrong", "FROM scratch\nCOPI server /server\n");
    write(
        "empty",
        &containerfile().replace("COPY server /server\n", "LABEL empty=yes\n"),
    );
    let targets = ["absent", "wrong", "crash", "empty"];
    yard.study("s", &targets, "rounds = 1");
    podman.photofinish(&["run", "s", "--no-profile"]).code(3);
    let lines = measurements(&yard.result("s"));
    let why = |target: &str| {
        let line = lines.iter().find(|line| line["target"] == target);
        failure(line.expect("a line"))
    };
    for (target, parts) in [
        (
            "absent",
            &[
                "failed to pull localhost:1/nonesuch:1, the image of absent: exit status 125; see that its name is right",
                "connection refused",
            ][..],
        ),
        (
            "wrong",
            &[
                "failed to build wrong: exit status",
                "podman build --file",
                "COPI",
            ],
        ),
        (
            "crash",
            &[
                "the server ended before it was ready (exit status 3)",
                "no port to listen on",
            ],
        ),
        (
            "empty",
            &["ended before it was ready (exit status 127: the image has no such command)"],
        ),
    ] {
        for part in parts {
            assert!(why(target).contains(part), "{part} in {}", why(target));
        }
    }
    wait_empty(&yard, &podman);

    // Without podman, and with a docker whose daemon does not run.
    let programs = yard.path("programs");
    fs::create_dir(&programs).expect("a folder");
    let without = |says: &[&str]| {
        let mut command = podman.command(&["run", "s", "--no-profile"]);
        command.env("PATH", &programs);
        crate::running::Running::start(command)
            .end()
            .code(3)
            .says(says);
    };
    without(&["failed to find podman or docker any: neither is in PATH; install podman"]);
    let docker = "#!/bin/sh\n/bin/echo 'Cannot connect to the Docker daemon' >&2\nexit 1\n";
    let file = programs.join("docker");
    fs::write(&file, docker).expect("a file");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&file, mode).expect("a file");
    without(&["docker says: Cannot connect to the Docker daemon; start its daemon"]);
}
