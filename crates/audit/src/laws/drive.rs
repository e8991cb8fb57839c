//! Little's law, and requests that failed.

use crate::figure::{Figure, digits};
use crate::formula::Expression;
use crate::layout::{LoopKind, LostRequests};
use crate::rules::{self, Busy, Failed};
use crate::sheet::Sheet;
use crate::view::View;

/// Little's law, or why it was not checked.
pub fn closed_loop(run: View<'_>, sheet: &mut Sheet) {
    let drive = &run.layout.drive;
    if drive.kind == LoopKind::Own {
        return;
    }
    let view = run;
    let lookup = |name: &str| view.range(name);
    let mean = view.figure(drive.mean.as_deref().unwrap_or("mean"));
    let last = run
        .record
        .rows()
        .last()
        .and_then(|row| row.latency.mean.as_ref());
    let rate = view.figure("rate");
    let not_checked = |sheet: &mut Sheet, why: &str| {
        let mean = mean.or(last.filter(|_| mean.is_none()));
        let figures: Vec<&Figure> = mean.into_iter().chain(rate).collect();
        rules::law_not_checked(sheet, &figures, why, &drive.ask);
    };
    if drive.kind != LoopKind::Closed || !drive.condition.holds(&lookup) {
        not_checked(sheet, &drive.why);
        if drive.kind != LoopKind::Closed {
            return;
        }
    }
    let value = |part: &Option<Expression>| part.as_ref().and_then(|part| part.value(&lookup));
    let (named, needed) = (
        names(drive.connections.as_ref()),
        names(drive.rate.as_ref()),
    );
    let connections = named.first().and_then(|(name, _)| view.figure(name));
    let missing = named
        .iter()
        .chain(&needed)
        .find(|(name, needs)| *needs && lookup(name).is_none());
    let (Some(mean), Some(connections), Some(rate)) = (mean, connections, value(&drive.rate))
    else {
        if drive.why.is_empty()
            && let Some((name, _)) = missing
        {
            not_checked(sheet, &format!("{name} is missing"));
        }
        return;
    };
    if mean.range.is_none() {
        return;
    }
    let text = |name: &str| view.text(name);
    let mut figures: Vec<&Figure> = Vec::new();
    for (name, _) in &needed {
        figures.extend(view.record.figures(view.scope, name));
    }
    let from = drive.rate.as_ref().map(|rate| rate.with(&text));
    let busy = Busy {
        connections,
        depth: value(&drive.depth).map_or(1.0, |depth| depth.hi.max(1.0)),
        mean,
        rate,
        from: from.unwrap_or_default(),
        figures,
        ends: value(&drive.ends).map_or(0.0, |ends| ends.hi),
        idle: &drive.idle,
        extra: drive.extra.as_deref(),
    };
    rules::closed_loop(sheet, &busy);
}

fn names(part: Option<&Expression>) -> Vec<(&str, bool)> {
    part.map(Expression::names).unwrap_or_default()
}

/// Requests that failed, as far as they are listed.
pub fn failures(run: View<'_>, sheet: &mut Sheet) {
    let lost = match run.layout.lost {
        LostRequests::Missing => Failed::Lost,
        LostRequests::Timed => Failed::Timed,
    };
    if run.layout.grows.is_empty() {
        run.scope.responses.check(sheet, lost);
    }
    for failure in &run.layout.failures {
        let lookup = |name: &str| run.range(name);
        if !failure.condition.holds(&lookup) {
            continue;
        }
        if let Some(name) = &failure.each_without
            && run.record.scope(name).is_none()
        {
            for row in run.record.rows() {
                if let (Some(failed), Some(all)) = (row.get("failed"), row.get("requests")) {
                    rules::failures(
                        sheet,
                        failed,
                        all,
                        &format!("{} of {}", failure.what, row.name),
                    );
                }
            }
            continue;
        }
        let (Some(count), Some(of)) = (failure.count.value(&lookup), failure.of.value(&lookup))
        else {
            continue;
        };
        if failure.quiet && count.hi <= 0.0 {
            continue;
        }
        let names = failure.count.names();
        let Some(figure) = names.first().and_then(|(name, _)| run.figure(name)) else {
            continue;
        };
        let of_names = failure.of.names();
        let from: Vec<&Figure> = of_names
            .iter()
            .filter_map(|(name, _)| run.figure(name))
            .collect();
        let text = match of_names
            .first()
            .and_then(|(name, _)| run.record.shown(run.scope, name))
        {
            Some(text) if of_names.len() == 1 => text,
            _ => digits(of.mid()),
        };
        let counted = Figure {
            text: match names.len() {
                1 => figure.text.clone(),
                _ => digits(count.mid()),
            },
            line: figure.line,
            range: Some(count),
        };
        let kind = if failure.lost { lost } else { Failed::Response };
        let what = run.sentence(&failure.what);
        rules::failures_of(sheet, &counted, of, (&text, &from), &what, kind);
    }
}
