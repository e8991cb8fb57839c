//! What of the response times is the network's.

use photofinish_model::message::Message;
use photofinish_model::store::Results;
use photofinish_model::{Metric, network::Network};
use photofinish_stats::Interval;
use photofinish_voice::network as found;

use crate::comparison::figures::TargetFigures;

/// How long an empty exchange takes, beside the shortest median response time of these targets; `None` where load did not come over a
/// network, or that was not measured.
pub(crate) fn network(results: &Results, targets: &[TargetFigures]) -> Option<Message> {
    let machines = results.environment.machines.as_ref()?;
    let over = machines.networks.iter().filter(|way| !way.is_loopback());
    let trips = over.filter_map(|way: &Network| Some(way.round_trip?.p50_us));
    let time = Interval::around(trips)?;
    let medians = targets
        .iter()
        .filter(|target| target.is_contender())
        .filter_map(|target| Some((target, target.figure(Metric::P50)?.mean?)));
    let shortest = medians.min_by(|a, b| a.1.total_cmp(&b.1));
    let beside = shortest.filter(|(_, median)| *median > 0.0);
    Some(match beside {
        None => found::empty_exchange(time),
        Some((target, median)) => found::share_of_median(time, time.high / median, &target.target),
    })
}

#[cfg(test)]
mod tests {
    use photofinish_model::samples;
    use serde_json::json;

    use super::*;
    use crate::comparison::Comparison;

    #[test]
    fn an_empty_exchange_stands_beside_the_shortest_median() {
        let mut results = samples::race(&["a", "b"], &[&[100.0; 5], &[110.0; 5]]);
        assert_eq!(Comparison::from(&results).cells[0].network, None);
        let mut machines = samples::machines(None, None);
        results.environment.machines = Some(machines.clone());
        let found = |results: &Results| {
            let mut cells = Comparison::from(results).cells;
            cells.remove(0).network.expect("there is a network")
        };
        let one = found(&results);
        assert_eq!(one.id, "network.share_of_median");
        assert_eq!(one.args["time"], json!({"low": 300.0, "high": 300.0}));
        let mut other = machines.networks[0].clone();
        other.round_trip.as_mut().expect("one").p50_us = 90.0;
        machines.networks.push(other);
        results.environment.machines = Some(machines);
        let range = json!({"low": 90.0, "high": 300.0});
        assert_eq!(found(&results).args["time"], range);
    }
}
