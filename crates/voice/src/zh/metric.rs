//! The names of metrics, as they stand in tables and sentences.

use photofinish_model::Metric;

pub(crate) fn name(metric: &Metric) -> &'static str {
    match metric {
        Metric::Throughput => "吞吐量",
        Metric::Mean => "平均响应时间",
        Metric::P50 => "p50",
        Metric::P90 => "p90",
        Metric::P95 => "p95",
        Metric::P99 => "p99",
        Metric::P999 => "p99.9",
        Metric::Max => "最大响应时间",
        Metric::ServerCpu => "CPU 时间",
        Metric::CpuUser => "用户态 CPU 时间",
        Metric::CpuSystem => "内核态 CPU 时间",
        Metric::ServerCores => "占用的 CPU 核数",
        Metric::Compilers => "即时编译器占用的核数",
        Metric::ContextSwitches => "上下文切换",
        Metric::SwitchesVoluntary => "自愿切换",
        Metric::SwitchesForced => "非自愿切换",
        Metric::FaultsMinor => "次缺页",
        Metric::FaultsMajor => "主缺页",
        Metric::Memory => "内存峰值",
        Metric::Threads => "线程数峰值",
        Metric::ServiceCpu => "服务的 CPU 时间",
        Metric::ServiceCores => "服务占用的 CPU 核数",
        Metric::BytesPerResponse => "每个响应的字节数",
        Metric::ResponseBytes => "响应字节",
        Metric::RequestBytes => "请求字节",
        Metric::Network => "网络流量",
    }
}
