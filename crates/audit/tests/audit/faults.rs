//! Reports that were judged wrongly once, each as an example of its kind: sound ones that were accused, ones that were not read,
//! and forged ones that were missed.

use photofinish_audit::{Audit, Finding, Rule, Severity, audit, audit_boards, text};

const WRK: &str = include_str!("cases/sound-wrk-latency.txt");
const HEY: &str = include_str!("cases/sound-hey.txt");
const K6: &str = include_str!("cases/sound-k6.txt");
const AB: &str = include_str!("cases/sound-ab-keepalive.txt");
const FORTIO: &str = include_str!("cases/sound-fortio.txt");
const H2LOAD: &str = include_str!("cases/sound-h2load-http1.txt");
const AUTOCANNON: &str = include_str!("cases/sound-autocannon-percentiles.txt");
const LOCUST: &str = include_str!("cases/sound-locust.txt");

fn worst(audit: &Audit) -> Option<&Finding> {
    audit.findings.iter().max_by_key(|f| f.severity)
}

#[track_caller]
fn is_sound(text: &str, reports: usize) -> Audit {
    let found = audit(text);
    assert_eq!(found.reports.len(), reports, "{:?}\n{text}", found.reports);
    let worst = worst(&found);
    assert!(
        worst.is_none_or(|f| f.severity < Severity::Doubtful),
        "{worst:#?}\n{text}"
    );
    found
}

#[track_caller]
fn at_most(text: &str, severity: Severity) -> Audit {
    let found = audit(text);
    assert!(!found.reports.is_empty(), "{text}");
    let worst = worst(&found);
    assert!(
        worst.is_none_or(|f| f.severity <= severity),
        "{worst:#?}\n{text}"
    );
    found
}

#[track_caller]
fn is_found(text: &str, rule: Rule) {
    let found = audit(text);
    let accused = |f: &&Finding| f.severity >= Severity::Doubtful && f.rule == rule;
    assert!(
        found.findings.iter().any(|f| accused(&f)),
        "{:#?}\n{text}",
        found.findings
    );
}

/// `from` stands in `text` once, and becomes `to`.
#[track_caller]
fn forged(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from}");
    text.replace(from, to)
}

// ---- sound, and once accused

/// Of four million values the last rows all have the share 1.000000, and only the very last has all values.
#[test]
fn only_the_last_row_of_a_spectrum_has_all_values() {
    let text = "Running 2m test @ http://127.0.0.1:8080
  4 threads and 100 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.20ms  550.00us   5.00ms   66.83%
    Req/Sec     9.17k   366.98    11.11k    70.58%
  Latency Distribution (HdrHistogram - Recorded Latency)
 50.000%    1.00ms
 90.000%    2.00ms
 99.900%    3.00ms
100.000%    5.00ms

  Detailed Percentile spectrum:
       Value   Percentile   TotalCount 1/(1-Percentile)

       0.400     0.000000            1         1.00
       1.000     0.500000      2000000         2.00
       2.000     0.900000      3600000        10.00
       3.000     0.999000      3996000      1000.00
       4.103     1.000000      3999999   2097152.00
       5.003     1.000000      4000000   5242880.00
       5.003     1.000000      4000000          inf
#[Mean    =        1.200, StdDeviation   =        0.550]
#[Max     =        5.000, Total count    =      4000000]
#[Buckets =           27, SubBuckets     =         2048]
----------------------------------------------------------
  4400000 requests in 2.00m, 268.60MB read
Requests/sec:  36666.67
Transfer/sec:      2.24MB
";
    is_sound(text, 1);
    is_found(
        &forged(text, "90.000%    2.00ms", "90.000%    2.80ms"),
        Rule::Order,
    );
    // Without the row of the latency, the 100% is above what the histogram prints as its maximum.
    let start = text.find("  Thread Stats").expect("a heading");
    let end = text.find("  Latency Dist").expect("a heading");
    is_sound(&format!("{}{}", &text[..start], &text[end..]), 1);
}

#[test]
fn old_versions_of_locust_count_failures_beside_requests() {
    let table = " Name                          # reqs      # fails     Avg     Min     Max  |  Median   req/s
----------------------------------------------------------------------------------------
 GET /                            251     0(0.00%)      11       5      63  |      10    8.40
 POST /login                       50    40(44.44%)     45      31      99  |      43    1.60
 POST /logout                       2     6(75.00%)     45      31      59  |      43    0.10
----------------------------------------------------------------------------------------
 Total                            303    46(15.18%)                                     10.10
";
    let csv = "\"Method\",\"Name\",\"# requests\",\"# failures\",\"Average response time\",\"Min response time\",\"Max response time\",\"Requests/s\"
\"POST\",\"/login\",2,6,45,31,59,\"0.10\"
";
    for text in [table, csv] {
        let found = at_most(text, Severity::Doubtful);
        let says = |f: &Finding| f.arithmetic.contains("6 of 8 = 75.0%");
        assert!(found.findings.iter().any(says), "{:#?}", found.findings);
    }
    is_found(&forged(table, "44.44%", "14.44%"), Rule::Rate);
}

/// Locust's history, with a row for each second.
#[test]
fn moments_of_a_run_are_no_servers() {
    let rows =
        (1..=40).map(|i| format!("17000000{i:02},10,,Aggregated,9.{:03},12,41,14.1\n", i % 3));
    let text = format!(
        "Timestamp,User Count,Type,Name,Requests/s,50%,99%,Total Average Response Time\n{}",
        rows.collect::<String>()
    );
    assert!(audit_boards(&[("x".to_owned(), text)], None).is_err());
}

/// Two users, each of whom runs a transaction of two samples of 50 ms, again and again.
fn transactions(thread_names: bool, messages: bool) -> String {
    let thread = if thread_names { ",threadName" } else { "" };
    let message = if messages { ",responseMessage" } else { "" };
    let mut csv =
        format!("timeStamp,elapsed,label,responseCode,success,allThreads{thread}{message}\n");
    for round in 0..20u64 {
        let start = 1_700_000_000_000 + round * 100;
        for user in 1..=2 {
            let mut row = |start: u64, elapsed: u64, label: &str, said: &str| {
                let thread = if thread_names {
                    format!(",users 1-{user}")
                } else {
                    String::new()
                };
                let message = if messages {
                    format!(",\"{said}\"")
                } else {
                    String::new()
                };
                csv += &format!("{start},{elapsed},{label},200,true,2{thread}{message}\n");
            };
            row(start, 50, "a", "OK");
            row(start + 50, 50, "b", "OK");
            row(
                start,
                100,
                "both",
                "Number of samples in transaction : 2, number of failing samples : 0",
            );
        }
    }
    csv
}

#[test]
fn transaction_rows_are_no_samples_of_their_own() {
    let sums = |text: &str| {
        is_sound(text, 1).reports[0]
            .title
            .contains("20 more that sum up others")
            || is_sound(text, 1).reports[0].title.contains("40 more")
    };
    assert!(sums(&transactions(true, true)));
    assert!(sums(&transactions(true, false)));
    assert!(sums(&transactions(false, true)));
    // Without names of threads and without messages nothing tells them apart.
    let found = at_most(&transactions(false, false), Severity::Doubtful);
    assert!(
        worst(&found).is_some_and(|f| f.meaning.contains("transactions")),
        "{found:#?}"
    );
}

/// A page that redirects, and a transaction: in XML their parts lie within them.
#[test]
fn rows_within_a_row_are_its_parts() {
    for (parent, child, parts) in [
        ("httpSample lb=\"home\" rm=\"OK\"", "home-0", 40),
        (
            "sample lb=\"both\" rm=\"Number of samples in transaction : 2\"",
            "a",
            20,
        ),
    ] {
        let name = parent.split(' ').next().expect("a name");
        let mut xml = String::from("<testResults version=\"1.2\">\n");
        for round in 0..20u64 {
            let start = 1_700_000_000_000 + round * 120;
            let row = |start: u64, t: u64| {
                format!("t=\"{t}\" ts=\"{start}\" s=\"true\" rc=\"200\" tn=\"u 1-1\" na=\"1\"")
            };
            xml += &format!("<{parent} {}>\n", row(start, 120));
            xml += &format!("  <httpSample lb=\"{child}\" {}/>\n", row(start, 50));
            xml += &format!(
                "  <httpSample lb=\"b\" {}>\n    <responseData>x</responseData>\n  </httpSample>\n",
                row(start + 50, 70)
            );
            xml += &format!("</{name}>\n");
        }
        let found = is_sound(&format!("{xml}</testResults>\n"), 1);
        let title = &found.reports[0].title;
        assert!(title.contains(&format!("{parts} more")), "{title}");
    }
}

#[test]
fn an_old_summary_counts_transactions_too() {
    let line = "Generate Summary Results +    400 in   30.1s =   13.3/s Avg:   140 Min:    50 Max:   240 Err:     0 (0.00%) Active: 1 Started: 1 Finished: 0\n";
    at_most(line, Severity::Doubtful);
    let new = line.replace("30.1s", "00:00:30");
    assert_eq!(audit(&new).impossible(), 1);
}

#[test]
fn a_fragment_of_another_report_is_none_of_the_first() {
    let tail = |text: &str, from: &str| text[text.find(from).expect("a line")..].to_owned();
    for (first, second) in [
        (
            WRK,
            tail(
                include_str!("cases/sound-wrk-7-connections.txt"),
                "  Thread Stats",
            ),
        ),
        (
            AB,
            tail(
                include_str!("cases/sound-ab-slow-server.txt"),
                "Percentage of",
            ),
        ),
        (
            HEY,
            tail(
                include_str!("cases/sound-hey-slow-server.txt"),
                "Status code",
            ),
        ),
        (
            FORTIO,
            tail(
                include_str!("cases/sound-fortio-open-loop.txt"),
                "# target 50%",
            ),
        ),
        (
            H2LOAD,
            tail(include_str!("cases/sound-h2load-rate.txt"), "traffic:"),
        ),
        (
            K6,
            tail(
                include_str!("cases/sound-k6-think-time.txt"),
                "    http_reqs",
            ),
        ),
    ] {
        // Cut off before its end, so that lines of the other one would still find room in it.
        let lines: Vec<&str> = first.lines().collect();
        let cut = lines[..lines.len() * 2 / 3].join("\n");
        for between in [
            "\n```\n",
            "\n## The second server\n",
            "\n---\n",
            "\nAnd this is what the other server did:\n",
        ] {
            let text = format!("{cut}\n{between}{second}\n");
            let worst = audit(&text);
            let worst = worst
                .findings
                .iter()
                .find(|f| f.severity == Severity::Impossible);
            assert!(worst.is_none(), "{worst:#?}\n{text}");
        }
    }
}

#[test]
fn two_reports_in_two_fences_are_two() {
    let other = include_str!("cases/sound-k6-think-time.txt");
    let body =
        |text: &str| text[text.find("    http_req_duration").expect("a metric")..].to_owned();
    is_sound(
        &format!("```\n{}```\n\n```\n{}```\n", body(K6), body(other)),
        2,
    );
}

#[test]
fn of_a_ramp_those_that_were_started_count() {
    // 300 goroutines are to be started, and 186 are after the first second: qps is 300 / mean.
    is_sound(
        "   1s│    186│   2900│      0│ 3000.00│  150.00│   90.00│  100.00│        │        │200:2900
   2s│    300│   5900│      0│ 3000.00│  150.00│   90.00│  100.00│        │        │200:5900

处理协程数量: 300
请求总数（并发数*请求数 -c * -n）: 5900 总请求时间: 2.000 秒 successNum: 5900 failureNum: 0
",
        1,
    );
}

/// Hyperfoil's `wrk2` without `--latency`.
const HYPERFOIL: &str = "Running 10s test @ http://127.0.0.1:8080/
  2 threads and 10 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   312.45μs  101.22μs    9.21ms    0.00%
    Req/Sec   1000.10     12.22  1010.00     81.82
  10001 requests in 10.001s,   1.24MB read
Requests/sec: 1000.00
Transfer/sec: 126.96KB
";

#[test]
fn hyperfoil_s_wrk_is_not_wrk() {
    let found = is_sound(HYPERFOIL, 1);
    assert_eq!(found.reports[0].tool.name(), "Hyperfoil wrk");
}

/// What `wrk --timeout 4s` prints of 10 connections at a server of which some responses take 2.5 s.
const LONG_TIMEOUT: &str = "Running 30s test @ http://127.0.0.1:8080/
  2 threads and 10 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   250.00ms  400.00ms   2.52s    95.00%
    Req/Sec    20.00      5.00    30.00     70.00%
  1200 requests in 30.00s, 150.00KB read
  Socket errors: connect 0, read 0, write 0, timeout 17
Requests/sec:     40.00
Transfer/sec:      5.00KB
";

#[test]
fn a_maximum_above_two_seconds_proves_another_timeout() {
    let found = audit(LONG_TIMEOUT);
    let timeouts = found.findings.iter().find(|f| f.rule == Rule::Timeouts);
    assert!(
        timeouts.is_none_or(|f| f.severity < Severity::Doubtful),
        "{timeouts:#?}"
    );
}

#[test]
fn requests_under_way_are_counted_by_autocannon() {
    // One connection and 300 ms: ten responses in 3 s, and the eleventh is under way.
    let text = "Running 3s test @ http://127.0.0.1:8080/
1 connections

┌─────────┬────────┬────────┬────────┬────────┬───────────┬─────────┬────────┐
│ Stat    │ 2.5%   │ 50%    │ 97.5%  │ 99%    │ Avg       │ Stdev   │ Max    │
├─────────┼────────┼────────┼────────┼────────┼───────────┼─────────┼────────┤
│ Latency │ 300 ms │ 301 ms │ 303 ms │ 303 ms │ 301.12 ms │ 0.84 ms │ 303 ms │
└─────────┴────────┴────────┴────────┴────────┴───────────┴─────────┴────────┘

# of samples: 3

11 requests in 3.01s, 1.2 kB read
";
    is_sound(text, 1);
}

#[test]
fn what_is_below_zero_was_not_given() {
    for (rate, mean) in [("-1", "10.3"), ("4871", "-1"), ("-1.0", "-1")] {
        let text = format!("connections,req/s,mean ms\n50,{rate},{mean}\n50,4871,10.3\n");
        is_sound(&text, 1);
    }
    let text = HEY.replace("Size/request:\t13 bytes", "Size/request:\t-1 bytes");
    is_sound(&text, 1);
}

#[test]
fn peak_connections_say_nothing_of_a_loop() {
    let text = "| peak connections | req/s | avg ms |\n|---|---|---|\n| 5000 | 1000 | 20 |\n| 6000 | 1100 | 25 |\n";
    let found = is_sound(text, 1);
    assert!(found.count(Severity::NotChecked) > 0);
}

/// Rows with these headings and cells; each law of a closed loop would doubt them.
#[track_caller]
fn is_not_doubted(headings: &str, row: &str) {
    let rule = headings
        .split('|')
        .map(|_| "---")
        .collect::<Vec<_>>()
        .join("|");
    is_sound(&format!("| {headings} |\n|{rule}|\n| {row} |\n"), 1);
}

#[test]
fn connections_of_something_else_are_not_those_of_the_load() {
    for heading in [
        "Active connections",
        "Keepalive connections",
        "Total connections",
        "New connections/s",
        "worker_connections",
        "Max concurrency",
        "Connections (HikariCP)",
        "Concurrent executions",
        "DB connections",
        // Those of the server.
        "Threads",
        "Workers",
    ] {
        is_not_doubted(&format!("{heading} | RPS | Mean ms"), "4 | 12000 | 5.3");
        is_not_doubted(&format!("{heading} | RPS | Mean ms"), "4000 | 12000 | 5.3");
    }
}

#[test]
fn a_mean_of_a_part_is_not_that_of_a_request() {
    for heading in [
        "Mean TTFT (ms)",
        "Mean TPOT (ms)",
        "Mean ITL (ms)",
        "Avg time per token (ms)",
    ] {
        is_not_doubted(
            &format!("Concurrency | req/s | {heading} | Mean latency (ms)"),
            "10 | 1.2 | 310.5 | 8300",
        );
    }
    let tokens = "| Concurrency | Throughput (tokens/s) | Mean latency (ms) |\n|---|---|---|\n| 10 | 1234.5 | 8100 |\n";
    assert!(audit(tokens).reports.is_empty());
}

#[test]
fn a_connection_of_http_2_has_many_requests() {
    for protocol in ["HTTP/2", "h2c", "gRPC", "HTTP/3 (QUIC)"] {
        is_not_doubted(
            "Protocol | Connections | RPS | Mean",
            &format!("{protocol} | 1 | 15000 | 4.2ms"),
        );
    }
    is_found(
        "| Protocol | Connections | RPS | Mean |\n|---|---|---|---|\n| HTTP/1.1 | 1 | 15000 | 4.2ms |\n",
        Rule::LittlesLaw,
    );
}

#[test]
fn a_part_of_the_responses_has_a_distribution_of_its_own() {
    // oha --stats-success-breakdown
    let oha = include_str!("cases/sound-oha.txt");
    let from = oha.find("Response time histogram:").expect("a histogram");
    let to = oha.find("Details (average").expect("details");
    let part = oha[from..to]
        .replace("histogram:", "histogram (2xx only):")
        .replace("distribution:", "distribution (2xx only):");
    is_sound(&format!("{}{part}{}", &oha[..to], &oha[to..]), 1);
}

#[test]
fn k6_may_leave_requests_out_of_its_failures() {
    // With a responseCallback of null a request has neither failed nor not.
    let metric = "http_req_failed................: 0.00%  0 out of";
    let text = forged(K6, &format!("{metric} 63823"), &format!("{metric} 23823"));
    let found = at_most(&text, Severity::Note);
    assert!(found.count(Severity::Note) > audit(K6).count(Severity::Note));
}

#[test]
fn k6_rounds_bytes_twice() {
    // 290.2 MB in 20.045 s are 14.48 MB/s: 14.5 in tenths, which becomes 15.
    is_sound(
        "    iteration_duration......: avg=55.86ms min=2.62ms med=51.91ms max=394.48ms p(90)=82.9ms p(95)=102.2ms
    iterations..............: 43006  2145.52528/s
    vus.....................: 120    min=120       max=120
    vus_max.................: 120    min=120       max=120
    data_received...........: 290 MB 15 MB/s
    data_sent...............: 9.1 MB 453 kB/s
",
        1,
    );
}

#[test]
fn vegeta_rounds_minutes_to_seconds() {
    let text = "Requests      [total, rate, throughput]         4351939, 7253.23, 7251.61
Duration      [total, attack, wait]             10m0s, 10m0s, 74.127ms
Latencies     [min, mean, 50, 90, 95, 99, max]  892.779µs, 8.88ms, 5ms, 21ms, 24ms, 30ms, 244.333ms
Bytes In      [total, mean]                     2475251745, 568.77
Success       [ratio]                           99.99%
";
    is_sound(text, 1);
    is_found(&forged(text, "7251.61", "7151.61"), Rule::Rate);
    // An older one prints the first bucket's end without a unit.
    is_sound(
        "Bucket         #     %       Histogram
[0,     2ms]   6007  32.65%  ########################
[2ms,   4ms]   5505  29.92%  ######################
[4ms,   6ms]   2117  11.51%  ########
[6ms,   +Inf]  4771  25.93%  ###################
",
        1,
    );
}

// ---- not read

#[test]
fn what_excludes_one_column_excludes_no_other() {
    for other in ["cpu %", "MB/s", "stdev", "peak memory", "max rps"] {
        let text = format!(
            "server,connections,req/s,mean ms,{other}\na,50,4871,10.27,3\nb,50,4871,90.27,3\n"
        );
        let found = audit(&text);
        assert_eq!(
            found.count(Severity::Doubtful),
            1,
            "{other}: {:#?}",
            found.findings
        );
    }
}

#[test]
fn headings_have_many_names() {
    for rate in [
        "req/s",
        "reqs/s",
        "requests/s",
        "req/sec",
        "reqs/sec",
        "requests/sec",
        "requests_per_s",
        "requests_per_sec",
        "requests_per_second",
        "requests per second",
        "reqs per sec",
        "rps",
        "qps",
        "tps",
        "throughput",
        "Throughput (req/s)",
        "RequestsPerSecond",
        "ops/s",
        "hits/s",
        "transactions per second",
        "吞吐量",
        "每秒请求数",
        "Req/Sec",
        "Requests/Sec",
        "request/s",
        "Requests per sec",
        "req per sec",
        "reqs_per_sec",
        "req_per_sec",
        "RPS (mean)",
        "Avg RPS",
        "Throughput (rps)",
        "Trans/s",
        "operations per second",
        "Requests_per_second",
        "请求/秒",
        "每秒事务数",
    ] {
        for connections in [
            "connections",
            "conns",
            "conn",
            "clients",
            "concurrency",
            "Concurrency Level",
            "concurrent",
            "concurrent clients",
            "concurrent requests",
            "concurrent users connections",
            "http connections",
            "client threads",
            "threads",
            "workers",
            "# clients",
            "并发数",
            "并发连接",
            "连接数",
            "客户端数",
            "线程数",
        ] {
            let text =
                format!("server,{connections},{rate},mean ms\na,50,4871,90.27\nb,50,4871,10.27\n");
            let found = audit(&text);
            assert!(!found.reports.is_empty(), "{connections}, {rate}");
        }
    }
}

#[test]
fn a_column_of_depths_is_that_of_each_row() {
    // 50 connections, 16 deep: 800 at a time.
    let text = "connections,pipeline,req/s,mean ms\n50,1,4871,10.27\n50,16,77936,10.27\n";
    let found = is_sound(text, 1);
    assert_eq!(found.count(Severity::Holds), 2);
    is_found(
        "connections,pipeline,req/s,mean ms\n50,1,77936,10.27\n50,16,77936,10.27\n",
        Rule::LittlesLaw,
    );
}

#[test]
fn every_tool_has_its_layout() {
    let tools: std::collections::BTreeSet<&str> =
        photofinish_audit::Layouts::built_in().tools().collect();
    // JMeter's result files and summary lines, and tables, are read in Rust.
    assert!(tools.len() >= 22, "{tools:?}");
}

#[test]
fn a_locust_run_without_requests_is_a_report() {
    let text =
        "Type     Name  # reqs      # fails |    Avg     Min     Max    Med |   req/s  failures/s
--------|-----|-------|-------------|-------|-------|-------|-------|--------|-----------
         Aggregated       0     0(0.00%) |      0       0       0      0 |    0.00        0.00

Response time percentiles (approximated)
Type     Name      50%    66%    75%    80%    90%    95%    98%    99%  99.9% 99.99%   100% # reqs
--------|---------|--------|------|------|------|------|------|------|------|------|------|------
";
    is_sound(text, 1);
}

/// What zrk prints, as text and as JSON.
const ZRK: &str = "
  19998 requests in 20.00s, 1.18MiB read  ·  1000 req/s  ·  60.55KiB/s
  latency (coordinated-omission corrected)
    p50    251us
    p75    337us
    p90    471us
    p99    1.91ms
    p99.9  13.36ms
    max    13.99ms

  Detailed Percentile spectrum:
       0.0000%  106us
      50.0000%  251us
     100.0000%  13.99ms
";
const ZRK_JSON: &str = r#"{
  "zrk_version": "0.1.0",
  "target": { "url": "http://127.0.0.1:8080/", "method": "GET" },
  "config": { "connections": 50, "launched": 50, "duration_s": 20.000, "target_rate": 1000 },
  "duration_s": 20.002,
  "requests": 19998,
  "bytes": 1239876,
  "achieved_rate": 999.80,
  "bytes_per_sec": 61987.60,
  "latency_us": { "min": 106, "mean": 422.0, "stdev": 1222.9, "max": 13991,
                  "p50": 251, "p75": 337, "p90": 471, "p99": 1913, "p99_9": 13364, "p99_99": 13988 },
  "status_codes": { "1xx": 0, "2xx": 19998, "3xx": 0, "4xx": 0, "5xx": 0 },
  "errors": { "connect": 0, "read": 0, "write": 0, "timeout": 0, "deadline": 0, "non_2xx_3xx": 0 }
}
"#;

#[test]
fn zrk_is_read() {
    for text in [ZRK, ZRK_JSON] {
        let found = is_sound(text, 1);
        assert_eq!(found.reports[0].tool.name(), "zrk");
        assert!(found.count(Severity::Holds) >= 3, "{found:#?}");
    }
    is_found(&forged(ZRK, "1000 req/s", "1400 req/s"), Rule::Rate);
    is_found(&forged(ZRK, "p75    337us", "p75    537us"), Rule::Order);
    is_found(
        &forged(ZRK_JSON, "\"p90\": 471", "\"p90\": 2471"),
        Rule::Order,
    );
    is_found(
        &forged(ZRK_JSON, "\"mean\": 422.0", "\"mean\": 4220.0"),
        Rule::Mean,
    );
    is_found(
        &forged(ZRK_JSON, "\"2xx\": 19998", "\"2xx\": 18998"),
        Rule::Sum,
    );
}

#[test]
fn percentiles_of_documents_are_read() {
    let k6 = include_str!("cases/sound-k6.json");
    let p90 = k6.find("\"p(90)\": ").expect("a percentile") + "\"p(90)\": ".len();
    is_found(&format!("{}9{}", &k6[..p90], &k6[p90..]), Rule::Order);
    let autocannon = include_str!("cases/sound-autocannon.json");
    is_found(
        &autocannon.replacen("\"p97_5\":", "\"p97_5\":9", 1),
        Rule::Order,
    );
}

#[test]
fn micro_signs_are_read() {
    for micro in ["us", "µs", "μs"] {
        let text = WRK
            .replace("633.00us", &format!("633.00{micro}"))
            .replace("1.52ms    1.83ms", &format!("1520.00{micro}    1.83ms"));
        let found = is_sound(&text, 1);
        assert!(
            found
                .findings
                .iter()
                .any(|f| f.rule == Rule::LittlesLaw && f.severity == Severity::Holds),
            "{micro}"
        );
    }
}

#[test]
fn logs_put_many_things_before_a_line() {
    let each = |form: &dyn Fn(usize, &str) -> String| {
        let lines: Vec<String> = WRK
            .lines()
            .enumerate()
            .map(|(at, line)| form(at, line))
            .collect();
        lines.join("\n") + "\n"
    };
    for text in [
        each(&|_, l| format!("2026-01-31T12:00:00.123456789Z stdout F {l}")),
        each(&|_, l| format!("2026-01-31T12:00:00.123456789+02:00 stdout F {l}")),
        each(&|_, l| format!("2026-01-31T12:00:00+02:00 {l}")),
        each(&|_, l| format!("INFO:bench:{l}")),
        each(&|_, l| format!("2026-01-31 12:00:00,123 - bench - INFO - {l}")),
        each(&|at, l| format!("{:6}\t{l}", at + 1)),
        each(&|_, l| format!("load  | {l}")),
        each(&|_, l| format!("load_1  | {l}")),
        format!(
            "{{\"output\": \"{}\", \"code\": 0}}\n",
            WRK.replace('\n', "\\n")
        ),
    ] {
        let found = is_sound(&text, 1);
        assert_eq!(found.findings.len(), audit(WRK).findings.len(), "{text}");
    }
}

#[test]
fn single_requests_of_hey_are_added_up() {
    let heading = "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n";
    let sound = format!(
        "{heading}0.0100,0.0020,0.0000,0.0001,0.0070,0.0005,200,0.0001\n0.0080,0.0000,0.0000,0.0001,0.0070,0.0005,200,0.0102\n"
    );
    let found = is_sound(&sound, 1);
    assert_eq!(found.reports[0].title, "2 requests");
    is_found(&sound.replace("0.0080,", "0.0060,"), Rule::Rows);
}

// ---- forged, and once missed

#[test]
fn each_figure_is_held_against_another() {
    let bombardier = include_str!("cases/sound-bombardier.txt");
    is_found(&forged(bombardier, "224222.39", "524222.39"), Rule::Rate);
    let autocannon = "Running 10s test @ http://localhost:3000\n10 connections\n\nStat         Avg     Stdev  Max\nLatency (ms) 0.21    0.72   31.02\nReq/Sec      31411   1900   33011\nBytes/Sec    4.71 MB 280 kB 4.95 MB\n\n314k requests in 10s, 47.1 MB read\n";
    is_sound(autocannon, 1);
    for count in ["451k", "188k"] {
        is_found(&forged(autocannon, "314k", count), Rule::Rate);
    }
    let oha = include_str!("cases/sound-oha.txt");
    is_found(&forged(oha, "1.49 MiB", "0.89 MiB"), Rule::Rate);
    let rewrk = include_str!("cases/sound-made-rewrk.txt");
    is_found(&forged(rewrk, "47677", "62457"), Rule::Rate);
    let shb = include_str!("cases/sound-made-shb.txt");
    is_found(&forged(shb, "[200] 47677", "[200] 28606"), Rule::Sum);
    let gatling = include_str!("cases/sound-gatling-documented-columns.txt");
    is_found(&gatling.replacen("133.33", "80.00", 1), Rule::Rate);
    let stats = include_str!("cases/sound-made-gatling-stats.js");
    is_found(
        &stats.replacen("\"count\": 1101", "\"count\": 661", 1),
        Rule::Sum,
    );
    let vegeta = include_str!("cases/sound-vegeta.json");
    is_found(&forged(vegeta, "133425029", "174786788"), Rule::Mean);
    let artillery = include_str!("cases/sound-made-artillery-1.txt");
    is_found(&forged(artillery, "200: 996", "200: 1305"), Rule::Sum);
    // The longest request is the 100%.
    let loadtest = include_str!("cases/sound-made-loadtest.txt");
    is_found(&forged(loadtest, "10.5 ms", "92.6 ms"), Rule::Mean);
}

/// No response came at all.
#[test]
fn a_run_of_oha_without_responses_is_a_report() {
    let text = r#"{"summary":{"successRate":0,"total":10.0,"slowest":null,"fastest":null,"average":null,"requestsPerSec":8904.2,"totalData":0,"sizePerRequest":null,"sizePerSec":0},"latencyPercentiles":{"p50":null},"statusCodeDistribution":{},"errorDistribution":{"Connection refused (os error 111)":89042}}"#;
    let found = at_most(text, Severity::Doubtful);
    assert_eq!(found.count(Severity::Doubtful), 1, "{found:#?}");
}

#[test]
fn forged_figures_are_found() {
    is_found(
        &forged(FORTIO, "qps=1.5458e+05", "qps=2.5458e+05"),
        Rule::Rate,
    );
    is_found(
        &forged(K6, "5.9 MB 2.0 MB/s", "5.9 MB 4.0 MB/s"),
        Rule::Rate,
    );
    is_found(
        &forged(H2LOAD, "20000 succeeded", "19000 succeeded"),
        Rule::Sum,
    );
    is_found(
        &forged(H2LOAD, "status codes: 20000 2xx", "status codes: 12000 2xx"),
        Rule::Sum,
    );
    let bombardier = include_str!("cases/sound-bombardier.txt");
    let by_number = bombardier.replace("for 2s using", "with 448420 request(s) using");
    is_sound(&by_number, 1);
    is_found(
        &forged(&by_number, "2xx - 448420", "2xx - 348420"),
        Rule::Sum,
    );
    is_found(
        &forged(&by_number, "2xx - 448420", "2xx - 548420"),
        Rule::Sum,
    );
    is_found(
        &forged(
            &forged(AUTOCANNON, "1,413  ", "2,413  "),
            "# of samples: 2",
            "# of samples: 2",
        ),
        Rule::Sum,
    );
    is_found(
        &WRK.replace("Running 2s", "Running 10s")
            .replace("in 2.06s", "in 1.30m"),
        Rule::Rate,
    );
}

#[test]
fn a_percentile_that_is_the_mean_is_found() {
    let oha = include_str!("cases/sound-oha.txt");
    let line = |label: &str| oha.lines().find(|l| l.contains(label)).expect("a line");
    let mean = line("Average:")
        .rsplit(&[':', '\t'][..])
        .next()
        .expect("a mean")
        .trim();
    let last = line("99.99% in").rsplit(" in ").next().expect("a value");
    // All others are below it.
    let quantiles: Vec<&str> = oha.lines().filter(|l| l.contains("% in ")).collect();
    let mut text = oha.to_owned();
    for l in quantiles {
        text = match l.contains("99.99%") {
            true => text.replace(l, &l.replace(last, mean)),
            false => text.replace(
                &format!("{l}\n"),
                if l.contains("10.00%") {
                    "  10.00% in 0.0001 secs\n"
                } else {
                    ""
                },
            ),
        };
    }
    is_found(&text, Rule::Mean);
}

#[test]
fn locust_s_rates_have_the_ratio_of_its_counts() {
    is_sound(LOCUST, 1);
    let table = include_str!("cases/doubt-locust-404.txt");
    is_found(
        &table.replace("45.60       12.59", "45.60       42.59"),
        Rule::Rate,
    );
}

#[test]
fn a_percentile_that_is_the_mean_is_found_in_a_table() {
    let mut text = String::from("framework,connections,rps,avg_latency,p99_latency\n");
    for (at, mean) in [10.4, 11.7, 12.9, 13.3, 14.8, 15.2].into_iter().enumerate() {
        text += &format!("s{at},50,{:.0},{mean}ms,{mean}ms\n", 50_000.0 / mean);
    }
    let boards = audit_boards(&[("a.csv".into(), text)], None).expect("a board");
    assert_eq!(
        boards.count(Severity::Impossible),
        1,
        "{:#?}",
        boards.findings
    );
}

#[test]
fn an_interval_without_samples_says_so() {
    let line = "summary +      0 in 00:00:30 = ******/s Avg:     0 Min: 9223372036854775807 Max: -9223372036854775808 Err:     0 (0.00%) Active: 5 Started: 5 Finished: 0\n";
    let found = at_most(line, Severity::Note);
    assert!(found.count(Severity::Note) > 0, "{:#?}", found.findings);
}

// ---- plain words

#[test]
fn a_time_below_zero_is_the_clock_s() {
    let text = "timeStamp,elapsed,label,success\n1700000000000,-5,a,true\n1700000000010,20,a,true\n1700000000050,20,a,true\n";
    let found = at_most(text, Severity::Doubtful);
    let said = found
        .findings
        .iter()
        .find(|f| f.figure.contains("-5 ms"))
        .expect("a finding");
    assert!(said.meaning.contains("clock"), "{said:?}");
}

#[test]
fn numbers_of_requests_are_whole() {
    for text in [AUTOCANNON, include_str!("cases/sound-oha.txt")] {
        for f in audit(text).findings {
            assert!(
                !f.arithmetic.contains(".5 requests") && !f.arithmetic.contains(".5 responses"),
                "{f:?}"
            );
        }
    }
}

#[test]
fn a_compressed_file_is_read() {
    // `printf 'hello\n' | gzip -n`
    let packed = [
        0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0xe7, 2, 0, 0x20, 0x30,
        0x3a, 0x36, 6, 0, 0, 0,
    ];
    assert_eq!(text(packed.to_vec()), "hello\n");
}

#[test]
fn a_script_may_pipeline() {
    // 16 requests at a time on each of 10 connections: 160 at a time.
    let report = "Running 10s test @ http://127.0.0.1:8080/
  2 threads and 10 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.60ms  100.00us   2.00ms   70.00%
    Req/Sec    50.00k   100.00    55.00k    70.00%
  1000000 requests in 10.00s, 120.00MB read
Requests/sec: 100000.00
Transfer/sec:     12.00MB
";
    let found = audit(&format!(
        "$ wrk -t2 -c10 -d10s -s pipeline.lua http://127.0.0.1:8080/\n{report}"
    ));
    assert_eq!(found.impossible(), 0, "{:#?}", found.findings);
    is_found(report, Rule::LittlesLaw);
}

// ---- a layout that a user gives

#[test]
fn a_layout_of_a_user_s_own_tool_is_read() {
    let layout = r#"
tool = "mytool"
needs = ["requests", "duration", "rate"]
values = { "" = "requests" }

[[line]]
form = "did <requests> in <duration:s>s at <rate>/s"
begins = true
[[line]]
form = "p<q> took <v:time>"
after = "requests"
"#;
    let layouts = photofinish_audit::Layouts::with([("my.toml", layout)]).expect("layouts");
    let audit = |text: &str| photofinish_audit::audit_with(text, &layouts);
    let sound = audit("did 1000 in 2.0s at 500/s\np50 took 1ms\np99 took 3ms\n");
    assert_eq!(
        (sound.reports.len(), sound.impossible()),
        (1, 0),
        "{sound:#?}"
    );
    assert_eq!(sound.reports[0].tool.name(), "mytool");
    assert_eq!(
        audit("did 1000 in 2.0s at 900/s\np50 took 5ms\np99 took 3ms\n").impossible(),
        2
    );
}
