//! How commands end: in ten lines at most; with every table, or with the verdict alone, where that is asked for.

use crate::support::{GOOD, Server, Yard};

/// The lines that are printed, without the empty ones before and behind them.
fn lines(text: &str) -> Vec<&str> {
    text.trim().lines().collect()
}

#[test]
fn a_race_ends_in_ten_lines_with_the_verdict_first_and_the_report_last() {
    let yard = Yard::new();
    yard.target("a", GOOD)
        .target("b", GOOD)
        .study("s", &["a", "b"], "rounds = 3");
    let ended = yard.run(&["run", "s"]).code(0);
    let reported = lines(&ended.out);
    assert!((4..=10).contains(&reported.len()), "{}", ended.out);
    assert!(
        reported[0].contains('a') && reported[0].contains('b'),
        "{reported:?}"
    );
    assert!(ended.out.contains("\n  doubts  "), "{}", ended.out);
    let last = reported.last().expect("lines");
    assert!(last.trim().starts_with("report  results/s/"), "{last}");
    let page = last.split_whitespace().last().expect("a path");
    assert!(yard.path(page).is_file(), "{page}");

    let verdict = reported[0];
    let quiet = yard.run(&["run", "s", "-q"]).code(0);
    assert_eq!(quiet.err, "");
    assert!(
        !quiet.out.contains("doubts") && !quiet.out.contains("report"),
        "{}",
        quiet.out
    );
    assert!(!quiet.out.trim().is_empty() && !verdict.is_empty());

    let every = yard.run(&["run", "s", "-v"]).code(0);
    every.prints(&[
        "WHO IS AHEAD, AND BY HOW MUCH",
        "THROUGHPUT AND RESPONSE TIME",
        "WHAT THE SERVERS USED",
        "THE STUDY",
        "report.html",
    ]);
    yard.run(&["run", "s", "-v", "-q"])
        .code(2)
        .says(&["--verbose", "--quiet"]);
}

#[test]
fn load_ends_with_its_distribution_above_ten_lines() {
    let yard = Yard::new();
    let server = Server::start(&yard, &["event-loop", "--threads", "1"]);
    let url = server.url("/plaintext");
    let load = |more: &[&str]| {
        let mut args = vec!["load", &url, "-c", "2", "-n", "1k"];
        args.extend(more);
        yard.run(&args).code(0)
    };
    let ended = load(&[]);
    let (bars, rest) = ended.out.split_once("\n\n").expect("bars, then figures");
    assert!(
        bars.contains("response time") && bars.contains("slower"),
        "{bars}"
    );
    assert!(bars.lines().count() <= 12, "{bars}");
    assert!(rest.lines().count() <= 10, "{rest}");
    assert!(rest.contains("requests/s: 1,000 requests in "), "{rest}");
    assert!(rest.contains("p99.9 "), "{rest}");

    let quiet = load(&["-q"]);
    assert_eq!(quiet.out.lines().count(), 1, "{}", quiet.out);
    assert_eq!(quiet.err, "");

    let every = load(&["-v"]);
    every.prints(&[
        "slower",
        "VALIDITY CHECKS",
        "responses by status: 1,000 × 200",
    ]);
}

#[test]
fn capacity_ends_with_its_result() {
    let yard = Yard::new();
    let server = Server::start(&yard, &["delay", "--delay", "2ms", "--slow", "2ms"]);
    let url = server.url("/plaintext");
    let search = |more: &[&str]| {
        let flags = [
            "--slo",
            "mean < 60s",
            "-c",
            "4",
            "--start",
            "250",
            "--step",
            "100ms",
            "--precision",
            "50",
        ];
        let mut args = vec!["capacity", &url];
        args.extend(flags);
        args.extend(more);
        yard.run(&args).code(0)
    };
    let ended = search(&[]);
    let reported = lines(&ended.out);
    assert!((1..=10).contains(&reported.len()), "{}", ended.out);
    assert!(reported[0].contains("meets 'mean < 60s'"), "{}", ended.out);
    assert!(ended.err.contains("step  1 "), "{}", ended.err);
    let quiet = search(&["-q"]);
    assert_eq!(lines(&quiet.out).len(), 1, "{}", quiet.out);
    assert_eq!(quiet.err, "");
    search(&["-v"]).prints(&["offered", "achieved"]);
    // Each response takes 2 ms at the least, whatever the rate.
    let never = ["--slo", "p50 < 1ms", "-c", "4", "--step", "200ms"];
    let never = yard
        .run(&[&["capacity", &url], &never[..]].concat())
        .code(1);
    assert!(
        never.out.contains("No rate meets 'p50 < 1ms'"),
        "{}",
        never.out
    );
}
