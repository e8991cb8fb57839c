//! Little's law, and requests that failed.

use crate::figure::{Figure, Range, digits, percent};
use crate::finding::{Rule, Severity};
use crate::formula::Expression;
use crate::layout::LoopKind;
use crate::quantity::split;
use crate::rules::{self, Failed};
use crate::sheet::{Sheet, both};
use crate::view::View;

/// Share of the connections' time in requests below which it is worth a note.
const IDLE: f64 = 0.5;

/// Little's law, or why it was not checked. Requests of a connection do not overlap: their time cannot be more than what the
/// connections had. Less is possible, since a tool may be told to wait, or be busy itself: it is never more than a note.
pub fn closed_loop(run: View<'_>, sheet: &mut Sheet) {
    let drive = &run.layout.drive;
    if drive.kind == LoopKind::Own {
        return;
    }
    let lookup = |name: &str| run.range(name);
    let mean = run.figure(drive.mean.as_deref().unwrap_or("mean"));
    let not_checked = |sheet: &mut Sheet, why: &str| {
        let last = run.record.rows().last();
        let mean = mean.or(last.and_then(|row| row.get("mean")));
        let figures: Vec<&Figure> = mean.into_iter().chain(run.figure("rate")).collect();
        rules::law_not_checked(sheet, &figures, why, &drive.ask);
    };
    let is_closed = drive.kind == LoopKind::Closed;
    if !is_closed || !drive.condition.holds(&lookup) {
        not_checked(sheet, &drive.why);
    }
    if !is_closed {
        return;
    }
    let value = |part: &Option<Expression>| part.as_ref().and_then(|part| part.value(&lookup));
    let [named, needed] = [&drive.connections, &drive.rate]
        .map(|part| part.as_ref().map(Expression::names).unwrap_or_default());
    let connections = named.first().and_then(|(name, _)| run.figure(name));
    let (Some(mean), Some(connections), Some(rate)) = (mean, connections, value(&drive.rate))
    else {
        let mut names = named.iter().chain(&needed);
        let missing = names.find(|(name, needs)| *needs && lookup(name).is_none());
        if let Some((name, _)) = missing.filter(|_| drive.why.is_empty()) {
            not_checked(sheet, &format!("{name} is missing"));
        }
        return;
    };
    let Some((c, m)) = both(connections, mean).filter(|(c, _)| c.hi >= 1.0 && rate.hi.is_finite())
    else {
        return;
    };
    let depth = value(&drive.depth).map_or(1.0, |depth| depth.hi.max(1.0));
    let at_once = rate.times(m).scaled(1e-3);
    let room = c.scaled(depth);
    let from = drive
        .rate
        .as_ref()
        .map(|rate| rate.with(&|name| run.text(name)));
    let says = format!(
        "{} × {} = {at_once} requests at a time; {} connections{} allow {}",
        from.unwrap_or_default(),
        mean.text,
        connections.text,
        match depth > 1.0 {
            true => format!(" × {}", digits(depth)),
            false => String::new(),
        },
        digits(room.hi)
    );
    let mut figures = vec![mean, connections];
    for (name, _) in &needed {
        figures.extend(run.record.figures(run.scope, name));
    }
    // 1% for the clocks, and what reaches beyond the ends of the run.
    let ends = value(&drive.ends).map_or(0.0, |ends| ends.hi);
    let (severity, meaning) = if at_once.above(room.scaled(1.01 + ends)) {
        match &drive.extra {
            None => (
                Severity::Impossible,
                "A connection has one request at a time, so that more cannot be under way than there are connections.".to_owned(),
            ),
            Some(extra) => (Severity::Doubtful, extra.clone()),
        }
    } else if at_once.hi < IDLE * room.lo {
        let share = percent(at_once.mid() / room.mid());
        let meaning = format!(
            "Only {share} of the connections' time is in the latency. {}",
            drive.idle
        );
        (Severity::Note, meaning)
    } else {
        (Severity::Holds, String::new())
    };
    sheet.add(severity, Rule::LittlesLaw, &figures, says, meaning);
}

/// Requests that failed, as far as they are listed.
pub fn failures(run: View<'_>, sheet: &mut Sheet) {
    let lost = run.layout.lost;
    if run.layout.grows.is_empty() {
        run.scope.responses.check(sheet, lost);
    }
    let lookup = |name: &str| run.range(name);
    for failure in run
        .layout
        .failures
        .iter()
        .filter(|f| f.condition.holds(&lookup))
    {
        if let Some(name) = &failure.each_without
            && run.record.scope(name).is_none()
        {
            // The quantities of a row have their names without that of the missing one.
            let own = |name: &str| split(name).map_or(name, |(_, own)| own).to_owned();
            let names = [&failure.count, &failure.of].map(Expression::names);
            for row in run.record.rows() {
                let figures =
                    |at: usize| names[at].iter().filter_map(|(name, _)| row.get(&own(name)));
                let all = failure.of.value(&|name| row.range(&own(name)));
                if let (Some(failed), Some(all)) = (figures(0).next(), all) {
                    let what = format!("{} of {}", failure.what, row.name);
                    let from: Vec<&Figure> = figures(1).collect();
                    let text = digits(all.mid());
                    rules::failures_of(sheet, failed, all, (&text, &from), &what, Failed::Response);
                }
            }
            continue;
        }
        let (Some(count), Some(of)) = (failure.count.value(&lookup), failure.of.value(&lookup))
        else {
            continue;
        };
        let [names, of_names] = [&failure.count, &failure.of].map(Expression::names);
        let figure = names.first().and_then(|(name, _)| run.figure(name));
        let Some(figure) = figure.filter(|_| !failure.quiet || count.hi > 0.0) else {
            continue;
        };
        let from = of_names.iter().filter_map(|(name, _)| run.figure(name));
        let from: Vec<&Figure> = from.collect();
        let text = |names: &[(&str, bool)], value: Range| match names {
            [(name, _)] => run.record.shown(run.scope, name),
            _ => Some(digits(value.mid())),
        };
        let counted = Figure {
            text: text(&names, count).unwrap_or_default(),
            line: figure.line,
            range: Some(count),
        };
        let of_text = text(&of_names, of).unwrap_or_else(|| digits(of.mid()));
        let kind = if failure.lost { lost } else { Failed::Response };
        let what = run.sentence(&failure.what);
        rules::failures_of(sheet, &counted, of, (&of_text, &from), &what, kind);
    }
}
