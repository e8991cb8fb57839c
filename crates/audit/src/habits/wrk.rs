//! What is known of wrk and wrk2.

mod little;

use crate::figure::{Figure, Range, digits, percent, time};
use crate::finding::{Rule, Severity};
use crate::rules;
use crate::sheet::{Sheet, both};
use crate::view::View;

/// wrk's timeout in milliseconds where `--timeout` does not set another: the report does not say.
const TIMEOUT_MS: f64 = 2000.0;

/// Checks one report.
pub fn check(run: View<'_>, sheet: &mut Sheet) {
    not_a_number(run, sheet);
    per_thread(run, sheet);
    timeouts(run, sheet);
    little::check(run, sheet);
    errors(run, sheet);
}

/// No latency was kept.
pub fn empty(run: View<'_>) -> bool {
    let max = run.figure("max");
    max.is_some_and(|max| max.range.is_none_or(|max| max.hi <= 1e-5))
}

/// The number of timeouts, 0 if none are reported.
pub fn timed_out(run: View<'_>) -> f64 {
    run.range("timeouts").map_or(0.0, |t| t.lo)
}

fn not_a_number(run: View<'_>, sheet: &mut Sheet) {
    let quantiles = run.scope.latency.quantiles.iter();
    sheet.numbers(quantiles.map(|(_, f)| f), &run.layout.nan);
    let (Some(mean), Some(max), Some(share)) =
        (run.figure("mean"), run.figure("max"), run.figure("within"))
    else {
        return;
    };
    let tiny = mean.range.is_some_and(|m| m.hi < 0.01);
    if share.range.is_none() && tiny {
        sheet.add(
            Severity::Impossible,
            Rule::NotANumber,
            &[mean, max, share],
            format!("mean {} with {}: the mean of no values at all", mean.text, share.text),
            "A response in no time does not exist; this is what wrk prints when it kept no latency.",
        );
    } else if !empty(run) && mean.range.is_some_and(|m| m.hi < 1e-5) {
        sheet.add(
            Severity::Impossible,
            Rule::Mean,
            &[mean],
            format!("a mean of {}", mean.text),
            "No response comes in less than a hundredth of a microsecond.",
        );
    }
}

/// Mean of the threads' rates times threads must be near the rate of the whole. wrk samples each thread every 100 ms and leaves
/// out samples without a request, so that it says nothing below some 50 requests a second for each thread.
fn per_thread(run: View<'_>, sheet: &mut Sheet) {
    let figures = ["thread.mean", "threads", "rate"].map(|name| run.figure(name));
    let [Some(each), Some(threads), Some(rate)] = figures else {
        return;
    };
    let (Some((e, n)), Some(x)) = (both(each, threads), rate.range) else {
        return;
    };
    let secs = run.range("duration").map_or(0.0, |t| t.lo);
    if n.lo < 1.0 || x.lo / n.lo < 50.0 || secs < 1.5 {
        return;
    }
    let sum = e.times(n);
    let figures = [each, threads, rate];
    let says = format!(
        "{} for each of {} threads = {sum} per second; the whole {}",
        each.text, threads.text, rate.text
    );
    if sum.meets(Range::new(x.lo * 0.5, x.hi * 2.0)) {
        sheet.holds(Rule::Rate, &figures, says);
        return;
    }
    if !sum.above(x) {
        sheet.add(
            Severity::Doubtful,
            Rule::Rate,
            &figures,
            says,
            "The threads' rates must add up to about the whole; a factor of two is not sampling.",
        );
        return;
    }
    // The part of the run without a response that would make the samples that high.
    let empty = 1.0 - x.mid() / sum.mid();
    let longest = run.range("max").map_or(0.0, |max| max.hi / 1000.0);
    let waited = timed_out(run) > 0.0 || longest >= secs * empty / 4.0;
    sheet.add(
        if waited { Severity::Note } else { Severity::Doubtful },
        Rule::Rate,
        &figures,
        says,
        format!(
            "wrk leaves out the tenths of a second in which a thread got no response: true only if there was none in about {} of the run. The whole is what was served.",
            percent(empty)
        ),
    );
}

/// Responses slower than the timeout are counted in the rate and left out of the latency.
fn timeouts(run: View<'_>, sheet: &mut Sheet) {
    let (Some(lost), Some(requests)) = (run.figure("timeouts"), run.figure("requests")) else {
        return;
    };
    let Some((t, n)) = both(lost, requests) else {
        return;
    };
    let timeout = run
        .range("timeout")
        .map_or(TIMEOUT_MS, |t| t.mid() * 1000.0);
    // Timeouts of a run whose longest response took longer than 2 s, or of wrk2, are of another limit.
    let longest = run.range("max");
    if longest.is_some_and(|max| max.lo > timeout) || run.range("mark.wrk2").is_some() {
        return;
    }
    if t.hi <= 0.0 {
        return;
    }
    let share = t.lo / n.hi.max(1.0);
    let unless = "2 s, unless --timeout was set";
    if share > 1.0 {
        sheet.add(
            Severity::Doubtful,
            Rule::Timeouts,
            &[lost, requests],
            format!("{} timeouts, {} responses", lost.text, requests.text),
            "wrk 4 counts a timeout when a late response arrives, so there cannot be more than responses; older versions count every waiting connection once a period. Either way the latency leaves out most of the waiting.",
        );
        return;
    }
    let severity = if share >= 0.01 {
        Severity::Impossible
    } else {
        Severity::Doubtful
    };
    if let (Some(mean), Some(max)) = (run.figure("mean"), run.figure("max"))
        && let Some(m) = mean.range
        && !empty(run)
    {
        let least = (n.lo - t.lo) / n.lo * m.lo + share * timeout;
        let timeout = unless;
        sheet.add(
            if least > m.hi { severity } else { Severity::Doubtful },
            Rule::Timeouts,
            &[mean, lost, requests],
            format!(
                "({} − {}) × {} + {} × 2 s, divided by {}, is at least {}; printed {}",
                requests.text, lost.text, mean.text, lost.text, requests.text, time(least), mean.text
            ),
            format!(
                "{} of the responses came after the timeout ({timeout}): wrk counts them in the rate and leaves them out of the latency. The mean of all responses cannot be {}.",
                percent(share), mean.text
            ),
        );
        sheet.add(
            severity,
            Rule::Timeouts,
            &[max, lost],
            format!("{} responses took longer than 2 s; printed Max {}", lost.text, max.text),
            format!("The slowest responses are not in the latency ({timeout}): this is the largest of those that were fast enough."),
        );
    }
    for (q, figure) in &run.scope.latency.quantiles {
        if share > 1.0 - q && !empty(run) && figure.range.is_some_and(|f| f.hi < timeout) {
            sheet.add(
                Severity::Impossible,
                Rule::Timeouts,
                &[figure, lost, requests],
                format!(
                    "{} / {} = {} of the responses took longer than 2 s, so the {}% percentile of all is above 2 s; printed {}",
                    lost.text, requests.text, percent(share), digits(q * 100.0), figure.text
                ),
                format!("This is a percentile of the fast responses only (timeout {unless})."),
            );
        }
    }
}

fn errors(run: View<'_>, sheet: &mut Sheet) {
    let Some(n) = run.figure("requests") else {
        return;
    };
    if let Some(bad) = run.figure("http_errors") {
        if let Some((b, all)) = both(bad, n)
            && b.lo > all.hi
        {
            sheet.add(
                Severity::Impossible,
                Rule::Sum,
                &[bad, n],
                format!("{} errors among {} responses", bad.text, n.text),
                "Errors are part of the responses.",
            );
        } else {
            rules::failures(sheet, bad, n, "responses that are not 2xx or 3xx");
        }
    }
    for (at, what) in ["connect", "read", "write"].iter().enumerate() {
        let Some(figure) = run.figure(&format!("{what}_errors")) else {
            continue;
        };
        if let (0, Some(c)) = (at, run.figure("connections"))
            && figure.range.is_some_and(|f| f.lo > 0.0)
        {
            sheet.add(
                Severity::Doubtful,
                Rule::Errors,
                &[figure, c],
                format!("{} connect errors for {} connections", figure.text, c.text),
                "Fewer connections than stated carried the load: often the limit of open files, or the server's backlog.",
            );
        } else {
            beside(sheet, figure, n, what);
        }
    }
}

/// Errors of a socket: wrk counts them beside the requests, so that they are no share of them.
fn beside(sheet: &mut Sheet, figure: &Figure, requests: &Figure, what: &str) {
    let Some((bad, n)) = both(figure, requests) else {
        return;
    };
    if bad.hi <= 0.0 {
        sheet.holds(
            Rule::Errors,
            &[figure],
            format!("{what} errors: {}", figure.text),
        );
        return;
    }
    let says = format!(
        "{} {what} errors beside {} requests",
        figure.text, requests.text
    );
    let severity = if bad.mid() < 0.01 * n.mid() {
        Severity::Note
    } else {
        Severity::Doubtful
    };
    let meaning = match what {
        "read" if n.hi <= 0.0 => {
            "Not one response was complete: each connection ended, or sent what is no HTTP, before that."
        }
        "read" => {
            "wrk counts a connection that ends, whether within a response or after a complete one, and what it cannot read as HTTP. They are in neither requests nor latency: the responses were lost, or the server closes its connections without saying so."
        }
        _ => {
            "The connection ended while wrk sent a request: these are in neither requests nor latency."
        }
    };
    sheet.add(severity, Rule::Errors, &[figure, requests], says, meaning);
}
