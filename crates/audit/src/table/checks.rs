//! What must be true of a published table, whatever tool it is from.

use super::rows::{Point, Row, Table};
use crate::figure::{Figure, Range, percent, time};
use crate::finding::{self, Rule, Severity};
use crate::rules;
use crate::sheet::{Sheet, both};

/// Checks one table.
pub fn check(t: &Table, sheet: &mut Sheet) -> finding::Report {
    for point in &t.points {
        if let Some(nan) = &point.nan {
            sheet.add(
                Severity::Impossible,
                Rule::NotANumber,
                &[nan, &point.mean],
                format!("mean {} with '{}': the mean of no values at all", point.mean.text, nan.text),
                "No response entered the latency: all of them took longer than the tool's timeout, or none came.",
            );
        }
        if t.not_judged.is_none() {
            law(point, sheet);
        }
    }
    for row in &t.rows {
        ascends(row, sheet);
    }
    let first = t
        .points
        .first()
        .map(|p| &p.mean)
        .or(t.rows.first().map(|r| &r.rate));
    let why = match &t.not_judged {
        Some(why) => Some(why.clone()),
        None if t.points.is_empty() => Some("no column says that it holds a mean".to_owned()),
        None => None,
    };
    if let (Some(figure), Some(why)) = (first, why) {
        rules::law_not_checked(
            sheet,
            &[figure],
            &why,
            "A percentile or a maximum cannot stand for the mean, and a schedule, a pause between requests or connections of something else break the law: ask for the tool's own output.",
        );
    }
    let title = match t.points.len() {
        0 => format!("{} rows without a mean", t.rows.len()),
        n => format!("{n} pairs of rate and mean"),
    };
    finding::Report::new("table", (t.first, t.last), title)
}

/// Percentiles of a row ascend and its mean is not above its maximum, if all are of one run: doubtful, since a table may have the
/// best of several runs in each column.
fn ascends(row: &Row, sheet: &mut Sheet) {
    let mut steps: Vec<_> = row
        .quantiles
        .iter()
        .filter_map(|(q, f)| Some((*q, f, f.range?)))
        .collect();
    steps.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Columns of several servers: which belong together cannot be told.
    if steps.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return;
    }
    let mut fine = steps.len() > 1;
    for pair in steps.windows(2) {
        let ((q, a, low), (r, b, high)) = (pair[0], pair[1]);
        if q < r && low.above(high) && with_decimal_comma(a, low).above(with_decimal_comma(b, high))
        {
            fine = false;
            let name = |q: f64| {
                if q >= 1.0 {
                    "the maximum".to_owned()
                } else {
                    rules::percentile(q)
                }
            };
            sheet.add(
                Severity::Doubtful,
                Rule::Order,
                &[b, a],
                format!("{} = {} is more than {} = {}", name(q), a.text, name(r), b.text),
                "Of the same requests this cannot be: the columns are from different runs, or in different units.",
            );
        }
    }
    if let (Some(mean), Some((_, max, high))) = (&row.mean, steps.iter().find(|s| s.0 >= 1.0))
        && mean.range.is_some_and(|m| {
            m.above(*high) && with_decimal_comma(mean, m).above(with_decimal_comma(max, *high))
        })
    {
        fine = false;
        sheet.add(
            Severity::Doubtful,
            Rule::Mean,
            &[mean, max],
            format!("mean {} is more than the maximum {}", mean.text, max.text),
            "Of the same requests this cannot be: the columns are from different runs, or in different units.",
        );
    }
    if fine && let (Some(first), Some(last)) = (steps.first(), steps.last()) {
        sheet.holds(
            Rule::Order,
            &[last.1, first.1],
            format!(
                "{} ≤ … ≤ {}: {} figures in ascending order",
                first.1.text,
                last.1.text,
                steps.len()
            ),
        );
    }
}

/// A figure's values if the comma in it is a decimal one and does not part thousands, which the figure alone does not show.
fn with_decimal_comma(figure: &Figure, range: Range) -> Range {
    let may_be = figure.text.matches(',').count() == 1 && !figure.text.contains('.');
    range.scaled(if may_be { 1e-3 } else { 1.0 })
}

/// Bounds of rate × mean / connections. Wider than for a known tool by what is unknown of this one: below, connections may have been
/// idle; above, tools add samples or count from a schedule.
const FINE: (f64, f64) = (0.55, 1.5);
/// A busy generator, pauses, a ramp and connections that are opened again leave more than this: published boards have many rows of a
/// quarter and a half.
const IDLE: f64 = 0.1;

fn law(p: &Point, sheet: &mut Sheet) {
    let (Some((c, x)), Some(m)) = (both(&p.connections, &p.rate), p.mean.range) else {
        return;
    };
    if c.lo < 1.0 || x.lo <= 0.0 {
        return;
    }
    let c = c.scaled(p.depth);
    let expected = c.over(x).scaled(1000.0);
    let share = m.over(expected);
    let figures = [&p.mean, &p.connections, &p.rate];
    let says = format!(
        "{} connections / {} per second = {}; printed mean {}",
        p.connections.text,
        p.rate.text,
        time(expected.mid()),
        p.mean.text
    );
    if share.hi >= FINE.0 && share.lo <= FINE.1 {
        sheet.holds(Rule::LittlesLaw, &figures, says);
        return;
    }
    let decimal = with_decimal_comma(&p.rate, x)
        .times(with_decimal_comma(&p.mean, m))
        .over(c.scaled(1000.0));
    if decimal != x.times(m).over(c.scaled(1000.0)) && decimal.hi >= FINE.0 && decimal.lo <= FINE.1
    {
        sheet.add(
            Severity::NotChecked,
            Rule::LittlesLaw,
            &figures,
            says,
            "Commas may part thousands here, or be decimal ones: then the law holds. Ask for the numbers with points.",
        );
        return;
    }
    let part = percent(share.mid());
    let (severity, meaning) = if share.lo > FINE.1 && p.multiplexed {
        let meaning = "The row names a protocol that has many requests at a time on each connection: how many is missing.";
        (Severity::NotChecked, meaning.to_owned())
    } else if share.lo > FINE.1 {
        let meaning = format!(
            "{part} of the connections' time would be in the latency: with one request at a time there is no more than 100%."
        );
        (Severity::Doubtful, meaning)
    } else if p.timeouts || p.nan.is_some() {
        let meaning = format!(
            "Only {part} of the connections' time is in the latency: what timed out is missing. A client waited {} on average.",
            time(expected.mid())
        );
        (Severity::Impossible, meaning)
    } else {
        let meaning = format!(
            "Only {part} of the connections' time is in the latency. If each connection sent its next request at once, a client waited {} on average, and responses that timed out are missing from the mean.",
            time(expected.mid())
        );
        let severity = match share.lo >= IDLE {
            true => Severity::Note,
            false => Severity::Doubtful,
        };
        (severity, meaning)
    };
    sheet.add(severity, Rule::LittlesLaw, &figures, says, meaning);
}
