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
            Habit::K6 => durations(run, sheet),
            Habit::Locust => (run.record.rows().iter()).for_each(|row| looked_up(row, sheet)),
            Habit::GoStressTesting => go_stress_testing(run, sheet),
        }
    }
}

/// What a counter of k6 counts, and its rate: requests and the like, or bytes.
fn names(scope: &Scope) -> (&'static str, &'static str) {
    match scope.get("bytes") {
        Some(_) => ("bytes", "byte_rate"),
        None => ("count", "rate"),
    }
}

/// k6 divides every counter by the same time.
fn durations(run: View<'_>, sheet: &mut Sheet) {
    let counted = |scope: &'_ Scope| {
        let (count, rate) = names(scope);
        let (n, x) = (scope.range(count)?, scope.range(rate)?);
        (n.lo >= 1.0 && x.lo > 0.0).then_some((n, x))
    };
    let first = ["iterations", "http_reqs"]
        .into_iter()
        .filter_map(|name| run.record.scope(name))
        .find_map(|scope| Some((scope, counted(scope)?)));
    let Some((first, (n, x))) = first else { return };
    let time = n.over(x);
    let figures = |scope: &'_ Scope| {
        let (count, rate) = names(scope);
        let figure = |name: &str| scope.get(name).cloned();
        figure(rate).zip(figure(count))
    };
    let Some((rate, count)) = figures(first) else {
        return;
    };
    for other in run.record.rows() {
        let (Some((n, x)), Some((rate2, count2))) = (counted(other), figures(other)) else {
            continue;
        };
        if other.name == first.name {
            continue;
        }
        let seconds = n.over(x);
        sheet.must(
            seconds.widened(1e-6).meets(time),
            Rule::Rate,
            &[&rate2, &count2, &rate, &count],
            format!(
                "{}: {} / {} = {time} s; {}: {} / {} = {seconds} s",
                first.name, count.text, rate.text, other.name, count2.text, rate2.text
            ),
            "k6 divides every count by the same length of the run: one of these was changed.",
        );
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

/// go-stress-testing prints connections / mean as its rate, and leaves out what it needs itself between requests.
fn go_stress_testing(run: View<'_>, sheet: &mut Sheet) {
    let rows = run.record.rows();
    // The column holds the goroutines that were started; the rate is made of all.
    let all = (run.scope.range("connections").into_iter())
        .chain(rows.iter().filter_map(|row| row.range("connections")))
        .reduce(|a, b| Range::new(a.lo.max(b.lo), a.hi.max(b.hi)));
    for row in rows {
        let figures = ["rate", "mean", "connections"].map(|name| row.get(name));
        let [Some(rate), Some(mean), Some(connections)] = figures else {
            continue;
        };
        let (Some((x, m)), Some(c)) = (both(rate, mean), connections.range) else {
            continue;
        };
        if row.range("ok").is_none_or(|g| g.lo < 1.0) {
            continue;
        }
        // 1%: the tool reads its counters one after the other while requests run.
        let busy = x.times(m).scaled(1e-3).widened(0.01);
        let says = format!(
            "{} per second × {} ms = {} requests at a time; printed {}",
            rate.text,
            mean.text,
            x.times(m).scaled(1e-3),
            connections.text
        );
        let ramp = all.is_some_and(|all| busy.meets(all) && all.above(c));
        let figures = [rate, mean, connections];
        if !busy.meets(c) && !ramp && run.scope.get("connections").is_none() && busy.above(c) {
            sheet.add(
                Severity::Doubtful,
                Rule::LittlesLaw,
                &figures,
                says,
                "This tool derives its qps from the mean and all connections: true only if more of them were to be started than this row has.",
            );
            continue;
        }
        sheet.must(
            busy.meets(c) || ramp,
            Rule::LittlesLaw,
            &figures,
            says,
            "In a closed loop connections = rate × mean, and this tool derives its qps from the mean that way.",
        );
    }
    if let Some(last) = rows.last() {
        real_rate(run, last, sheet);
    }
}

/// Successes over time is the throughput.
fn real_rate(run: View<'_>, last: &Scope, sheet: &mut Sheet) {
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
