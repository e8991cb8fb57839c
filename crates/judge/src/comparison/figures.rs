//! One target's figures at one workload and load level, over the rounds.

use std::collections::BTreeMap;

use photofinish_stats::Interval;
use photofinish_stats::planning::MOST_ROUNDS;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use photofinish_model::units::Unit;
use photofinish_model::{Line, Metric, Role, ServerUse};

use super::share::Share;
use super::sustained::{Sustained, none_held};
use super::{ALPHA, stats};

/// A figure of a measurement that is shown.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Good answers per second.
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
    /// The largest response time; only its range has a meaning.
    Max,
    /// The server's CPU time per request, user and system.
    ServerCpu,
    /// The same in user mode.
    CpuUser,
    /// The same in the kernel.
    CpuSystem,
    /// The cores that the server kept busy.
    CpuCores,
    /// Those that its just-in-time compilers kept busy.
    Compilers,
    /// The server's context switches per request.
    ContextSwitches,
    /// Those that it asked for (it waited).
    SwitchesVoluntary,
    /// Those that it was forced to.
    SwitchesForced,
    /// Page faults served without I/O, per request.
    FaultsMinor,
    /// Page faults that needed I/O, per request.
    FaultsMajor,
    /// The server's largest resident memory.
    Memory,
    /// The server's largest number of threads.
    Threads,
    /// CPU time of the target's services (its database) per request of the target, user and system.
    ServiceCpu,
    /// The cores that the target's services kept busy.
    ServiceCores,
    /// Bytes of an answer on the wire, its head included.
    BytesPerAnswer,
    /// Bytes of answers per second.
    BytesIn,
    /// Bytes of requests per second.
    BytesOut,
    /// Both together.
    Network,
}

impl From<Metric> for Quantity {
    fn from(metric: Metric) -> Quantity {
        match metric {
            Metric::Throughput => Quantity::Throughput,
            Metric::Mean => Quantity::Mean,
            Metric::P50 => Quantity::P50,
            Metric::P90 => Quantity::P90,
            Metric::P95 => Quantity::P95,
            Metric::P99 => Quantity::P99,
            Metric::P999 => Quantity::P999,
            Metric::Max => Quantity::Max,
            Metric::ServerCpu => Quantity::ServerCpu,
            Metric::ServerCores => Quantity::CpuCores,
            Metric::Network => Quantity::Network,
            Metric::ContextSwitches => Quantity::ContextSwitches,
            Metric::Memory => Quantity::Memory,
        }
    }
}

impl Quantity {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Quantity; 26] = [
        Quantity::Throughput,
        Quantity::Mean,
        Quantity::P50,
        Quantity::P90,
        Quantity::P95,
        Quantity::P99,
        Quantity::P999,
        Quantity::Max,
        Quantity::ServerCpu,
        Quantity::CpuUser,
        Quantity::CpuSystem,
        Quantity::CpuCores,
        Quantity::Compilers,
        Quantity::ContextSwitches,
        Quantity::SwitchesVoluntary,
        Quantity::SwitchesForced,
        Quantity::FaultsMinor,
        Quantity::FaultsMajor,
        Quantity::Memory,
        Quantity::Threads,
        Quantity::ServiceCpu,
        Quantity::ServiceCores,
        Quantity::BytesPerAnswer,
        Quantity::BytesIn,
        Quantity::BytesOut,
        Quantity::Network,
    ];

    /// The figure of one line, in [`Quantity::unit`]; `None` where there is none.
    pub fn of(self, line: &Line) -> Option<f64> {
        let server = |figure: fn(&ServerUse) -> Option<f64>| line.server.as_ref().and_then(figure);
        let figure = match self {
            Quantity::Throughput => Metric::Throughput.of(line),
            Quantity::Mean => Metric::Mean.of(line),
            Quantity::P50 => Metric::P50.of(line),
            Quantity::P90 => Metric::P90.of(line),
            Quantity::P95 => Metric::P95.of(line),
            Quantity::P99 => Metric::P99.of(line),
            Quantity::P999 => Metric::P999.of(line),
            Quantity::Max => Metric::Max.of(line),
            Quantity::ServerCpu => Metric::ServerCpu.of(line),
            Quantity::CpuUser => server(|s| s.cpu_user_us_per_request),
            Quantity::CpuSystem => server(|s| s.cpu_system_us_per_request),
            Quantity::CpuCores => Metric::ServerCores.of(line),
            Quantity::Compilers => server(|s| Some(s.compiling_share? * s.cpu_cores)),
            Quantity::ContextSwitches => Metric::ContextSwitches.of(line),
            Quantity::SwitchesVoluntary => server(|s| s.switches_voluntary_per_request),
            Quantity::SwitchesForced => server(|s| s.switches_forced_per_request),
            Quantity::FaultsMinor => server(|s| s.faults_minor_per_request),
            Quantity::FaultsMajor => server(|s| s.faults_major_per_request),
            Quantity::Memory => Metric::Memory.of(line),
            Quantity::Threads => server(|s| Some(f64::from(s.threads_max))),
            Quantity::ServiceCpu => line
                .service
                .as_ref()
                .and_then(ServerUse::cpu_us_per_request),
            Quantity::ServiceCores => line.service.as_ref().map(|s| s.cpu_cores),
            Quantity::BytesPerAnswer => bytes_per_answer(line),
            Quantity::BytesIn => line.measurement.as_ref().and_then(|m| m.bytes_in_per_s()),
            Quantity::BytesOut => line.measurement.as_ref().and_then(|m| m.bytes_out_per_s()),
            Quantity::Network => Metric::Network.of(line),
        };
        figure.filter(|figure| figure.is_finite())
    }

    /// What it counts.
    pub fn unit(self) -> Unit {
        match self {
            Quantity::Throughput => Unit::RequestsPerSecond,
            Quantity::Mean
            | Quantity::P50
            | Quantity::P90
            | Quantity::P95
            | Quantity::P99
            | Quantity::P999
            | Quantity::Max
            | Quantity::ServerCpu
            | Quantity::CpuUser
            | Quantity::CpuSystem
            | Quantity::ServiceCpu => Unit::Microseconds,
            Quantity::CpuCores | Quantity::Compilers | Quantity::ServiceCores => Unit::Cores,
            Quantity::ContextSwitches
            | Quantity::SwitchesVoluntary
            | Quantity::SwitchesForced
            | Quantity::FaultsMinor
            | Quantity::FaultsMajor => Unit::PerRequest,
            Quantity::Memory | Quantity::BytesPerAnswer => Unit::Bytes,
            Quantity::Threads => Unit::Count,
            Quantity::BytesIn | Quantity::BytesOut | Quantity::Network => Unit::BytesPerSecond,
        }
    }

    /// The finest relative difference that the figure can tell: the width of a histogram's
    /// bucket (3 significant digits) for a percentile, none for an exact figure.
    pub fn resolution(self) -> f64 {
        match self {
            Quantity::P50
            | Quantity::P90
            | Quantity::P95
            | Quantity::P99
            | Quantity::P999
            | Quantity::Max => 0.001,
            _ => 0.0,
        }
    }

    /// Whether it is a response time of the requests.
    pub fn is_response_time(self) -> bool {
        use Quantity::{Max, Mean, P50, P90, P95, P99, P999};
        matches!(self, Mean | P50 | P90 | P95 | P99 | P999 | Max)
    }

    /// The name in tables and sentences, such as `p99.9`.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Throughput => "throughput",
            Quantity::Mean => "mean",
            Quantity::P50 => "p50",
            Quantity::P90 => "p90",
            Quantity::P95 => "p95",
            Quantity::P99 => "p99",
            Quantity::P999 => "p99.9",
            Quantity::Max => "max",
            Quantity::ServerCpu => "CPU",
            Quantity::CpuUser => "CPU user",
            Quantity::CpuSystem => "CPU system",
            Quantity::CpuCores => "CPU cores",
            Quantity::Compilers => "compilers' CPU cores",
            Quantity::ContextSwitches => "context switches",
            Quantity::SwitchesVoluntary => "voluntary switches",
            Quantity::SwitchesForced => "forced switches",
            Quantity::FaultsMinor => "minor page faults",
            Quantity::FaultsMajor => "major page faults",
            Quantity::Memory => "memory",
            Quantity::Threads => "threads",
            Quantity::ServiceCpu => "service CPU",
            Quantity::ServiceCores => "service CPU cores",
            Quantity::BytesPerAnswer => "bytes per answer",
            Quantity::BytesIn => "answers' bytes/s",
            Quantity::BytesOut => "requests' bytes/s",
            Quantity::Network => "network",
        }
    }
}

fn bytes_per_answer(line: &Line) -> Option<f64> {
    let measurement = line.measurement.as_ref()?;
    let answers: u64 = match measurement.status.is_empty() {
        false => measurement.status.values().sum(),
        // A protocol without a status: whatever did not fail was answered.
        true => {
            let failed: u64 = measurement.errors.values().sum();
            measurement.requests.saturating_sub(failed)
        }
    };
    (answers > 0).then(|| measurement.bytes_in as f64 / answers as f64)
}

/// A figure over the rounds.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Figure {
    /// What it counts.
    pub unit: Unit,
    /// The geometric mean over the rounds; `null` for a maximum, and where a round has a zero.
    pub mean: Option<f64>,
    /// Its 95% interval; `null` under two rounds.
    pub interval: Option<Interval>,
    /// The smallest value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
    /// The value of each round, round 1 first; `null` where a round has none.
    pub rounds: Vec<Option<f64>>,
}

impl Figure {
    /// Sums up the rounds; `None` where none has a value.
    fn from(quantity: Quantity, rounds: Vec<Option<f64>>) -> Option<Figure> {
        let values: Vec<f64> = rounds.iter().copied().flatten().collect();
        let min = values.iter().copied().reduce(f64::min)?;
        let max = values.iter().copied().reduce(f64::max)?;
        let mean = stats::geometric_mean(&values, ALPHA).filter(|_| quantity != Quantity::Max);
        Some(Figure {
            unit: quantity.unit(),
            mean: mean.map(|m| m.mean),
            interval: mean.and_then(|m| m.interval),
            min,
            max,
            rounds,
        })
    }

    /// The figure in words: its mean with the interval, or its range where there is no mean.
    pub fn text(&self) -> String {
        match self.mean {
            Some(mean) => self.unit.with_interval(mean, self.interval),
            None => self.range(),
        }
    }

    /// The figure without its interval.
    pub fn short(&self) -> String {
        match self.mean {
            Some(mean) => self.unit.text(mean),
            None => self.range(),
        }
    }

    /// From the smallest to the largest round.
    pub fn range(&self) -> String {
        if self.min == self.max {
            self.unit.text(self.max)
        } else {
            self.unit.range(self.min, self.max)
        }
    }
}

/// One target's figures at one workload and load level.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TargetFigures {
    /// The target with its variant.
    pub target: String,
    /// What it is in the race.
    pub role: Role,
    /// How many rounds have a measurement.
    pub rounds: usize,
    /// Requests, summed over the rounds.
    pub requests: u64,
    /// Errors by kind, summed over the rounds; empty where there were none.
    pub errors: BTreeMap<String, u64>,
    /// The rounds with errors: their figures are touched by them.
    pub rounds_with_errors: Vec<u32>,
    /// The figures; one that no round has is not here.
    pub figures: BTreeMap<Quantity, Figure>,
    /// What the searches told, where the level is a capacity; `null` at other levels.
    pub sustained: Option<Sustained>,
    /// Its throughput as a share of the limit's; `null` for the limit itself, in an open loop, in a smoke run, and where no round has both.
    pub share_of_limit: Option<Share>,
}

impl TargetFigures {
    /// Sums up the lines of one target.
    pub(super) fn from(target: &str, role: Role, lines: &[&Line]) -> TargetFigures {
        let rounds = lines.iter().map(|line| line.round);
        let last = rounds.filter(|&r| r <= MOST_ROUNDS).max().unwrap_or(0);
        let mut figures = BTreeMap::new();
        for quantity in Quantity::ALL {
            let mut rounds = vec![None; last as usize];
            for line in lines {
                // Rounds count from 1, and nobody runs that many; a line that says otherwise has no place.
                let place = (line.round as usize).checked_sub(1);
                if let Some(slot) = place.and_then(|place| rounds.get_mut(place)) {
                    // Of a rate that did not hold there are no figures, but what the search says.
                    *slot = quantity.of(line).filter(|_| !none_held(line));
                }
            }
            if let Some(figure) = Figure::from(quantity, rounds) {
                figures.insert(quantity, figure);
            }
        }
        let rate = figures.get_mut(&Quantity::Throughput);
        let sustained = Sustained::from(lines, rate);
        let mut errors = BTreeMap::new();
        let mut rounds_with_errors = Vec::new();
        let mut requests = 0;
        let measured = lines
            .iter()
            .filter_map(|l| Some((l.round, l.measurement.as_ref()?)));
        for (round, measurement) in measured.clone() {
            requests += measurement.requests;
            for (kind, count) in measurement.errors.iter().filter(|(_, count)| **count > 0) {
                *errors.entry(kind.clone()).or_insert(0) += count;
            }
            if measurement.errors.values().any(|&count| count > 0) {
                rounds_with_errors.push(round);
            }
        }
        TargetFigures {
            target: target.to_owned(),
            role,
            rounds: measured.count(),
            requests,
            errors,
            rounds_with_errors,
            figures,
            sustained,
            share_of_limit: None,
        }
    }

    /// Whether verdicts are given on it.
    pub fn is_contender(&self) -> bool {
        self.role == Role::Contender
    }

    /// A figure, where there is one.
    pub fn figure(&self, quantity: Quantity) -> Option<&Figure> {
        self.figures.get(&quantity)
    }

    /// All errors together.
    pub fn error_count(&self) -> u64 {
        self.errors.values().sum()
    }
}
