//! What can be wrong before a server serves: tools, builds, ports, the results folder.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use crate::support::{GOOD, Server, Yard, measurements, script};

#[test]
fn a_variant_without_its_jdk_is_reported_and_the_other_target_runs() {
    let yard = Yard::new();
    let modern = "title = \"a modern one\"\nneeds = { jdk = \">=99\" }";
    yard.target("plain", &format!("{GOOD}\n[variant.modern]\n{modern}\n"))
        .study("s", &["plain", "plain@modern"], "");
    let ended = yard.run(&["run", "s", "-v"]).code(3).says(&[
        "cannot run plain@modern: failed to find a JDK >=99",
        "JAVA_HOME",
        "PATH",
        "install one that fits",
        "2 measurements are missing",
    ]);
    ended.never_says("starting plain@modern");
    ended.prints(&[
        "plain",
        "plain@modern, rounds 1, 2: failed to find a JDK >=99",
    ]);
    let lines = measurements(&yard.result("s"));
    let of = |target: &str, measured: bool| {
        lines
            .iter()
            .filter(|line| line["target"] == target && line["measurement"].is_object() == measured)
            .count()
    };
    let made = ["plain", "plain@modern"].map(|target| [of(target, true), of(target, false)]);
    assert_eq!(made, [[2, 0], [0, 2]]);
}

#[test]
fn a_build_that_fails_shows_the_end_of_its_log() {
    let yard = Yard::new();
    let build = r#"[build]
command = ["sh", "-c", "for i in $(seq 1 60); do echo step $i of 60; done; echo 'error: no main found' >&2; exit 7"]
[start]"#;
    yard.target("plain", GOOD)
        .target("broken", &GOOD.replace("[start]", build))
        .study("s", &["plain", "broken"], "rounds = 1");
    let ended = yard.run(&["run", "s"]).code(3).says(&[
        "building broken",
        "cannot run broken: failed to build broken",
        "exit status 7",
        "step 60 of 60",
        "error: no main found",
    ]);
    ended.never_says("step 1 of 60");
    let log = yard.result("s").join("logs/broken-build.log");
    let relative =
        Path::new("results/s").join(log.strip_prefix(yard.path("results/s")).expect("below"));
    assert!(
        ended.err.contains(&relative.display().to_string()),
        "{}",
        ended.err
    );
    assert!(
        fs::read_to_string(log)
            .expect("a log")
            .contains("step 1 of 60")
    );
    assert_eq!(measurements(&yard.result("s")).len(), 2);
}

#[test]
fn a_fixed_port_that_is_taken_names_its_holder() {
    let yard = Yard::new();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    yard.target("free", GOOD)
        .target(
            "fixed",
            &GOOD.replace("[start]", &format!("[start]\nport = {port}")),
        )
        .study("s", &["free", "fixed"], "rounds = 1");
    let pid = std::process::id().to_string();
    let program = std::env::current_exe().expect("this test");
    let program = program
        .file_name()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    yard.run(&["run", "s"]).code(3).says(&[
        &format!("port {port}, which fixed needs, is taken by"),
        &pid,
        &program,
        "1 measurement is missing",
    ]);
    drop(listener);
    yard.run(&["run", "s"]).code(0);
}

#[test]
fn a_server_on_a_taken_port_names_the_holder() {
    let yard = Yard::new();
    let server = Server::start(&yard, &["event-loop"]);
    let port = server.address.port().to_string();
    yard.run(&["server", "event-loop", "-p", &port])
        .code(3)
        .says(&[
            &format!("127.0.0.1:{port}"),
            &server.pid().to_string(),
            "server event-loop",
            "--port",
        ]);
}

#[test]
fn a_results_folder_that_cannot_be_written_is_reported_before_the_first_trial() {
    let yard = Yard::new();
    let build = "[build]\ncommand = [\"sh\", \"-c\", \"echo built\"]\n[start]";
    yard.target("a", &GOOD.replace("[start]", build))
        .study("s", &["a"], "");
    yard.write("file", "");
    // Root may write anywhere but below a file and in /proc.
    for folder in ["file/results", "/proc/photofinish"] {
        let ended = yard.run(&["run", "s", "--results", folder]).code(3).says(&[
            "failed to create the results folder",
            folder,
            "choose a folder",
        ]);
        for early in ["building", "starting"] {
            ended.never_says(early);
        }
    }
}

#[test]
fn a_full_disk_is_reported_before_the_first_trial() {
    let yard = Yard::new();
    yard.target(
        "a",
        &script("exec {photofinish} server event-loop --port {port}"),
    )
    .study("s", &["a"], "");
    let disk = yard.path("disk");
    fs::create_dir(&disk).expect("a folder");
    let mount = |args: &[&str]| Command::new("mount").args(args).arg(&disk).output();
    match mount(&["-t", "tmpfs", "-o", "size=1m", "tmpfs"]) {
        Ok(done) if done.status.success() => {}
        other => {
            eprintln!("skipped: a small file system cannot be mounted here: {other:?}");
            return;
        }
    }
    let ended = yard.run(&["run", "s", "--results", "disk/results"]);
    let unmounted = Command::new("umount").arg(&disk).status().expect("umount");
    assert!(unmounted.success());
    let ended = ended
        .code(3)
        .says(&["disk/results", "MiB free", "free some space"]);
    ended.never_says("starting");
}

#[test]
fn builds_are_kept_and_shown_until_they_are_cleared() {
    let yard = Yard::new();
    let count = yard.path("count");
    let command = format!("echo built | tee -a {} out.txt", count.display());
    let build = format!("[build]\ncommand = [\"sh\", \"-c\", \"{command}\"]\n[start]");
    let builds = || fs::read_to_string(&count).map_or(0, |text| text.lines().count());
    yard.target("plain", &GOOD.replace("[start]", &build))
        .study("s", &["plain"], "rounds = 1");
    yard.run(&["cache"]).code(0).prints(&["nothing is kept"]);
    yard.run(&["run", "s"]).code(0).says(&["built plain"]);
    let again = yard.run(&["run", "s"]).code(0);
    again.never_says("built plain");
    assert_eq!(builds(), 1);
    // Nothing is written into the target's own folder.
    let own = fs::read_dir(yard.path("targets/plain")).expect("a folder");
    assert_eq!(own.count(), 1);
    yard.run(&["cache"])
        .code(0)
        .prints(&["Builds of targets", "plain-", "made today", "1 item, "]);
    yard.run(&["cache", "clear", "--older-than", "1"])
        .code(0)
        .prints(&["removed 0 items", "1 item, ", "younger than 1 day"]);
    yard.run(&["cache", "clear"])
        .code(0)
        .prints(&["removed 1 item, "]);
    yard.run(&["cache", "show"])
        .code(0)
        .prints(&["nothing is kept"]);
    yard.run(&["run", "s"]).code(0);
    assert_eq!(builds(), 2);
}
