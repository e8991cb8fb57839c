//! The names of metrics, as they stand in tables and sentences.

use photofinish_model::Metric;

pub(crate) fn name(metric: &Metric) -> &'static str {
    match metric {
        Metric::Throughput => "throughput",
        Metric::Mean => "mean",
        Metric::P50 => "p50",
        Metric::P90 => "p90",
        Metric::P95 => "p95",
        Metric::P99 => "p99",
        Metric::P999 => "p99.9",
        Metric::Max => "max",
        Metric::ServerCpu => "CPU",
        Metric::CpuUser => "CPU user",
        Metric::CpuSystem => "CPU system",
        Metric::ServerCores => "CPU cores",
        Metric::Compilers => "JIT compilers' cores",
        Metric::ContextSwitches => "context switches",
        Metric::SwitchesVoluntary => "voluntary switches",
        Metric::SwitchesForced => "forced switches",
        Metric::FaultsMinor => "minor page faults",
        Metric::FaultsMajor => "major page faults",
        Metric::Memory => "memory",
        Metric::Threads => "threads",
        Metric::ServiceCpu => "service CPU",
        Metric::ServiceCores => "service CPU cores",
        Metric::BytesPerResponse => "bytes per response",
        Metric::ResponseBytes => "response bytes",
        Metric::RequestBytes => "request bytes",
        Metric::Network => "network",
    }
}
