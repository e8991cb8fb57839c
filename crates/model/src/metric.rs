//! The figures of a measurement: one table, from which evidence, CSV, thresholds, claims and the page are made.
//!
//! To add one is to add a line to the table below.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::layer::Layer;
use crate::measurement::Line;
use crate::message::{Argument, Language};
use crate::times::Latency;
use crate::units::Unit;
use crate::usage::ServerUse;
use crate::wait::Wait;

/// What is to be known of a metric.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// Its name in study files, conditions and JSON.
    pub key: &'static str,
    /// Its column in CSV.
    pub column: &'static str,
    /// Its name in English and Chinese.
    names: [&'static str; 2],
    /// What it is, as the reference says it.
    pub doc: &'static str,
    /// What it counts.
    pub unit: Unit,
    /// Which direction is the better one.
    pub better: Better,
    /// Whether it is counted for each request or in all.
    pub per: Per,
    /// What it is a figure of.
    pub of: Of,
    /// The finest relative difference that it can show: the width of a histogram's bucket (3 significant digits), or 0.
    pub resolution: f64,
    /// The metric that it is a part of.
    pub part_of: Option<Metric>,
    read: fn(&Line) -> Option<f64>,
}

/// Which direction is the better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// More is better.
    Larger,
    /// Less is better.
    Smaller,
    /// Neither: it follows from how much was done.
    Neither,
}

/// Whether a figure is counted for each request or in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Per {
    /// For each request.
    Request,
    /// In all, or per second.
    Run,
}

/// What a figure is one of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Of {
    /// How much was served.
    Throughput,
    /// The mean of the response times.
    MeanTime,
    /// The response time that this share of the requests did not exceed.
    Percentile(f64),
    /// The longest response time: one request out of all, shown with its range and never judged.
    LongestTime,
    /// When the server gave no response on any connection.
    Stalls,
    /// What the server used.
    Server,
    /// What its services (its database) used.
    Service,
    /// What went over the wire.
    Wire,
    /// What the server's CPU time was spent on, by samples of its stacks.
    Profile,
    /// What the server's threads waited for, by samples of their stacks.
    Waits,
}

/// Exact but for floating point.
const EXACT: f64 = 0.0;

/// The width of a bucket of a histogram with 3 significant digits.
const BUCKET: f64 = 0.001;

/// Makes [`Metric`] and its [`Spec`]s of the table.
macro_rules! metrics {
    ($($(#[doc = $doc:literal])+ $name:ident, $key:literal, $column:literal, $en:literal / $zh:literal,
        $unit:ident, $better:ident, $per:ident, $of:expr, $resolution:expr, $part_of:expr, $read:expr;)+) => {
        /// A figure of a measurement.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
        )]
        pub enum Metric {
            $($(#[doc = $doc])+ #[serde(rename = $key)] $name,)+
        }

        impl Metric {
            /// All of them, in the order in which they are shown.
            pub const ALL: &[Metric] = &[$(Metric::$name),+];

            /// Their names.
            pub const KEYS: &[&str] = &[$($key),+];

            /// What is to be known of it.
            pub fn spec(self) -> Spec {
                match self {
                    $(Metric::$name => Spec {
                        key: $key,
                        column: $column,
                        names: [$en, $zh],
                        doc: concat!($($doc),+).trim_ascii(),
                        unit: Unit::$unit,
                        better: Better::$better,
                        per: Per::$per,
                        of: $of,
                        resolution: $resolution,
                        part_of: $part_of,
                        read: $read,
                    },)+
                }
            }
        }
    };
}

// Name, key (and older ones), column in CSV, names in English and Chinese, unit, which is better, per what, what of, resolution, part of, how it is read.
metrics! {
    /// Good responses per second; at a capacity the highest rate that met the objective.
    Throughput, "throughput", "throughput_rps", "throughput" / "吞吐量", RequestsPerSecond, Larger, Run, Of::Throughput, EXACT, None, throughput;
    /// Mean response time.
    Mean, "mean", "latency_mean_us", "mean" / "平均响应时间", Microseconds, Smaller, Request, Of::MeanTime, EXACT, None, |l| time(l, |t| t.mean);
    /// Median response time.
    P50, "p50", "latency_p50_us", "p50" / "p50", Microseconds, Smaller, Request, Of::Percentile(0.5), BUCKET, None, |l| time(l, |t| t.p50);
    /// 90th percentile of the response time.
    P90, "p90", "latency_p90_us", "p90" / "p90", Microseconds, Smaller, Request, Of::Percentile(0.9), BUCKET, None, |l| time(l, |t| t.p90);
    /// 95th percentile.
    P95, "p95", "latency_p95_us", "p95" / "p95", Microseconds, Smaller, Request, Of::Percentile(0.95), BUCKET, None, |l| time(l, |t| t.p95);
    /// 99th percentile.
    P99, "p99", "latency_p99_us", "p99" / "p99", Microseconds, Smaller, Request, Of::Percentile(0.99), BUCKET, None, |l| time(l, |t| t.p99);
    /// 99.9th percentile.
    P999, "p999", "latency_p999_us", "p99.9" / "p99.9", Microseconds, Smaller, Request, Of::Percentile(0.999), BUCKET, None, |l| time(l, |t| t.p999);
    /// The longest response time. Shown with its range over rounds, never judged: it is one request of millions.
    Max, "max", "latency_max_us", "max" / "最大响应时间", Microseconds, Smaller, Request, Of::LongestTime, BUCKET, None, |l| time(l, |t| t.max);
    /// The longest time without a response on any connection. Shown with its range over rounds, never judged.
    LongestStall, "longest-stall", "longest_stall_us", "longest stall" / "最长停顿", Microseconds, Smaller, Run, Of::Stalls, EXACT, None, |l| Some(l.measurement.as_ref()?.stalls.as_ref()?.longest_s * 1e6);
    /// The share of the time under load that [stalls](methods.md#stalls) took.
    StallShare, "stall-share", "stall_share", "time stalled" / "停顿时间占比", Share, Smaller, Run, Of::Stalls, EXACT, None, |l| l.measurement.as_ref()?.stalls.as_ref()?.share();
    /// CPU time of the server per request, user and system.
    ServerCpu, "server-cpu", "server_cpu_us_per_request", "CPU" / "CPU 时间", Microseconds, Smaller, Request, Of::Server, EXACT, None, |l| server(l, ServerUse::cpu_us_per_request);
    /// The same in user mode.
    CpuUser, "cpu-user", "server_cpu_user_us_per_request", "user CPU" / "用户态 CPU 时间", Microseconds, Smaller, Request, Of::Server, EXACT, Some(Metric::ServerCpu), |l| server(l, |s| s.cpu_user_us_per_request);
    /// The same in the kernel.
    CpuSystem, "cpu-system", "server_cpu_system_us_per_request", "system CPU" / "内核态 CPU 时间", Microseconds, Smaller, Request, Of::Server, EXACT, Some(Metric::ServerCpu), |l| server(l, |s| s.cpu_system_us_per_request);
    /// CPU that the server used, in cores: 1.5 is 150% in other tools.
    ServerCores, "server-cores", "server_cpu_cores", "CPU cores" / "占用的 CPU 核数", Cores, Neither, Run, Of::Server, EXACT, None, |l| server(l, |s| s.cpu_cores);
    /// Cores that its just-in-time compilers used.
    Compilers, "compilers", "server_compiler_cores", "JIT compiler cores" / "即时编译器占用的核数", Cores, Neither, Run, Of::Server, EXACT, Some(Metric::ServerCores), |l| server(l, |s| Some(s.compiling_share? * s.cpu_cores?));
    /// Context switches of the server per request, voluntary and forced.
    ContextSwitches, "context-switches", "server_switches_per_request", "context switches" / "上下文切换", PerRequest, Smaller, Request, Of::Server, EXACT, None, |l| server(l, |s| Some(s.switches_voluntary_per_request? + s.switches_forced_per_request?));
    /// Switches that it asked for: it waited.
    SwitchesVoluntary, "switches-voluntary", "server_switches_voluntary_per_request", "voluntary switches" / "自愿切换", PerRequest, Smaller, Request, Of::Server, EXACT, Some(Metric::ContextSwitches), |l| server(l, |s| s.switches_voluntary_per_request);
    /// Switches that were forced on it.
    SwitchesForced, "switches-forced", "server_switches_forced_per_request", "forced switches" / "非自愿切换", PerRequest, Smaller, Request, Of::Server, EXACT, Some(Metric::ContextSwitches), |l| server(l, |s| s.switches_forced_per_request);
    /// For how long the server's threads were ready to run and waited for a core, per request, added up over all threads that waited at once.
    RunQueue, "run-queue", "server_run_queue_us_per_request", "run-queue delay" / "运行队列延迟", Microseconds, Smaller, Request, Of::Server, EXACT, None, |l| server(l, |s| s.run_queue_us_per_request);
    /// Page faults per request that needed no I/O.
    FaultsMinor, "faults-minor", "server_faults_minor_per_request", "minor page faults" / "次要缺页", PerRequest, Smaller, Request, Of::Server, EXACT, None, |l| server(l, |s| s.faults_minor_per_request);
    /// Page faults per request that needed I/O.
    FaultsMajor, "faults-major", "server_faults_major_per_request", "major page faults" / "主要缺页", PerRequest, Smaller, Request, Of::Server, EXACT, None, |l| server(l, |s| s.faults_major_per_request);
    /// For how long the server's Java virtual machines (HotSpot) stood still at safepoints, per request, collections included.
    Safepoints, "safepoints", "server_safepoint_us_per_request", "time at safepoints" / "安全点停顿时间", Microseconds, Smaller, Request, Of::Server, EXACT, None, |l| server(l, |s| s.safepoint_us_per_request);
    /// The same in pauses of their garbage collectors.
    GcPause, "gc-pause", "server_gc_pause_us_per_request", "GC pauses" / "GC 停顿时间", Microseconds, Smaller, Request, Of::Server, EXACT, Some(Metric::Safepoints), |l| server(l, |s| s.gc_pause_us_per_request);
    /// The server's largest resident memory.
    Memory, "memory", "server_rss_max_bytes", "memory" / "内存峰值", Bytes, Smaller, Run, Of::Server, EXACT, None, |l| server(l, |s| Some(s.rss_max_bytes as f64));
    /// The server's largest number of threads.
    Threads, "threads", "server_threads_max", "threads" / "线程数峰值", Count, Neither, Run, Of::Server, EXACT, None, |l| server(l, |s| Some(f64::from(s.threads_max)));
    /// CPU time of the target's services (its database) per request.
    ServiceCpu, "service-cpu", "services_cpu_us_per_request", "service CPU" / "服务的 CPU 时间", Microseconds, Smaller, Request, Of::Service, EXACT, None, |l| l.service.as_ref()?.cpu_us_per_request();
    /// The same in cores.
    ServiceCores, "service-cores", "services_cpu_cores", "service CPU cores" / "服务占用的 CPU 核数", Cores, Neither, Run, Of::Service, EXACT, None, |l| l.service.as_ref()?.cpu_cores;
    /// Bytes of a response on the wire, its head included.
    BytesPerResponse, "bytes-per-response", "bytes_per_response", "bytes per response" / "每个响应的字节数", Bytes, Smaller, Request, Of::Wire, EXACT, None, bytes_per_response;
    /// Bytes of responses per second: what the server sent.
    ResponseBytes, "response-bytes", "response_bytes_per_s", "response bytes" / "响应字节", BytesPerSecond, Neither, Run, Of::Wire, EXACT, Some(Metric::Network), |l| l.measurement.as_ref()?.bytes_in_per_s();
    /// Bytes of requests per second: what the server received.
    RequestBytes, "request-bytes", "request_bytes_per_s", "request bytes" / "请求字节", BytesPerSecond, Neither, Run, Of::Wire, EXACT, Some(Metric::Network), |l| l.measurement.as_ref()?.bytes_out_per_s();
    /// Both together, per second.
    Network, "network", "network_bytes_per_s", "network" / "网络流量", BytesPerSecond, Neither, Run, Of::Wire, EXACT, None, |l| Some(l.measurement.as_ref()?.bytes_in_per_s()? + l.measurement.as_ref()?.bytes_out_per_s()?);
    /// Connections that the server closed and that were opened again.
    Reconnects, "reconnects", "reconnects", "reconnects" / "重新建立的连接", Count, Neither, Run, Of::Wire, EXACT, None, |l| Some(l.measurement.as_ref()?.reconnects as f64);
    /// The server's CPU time per request that it spent on receiving in the kernel, in runs with [profiles](methods.md#where-a-requests-cpu-time-goes).
    LayerKernelReceive, "layer:kernel-receive", "layer_kernel_receive_us_per_request", "kernel receive" / "内核接收", Microseconds, Smaller, Request, Of::Profile, EXACT, Some(Metric::ServerCpu), |l| layer(l, Layer::KernelReceive);
    /// The same on sending in the kernel; over loopback the delivery to the client too.
    LayerKernelSend, "layer:kernel-send", "layer_kernel_send_us_per_request", "kernel send" / "内核发送", Microseconds, Smaller, Request, Of::Profile, EXACT, Some(Metric::ServerCpu), |l| layer(l, Layer::KernelSend);
    /// The same on waiting and waking: epoll, futex, the scheduler.
    LayerWaiting, "layer:waiting", "layer_waiting_us_per_request", "waiting and waking" / "等待与唤醒", Microseconds, Smaller, Request, Of::Profile, EXACT, Some(Metric::ServerCpu), |l| layer(l, Layer::Waiting);
    /// The same on page faults and mapping memory.
    LayerMemory, "layer:memory", "layer_memory_us_per_request", "page faults and mapping" / "缺页与内存映射", Microseconds, Smaller, Request, Of::Profile, EXACT, Some(Metric::ServerCpu), |l| layer(l, Layer::Memory);
    /// The same on all else in the kernel.
    LayerKernelOther, "layer:kernel-other", "layer_kernel_other_us_per_request", "other kernel work" / "内核其他工作", Microseconds, Smaller, Request, Of::Profile, EXACT, Some(Metric::ServerCpu), |l| layer(l, Layer::KernelOther);
    /// The same on TLS and its cryptography.
    LayerTls, "layer:tls", "layer_tls_us_per_request", "TLS" / "TLS", Microseconds, Smaller, Request, Of::Profile, EXACT, Some(Metric::ServerCpu), |l| layer(l, Layer::Tls);
    /// The same on the runtime: collector, compiler, allocator, the C library on its own.
    LayerRuntime, "layer:runtime", "layer_runtime_us_per_request", "runtime" / "运行时", Microseconds, Smaller, Request, Of::Profile, EXACT, Some(Metric::ServerCpu), |l| layer(l, Layer::Runtime);
    /// The same on the framework.
    LayerFramework, "layer:framework", "layer_framework_us_per_request", "framework" / "框架", Microseconds, Smaller, Request, Of::Profile, EXACT, Some(Metric::ServerCpu), |l| layer(l, Layer::Framework);
    /// The same on the program itself.
    LayerApplication, "layer:application", "layer_application_us_per_request", "application" / "应用程序", Microseconds, Smaller, Request, Of::Profile, EXACT, Some(Metric::ServerCpu), |l| layer(l, Layer::Application);
    /// The same on code compiled at run time that gives no names, such as a JVM's.
    LayerCompiled, "layer:compiled", "layer_compiled_us_per_request", "compiled code without symbols" / "无符号的即时编译代码", Microseconds, Smaller, Request, Of::Profile, EXACT, Some(Metric::ServerCpu), |l| layer(l, Layer::Compiled);
    /// The same on what has no name, such as a stripped server's functions.
    LayerUnknown, "layer:unknown", "layer_unknown_us_per_request", "unknown" / "未知", Microseconds, Smaller, Request, Of::Profile, EXACT, Some(Metric::ServerCpu), |l| layer(l, Layer::Unknown);
    /// The mean number of frames of a call stack in which the server was found; it compares only programs with frame pointers, and Java servers where profiles were asked for (`profile = true`). Not given where more than 5% of samples lie in code without names.
    StackDepth, "stack-depth", "stack_depth", "stack depth" / "调用栈深度", Count, Neither, Run, Of::Profile, EXACT, None, |l| l.profile.as_ref()?.stack_depth;
    /// For how long a request's threads waited for a connection of a pool, in runs with [`--why wall`](methods.md#waits), added up over all threads that waited at once. Only for Java servers.
    WaitPool, "wait:pool", "wait_pool_us_per_request", "wait for a pooled connection" / "等待连接池", Microseconds, Smaller, Request, Of::Waits, EXACT, None, |l| wait(l, Wait::Pool);
    /// The same for a lock.
    WaitLock, "wait:lock", "wait_lock_us_per_request", "wait for a lock" / "等待锁", Microseconds, Smaller, Request, Of::Waits, EXACT, None, |l| wait(l, Wait::Lock);
    /// The same for the network: a database's response, or another service's.
    WaitNetwork, "wait:network", "wait_network_us_per_request", "wait for the network" / "等待网络", Microseconds, Smaller, Request, Of::Waits, EXACT, None, |l| wait(l, Wait::Network);
    /// The same for another thread.
    WaitThread, "wait:thread", "wait_thread_us_per_request", "wait for another thread" / "等待其他线程", Microseconds, Smaller, Request, Of::Waits, EXACT, None, |l| wait(l, Wait::Thread);
    /// For how long they slept.
    WaitSleep, "wait:sleep", "wait_sleep_us_per_request", "sleep" / "休眠", Microseconds, Smaller, Request, Of::Waits, EXACT, None, |l| wait(l, Wait::Sleep);
    /// For how long they waited for something else.
    WaitOther, "wait:other", "wait_other_us_per_request", "other waits" / "其他等待", Microseconds, Smaller, Request, Of::Waits, EXACT, None, |l| wait(l, Wait::Other);
}

impl Argument for Metric {
    fn text(&self, language: Language) -> String {
        self.name(language).to_owned()
    }

    fn value(&self) -> Value {
        Value::from(self.spec().key)
    }
}

impl From<&Metric> for Metric {
    fn from(metric: &Metric) -> Metric {
        *metric
    }
}

impl Metric {
    /// Returns the metric of a name.
    pub fn from_key(key: &str) -> Option<Metric> {
        let is_named = |metric: &&Metric| metric.spec().key == key;
        Metric::ALL.iter().find(is_named).copied()
    }

    /// Returns its name in a language, as it stands in tables and sentences.
    pub fn name(self, language: Language) -> &'static str {
        let [en, zh] = self.spec().names;
        match language {
            Language::En => en,
            Language::Zh => zh,
        }
    }

    /// The figure of one line, in the metric's unit; `None` where there is none.
    pub fn of(self, line: &Line) -> Option<f64> {
        (self.spec().read)(line).filter(|figure| figure.is_finite())
    }

    /// What it counts.
    pub fn unit(self) -> Unit {
        self.spec().unit
    }

    /// Whether a larger figure is the better one.
    pub fn larger_is_better(self) -> bool {
        self.spec().better == Better::Larger
    }

    /// The finest relative difference that it can show.
    pub fn resolution(self) -> f64 {
        self.spec().resolution
    }

    /// Whether it is a response time of the requests.
    pub fn is_response_time(self) -> bool {
        matches!(
            self.spec().of,
            Of::MeanTime | Of::Percentile(_) | Of::LongestTime
        )
    }

    /// The figure of a layer.
    pub fn of_layer(layer: Layer) -> Metric {
        match layer {
            Layer::KernelReceive => Metric::LayerKernelReceive,
            Layer::KernelSend => Metric::LayerKernelSend,
            Layer::Waiting => Metric::LayerWaiting,
            Layer::Memory => Metric::LayerMemory,
            Layer::KernelOther => Metric::LayerKernelOther,
            Layer::Tls => Metric::LayerTls,
            Layer::Runtime => Metric::LayerRuntime,
            Layer::Framework => Metric::LayerFramework,
            Layer::Application => Metric::LayerApplication,
            Layer::Compiled => Metric::LayerCompiled,
            Layer::Unknown => Metric::LayerUnknown,
        }
    }

    /// Whether it is one event out of all, so that only its range over the rounds has a meaning.
    pub fn is_one_event(self) -> bool {
        self.spec().of == Of::LongestTime || self == Metric::LongestStall
    }

    /// Whether it is for how long threads waited, which is known only where somebody asked for it.
    pub fn is_wait(self) -> bool {
        self.spec().of == Of::Waits
    }

    /// Whether it is read from profiles, which not every run has.
    pub fn is_of_profile(self) -> bool {
        self.spec().of == Of::Profile
    }
}

fn throughput(line: &Line) -> Option<f64> {
    let measurement = line.measurement.as_ref()?;
    match &measurement.capacity {
        None => Some(measurement.throughput_rps),
        Some(found) => found.sustained_rps,
    }
}

fn time(line: &Line, figure: fn(&Latency) -> f64) -> Option<f64> {
    line.measurement.as_ref()?.latency_us.as_ref().map(figure)
}

fn server(line: &Line, figure: fn(&ServerUse) -> Option<f64>) -> Option<f64> {
    line.server.as_ref().and_then(figure)
}

/// The layer's share of the samples, of the CPU time per request that was measured without a profiler.
fn layer(line: &Line, layer: Layer) -> Option<f64> {
    let share = line.profile.as_ref()?.share(layer)?;
    Some(share * line.server.as_ref()?.cpu_us_per_request()?)
}

/// For how long a request's threads waited so, where any did.
fn wait(line: &Line, wait: Wait) -> Option<f64> {
    let waits = line.waits.as_ref()?;
    waits.us_per_request(wait)
}

fn bytes_per_response(line: &Line) -> Option<f64> {
    let measurement = line.measurement.as_ref()?;
    let responses: u64 = match measurement.status.is_empty() {
        false => measurement.status.values().sum(),
        // A protocol without a status: whatever did not fail was served.
        true => {
            let failed: u64 = measurement.errors.values().sum();
            measurement.requests.saturating_sub(failed)
        }
    };
    (responses > 0).then(|| measurement.bytes_in as f64 / responses as f64)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_name_is_read_back_and_stands_for_one_metric() {
        let mut seen = BTreeSet::new();
        for metric in Metric::ALL {
            let key = metric.spec().key;
            assert!(seen.insert(key), "{key} is there twice");
            assert_eq!(Metric::from_key(key), Some(*metric));
            let read: Metric = serde_json::from_value(key.into()).expect(key);
            assert_eq!(read, *metric);
            assert_eq!(serde_json::to_value(metric).expect("JSON"), key);
        }
        assert_eq!(Metric::KEYS.len(), Metric::ALL.len());
        assert_eq!(Metric::from_key("p98"), None);
    }

    #[test]
    fn every_column_is_there_once() {
        let columns: BTreeSet<&str> = Metric::ALL.iter().map(|m| m.spec().column).collect();
        assert_eq!(columns.len(), Metric::ALL.len());
    }
}
