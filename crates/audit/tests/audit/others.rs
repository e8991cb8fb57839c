//! Tools without a layout, forks that print another figure in the place of a known one, and boards with unusual headings: read or
//! refused, and never accused.

use photofinish_audit::{BoardAudit, Severity, audit, audit_boards};

/// What tools without a layout print, with figures of our own.
const UNKNOWN: [(&str, &str); 8] = [
    (
        "plow",
        "Benchmarking http://127.0.0.1:8080/ using 20 connection(s).

Summary:
  Elapsed          10s
  Count         400000
    2xx         400000
  RPS        40000.000
  Reads     4.920MB/s

Statistics    Min       Mean     StdDev      Max
  Latency     91µs      498µs     77µs     9.132ms
  RPS       39402.1   40011.20   211.31   40420.02

Latency Percentile:
  P50     P75    P90    P95    P99   P99.9  P99.99
  481µs  522µs  571µs  610µs  733µs  1.8ms  6.1ms
",
    ),
    (
        "drill",
        "Time taken for tests      20.1 seconds
Total requests            2000
Successful requests       2000
Failed requests           0
Requests per second       99.50 [#/sec]
Median time per request   99ms
Average time per request  100ms
Sample standard deviation 4ms
99.0'th percentile        112ms
",
    ),
    (
        "cassowary",
        " TCP Connect.....................: Avg/mean=-0.18ms \tMedian=1.00ms\tp(95)=3ms
 Server Processing...............: Avg/mean=9.90ms \tMedian=9.00ms\tp(95)=13ms

Summary:
 Total Req.......................: 1000
 Failed Req......................: 0
 Req/s...........................: 990.11
",
    ),
    (
        "go-wrk",
        "Running 5s test @ http://127.0.0.1:8000/
  50 goroutine(s) running concurrently
100000 requests in 4.901s, 10.01MB read
Requests/sec:\t\t20404.00
Transfer/sec:\t\t2.04MB
Avg Req Time:\t\t2.4505ms
Fastest Request:\t132.482µs
Slowest Request:\t23.611864ms
Number of Errors:\t0
",
    ),
    (
        "Nighthawk, which writes Fortio's document with shares for percentages",
        r#"{"Labels": "Nighthawk", "RequestedQPS": 12, "ActualQPS": 12.0, "ActualDuration": 4000000000, "NumThreads": 12,
"DurationHistogram": {"Count": "48", "Data": [
{"Start": 0.05, "End": 0.06, "Percent": 50, "Count": "24"}, {"Start": 0.06, "End": 0.08, "Percent": 100, "Count": "24"}],
"Min": 0.05, "Max": 0.08, "Sum": 2.88, "Avg": 0.06, "StdDev": 0.005,
"Percentiles": [{"Percentile": 0.5, "Value": 0.06}, {"Percentile": 0.9, "Value": 0.075}]},
"RetCodes": {"200": "48"}, "URL": "http://127.0.0.1/", "Version": "0.0"}
"#,
    ),
    (
        "redis-benchmark",
        "====== SET ======
  100000 requests completed in 1.00 seconds
  50 parallel clients

100.000% <= 1.607 milliseconds (cumulative count 100000)

Summary:
  throughput summary: 100000.00 requests per second
  latency summary (msec):
          avg       min       p50       p95       p99       max
        0.351     0.056     0.327     0.607     0.799     1.607
",
    ),
    (
        "pgbench",
        "number of clients: 16
number of threads: 4
duration: 60 s
number of transactions actually processed: 174000
number of failed transactions: 0 (0.000%)
latency average = 5.508 ms
latency stddev = 4.884 ms
tps = 2900.794774 (without initial connection time)
",
    ),
    (
        "weighttp",
        "starting benchmark...
spawning thread #1: 100 concurrent requests, 1000000 total requests
finished in 6 sec, 706 millisec and 434 microsec, 149110 req/s, 18347 kbyte/s
requests: 1000000 total, 1000000 started, 1000000 done, 1000000 succeeded, 0 failed, 0 errored
status codes: 1000000 2xx, 0 3xx, 0 4xx, 0 5xx
",
    ),
];

#[test]
fn what_no_layout_reads_is_no_report() {
    for (tool, text) in UNKNOWN {
        let found = audit(text);
        assert!(found.reports.is_empty(), "{tool}: {found:#?}");
    }
}

/// A fork of wrk2 prints p99 where others print the maximum, with or without the lines that show that it is wrk2.
#[test]
fn p99_is_not_the_maximum() {
    let whole = include_str!("cases/sound-made-wrk2-p99.txt");
    let from = whole.find("  Thread Stats").expect("a heading");
    let to = whole.find("  Latency Distribution").expect("a heading");
    let end = whole.find("  59890 requests").expect("a sum");
    for text in [
        whole[from..].to_owned(),
        format!("{}{}", &whole[..to], &whole[end..]),
        format!("{}{}", &whole[from..to], &whole[end..]),
    ] {
        let found = audit(&text);
        let worst = found.findings.iter().map(|f| f.severity).max();
        assert!(worst < Some(Severity::Doubtful), "{found:#?}");
        assert!(found.reports.iter().all(|r| r.tool.name() == "wrk2"));
    }
}

#[track_caller]
fn board(text: &str) -> BoardAudit {
    audit_boards(&[("board".to_owned(), text.to_owned())], None).expect("a board")
}

#[track_caller]
fn is_sound_board(text: &str) -> BoardAudit {
    let found = board(text);
    let worst = found.findings.iter().map(|f| f.severity).max();
    assert!(worst < Some(Severity::Doubtful), "{:#?}", found.findings);
    found
}

/// Twelve rows below a heading.
fn rows(heading: &str, row: impl Fn(f64) -> String) -> String {
    let rows: Vec<String> = (1..=12)
        .map(|i| format!("s{i},{}\n", row(f64::from(i))))
        .collect();
    format!("server,{heading}\n{}", rows.concat())
}

#[test]
fn percentiles_with_several_digits_are_several_columns() {
    for heading in [
        "p99_ms,p99_9_ms,p99_99_ms",
        "p99 (ms),p999 (ms),p9999 (ms)",
        "99% ms,99.9% ms,99.99% ms",
    ] {
        let text = rows(&format!("conns,rps,{heading}"), |i| {
            format!(
                "{},{:.2},{:.2},{:.2},{:.2}",
                8.0 * i,
                4000.0 + 97.0 * i,
                3.1 + i / 7.0,
                9.3 + i / 3.0,
                21.7 + i
            )
        });
        let found = is_sound_board(&text);
        let percents: Vec<f64> = found.boards[0].rows[0]
            .quantiles
            .iter()
            .map(|(q, _)| *q)
            .collect();
        assert_eq!(percents, [99.0, 99.9, 99.99], "{heading}");
    }
}

#[test]
fn columns_of_reads_and_writes_are_not_compared() {
    is_sound_board(&rows(
        "concurrency,rps,read p95 ms,read p99 ms,write p95 ms,write p99 ms",
        |i| {
            format!(
                "{},{},{},{},{},{}",
                4.0 * i,
                70.0 + i,
                50.0 * i,
                60.0 * i,
                80.0 * i,
                90.0 * i
            )
        },
    ));
}

#[test]
fn what_was_computed_is_no_measurement() {
    is_sound_board(&rows(
        "connections,rps,rps diff,avg latency (ms),latency change %",
        |i| {
            let rate = 6000.0 + 313.0 * i;
            format!(
                "64,{rate},{},{:.3},{}",
                97.0 * i - 300.0,
                64_000.0 / rate,
                2.5 * i - 12.0
            )
        },
    ));
}

#[test]
fn a_duration_in_milliseconds_is_no_fault() {
    is_sound_board(&rows("connections,requests,duration,rps,avg_ms", |i| {
        let rate = 6000.0 + 313.0 * i;
        format!("64,{},10000,{rate},{:.3}", 10.0 * rate, 64_000.0 / rate)
    }));
}

#[test]
fn a_rate_that_was_asked_for_is_no_ceiling() {
    let row = |i: f64| {
        format!(
            "64,10000,{:.1},{:.2},{:.2}",
            10_000.0 - i / 3.0,
            1.2 + i / 30.0,
            9.4 + i / 3.0
        )
    };
    let found = is_sound_board(&rows(
        "connections,target qps,achieved qps,p50 ms,p99 ms",
        row,
    ));
    assert_eq!(found.boards[0].rows.len(), 12);
    // Without the column of the rate that was asked for they lie at a ceiling.
    let row = |i: f64| {
        format!(
            "64,{:.1},{:.2},{:.2}",
            10_000.0 - i / 3.0,
            1.2 + i / 30.0,
            9.4 + i / 3.0
        )
    };
    let found = board(&rows("connections,qps,p50 ms,p99 ms", row));
    assert_eq!(found.count(Severity::Doubtful), 1, "{:#?}", found.findings);
}

#[test]
fn tokens_and_bytes_are_no_requests() {
    is_sound_board(&rows("concurrency,tps,mean ttft ms,mean latency ms", |i| {
        format!(
            "{},{},{},{}",
            4.0 * i,
            900.0 * i,
            30.0 + i,
            800.0 + 10.0 * i
        )
    }));
    let text = rows("connections,throughput,avg ms", |i| {
        format!("64,{:.2} MB/s,{:.2}", 7.0 + i, 9.0 + i)
    });
    assert!(audit_boards(&[("x".to_owned(), text)], None).is_err());
    let found =
        audit("| connections | throughput | avg ms |\n|---|---|---|\n| 64 | 7.5 MB/s | 9.1 |\n");
    assert!(
        found
            .findings
            .iter()
            .all(|f| f.severity < Severity::Doubtful),
        "{found:#?}"
    );
}

#[test]
fn a_mean_with_few_digits_may_be_p99() {
    is_sound_board(&rows("connections,rps,mean ms,p99 ms", |i| {
        format!("64,{},2,2", 20_000.0 + 900.0 * i)
    }));
    let found = board(&rows("connections,rps,mean ms,p99 ms", |i| {
        format!(
            "64,{:.1},{:.2},{:.2}",
            64_000.0 / (2.0 + i / 7.0),
            2.0 + i / 7.0,
            2.0 + i / 7.0
        )
    }));
    assert_eq!(
        found.count(Severity::Impossible),
        1,
        "{:#?}",
        found.findings
    );
}

#[test]
fn boards_of_terminals_and_with_decimal_commas_are_read() {
    let grid = "+--------+-------+------+--------+\n| server | conns | rps  | avg ms |\n+========+=======+======+========+\n| a      | 10    | 1000 | 9.9    |\n| b      | 10    | 2000 | 4.9    |\n+--------+-------+------+--------+\n";
    let drawn = grid
        .replace('|', "│")
        .replace("==", "══")
        .replace('-', "─")
        .replace('+', "┼");
    for text in [grid, drawn.as_str()] {
        let found = is_sound_board(text);
        assert_eq!(found.boards[0].rows.len(), 2, "{text}");
    }
    // 10,270 may be ten of something, or ten thousand.
    let text = "server;conns;rps;avg ms\na;50;4871;10,270\nb;50;4900;10,210\n";
    assert!(
        is_sound_board(text).boards[0]
            .rows
            .iter()
            .all(|row| row.mean.is_none())
    );
}
