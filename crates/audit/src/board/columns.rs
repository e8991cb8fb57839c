//! What the columns of a board hold, by their headings.

use serde::Serialize;

use crate::table::heading::{self, HEADINGS, bare_unit, seconds, thousands};

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
    let text = heading::normal(heading);
    let text = text.as_str();
    let kinds = [
        (&HEADINGS.computed, Role::Other),
        (&HEADINGS.server, Role::Server),
        (&HEADINGS.task, Role::Task),
        (&HEADINGS.depth, Role::Depth),
        (&HEADINGS.duration, Role::Duration),
        (&HEADINGS.counted, Role::Counted),
        (&HEADINGS.counted_too, Role::CountedToo),
        (&HEADINGS.byte_rate, Role::ByteRate),
        (&HEADINGS.bytes, Role::Bytes),
    ];
    if let Some((_, role)) = kinds.into_iter().find(|(words, _)| words.fit(text)) {
        return role;
    }
    if heading::connections(text) && !HEADINGS.others_connections.fit(text) {
        return Role::Connections;
    }
    if heading::rate(text) {
        // The rate that was asked for is none that was measured.
        return match HEADINGS.asked.fit(text) {
            true => Role::Other,
            false => Role::Rate(thousands(text)),
        };
    }
    let unit = bare_unit(text) + seconds(text);
    if HEADINGS.other_time.fit(text) {
        return Role::Other;
    }
    if heading::mean(text) && (HEADINGS.latency.fit(text) || unit > 0.0 || text.contains("mean")) {
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
            ("p99_9_ms", Role::Quantile(99.9, 1.0)),
            ("p999_us", Role::Quantile(99.9, 1e-3)),
            ("P99.99 (ms)", Role::Quantile(99.99, 1.0)),
            ("target_rps", Role::Other),
            ("rps diff", Role::Other),
            ("Δ p99 ms", Role::Other),
            ("max_rps", Role::Other),
            ("worker_connections", Role::Other),
        ] {
            assert_eq!(role(text), expected, "{text}");
        }
    }
}
