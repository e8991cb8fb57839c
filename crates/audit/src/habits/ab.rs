//! What is known of ab: it rounds percentiles to whole milliseconds.

use crate::figure::Figure;
use crate::finding::{Rule, Severity};
use crate::rules::percentile;
use crate::sheet::Sheet;
use crate::view::View;

/// Whole milliseconds say nothing of a mean of about one.
pub fn check(run: View<'_>, sheet: &mut Sheet) {
    let Some(mean) = run.figure("derived") else {
        return;
    };
    let Some(m) = mean.range else { return };
    let quantiles = &run.scope.latency.quantiles;
    let coarse: Vec<(f64, &Figure)> = quantiles
        .iter()
        .filter(|(q, f)| *q < 1.0 && f.range.is_some_and(|v| v.hi < 2.0))
        .map(|(q, f)| (*q, f))
        .collect();
    let (Some((_, first)), Some((last, top))) = (coarse.first(), coarse.last()) else {
        return;
    };
    if m.lo >= 2.0 || coarse.len() < 2 {
        return;
    }
    sheet.add(
        Severity::Note,
        Rule::Resolution,
        &[top, first, mean],
        format!(
            "the mean is {} ms, but ab rounds percentiles to whole ms: up to {} all print as {}",
            mean.text,
            percentile(*last),
            if first.text == top.text { top.text.clone() } else { format!("{} or {}", first.text, top.text) }
        ),
        "0 stands for anything below 0.5 ms and 1 for anything from 0.5 to 1.5 ms: these percentiles cannot tell two such servers apart.",
    );
}
