//! The noise floor.

use photofinish_model::finding::noise::NoiseFinding;
use photofinish_model::units::percent;

use super::{metric, verdict};
use crate::en::noise::size;

pub(crate) fn finding(finding: &NoiseFinding) -> String {
    match finding {
        NoiseFinding::Void {
            target,
            metric,
            reason,
        } => format!(
            "{target} 与自身对照：{}无从判断：{}",
            metric::name(metric),
            verdict::void(reason)
        ),
        NoiseFinding::NothingToCompare { target, metric } => {
            format!("{target} 与自身对照：没有{}可比", metric::name(metric))
        }
        NoiseFinding::Differed {
            target,
            metric,
            by,
            interval,
            rounds,
            unseen,
        } => {
            let text = format!(
                "{target} 与自身对照：{}相差 {}",
                metric::name(metric),
                size(*by, *interval)
            );
            let unseen = unseen.map_or_else(String::new, |unseen| {
                format!("；小于 {} 的差别多半检测不出来", percent(unseen))
            });
            match interval {
                Some(_) => text + &unseen,
                None => format!("{text}（{rounds} 轮）"),
            }
        }
    }
}
