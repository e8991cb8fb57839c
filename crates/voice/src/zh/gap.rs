//! What is not there.

use photofinish_model::finding::gap::GapFinding;

use crate::typeset::quote;

pub(crate) fn finding(finding: &GapFinding) -> String {
    match finding {
        GapFinding::Recorded { says } => quote(says),
        GapFinding::NoReason {} => "没有记录原因".to_owned(),
    }
}
