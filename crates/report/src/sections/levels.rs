//! Workloads with several levels of one kind of load.

use photofinish_judge::comparison::Cell;
use photofinish_model::Load;

use super::source::Source;

/// The cells of one workload and kind of load, by rising level.
pub(super) struct Levels<'a> {
    pub(super) workload: &'a str,
    pub(super) is_closed: bool,
    pub(super) cells: Vec<(f64, &'a Cell)>,
}

/// Where a level stands on its axis; `None` for a kind of load that is no point of a curve.
fn level(load: &Load) -> Option<f64> {
    match load {
        Load::Closed { connections } => Some(f64::from(*connections)),
        Load::Open { rate, .. } => Some(*rate),
        _ => None,
    }
}

/// All of them.
pub(super) fn levels<'a>(source: &Source<'a>) -> Vec<Levels<'a>> {
    let mut all: Vec<Levels> = Vec::new();
    let cells = source.comparison.cells.iter();
    for cell in cells.filter(|cell| cell.targets.iter().any(|target| target.rounds > 0)) {
        let Some(at) = level(&cell.load) else {
            continue;
        };
        let is_closed = matches!(cell.load, Load::Closed { .. });
        let known = all
            .iter_mut()
            .find(|known| known.workload == cell.workload && known.is_closed == is_closed);
        match known {
            Some(known) => known.cells.push((at, cell)),
            None => all.push(Levels {
                workload: &cell.workload,
                is_closed,
                cells: vec![(at, cell)],
            }),
        }
    }
    for levels in &mut all {
        levels.cells.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    all.retain(|levels| {
        let (first, last) = (levels.cells.first(), levels.cells.last());
        first
            .zip(last)
            .is_some_and(|(first, last)| first.0 < last.0)
    });
    all
}
