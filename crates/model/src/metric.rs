//! The figures of a measurement that can be compared.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::measurement::Line;
use crate::usage::ServerUse;

/// A figure of a measurement that can be compared.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Good answers per second; at a capacity the highest rate that held, none where no rate did.
    Throughput,
    /// Mean response time.
    Mean,
    /// Median response time.
    P50,
    /// 90th percentile of the response time.
    P90,
    /// 95th percentile of the response time.
    P95,
    /// 99th percentile of the response time.
    P99,
    /// 99.9th percentile of the response time.
    P999,
    /// The largest response time: shown with its range, never judged.
    Max,
    /// The server's CPU time per request, user and system.
    ServerCpu,
    /// CPU that the server used, in cores.
    ServerCores,
    /// Bytes per second over the wire, in both directions together.
    Network,
    /// The server's context switches per request, of both kinds.
    ContextSwitches,
    /// The server's largest resident memory.
    Memory,
}

impl Metric {
    /// Whether a larger figure is the better one.
    pub fn larger_is_better(self) -> bool {
        self == Metric::Throughput
    }

    /// The figure of one line, in the metric's unit (requests/s, µs, bytes or a count); `None` where there is none.
    pub fn of(self, line: &Line) -> Option<f64> {
        let measurement = line.measurement.as_ref()?;
        let latency = measurement.latency_us.as_ref();
        let server = line.server.as_ref();
        match self {
            Metric::Throughput => match &measurement.capacity {
                None => Some(measurement.throughput_rps),
                Some(found) => found.sustained_rps,
            },
            Metric::Mean => latency.map(|l| l.mean),
            Metric::P50 => latency.map(|l| l.p50),
            Metric::P90 => latency.map(|l| l.p90),
            Metric::P95 => latency.map(|l| l.p95),
            Metric::P99 => latency.map(|l| l.p99),
            Metric::P999 => latency.map(|l| l.p999),
            Metric::Max => latency.map(|l| l.max),
            Metric::ServerCpu => server.and_then(ServerUse::cpu_us_per_request),
            Metric::ServerCores => server.map(|s| s.cpu_cores),
            Metric::Network => Some(measurement.bytes_in_per_s()? + measurement.bytes_out_per_s()?),
            Metric::ContextSwitches => {
                let server = server?;
                Some(server.switches_voluntary_per_request? + server.switches_forced_per_request?)
            }
            Metric::Memory => server.map(|s| s.rss_max_bytes as f64),
        }
    }
}
