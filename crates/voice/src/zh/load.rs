//! Load levels and places.

use photofinish_model::Load;
use photofinish_model::finding::headline::Place;
use photofinish_model::units::{rate, thousands};

pub(crate) fn level(load: &Load) -> String {
    match load {
        Load::Closed { connections } => format!("{} 个连接", thousands(f64::from(*connections))),
        Load::Open {
            rate: per_second, ..
        } => format!("每秒 {} 个请求", rate(*per_second)),
        Load::Capacity(search) => format!("容量（{}）", search.objective.text()),
    }
}

pub(crate) fn place(Place { workload, load }: &Place) -> String {
    match workload {
        Some(workload) => format!("{workload}，{}", level(load)),
        None => level(load),
    }
}
