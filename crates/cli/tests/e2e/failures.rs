//! Servers that fail: their last lines are shown, what is missing is recorded, the others go on,
//! exit 3.

use crate::support::{Ended, GOOD, Yard, failure, measurements, script};

/// A study of `good` and the script `bad`, one round.
fn yard(bad: &str, more: &str) -> Yard {
    let yard = Yard::new();
    let bad = bad.replace("YARD", &yard.path("").display().to_string());
    yard.target("good", GOOD).target("bad", &bad);
    yard.study("s", &["good", "bad"], &format!("rounds = 1\n{more}"));
    yard
}

/// Asserts how many measurements were made of `good` and `bad`, and that all others are recorded
/// with the reason.
#[track_caller]
fn recorded(yard: &Yard, good: usize, bad: usize, all: usize, why: &str) {
    let lines = measurements(&yard.result("s"));
    assert_eq!(lines.len(), 2 * all, "{lines:#?}");
    for (target, made) in [("good", good), ("bad", bad)] {
        let of: Vec<_> = lines
            .iter()
            .filter(|line| line["target"] == target)
            .collect();
        assert_eq!(of.len(), all);
        assert_eq!(
            of.iter()
                .filter(|line| line["measurement"].is_object())
                .count(),
            made,
            "{of:#?}"
        );
        for line in of.iter().filter(|line| line["measurement"].is_null()) {
            let failure = failure(line);
            assert!(failure.contains(why), "{failure}");
        }
    }
    yard.wait_empty();
}

#[track_caller]
fn fails(yard: &Yard, says: &[&str]) -> Ended {
    yard.run(&["run", "s"]).code(3).says(says)
}

#[test]
fn those_that_do_not_start_are_named_and_the_others_are_measured() {
    let bad = [
        (
            "late",
            script("echo waiting for the database, port {port}; exec sleep 600")
                .replace("[ready]", "[ready]\ntimeout = \"300ms\""),
            "was not ready within 300ms",
        ),
        (
            "short-lived",
            script("echo listening on {port}; echo out of memory >&2; exit 9"),
            "| out of memory",
        ),
        (
            "background",
            script("{photofinish} server event-loop --port {port} & exit 0"),
            "(exit status 0), though its command must stay in the foreground while it serves",
        ),
        (
            "missing",
            script("{port}").replace("\"sh\"", "\"no-such-program\""),
            "no-such-program",
        ),
    ];
    let yard = Yard::new();
    yard.target("good", GOOD);
    for (name, target, _) in &bad {
        yard.target(name, target);
    }
    let all = ["late", "short-lived", "good", "background", "missing"];
    yard.study("s", &all, "rounds = 1");
    let mut ended = fails(&yard, &["4 measurements are missing"]).says(&[
        "| waiting for the database, port",
        "ended before it was ready (exit status 9)",
    ]);
    let lines = measurements(&yard.result("s"));
    assert_eq!(lines.len(), all.len());
    let of = |name: &str| lines.iter().find(|line| line["target"] == name);
    assert!(of("good").expect("a line")["measurement"].is_object());
    for (name, _, why) in bad {
        ended = ended.says(&[
            &format!("{name} failed in round 1, 1 measurement missing"),
            why,
        ]);
        let failure = failure(of(name).expect("a line"));
        assert!(failure.contains(why), "{failure}");
    }
    yard.wait_empty();
}

#[test]
fn the_end_of_a_run_names_the_whole_path_of_the_log() {
    let bad =
        script("echo no database at the port {port}, which nobody has told me more about; exit 3");
    let yard = yard(&bad, "");
    let ended = fails(&yard, &["bad failed in round 1"]);
    let missing = ended.out.split_once("\n  missing ").expect("a line").1;
    let log = missing.split_once('(').expect("a path").1;
    let (log, why) = log.split_once("):").expect("a path's end");
    assert!(yard.path(log).is_file(), "{log}");
    let why: Vec<&str> = why.split_whitespace().collect();
    assert!(
        why.join(" ").starts_with("the server ended before"),
        "{why:?}"
    );
}

#[test]
fn one_that_stops_answering_is_waited_for_once_and_the_others_go_on() {
    let bad = script(
        "{photofinish} server event-loop --threads 1 --port {port} & server=$!\n\
         while [ ! -e YARD/hang ]; do sleep 0.02; done; kill -STOP $server; wait",
    );
    let warm = "warmup = { min = \"200ms\", max = \"200ms\" }";
    let yard = yard(
        &bad,
        &format!("{warm}\nduration = \"60s\"\ntimeout = \"1s\""),
    );
    let running = yard.start(&["run", "s", "--no-profile"]);
    running.wait_for("bad: warming up on");
    yard.write("hang", "");
    // The others would have their minute to the end.
    running.wait_for("bad failed in round 1");
    running.signal("INT");
    running
        .end()
        .code(3)
        .says(&["no good response in ", "then the server did not respond"]);
    yard.wait_empty();
}

#[test]
fn one_that_dies_while_it_is_warmed_up() {
    // It is ready within milliseconds and lives for some seconds: that lies within the warm-up.
    let bad = script(
        "{photofinish} server event-loop --threads 1 --port {port} & server=$!\n\
         sleep 3; kill -9 $server; echo 'fatal: heap corrupted'; exit 3",
    );
    let yard = yard(&bad, "warmup = { min = \"30s\", max = \"60s\" }");
    let ended = yard.run(&["run", "s", "--only", "bad"]).code(3).says(&[
        "bad: warming up on plaintext, 4 connections, at most 1m",
        "ended while load was sent (exit status 3)",
        "| fatal: heap corrupted",
    ]);
    ended.never_says("starting good");
    yard.wait_empty();
}

#[test]
fn one_that_dies_in_the_middle_of_a_measurement() {
    let bad = script(
        "{photofinish} server event-loop --threads 1 --port {port} & server=$!\n\
         while [ ! -e YARD/die ]; do sleep 0.02; done\n\
         kill -9 $server; echo 'fatal: heap corrupted'; exit 3",
    );
    let yard = yard(&bad, "duration = \"1s\"\nconnections = [1, 2, 3, 4]");
    let running = yard.start(&["run", "s"]);
    // Its first measurement is made: it dies in one of the other three.
    running.wait_for("  bad: plaintext, ");
    yard.write("die", "");
    running.end().code(3).says(&[
        "ended while load was sent (exit status 3)",
        "| fatal: heap corrupted",
        "measurements missing",
    ]);
    let lines = measurements(&yard.result("s"));
    let made = lines
        .iter()
        .filter(|line| line["target"] == "bad" && line["measurement"].is_object())
        .count();
    assert!((1..4).contains(&made), "{made}");
    recorded(&yard, 4, made, 4, "fatal: heap corrupted");
}

#[test]
fn one_that_responds_with_something_else() {
    let yard = yard(GOOD, "expect = { status = 200, body = \"Hello, Wordl!\" }");
    fails(
        &yard,
        &[
            "GET /plaintext: wrong body: expected 13 bytes, got 13; they differ first at offset 10",
            "expected \"dl!\", got \"ld!\"",
        ],
    );
    recorded(&yard, 0, 0, 1, "differ first at offset 10");
}
