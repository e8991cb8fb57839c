//! Numbers as people read them: three significant digits, thousands separators, a unit.

use photofinish_stats::Interval;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What stands for a number that is none.
const NONE: &str = "–";

/// What stands before a number below zero: a minus sign, not a hyphen.
const MINUS: char = '−';

/// What a figure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Requests per second.
    RequestsPerSecond,
    /// Microseconds.
    Microseconds,
    /// How often per request.
    PerRequest,
    /// Cores that were busy.
    Cores,
    /// Bytes.
    Bytes,
    /// Bytes per second; shown in MB of 1,000,000 bytes, as networks are.
    BytesPerSecond,
    /// Whole things.
    Count,
    /// A part of a whole, 0 to 1; shown in percent.
    Share,
}

/// A factor from the unit in which a figure is kept to the one in which it is read.
#[derive(Clone, Copy)]
struct Scale {
    divisor: f64,
    name: &'static str,
}

impl Unit {
    /// A figure with its unit, such as `210,000 requests/s` or `1.25 ms`.
    pub fn text(self, value: f64) -> String {
        if !value.is_finite() {
            return NONE.to_owned();
        }
        self.scale(value).text(self, value)
    }

    /// A figure with its interval in the same unit, such as `475 µs [470 … 481]`; `[too wide]` for one that bounds nothing.
    pub fn with_interval(self, value: f64, interval: Option<Interval>) -> String {
        match interval {
            Some(interval) => {
                let bounds = wide(interval).unwrap_or_else(|| self.interval(value, interval));
                format!("{} {bounds}", self.text(value))
            }
            None => self.text(value),
        }
    }

    /// A figure in the unit in which a larger one is printed, so that figures of a column compare at a glance: `0.52 ms` above `1.1 ms`.
    pub fn text_like(self, value: f64, like: f64) -> String {
        match value.is_finite() {
            true => self.scale(like).text(self, value),
            false => NONE.to_owned(),
        }
    }

    /// From the smallest to the largest, such as `14.0 … 62.0 ms`; one figure where they read the same.
    pub fn range(self, min: f64, max: f64) -> String {
        let divisor = self.scale(max).divisor;
        let low = self.digits(min / divisor);
        if low == self.digits(max / divisor) {
            return self.text(max);
        }
        format!("{low} … {}", self.text(max))
    }

    /// The interval about a figure, in the figure's unit but without its name: `[470 … 481]`.
    pub fn interval(self, value: f64, interval: Interval) -> String {
        let divisor = self.scale(value).divisor;
        format!(
            "[{} … {}]",
            self.digits(interval.low / divisor),
            self.digits(interval.high / divisor)
        )
    }

    /// The figure alone.
    fn digits(self, value: f64) -> String {
        match self {
            Unit::Count => thousands(value),
            _ => number(value),
        }
    }

    fn scale(self, value: f64) -> Scale {
        let scale = |divisor, name| Scale { divisor, name };
        // By what is shown: 999.7 µs are 1.00 ms.
        let shown = three_digits(value).abs();
        match self {
            Unit::RequestsPerSecond => scale(1.0, " requests/s"),
            Unit::Microseconds if shown < 1e3 => scale(1.0, " µs"),
            Unit::Microseconds if shown < 1e6 => scale(1e3, " ms"),
            Unit::Microseconds => scale(1e6, " s"),
            Unit::Bytes if shown < 1024.0 => scale(1.0, " B"),
            Unit::Bytes if shown < 1024.0 * 1024.0 => scale(1024.0, " KiB"),
            Unit::Bytes if shown < 1024.0 * 1024.0 * 1024.0 => scale(1024.0 * 1024.0, " MiB"),
            Unit::Bytes => scale(1024.0 * 1024.0 * 1024.0, " GiB"),
            Unit::BytesPerSecond if shown < 1e3 => scale(1.0, " B/s"),
            Unit::BytesPerSecond if shown < 1e6 => scale(1e3, " kB/s"),
            Unit::BytesPerSecond => scale(1e6, " MB/s"),
            Unit::Cores => scale(1.0, " cores"),
            Unit::PerRequest | Unit::Count => scale(1.0, ""),
            Unit::Share => scale(0.01, "%"),
        }
    }
}

impl Scale {
    fn text(self, unit: Unit, value: f64) -> String {
        format!("{}{}", unit.digits(value / self.divisor), self.name)
    }
}

/// A number with three significant digits, such as `210,000`, `6.70` or `0.0123`. A number that
/// is none is `–`.
pub fn number(value: f64) -> String {
    if !value.is_finite() {
        return NONE.to_owned();
    }
    let value = three_digits(value);
    let size = value.abs();
    if size == 0.0 {
        "0".to_owned()
    } else if size >= 100.0 {
        thousands(value)
    } else {
        // Nine decimals at most: what is smaller is none of our figures.
        let decimals = (2.0 - size.log10().floor()).clamp(0.0, 9.0);
        fixed(value, decimals as usize)
    }
}

/// A ratio with three decimals, such as `1.067`; with three digits where it is below 0.1 or from 10.
pub fn ratio(value: f64) -> String {
    if (0.1..10.0).contains(&value) {
        fixed(value, 3)
    } else {
        number(value)
    }
}

/// The ends of a ratio's interval, such as `[1.052 … 1.081]`: one that excludes 1 by less than these digits show has more of them.
pub fn ratios(interval: Interval) -> String {
    let excludes = interval.low > 1.0 || interval.high < 1.0;
    let end = |value: f64| {
        let shown = ratio(value);
        let is_one = |text: &str| text == fixed(1.0, text.len().saturating_sub(2));
        match excludes && is_one(&shown) {
            false => shown,
            true => (4..=9)
                .map(|decimals| fixed(value, decimals))
                .find(|text| !is_one(text))
                .unwrap_or(shown),
        }
    };
    format!("[{} … {}]", end(interval.low), end(interval.high))
}

/// A ratio as it was published, with so many decimals; as any ratio where that is not known.
pub fn published(value: f64, decimals: Option<u32>) -> String {
    match decimals {
        Some(decimals) => fixed(value, decimals.min(9) as usize),
        None => ratio(value),
    }
}

/// A share as a percentage, such as `6.7%`; two decimals below one per cent.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if !percent.is_finite() {
        NONE.to_owned()
    } else if percent.abs() < 0.005 {
        let text = if percent > 0.0 { "<0.01%" } else { "0.00%" };
        text.to_owned()
    } else if percent.abs() >= 99.95 {
        format!("{}%", thousands(percent))
    } else if percent.abs() >= 0.995 {
        fixed(percent, 1) + "%"
    } else {
        fixed(percent, 2) + "%"
    }
}

/// A change with its sign: `+396%`, `−4.2%`, `−0.31%`.
pub fn change(share: f64) -> String {
    const MOST: f64 = 100_000.0;
    let percent = share * 100.0;
    if percent.is_nan() {
        return NONE.to_owned();
    }
    let size = percent.abs();
    if size > MOST {
        return format!("more than +{}%", thousands(MOST));
    }
    let digits = match size {
        9.95.. => thousands(size),
        0.995.. => format!("{size:.1}"),
        _ => format!("{size:.2}"),
    };
    let sign = match percent {
        _ if digits == "0.00" => '±',
        ..0.0 => MINUS,
        _ => '+',
    };
    format!("{sign}{digits}%")
}

/// A ratio as a difference with half of its interval, in per cent: `+48.1% ±0.7`, `−34% ±1`. Both have the digits that the interval
/// bears; without one the difference has two.
pub fn difference(ratio: f64, interval: Option<Interval>) -> String {
    /// From this ratio on a difference is a factor.
    const FACTOR: f64 = 10.0;
    if !ratio.is_finite() {
        return NONE.to_owned();
    }
    let half = interval.map(|interval| (interval.high - interval.low) / 2.0);
    if ratio >= FACTOR {
        let half = half.map_or_else(String::new, |half| format!(" ±{}", number(half)));
        return format!("{}×{half}", number(ratio));
    }
    let percent = (ratio - 1.0) * 100.0;
    let half = half.map(|half| half * 100.0);
    let decimals = match (half, percent.abs()) {
        (Some(half), _) if half >= 0.95 => 0,
        (Some(half), _) if half >= 0.095 => 1,
        (Some(half), _) if half > 0.0 => 2,
        (_, 9.95..) => 0,
        _ => 1,
    };
    let change = fixed(percent.abs(), decimals);
    let sign = match change.chars().any(|c| ('1'..='9').contains(&c)) {
        false => "",
        true if percent < 0.0 => "−",
        true => "+",
    };
    let half = half.map_or_else(String::new, |half| format!(" ±{}", fixed(half, decimals)));
    format!("{sign}{change}%{half}")
}

/// A rate with four significant digits, such as `189,800`: intervals of less than 1% differ in the fourth.
pub fn rate_of_four(per_second: f64) -> String {
    if !per_second.is_finite() {
        return NONE.to_owned();
    }
    let four: f64 = format!("{per_second:.3e}").parse().unwrap_or(per_second);
    match four.abs() {
        0.0 => "0".to_owned(),
        1000.0.. => thousands(four),
        size => fixed(four, (3.0 - size.log10().floor()).clamp(0.0, 9.0) as usize),
    }
}

/// A margin as it was given: `2%`, `0.5%`.
pub fn margin(share: f64) -> String {
    format!("{}%", (share * 1e6).round() / 1e4)
}

/// A rate that was asked for, such as `5,000` or `1,333.33`: in full where it is whole, else with two decimals; below 0.01
/// with three digits, so that no rate is 0.
pub fn rate(per_second: f64) -> String {
    if per_second > 0.0 && per_second < 0.01 {
        let decimals = 2.0 - per_second.log10().floor();
        let text = format!("{per_second:.*}", decimals as usize);
        return text.trim_end_matches('0').to_owned();
    }
    let whole = thousands(per_second.trunc());
    let rest = format!("{:.2}", per_second.abs().fract());
    match rest.trim_start_matches('0').trim_end_matches('0') {
        "." => whole,
        // Just below the next whole number.
        _ if rest.starts_with('1') => thousands(per_second),
        rest => whole + rest,
    }
}

/// A rate that a search found, such as `12,345/s`; below 100 with a digit after the point, so that rates 2% apart differ.
pub fn per_second(rate: f64) -> String {
    match rate < 99.95 {
        true => format!("{rate:.1}/s"),
        false => format!("{}/s", thousands(rate.round())),
    }
}

/// A rate that was measured, such as `12,345`; below 10 with two decimals, so that a rate of one in a while is not 0.
pub fn measured_rate(rate: f64) -> String {
    match rate > 0.0 && rate < 9.995 {
        true => format!("{rate:.2}"),
        false => thousands(rate),
    }
}

/// A whole number with thousands separators.
pub fn thousands(value: f64) -> String {
    if !value.is_finite() {
        return NONE.to_owned();
    }
    let digits = format!("{:.0}", value.abs());
    let mut text = String::new();
    if value < 0.0 && digits != "0" {
        text.push(MINUS);
    }
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `one` of a thing, or several.
pub fn plural(count: usize, one: &str, several: &str) -> String {
    let noun = if count == 1 { one } else { several };
    format!("{} {noun}", thousands(count as f64))
}

/// A number with its sign, `+` too, and so many decimals: `−61.4`.
pub fn signed(value: f64, decimals: usize) -> String {
    with_minus(format!("{value:+.decimals$}"))
}

/// With so many decimals.
fn fixed(value: f64, decimals: usize) -> String {
    with_minus(format!("{value:.decimals$}"))
}

fn with_minus(text: String) -> String {
    match text.strip_prefix('-') {
        Some(size) => format!("{MINUS}{size}"),
        None => text,
    }
}

fn three_digits(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

/// What stands for an interval that bounds nothing, because its ends are more than 10 times apart: its digits would only look
/// exact. `None`: it bounds something.
pub fn wide(interval: Interval) -> Option<String> {
    is_wide(interval).then(|| "[too wide]".to_owned())
}

/// Whether an interval's ends are more than 10 times apart, so that it says nothing of a size.
pub fn is_wide(interval: Interval) -> bool {
    const WIDE: f64 = 10.0;
    interval.high > interval.low * WIDE
}

#[cfg(test)]
mod rates {
    #[test]
    fn a_small_rate_is_not_nothing() {
        let texts = [0.0, 0.333, 1.0, 9.994, 9.996, 74.4, 12_345.6].map(super::measured_rate);
        assert_eq!(texts, ["0", "0.33", "1.00", "9.99", "10", "74", "12,346"]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cases that the page's formatting is held to as well (`web/src/format.test.ts`).
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Cases {
        number: Vec<(Option<f64>, String)>,
        ratio: Vec<(Option<f64>, String)>,
        percent: Vec<(Option<f64>, String)>,
        thousands: Vec<(Option<f64>, String)>,
        text: Vec<(Unit, Option<f64>, String)>,
        range: Vec<(Unit, f64, f64, String)>,
        interval: Vec<(Unit, f64, f64, f64, String)>,
    }

    #[test]
    fn a_change_has_a_sign_and_no_digits_that_say_nothing() {
        let shown = [
            3.96,
            -0.43,
            0.052,
            -0.003_14,
            0.0,
            -0.000_01,
            1.0,
            1e9,
            f64::INFINITY,
        ];
        assert_eq!(
            shown.map(change),
            [
                "+396%",
                "−43%",
                "+5.2%",
                "−0.31%",
                "±0.00%",
                "±0.00%",
                "+100%",
                "more than +100,000%",
                "more than +100,000%"
            ]
        );
        assert_eq!(change(f64::NAN), NONE);
    }

    #[test]
    fn numbers_read_as_the_cases_say() {
        let cases: Cases =
            serde_json::from_str(include_str!("../cases/numbers.json")).expect("the cases");
        // JSON has no NaN.
        let or_nan = |value: Option<f64>| value.unwrap_or(f64::NAN);
        type Format = fn(f64) -> String;
        let plain: [(Format, _); 4] = [
            (number, cases.number),
            (ratio, cases.ratio),
            (percent, cases.percent),
            (thousands, cases.thousands),
        ];
        for (format, cases) in plain {
            for (value, text) in cases {
                assert_eq!(format(or_nan(value)), text, "{value:?}");
            }
        }
        for (unit, value, text) in cases.text {
            assert_eq!(unit.text(or_nan(value)), text, "{unit:?} {value:?}");
        }
        for (unit, min, max, text) in cases.range {
            assert_eq!(unit.range(min, max), text);
        }
        for (unit, value, low, high, text) in cases.interval {
            assert_eq!(unit.interval(value, Interval { low, high }), text);
        }
    }

    #[test]
    fn a_difference_has_the_digits_of_its_interval() {
        let shown = |ratio, low, high| difference(ratio, Interval::new(low, high));
        assert_eq!(shown(1.4806, 1.473, 1.487), "+48.1% ±0.7");
        assert_eq!(shown(0.66, 0.65, 0.67), "−34% ±1");
        assert_eq!(shown(1.0004, 0.9997, 1.0011), "+0.04% ±0.07");
        assert_eq!(shown(1.0004, 0.99, 1.01), "0% ±1");
        assert_eq!(shown(1.0, 1.0, 1.0), "0.0% ±0.0");
        assert_eq!(difference(1.482, None), "+48%");
        assert_eq!(difference(0.985, None), "−1.5%");
        assert_eq!(shown(12.34, 12.0, 12.7), "12.3× ±0.350");
        assert_eq!(difference(f64::NAN, None), NONE);
    }

    #[test]
    fn figures_of_a_column_share_a_unit() {
        let text = |us| Unit::Microseconds.text_like(us, 1_100.0);
        assert_eq!([520.0, 1_100.0].map(text), ["0.520 ms", "1.10 ms"]);
        let rates = [189_812.3, 9_994.9, 12.345, 0.0, f64::NAN].map(rate_of_four);
        assert_eq!(rates, ["189,800", "9,995", "12.35", "0", NONE]);
    }

    #[test]
    fn an_interval_has_its_figure_s_unit() {
        let interval = Interval {
            low: 950.0,
            high: 1100.0,
        };
        assert_eq!(
            Unit::Microseconds.with_interval(1020.0, Some(interval)),
            "1.02 ms [0.950 … 1.10]"
        );
        assert_eq!(Unit::Microseconds.with_interval(1020.0, None), "1.02 ms");
    }

    #[test]
    fn numbers_with_their_sign() {
        let shown = [0.0, 3.25, -61.37].map(|value| signed(value, 1));
        assert_eq!(shown, ["+0.0", "+3.2", "−61.4"]);
    }

    #[test]
    fn rates_that_were_asked_for() {
        let rates = [5000.0, 4000.0 / 3.0, 0.5, 1333.999, 12.5].map(rate);
        assert_eq!(rates, ["5,000", "1,333.33", "0.5", "1,334", "12.5"]);
        let low = [0.0, 0.01, 0.001, 1.0 / 3e5, 1e-9].map(rate);
        assert_eq!(low, ["0", "0.01", "0.001", "0.00000333", "0.000000001"]);
    }
}
