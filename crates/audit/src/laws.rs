//! The laws: what must be true of the quantities of a report. They run where their names exist.
//!
//! `layouts/laws.toml` and each layout have formulas; here are those about a distribution and a histogram. Those about rows are in
//! `laws/rows.rs`, those about a closed loop and failures in `laws/drive.rs`.

mod drive;
mod rows;

use crate::figure::{Figure, Range};
use crate::finding::{self, Rule, Severity};
use crate::formula::{Expression, Formula, Relation};
use crate::habits;
use crate::layout::{Each, Law, Layout};
use crate::quantity::{Unit, unit};
use crate::record::{Record, Scope};
use crate::rules::{self, Slack, path};
use crate::sheet::Sheet;
use crate::view::{View, fill};

pub use rows::made_of;

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
    if !layout.numbers.is_empty() {
        let quantiles = run.scope.quantiles().map(|(_, value)| value);
        sheet.numbers(quantiles, &layout.nan);
    }
    for scope in &record.scopes {
        distribution(View { scope, ..run }, numbers_hold, sheet);
    }
    let quantiles = run.scope.quantiles();
    let percentiles: Vec<Scope> = quantiles.map(Scope::of_percentile).collect();
    for law in &layout.laws {
        let scopes: &[Scope] = match law.each {
            Each::Run => &record.scopes[..1],
            Each::Row => record.rows(),
            Each::Percentile => &percentiles,
        };
        for scope in scopes.iter().filter(|s| law.but.as_ref() != Some(&s.name)) {
            check_law(law, View { scope, ..run }, sheet);
        }
    }
    rows::check(run, sheet);
    drive::closed_loop(run, sheet);
    drive::failures(run, sheet);
    habits::check(run, sheet);
    report(run)
}

fn report(run: View<'_>) -> finding::Report {
    let record = run.record;
    let shown = |name: &str| match record.text(name) {
        Some(text) => Some(text.to_owned()),
        None => record.shown(run.scope, name),
    };
    let parts = run.layout.title.iter();
    let title: Vec<String> = parts.filter_map(|part| fill(part, shown)).collect();
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
    let mut own = layout.own.iter();
    if own.any(|own| scope.name.starts_with(own.as_str())) {
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
        if let Some(mean) = scope.get("mean") {
            rules::no_mean(sheet, mean);
        }
        return;
    }
    let slack = Slack {
        values: n,
        sketch: layout.sketch,
    };
    let mut latency = scope.latency();
    if !numbers_hold && latency.mean.as_ref().is_some_and(|m| m.range.is_none()) {
        latency.mean = None;
    }
    let name = scope.prefix();
    if layout.interpolated {
        // Quantiles lie on a straight line within a bucket: they are checked with the histogram, not as values of requests.
        let mut ends = latency.clone();
        ends.quantiles.clear();
        ends.check(sheet, &name, slack);
        latency.mean = None;
    }
    latency.check(sheet, &name, slack);
    let whole = !scope.responses.statuses.is_empty() || layout.interpolated;
    if let (Some(mean), true, Some(counted)) = (scope.get("mean"), whole, counted) {
        scope.histogram.check(sheet, mean, counted);
    }
    if layout.interpolated {
        for (q, value) in scope.quantiles() {
            scope.histogram.holds_quantile(sheet, q, value);
        }
    }
    if let Some(steps) = layout.steps {
        scope.histogram.steps(sheet, steps, &scope.latency());
    }
}

/// A law on the figures of a report.
fn check_law(law: &Law, view: View<'_>, sheet: &mut Sheet) {
    let lookup = |name: &str| view.range(name);
    if !law.condition.holds(&lookup) {
        return;
    }
    let sides = match &law.is {
        None => None,
        Some(is) => match (is.left.value(&lookup), is.right.value(&lookup)) {
            (Some(left), Some(right)) => Some((is, left, right)),
            _ => return,
        },
    };
    let of_formula = law.is.as_ref().map(Formula::names).unwrap_or_default();
    let first = match law.figures.first() {
        Some(name) => Some(name.as_str()),
        None => of_formula.first().map(|(name, _)| *name),
    };
    if law.each == Each::Row && first.is_none_or(|name| view.scope.get(name).is_none()) {
        return;
    }
    let figures = match law.figures.is_empty() {
        true => Some(all_figures(view, of_formula.iter().map(|(name, _)| *name))),
        false => named_figures(view, &law.figures),
    };
    let Some(figures) = figures.filter(|figures| !figures.is_empty()) else {
        return;
    };
    let says = |own: Option<&String>| match (own.or(law.says.as_ref()), sides) {
        (Some(says), _) => view.sentence(says),
        (None, Some((is, left, right))) => arithmetic(is, view, left, right),
        (None, None) => String::new(),
    };
    if let Some((is, ..)) = sides
        && is.holds(&lookup) == Some(true)
    {
        sheet.holds(law.rule, &figures, says(None));
        return;
    }
    let with_sides = |name: &str| match (name, sides) {
        ("left", Some((_, left, _))) => Some(left),
        ("right", Some((.., right))) => Some(right),
        (name, _) => view.range(name),
    };
    let case = law.cases.iter().find(|c| c.condition.holds(&with_sides));
    let severity = match case {
        Some(case) => Some(case.severity),
        None => law.severity.or(sides.map(|_| Severity::Impossible)),
    };
    let meaning = match case.and_then(|case| case.meaning.as_ref()) {
        Some(meaning) => meaning,
        None => &law.meaning,
    };
    let figures = match case.and_then(|case| case.figures.as_ref()) {
        Some(names) => named_figures(view, names).unwrap_or_default(),
        None => figures,
    };
    let says = || says(case.and_then(|case| case.says.as_ref()));
    match severity {
        None => {}
        Some(Severity::Holds) => sheet.holds(law.rule, &figures, says()),
        Some(severity) => sheet.add(severity, law.rule, &figures, says(), view.sentence(meaning)),
    }
}

/// The figures behind these names, each once.
fn all_figures<'v, 'n>(view: View<'v>, names: impl Iterator<Item = &'n str>) -> Vec<&'v Figure> {
    let mut figures: Vec<&Figure> = Vec::new();
    for figure in names.flat_map(|name| view.record.figures(view.scope, name)) {
        if !figures.iter().any(|known| std::ptr::eq(*known, figure)) {
            figures.push(figure);
        }
    }
    figures
}

/// The figures of a law that names them; `None` if one is missing.
fn named_figures<'v>(view: View<'v>, names: &[String]) -> Option<Vec<&'v Figure>> {
    let figures = |name: &str| view.record.figures(view.scope, name);
    let one = |names: &String| {
        let mut found = names.split('|').map(figures);
        found.find(|figures| !figures.is_empty())
    };
    let found: Option<Vec<Vec<&Figure>>> = names.iter().map(one).collect();
    found.map(|found| found.concat())
}

/// `448420 requests / 2.00s = 224210 per second; printed 220000`.
fn arithmetic(is: &Formula, view: View<'_>, left: Range, right: Range) -> String {
    let text = |name: &str| view.text(name);
    let scope = view.scope.prefix();
    let name = match &is.left {
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
        "" => format!("{} = {left}", is.left.with(&text)),
        name => view.record.shown(view.scope, name).unwrap_or_default(),
    };
    let computed = is.right.with(&text);
    let is_plain = matches!(is.right, Expression::Name(..) | Expression::Number(_));
    let computed = match is_plain {
        true => computed,
        false => format!("{computed} = {right}{behind}"),
    };
    let bound = match is.relation {
        Relation::Equal => return format!("{scope}{computed}; printed {shown}"),
        Relation::AtMost | Relation::Below => "at most",
        Relation::AtLeast | Relation::Above => "at least",
    };
    let shown = text(name).unwrap_or(shown);
    format!("{scope}{bound} {computed}; printed {shown}")
}
