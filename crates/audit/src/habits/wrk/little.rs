//! Little's law for wrk: connections = throughput × mean latency, with what is known of wrk itself.
//!
//! Both directions have known causes in wrk 4, measured or read from its source:
//!
//! - *Above*: wrk adds invented samples for every latency above twice the expected interval (`stats_correct`), so the printed mean can be
//!   above the true one. How far is bounded by the printed maximum: with e = connections / throughput and K = max / e, the worst case is
//!   a share 1 / K of responses at the maximum and all others at zero; each of the former becomes about K samples with the sum
//!   e × K(K + 1) / 2, so that the mean becomes at most e × K(K + 1) / (2(2K − 1)). Below K = 2 nothing is invented.
//! - *Below*: the clock starts when a request is written. What a connection waits for its turn in a busy wrk (0.68 of the time was in the latency with
//!   one thread and 1,000 connections on nginx) or for being opened again (0.53 with `Connection: close`) is in no latency.
//! - At the end up to one request for each connection is under way and not counted: with the maximum M in a run of T seconds a share of M / T.

use super::{empty, timed_out};
use crate::figure::{Figure, Range, percent, short, time};
use crate::finding::{Rule, Severity};
use crate::sheet::{Sheet, both};
use crate::view::View;

/// Share of the connections' time that must be in the latency to pass without a word.
const FINE: f64 = 0.8;
/// Below this wrk's own work no longer explains it well.
const DOUBTFUL: f64 = 0.55;
/// Above the law by this much: the mean holds enough invented samples to mislead.
const INVENTED: f64 = 1.25;
/// And by this much it misleads: 6.5 times was seen in an untouched report of a one-second run.
const MISLEADS: f64 = 1.5;

/// Checks the law, or says why it cannot be checked.
pub fn check(run: View<'_>, sheet: &mut Sheet) {
    let figures = ["mean", "max", "rate"].map(|name| run.figure(name));
    let [Some(mean), Some(max), Some(rate)] = figures else {
        return;
    };
    let Some(stated) = run.figure("connections") else {
        sheet.add(
            Severity::NotChecked,
            Rule::LittlesLaw,
            &[mean, rate],
            "connections = rate × mean cannot be checked: the report's line with the connections is missing",
            "Ask for the whole report.",
        );
        return;
    };
    if run.range("mark.wrk2").is_some() {
        sheet.add(
            Severity::NotChecked,
            Rule::LittlesLaw,
            &[mean, rate],
            "connections = rate × mean is not expected to hold: wrk2 sends by a schedule and counts latency from when a request should have been sent",
            "With a rate below the server's limit this is right; above it the latency grows with the length of the run.",
        );
        return;
    }
    let Some((x, c)) = both(rate, stated) else {
        return;
    };
    let Some(x) = Some(x).filter(|x| x.lo > 0.0) else {
        return;
    };
    // wrk gives each thread the same whole number of connections and leaves the rest out.
    let threads = run.range("threads").map_or(1.0, |t| t.lo.max(1.0));
    let used = (c.lo / threads).floor() * threads;
    let failed = run.range("connect_errors").map_or(0.0, |e| e.lo);
    let n = Range::new((used - failed).max(1.0), used.max(1.0));
    let expected = n.over(x).scaled(1000.0);
    let opened = if used == c.lo {
        stated.text.clone()
    } else {
        format!(
            "{used} (wrk opens {} for each of {threads} threads)",
            used / threads
        )
    };
    let says = format!(
        "{opened} connections / {} per second = {}; printed mean {}",
        rate.text,
        time(expected.mid()),
        mean.text
    );
    let figures = [mean, stated, rate];
    if empty(run) || mean.range.is_none() {
        sheet.add(
            Severity::Impossible,
            Rule::LittlesLaw,
            &figures,
            says,
            format!(
                "If all connections were busy, a response took {} on average.",
                time(expected.mid())
            ),
        );
        return;
    }
    let (Some(m), Some(top)) = (mean.range, max.range) else {
        return;
    };
    if m.above(expected.widened(0.02)) {
        if let Some(script) = run.figure("mark.script") {
            sheet.add(
                Severity::NotChecked,
                Rule::LittlesLaw,
                &figures,
                says,
                format!("The script {} may send several requests at a time on a connection: ask how many.", script.text),
            );
            return;
        }
        above(sheet, &figures, says, m, expected, top);
        return;
    }
    let secs = run.range("duration").map_or(f64::INFINITY, |t| t.hi);
    let open_at_end = (top.hi / 1000.0 / secs).clamp(0.0, 0.5);
    let share = (m.hi / (expected.lo * (1.0 - open_at_end))).min(1.0);
    if share >= FINE {
        sheet.holds(Rule::LittlesLaw, &figures, says);
        return;
    }
    let lost = timed_out(run) > 0.0;
    if let Some(responses) = run
        .figure("requests")
        .filter(|a| a.range.is_some_and(|a| a.hi < n.lo))
    {
        sheet.add(
            Severity::Doubtful,
            Rule::LittlesLaw,
            &[mean, stated, rate, responses],
            format!("{says}; {} responses for {opened} connections", responses.text),
            "The run ended before each connection had one response: the mean is that of the quickest responses only.",
        );
        return;
    }
    let severity = match share {
        s if s < DOUBTFUL || lost => Severity::Doubtful,
        _ => Severity::Note,
    };
    let part = percent(m.mid() / expected.mid());
    let meaning = if lost {
        format!(
            "Only {part} of the connections' time is in the latency. The responses that timed out are missing: a client waited {} on average.",
            time(expected.mid())
        )
    } else {
        format!(
            "Only {part} of the connections' time is in the latency. The rest passed between a response and the next request: wrk was busy (see its CPU), the server closed connections, or requests hung until the end. A client waited up to {} on average.",
            time(expected.mid())
        )
    };
    sheet.add(severity, Rule::LittlesLaw, &figures, says, meaning);
}

/// More latency than the connections had time for: samples that wrk invents, within their bound.
fn above(
    sheet: &mut Sheet,
    figures: &[&Figure; 3],
    says: String,
    m: Range,
    expected: Range,
    top: Range,
) {
    let k = (top.hi / expected.lo).max(1.0);
    let factor = if k <= 2.0 {
        1.0
    } else {
        k * (k + 1.0) / (2.0 * (2.0 * k - 1.0))
    };
    let ratio = m.mid() / expected.mid();
    if m.lo > expected.hi * factor * 1.05 {
        sheet.add(
            Severity::Impossible,
            Rule::LittlesLaw,
            figures,
            says,
            "With one request at a time, the connections did not have that much time; not even the samples that wrk invents after a pause explain it.",
        );
    } else if ratio > INVENTED {
        sheet.add(
            if ratio > MISLEADS { Severity::Doubtful } else { Severity::Note },
            Rule::LittlesLaw,
            figures,
            says,
            format!(
                "The mean is {} times what the connections had time for: wrk adds samples that it never measured after each slow response, and they are in mean and percentiles.",
                short(ratio)
            ),
        );
    } else {
        sheet.holds(Rule::LittlesLaw, figures, says);
    }
}
