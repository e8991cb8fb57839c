//! Load levels.

use photofinish_model::Load;
use photofinish_model::units::thousands;

/// A level, such as `100 个连接` or `5,000/s`.
pub(crate) fn level(load: &Load) -> String {
    match load {
        Load::Closed { connections } => format!("{} 个连接", thousands(f64::from(*connections))),
        Load::Open { .. } => load.label(),
        Load::Capacity(search) => format!("容量（{}）", search.objective.text()),
    }
}
