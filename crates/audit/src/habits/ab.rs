//! What is known of ab: kinds of failure that may overlap, whole milliseconds, and a generator with one thread.

use crate::figure::{Figure, digits};
use crate::finding::{Rule, Severity};
use crate::rules::{self, Failed, percentile};
use crate::sheet::{Sheet, both};
use crate::view::View;

/// Microseconds of its own CPU that ab needs for a request on a connection that is kept alive, generously: 8.1 measured
/// with ab 2.3 against nginx on loopback, less on faster machines. A rate that leaves it less than this is near its limit.
const COST_KEPT_US: f64 = 10.0;
/// The same with a new connection for each request: 46 µs measured.
const COST_CONNECT_US: f64 = 50.0;

/// Checks one report.
pub fn check(run: View<'_>, sheet: &mut Sheet) {
    median(run, sheet);
    failures(run, sheet);
    coarse(run, sheet);
    generator(run, sheet);
}

/// Of an even number of requests ab takes the same one for the median and for 50%.
fn median(run: View<'_>, sheet: &mut Sheet) {
    let even = run
        .range("requests")
        .is_some_and(|n| n.lo == n.hi && n.lo % 2.0 == 0.0);
    let (Some(median), Some(half)) = (run.figure("total.q50"), run.figure("q50")) else {
        return;
    };
    if let Some((a, b)) = both(median, half).filter(|_| even) {
        let says = format!("Total's median {} ms, 50% {} ms", median.text, half.text);
        sheet.must(
            a.meets(b),
            Rule::Order,
            &[median, half],
            says,
            "Both are the same request.",
        );
    }
}

/// ab counts a request once for each kind of failure, so that the kinds' sum is no number of requests. At least as many requests
/// failed as the largest of them says.
fn failures(run: View<'_>, sheet: &mut Sheet) {
    let kinds = ["connect", "receive", "length", "exceptions"];
    let kinds = kinds.map(|kind| run.figure(&format!("failed_{kind}")));
    let (Some(failed), Some(n)) = (run.figure("failed"), run.figure("requests")) else {
        return;
    };
    let count = |kind: &&Figure| kind.range.map_or(0.0, |k| k.hi);
    let given: Vec<&Figure> = kinds
        .into_iter()
        .flatten()
        .filter(|k| count(k) > 0.0)
        .collect();
    if let ([only], Some(length)) = (&given[..], kinds[2])
        && std::ptr::eq(*only, length)
        && length.range == failed.range
    {
        sheet.add(
            Severity::Note,
            Rule::Errors,
            &[failed, length],
            format!("all {} failures are of the kind Length", failed.text),
            "ab calls a response failed when its body is not as long as the first one. For responses that vary this is no failure; for a fixed response it is.",
        );
        return;
    }
    let largest = given.iter().max_by(|a, b| count(a).total_cmp(&count(b)));
    match largest.filter(|_| given.len() > 1) {
        Some(largest) => {
            let what = format!(
                "{} failures of several kinds, of which a request may have more than one; requests that failed, at the least",
                failed.text
            );
            let of = (n.text.as_str(), &[n, failed][..]);
            if let Some(all) = n.range {
                rules::failures_of(sheet, largest, all, of, &what, Failed::Response);
            }
        }
        None => rules::failures(sheet, failed, n, "failed requests"),
    }
    for (name, what) in [
        ("write_errors", "write errors"),
        ("http_errors", "responses that are not 2xx"),
    ] {
        if let Some(figure) = run.figure(name) {
            rules::failures(sheet, figure, n, what);
        }
    }
}

/// Whole milliseconds say nothing of a mean of about one.
fn coarse(run: View<'_>, sheet: &mut Sheet) {
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

/// ab has one thread: near its own cost per request it measures itself.
fn generator(run: View<'_>, sheet: &mut Sheet) {
    let Some(rate) = run.figure("rate") else {
        return;
    };
    let Some(x) = rate.range.filter(|x| x.lo > 0.0) else {
        return;
    };
    let each = 1e6 / x.mid();
    let kept = run.range("kept").is_some_and(|k| k.lo > 0.0);
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
