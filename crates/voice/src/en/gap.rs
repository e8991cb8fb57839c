//! What is not there.

use photofinish_model::finding::gap::GapFinding;

pub(crate) fn finding(finding: &GapFinding) -> String {
    match finding {
        GapFinding::Recorded { says } => says.clone(),
        GapFinding::NoReason {} => "no reason was recorded".to_owned(),
    }
}
