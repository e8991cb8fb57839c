//! What `photofinish audit --board` prints: for a terminal, as one HTML page, JSON and CSV.

use std::fmt::Write as _;

use photofinish_audit::{Board, BoardAudit, BoardFinding, Row, Scope, Severity};
use photofinish_model::text::clean_json;
use serde::Serialize;

use super::{Printer, plural, printable, word};
use crate::exports::csv::{Column, table};
use crate::html::escape::escape;

/// Prints the audit of boards: columns first, then rows by severity, then months.
pub fn terminal(audit: &BoardAudit, width: usize, colour: bool) -> String {
    let printer = Printer {
        width,
        colour,
        all: false,
    };
    let mut out = String::new();
    for board in &audit.boards {
        let _ = writeln!(out, "{}", printer.paint("1", &board.name));
        printer.wrap(&mut out, 2, &summary(board));
    }
    for (scope, title) in TITLES {
        let findings: Vec<_> = audit.findings.iter().filter(|f| f.scope == scope).collect();
        if findings.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n{}", printer.paint("1", title));
        for finding in findings {
            let severity = printer.paint(super::code(finding.severity), word(finding.severity));
            let _ = writeln!(out, "  {severity}  {}", printable(&place(audit, finding)));
            printer.wrap(&mut out, 4, &finding.says);
            printer.wrap(&mut out, 4, &finding.meaning);
        }
    }
    let _ = writeln!(out, "\n{}", sum(audit));
    out
}

const TITLES: [(Scope, &str); 3] = [
    (Scope::Column, "Columns"),
    (Scope::Row, "Rows"),
    (Scope::Months, "From one board to the next"),
];

fn summary(board: &Board) -> String {
    let servers: std::collections::BTreeSet<&str> =
        board.rows.iter().map(|row| row.server.as_str()).collect();
    let tasks: std::collections::BTreeSet<&str> =
        board.rows.iter().map(|row| row.task.as_str()).collect();
    format!(
        "{} of {} in {}",
        plural(board.rows.len(), "row"),
        plural(servers.len(), "server"),
        plural(tasks.len(), "task")
    )
}

/// Which board, column, group and rows a finding is about.
fn place(audit: &BoardAudit, finding: &BoardFinding) -> String {
    let mut parts = Vec::new();
    if audit.boards.len() > 1 {
        parts.push(audit.boards[finding.board].name.clone());
    }
    if !finding.column.is_empty() {
        parts.push(format!("'{}'", finding.column));
    }
    if !finding.group.is_empty() {
        parts.push(finding.group.clone());
    }
    let (rows, of) = finding.rows;
    parts.push(match finding.scope {
        Scope::Row => format!("line {}", finding.line),
        Scope::Column => format!(
            "{} of {of}, the first in line {}",
            plural(rows, "row"),
            finding.line
        ),
        Scope::Months => plural(rows, "row"),
    });
    parts.join(", ")
}

fn sum(audit: &BoardAudit) -> String {
    let rows: usize = audit.boards.iter().map(|board| board.rows.len()).sum();
    let verdict = match audit.count(Severity::Impossible) {
        0 => "nothing that cannot be true".to_owned(),
        n => format!("{} that cannot be true", plural(n, "finding")),
    };
    format!(
        "{} in {}: {verdict}, {} doubtful, {}.",
        plural(rows, "row"),
        plural(audit.boards.len(), "board"),
        audit.count(Severity::Doubtful),
        plural(audit.count(Severity::Note), "note"),
    )
}

/// One object with every board and finding.
pub fn json(audit: &BoardAudit) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Document<'a> {
        version: u32,
        impossible: usize,
        doubtful: usize,
        notes: usize,
        #[serde(flatten)]
        audit: &'a BoardAudit,
    }
    let json = serde_json::to_string_pretty(&Document {
        version: 1,
        impossible: audit.count(Severity::Impossible),
        doubtful: audit.count(Severity::Doubtful),
        notes: audit.count(Severity::Note),
        audit,
    })?;
    Ok(clean_json(&json))
}

/// A record for each finding.
pub fn csv(audit: &BoardAudit) -> Result<String, crate::Error> {
    let findings = audit.findings.iter().map(|f| (audit, f));
    let columns: [Column<(&BoardAudit, &BoardFinding)>; 11] = [
        ("board", |(audit, f)| printable(&audit.boards[f.board].name)),
        ("scope", |(_, f)| match f.scope {
            Scope::Column => "column".to_owned(),
            Scope::Row => "row".to_owned(),
            Scope::Months => "months".to_owned(),
        }),
        ("severity", |(_, f)| word(f.severity).to_owned()),
        ("rule", |(_, f)| f.rule.name().to_owned()),
        ("column", |(_, f)| printable(&f.column)),
        ("group", |(_, f)| printable(&f.group)),
        ("rows", |(_, f)| f.rows.0.to_string()),
        ("of", |(_, f)| f.rows.1.to_string()),
        ("line", |(_, f)| f.line.to_string()),
        ("says", |(_, f)| printable(&f.says)),
        ("meaning", |(_, f)| printable(&f.meaning)),
    ];
    table(findings, &columns)
}

/// Size of a drawing in pixels, and its margins.
const SIZE: (f64, f64) = (640.0, 360.0);
const MARGIN: f64 = 48.0;
/// Points that are drawn of one board.
const POINTS: usize = 5_000;

/// One page: the findings, and the board's figures against Little's law.
pub fn html(audit: &BoardAudit) -> String {
    let mut out = String::from(
        "<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport content=\"width=device-width\"><title>Audit of boards</title><style>\n\
         body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}\n\
         h1,h2{line-height:1.2}table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.4rem .6rem;border-bottom:1px solid #ddd}\n\
         .impossible{color:#a40000;font-weight:600}.doubtful{color:#8a5a00;font-weight:600}.note{color:#005a8a}svg{max-width:100%;height:auto}\n\
         text{font:12px system-ui,sans-serif;fill:currentColor}@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}td,th{border-color:#444}.impossible{color:#ff8a80}.doubtful{color:#ffcc66}.note{color:#80c8ff}}\n\
         </style></head><body>\n<h1>Audit of boards</h1>\n",
    );
    let _ = writeln!(out, "<p>{}</p>", escape(&sum(audit)));
    for (scope, title) in TITLES {
        let findings: Vec<_> = audit.findings.iter().filter(|f| f.scope == scope).collect();
        if findings.is_empty() {
            continue;
        }
        let _ = writeln!(
            out,
            "<h2>{title}</h2>\n<table><tr><th>Severity<th>Where<th>Arithmetic and meaning</tr>"
        );
        for f in findings {
            let class = match f.severity {
                Severity::Impossible => "impossible",
                Severity::Doubtful => "doubtful",
                _ => "note",
            };
            let _ = writeln!(
                out,
                "<tr><td class={class}>{}<td>{}<td>{}<br>{}</tr>",
                word(f.severity),
                escape(&place(audit, f)),
                escape(&f.says),
                escape(&f.meaning)
            );
        }
        out.push_str("</table>\n");
    }
    for (at, board) in audit.boards.iter().enumerate() {
        let _ = writeln!(
            out,
            "<h2>{}</h2>\n<p>{}</p>",
            escape(&board.name),
            escape(&summary(board))
        );
        out.push_str(&drawing(audit, at, board));
    }
    out.push_str(
        "<p>Made by photofinish. This file loads nothing and sends nothing.</p>\n</body></html>\n",
    );
    out
}

/// Rate × mean against connections, both logarithmic: a closed loop lies on the line or below it.
fn drawing(audit: &BoardAudit, at: usize, board: &Board) -> String {
    let point = |row: &Row| {
        let allowed = row.connections? * row.depth.filter(|d| *d >= 1.0).unwrap_or(1.0);
        let busy = row.rate? * row.mean? / 1000.0;
        (allowed > 0.0 && busy > 0.0).then_some((allowed, busy))
    };
    let known: Vec<(&Row, (f64, f64))> = board
        .rows
        .iter()
        .filter_map(|row| Some((row, point(row)?)))
        .collect();
    if known.is_empty() {
        return "<p>No row has a rate, a mean and connections: there is nothing to draw against Little's law.</p>\n".into();
    }
    let all = known.iter().flat_map(|(_, (a, b))| [*a, *b]);
    let (least, most) = all.fold((f64::INFINITY, 0.0_f64), |(a, b), v| (a.min(v), b.max(v)));
    let (low, high) = (
        least.log10().floor(),
        most.log10().ceil().max(least.log10().floor() + 1.0),
    );
    let place = |v: f64, from: f64, to: f64| from + (v.log10() - low) / (high - low) * (to - from);
    let x = |v: f64| place(v, MARGIN, SIZE.0 - 12.0);
    let y = |v: f64| place(v, SIZE.1 - MARGIN, 12.0);
    let mut out = format!(
        "<svg viewBox=\"0 0 {} {}\" role=img aria-label=\"Rate times mean latency against connections\">\n",
        SIZE.0, SIZE.1
    );
    for decade in low as i32..=high as i32 {
        let v = 10f64.powi(decade);
        let shown = if decade < 0 {
            format!("{v}")
        } else {
            format!("{v:.0}")
        };
        let _ = write!(
            out,
            "<path d=\"M{0:.1} 12V{1}M{MARGIN} {2:.1}H{3}\" stroke=currentColor stroke-opacity=.15 />\n<text x=\"{0:.1}\" y=\"{4}\" text-anchor=middle>{shown}</text><text x=\"{5}\" y=\"{2:.1}\" text-anchor=end dominant-baseline=middle>{shown}</text>\n",
            x(v),
            SIZE.1 - MARGIN,
            y(v),
            SIZE.0 - 12.0,
            SIZE.1 - MARGIN + 18.0,
            MARGIN - 6.0
        );
    }
    let (a, b) = (10f64.powf(low), 10f64.powf(high));
    let _ = writeln!(
        out,
        "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=currentColor stroke-dasharray=\"4 3\" fill=none />",
        x(a),
        y(a),
        x(b),
        y(b)
    );
    let accused = |row: &Row| {
        audit
            .findings
            .iter()
            .any(|f| f.board == at && f.scope == Scope::Row && f.line == row.line)
    };
    for (row, (allowed, busy)) in known.iter().take(POINTS) {
        let (colour, radius) = if accused(row) {
            ("#c62828", 4)
        } else {
            ("#1565c0", 2)
        };
        let _ = writeln!(
            out,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r={radius} fill=\"{colour}\" fill-opacity=.6><title>{}</title></circle>",
            x(*allowed),
            y(*busy),
            escape(&row.server)
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"{}\" text-anchor=middle>connections × pipeline depth</text>\n</svg>\n<p>Up: requests at a time, rate × mean. On the dashed line each connection always has a request. A closed loop has no point above it.</p>",
        SIZE.0 / 2.0,
        SIZE.1 - 8.0
    );
    out
}

#[cfg(test)]
mod tests {
    use photofinish_model::samples::assert_contains;

    use super::*;
    use photofinish_audit::audit_boards;

    /// Five servers whose p99 is their mean, and one that is above the law.
    fn audit() -> BoardAudit {
        let mut text = String::from("task,framework,connections,rps,avg_latency,p99_latency\n");
        for (name, mean) in [("a", 11), ("b", 12), ("c", 13), ("d", 14), ("<b>e", 50)] {
            let _ = writeln!(text, "json,{name},10,1000,{mean}.5ms,{mean}.5ms");
        }
        audit_boards(&[("board.csv".into(), text)], None).expect("a board")
    }

    #[test]
    fn a_wrong_column_is_one_finding() {
        let text = terminal(&audit(), 100, false);
        assert!(
            text.contains("5 rows of 5, the first in line 2") || text.contains("5 rows of 5"),
            "{text}"
        );
        assert_eq!(
            text.matches("equals 'avg_latency' in 5 of 5 rows").count(),
            1,
            "{text}"
        );
        assert_contains(
            &text,
            "<b>e: 1000 per second × 50.5 ms = 50.5 requests at a time",
        );
    }

    #[test]
    fn every_form_holds_every_finding() {
        let audit = audit();
        let page = html(&audit);
        assert!(
            page.contains("&lt;b&gt;e") && !page.contains("<b>e"),
            "{page}"
        );
        assert_eq!(page.matches("<circle").count(), 5);
        assert!(!page.contains("NaN"));
        let value: serde_json::Value =
            serde_json::from_str(&json(&audit).expect("JSON")).expect("JSON");
        assert_eq!(
            value["findings"].as_array().map(Vec::len),
            Some(audit.findings.len())
        );
        let records = csv(&audit).expect("CSV");
        assert_eq!(records.lines().count(), audit.findings.len() + 1);
    }
}
