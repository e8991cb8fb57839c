//! The laws: what must be true of the quantities of a report. They run where their names exist.
//!
//! `layouts/laws.toml` and each layout have formulas; here are those about a distribution and a histogram. Those about rows are in
//! `laws/rows.rs`, those about a closed loop and failures in `laws/drive.rs`.

mod drive;
mod rows;

use crate::figure::{Figure, Range};
use crate::finding::{self, Rule, Severity};
use crate::habits;
use crate::layout::{Law, Layout, Remark};
use crate::quantity::{Unit, unit};
use crate::record::Record;
use crate::rules::{self, Slack, path};
use crate::sheet::Sheet;
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
        let views = views(run, law.each).into_iter();
        for view in views.filter(|view| law.but.as_ref() != Some(&view.scope.name)) {
            formula(law, view, sheet);
        }
    }
    for remark in &layout.remarks {
        say(remark, run, sheet);
    }
    rows::check(run, sheet);
    drive::closed_loop(run, sheet);
    drive::failures(run, sheet);
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
    let names = law.is.names();
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
    let says = match &law.says {
        Some(says) => view.sentence(says),
        None => arithmetic(law, view, left, right),
    };
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
