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
        let sign = if layer.more_us < 0.0 { "−" } else { "" };
        let size = layer.more_us.abs();
        let mut bounds = [layer.interval.low.abs(), layer.interval.high.abs()];
        bounds.sort_by(f64::total_cmp);
        let [low, high] = bounds.map(number);
        format!("{sign}{} {name} [{sign}{low} … {sign}{high}]", us(size))
    };
    let parts: Vec<String> = layers.iter().map(part).collect();
    let at = place.map_or_else(String::new, |place| format!(" at {}", load::place(place)));
    format!(
        "{behind} spends {} more CPU per request than {ahead}{at}: {}",
        us(more_us),
        parts.join(", ")
    )
}
