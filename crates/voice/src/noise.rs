//! The noise floor in words.

use photofinish_model::finding::noise::NoiseFinding;

use crate::en;

/// The difference with its interval, such as `0.8% [−0.4% … 2.1%]`; empty where there is nothing to compare.
pub fn size(finding: &NoiseFinding) -> String {
    match finding {
        NoiseFinding::Void { .. } | NoiseFinding::NothingToCompare { .. } => String::new(),
        NoiseFinding::Differed { by, interval, .. } => en::noise::size(*by, *interval),
    }
}
