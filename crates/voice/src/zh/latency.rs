//! Why distributions of response times are lacking.

use photofinish_model::finding::latency::LatencyProblem;

use crate::typeset::quote;

pub(crate) fn problem(problem: &LatencyProblem) -> String {
    match problem {
        LatencyProblem::NotThere { file } => format!("没有 {} 文件", quote(file)),
        LatencyProblem::Unreadable { file, says } => {
            format!("无法读取 {}：{}", quote(file), quote(says))
        }
        LatencyProblem::Line { file } => format!("{} 中有一行格式不对", quote(file)),
        LatencyProblem::Entry { file, tag, says } => format!(
            "{} 中的条目 {} 不是直方图：{}",
            quote(file),
            quote(tag),
            quote(says)
        ),
    }
}
