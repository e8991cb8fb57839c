//! How far one server is ahead of another.

use photofinish_stats::Interval;
use serde_json::{Value, json};

use super::{Argument, Language};
use crate::Metric;
use crate::units::{change, number, percent};

/// By how much one server is ahead of another in a metric; without the interval, which [`AdvantageBounds`] prints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Advantage {
    /// The metric that is compared.
    pub metric: Metric,
    /// The figure of the server that is ahead / that of the other: above 1 for throughput, below 1 for times.
    pub ratio: f64,
    /// The ratio's interval.
    pub interval: Option<Interval>,
}

impl Advantage {
    /// From this factor on, an advantage in throughput is printed as a factor and not as a percentage.
    const FACTOR: f64 = 1.2;

    /// Whether it is printed as a factor. A time that is lower is always a percentage: "2.10× lower" means nothing.
    pub fn is_factor(&self) -> bool {
        self.metric.larger_is_better() && self.ratio >= Advantage::FACTOR
    }

    /// Returns a ratio as it is printed, without a sign.
    fn size(&self, ratio: f64) -> String {
        match (self.is_factor(), self.metric.larger_is_better()) {
            (true, _) => number(ratio),
            (false, true) => percent(ratio - 1.0),
            (false, false) => percent(1.0 - ratio),
        }
    }

    /// Returns the ends of the interval as they are printed, the smaller advantage first.
    fn ends(&self) -> Option<[String; 2]> {
        let Interval { low, high } = self.interval?;
        let ends = match self.metric.larger_is_better() {
            true => [low, high],
            false => [high, low],
        };
        Some(ends.map(|end| self.size(end)))
    }
}

impl Argument for Advantage {
    fn text(&self, language: Language) -> String {
        let size = self.size(self.ratio);
        match (self.is_factor(), language) {
            (false, _) => size,
            (true, Language::En) => size + "×",
            (true, Language::Zh) => size + " 倍",
        }
    }

    fn value(&self) -> Value {
        json!({ "metric": self.metric, "ratio": self.ratio, "interval": self.interval })
    }
}

holding! {
    /// The interval of an advantage; it may have none.
    AdvantageBounds(Advantage);
}

impl Argument for AdvantageBounds {
    fn text(&self, _language: Language) -> String {
        let ends = self.0.ends();
        ends.map_or_else(String::new, |[low, high]| format!(" [{low} … {high}]"))
    }

    fn value(&self) -> Value {
        json!(self.0.interval)
    }
}

holding! {
    /// The interval of an advantage as a headline states it: `, 95% CI 1.47–1.49`. It may have none.
    Confidence(Advantage);
}

impl Argument for Confidence {
    fn text(&self, language: Language) -> String {
        let Some([low, high]) = self.0.ends() else {
            return String::new();
        };
        // One per cent sign for both: 7.9–12.2%.
        let low = low.strip_suffix('%').unwrap_or(&low);
        match language {
            Language::En => format!(", 95% CI {low}–{high}"),
            Language::Zh => format!("，95% 置信区间 {low}–{high}"),
        }
    }

    fn value(&self) -> Value {
        json!(self.0.interval)
    }
}

holding! {
    /// The interval of a ratio that may lie on either side of 1, as changes: `, 95% CI −0.31% to +0.82%`. There may be none.
    ChangeConfidence(Option<Interval>);
}

impl Argument for ChangeConfidence {
    fn text(&self, language: Language) -> String {
        let Some(Interval { low, high }) = self.0 else {
            return String::new();
        };
        let [low, high] = [low, high].map(|end| change(end - 1.0));
        match language {
            Language::En => format!(", 95% CI {low} to {high}"),
            Language::Zh => format!("，95% 置信区间 {low} 到 {high}"),
        }
    }

    fn value(&self) -> Value {
        json!(self.0)
    }
}
