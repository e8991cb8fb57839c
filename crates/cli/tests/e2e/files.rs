//! No file gets lost: neither behind a mount, nor under an output, nor with a results folder that moves.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::namespaces::may_skip;
use crate::support::{Running, Yard, measurements, script};

/// photofinish in namespaces of its own, as `unshare` takes them.
fn apart(yard: &Yard, namespaces: &[&str], args: &[&str]) -> Running {
    let mut command = Command::new("unshare");
    yard.place(&mut command);
    fs::create_dir_all(yard.path("tmp")).expect("a folder");
    command
        .args(namespaces)
        .arg(env!("CARGO_BIN_EXE_photofinish"))
        .args(args)
        .env("TMPDIR", yard.path("tmp"));
    Running::start(command)
}

/// Why this user has no such namespaces.
pub fn lacks(namespace: &str) -> Option<&'static str> {
    let made = Command::new("unshare").args([namespace, "true"]).output();
    let made = made.is_ok_and(|output| output.status.success());
    (!made).then_some("namespaces take root, and `unshare` of util-linux")
}

#[test]
fn what_a_server_mounts_in_its_folder_stays() {
    if may_skip(lacks("--mount")) {
        return;
    }
    let yard = Yard::new();
    let precious = yard.path("precious");
    fs::create_dir(&precious).expect("a folder");
    fs::write(precious.join("thesis"), "years").expect("a file");
    let server = "{photofinish} server event-loop --threads 1 --port {port}";
    let mounts = format!(
        "mkdir -p {{temp}}/data && mount --bind {} {{temp}}/data && touch {{temp}}/other && exec {server}",
        precious.display()
    );
    // By a namespace of the server's own too, which photofinish does not see.
    let hidden = mounts.replace("exec ", "exec unshare --mount --propagation private ");
    yard.target("a", &script(&mounts))
        .target("b", &script(&hidden))
        .study("s", &["a", "b"], "rounds = 1");
    let ended = apart(&yard, &["--mount"], &["run", "s"]).end().code(0);
    let kept = fs::read_to_string(precious.join("thesis"));
    assert_eq!(kept.ok().as_deref(), Some("years"), "{}", ended.err);
    ended.says(&["/data: something is mounted there; unmount it first"]);
    // What is left is the empty place of a mount.
    let left = fs::read_dir(yard.path("tmp")).expect("a folder").flatten();
    for folder in left.filter(|entry| entry.path().is_dir()) {
        let names: Vec<_> = fs::read_dir(folder.path())
            .expect("a folder")
            .flatten()
            .collect();
        assert!(
            names.iter().all(|entry| entry.file_name() == "data"),
            "{names:?}"
        );
    }
    yard.wait_empty();
}

#[test]
fn no_output_replaces_results_or_inputs() {
    let yard = Yard::of(&["a"], "rounds = 1");
    yard.run(&["run", "s"]).code(0);
    let results = yard.result("s");
    let dir = results.display().to_string();
    symlink(results.join("study.json"), yard.path("link")).expect("a link");
    fs::hard_link(results.join("trials.jsonl"), yard.path("hard")).expect("a link");
    let records = [
        "study.toml",
        "study.json",
        "environment.json",
        "measurements.jsonl",
        "trials.jsonl",
        "latency.hlog",
        "report.html",
    ];
    let before = records.map(|name| fs::read(results.join(name)).expect("a record"));
    let mut refused: Vec<String> = records.iter().map(|name| format!("{dir}/{name}")).collect();
    refused.extend(["link", "hard"].map(|name| yard.path(name).display().to_string()));
    let refuses = |args: &[&str], flag: &str, file: &str| {
        let ended = yard.run(&[args, &[flag, file]].concat()).code(2);
        ended.says(&[flag, "give another file"]);
    };
    for file in &refused {
        refuses(&["report", &dir], "--json", file);
    }
    // Every flag, and every command that writes: the names of a file have a test of their own (outputs.rs).
    for flag in ["--csv", "--markdown", "--html", "--junit"] {
        refuses(&["report", &dir], flag, &refused[0]);
    }
    for args in [&["report", &dir, &dir][..], &["history", &dir]] {
        refuses(args, "--html", &refused[0]);
    }
    for (name, before) in records.iter().zip(before) {
        assert_eq!(
            fs::read(results.join(name)).expect("a record"),
            before,
            "{name}"
        );
    }
    // The inputs of a run, and the script that a command runs.
    yard.write("server.sh", "exec sleep 600");
    for input in ["studies/s.toml", "targets/a/target.toml"] {
        let before = fs::read(yard.path(input)).expect("a file");
        yard.run(&["run", "s", "--json", input])
            .code(2)
            .says(&["it is an input"]);
        assert_eq!(
            fs::read(yard.path(input)).expect("a file"),
            before,
            "{input}"
        );
    }
    yard.compare(
        "'sh server.sh {port}' 'sh other.sh {port}' \
         --url http://127.0.0.1:{port}/ --csv ./server.sh",
    )
    .code(2)
    .says(&["--csv ./server.sh: it is an input"]);
    assert_eq!(yard.results("s").len(), 1);
    // A file of the user's in the same folder is one like any other.
    for _ in 0..2 {
        yard.run(&["report", &dir, "--json", &format!("{dir}/mine.json")])
            .code(0);
    }
}

/// Begins a long run, and has something happen to its folder during a measurement.
fn disturbed(happens: impl Fn(&Path)) {
    let yard = Yard::of(
        &["a"],
        "rounds = 9\nwarmup = { min = \"60s\", max = \"90s\" }",
    );
    let running = yard.start(&["run", "s"]);
    running.wait_for(": warming up on");
    let begun = Instant::now();
    happens(&yard.result("s"));
    running
        .end()
        .code(3)
        .says(&["was moved or removed, or something in it, while its run was under way"]);
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "{:?}",
        begun.elapsed()
    );
    yard.wait_empty();
}

#[test]
fn a_results_folder_that_moves_ends_its_run_at_once() {
    disturbed(|dir| fs::rename(dir, dir.with_file_name("moved")).expect("moved"));
}

#[test]
fn a_results_folder_that_is_deleted_ends_its_run_at_once() {
    disturbed(|dir| fs::remove_dir_all(dir).expect("removed"));
}

#[test]
fn a_record_that_is_replaced_ends_its_run_at_once() {
    disturbed(|dir| {
        let file = dir.join("measurements.jsonl");
        fs::remove_file(&file).expect("removed");
        fs::write(&file, "").expect("a file");
    });
}

#[test]
fn a_torn_run_is_left_out_of_a_history() {
    let yard = Yard::of(&["a"], "rounds = 1");
    for _ in 0..3 {
        yard.run(&["run", "s"]).code(0);
    }
    let runs = yard.results("s");
    let torn = &runs[1];
    let text = fs::read_to_string(torn.join("study.json")).expect("a study");
    fs::write(torn.join("study.json"), &text[..text.len() / 2]).expect("written");
    let name = torn.display().to_string();
    let ended = yard.run(&["history", "results/s", "--json", "-"]).code(0);
    let name = Path::new(&name)
        .file_name()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    let warning = format!("warning: the history is without results/s/{name}: failed to read ");
    let json = ended.json();
    ended.says(&[&warning, "study.json: ", " at line "]);
    assert_eq!(json["runs"].as_array().map(Vec::len), Some(2), "{json}");
    // Alone it is an error, and so is a folder that is not there.
    yard.run(&["history", &torn.display().to_string()])
        .code(2)
        .says(&["study.json: ", " at line "]);
    yard.run(&["history", "results/s", "results/t"])
        .code(2)
        .says(&["there is no such folder"]);
    let good = measurements(&runs[0]);
    assert!(!good.is_empty());
}

#[test]
fn a_machine_without_loopback_is_named_at_once() {
    if may_skip(lacks("--net")) {
        return;
    }
    let yard = Yard::of(&["a"], "rounds = 3");
    let begun = Instant::now();
    apart(&yard, &["--net"], &["run", "s"])
        .end()
        .code(3)
        .says(&[
            "failed to reach 127.0.0.1, at which servers are to listen",
            "ip link set lo up",
        ]);
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "{:?}",
        begun.elapsed()
    );
}

#[test]
fn the_kernel_ends_servers_before_photofinish() {
    let yard = Yard::new();
    let file = yard.path("score").display().to_string();
    let server = script(&format!(
        ": {{port}}; cat /proc/self/oom_score_adj > {file}.new; mv {file}.new {file}; exec sleep 600"
    ));
    yard.target("a", &server).study("s", &["a"], "rounds = 1");
    let running = yard.start(&["run", "s"]);
    yard.wait_file("score", &running);
    let score = |path: &Path| -> i32 {
        let text = fs::read_to_string(path).expect("a score");
        text.trim().parse().expect("a number")
    };
    let own = score(Path::new(&format!("/proc/{}/oom_score_adj", running.pid())));
    assert!(score(&yard.path("score")) > own || own == 1_000);
    running.signal("INT");
    running.end();
    yard.wait_empty();
}
