//! Numbers of things: two forms in English, a measure word in Chinese.

use serde_json::Value;

use super::{Argument, Language};
use crate::units::{plural, thousands};

/// Defines a type for each kind of thing that sentences count: its forms in English, and its measure word in Chinese.
macro_rules! counts {
    ($($name:ident: $one:literal, $several:literal, $zh:literal;)+) => {$(
        holding! { #[doc = concat!("A number of ", $several, ".")] $name(u64); }

        impl Argument for $name {
            fn text(&self, language: Language) -> String {
                match language {
                    Language::En => plural(self.0 as usize, $one, $several),
                    Language::Zh => format!(concat!("{} ", $zh), thousands(self.0 as f64)),
                }
            }

            fn value(&self) -> Value {
                self.0.into()
            }
        }

        impl From<u32> for $name {
            fn from(count: u32) -> $name {
                $name(count.into())
            }
        }

        impl From<usize> for $name {
            fn from(count: usize) -> $name {
                $name(count as u64)
            }
        }
    )+};
}

counts! {
    Rounds: "round", "rounds", "轮";
    MoreRounds: "more round", "more rounds", "轮";
    Requests: "request", "requests", "个请求";
    Responses: "response", "responses", "个响应";
    Measurements: "measurement", "measurements", "次测量";
    Connections: "connection", "connections", "个连接";
    Trials: "trial", "trials", "次试验";
    Runs: "run", "runs", "次运行";
    Series: "series", "series", "个序列";
    Windows: "window", "windows", "个窗口";
    ByteCount: "byte", "bytes", "字节";
    RowCount: "row", "rows", "行";
    Cores: "core", "cores", "个核";
    ValidityChecks: "validity check", "validity checks", "项有效性检查";
    Threads: "thread", "threads", "个线程";
    ErrorCount: "error", "errors", "个错误";
    Pods: "pod", "pods", "个 Pod";
    Nodes: "node", "nodes", "个节点";
    ServersAndWorkloads: "server and workload", "pairs of server and workload", "组被测服务器与负载";
    AaComparisons: "A/A comparison", "A/A comparisons", "次 A/A 对照";
    FailedTrials: "trial failed", "trials failed", "次试验失败";
    StudyParts: "part", "parts", "部分";
    Timeouts: "timeout", "timeouts", "次超时";
    ResetConnections: "reset connection", "reset connections", "次连接被重置";
    ThroughputRatios: "ratio of throughputs", "ratios of throughputs", "个吞吐量之比";
    MachinePairs: "pair of machines", "pairs of machines", "对机器";
    Failures: "failure", "failures", "次失败";
}

/// A whole number with thousands separators.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Count(pub f64);

impl Argument for Count {
    fn text(&self, _language: Language) -> String {
        thousands(self.0)
    }

    fn value(&self) -> Value {
        match self.0.fract() == 0.0 && self.0.abs() < 9e15 {
            true => (self.0 as i64).into(),
            false => self.0.into(),
        }
    }
}

impl From<f64> for Count {
    fn from(count: f64) -> Count {
        Count(count)
    }
}

impl From<u16> for Count {
    fn from(count: u16) -> Count {
        Count(count.into())
    }
}

impl From<u32> for Count {
    fn from(count: u32) -> Count {
        Count(count.into())
    }
}

impl From<u64> for Count {
    fn from(count: u64) -> Count {
        Count(count as f64)
    }
}

impl From<usize> for Count {
    fn from(count: usize) -> Count {
        Count(count as f64)
    }
}

/// A number that names something, such as a status, a process or a round: no separators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number(pub u64);

impl Argument for Number {
    fn text(&self, _language: Language) -> String {
        self.0.to_string()
    }

    fn value(&self) -> Value {
        self.0.into()
    }
}

impl<T: Into<u64>> From<T> for Number {
    fn from(number: T) -> Number {
        Number(number.into())
    }
}
