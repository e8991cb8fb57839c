//! Why one target is ahead of another.

use photofinish_model::finding::because::Because;
use photofinish_model::units::{number, percent};

use super::{load, metric};

/// From so many times on a difference is a factor, and below a percentage.
const FACTOR: f64 = 2.0;

pub(crate) fn because(because: &Because) -> String {
    let Because::TakesMore {
        ahead,
        behind,
        metric,
        ratio,
        interval,
        ahead_takes,
        behind_takes,
        place,
    } = because;
    let name = metric::name(metric);
    let more = match *ratio >= FACTOR {
        true => format!(
            "{behind} 每个请求的{name}是 {ahead} 的 {} 倍 [{} … {}]",
            number(*ratio),
            number(interval.low),
            number(interval.high)
        ),
        false => format!(
            "{behind} 每个请求的{name}比 {ahead} 多 {} [{} … {}]",
            percent(ratio - 1.0),
            percent(interval.low - 1.0),
            percent(interval.high - 1.0)
        ),
    };
    let unit = metric.unit();
    let at = place
        .as_ref()
        .map_or_else(String::new, |place| format!("{}时，", load::place(place)));
    format!(
        "{at}{more}：{} 对 {}",
        unit.text(*behind_takes),
        unit.text(*ahead_takes)
    )
}
