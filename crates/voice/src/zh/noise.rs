//! The noise floor.

use photofinish_model::finding::noise::NoiseFinding;

use super::metric;
use crate::en::noise::size;

pub(crate) fn finding(finding: &NoiseFinding) -> String {
    match finding {
        NoiseFinding::NothingToCompare { target, metric } => {
            format!("{target} 与自身对照：没有{}可比", metric::name(metric))
        }
        NoiseFinding::Differed {
            target,
            metric,
            by,
            interval,
            rounds,
        } => {
            let told = format!(
                "{target} 与自身对照：{}相差 {}",
                metric::name(metric),
                size(*by, *interval)
            );
            match interval {
                Some(_) => told,
                None => format!("{told}（{rounds} 轮）"),
            }
        }
    }
}
