//! Who is ahead while a run goes on: ratios of throughput with their intervals, from the rounds that are on disk.

use std::path::Path;

use photofinish_judge::comparison::{Cell, Comparison, Verdict};
use photofinish_model::Metric;
use photofinish_model::store::Results;
use photofinish_model::units;

/// Ratios so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SoFar {
    /// What the ratios are of, such as `a / b`.
    pub title: String,
    /// A load level and its ratio each.
    pub rows: Vec<(String, String)>,
}

/// The ratios that a results folder holds by now; `None` where there is nothing to compare yet. It is read between rounds, when
/// nothing is measured.
pub fn so_far(dir: &Path) -> Option<SoFar> {
    let results = Results::read(dir).ok()?;
    of(&Comparison::from(&results))
}

/// Of each workload and level the pair that says most: the only one, or the leader and who comes next.
fn of(comparison: &Comparison) -> Option<SoFar> {
    let cells = comparison.cells.iter();
    let reported: Vec<(&Cell, &Verdict)> =
        cells.filter_map(|cell| Some((cell, pair(cell)?))).collect();
    let (_, first) = reported.first()?;
    let same = |verdict: &Verdict| (&verdict.of, &verdict.over) == (&first.of, &first.over);
    let one_pair = reported.iter().all(|(_, verdict)| same(verdict));
    let one_workload = comparison
        .cells
        .iter()
        .all(|cell| cell.workload == comparison.cells[0].workload);
    let rows = reported.iter().map(|(cell, verdict)| {
        let place = match one_workload {
            true => cell.level.en.clone(),
            false => format!("{}, {}", cell.workload, cell.level.en),
        };
        let names = match one_pair {
            true => String::new(),
            false => format!("{} / {}: ", verdict.of, verdict.over),
        };
        (place, format!("{names}{}", ratio(verdict)))
    });
    Some(SoFar {
        title: match one_pair {
            true => format!("{} / {}", first.of, first.over),
            false => "leader / next".to_owned(),
        },
        rows: rows.collect(),
    })
}

fn pair(cell: &Cell) -> Option<&Verdict> {
    let throughput = || {
        let verdicts = cell.verdicts.iter();
        verdicts.filter(|verdict| verdict.metric == Metric::Throughput && verdict.ratio.is_some())
    };
    let gap = cell
        .lead(Metric::Throughput)
        .and_then(|lead| lead.gap.as_ref());
    let of_gap = gap.and_then(|gap| {
        throughput().find(|verdict| {
            let pair = [&verdict.of, &verdict.over];
            pair == [&gap.of, &gap.over] || pair == [&gap.over, &gap.of]
        })
    });
    // With two contenders there is one pair, and it keeps its direction from round to round.
    match throughput().count() {
        1 => throughput().next(),
        _ => of_gap,
    }
}

fn ratio(verdict: &Verdict) -> String {
    let ratio = verdict.ratio.map_or_else(|| "–".to_owned(), units::ratio);
    match verdict.interval {
        Some(interval) => format!(
            "{ratio} [{} … {}]",
            units::ratio(interval.low),
            units::ratio(interval.high)
        ),
        None => format!("{ratio} (one round)"),
    }
}

#[cfg(test)]
mod tests {
    use photofinish_model::samples;

    use super::*;

    #[test]
    fn ratios_are_those_of_the_comparison() {
        let results = samples::race(
            &["a", "b"],
            &[&[200.0, 220.0, 242.0], &[100.0, 110.0, 121.0]],
        );
        let comparison = Comparison::from(&results);
        let reported = of(&comparison).expect("two targets and three rounds");
        assert_eq!(reported.title, "a / b");
        let [(place, ratio)] = reported.rows.as_slice() else {
            panic!("{reported:?}");
        };
        assert_eq!(place, &comparison.cells[0].level.en);
        // Twice as much in every round.
        assert!(ratio.starts_with("2.000 ["), "{ratio}");
        let once = samples::race(&["a", "b"], &[&[200.0], &[100.0]]);
        let once = of(&Comparison::from(&once)).expect("one round");
        assert_eq!(once.rows[0].1, "2.000 (one round)");
        let alone = samples::race(&["a"], &[&[200.0, 210.0]]);
        assert_eq!(of(&Comparison::from(&alone)), None);
    }
}
