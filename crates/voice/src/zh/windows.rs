//! What the windows of all measurements show.

use photofinish_model::finding::windows::WindowsFinding;
use photofinish_model::units::thousands;

pub(crate) fn finding(finding: &WindowsFinding) -> String {
    match finding {
        WindowsFinding::AllFlat {} => "测量期间吞吐量均无突变。".to_owned(),
        WindowsFinding::Changed { count, of } => format!(
            "{} 次测量中有 {} 次在测量期间发生突变或漂移。",
            thousands(*of as f64),
            thousands(*count as f64)
        ),
    }
}
