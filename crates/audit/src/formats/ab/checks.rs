//! What must be true of an ab report.

use super::limits;
use super::report::{Report, Times};
use crate::figure::{Figure, Range, digits, percent};
use crate::finding::{self, Rule, Severity};
use crate::rules::{self, Shape, Slack, percentile};
use crate::sheet::{Sheet, both};

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
    for row in &r.times {
        times(row, r, sheet);
    }
    percentiles(r, sheet);
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
    let Some(total) = r.times.iter().find(|t| t.name == "Total") else {
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
    if measured.hi < m.lo * (1.0 - idle) - 1.0 {
        sheet.add(
            Severity::Doubtful,
            Rule::LittlesLaw,
            &figures,
            says(&format!(": {} of the connections' time is in no request", percent(1.0 - measured.mid() / m.mid()))),
            "Either the figures come from different runs, or ab itself was busy while its connections waited to be used.",
        );
    } else {
        sheet.holds(Rule::LittlesLaw, &figures, says(""));
    }
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
        if kinds[2].range == failed.range && all.lo > 0.0 {
            sheet.add(
                Severity::Note,
                Rule::Errors,
                &[failed, &kinds[2]],
                format!("all {} failures are of the kind Length", failed.text),
                "ab calls a response failed when its body is not as long as the first one. For responses that vary this is no failure; for a fixed response it is.",
            );
            return;
        }
    }
    for (figure, what) in [
        (&r.failed, "failed requests"),
        (&r.write_errors, "write errors"),
        (&r.not_2xx, "responses that are not 2xx"),
    ] {
        if let Some(figure) = figure {
            rules::failures(sheet, figure, n, what);
        }
    }
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

fn times(row: &Times, r: &Report, sheet: &mut Sheet) {
    let name = |what: &str| format!("{} {what}", row.name);
    rules::ascending(
        sheet,
        &[
            (name("min"), &row.min),
            (name("median"), &row.median),
            (name("max"), &row.max),
        ],
    );
    let n = r
        .complete
        .as_ref()
        .and_then(|n| n.range)
        .map_or(2.0, |n| n.lo);
    let shape = Shape {
        min: Some(&row.min),
        quantiles: vec![(0.5, &row.median)],
        max: Some(&row.max),
        mean: &row.mean,
        slack: Slack::of(n),
    };
    rules::mean_fits(sheet, &shape);
    rules::deviation_fits(sheet, &row.sd, &shape, n);
}

fn percentiles(r: &Report, sheet: &mut Sheet) {
    let steps: Vec<(String, &Figure)> = r
        .percentiles
        .iter()
        .map(|(q, f)| (percentile(*q), f))
        .collect();
    rules::ascending(sheet, &steps);
    if let (Some(total), Some((_, longest))) = (
        r.times.iter().find(|t| t.name == "Total"),
        r.percentiles.iter().find(|(q, _)| *q >= 1.0),
    ) && let Some((max, last)) = both(&total.max, longest)
    {
        sheet.must(
            max.meets(last),
            Rule::Order,
            &[longest, &total.max],
            format!(
                "longest request {} ms, Total's max {} ms",
                longest.text, total.max.text
            ),
            "Both are the same request.",
        );
    }
    if let (Some(mean), Some((_, max))) = (&r.mean, r.percentiles.iter().find(|(q, _)| *q >= 1.0))
        && let Some((m, longest)) = both(mean, max)
        && r.times.is_empty()
    {
        // Derived, hence above the measured mean by what ab itself spends: no more than twice.
        sheet.must(
            m.lo <= longest.hi * 2.0,
            Rule::Mean,
            &[mean, max],
            format!("mean {} ms, longest request {} ms", mean.text, max.text),
            "The mean cannot be above the longest request.",
        );
    }
}
