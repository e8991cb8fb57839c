//! The commands of the README run in a shell as they stand there; times are shorter, and addresses are those of servers that run.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use crate::repository::{commit, repository};
use crate::running::{Ended, Running, Server};
use crate::support::{GOOD, SHORT, Yard};

const README: &str = include_str!("../../../../README.md");

/// The commands of the README's blocks that start photofinish, each as one line without its comment.
fn commands() -> Vec<String> {
    let blocks = README.split("```console\n").skip(1);
    let blocks = blocks.filter_map(|rest| rest.split("```").next());
    let lines: Vec<String> = blocks.map(|block| block.replace("\\\n", " ")).collect();
    let lines = lines.iter().flat_map(|block| block.lines());
    let typed = lines.filter_map(|line| line.strip_prefix("$ photofinish "));
    let typed = typed.map(|line| line.split(" # ").next().unwrap_or(line));
    typed
        .map(|line| format!("photofinish {}", line.trim()))
        .collect()
}

/// The commands that begin like this.
fn beginning(with: &str) -> Vec<String> {
    let mut all = commands();
    all.retain(|command| command.starts_with(with));
    assert!(!all.is_empty(), "the README has no command {with}");
    all
}

/// Runs a command in a shell that finds photofinish by its name.
fn run(yard: &Yard, command: &str) -> Ended {
    let programs = yard.path("bin");
    if !programs.exists() {
        fs::create_dir(&programs).expect("a folder");
        let name = programs.join("photofinish");
        symlink(env!("CARGO_BIN_EXE_photofinish"), name).expect("a link");
    }
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    yard.place(&mut shell);
    shell.args(["-c", command]);
    shell.env("PATH", format!("{}:{path}", programs.display()));
    Running::start(shell).end()
}

/// A program that is a built-in server; it takes its port as its last argument.
fn server(yard: &Yard, name: &str) {
    yard.write(
        name,
        "#!/bin/sh\nfor port; do :; done\nexec photofinish server event-loop --threads 1 --port \"$port\"\n",
    );
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(yard.path(name), executable).expect("a program");
}

/// The same race in a few seconds, of a path that the built-in servers have.
fn short(command: &str) -> String {
    let command = command.replace("{port}/'", "{port}/plaintext'");
    match command.contains("--until-decided") {
        true => format!("{command} {}", SHORT.replace("--rounds", "--max-rounds")),
        false => format!("{command} {SHORT}"),
    }
}

#[test]
fn the_example_ends_as_it_does_in_the_readme() {
    let (_, block) = README.split_once("```console\n").expect("a block");
    let (_, rest) = block.split_once("\n\n").expect("an ending");
    let (shown, _) = rest.split_once("```").expect("the end of the block");
    let yard = Yard::new();
    let ended = run(&yard, &short(&commands()[0])).code(0);
    let printed = ended.out.trim();
    let rows = |text: &str| -> Vec<String> {
        let rows = text.lines().filter_map(|line| line.strip_prefix("  "));
        let names = rows.filter_map(|row| row.split_whitespace().next());
        // Who is first is not decided in so short a race, and what a request costs more may be nothing.
        let mut names: Vec<String> = names
            .map(str::to_owned)
            .filter(|name| name != "cost")
            .collect();
        names.sort();
        names
    };
    for name in rows(shown) {
        assert!(
            rows(printed).contains(&name),
            "no row {name} in:\n{printed}"
        );
    }
    let header = |text: &str| -> Vec<String> {
        let line = text.lines().find(|line| line.contains("requests/s"));
        let line = line.expect("a table");
        line.split_whitespace().map(str::to_owned).collect()
    };
    assert_eq!(header(printed), header(shown), "{printed}");
    yard.wait_empty();
}

#[test]
fn races_of_ones_own_servers() {
    let yard = Yard::new();
    server(&yard, "old");
    server(&yard, "new");
    for command in beginning("photofinish compare './old") {
        run(&yard, &short(&command)).code(0).prints(&["old", "new"]);
    }
    let [a, b] = [(); 2].map(|()| Server::start(&yard, &["event-loop", "--threads", "1"]));
    for command in beginning("photofinish compare --url") {
        let command = command
            .replace("http://127.0.0.1:8080/", &a.url("/plaintext"))
            .replace("http://127.0.0.1:8081/", &b.url("/plaintext"));
        run(&yard, &short(&command)).code(0);
    }
}

#[test]
fn races_of_revisions() {
    let yard = repository();
    server(&yard, "server.in");
    yard.write("Makefile", "all:\n\tcp server.in server\n");
    commit(&yard, "A program");
    crate::repository::git(&yard, &["branch", "--quiet", "--force", "main"]);
    yard.write(
        "server.in",
        fs::read_to_string(yard.path("server.in")).expect("text") + "# Better.\n",
    );
    commit(&yard, "A comment");
    let all = beginning("photofinish compare --rev");
    assert_eq!(all.len(), 2, "one in the quick start, one in CI: {all:?}");
    for command in all {
        run(&yard, &short(&command)).code(0).prints(&["HEAD@"]);
    }
}

#[test]
fn the_common_tasks() {
    let yard = Yard::new();
    let quick = Server::start(&yard, &["event-loop", "--threads", "1"]);
    let slow = Server::start(&yard, &["delay", "--delay", "2ms", "--slow", "2ms"]);
    let url = "http://127.0.0.1:8080/items";
    for command in beginning("photofinish load") {
        let command = command.replace(url, &quick.url("/plaintext"));
        let command = match command.contains(" -d ") {
            true => command.replace("-d 10s", "-d 300ms"),
            false => command + " -d 300ms",
        };
        run(&yard, &command)
            .code(0)
            .prints(&["requests/s, no errors"]);
    }
    for command in beginning("photofinish capacity") {
        // An objective that no busy machine misses.
        let command = command
            .replace(url, &slow.url("/plaintext"))
            .replace("10ms", "60s");
        let flags = "-c 4 --start 250 --step 100ms --precision 50";
        run(&yard, &format!("{command} {flags}"))
            .code(0)
            .prints(&["meets"]);
    }
    yard.target("a", GOOD).study("quickstart", &["a"], "");
    for command in beginning("photofinish run quickstart") {
        run(&yard, &command).code(0);
    }
    for command in beginning("photofinish doctor") {
        run(&yard, &command).code(0).prints(&["checks passed"]);
    }
    yard.write("blog-post.txt", "Running 10s test @ http://127.0.0.1:8080/\n  2 threads and 10 connections\n  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency     1.00ms  100.00us   2.00ms   70.00%\n    Req/Sec     5.00k   100.00     5.50k    70.00%\n  100000 requests in 10.00s, 12.00MB read\nRequests/sec:  10000.00\nTransfer/sec:      1.20MB\n");
    for command in beginning("photofinish audit") {
        run(&yard, &command)
            .code(0)
            .prints(&["no figure that cannot be true"]);
    }
}

/// Every command is in one of the tests above.
#[test]
fn no_command_is_left_out() {
    let known = [
        "compare 'photofinish server",
        "compare './old",
        "compare --url",
        "compare --rev",
        "load ",
        "capacity ",
        "run quickstart",
        "doctor",
        "audit ",
    ];
    for command in commands() {
        let rest = command.trim_start_matches("photofinish ");
        let is_known = known.iter().any(|known| rest.starts_with(known));
        assert!(is_known, "no test runs: {command}");
    }
}
