//! What the windows of all measurements show.

use photofinish_model::finding::windows::WindowsFinding;
use photofinish_model::units::{plural, thousands};

pub(crate) fn finding(finding: &WindowsFinding) -> String {
    match finding {
        WindowsFinding::AllFlat {} => "No throughput shifted within a measurement.".to_owned(),
        WindowsFinding::Changed { count, of } => format!(
            "{} of {} shifted or drifted within the measurement.",
            thousands(*count as f64),
            plural(*of, "measurement", "measurements")
        ),
    }
}
