//! The searches for capacities, with the rates that they tried.

use crate::comparison::Comparison;
use photofinish_model::capacity::Found;
use photofinish_model::store::Results;

use super::{cell, target};

/// One search of a target at a capacity.
#[derive(Clone, Debug, PartialEq)]
pub struct Searched {
    /// The cell.
    pub cell: usize,
    /// The target.
    pub target: usize,
    /// The round.
    pub round: u32,
    /// What was found, with the steps by rising rate.
    pub found: Found,
}

/// The searches of all cells, in the order of the cells, targets and rounds.
pub(super) fn searches(results: &Results, comparison: &Comparison) -> Vec<Searched> {
    let mut all: Vec<Searched> = results
        .lines
        .iter()
        .filter_map(|line| {
            let mut found = line.measurement.as_ref()?.capacity.clone()?;
            (found.steps).sort_by(|a, b| a.offered_rps.total_cmp(&b.offered_rps));
            Some(Searched {
                cell: cell(comparison, &line.workload, &line.load)?,
                target: target(results, &line.target)?,
                round: line.round,
                found,
            })
        })
        .collect();
    all.sort_by_key(|search| (search.cell, search.target, search.round));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use photofinish_model::samples;

    #[test]
    fn each_search_has_its_place_and_its_steps_by_rate() {
        let mut turned = samples::found(Some(100.0), Some(101.0));
        turned.steps.reverse();
        let bound = samples::found(Some(90.0), None);
        let results = samples::capacity_race(&["a", "b"], &[&[turned], &[bound]]);
        let found = searches(&results, &Comparison::from(&results));
        let places: Vec<_> = found
            .iter()
            .map(|s| (s.cell, s.target, s.round, s.found.lower_bound().is_some()))
            .collect();
        assert_eq!(places, [(0, 0, 1, false), (0, 1, 1, true)]);
        let rates: Vec<f64> = found[0]
            .found
            .steps
            .iter()
            .map(|step| step.offered_rps)
            .collect();
        assert_eq!(rates, [100.0, 101.0]);
        let plain = samples::race(&["a", "b"], &[&[1.0], &[2.0]]);
        assert_eq!(searches(&plain, &Comparison::from(&plain)), []);
    }
}
