//! How throughput scales with connections.

use photofinish_model::finding::scaling::ScalingFinding;
use photofinish_model::units::{percent, thousands};

pub(crate) fn finding(finding: &ScalingFinding) -> String {
    let whole = |value: f64| thousands(value.round());
    match finding {
        ScalingFinding::DoesNotFit { target, residual } => {
            format!(
                "{target}：该定律不能描述这些数据（偏离 {}）",
                percent(*residual)
            )
        }
        ScalingFinding::NoPeak { target, largest } => format!(
            "{target}：直到 {} 个连接，吞吐量没有峰值",
            thousands(f64::from(*largest))
        ),
        ScalingFinding::PeakUnknown { target } => format!("{target}：数据看不出峰值"),
        ScalingFinding::PeakBeyond {
            target,
            connections,
        } => format!(
            "{target}：吞吐量的峰值在所测负载之外，约 {} 个连接处",
            whole(*connections)
        ),
        ScalingFinding::Peak {
            target,
            connections,
            interval,
        } => format!(
            "{target}：吞吐量在约 {} 个连接时达到峰值 [{} … {}]",
            whole(*connections),
            whole(interval.low),
            whole(interval.high)
        ),
        ScalingFinding::TooFewLevels { levels, needed } => {
            format!("没有拟合：至少需要 {needed} 个连接数档位，这里只有 {levels} 个。")
        }
        ScalingFinding::NotFitted { target } => format!("{target}：其数据无法拟合"),
    }
}
