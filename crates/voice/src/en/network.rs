//! What of response times is the network's.

use photofinish_model::finding::network::NetworkFinding;
use photofinish_model::network::FullLink;
use photofinish_model::units::{Unit, percent, thousands};

pub(crate) fn finding(finding: &NetworkFinding) -> String {
    let NetworkFinding::EmptyExchange {
        least_us,
        most_us,
        beside,
    } = finding;
    let beside = beside.as_ref().map_or_else(String::new, |beside| {
        format!(
            ": {} of the median of {}",
            percent(beside.share),
            beside.target
        )
    });
    format!(
        "network: each response time includes the way there and back; an empty exchange takes {}{beside}",
        Unit::Microseconds.range(*least_us, *most_us)
    )
}

/// How full a link was.
pub(crate) fn full_link(link: &FullLink) -> String {
    format!(
        "{} of {} carried about {} of its {} Mbit/s in one direction",
        link.interface,
        link.machine,
        percent(link.share),
        thousands(link.mbit_per_s as f64)
    )
}
