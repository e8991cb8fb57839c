//! How throughput scales with connections: the Universal Scalability Law, fitted to each target.

use photofinish_stats::Usl;
pub use photofinish_stats::usl::Fitted;
use schemars::JsonSchema;
use serde::Serialize;

use photofinish_model::message::Message;
use photofinish_model::{Load, Metric};
use photofinish_voice::scaling as found;

use crate::comparison::{ALPHA, Cell};
use crate::lists::by_key;

/// From this root mean square of the relative errors on, the law does not describe the figures.
const POOR: f64 = 0.10;

/// One target's throughput over connections, by X(N) = γN / (1 + α(N − 1) + βN(N − 1)).
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Scaling {
    /// The workload.
    pub workload: String,
    /// The target.
    pub target: String,
    /// The levels, in connections, in order.
    pub levels: Vec<u32>,
    /// γ: the throughput of one connection, in requests per second.
    pub gamma: Fitted,
    /// α: contention, the share of the work that waits for others.
    pub alpha: Fitted,
    /// β: coherency, the price of agreeing with each other one.
    pub beta: Fitted,
    /// The number of connections at which throughput peaks; `null` where it does not.
    pub knee: Option<Fitted>,
    /// How far the figures lie from the law, relative (root mean square).
    pub residual: f64,
    /// The outcome.
    pub says: Message,
    /// Whether the law describes the figures, and where throughput peaks.
    pub peak: Peak,
}

/// Where throughput peaks by the law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Peak {
    /// The law does not describe the figures.
    DoesNotFit,
    /// Throughput has no peak.
    None,
    /// The figures do not bound the peak.
    Unknown,
    /// The peak lies beyond the measured levels.
    Beyond,
    /// The peak lies within the measured levels.
    Within,
}

/// The law for every workload and target that was measured at enough closed-loop levels.
pub(crate) fn scaling(cells: &[Cell]) -> Vec<Scaling> {
    let closed = cells.iter().filter_map(|cell| match cell.load {
        Load::Closed { connections } => Some((cell, connections)),
        _ => None,
    });
    let points = closed.flat_map(|(cell, connections)| {
        cell.contenders().flat_map(move |target| {
            let figure = target.figure(Metric::Throughput).into_iter();
            let rounds = figure.flat_map(|figure| figure.rounds.iter().flatten());
            let key = (cell.workload.as_str(), target.target.as_str());
            rounds.map(move |throughput| (key, (connections, *throughput)))
        })
    });
    let fitted = by_key(points).into_iter();
    fitted
        .filter_map(|((workload, target), points)| fit(workload, target, &points))
        .collect()
}

fn fit(workload: &str, target: &str, points: &[(u32, f64)]) -> Option<Scaling> {
    let data: Vec<(f64, f64)> = points.iter().map(|&(n, x)| (f64::from(n), x)).collect();
    let law = Usl::fit(&data, ALPHA)?;
    let mut levels: Vec<u32> = points.iter().map(|(n, _)| *n).collect();
    levels.sort_unstable();
    levels.dedup();
    let (peak, says) = peak(target, &law, levels.last().copied().unwrap_or(0));
    Some(Scaling {
        workload: workload.to_owned(),
        target: target.to_owned(),
        levels,
        gamma: law.gamma,
        alpha: law.alpha,
        beta: law.beta,
        knee: law.knee,
        residual: law.residual,
        peak,
        says,
    })
}

/// Returns what the law shows of a target that was measured at up to so many connections.
fn peak(target: &str, law: &Usl, largest: u32) -> (Peak, Message) {
    if law.residual > POOR {
        let says = found::does_not_fit(target, law.residual);
        return (Peak::DoesNotFit, says);
    }
    let Some(knee) = law.knee else {
        return (Peak::None, found::no_peak(target, largest));
    };
    let connections = knee.value.round();
    match knee.interval {
        None => (Peak::Unknown, found::peak_unknown(target)),
        Some(_) if knee.value > f64::from(largest) => {
            (Peak::Beyond, found::peak_beyond(target, connections))
        }
        Some(interval) => (Peak::Within, found::peak(target, connections, interval)),
    }
}
