//! The laws: what must be true of the quantities of a report. They run where their names exist.
//!
//! `layouts/laws.toml` and each layout have formulas; here are those about a distribution, a histogram, a closed loop, rows and
//! failures.

use crate::figure::{Figure, Range, digits};
use crate::finding::{self, Rule, Severity};
use crate::habits;
use crate::layout::{Law, Layout, LoopKind, LostRequests, Remark};
use crate::quantity::{Unit, unit};
use crate::record::{Record, Scope};
use crate::rules::{self, Busy, Failed, Slack, path};
use crate::sheet::{Sheet, both};
use crate::view::View;

/// Checks a report.
pub fn check(layout: &Layout, record: &Record, sheet: &mut Sheet) -> finding::Report {
    let run = View {
        layout,
        record,
        scope: record.run(),
    };
    not_given(record, sheet);
    let numbers = layout.numbers.iter().filter_map(|name| run.figure(name));
    let numbers_hold = sheet.numbers(numbers, &layout.nan);
    for scope in &record.scopes {
        distribution(View { scope, ..run }, numbers_hold, sheet);
    }
    for law in &layout.laws {
        for view in views(run, law.each) {
            formula(law, view, sheet);
        }
    }
    for remark in &layout.remarks {
        say(remark, run, sheet);
    }
    rows(run, sheet);
    drive(run, sheet);
    failures(run, sheet);
    habits::check(run, sheet);
    report(run)
}

/// The run, or each of its rows.
fn views(run: View<'_>, each: bool) -> Vec<View<'_>> {
    match each {
        false => vec![run],
        true => {
            let rows = run.record.rows().iter();
            rows.map(|scope| View { scope, ..run }).collect()
        }
    }
}

fn report(run: View<'_>) -> finding::Report {
    let record = run.record;
    let filled = |part: &String| {
        let names = part.split('{').skip(1);
        let names: Vec<&str> = names.filter_map(|n| Some(n.split_once('}')?.0)).collect();
        let shown = |name: &str| match record.text(name) {
            Some(text) => Some(text.to_owned()),
            None => record.shown(run.scope, name),
        };
        let mut text = part.clone();
        for name in names {
            text = text.replace(&format!("{{{name}}}"), &shown(name)?);
        }
        Some(text)
    };
    let title: Vec<String> = run.layout.title.iter().filter_map(filled).collect();
    let lookup = |name: &str| run.range(name);
    let known = run.layout.response_bytes_if.holds(&lookup);
    let each = run.layout.response_bytes.as_ref().filter(|_| known);
    let each = each.and_then(|each| each.value(&lookup));
    let endpoint = match record.text("path") {
        Some(path) => Some(path.to_owned()),
        None => record.text("url").map(path),
    };
    let size = record.run().get("size").and_then(|f| f.range);
    finding::Report {
        endpoint,
        response_bytes: each.map(|each| (each.lo, each.hi)),
        body_bytes: size
            .filter(|_| record.text("path").is_some())
            .map(|s| s.lo as u64),
        ..finding::Report::new(&run.layout.tool, record.span, title.join(", "))
    }
}

/// Figures that stand for 'not given'.
fn not_given(record: &Record, sheet: &mut Sheet) {
    for (name, figure) in record.not_given.iter().take(3) {
        sheet.add(
            Severity::Note,
            Rule::NotANumber,
            &[figure],
            format!("{name} is printed as {}", figure.text),
            "This stands for a figure that the tool did not have. It is not judged.",
        );
    }
}

/// Order, mean, deviation and histogram of the times of one scope.
fn distribution(view: View<'_>, numbers_hold: bool, sheet: &mut Sheet) {
    let (layout, scope) = (view.layout, view.scope);
    if let Some(share) = scope.get("within") {
        rules::share_within(sheet, share);
    }
    if layout
        .own
        .iter()
        .any(|own| scope.name.starts_with(own.as_str()))
    {
        return;
    }
    // The longest beginning of a name counts.
    let values = layout.values.iter().rev();
    let mut values = values.filter(|(name, _)| match name.strip_suffix('*') {
        Some("") => true,
        Some(begin) => scope.name.starts_with(begin) && !scope.name.contains('{'),
        None => scope.name == **name,
    });
    let lookup = |name: &str| view.range(name);
    let counted = values.next().and_then(|(_, values)| values.value(&lookup));
    let n = counted.map_or(1.0, |n| n.lo.max(0.0));
    if counted.is_some_and(|n| n.hi < 1.0 || n.hi >= layout.most) {
        if let Some(mean) = &scope.latency.mean {
            rules::no_mean(sheet, mean);
        }
        return;
    }
    let slack = Slack {
        values: n,
        sketch: layout.sketch,
    };
    let mut latency = scope.latency.clone();
    if !numbers_hold && latency.mean.as_ref().is_some_and(|m| m.range.is_none()) {
        latency.mean = None;
    }
    let name = match scope.name.as_str() {
        "" => String::new(),
        name => format!("{name}: "),
    };
    if layout.interpolated {
        // Quantiles lie on a straight line within a bucket: they are checked with the histogram, not as values of requests.
        let mut ends = latency.clone();
        ends.quantiles.clear();
        ends.check(sheet, &name, slack);
        latency.mean = None;
    }
    latency.check(sheet, &name, slack);
    let whole = !scope.responses.statuses.is_empty() || layout.interpolated;
    if let (Some(mean), true, Some(counted)) = (&scope.latency.mean, whole, counted) {
        scope.histogram.check(sheet, mean, counted);
    }
    if layout.interpolated {
        for (q, value) in &scope.latency.quantiles {
            scope.histogram.holds_quantile(sheet, *q, value);
        }
    }
    if let Some(steps) = layout.steps {
        scope.histogram.steps(sheet, steps, &scope.latency);
    }
}

/// A formula on the figures of a report.
fn formula(law: &Law, view: View<'_>, sheet: &mut Sheet) {
    let lookup = |name: &str| view.range(name);
    if !law.condition.holds(&lookup) {
        return;
    }
    let (Some(left), Some(right)) = (law.is.left.value(&lookup), law.is.right.value(&lookup))
    else {
        return;
    };
    let names = [law.is.left.names(), law.is.right.names()].concat();
    let own = |name: &str| view.scope.get(name).is_some();
    if law.each && !names.first().is_some_and(|(name, _)| own(name)) {
        return;
    }
    let mut figures: Vec<&Figure> = Vec::new();
    for (name, _) in &names {
        for figure in view.record.figures(view.scope, name) {
            if !figures.iter().any(|known| std::ptr::eq(*known, figure)) {
                figures.push(figure);
            }
        }
    }
    let Some(holds) = law.is.holds(&lookup).filter(|_| !figures.is_empty()) else {
        return;
    };
    let says = arithmetic(law, view, left, right);
    if holds {
        sheet.holds(law.rule, &figures, says);
        return;
    }
    let with_sides = |name: &str| match name {
        "left" => Some(left),
        "right" => Some(right),
        name => view.range(name),
    };
    let except = law.except.iter().find(|e| e.condition.holds(&with_sides));
    let (severity, meaning) = match except {
        Some(except) => (except.severity, &except.meaning),
        None => (law.severity, &law.meaning),
    };
    sheet.add(severity, law.rule, &figures, says, view.sentence(meaning));
}

/// `448420 requests / 2.00s = 224210 per second; printed 220000`.
fn arithmetic(law: &Law, view: View<'_>, left: Range, right: Range) -> String {
    use crate::formula::{Expression, Relation};
    let text = |name: &str| view.text(name);
    let scope = match view.scope.name.as_str() {
        "" => String::new(),
        name => format!("{name}: "),
    };
    let name = match &law.is.left {
        Expression::Name(name, _) => name.as_str(),
        _ => "",
    };
    let behind = match unit(name) {
        Some(Unit::PerSecond) => " per second",
        Some(Unit::Milliseconds) => " ms",
        Some(Unit::Seconds) => " s",
        Some(Unit::Bytes) => " bytes",
        Some(Unit::BytesPerSecond) => " bytes per second",
        Some(Unit::Percent) => "%",
        _ => "",
    };
    let shown = match name {
        "" => format!("{} = {left}", law.is.left.with(&text)),
        name => view.record.shown(view.scope, name).unwrap_or_default(),
    };
    let computed = law.is.right.with(&text);
    let is_plain = matches!(law.is.right, Expression::Name(..) | Expression::Number(_));
    let computed = match is_plain {
        true => computed,
        false => format!("{computed} = {right}{behind}"),
    };
    match law.is.relation {
        Relation::Equal => format!("{scope}{computed}; printed {shown}"),
        Relation::AtMost | Relation::Below => {
            format!(
                "{scope}at most {computed}; printed {}",
                text(name).unwrap_or(shown)
            )
        }
        Relation::AtLeast | Relation::Above => {
            format!(
                "{scope}at least {computed}; printed {}",
                text(name).unwrap_or(shown)
            )
        }
    }
}

fn say(remark: &Remark, view: View<'_>, sheet: &mut Sheet) {
    if !remark.condition.holds(&|name: &str| view.range(name)) {
        return;
    }
    let figures = remark.figures.iter();
    let figures: Vec<&Figure> = figures
        .flat_map(|name| view.record.figures(view.scope, name))
        .collect();
    sheet.add(
        remark.severity,
        remark.rule,
        &figures,
        view.sentence(&remark.says),
        view.sentence(&remark.meaning),
    );
}

/// The laws of rows: from row to row, and the row that is made of the others.
fn rows(run: View<'_>, sheet: &mut Sheet) {
    let (layout, rows) = (run.layout, run.record.rows());
    if !layout.grows.is_empty() {
        for pair in rows.windows(2) {
            sequence(layout, &pair[0], &pair[1], sheet);
        }
    }
    if let Some(name) = &layout.aggregate
        && let Some((all, parts)) = rows.split_last()
        && all.name == *name
        && !parts.is_empty()
    {
        aggregate(all, parts, sheet);
    }
}

/// Later rows go on from earlier ones.
fn sequence(layout: &Layout, a: &Scope, b: &Scope, sheet: &mut Sheet) {
    let some = a.range("ok").is_none_or(|n| n.lo > 0.0);
    let mut fine = true;
    let grows = layout.grows.iter().map(|name| (name, false));
    for (name, falls) in grows.chain(layout.falls.iter().map(|name| (name, true))) {
        let (Some(was), Some(is)) = (a.get(name), b.get(name)) else {
            continue;
        };
        let Some((r, s)) = both(was, is) else {
            continue;
        };
        let wrong = if falls { s.above(r) } else { r.above(s) };
        if wrong && (some || name == "duration") {
            fine = false;
            sheet.add(
                Severity::Impossible,
                Rule::Sequence,
                &[is, was],
                format!("{name} was {} and is then {}", was.text, is.text),
                "Each row counts from the start: times, counts and the longest only grow, the shortest only falls.",
            );
        }
    }
    if fine && let (Some(was), Some(is)) = (a.get("ok"), b.get("ok")) {
        let says = format!("{} after {} successes", is.text, was.text);
        sheet.holds(Rule::Sequence, &[is, was], says);
    }
}

/// The last row is made of the others.
fn aggregate(all: &Scope, parts: &[Scope], sheet: &mut Sheet) {
    let requests = |row: &Scope| row.range("requests").unwrap_or(Range::exact(0.0));
    let none = |row: &Scope| requests(row).hi <= 0.0;
    let Some(total) = all.get("requests") else {
        return;
    };
    if parts.iter().all(none) && !none(all) {
        let mut figures = vec![total];
        figures.extend(parts.iter().filter_map(|row| row.get("requests")));
        sheet.add(
            Severity::NotChecked,
            Rule::Sum,
            &figures,
            format!("requests of all names: 0; printed {}", total.text),
            "With --json Locust empties the rows of the names before it prints this table: the JSON beside it has them.",
        );
        return;
    }
    let meaning = "The last row is the sum of the others: rows were left out, or changed.";
    for name in ["requests", "failed"] {
        let of: Vec<&Figure> = parts.iter().filter_map(|row| row.get(name)).collect();
        if let Some(total) = all.get(name).filter(|_| of.len() == parts.len()) {
            rules::sum(sheet, total, &of, &format!("{name} of all names"), meaning);
        }
    }
    let used = || parts.iter().filter(|row| !none(row));
    let mean = |row: &Scope| {
        let mean = row.latency.mean.as_ref()?.range?;
        Some(Range::new(mean.lo.max(0.0), mean.hi).times(requests(row)))
    };
    let sum = used()
        .map(mean)
        .try_fold(Range::exact(0.0), |sum, part| Some(sum.plus(part?)));
    if let (Some(sum), Some(printed)) = (sum, &all.latency.mean)
        && requests(all).lo >= 1.0
    {
        let expected = sum.over(requests(all));
        sheet.must(
            printed.range.is_none_or(|m| m.meets(expected)),
            Rule::Mean,
            &[printed],
            format!("the means of all names, weighted by their requests, give {expected} ms; printed {}", printed.text),
            "The mean of all together is the weighted mean of the names.",
        );
    }
    type Better = fn(f64, f64) -> f64;
    let ends: [(&str, &str, Better); 2] =
        [("minimum", "min", f64::min), ("maximum", "max", f64::max)];
    for (what, name, better) in ends {
        let ranges: Option<Vec<Range>> = used().map(|row| row.get(name)?.range).collect();
        let ranges = ranges.unwrap_or_default().into_iter();
        let best = ranges.reduce(|a, b| Range::new(better(a.lo, b.lo), better(a.hi, b.hi)));
        if let (Some(printed), Some(best)) = (all.get(name), best)
            && let Some(x) = printed.range
        {
            sheet.must(
                x.meets(best),
                Rule::Sequence,
                &[printed],
                format!(
                    "the {what} of all names is {best} ms; printed {}",
                    printed.text
                ),
                "Minimum and maximum of all together are those of one of the names.",
            );
        }
    }
}

/// Little's law, or why it was not checked.
fn drive(run: View<'_>, sheet: &mut Sheet) {
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
    let named = drive
        .connections
        .as_ref()
        .map(|c| c.names())
        .unwrap_or_default();
    let connections = named.first().and_then(|(name, _)| view.figure(name));
    let needed = drive
        .rate
        .as_ref()
        .map(|rate| rate.names())
        .unwrap_or_default();
    let missing = named
        .iter()
        .chain(&needed)
        .find(|(name, needs)| *needs && lookup(name).is_none());
    let busy_rate = drive.rate.as_ref().and_then(|rate| rate.value(&lookup));
    let (Some(mean), Some(connections), Some(busy_rate)) = (mean, connections, busy_rate) else {
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
    let depth = drive.depth.as_ref().and_then(|depth| depth.value(&lookup));
    let depth = depth.map_or(1.0, |depth| depth.hi.max(1.0));
    let ends = drive.ends.as_ref().and_then(|ends| ends.value(&lookup));
    let busy = Busy {
        connections,
        depth,
        mean,
        rate: busy_rate,
        from: drive
            .rate
            .as_ref()
            .map(|rate| rate.with(&text))
            .unwrap_or_default(),
        figures,
        ends: ends.map_or(0.0, |ends| ends.hi),
        idle: &drive.idle,
        extra: drive.extra.as_deref(),
    };
    rules::closed_loop(sheet, &busy);
}

/// Requests that failed, as far as they are listed.
fn failures(run: View<'_>, sheet: &mut Sheet) {
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
        rules::failures_of(sheet, &counted, of, (&text, &from), &failure.what, kind);
    }
}
