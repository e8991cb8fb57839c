//! Why one target is ahead of another.

use photofinish_model::Metric;
use photofinish_model::finding::because::{Because, LayerMore};
use photofinish_model::finding::headline::Place;
use photofinish_model::units::{Unit, number, percent};

use super::{load, metric};

/// From so many times on a difference is a factor, and below a percentage.
const FACTOR: f64 = 2.0;

pub(crate) fn because(because: &Because) -> String {
    let (ahead, behind, metric, ratio, interval, ahead_takes, behind_takes, place) = match because {
        Because::SpendsMore {
            ahead,
            behind,
            more_us,
            layers,
            place,
        } => return spends_more(ahead, behind, *more_us, layers, place.as_ref()),
        Because::TakesMore {
            ahead,
            behind,
            metric,
            ratio,
            interval,
            ahead_takes,
            behind_takes,
            place,
        } => (
            ahead,
            behind,
            metric,
            ratio,
            interval,
            ahead_takes,
            behind_takes,
            place,
        ),
    };
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

fn spends_more(
    ahead: &str,
    behind: &str,
    more_us: f64,
    layers: &[LayerMore],
    place: Option<&Place>,
) -> String {
    let us = |us: f64| Unit::Microseconds.text(us);
    let part = |layer: &LayerMore| {
        let name = metric::name(&Metric::of_layer(layer.layer));
        let more = if layer.more_us < 0.0 { "少" } else { "多" };
        let mut bounds = [layer.interval.low.abs(), layer.interval.high.abs()];
        bounds.sort_by(f64::total_cmp);
        let [low, high] = bounds.map(number);
        format!("{name}{more} {} [{low} … {high}]", us(layer.more_us.abs()))
    };
    let parts: Vec<String> = layers.iter().map(part).collect();
    let at = place.map_or_else(String::new, |place| format!("{}时，", load::place(place)));
    format!(
        "{at}{behind} 每个请求比 {ahead} 多用 {} CPU 时间：{}",
        us(more_us),
        parts.join("，")
    )
}
