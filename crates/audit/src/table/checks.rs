//! What must be true of a published table, whatever tool it is from.

use std::sync::LazyLock;

use super::rows::{Point, Row, Table};
use crate::figure::{Figure, Range};
use crate::finding::{self, Rule, Severity};
use crate::laws;
use crate::layout::Layout;
use crate::record::Record;
use crate::rules;
use crate::sheet::{Sheet, both};

static LAYOUT: LazyLock<Layout> =
    LazyLock::new(|| Layout::parse(include_str!("../../layouts/table.toml")).unwrap_or_default());

/// Checks one table.
pub fn check(t: &Table, sheet: &mut Sheet) -> finding::Report {
    let mut record = Record::new(t.first);
    record.span.1 = t.last;
    let exact = |range: Option<Range>| Figure {
        text: String::new(),
        line: t.first,
        range,
    };
    if t.not_judged.is_none() {
        record.set(0, "mark.judged", exact(Some(Range::exact(1.0))));
    }
    for point in &t.points {
        let at = record.open("");
        for (name, figure) in point.quantities(exact) {
            record.set(at, name, figure);
        }
    }
    let report = laws::check(&LAYOUT, &record, sheet);
    for row in &t.rows {
        ascends(row, sheet);
    }
    let mean = t.points.first().map(|point| &point.mean);
    let first = mean.or(t.rows.first().map(|row| &row.rate));
    let no_mean = t
        .points
        .is_empty()
        .then_some("no column says that it holds a mean");
    if let (Some(figure), Some(why)) = (first, t.not_judged.as_deref().or(no_mean)) {
        rules::law_not_checked(
            sheet,
            &[figure],
            why,
            "A percentile or a maximum cannot stand for the mean, and a schedule, a pause between requests or connections of something else break the law: ask for the tool's own output.",
        );
    }
    let title = match t.points.len() {
        0 => format!("{} rows without a mean", t.rows.len()),
        n => format!("{n} pairs of rate and mean"),
    };
    finding::Report { title, ..report }
}

impl Point {
    /// What the laws of tables are about.
    fn quantities(&self, figure: impl Fn(Option<Range>) -> Figure) -> Vec<(&'static str, Figure)> {
        let mut all = vec![
            ("connections", self.connections.clone()),
            ("rate", self.rate.clone()),
            ("mean", self.mean.clone()),
        ];
        all.extend(self.nan.clone().map(|nan| ("_nan", nan)));
        let figures = [&self.connections, &self.rate, &self.mean].map(|figure| figure.range);
        if let [Some(connections), Some(rate), Some(mean)] = figures {
            let room = connections.scaled(1000.0 * self.depth);
            let share = rate.times(mean).over(room);
            let comma = with_decimal_comma(&self.rate, rate)
                .times(with_decimal_comma(&self.mean, mean))
                .over(room);
            let of = [
                ("_share", share),
                ("_due", room.over(rate)),
                ("_comma", comma),
            ];
            let of = of
                .into_iter()
                .filter(|(name, range)| *name != "_comma" || *range != share);
            all.extend(of.map(|(name, range)| (name, figure(Some(range)))));
        }
        let marks = [
            ("mark.multiplexed", self.multiplexed),
            ("mark.timeouts", self.timeouts || self.nan.is_some()),
        ];
        let marks = marks.into_iter().filter(|(_, is_set)| *is_set);
        all.extend(marks.map(|(name, _)| (name, figure(Some(Range::exact(1.0))))));
        all
    }
}

/// Percentiles of a row ascend and its mean is not above its maximum, if all are of one run: doubtful, since a table may have the
/// best of several runs in each column.
fn ascends(row: &Row, sheet: &mut Sheet) {
    let known = row.quantiles.iter().filter(|(_, f)| f.range.is_some());
    let mut steps: Vec<(f64, &Figure)> = known.map(|(q, figure)| (*q, figure)).collect();
    steps.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Columns of several servers: which belong together cannot be told.
    if steps.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return;
    }
    let is_above = |a: &Figure, b: &Figure| {
        let comma = |figure, range| with_decimal_comma(figure, range);
        both(a, b).is_some_and(|(x, y)| x.above(y) && comma(a, x).above(comma(b, y)))
    };
    let name = |q: f64| match q >= 1.0 {
        true => "the maximum".to_owned(),
        false => rules::percentile(q),
    };
    let meaning = "Of the same requests this cannot be: the columns are from different runs, or in different units.";
    let mut fine = steps.len() > 1;
    for pair in steps.windows(2) {
        let ((q, a), (r, b)) = (pair[0], pair[1]);
        if is_above(a, b) {
            fine = false;
            let (q, r, low, high) = (name(q), name(r), &a.text, &b.text);
            let says = format!("{q} = {low} is more than {r} = {high}");
            sheet.add(Severity::Doubtful, Rule::Order, &[b, a], says, meaning);
        }
    }
    let max = steps.iter().find(|(q, _)| *q >= 1.0);
    if let (Some(mean), Some((_, max))) = (&row.mean, max)
        && is_above(mean, max)
    {
        fine = false;
        let says = format!("mean {} is more than the maximum {}", mean.text, max.text);
        sheet.add(Severity::Doubtful, Rule::Mean, &[mean, max], says, meaning);
    }
    if let [(_, first), .., (_, last)] = steps[..]
        && fine
    {
        let (n, from, to) = (steps.len(), &first.text, &last.text);
        let says = format!("{from} ≤ … ≤ {to}: {n} figures in ascending order");
        sheet.holds(Rule::Order, &[last, first], says);
    }
}

/// A figure's values if the comma in it is a decimal one and does not part thousands, which the figure alone does not show.
fn with_decimal_comma(figure: &Figure, range: Range) -> Range {
    let may_be = figure.text.matches(',').count() == 1 && !figure.text.contains('.');
    range.scaled(if may_be { 1e-3 } else { 1.0 })
}
