//! Which metric the headline states at a place.
//!
//! Throughput comes first, then CPU time per request. If the load generator was the bottleneck, CPU time comes first: the throughputs
//! are then those of the generator. At a rate that all servers achieve, response times are what differs. Response times of a
//! saturated closed loop follow from its throughput (Little's law), so the headline never states them.

use photofinish_model::{Load, Metric};

use crate::comparison::Cell;
use crate::comparison::verdict::lead::Lead;

/// The response times that a headline may state, the first that was judged.
const TIMES: [Metric; 3] = [Metric::P99, Metric::P50, Metric::Mean];

/// Returns the metric that the headline states at a place.
pub(crate) fn headline_metric(cell: &Cell) -> Metric {
    if is_below_saturation(cell) {
        let judged = |metric: &Metric| cell.lead(*metric).is_some();
        return TIMES.into_iter().find(judged).unwrap_or(Metric::Throughput);
    }
    match is_generator_bound(cell) && decided_cpu(cell).is_some() {
        true => Metric::ServerCpu,
        false => Metric::Throughput,
    }
}

/// Who leads in CPU time per request, if throughput is judged first and shows nobody ahead.
pub(super) fn when_open(cell: &Cell) -> Option<&Lead> {
    let open = |lead: &Lead| lead.gap.is_none();
    let is_first = cell.headline_metric == Metric::Throughput && !is_below_saturation(cell);
    let throughput = cell.lead(Metric::Throughput)?;
    decided_cpu(cell).filter(|_| is_first && open(throughput))
}

fn decided_cpu(cell: &Cell) -> Option<&Lead> {
    let lead = cell.lead(Metric::ServerCpu)?;
    lead.gap.is_some().then_some(lead)
}

/// Whether load came at a rate that all servers achieved.
fn is_below_saturation(cell: &Cell) -> bool {
    matches!(cell.load, Load::Open { .. })
        && cell.contenders().all(|target| target.overloaded.is_empty())
}

/// Whether the load generator was the bottleneck for the fastest server in most of its rounds.
fn is_generator_bound(cell: &Cell) -> bool {
    let rate = |target: &&crate::comparison::TargetFigures| {
        let figure = target.figure(Metric::Throughput);
        figure.and_then(|figure| figure.mean).unwrap_or(0.0)
    };
    let fastest = cell.contenders().max_by(|a, b| rate(a).total_cmp(&rate(b)));
    fastest.is_some_and(|fastest| fastest.generator_bound.len() * 2 > fastest.rounds)
}
