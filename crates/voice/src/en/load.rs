//! Load levels and places.

use photofinish_model::Load;
use photofinish_model::finding::headline::Place;
use photofinish_model::units::thousands;

pub(crate) fn level(load: &Load) -> String {
    load.label()
}

pub(crate) fn place(Place { workload, load }: &Place) -> String {
    match workload {
        Some(workload) => format!("{workload}, {}", level(load)),
        None => level(load),
    }
}

/// Several places in a row: what follows from the one before is not said again.
pub(crate) fn following(place: &Place, before: &Place) -> String {
    match (&place.load, &before.load) {
        (Load::Closed { connections }, Load::Closed { .. })
            if place.workload == before.workload =>
        {
            thousands(f64::from(*connections))
        }
        _ => self::place(place),
    }
}
