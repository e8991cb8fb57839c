//! What the columns of a board hold, by their headings.

use serde::Serialize;

use crate::table::heading::{self, bare_unit, seconds, thousands};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The name of a server.
    Server,
    /// What all servers of a group did.
    Task,
    /// Connections.
    Connections,
    /// Requests that a connection may have under way.
    Depth,
    /// Requests a second, times the factor.
    Rate(f64),
    /// Mean latency, times the factor to milliseconds; 0: each cell has its unit.
    Mean(f64),
    /// A percentile of the latency and the same factor; 100 is the maximum.
    Quantile(f64, f64),
    /// Length of the run in seconds.
    Duration,
    /// Responses that were counted, successful ones.
    Counted,
    /// Further responses that were counted.
    CountedToo,
    /// Bytes that were received.
    Bytes,
    /// Bytes a second.
    ByteRate,
    /// Anything else.
    Other,
}

/// The role of a heading.
pub fn role(heading: &str) -> Role {
    let lower = heading.trim().trim_matches('"').to_lowercase();
    let text = lower.replace('_', " ");
    let text = text.as_str();
    let is = |names: &[&str]| names.contains(&text);
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    // What was computed from other columns says nothing new.
    let is_word = |word: &str| text.split(' ').any(|w| w == word);
    let computed = [
        "little", "littles", "ratio", "relative", "speedup", "score", "x", "over",
    ];
    if computed.into_iter().any(is_word) {
        return Role::Other;
    }
    if is(&[
        "framework",
        "server",
        "name",
        "display name",
        "app",
        "implementation",
        "框架",
        "语言框架",
    ]) {
        return Role::Server;
    }
    if is(&[
        "profile",
        "test",
        "task",
        "route",
        "endpoint",
        "benchmark",
        "scenario",
        "workload",
        "type",
    ]) {
        return Role::Task;
    }
    if heading::depth(text) {
        return Role::Depth;
    }
    if is(&[
        "duration",
        "duration s",
        "duration (s)",
        "seconds",
        "elapsed",
        "elapsed s",
    ]) {
        return Role::Duration;
    }
    if is(&[
        "status 2xx",
        "2xx",
        "responses 2xx",
        "successes",
        "successful",
        "total requests",
        "requests",
        "completed",
    ]) {
        return Role::Counted;
    }
    if is(&["status 3xx", "3xx"]) {
        return Role::CountedToo;
    }
    if is(&[
        "bandwidth",
        "transfer/sec",
        "transfer rate",
        "mb/s",
        "throughput (mb/s)",
    ]) {
        return Role::ByteRate;
    }
    if has(&["bytes received", "total bytes", "body bytes"]) || is(&["bytes"]) {
        return Role::Bytes;
    }
    let peak = has(&["peak", "max conn", "maximum conn", "pool", "limit"]);
    if heading::connections(text) && !peak {
        return Role::Connections;
    }
    if heading::rate(text) || heading::rate(&lower) {
        return Role::Rate(thousands(text));
    }
    let unit = bare_unit(text) + seconds(text);
    if heading::of_something_else(text) {
        return Role::Other;
    }
    if heading::mean(text) && (heading::plain_latency(text) || unit > 0.0 || text.contains("mean"))
    {
        return Role::Mean(unit);
    }
    match heading::quantile(text) {
        Some(q) => Role::Quantile(q * 100.0, unit),
        None => Role::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_published_boards_are_known() {
        for (text, expected) in [
            ("requests_per_s", Role::Rate(1.0)),
            ("rps", Role::Rate(1.0)),
            ("Req/sec", Role::Rate(1.0)),
            ("reqs/sec", Role::Rate(1.0)),
            ("TPS", Role::Rate(1.0)),
            ("throughput", Role::Rate(1.0)),
            ("每秒请求数", Role::Rate(1.0)),
            ("Requests per second", Role::Rate(1.0)),
            ("conns", Role::Connections),
            ("clients", Role::Connections),
            ("concurrency", Role::Connections),
            ("avg_latency", Role::Mean(0.0)),
            ("p99_latency", Role::Quantile(99.0, 0.0)),
            ("p50_ms", Role::Quantile(50.0, 1.0)),
            ("p95_ms_published_as_p99", Role::Quantile(95.0, 1.0)),
            ("pipeline", Role::Depth),
            ("bandwidth", Role::ByteRate),
            ("status_2xx", Role::Counted),
            ("cpu", Role::Other),
            ("duration", Role::Duration),
            ("duration_s", Role::Duration),
            ("rate_x_mean_over_connections", Role::Other),
            ("littles_n_over_c", Role::Other),
            ("Throughput (MB/s)", Role::ByteRate),
        ] {
            assert_eq!(role(text), expected, "{text}");
        }
    }
}
