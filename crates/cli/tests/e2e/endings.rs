//! How commands end: in twelve lines at most; with `-v` the tables follow, with `-q` there is the first line alone.

use crate::support::{Server, Yard};

/// The lines that are printed, without the empty ones before and behind them.
fn lines(text: &str) -> Vec<&str> {
    text.trim().lines().collect()
}

#[test]
fn a_race_ends_in_twelve_lines_with_the_verdict_first_and_the_report_last() {
    let yard = Yard::of(&["a", "b"], "rounds = 3");
    let ended = yard.run(&["run", "s"]).code(0);
    let reported = lines(&ended.out);
    assert!((6..=12).contains(&reported.len()), "{}", ended.out);
    assert!(
        reported[0].contains('a') && reported[0].contains('b'),
        "{reported:?}"
    );
    assert!(ended.out.contains("\n  trust  "), "{}", ended.out);
    // Absolute figures are there, whatever the verdict.
    let header = reported.iter().find(|line| line.contains("requests/s"));
    let header = header.expect("a table");
    assert!(
        header.contains("p99") && header.contains("CPU/request"),
        "{header}"
    );
    assert!(ended.out.contains("\n  difference  "), "{}", ended.out);
    let last = reported.last().expect("lines");
    assert!(last.trim().starts_with("report  results/s/"), "{last}");
    let page = last.split_whitespace().last().expect("a path");
    assert!(yard.path(page).is_file(), "{page}");

    let verdict = reported[0];
    // Resuming what is finished ends in the same way.
    let dir = yard.result("s").display().to_string();
    let resume = |flags: &str| yard.run(&format!("run s --resume {dir} {flags}")).code(0);
    let quiet = resume("-q");
    assert_eq!(quiet.err, "");
    assert!(
        !quiet.out.contains("requests/s") && !quiet.out.contains("report"),
        "{}",
        quiet.out
    );
    assert!(!quiet.out.trim().is_empty() && !verdict.is_empty());

    resume("-v").prints(&[
        "report.html",
        "switches/request",
        "p99.9",
        "Validity checks",
    ]);
    yard.refuses("run s -v -q", &["--verbose", "--quiet"]);
}

#[test]
fn load_ends_with_its_percentiles_above_its_histogram() {
    let yard = Yard::new();
    let server = Server::start(&yard, &["event-loop", "--threads", "1"]);
    let url = server.url("/plaintext");
    let load = |flags: &str| yard.run(&format!("load {url} -c 2 -n 1k {flags}")).code(0);
    let ended = load("");
    let title = "histogram of response times (1,000 responses)";
    let (figures, bars) = ended.out.split_once(title).expect("figures, then bars");
    assert!(bars.contains("slower"), "{bars}");
    // The end of the title's line, the headings, and eleven bars at the most.
    assert!(bars.lines().count() <= 13, "{bars}");
    assert!(figures.lines().count() <= 13, "{figures}");
    assert!(figures.contains("requests/s, no errors"), "{figures}");
    assert!(
        figures.contains("2 connections, 1,000 requests in "),
        "{figures}"
    );
    assert!(figures.contains("p99.9 "), "{figures}");

    let quiet = load("-q");
    assert!(quiet.out.contains("requests/s, no errors"), "{}", quiet.out);
    quiet.never_prints("p99");
    assert_eq!(quiet.err, "");

    let every = load("-v");
    every.prints(&[
        "slower",
        "Validity checks",
        "responses by status: 1,000 × 200",
    ]);
}

#[test]
fn capacity_ends_with_its_result() {
    let yard = Yard::new();
    let server = Server::start(&yard, &["delay", "--delay", "2ms", "--slow", "2ms"]);
    let url = server.url("/plaintext");
    let search = |flags: &str| {
        let slo = "--slo 'mean < 60s' -c 4 --start 250 --step 100ms --precision 50";
        yard.run(&format!("capacity {url} {slo} {flags}")).code(0)
    };
    let ended = search("");
    let reported = lines(&ended.out);
    assert!((4..=12).contains(&reported.len()), "{}", ended.out);
    // The rate that was held, and one that was not or that ended the search.
    assert!(ended.out.contains("✓ "), "{}", ended.out);
    assert!(reported[0].contains("meets 'mean < 60s'"), "{}", ended.out);
    assert!(ended.err.contains("step  1 "), "{}", ended.err);
    let quiet = search("-q");
    assert!(lines(&quiet.out)[0].contains("meets"), "{}", quiet.out);
    assert_eq!(quiet.err, "");
    search("-v").prints(&["offered", "achieved"]);
    // Each response takes 2 ms at the least, whatever the rate.
    yard.run(&format!(
        "capacity {url} --slo 'p50 < 1ms' -c 4 --step 200ms"
    ))
    .code(1)
    .prints(&["No rate meets 'p50 < 1ms'"]);
}
