//! What must be true of JMeter's summary lines.

use super::run::{Entry, Run};
use crate::figure::{Figure, Range, digits, percent};
use crate::finding::{self, Rule, Severity};
use crate::rules;
use crate::sheet::{Sheet, both};

/// Checks the lines of one run.
pub fn check(run: &Run, sheet: &mut Sheet) -> finding::Report {
    for entry in &run.entries {
        line(entry, sheet);
    }
    totals(run, sheet);
    littles_law(run, sheet);
    if let Some(last) = run
        .entries
        .iter()
        .rev()
        .find(|e| e.total)
        .or(run.entries.last())
    {
        rules::failures(sheet, &last.errors, &last.count, "errors");
    }
    let lines = run.entries.iter().map(|e| e.line);
    let span = (lines.clone().min().unwrap_or(0), lines.max().unwrap_or(0));
    let title = format!("{}, {} lines", run.name, run.entries.len());
    finding::Report::new("JMeter summary", span, title)
}

/// What one line says of itself.
fn line(e: &Entry, sheet: &mut Sheet) {
    if let Some(rate) = &e.rate {
        rules::rate(sheet, &e.count, &e.seconds, rate, "samples");
    }
    if e.count.range.is_none_or(|n| n.lo < 1.0) {
        if e.min.range.is_some_and(|min| min.lo >= 9.2e18) {
            sheet.add(
                Severity::Note,
                Rule::NotANumber,
                &[&e.min, &e.count],
                format!("{} samples, Min {}", e.count.text, e.min.text),
                "No sample had ended: the minimum is the largest number that Java has, and the figures beside it stand for nothing.",
            );
        }
        return;
    }
    if let (Some(mean), Some((min, max))) = (e.mean.range, both(&e.min, &e.max)) {
        let says = format!(
            "Min {} ≤ Avg {} ≤ Max {}",
            e.min.text, e.mean.text, e.max.text
        );
        let fits = !min.above(max) && !min.above(mean) && !mean.above(max);
        sheet.must(
            fits,
            Rule::Mean,
            &[&e.mean, &e.min, &e.max],
            says,
            "The mean lies between the smallest and the largest value.",
        );
    }
    let Some((errors, count)) = both(&e.errors, &e.count) else {
        return;
    };
    if errors.lo > count.hi {
        sheet.add(
            Severity::Impossible,
            Rule::Sum,
            &[&e.errors, &e.count],
            format!("{} errors among {} samples", e.errors.text, e.count.text),
            "Errors are part of the samples.",
        );
    } else if let Some(printed) = &e.error_percent
        && let Some(p) = printed.range
    {
        let expected = errors.over(count).scaled(100.0);
        sheet.must(
            p.widened(1e-9).meets(expected),
            Rule::Rate,
            &[printed, &e.errors, &e.count],
            format!(
                "{} / {} = {expected}%; printed {}%",
                e.errors.text, e.count.text, printed.text
            ),
            "The share of errors is not that count over the samples.",
        );
    }
}

/// Sums since the last total.
#[derive(Default)]
struct Since<'a> {
    deltas: Vec<&'a Entry>,
}

impl Since<'_> {
    fn sum(&self, of: impl Fn(&Entry) -> &Figure) -> Range {
        let ranges = self.deltas.iter().filter_map(|e| of(e).range);
        ranges.fold(Range::exact(0.0), Range::plus)
    }
}

/// Each total must be the total before plus the lines in between.
fn totals(run: &Run, sheet: &mut Sheet) {
    let mut before: Option<&Entry> = None;
    let mut since = Since::default();
    for entry in &run.entries {
        if !entry.total {
            since.deltas.push(entry);
            continue;
        }
        if before.is_some() || !since.deltas.is_empty() {
            total(before, &since, entry, sheet);
        }
        before = Some(entry);
        since = Since::default();
    }
}

fn total(before: Option<&Entry>, since: &Since<'_>, e: &Entry, sheet: &mut Sheet) {
    let start = |of: fn(&Entry) -> &Figure| {
        before
            .and_then(|b| of(b).range)
            .unwrap_or(Range::exact(0.0))
    };
    let count = start(|e| &e.count).plus(since.sum(|e| &e.count));
    let errors = start(|e| &e.errors).plus(since.sum(|e| &e.errors));
    let seconds = start(|e| &e.seconds).plus(since.sum(|e| &e.seconds));
    let (Some((n, t)), Some(bad)) = (both(&e.count, &e.seconds), e.errors.range) else {
        return;
    };
    let mut figures = vec![&e.count];
    figures.extend(before.map(|b| &b.count));
    figures.extend(since.deltas.iter().map(|d| &d.count));
    let parts: Vec<&str> = figures[1..].iter().map(|f| f.text.as_str()).collect();
    let says = format!(
        "{} = {}; printed {}",
        parts.join(" + "),
        digits(count.lo),
        e.count.text
    );
    // If a line were missing its time would be missing too: then nothing can be said.
    let complete = seconds.widened(0.01).meets(t);
    // The first total of a text that may begin in the middle of a run: a line of no time may be missing before it.
    if n.above(count) && before.is_none() && bad.lo >= errors.lo && complete {
        sheet.add(
            Severity::Doubtful,
            Rule::Sum,
            &figures,
            format!("{says}; the times add up"),
            "The total must be what came since the run began: true only where the text begins later, and a line was left out whose time rounds to nothing.",
        );
        return;
    }
    if n.above(count) && !complete {
        sheet.add(
            Severity::NotChecked,
            Rule::Sum,
            &figures,
            format!("{says}; the times differ too, so that lines are missing"),
            "The lines cannot be added up where some were left out.",
        );
        return;
    }
    let meaning = "The total must be the total before plus what came since.";
    sheet.must(n.meets(count), Rule::Sum, &figures, says, meaning);
    if !n.meets(count) {
        return;
    }
    sheet.must(
        bad.meets(errors),
        Rule::Sum,
        &[&e.errors],
        format!(
            "errors so far {}; printed {}",
            digits(errors.lo),
            e.errors.text
        ),
        meaning,
    );
    ends(before, since, e, sheet);
    mean(before, since, e, sheet);
}

/// Minimum and maximum of the total against those of its parts.
fn ends(before: Option<&Entry>, since: &Since<'_>, e: &Entry, sheet: &mut Sheet) {
    let parts = || {
        before
            .into_iter()
            .chain(since.deltas.iter().copied())
            .filter(|p| p.count.range.is_some_and(|n| n.lo > 0.0))
    };
    let least = parts()
        .filter_map(|p| p.min.range)
        .map(|r| r.lo)
        .fold(f64::INFINITY, f64::min);
    let most = parts()
        .filter_map(|p| p.max.range)
        .map(|r| r.hi)
        .fold(0.0, f64::max);
    let (Some((min, max)), true) = (both(&e.min, &e.max), least.is_finite()) else {
        return;
    };
    let meaning = "Minimum and maximum of the total are those of its parts.";
    for (figure, printed, expected, what) in
        [(&e.min, min, least, "Min"), (&e.max, max, most, "Max")]
    {
        sheet.must(
            printed.meets(Range::exact(expected)),
            Rule::Sequence,
            &[figure],
            format!(
                "{what} of the parts is {}; printed {}",
                digits(expected),
                figure.text
            ),
            meaning,
        );
    }
}

/// The total's mean is the parts' mean, weighted by their counts.
fn mean(before: Option<&Entry>, since: &Since<'_>, e: &Entry, sheet: &mut Sheet) {
    let parts = before.into_iter().chain(since.deltas.iter().copied());
    let mut sum = Range::exact(0.0);
    for part in parts {
        let (Some(m), Some(n)) = (part.mean.range, part.count.range) else {
            return;
        };
        sum = sum.plus(m.times(n));
    }
    let (Some(n), Some(printed)) = (e.count.range, e.mean.range) else {
        return;
    };
    let expected = sum.over(n);
    sheet.must(
        printed.meets(expected),
        Rule::Mean,
        &[&e.mean],
        format!(
            "the parts' means, weighted by their counts, give {expected} ms; printed {}",
            e.mean.text
        ),
        "The mean of the total is the weighted mean of its parts.",
    );
}

/// Each thread runs one sample at a time: rate × mean cannot exceed the threads.
fn littles_law(run: &Run, sheet: &mut Sheet) {
    let threads = run
        .entries
        .iter()
        .filter_map(|e| e.started.as_ref())
        .max_by(|a, b| {
            a.range
                .map_or(0.0, |r| r.hi)
                .total_cmp(&b.range.map_or(0.0, |r| r.hi))
        });
    let Some(threads) = threads else {
        if let Some(last) = run.entries.last() {
            sheet.add(
                Severity::NotChecked,
                Rule::LittlesLaw,
                &[&last.mean],
                "threads = rate × mean cannot be checked: no line has the number of threads",
                "Lines with '+' end in 'Active: … Started: …': look for them in the whole log, or for the number of threads in the test plan.",
            );
        }
        return;
    };
    for e in &run.entries {
        law(e, e.started.as_ref().unwrap_or(threads), sheet);
    }
}

fn law(e: &Entry, threads: &Figure, sheet: &mut Sheet) {
    let (Some(rate), Some(n)) = (&e.rate, threads.range) else {
        return;
    };
    let (Some((x, m)), Some((t, max))) = (both(rate, &e.mean), both(&e.seconds, &e.max)) else {
        return;
    };
    // Samples that began before the interval count with their whole time.
    let edge = if t.lo > 0.0 {
        max.hi / 1000.0 / t.lo
    } else {
        return;
    };
    let busy = x.times(m).scaled(1e-3);
    let says = format!(
        "{}/s × {} ms = {busy} threads busy; {} were started",
        rate.text, e.mean.text, threads.text
    );
    let figures = [&e.mean, rate, threads];
    if busy.above(n.scaled(1.02 + edge)) {
        // A total has no threads of its own: lines with more threads may have been left out before it. Versions that wrote `30.1s`
        // count transactions next to their samples.
        let is_old = e.seconds.text.ends_with('s');
        let (severity, meaning) = if is_old {
            (
                Severity::Doubtful,
                "A thread runs one sample at a time: true only if transactions were counted next to their samples, as old versions do.",
            )
        } else if e.started.is_some() {
            (
                Severity::Impossible,
                "A thread runs one sample at a time, so that more threads cannot be busy than there are.",
            )
        } else {
            (
                Severity::Doubtful,
                "A thread runs one sample at a time: unless lines with more threads were left out here, more cannot be busy.",
            )
        };
        sheet.add(severity, Rule::LittlesLaw, &figures, says, meaning);
        return;
    }
    sheet.holds(Rule::LittlesLaw, &figures, says);
    // A steady stretch in which most of the threads' time is in no sample.
    let steady = e.active.as_ref().is_some_and(|a| a.range == threads.range) && t.lo >= 5.0;
    if steady && m.lo >= 1.0 && busy.hi < 0.5 * n.lo {
        sheet.add(
            Severity::Note,
            Rule::LittlesLaw,
            &figures,
            format!("{}/s × {} ms = {busy} of {} threads busy", rate.text, e.mean.text, threads.text),
            format!("{} of the threads' time is in no sample: timers in the plan, or JMeter itself was the limit (see its CPU).", percent(1.0 - busy.mid() / n.mid())),
        );
    }
}
