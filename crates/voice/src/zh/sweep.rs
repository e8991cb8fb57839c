//! Sweeps over one variable.

use photofinish_model::finding::sweep::SweepFinding;
use photofinish_model::units::{number, percent};

pub(crate) fn finding(finding: &SweepFinding) -> String {
    match finding {
        SweepFinding::OutOfLine {
            target,
            workload,
            load,
            throughput,
            expected,
        } => {
            let off = throughput / expected - 1.0;
            let side = if off < 0.0 { "低" } else { "高" };
            format!(
                "{target}，{workload}，{}：{} 请求/秒，比按其他档位推断的 {} 请求/秒{side} {}",
                super::load::level(load),
                number(*throughput),
                number(*expected),
                percent(off.abs())
            )
        }
        SweepFinding::InLine {} => "没有离群的档位。".to_owned(),
        SweepFinding::TooFewLevels { needed } => {
            format!("档位少于 {needed} 个：太少，无法找出离群的档位。")
        }
    }
}
