//! Whether a network link between load generator and servers was full.

use photofinish_model::message::Message;
use photofinish_model::network::{FullLink, Interface, InterfaceKind, Network};
use photofinish_model::store::Results;
use photofinish_model::{Line, Machines, Measurement};

use crate::comparison::checks::tally::{Failing, Tally};
use crate::comparison::reason::full_link;
use photofinish_voice::run_check as found;

/// What a packet takes on the wire beside what it carries: headers of TCP with timestamps (32 bytes), IP (20) and Ethernet (14), its
/// check sum (4), and what keeps packets apart (20).
const PACKET: f64 = 90.0;
/// What a packet carries at most, where packets are as long as Ethernet allows by default.
const CARRIES: f64 = 1448.0;
/// From this share of its speed on a link is full. What is counted is the least that the bytes take: acknowledgements are not known, nor
/// what is sent again.
const FULL: f64 = 0.9;

/// The servers' and the generators' machines, where load came from another machine.
fn apart(results: &Results) -> Option<&Machines> {
    let machines = results.environment.machines.as_ref()?;
    let apart = machines.networks.iter().any(|way| !way.is_loopback());
    apart.then_some(machines)
}

/// Whether load came from another machine.
pub(crate) fn is_made(results: &Results) -> bool {
    apart(results).is_some()
}

/// Counts measurements.
pub(crate) fn tally(results: &Results) -> Tally {
    let Some(machines) = apart(results) else {
        return Tally::default();
    };
    let why_not =
        ends(machines).find_map(|(machine, interface, _)| lacks_speed(machine, interface));
    let lines = || {
        results
            .lines
            .iter()
            .filter(|line| line.measurement.is_some())
    };
    let failing: Vec<Failing> = lines()
        .filter_map(|line| Some(Failing::of_line(line, full_link(&full(machines, line)?))))
        .collect();
    let of = lines().count();
    Tally {
        // One that was full is known to be, whatever is not known of the others.
        checked: match why_not {
            None => of,
            Some(_) => failing.len(),
        },
        of,
        failing,
        why_not,
        ..Tally::default()
    }
}

/// The fullest link in the rounds of one target, and the rounds in which one was full; `None` where none was.
pub(crate) fn in_rounds(results: &Results, lines: &[&Line]) -> Option<(FullLink, Vec<u32>)> {
    let machines = apart(results)?;
    let full = lines
        .iter()
        .filter_map(|line| Some((line.round, full(machines, line)?)));
    let full: Vec<(u32, FullLink)> = full.collect();
    let fullest = full.iter().max_by(|a, b| a.1.share.total_cmp(&b.1.share));
    let fullest = fullest?.1.clone();
    Some((fullest, full.into_iter().map(|(round, _)| round).collect()))
}

/// Why it cannot be said whether an interface was full; `None` where it can.
fn lacks_speed(machine: &str, interface: Option<&Interface>) -> Option<Message> {
    let known = interface.is_some_and(|interface| interface.mbit_per_s.is_some());
    (!known).then(|| match interface {
        None => found::no_interface(machine),
        Some(Interface { name, kind, .. }) => match kind {
            InterfaceKind::Loopback => found::loopback(name, machine),
            InterfaceKind::Virtual => found::virtual_link(name, machine),
            InterfaceKind::Device => found::device(name, machine),
        },
    })
}

/// The ends of all links: machine, interface, and of the generators which way it is; all of the load passes the servers'.
fn ends(machines: &Machines) -> impl Iterator<Item = (&str, Option<&Interface>, Option<&Network>)> {
    let first = machines.networks.first();
    let servers = first.map(|way| (&*machines.server, way.server_interface.as_ref(), None));
    let generators = machines.networks.iter().map(|way| {
        let interface = way.generator_interface.as_ref();
        (&*way.generator, interface, Some(way))
    });
    servers.into_iter().chain(generators)
}

/// The fullest link of a measurement; `None` where none was full, as far as that is known.
fn full(machines: &Machines, line: &Line) -> Option<FullLink> {
    let measurement = line.measurement.as_ref()?;
    let whole = wire_bits_per_s(measurement)?;
    let links = ends(machines).filter_map(|(machine, interface, way)| {
        let interface = interface?;
        let mbit_per_s = interface.mbit_per_s?;
        let part = way.map_or(1.0, |way| part(measurement, way));
        Some(FullLink {
            machine: machine.to_owned(),
            interface: interface.name.clone(),
            mbit_per_s,
            share: whole * part / (mbit_per_s as f64 * 1e6),
        })
    });
    let fullest = links.max_by(|a, b| a.share.total_cmp(&b.share))?;
    (fullest.share >= FULL).then_some(fullest)
}

/// What share of the requests a generator sent.
fn part(measurement: &Measurement, way: &Network) -> f64 {
    let mut parts = measurement.generators.iter();
    let own = parts.find(|part| part.machine == way.generator);
    own.map_or(1.0, |own| {
        own.requests as f64 / measurement.requests.max(1) as f64
    })
}

/// Bits per second that requests, or responses if those are more, take on the wire at least; `None` for an empty window.
fn wire_bits_per_s(measurement: &Measurement) -> Option<f64> {
    let takes = |bytes: u64, messages: u64| {
        let packets = (bytes as f64 / CARRIES).max(messages as f64);
        bytes as f64 + packets * PACKET
    };
    let came = takes(measurement.bytes_in, measurement.responses());
    let went = takes(measurement.bytes_out, measurement.requests);
    // Several messages may share a packet where several are in flight on a connection.
    let (came, went) = match measurement.streams {
        1 => (came, went),
        _ => (
            takes(measurement.bytes_in, 0),
            takes(measurement.bytes_out, 0),
        ),
    };
    (measurement.duration_s > 0.0).then(|| came.max(went) * 8.0 / measurement.duration_s)
}

#[cfg(test)]
mod tests {
    use photofinish_model::{Metric, check, samples};

    use photofinish_model::samples::assert_starts;

    use super::*;
    use crate::comparison::{CheckStatus, Comparison};

    fn interface(kind: InterfaceKind, mbit_per_s: Option<u64>) -> Option<Interface> {
        let name = "eth0".to_owned();
        Some(Interface {
            name,
            kind,
            mbit_per_s,
        })
    }

    /// A race whose responses take 100 Mbit/s without headers of packets, by links like this.
    fn raced(server: Option<Interface>, generator: Option<Interface>) -> Comparison {
        let mut results = samples::race(&["a", "b"], &[&[100.0; 5], &[110.0; 5]]);
        results.environment.machines = Some(samples::machines(server, generator));
        for line in &mut results.lines {
            let measurement = line.measurement.as_mut().expect("one");
            measurement.bytes_in = (100e6 / 8.0 * measurement.duration_s) as u64;
        }
        Comparison::from(&results)
    }

    fn outcome(comparison: &Comparison) -> (CheckStatus, &str) {
        let check = comparison.checks.last().expect("one");
        assert_eq!(check.name, check::LINK);
        (check.status, &check.says.en)
    }

    #[test]
    fn a_link_that_is_full_fails_and_leaves_no_verdict() {
        let device = |mbit| interface(InterfaceKind::Device, Some(mbit));
        let comparison = raced(device(10_000), device(1_000));
        assert_eq!(outcome(&comparison).0, CheckStatus::Ok);
        assert_eq!(comparison.cells[0].verdicts[0].void(), None);
        let comparison = raced(device(10_000), device(100));
        let (status, says) = outcome(&comparison);
        assert_eq!(status, CheckStatus::Failed);
        assert_starts(
            says,
            "failed in 10 of 10 measurements: the network bounded ",
        );
        // 1448 bytes take 1538 on the wire.
        let says = &comparison.checks.last().expect("one").failing[0].says.en;
        assert_eq!(
            says,
            "eth0 of load carried about 106% of its 100 Mbit/s in one direction"
        );
        for verdict in &comparison.cells[0].verdicts {
            assert!(verdict.void().is_some(), "{:?}", verdict.metric);
        }
        let verdict = comparison.cells[0].verdicts.iter();
        let mut verdict = verdict.filter(|verdict| verdict.metric == Metric::Throughput);
        let void = verdict.next().expect("one").void().expect("it is void");
        assert_eq!(
            void.reason.en,
            "eth0 of load carried about 106% of its 100 Mbit/s in one direction, which bounded a (rounds 1–5)"
        );
    }

    #[test]
    fn a_link_without_a_speed_is_not_checked() {
        let veth = || interface(InterfaceKind::Virtual, None);
        let comparison = raced(veth(), veth());
        let expected = "not checked: eth0 of servers is a virtual link without a speed of its own";
        assert_eq!(outcome(&comparison), (CheckStatus::NotChecked, expected));
        let comparison = raced(interface(InterfaceKind::Device, Some(100)), veth());
        assert_eq!(outcome(&comparison).0, CheckStatus::Failed);
        // On one machine there is no link.
        let lo = interface(InterfaceKind::Loopback, None);
        let comparison = raced(lo.clone(), lo);
        assert!(
            comparison
                .checks
                .iter()
                .all(|check| check.name != check::LINK)
        );
        assert_eq!(comparison.cells[0].network, None);
    }
}
