//! What must be true of a report by wrk or wrk2.

use super::little;
use super::report::Report;
use super::spectrum::BUCKET;
use crate::figure::{Figure, Range, digits, percent, time, unit_bytes};
use crate::finding::{self, Rule, Severity};
use crate::rules::{self, Shape, Slack, path};
use crate::sheet::{Sheet, both};

/// wrk's timeout in milliseconds where `--timeout` does not set another: the report does not say.
pub const TIMEOUT_MS: f64 = 2000.0;

/// Checks one report, which stands in the lines of `span`.
pub fn check(r: &Report, span: (usize, usize), sheet: &mut Sheet) -> finding::Report {
    not_a_number(r, sheet);
    if let (Some(n), Some(t), Some(x)) = (&r.requests, &r.seconds, &r.rate) {
        rules::rate(sheet, n, t, x, "requests");
    }
    transfer(r, sheet);
    latency(r, sheet);
    spectra(r, sheet);
    per_thread(r, sheet);
    timeouts(r, sheet);
    little::check(r, sheet);
    errors(r, sheet);
    let tool = if r.wrk2 { "wrk2" } else { "wrk" };
    finding::Report {
        endpoint: r.url.as_deref().map(path),
        response_bytes: response_bytes(r),
        ..finding::Report::new(tool, span, title(r))
    }
}

fn title(r: &Report) -> String {
    let mut parts: Vec<String> = r.url.iter().cloned().collect();
    parts.extend(
        r.connections
            .iter()
            .map(|c| format!("{} connections", c.text)),
    );
    parts.extend(r.seconds.iter().map(|t| t.text.clone()));
    parts.join(", ")
}

fn not_a_number(r: &Report, sheet: &mut Sheet) {
    let latency = r.latency.iter().flatten();
    let percentiles = r.percentiles.iter().map(|(_, f)| f);
    let why = if r.wrk2 {
        "wrk2 throws away what it measured in its first 10 seconds (calibration): a run of 10 s or less has no latency at all, and the zeros beside it are none either."
    } else {
        "No response entered the latency: all of them took longer than the timeout or none came. The zeros beside it are no latencies either."
    };
    sheet.numbers(latency.chain(percentiles), why);
    if let Some([mean, _, max, share]) = &r.latency
        && share.range.is_none()
        && mean.range.is_some_and(|m| m.hi < 0.01)
    {
        sheet.add(
            Severity::Impossible,
            Rule::NotANumber,
            &[mean, max, share],
            format!(
                "mean {} with {}: the mean of no values at all",
                mean.text, share.text
            ),
            "A response in no time does not exist; this is what wrk prints when it kept no latency.",
        );
    }
}

fn transfer(r: &Report, sheet: &mut Sheet) {
    let (Some(read), Some(t), Some(x)) = (&r.read, &r.seconds, &r.transfer) else {
        return;
    };
    let (Some((bytes, secs)), Some(printed)) = (both(read, t), x.range) else {
        return;
    };
    let unit = x
        .text
        .trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    let unit_size = unit_bytes(unit).unwrap_or(1.0);
    // In the unit of the printed rate, so that a person can check it.
    let expected = bytes.over(secs).scaled(1.0 / unit_size);
    let printed = printed.scaled(1.0 / unit_size);
    sheet.must(
        printed.meets(expected),
        Rule::Rate,
        &[x, read, t],
        format!(
            "{} / {} = {expected} {unit}/s; printed {}",
            read.text, t.text, x.text
        ),
        "The transfer rate is not those bytes over that time.",
    );
}

/// wrk2's second distribution, and the detailed spectrum of each.
fn spectra(r: &Report, sheet: &mut Sheet) {
    let steps: Vec<(String, &Figure)> = (r.uncorrected.iter())
        .map(|(q, f)| (rules::percentile(*q), f))
        .collect();
    rules::ascending(sheet, &steps);
    for (spectrum, percentiles) in r.spectra.iter().zip([&r.percentiles, &r.uncorrected]) {
        spectrum.check(percentiles, sheet);
    }
}

fn latency(r: &Report, sheet: &mut Sheet) {
    let Some([mean, sd, max, share]) = &r.latency else {
        return;
    };
    // wrk2's Max is the lower end of a bucket of its histogram, and 100% the upper end of the same one.
    let max = &match r.wrk2 {
        true => Figure {
            range: (max.range).map(|r| Range::new(r.lo, r.hi * (1.0 + BUCKET))),
            ..max.clone()
        },
        false => max.clone(),
    };
    let mut steps: Vec<(String, &Figure)> = r
        .percentiles
        .iter()
        .map(|(q, f)| (format!("{}%", digits(q * 100.0)), f))
        .collect();
    steps.push(("Max".into(), max));
    rules::ascending(sheet, &steps);
    rules::ascending(sheet, &[("the mean".into(), mean), ("Max".into(), max)]);
    rules::share_within(sheet, share);
    if share.range.is_none() || r.empty() {
        return;
    }
    let n = r
        .requests
        .as_ref()
        .and_then(|n| n.range)
        .map_or(2.0, |n| n.lo)
        - r.timed_out();
    let shape = Shape {
        min: None,
        quantiles: r.percentiles.iter().map(|(q, f)| (*q, f)).collect(),
        max: Some(max),
        mean,
        slack: Slack::of(n),
    };
    rules::mean_fits(sheet, &shape);
    // wrk2 prints the deviation of a histogram with 3 digits; 1% covers it.
    rules::deviation_fits(
        sheet,
        sd,
        &shape,
        n.max(2.0) * if r.wrk2 { 0.99 } else { 1.0 },
    );
    if mean.range.is_some_and(|m| m.hi < 1e-5) {
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
fn per_thread(r: &Report, sheet: &mut Sheet) {
    let Some([each, _, fastest, share]) = &r.per_thread else {
        return;
    };
    rules::ascending(
        sheet,
        &[
            ("the mean of Req/Sec".into(), each),
            ("its Max".into(), fastest),
        ],
    );
    rules::share_within(sheet, share);
    let (Some(threads), Some(rate)) = (&r.threads, &r.rate) else {
        return;
    };
    let (Some((e, n)), Some(x)) = (both(each, threads), rate.range) else {
        return;
    };
    let secs = r
        .seconds
        .as_ref()
        .and_then(|t| t.range)
        .map_or(0.0, |t| t.lo);
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
    let longest = (r.latency.as_ref())
        .and_then(|[_, _, max, _]| max.range)
        .map_or(0.0, |max| max.hi / 1000.0);
    let waited = r.timed_out() > 0.0 || longest >= secs * empty / 4.0;
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
fn timeouts(r: &Report, sheet: &mut Sheet) {
    let (Some(errors), Some(requests)) = (&r.errors, &r.requests) else {
        return;
    };
    let lost = &errors[3];
    let (Some((t, n)), false) = (both(lost, requests), r.wrk2) else {
        return;
    };
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
    if let Some([mean, _, max, _]) = &r.latency
        && let Some(m) = mean.range
        && !r.empty()
    {
        let least = (n.lo - t.lo) / n.lo * m.lo + share * TIMEOUT_MS;
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
    for (q, figure) in &r.percentiles {
        if share > 1.0 - q && !r.empty() && figure.range.is_some_and(|f| f.hi < TIMEOUT_MS) {
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

fn errors(r: &Report, sheet: &mut Sheet) {
    let Some(n) = &r.requests else { return };
    if let Some(bad) = &r.not_2xx {
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
        let Some(figure) = r.errors.as_ref().map(|e| &e[at]) else {
            continue;
        };
        if let (0, Some(c)) = (at, &r.connections)
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

/// Bytes of one response; unknown where some were errors.
fn response_bytes(r: &Report) -> Option<(f64, f64)> {
    let (read, n) = both(r.read.as_ref()?, r.requests.as_ref()?)?;
    let failed = r
        .not_2xx
        .as_ref()
        .and_then(|f| f.range)
        .is_some_and(|f| f.lo > 0.0);
    let open = r
        .connections
        .as_ref()
        .and_then(|c| c.range)
        .map_or(0.0, |c| c.hi);
    // The rounding of `23.33MB` alone is 2 in 10,000; a report of few requests says too little.
    let each = rules::bytes_per_response(read, n, open);
    (n.lo >= 100.0 && !failed).then_some((each.lo, each.hi))
}
