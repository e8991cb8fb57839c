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
            "，是 {} 的中位数的 {}",
            beside.target,
            percent(beside.share)
        )
    });
    format!(
        "网络：每个响应时间都包含往返路程；一次空交换需要 {}{beside}",
        Unit::Microseconds.range(*least_us, *most_us)
    )
}

/// How full a link was.
pub(crate) fn full_link(link: &FullLink) -> String {
    format!(
        "{} 的 {} 在一个方向上约用了其 {} Mbit/s 的 {}",
        link.machine,
        link.interface,
        thousands(link.mbit_per_s as f64),
        percent(link.share)
    )
}
