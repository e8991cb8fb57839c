//! What the columns of a table hold, by its heading.

use crate::figure::{Figure, Scan};

/// What a column holds.
#[derive(Debug, Clone)]
pub enum Column {
    /// The number of connections of its row.
    Connections,
    /// Requests that a connection of its row may have under way.
    Depth,
    /// Rate and mean at the number of connections in the heading.
    Level(Figure, f64),
    /// Rate and mean, with the factor that makes a bare mean milliseconds (0: needs a unit).
    Pair(f64),
    /// Requests per second, with the factor that its heading names (`k req/s`).
    Rate(f64),
    /// The mean, with the same factor.
    Mean(f64),
    /// A percentile as a share of 1, with the same factor; 1 is the maximum.
    Quantile(f64, f64),
    /// Anything else.
    Other,
}

/// The roles of the columns, if the heading names connections and a rate, and a mean or percentiles.
pub fn columns(cells: &[&str], line: usize) -> Option<Vec<Column>> {
    let cells: Vec<String> = cells.iter().map(|c| c.to_lowercase()).collect();
    let together = cells.iter().any(|c| rate(c) && mean(c));
    // Threads may be those of the server, unless nothing else says how many clients there were.
    let stated = cells.iter().any(|c| connections(c));
    let connections = |c: &str| connections(c) || !stated && threads(c);
    let columns: Vec<Column> = cells
        .iter()
        .map(|cell| {
            let unit = bare_unit(cell);
            match Scan::new(cell, line).finite() {
                Some(level) if together => Column::Level(level, unit),
                _ if rate(cell) && mean(cell) => Column::Pair(unit),
                _ if depth(cell) => Column::Depth,
                _ if connections(cell) => Column::Connections,
                _ if rate(cell) => Column::Rate(thousands(cell)),
                _ if mean(cell) && !of_something_else(cell) => Column::Mean(unit + seconds(cell)),
                _ => quantile(cell)
                    .filter(|_| !of_something_else(cell))
                    .map_or(Column::Other, |q| Column::Quantile(q, unit + seconds(cell))),
            }
        })
        .collect();
    // Headings with levels name the connections in one of their cells only.
    let named = cells.iter().any(|c| connections(c));
    let has = |wanted: fn(&Column) -> bool| columns.iter().any(wanted);
    let latency = has(|c| matches!(c, Column::Mean(_) | Column::Quantile(..)))
        || cells.iter().any(|c| plain_latency(c) || bare_unit(c) > 0.0);
    (named && (together || has(|c| matches!(c, Column::Rate(_) | Column::Pair(_))) && latency))
        .then_some(columns)
}

/// Whether a line may be a heading: it is not long, and names connections and a rate.
pub fn may_be(text: &str) -> bool {
    const LONGEST: usize = 2000;
    let shown = text.len() < LONGEST;
    shown && {
        let lower = text.to_lowercase();
        let cells = || {
            lower
                .split([',', ';', '\t'])
                .map(|cell| cell.trim_matches('"'))
        };
        // What excludes a column says nothing of the others.
        (connections(&lower) || cells().any(threads)) && cells().any(rate)
    }
}

/// Why the law cannot be judged by these columns: what the heading says, and what that means.
pub fn not_judged(cells: &[&str]) -> Option<String> {
    let says = |word: &str, so: &str| format!("the heading says '{word}', so that {so}");
    let waits = schedule(cells).map(|word| {
        says(
            word,
            "connections may wait between requests or have several at a time",
        )
    });
    let others = || {
        others_connections(cells).map(|word| {
            says(
                word,
                "its connections may be others than those of the whole load",
            )
        })
    };
    let batch = || {
        let all = cells.join("|").to_lowercase();
        all.contains("batch")
            .then(|| says("batch", "the rate may count the parts of a request"))
    };
    waits.or_else(others).or_else(batch)
}

/// The word of a heading that says that its connections are not those of the clients, or not all of them.
fn others_connections(cells: &[&str]) -> Option<&'static str> {
    const WORDS: [&str; 22] = [
        "pool",
        "db ",
        "database",
        "sql",
        "postgres",
        "redis",
        "mongo",
        "upstream",
        "backend",
        "max connection",
        "maximum connection",
        "peak",
        "峰值",
        "limit",
        "per node",
        "/node",
        "per client",
        "per host",
        "per instance",
        "per process",
        "per thread",
        "连接池",
    ];
    let cells = cells.iter().map(|cell| cell.to_lowercase());
    cells
        .filter(|cell| connections(cell))
        .find_map(|cell| WORDS.into_iter().find(|word| cell.contains(word)))
}

/// The word of a heading that says that its connections are not always busy with one request.
fn schedule(cells: &[&str]) -> Option<&'static str> {
    const WORDS: [&str; 12] = [
        "target",
        "offered",
        "open loop",
        "open-loop",
        "think",
        "pause",
        "users",
        "vus",
        "streams",
        "http/2",
        "pipelin",
        "目标",
    ];
    let all = cells.join("|").to_lowercase();
    // A column of depths says how many requests each row has at a time.
    let stated = cells.iter().any(|cell| depth(&cell.to_lowercase()));
    let mut words = WORDS
        .into_iter()
        .filter(|word| !stated || *word != "pipelin");
    words.find(|word| all.contains(word))
}

/// `pipeline`, `pipeline depth`, `pipelining`.
pub fn depth(text: &str) -> bool {
    [
        "pipeline",
        "pipeline depth",
        "pipeline_depth",
        "pipelining",
        "depth",
    ]
    .contains(&text.trim())
}

fn threads(text: &str) -> bool {
    let text = text.trim();
    has(text, &["client threads", "线程数", "并发线程"])
        || ["threads", "clients", "workers"].contains(&text)
}

fn has(text: &str, words: &[&str]) -> bool {
    words.iter().any(|w| text.contains(w))
}

pub fn connections(text: &str) -> bool {
    let word = |w: &str| {
        text.split(|c: char| !c.is_alphanumeric())
            .any(|word| word == w)
    };
    has(
        text,
        &["connection", "concurren", "并发", "连接数", "客户端数"],
    ) || ["conns", "conn", "clients"].into_iter().any(word)
}

pub fn rate(text: &str) -> bool {
    let word = |w: &str| {
        text.split(|c: char| !c.is_alphanumeric())
            .any(|word| word == w)
    };
    let names = has(
        text,
        &[
            "req/s",
            "reqs/s",
            "requests/s",
            "request/s",
            "hits/s",
            "trans/s",
            "transactions/s",
            "ops/s",
            "calls/s",
            "responses/s",
            "resp/s",
            "requests per s",
            "reqs per s",
            "req per s",
            "requests_per_s",
            "reqs_per_s",
            "req_per_s",
            "requestspers",
            "requests_sec",
            "transactions per s",
            "operations per s",
            "rps",
            "qps",
            "吞吐",
            "每秒请求",
            "请求/秒",
            "每秒事务",
        ],
    ) || ["tps", "throughput"].into_iter().any(word);
    // Of bytes, of a part of the server, or not that of the whole run.
    let other = [
        "byte",
        "bandwidth",
        "mb/",
        "kb/",
        "(mb",
        "(kb",
        "mb/s",
        "kb/s",
        "gb/s",
        "mib/s",
        "mbps",
        "per core",
        "/core",
        "per thread",
        "/thread",
        "per connection",
        "/connection",
        "per cpu",
        "/cpu",
        "每核",
        "peak",
        "峰值",
        "max req",
        "max rps",
        "max qps",
        "max tps",
        "max_req",
        "max_rps",
        "maximum req",
        "min req",
        "min rps",
        "min_req",
        "min_rps",
        "stdev",
        "stddev",
        "deviation",
        "std dev",
        "expected",
        "%",
    ];
    names && !has(text, &other)
}

/// The factor of a heading such as `k req/s` or `RPS (thousands)`.
pub fn thousands(text: &str) -> f64 {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && !"×*".contains(c));
    let factor = |word: &str| match word {
        "k" | "krps" | "kreq" | "kqps" | "thousand" | "thousands" | "×1000" | "x1000" | "*1000"
        | "千" => Some(1e3),
        "m" | "mrps" | "mreq" | "million" | "millions" => Some(1e6),
        "万" => Some(1e4),
        _ => None,
    };
    words.find_map(factor).unwrap_or(1.0)
}

/// Whether a time is that of a part of a request, or of something else.
pub fn of_something_else(text: &str) -> bool {
    let others = [
        "cpu",
        "gc ",
        "gc)",
        "pause",
        "ttfb",
        "first byte",
        "connect time",
        "connect (",
        "dns",
        "tls",
        "handshake",
        "startup",
        "start-up",
        "boot",
        "queue",
        "wait",
        "memory",
        "rss",
        "iteration",
        "session",
        "query",
        "sql",
        "deviation",
    ];
    has(text, &others)
}

/// Where the first word that names a mean stands, and the first that names another statistic.
fn statistics(text: &str) -> (Option<usize>, Option<usize>) {
    let first = |words: &[&str]| words.iter().filter_map(|w| text.find(w)).min();
    let other = first(&[
        "max",
        "min ",
        "median",
        "percentile",
        "std",
        "dev",
        "最长",
        "最大",
        "最短",
        "最小",
        "中位",
        "分位",
    ]);
    let at = [other, percentile(text).map(|(at, _)| at)]
        .into_iter()
        .flatten()
        .min();
    (first(&["mean", "avg", "average", "平均"]), at)
}

/// Whether a column holds a mean: only if it says so, and nothing else where it stands alone.
pub fn mean(text: &str) -> bool {
    match statistics(text) {
        (Some(mean), Some(other)) => rate(text) && mean < other,
        (Some(_), None) => true,
        _ => false,
    }
}

/// `Latency (ms)`, which says nothing of what it is.
pub fn plain_latency(text: &str) -> bool {
    has(
        text,
        &["latency", "response time", "延迟", "耗时", "响应时间"],
    )
}

/// Position and percentage of `p99`, `p99.9`, `99%`, `99th`.
fn percentile(text: &str) -> Option<(usize, f64)> {
    let bytes = text.as_bytes();
    (0..bytes.len()).find_map(|at| {
        if !bytes[at].is_ascii_digit()
            || at > 0 && (bytes[at - 1].is_ascii_digit() || bytes[at - 1] == b'.')
        {
            return None;
        }
        let len = text[at..]
            .bytes()
            .take_while(|b| b.is_ascii_digit() || *b == b'.')
            .count();
        let number: f64 = text[at..at + len].trim_end_matches('.').parse().ok()?;
        let after = &text[at + len..];
        let named = at > 0 && bytes[at - 1] == b'p'
            || ["%", "th", " th"].iter().any(|s| after.starts_with(s));
        (named && (0.0..100.0).contains(&number)).then_some((at, number))
    })
}

/// The share of 1 that a column's percentile stands for; 1 for a maximum.
pub fn quantile(text: &str) -> Option<f64> {
    if has(text, &["avg", "average", "mean", "平均"]) {
        return None;
    }
    if let Some((_, percent)) = percentile(text) {
        return Some(percent / 100.0);
    }
    if has(text, &["median", "中位"]) {
        return Some(0.5);
    }
    let time = plain_latency(text) || bare_unit(text) > 0.0;
    (time && has(text, &["max", "最长", "最大"])).then_some(1.0)
}

/// Milliseconds in the unit that a heading names for its bare numbers; 0 if it names none.
pub fn bare_unit(cell: &str) -> f64 {
    let mut words = cell.split(|c: char| !c.is_alphabetic());
    words.find_map(unit).unwrap_or(0.0)
}

/// Milliseconds in the unit of a heading such as `p95 (s)`, `latency (seconds)` or `mean s`; 0 where it is not seconds.
pub fn seconds(cell: &str) -> f64 {
    // `max req/s` and `per second` are no times.
    if has(cell, &["/", "per "]) || bare_unit(cell) > 0.0 {
        return 0.0;
    }
    let last = cell
        .split(|c: char| !c.is_alphabetic())
        .rfind(|word| !word.is_empty());
    match last {
        Some("s" | "secs" | "second" | "seconds") => 1e3,
        _ => 0.0,
    }
}

/// Milliseconds in a unit. `s` is left out: `req/s` has it.
pub fn unit(word: &str) -> Option<f64> {
    match word {
        "us" | "µs" | "μs" => Some(1e-3),
        "ms" | "毫秒" => Some(1.0),
        "sec" | "秒" => Some(1e3),
        _ => None,
    }
}
