//! Why distributions of response times are lacking.

use photofinish_model::finding::latency::LatencyProblem;

pub(crate) fn problem(problem: &LatencyProblem) -> String {
    match problem {
        LatencyProblem::NotThere { file } => format!("{file} is missing"),
        LatencyProblem::Unreadable { file, says } => format!("{file} cannot be read: {says}"),
        LatencyProblem::Line { file } => format!("{file} has a line that is not in its format"),
        LatencyProblem::Entry { file, tag, says } => {
            format!("{file}: the entry {tag} is not a histogram: {says}")
        }
    }
}
