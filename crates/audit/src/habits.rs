//! What single tools are known to do, where a table cannot express it.

mod spectrum;

use crate::figure::{Figure, Scan};
use crate::finding::{Rule, Severity};
use crate::layout::Habit;
use crate::record::Scope;
use crate::rules::percentile;
use crate::sheet::{Sheet, both};
use crate::view::View;

/// Checks what the layout's tool is known for.
pub fn check(run: View<'_>, sheet: &mut Sheet) {
    for habit in &run.layout.habits {
        match habit {
            Habit::Ab => whole_milliseconds(run, sheet),
            Habit::Spectrum => spectrum::check(run, sheet),
            Habit::Locust => (run.record.rows().iter()).for_each(|row| looked_up(row, sheet)),
        }
    }
}

/// Locust looks percentiles up among times that were rounded before: rounding is no reason for one to be above the next.
fn looked_up(row: &Scope, sheet: &mut Sheet) {
    let mut printed: Vec<(f64, &Figure)> = row.quantiles().collect();
    printed.sort_by(|a, b| a.0.total_cmp(&b.0));
    let falls = printed.windows(2).find(|pair| {
        let [a, b] = [pair[0].1, pair[1].1];
        let bare = |figure: &Figure| Scan::new(&figure.text, figure.line).finite()?.range;
        let above = bare(a).zip(bare(b)).is_some_and(|(a, b)| a.above(b));
        // What differs by more than rounding is named already.
        above && !both(a, b).is_some_and(|(a, b)| a.above(b))
    });
    if let Some([(p, a), (q, b)]) = falls {
        let [p, q] = [p, q].map(|q| percentile(*q));
        sheet.must(
            false,
            Rule::Order,
            &[b, a],
            format!("{}: {p} = {} is more than {q} = {}", row.name, a.text, b.text),
            "Both are looked up among the same rounded times, where a higher percentile is never smaller.",
        );
    }
}

/// ab rounds percentiles to whole milliseconds, which say nothing of a mean of about one.
fn whole_milliseconds(run: View<'_>, sheet: &mut Sheet) {
    let is_small = |mean: &&Figure| mean.range.is_some_and(|m| m.lo < 2.0);
    let Some(mean) = run.figure("derived").filter(is_small) else {
        return;
    };
    let is_coarse =
        |(q, figure): &(f64, &Figure)| *q < 1.0 && figure.range.is_some_and(|value| value.hi < 2.0);
    let coarse: Vec<(f64, &Figure)> = run.scope.quantiles().filter(is_coarse).collect();
    let [(_, first), .., (last, top)] = &coarse[..] else {
        return;
    };
    let printed = match first.text == top.text {
        true => top.text.clone(),
        false => format!("{} or {}", first.text, top.text),
    };
    sheet.add(
        Severity::Note,
        Rule::Resolution,
        &[top, first, mean],
        format!(
            "the mean is {} ms, but ab rounds percentiles to whole ms: up to {} all print as {printed}",
            mean.text,
            percentile(*last)
        ),
        "0 stands for anything below 0.5 ms and 1 for anything from 0.5 to 1.5 ms: these percentiles cannot tell two such servers apart.",
    );
}
