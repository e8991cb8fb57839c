//! Figures with their unit.

use photofinish_stats::Interval;
use serde_json::{Value, json};

use super::{Argument, Language};
use crate::units::{self, Unit};

/// Defines a type for each way to print a number.
macro_rules! figures {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:expr;)+) => {$(
        holding! { $(#[doc = $doc])+ $name(f64); }

        impl Argument for $name {
            fn text(&self, _language: Language) -> String {
                let text: fn(f64) -> String = $text;
                text(self.0)
            }

            fn value(&self) -> Value {
                self.0.into()
            }
        }
    )+};
}

figures! {
    /// Three significant digits.
    Figure = units::number;
    /// One decimal.
    Tenths = |value| format!("{value:.1}");
    /// Two decimals.
    Hundredths = |value| format!("{value:.2}");
    /// A ratio with three decimals.
    Ratio = units::ratio;
    /// A share as a percentage.
    Percent = units::percent;
    /// A share as a percentage without decimals: a gauge, not a figure to compare.
    WholePercent = |share| format!("{:.0}%", share * 100.0);
    /// A share as a percentage with one decimal.
    TenthsPercent = |share| format!("{:.1}%", share * 100.0);
    /// A change as a percentage with its sign.
    Change = units::change;
    /// A deviation as a percentage with its sign and one decimal.
    Deviation = |share| units::signed(share * 100.0, 1) + "%";
    /// A margin as it was given.
    Margin = units::margin;
    /// A time, from microseconds.
    Time = |us| Unit::Microseconds.text(us);
    /// A size, from bytes.
    Size = |bytes| Unit::Bytes.text(bytes);
    /// Requests per second that were measured, such as `12,345`.
    MeasuredRate = units::measured_rate;
    /// A rate that a search found, such as `12,345/s`.
    PerSecond = units::per_second;
    /// A rate with three digits, such as `12,300/s`.
    RoughRate = |rate| units::number(rate) + "/s";
    /// A rate in whole requests per second, such as `12,345/s`.
    WholeRate = |rate: f64| units::thousands(rate.round()) + "/s";
}

holding! {
    /// How long something took or will take, from seconds: `41 s`, `2 min 35 s`, `1 h 5 min`.
    Span(f64);
}

impl Argument for Span {
    fn text(&self, language: Language) -> String {
        let [h, min, s] = match language {
            Language::En => ["h", "min", "s"],
            Language::Zh => ["小时", "分", "秒"],
        };
        let whole = self.0.round() as u64;
        match (whole / 3600, whole / 60 % 60, whole % 60) {
            (0, 0, seconds) => format!("{seconds} {s}"),
            (0, minutes, 0) => format!("{minutes} {min}"),
            (0, minutes, seconds) => format!("{minutes} {min} {seconds} {s}"),
            (hours, 0, _) => format!("{hours} {h}"),
            (hours, minutes, _) => format!("{hours} {h} {minutes} {min}"),
        }
    }

    fn value(&self) -> Value {
        self.0.into()
    }
}

holding! {
    /// Requests per second with three digits and their unit.
    Rate(Interval);
}

impl From<f64> for Rate {
    fn from(rate: f64) -> Rate {
        Rate(Interval {
            low: rate,
            high: rate,
        })
    }
}

impl Argument for Rate {
    fn text(&self, language: Language) -> String {
        let Interval { low, high } = self.0;
        let unit = match language {
            Language::En => "requests/s",
            Language::Zh => "请求/秒",
        };
        match low == high {
            true => format!("{} {unit}", units::number(high)),
            false => format!("{} … {} {unit}", units::number(low), units::number(high)),
        }
    }

    fn value(&self) -> Value {
        match self.0.low == self.0.high {
            true => self.0.high.into(),
            false => json!(self.0),
        }
    }
}

holding! {
    /// A time from one microsecond figure to another.
    TimeRange(Interval);
}

impl Argument for TimeRange {
    fn text(&self, _language: Language) -> String {
        let Interval { low, high } = self.0;
        match low == high {
            true => Unit::Microseconds.text(high),
            false => Unit::Microseconds.range(low, high),
        }
    }

    fn value(&self) -> Value {
        json!(self.0)
    }
}

/// Defines a type for each way to print an interval behind a figure; there may be no interval.
macro_rules! bounds {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:expr;)+) => {$(
        holding! { $(#[doc = $doc])+ $name(Option<Interval>); }

        impl Argument for $name {
            fn text(&self, _language: Language) -> String {
                let text: fn(Interval) -> String = $text;
                self.0.map_or_else(String::new, |interval| format!(" {}", text(interval)))
            }

            fn value(&self) -> Value {
                json!(self.0)
            }
        }

        impl From<Interval> for $name {
            fn from(interval: Interval) -> $name {
                $name(Some(interval))
            }
        }
    )+};
}

/// Returns both ends in brackets.
fn ends(interval: Interval, text: fn(f64) -> String) -> String {
    format!("[{} … {}]", text(interval.low), text(interval.high))
}

bounds! {
    /// The interval of a ratio.
    RatioBounds = units::ratios;
    /// The interval of a figure with three digits.
    FigureBounds = |interval| ends(interval, units::number);
    /// The interval of a rate; an interval that is too wide has no digits.
    RateBounds = |interval| {
        units::wide(interval).unwrap_or_else(|| ends(interval, units::number))
    };
    /// The interval of a share.
    PercentBounds = |interval| ends(interval, units::percent);
    /// The interval of a change.
    ChangeBounds = |interval| ends(interval, units::change);
    /// The interval of a whole number.
    CountBounds = |interval| ends(interval, |value| units::thousands(value.round()));
}

holding! {
    /// A figure in a unit of its own.
    InUnit((Unit, f64));
}

impl Argument for InUnit {
    fn text(&self, _language: Language) -> String {
        let (unit, value) = self.0;
        unit.text(value)
    }

    fn value(&self) -> Value {
        self.0.1.into()
    }
}

holding! {
    /// The interval of a figure in a unit of its own.
    InUnitBounds((Unit, f64, Interval));
}

impl Argument for InUnitBounds {
    fn text(&self, _language: Language) -> String {
        let (unit, value, interval) = self.0;
        format!(" {}", unit.interval(value, interval))
    }

    fn value(&self) -> Value {
        json!(self.0.2)
    }
}

holding! {
    /// A difference from one value to another; plain numbers without a unit.
    DifferenceRange((Option<Unit>, Interval));
}

impl Argument for DifferenceRange {
    fn text(&self, language: Language) -> String {
        let (unit, range) = self.0;
        let text = |value: f64| match unit {
            Some(unit) => unit.text(value),
            None => units::number(value),
        };
        let (low, high) = (text(range.low), text(range.high));
        match language {
            _ if low == high => low,
            Language::En => format!("{low} to {high}"),
            Language::Zh => format!("{low} 到 {high}"),
        }
    }

    fn value(&self) -> Value {
        json!(self.0.1)
    }
}

holding! {
    /// A ratio as it was published, with its number of decimals.
    Published((f64, Option<u32>));
}

impl Argument for Published {
    fn text(&self, _language: Language) -> String {
        let (ratio, decimals) = self.0;
        units::published(ratio, decimals)
    }

    fn value(&self) -> Value {
        self.0.0.into()
    }
}
