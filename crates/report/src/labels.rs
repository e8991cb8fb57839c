//! Labels and amounts that several sections use, in both languages.

use photofinish_judge::comparison::Figure;
use photofinish_model::units::{self, Unit};
use photofinish_stats::Interval;
use photofinish_voice::label;

use crate::words::Text;

/// `round 3`.
pub(crate) fn round(number: usize) -> Text {
    Text::both(format!("round {number}"), format!("第 {number} 轮"))
}

/// `over quarkus`.
pub(crate) fn over(server: &str) -> Text {
    Text::both(format!("over {server}"), format!("对比 {server}"))
}

/// A number of rounds with its noun.
pub(crate) fn count_of_rounds(count: usize) -> Text {
    let en = units::plural(count, "round", "rounds");
    Text::both(en, format!("{} 轮", units::thousands(count as f64)))
}

/// `round 1`, or `rounds 1, 2`.
pub(crate) fn in_rounds(rounds: &[u32]) -> Text {
    let noun = if rounds.len() == 1 { "round" } else { "rounds" };
    let all: Vec<String> = rounds.iter().map(u32::to_string).collect();
    let zh = format!("第 {} 轮", all.join("、"));
    Text::both(format!("{noun} {}", all.join(", ")), zh)
}

/// A figure with its unit.
pub(crate) fn amount(unit: Unit, value: f64) -> Text {
    translated(unit.text(value))
}

/// Figures with their units in words that were made for English.
pub(crate) fn translated(en: String) -> Text {
    let zh = en
        .replace(" requests/s", " 请求/秒")
        .replace(" cores", " 核");
    let zh = zh.replace("[too wide]", "[宽于 10 倍]");
    Text::both(en, zh)
}

/// A time in microseconds.
pub(crate) fn microseconds(value: f64) -> Text {
    amount(Unit::Microseconds, value)
}

/// A rate in requests per second.
pub(crate) fn rate(value: f64) -> Text {
    amount(Unit::RequestsPerSecond, value)
}

/// The interval about a figure; words for one that bounds nothing.
pub(crate) fn interval(unit: Unit, value: f64, interval: Interval) -> Text {
    match units::is_wide(interval) {
        true => Text::from(label::too_wide()),
        false => unit.interval(value, interval).into(),
    }
}

/// A figure with its interval or its range.
pub(crate) fn figure(figure: &Figure) -> Text {
    translated(figure.text())
}

/// The interval of a share.
pub(crate) fn shares(interval: Interval) -> Text {
    let [low, high] = [interval.low, interval.high].map(units::percent);
    format!("[{low} … {high}]").into()
}

/// A ratio with its interval.
pub(crate) fn ratio(value: f64, interval: Option<Interval>) -> Text {
    let bounds = interval.map(|it| Text::from(format!(" {}", units::ratios(it))));
    Text::from(units::ratio(value)).then(bounds.unwrap_or_default())
}

/// A ratio with its interval; words for an interval that bounds nothing, and for no ratio.
pub(crate) fn measured_ratio(
    ratio: Option<f64>,
    interval: Option<Interval>,
    is_wide: bool,
) -> Text {
    match ratio {
        None => crate::words::NONE.into(),
        Some(value) if is_wide => {
            Text::from(units::ratio(value) + " ").then(Text::from(label::too_wide()))
        }
        Some(value) => self::ratio(value, interval),
    }
}

/// A difference of times with its sign.
pub(crate) fn signed_microseconds(value: f64) -> Text {
    let sign = match value {
        0.0 => "",
        ..0.0 => "−",
        _ => "+",
    };
    Text::from(sign).then(microseconds(value.abs()))
}
