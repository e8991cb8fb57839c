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
            "{behind} takes {} × the {name} per request of {ahead} [{} … {}]",
            number(*ratio),
            number(interval.low),
            number(interval.high)
        ),
        false => format!(
            "{behind} takes {} more {name} per request than {ahead} [{} … {}]",
            percent(ratio - 1.0),
            percent(interval.low - 1.0),
            percent(interval.high - 1.0)
        ),
    };
    let unit = metric.unit();
    let at = place
        .as_ref()
        .map_or_else(String::new, |place| format!(" at {}", load::place(place)));
    format!(
        "{more}{at}: {} against {}",
        unit.text(*behind_takes),
        unit.text(*ahead_takes)
    )
}
