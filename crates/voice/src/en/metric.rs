//! The names of metrics, as they stand in tables and sentences.

use photofinish_model::Metric;
use photofinish_model::message::Language;

pub(crate) fn name(metric: &Metric) -> &'static str {
    metric.name(Language::En)
}
