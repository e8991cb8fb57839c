//! What an ab report cannot say, true as its figures may be: whole milliseconds, and a generator with one thread.

use super::report::Report;
use crate::figure::{Figure, digits};
use crate::finding::{Rule, Severity};
use crate::rules::percentile;
use crate::sheet::Sheet;

/// Microseconds of its own CPU that ab needs for a request on a connection that is kept alive, generously: 8.1 measured
/// with ab 2.3 against nginx on loopback, less on faster machines. A rate that leaves it less than this is near its limit.
const COST_KEPT_US: f64 = 10.0;
/// The same with a new connection for each request: 46 µs measured.
const COST_CONNECT_US: f64 = 50.0;

/// Notes both.
pub fn check(r: &Report, sheet: &mut Sheet) {
    coarse(r, sheet);
    generator(r, sheet);
}

/// Whole milliseconds say nothing of a mean of about one.
fn coarse(r: &Report, sheet: &mut Sheet) {
    let Some(mean) = r.mean.as_ref() else { return };
    let Some(m) = mean.range else { return };
    let coarse: Vec<(f64, &Figure)> = r
        .percentiles
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

/// ab has one thread: near its own cost per request it measures itself.
fn generator(r: &Report, sheet: &mut Sheet) {
    let Some(rate) = r.rate.as_ref() else { return };
    let Some(x) = rate.range.filter(|x| x.lo > 0.0) else {
        return;
    };
    let each = 1e6 / x.mid();
    let kept = r
        .kept_alive
        .as_ref()
        .and_then(|k| k.range)
        .is_some_and(|k| k.lo > 0.0);
    let cost = if kept { COST_KEPT_US } else { COST_CONNECT_US };
    if each >= cost {
        return;
    }
    sheet.add(
        Severity::Note,
        Rule::Generator,
        &[rate],
        format!("1 s / {} = {} us for each request; ab itself, with its one thread, may need {} us", rate.text, digits(each), digits(cost)),
        "Possibly ab was the limit and not the server. Look at ab's CPU during the run ('top'): near 100% of one core it was; or add a second ab and see whether the sum rises.",
    );
}
