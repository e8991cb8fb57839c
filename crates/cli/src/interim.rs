//! Who is ahead while a run goes on: ratios of throughput with their intervals, from the rounds that are on disk.

use std::path::Path;

use photofinish_judge::comparison::{Cell, Comparison, Verdict};
use photofinish_model::Metric;
use photofinish_model::store::Results;
use photofinish_model::units;

/// Ratios so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InterimRatios {
    /// What the ratios are of, such as `a / b`.
    pub title: String,
    /// The ratio of each load level.
    pub rows: Vec<InterimRatio>,
}

/// The ratio at a load level.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InterimRatio {
    /// The level.
    pub place: String,
    /// The ratio with its interval in words.
    pub ratio: String,
    /// The ratio and the ends of its interval, if it has one.
    pub ends: Option<(f64, [f64; 2])>,
}

/// The narrowest axis that is drawn.
const NARROWEST: usize = 12;

impl InterimRatios {
    /// Each ratio with its interval on one axis of so many columns, with a line at 1; empty without room or interval.
    pub fn axes(&self, columns: usize, unicode: bool) -> Vec<String> {
        let ends = || self.rows.iter().filter_map(|row| row.ends);
        let low = ends().map(|(_, [low, _])| low).fold(0.98, f64::min);
        let high = ends().map(|(_, [_, high])| high).fold(1.02, f64::max);
        let is_drawable = columns >= NARROWEST && low > 0.0 && high.is_finite();
        let at = |ratio: f64| {
            let share = (ratio / low).ln() / (high / low).ln();
            (share.clamp(0.0, 1.0) * (columns.max(1) - 1) as f64).round() as usize
        };
        let [line, bar, mark] = match unicode {
            true => ['│', '─', '●'],
            false => ['|', '-', 'o'],
        };
        let axis = |row: &InterimRatio| {
            let Some((ratio, [low, high])) = row.ends.filter(|_| is_drawable) else {
                return String::new();
            };
            let mut axis = vec![' '; columns];
            axis[at(1.0)] = line;
            axis[at(low)..=at(high)].fill(bar);
            axis[at(ratio)] = mark;
            let text: String = axis.into_iter().collect();
            text.trim_end().to_owned()
        };
        self.rows.iter().map(axis).collect()
    }
}

/// The ratios that a results folder holds by now; `None` where there is nothing to compare yet. It is read between rounds, when
/// nothing is measured.
pub fn interim_ratios(dir: &Path) -> Option<InterimRatios> {
    let results = Results::read(dir).ok()?;
    of(&Comparison::from(&results))
}

/// Of each workload and level the pair that says most: the only one, or the leader and who comes next.
fn of(comparison: &Comparison) -> Option<InterimRatios> {
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
        InterimRatio {
            place,
            ratio: format!("{names}{}", ratio(verdict)),
            ends: verdict
                .ratio
                .zip(verdict.interval.map(|it| [it.low, it.high])),
        }
    });
    Some(InterimRatios {
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
    fn a_ratio_lies_on_an_axis_with_its_interval_and_a_line_at_one() {
        let row = |ratio, low, high| InterimRatio {
            ends: Some((ratio, [low, high])),
            ..InterimRatio::default()
        };
        let interim = InterimRatios {
            title: String::new(),
            // As logarithms from 1 / 2 to 2: 1 lies in the middle.
            rows: vec![
                row(2.0, 2.0, 2.0),
                row(1.0, 0.5, 2.0),
                InterimRatio::default(),
            ],
        };
        assert_eq!(
            interim.axes(13, true),
            ["      │     ●", "──────●──────", ""]
        );
        assert_eq!(interim.axes(13, false)[0], "      |     o");
        assert_eq!(interim.axes(5, true), ["", "", ""]);
    }

    #[test]
    fn ratios_are_those_of_the_comparison() {
        let results = samples::race(
            &["a", "b"],
            &[&[200.0, 220.0, 242.0], &[100.0, 110.0, 121.0]],
        );
        let comparison = Comparison::from(&results);
        let reported = of(&comparison).expect("two targets and three rounds");
        assert_eq!(reported.title, "a / b");
        let [row] = reported.rows.as_slice() else {
            panic!("{reported:?}");
        };
        assert_eq!(row.place, comparison.cells[0].level.en);
        // Twice as much in every round.
        assert!(row.ratio.starts_with("2.000 ["), "{row:?}");
        let once = samples::race(&["a", "b"], &[&[200.0], &[100.0]]);
        let once = of(&Comparison::from(&once)).expect("one round");
        assert_eq!(once.rows[0].ratio, "2.000 (one round)");
        let alone = samples::race(&["a"], &[&[200.0, 210.0]]);
        assert_eq!(of(&Comparison::from(&alone)), None);
    }
}
