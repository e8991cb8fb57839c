//! What of the response times is the network's.

use photofinish_model::finding::network::{BesideMedian, NetworkFinding};
use photofinish_model::store::Results;
use photofinish_model::{Metric, network::Network};

use crate::comparison::figures::TargetFigures;

/// How long an empty exchange takes, beside the shortest median response time of these targets; `None` where load did not come over a
/// network, or that was not measured.
pub(in crate::comparison) fn network(
    results: &Results,
    targets: &[TargetFigures],
) -> Option<NetworkFinding> {
    let machines = results.environment.machines.as_ref()?;
    let over = machines.networks.iter().filter(|way| !way.is_loopback());
    let trips = over.filter_map(|way: &Network| Some(way.round_trip?.p50_us));
    let trips: Vec<f64> = trips.collect();
    let most_us = trips.iter().copied().reduce(f64::max)?;
    let medians = targets
        .iter()
        .filter(|target| target.is_contender())
        .filter_map(|target| Some((target, target.figure(Metric::P50)?.mean?)));
    let shortest = medians.min_by(|a, b| a.1.total_cmp(&b.1));
    let beside = shortest.filter(|(_, median)| *median > 0.0);
    Some(NetworkFinding::EmptyExchange {
        least_us: trips.iter().copied().reduce(f64::min)?,
        most_us,
        beside: beside.map(|(target, median)| BesideMedian {
            target: target.target.clone(),
            share: most_us / median,
        }),
    })
}

#[cfg(test)]
mod tests {
    use photofinish_model::samples;

    use super::*;
    use crate::comparison::Comparison;

    #[test]
    fn an_empty_exchange_stands_beside_the_shortest_median() {
        let mut results = samples::race(&["a", "b"], &[&[100.0; 5], &[110.0; 5]]);
        assert_eq!(Comparison::from(&results).cells[0].network, None);
        let mut machines = samples::machines(None, None);
        results.environment.machines = Some(machines.clone());
        let says = |results: &Results| {
            let mut cells = Comparison::from(results).cells;
            let message = cells.remove(0).network.expect("there is a network");
            (message.en, message.zh)
        };
        let (en, zh) = says(&results);
        assert!(
            en.starts_with("network: each response time includes the way there and back; an empty exchange takes 300 µs: "),
            "{en}"
        );
        assert!(
            en.ends_with("% of the median of b") || en.ends_with("% of the median of a"),
            "{en}"
        );
        assert!(zh.contains("一次空交换需要 300 µs"), "{zh}");
        let mut other = machines.networks[0].clone();
        other.round_trip.as_mut().expect("one").p50_us = 90.0;
        machines.networks.push(other);
        results.environment.machines = Some(machines);
        assert!(
            says(&results).0.contains("takes 90.0 … 300 µs"),
            "{}",
            says(&results).0
        );
    }
}
