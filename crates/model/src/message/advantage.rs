//! How far one server is ahead of another.

use photofinish_stats::Interval;
use serde_json::{Value, json};

use super::{Argument, Language};
use crate::Metric;
use crate::units::{number, percent};

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
    /// From this factor on, an advantage is printed as a factor and not as a percentage.
    const FACTOR: f64 = 2.0;

    /// Whether it is printed as a factor.
    pub fn is_factor(&self) -> bool {
        let factor = match self.metric.larger_is_better() {
            true => self.ratio,
            false => self.ratio.recip(),
        };
        factor >= Advantage::FACTOR
    }

    /// Returns a ratio as it is printed, without a sign.
    fn size(&self, ratio: f64) -> String {
        match (self.is_factor(), self.metric.larger_is_better()) {
            (true, true) => number(ratio),
            (true, false) => number(ratio.recip()),
            (false, true) => percent(ratio - 1.0),
            (false, false) => percent(1.0 - ratio),
        }
    }
}

impl Argument for Advantage {
    fn text(&self, language: Language) -> String {
        let size = self.size(self.ratio);
        match (self.is_factor(), language) {
            (false, _) => size,
            (true, Language::En) => size + " ×",
            (true, Language::Zh) => size + " 倍",
        }
    }

    fn value(&self) -> Value {
        json!({ "metric": self.metric, "ratio": self.ratio, "interval": self.interval })
    }
}

/// The interval of an advantage; it may have none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdvantageBounds(pub Advantage);

impl From<Advantage> for AdvantageBounds {
    fn from(advantage: Advantage) -> AdvantageBounds {
        AdvantageBounds(advantage)
    }
}

impl Argument for AdvantageBounds {
    fn text(&self, _language: Language) -> String {
        let Some(Interval { low, high }) = self.0.interval else {
            return String::new();
        };
        let (low, high) = match self.0.metric.larger_is_better() {
            true => (low, high),
            false => (high, low),
        };
        format!(" [{} … {}]", self.0.size(low), self.0.size(high))
    }

    fn value(&self) -> Value {
        json!(self.0.interval)
    }
}
