//! What single tools are known to do, where a table cannot express it.

mod ab;
mod spectrum;
mod wrk;

use crate::figure::{Figure, Range, digits, percent};
use crate::finding::{Rule, Severity};
use crate::layout::Habit;
use crate::record::Scope;
use crate::sheet::{Sheet, both};
use crate::view::{View, as_printed};

/// Checks what the layout's tool is known for.
pub fn check(run: View<'_>, sheet: &mut Sheet) {
    for habit in &run.layout.habits {
        match habit {
            Habit::Ab => ab::check(run, sheet),
            Habit::Wrk => wrk::check(run, sheet),
            Habit::Spectrum => spectrum::check(run, sheet),
            Habit::Locust => (run.record.rows().iter()).for_each(|row| looked_up(row, sheet)),
            Habit::GoStressTesting => real_rate(run, sheet),
        }
    }
}

/// Locust looks percentiles up among times that were rounded before: rounding is no reason for one to be above the next.
fn looked_up(row: &Scope, sheet: &mut Sheet) {
    let mut printed: Vec<&(f64, Figure)> = row.latency.quantiles.iter().collect();
    printed.sort_by(|a, b| a.0.total_cmp(&b.0));
    let falls = printed.windows(2).find(|pair| {
        let [a, b] = [&pair[0].1, &pair[1].1];
        let above = as_printed(a)
            .zip(as_printed(b))
            .is_some_and(|(a, b)| a.above(b));
        // What differs by more than rounding is named already.
        let named = both(a, b).is_some_and(|(a, b)| a.above(b));
        above && !named
    });
    if let Some([(p, a), (q, b)]) = falls.map(|pair| [pair[0], pair[1]]) {
        let [p, q] = [p, q].map(|q| crate::rules::percentile(*q));
        sheet.must(
            false,
            Rule::Order,
            &[b, a],
            format!("{}: {p} = {} is more than {q} = {}", row.name, a.text, b.text),
            "Both are looked up among the same rounded times, where a higher percentile is never smaller.",
        );
    }
}

/// How far go-stress-testing's rate may be from successes / time before it is worth a note.
const OFF: f64 = 0.05;
/// And before it misleads.
const FAR_OFF: f64 = 0.25;

/// go-stress-testing prints connections / mean as its rate, and leaves out what it needs itself between requests: successes over
/// time is the throughput.
fn real_rate(run: View<'_>, sheet: &mut Sheet) {
    let Some(last) = run.record.rows().last() else {
        return;
    };
    let time = match run.scope.get("duration") {
        Some(figure) => figure.range.map(|range| (range, figure)),
        None => last.get("duration").and_then(|figure| {
            let t = figure.range?;
            Some((Range::new(t.lo - 0.5, t.hi + 0.5), figure))
        }),
    };
    let good = run.scope.get("ok").or(last.get("ok"));
    let (Some((t, printed_time)), Some(good), Some(rate)) = (time, good, last.get("rate")) else {
        return;
    };
    let (true, Some((g, x))) = (t.lo > 0.5, both(good, rate)) else {
        return;
    };
    let expected = g.over(t);
    let says = format!(
        "{} successes / {} s = {expected} per second; printed qps {}",
        good.text,
        printed_time.text.trim_end_matches('s').trim_end(),
        rate.text
    );
    let figures = [rate, good, printed_time];
    let off = match x.meets(expected) {
        true => 0.0,
        false => x.mid() / expected.mid() - 1.0,
    };
    let mean = last.range("mean").map_or(0.0, |m| m.lo);
    let shown = last.get("mean").map_or("", |m| m.text.as_str());
    let most = |scope: &Scope| scope.range("connections").map_or(1.0, |c| c.hi);
    let connections = most(last).max(most(run.scope));
    let at_a_time = expected.lo * mean / 1000.0;
    if at_a_time > connections * 1.05 {
        sheet.add(
            Severity::Impossible,
            Rule::Rate,
            &figures,
            format!(
                "{says}; × {shown} ms would be {} requests at a time",
                digits(at_a_time)
            ),
            "So many requests of that length do not fit into that time with that concurrency.",
        );
    } else if off.abs() > OFF {
        let severity = match off.abs() > FAR_OFF {
            true => Severity::Doubtful,
            false => Severity::Note,
        };
        let share = percent(off.abs() / (1.0 + off.abs()));
        sheet.add(
            severity,
            Rule::Rate,
            &figures,
            says,
            format!("The tool's qps is concurrency / mean, not requests / time: {share} of the time the client was doing something else. Take the first figure."),
        );
    } else {
        sheet.holds(Rule::Rate, &figures, says);
    }
}
