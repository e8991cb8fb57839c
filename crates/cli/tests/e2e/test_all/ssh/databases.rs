//! Databases on the servers' machine.

use std::fs;
use std::path::{Path, PathBuf};

use super::net::Net;
use crate::support::{Yard, all_good, measurements, wait_until};

/// A server that starts only where it is told where its database is.
const SERVER: &str = r#"
title = "a server with a database"
[start]
command = ["sh", "-c", "test \"$DB_HOST\" = 127.0.0.1 && test -n \"$DB_PORT\" && exec {photofinish} server event-loop --threads 1 --host {host} --port {port}"]
[ready]
path = "/plaintext"
"#;

/// A study of two such servers, whose database is filled, and counted.
fn yard(duration: &str) -> Yard {
    let yard = Yard::new();
    yard.target("a", SERVER).target("b", SERVER);
    let study = format!(
        "duration = \"{duration}\"\n[service.db]\nkind = \"postgresql\"\nschema = \"rows.sql\"\nrows = {{ item = 11 }}"
    );
    yard.study("s", &["a", "b"], &study);
    let rows = "CREATE TABLE item AS SELECT generate_series(1, 11);\n";
    yard.write("studies/rows.sql", rows);
    yard
}

/// The folder of the database of a server that runs: that of the process which has the port that the server was told.
fn home(yard: &Yard) -> Option<PathBuf> {
    let port = yard.processes().iter().find_map(|line| {
        let (pid, _) = line.split_once(':')?;
        let environment = fs::read_to_string(format!("/proc/{pid}/environ")).ok()?;
        let mut variables = environment.split('\0');
        let port = variables.find_map(|variable| variable.strip_prefix("DB_PORT="))?;
        Some(port.to_owned())
    })?;
    fs::read_dir("/proc").ok()?.flatten().find_map(|entry| {
        let command = fs::read_to_string(entry.path().join("cmdline")).ok()?;
        let words: Vec<&str> = command.split('\0').collect();
        let after = |flag| words.iter().skip_while(|word| **word != flag).nth(1);
        let data = after("-D").filter(|_| after("-p").is_some_and(|word| **word == port))?;
        Path::new(data).parent().map(Path::to_owned)
    })
}

#[test]
fn a_database_is_set_up_where_the_servers_are() {
    let yard = yard("200ms");
    let Some(net) = Net::new(&yard) else { return };
    let run = net.start(&yard, &["run", "s", "--on", "hosts.toml"]);
    run.end().code(0);
    let results = yard.result("s");
    let lines = measurements(&results);
    assert_eq!(lines.len(), 4);
    all_good(&lines);
    let log = fs::read_to_string(results.join("logs/service-db.log")).expect("a log");
    assert!(log.contains("ready to accept connections"), "{log}");
    drop(net);
    yard.wait_empty();
}

#[test]
fn a_killed_run_leaves_nothing_of_a_database_elsewhere() {
    let yard = yard("300s");
    let Some(net) = Net::new(&yard) else { return };
    let run = net.start(&yard, &["run", "s", "--on", "hosts.toml"]);
    let mut found = None;
    wait_until("a server has a database", || {
        found = home(&yard);
        let all = || format!("{:#?}", yard.processes());
        found.is_some().then_some(()).ok_or_else(all)
    });
    let home = found.expect("it was found");
    assert!(home.is_dir(), "{}", home.display());
    run.signal("KILL");
    drop(run);
    wait_until("nothing is left of the database", || {
        let is_left = home.exists();
        (!is_left).then_some(()).ok_or(home.display().to_string())
    });
    drop(net);
    yard.wait_empty();
}
