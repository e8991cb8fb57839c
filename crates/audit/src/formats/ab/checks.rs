//! What must be true of an ab report.

use super::report::Report;
use super::{limits, table};
use crate::figure::{Figure, Range, digits, percent};
use crate::finding::{self, Rule, Severity};
use crate::rules::{self, Failed};
use crate::sheet::{Sheet, both};

/// Where `Length` stands among the kinds of failure.
const LENGTH: usize = 2;

/// Checks one report, which stands in the lines of `span`.
pub fn check(r: &Report, span: (usize, usize), sheet: &mut Sheet) -> finding::Report {
    let all = [
        &r.seconds,
        &r.complete,
        &r.rate,
        &r.mean,
        &r.mean_across,
        &r.transfer,
        &r.failed,
    ];
    sheet.numbers(all.into_iter().flatten(), "ab measured nothing here.");
    if let (Some(n), Some(t), Some(x)) = (&r.complete, &r.seconds, &r.rate) {
        rules::rate(sheet, n, t, x, "requests");
    }
    means(r, sheet);
    let bytes = transferred(r, sheet);
    errors(r, sheet);
    kept_alive(r, sheet);
    table::check(r, sheet);
    limits::check(r, sheet);
    finding::Report {
        endpoint: r.path.clone(),
        response_bytes: bytes,
        body_bytes: r
            .document
            .as_ref()
            .and_then(|d| d.range)
            .map(|d| d.lo as u64),
        ..finding::Report::new("ab", span, title(r))
    }
}

fn title(r: &Report) -> String {
    let mut parts: Vec<String> = r.path.iter().cloned().collect();
    parts.extend(r.complete.iter().map(|n| format!("{} requests", n.text)));
    parts.extend(
        r.concurrency
            .iter()
            .map(|c| format!("{} connections", c.text)),
    );
    parts.join(", ")
}

/// Both lines `Time per request`, which ab derives from time, count and concurrency, and the measured mean beside them.
fn means(r: &Report, sheet: &mut Sheet) {
    let Some(n) = r.complete.as_ref() else { return };
    if let (Some(across), Some(t)) = (&r.mean_across, &r.seconds)
        && let (Some((time, count)), Some(printed)) = (both(t, n), across.range)
    {
        let expected = time.scaled(1000.0).over(count);
        sheet.must(
            printed.meets(expected),
            Rule::Rate,
            &[across, t, n],
            format!(
                "{} s / {} requests = {expected} ms; printed {}",
                t.text, n.text, across.text
            ),
            "Time per request across all is the time over the count and nothing else.",
        );
    }
    let (Some(mean), Some(c), Some(t)) = (&r.mean, &r.concurrency, &r.seconds) else {
        return;
    };
    let (Some((time_s, count)), Some((m, conns))) = (both(t, n), both(mean, c)) else {
        return;
    };
    let expected = conns.times(time_s).scaled(1000.0).over(count);
    sheet.must(
        m.meets(expected),
        Rule::LittlesLaw,
        &[mean, c, t, n],
        format!(
            "{} connections × {} s / {} requests = {expected} ms; printed {}",
            c.text, t.text, n.text, mean.text
        ),
        "In a closed loop connections = rate × mean, and ab computes this line that way.",
    );
    measured_mean(r, sheet, mean, m, conns, count);
}

/// `Total:`'s mean is measured per request; the line `Time per request` is derived. They differ by ramp-up and ab's own work only.
fn measured_mean(r: &Report, sheet: &mut Sheet, mean: &Figure, m: Range, c: Range, n: Range) {
    let Some(total) = r.row("Total") else {
        return;
    };
    let Some(measured) = total.mean.range else {
        return;
    };
    let figures = [&total.mean, mean];
    let says = |what: &str| {
        format!(
            "the mean of the single requests is {} ms; connections × time / requests is {} ms{what}",
            total.mean.text, mean.text
        )
    };
    // A connection has one request at a time: the sum of their times is at most connections × time. 2% and 1 ms for the clocks.
    if measured.above(Range::new(m.lo, m.hi * 1.02 + 1.0)) {
        sheet.add(
            Severity::Impossible,
            Rule::LittlesLaw,
            &figures,
            says(": more time than the connections had"),
            "With one request at a time on each connection the measured mean cannot be above the derived one.",
        );
        return;
    }
    // Below: ramp-up and the end, when fewer connections are busy; they weigh as long as each connection sends few requests.
    let per_connection = n.lo / c.hi.max(1.0);
    if per_connection < 10.0 {
        return;
    }
    let idle = 0.4 + 2.0 / per_connection;
    // Once all requests are sent, the other connections have nothing to do while the longest is awaited.
    let tail = longest_share(r, &total.max);
    if mostly_lost(r) {
        return;
    }
    if measured.hi < m.lo * (1.0 - idle) * (1.0 - tail) - 1.0 {
        sheet.add(
            Severity::Doubtful,
            Rule::LittlesLaw,
            &figures,
            says(&format!(": {} of the connections' time is in no request", percent(1.0 - measured.mid() / m.mid()))),
            "Either the figures come from different runs, or ab itself was busy while its connections waited to be used, or requests hung until a limit of time (-t) ended the run.",
        );
    } else {
        sheet.holds(Rule::LittlesLaw, &figures, says(""));
    }
}

/// The longest request as a share of the run, at the most.
fn longest_share(r: &Report, longest: &Figure) -> f64 {
    let secs = r.seconds.as_ref().and_then(|t| t.range);
    match (longest.range, secs) {
        (Some(ms), Some(t)) if t.lo > 0.0 => (ms.hi / 1000.0 / t.lo).clamp(0.0, 1.0),
        _ => 0.0,
    }
}

/// Whether most requests got no response: what passed until a connection failed, and until ab opened the next, is then not the
/// time of a request.
fn mostly_lost(r: &Report) -> bool {
    let of = |f: &Option<Figure>| f.as_ref().and_then(|f| f.range).map(|r| r.hi);
    let lost = (r.kinds.iter().flatten().enumerate())
        .filter(|(at, _)| *at != LENGTH)
        .filter_map(|(_, kind)| kind.range)
        .fold(0.0, |most: f64, kind| most.max(kind.hi));
    of(&r.total) == Some(0.0) || of(&r.complete).is_some_and(|n| 2.0 * lost > n)
}

/// Bytes; gives those of one response, if all had the same length.
fn transferred(r: &Report, sheet: &mut Sheet) -> Option<(f64, f64)> {
    let (n, open) = (
        r.complete.as_ref()?,
        r.concurrency
            .as_ref()
            .and_then(|c| c.range)
            .map_or(0.0, |c| c.hi),
    );
    if let (Some(total), Some(t), Some(rate)) = (&r.total, &r.seconds, &r.transfer)
        && let (Some((bytes, time)), Some(x)) = (both(total, t), rate.range)
    {
        let expected = bytes.scaled(1.0 / 1024.0).over(time);
        sheet.must(
            x.meets(expected),
            Rule::Rate,
            &[rate, total, t],
            format!(
                "{} bytes / 1024 / {} s = {expected} Kbytes/s; printed {}",
                total.text, t.text, rate.text
            ),
            "The transfer rate is not those bytes over that time.",
        );
    }
    if let (Some(total), Some(html)) = (&r.total, &r.html)
        && let Some((all, bodies)) = both(total, html)
    {
        sheet.must(
            !bodies.above(all),
            Rule::Bytes,
            &[html, total],
            format!("bodies {} of {} bytes in all", html.text, total.text),
            "Bodies are part of what was transferred.",
        );
    }
    let none = |f: &Option<Figure>| f.as_ref().and_then(|f| f.range).is_none_or(|r| r.hi <= 0.0);
    let same_length = none(&r.failed) && none(&r.write_errors);
    if let (Some(html), Some(doc)) = (&r.html, &r.document)
        && let (Some((bodies, length)), Some(count)) = (both(html, doc), n.range)
        && same_length
        && none(&r.not_2xx)
    {
        let expected = Range::new(length.lo * count.lo, length.hi * (count.hi + open));
        sheet.must(
            bodies.meets(expected),
            Rule::Bytes,
            &[html, doc, n],
            format!(
                "{} bytes × {} requests = {}; printed {}",
                doc.text,
                n.text,
                digits(expected.lo),
                html.text
            ),
            "With no failed request every body has the document's length.",
        );
    }
    let total = r.total.as_ref()?;
    let (all, count) = both(total, n)?;
    let each = rules::bytes_per_response(all, count, open);
    (same_length && count.lo > 0.0).then_some((each.lo, each.hi))
}

fn errors(r: &Report, sheet: &mut Sheet) {
    let Some(n) = r.complete.as_ref() else { return };
    if let (Some(failed), Some(kinds)) = (&r.failed, &r.kinds)
        && let Some(all) = failed.range
    {
        let sum: f64 = kinds.iter().filter_map(|k| k.range).map(|k| k.lo).sum();
        let parts: Vec<&str> = kinds.iter().map(|k| k.text.as_str()).collect();
        sheet.must(
            Range::exact(sum).meets(all),
            Rule::Sum,
            &[failed, &kinds[0]],
            format!(
                "{} = {}; printed {}",
                parts.join(" + "),
                digits(sum),
                failed.text
            ),
            "The kinds of failure must add up to the failed requests.",
        );
        if kinds[LENGTH].range == failed.range && all.lo > 0.0 {
            sheet.add(
                Severity::Note,
                Rule::Errors,
                &[failed, &kinds[LENGTH]],
                format!("all {} failures are of the kind Length", failed.text),
                "ab calls a response failed when its body is not as long as the first one. For responses that vary this is no failure; for a fixed response it is.",
            );
            return;
        }
    }
    let repeated = failed_in_several_ways(r, n, sheet);
    for (figure, what) in [
        (if repeated { &None } else { &r.failed }, "failed requests"),
        (&r.write_errors, "write errors"),
        (&r.not_2xx, "responses that are not 2xx"),
    ] {
        if let Some(figure) = figure {
            rules::failures(sheet, figure, n, what);
        }
    }
}

/// ab counts a request once for each kind of failure, so that the kinds' sum is no number of requests; whether there are several
/// kinds. At least as many requests failed as the largest of them says.
fn failed_in_several_ways(r: &Report, n: &Figure, sheet: &mut Sheet) -> bool {
    let (Some(failed), Some(kinds), Some(all)) = (&r.failed, &r.kinds, n.range) else {
        return false;
    };
    let count = |kind: &Figure| kind.range.map_or(0.0, |k| k.hi);
    let largest = kinds.iter().max_by(|a, b| count(a).total_cmp(&count(b)));
    let several = kinds.iter().filter(|kind| count(kind) > 0.0).count() > 1;
    let Some(largest) = largest.filter(|_| several) else {
        return false;
    };
    let what = format!(
        "{} failures of several kinds, of which a request may have more than one; requests that failed, at the least",
        failed.text
    );
    let of = (n.text.as_str(), &[n, failed][..]);
    rules::failures_of(sheet, largest, all, of, &what, Failed::Response);
    true
}

fn kept_alive(r: &Report, sheet: &mut Sheet) {
    let (Some(kept), Some(n)) = (&r.kept_alive, &r.complete) else {
        return;
    };
    let Some((k, count)) = both(kept, n) else {
        return;
    };
    let open = r
        .concurrency
        .as_ref()
        .and_then(|c| c.range)
        .map_or(0.0, |c| c.hi);
    let says = format!(
        "{} of {} requests were on a connection that was kept alive",
        kept.text, n.text
    );
    if k.lo > count.hi + open {
        sheet.add(
            Severity::Impossible,
            Rule::KeepAlive,
            &[kept, n],
            says,
            "More requests were kept alive than were made.",
        );
    } else if k.hi < 0.99 * count.lo {
        sheet.add(
            Severity::Note,
            Rule::KeepAlive,
            &[kept, n],
            says,
            "Keep-alive was asked for, but for the rest a new connection was made, and its cost is in the figures.",
        );
    } else {
        sheet.holds(Rule::KeepAlive, &[kept, n], says);
    }
}
