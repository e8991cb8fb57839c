//! What `photofinish audit` prints: the findings of [`photofinish_audit`] for people, and as JSON.

pub mod board;

use photofinish_audit::{Audit, Finding, Report, Severity, between};
use photofinish_model::text::{clean_json, clean_lines};
use serde::Serialize;
use std::fmt::Write as _;

/// Prints the audits of some texts, each with its name: every finding with its lines and arithmetic; `all` checks that hold in their place, or
/// only counted. `width` is that of the terminal in columns, `colour` allows escape sequences.
pub fn terminal(audits: &[(String, Audit)], all: bool, width: usize, colour: bool) -> String {
    Printer { width, colour, all }.print(audits)
}

/// One object with every report and every check, those that hold included.
pub fn json(audits: &[(String, Audit)]) -> Result<String, serde_json::Error> {
    let files = audits
        .iter()
        .map(|(name, audit)| File {
            name,
            impossible: audit.impossible(),
            doubtful: audit.count(Severity::Doubtful),
            notes: audit.count(Severity::Note),
            not_checked: audit.count(Severity::NotChecked),
            hold: audit.count(Severity::Holds),
            audit,
        })
        .collect();
    let json = serde_json::to_string_pretty(&Document {
        version: 1,
        files,
        between_files: across(audits),
    })?;
    Ok(clean_json(&json))
}

/// The JSON document.
#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    files: Vec<File<'a>>,
    between_files: Vec<Finding>,
}

/// One text in the JSON document.
#[derive(Serialize)]
struct File<'a> {
    name: &'a str,
    impossible: usize,
    doubtful: usize,
    notes: usize,
    not_checked: usize,
    hold: usize,
    audit: &'a Audit,
}

fn across(audits: &[(String, Audit)]) -> Vec<Finding> {
    let named: Vec<(&str, &Audit)> = audits.iter().map(|(n, a)| (n.as_str(), a)).collect();
    between(&named)
}

/// How it is drawn.
struct Printer {
    width: usize,
    colour: bool,
    all: bool,
}

impl Printer {
    fn print(&self, audits: &[(String, Audit)]) -> String {
        let mut out = String::new();
        for (name, audit) in audits {
            let _ = writeln!(out, "{}", self.paint("1", name));
            if audit.reports.is_empty() {
                out.push_str("  no report of a known tool in it (docs/audit.md lists them)\n");
            }
            for (at, report) in audit.reports.iter().enumerate() {
                self.report(
                    &mut out,
                    report,
                    audit.findings.iter().filter(|f| f.report == at),
                );
            }
            out.push('\n');
        }
        let across = across(audits);
        if !across.is_empty() {
            let _ = writeln!(out, "{}", self.paint("1", "between the files"));
            for finding in &across {
                self.finding(&mut out, finding);
            }
            out.push('\n');
        }
        out.push_str(&self.sum(audits, &across));
        out
    }

    fn report<'a>(
        &self,
        out: &mut String,
        report: &Report,
        findings: impl Iterator<Item = &'a Finding>,
    ) {
        let head = format!(
            "{}, lines {}-{}: {}",
            report.tool.name(),
            report.first_line,
            report.last_line,
            report.title
        );
        self.wrap(out, 2, &head);
        let mut hold = 0;
        for finding in findings {
            hold += usize::from(finding.severity == Severity::Holds);
            if self.all || finding.severity != Severity::Holds {
                self.finding(out, finding);
            }
        }
        let _ = writeln!(
            out,
            "    {}",
            self.paint(code(Severity::Holds), &holding(hold))
        );
    }

    fn finding(&self, out: &mut String, f: &Finding) {
        let lines: Vec<String> = f.lines.iter().map(ToString::to_string).collect();
        let line = if lines.len() == 1 { "line" } else { "lines" };
        let _ = writeln!(
            out,
            "    {}  {} ({}, {line} {})",
            self.paint(code(f.severity), word(f.severity)),
            printable(&f.figure),
            f.rule.name(),
            lines.join(", ")
        );
        self.wrap(out, 6, &f.arithmetic);
        if !f.meaning.is_empty() {
            self.wrap(out, 6, &f.meaning);
        }
    }

    fn sum(&self, audits: &[(String, Audit)], across: &[Finding]) -> String {
        let count = |severity| {
            let within: usize = audits.iter().map(|(_, a)| a.count(severity)).sum();
            within + across.iter().filter(|f| f.severity == severity).count()
        };
        let reports: usize = audits.iter().map(|(_, a)| a.reports.len()).sum();
        let impossible = count(Severity::Impossible);
        let mut out = String::new();
        let verdict = match impossible {
            0 => "no figure that cannot be true".to_owned(),
            n => format!("{} that cannot be true", plural(n, "figure")),
        };
        let severity = if impossible > 0 {
            Severity::Impossible
        } else {
            Severity::Holds
        };
        let text = format!(
            "{} in {}: {verdict}, {} doubtful, {}, {} not checked, {}.",
            plural(reports, "report"),
            plural(audits.len(), "file"),
            count(Severity::Doubtful),
            plural(count(Severity::Note), "note"),
            count(Severity::NotChecked),
            holding(count(Severity::Holds))
        );
        self.wrap(&mut out, 0, &text);
        self.paint(code(severity), out.trim_end()) + "\n"
    }

    fn paint(&self, code: &str, text: &str) -> String {
        let text = printable(text);
        if self.colour {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text
        }
    }

    /// Writes `text` with `indent` blanks before every line, broken between words at the width.
    fn wrap(&self, out: &mut String, indent: usize, text: &str) {
        let room = self.width.max(40) - indent;
        let mut used = 0;
        for word in printable(text).split_whitespace() {
            let columns: usize = word.chars().map(columns).sum();
            if used > 0 && used + 1 + columns > room {
                out.push('\n');
                used = 0;
            }
            if used == 0 {
                out.push_str(&" ".repeat(indent));
            } else {
                out.push(' ');
                used += 1;
            }
            out.push_str(word);
            used += columns;
        }
        out.push('\n');
    }
}

/// Audited text may hold anything, and nothing of it acts on the terminal. The line breaks of wrapped text stay.
fn printable(text: &str) -> String {
    let tabs_and_ends = |c: char| if "\t\r".contains(c) { ' ' } else { c };
    clean_lines(&text.chars().map(tabs_and_ends).collect::<String>())
}

/// Columns of a terminal that a character takes: East Asian wide characters take two.
fn columns(c: char) -> usize {
    match c as u32 {
        0x1100..=0x115f
        | 0x2e80..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0x1f300..=0x1faff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

fn holding(n: usize) -> String {
    format!(
        "{} {}",
        plural(n, "check"),
        if n == 1 { "holds" } else { "hold" }
    )
}

fn plural(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Holds => "ok",
        Severity::NotChecked => "not checked",
        Severity::Note => "note",
        Severity::Doubtful => "doubtful",
        Severity::Impossible => "cannot be true",
    }
}

/// The colour of a severity. The word beside it says the same, for those who do not see colours.
fn code(severity: Severity) -> &'static str {
    match severity {
        Severity::Holds => "32",
        Severity::NotChecked => "2",
        Severity::Note => "36",
        Severity::Doubtful => "33",
        Severity::Impossible => "1;31",
    }
}

#[cfg(test)]
mod tests {
    use photofinish_model::samples::assert_contains;

    use super::*;
    use photofinish_audit::audit;

    const MIXED: &str = include_str!("../../audit/tests/audit/cases/mixed-blog-post.md");
    const PLAINTEXT: &str =
        include_str!("../../audit/tests/audit/cases/sound-published-plaintext.txt");

    fn mixed() -> Vec<(String, Audit)> {
        vec![("blog-post.md".into(), audit(MIXED))]
    }

    #[test]
    fn a_mixed_file_in_the_terminal() {
        insta::assert_snapshot!(terminal(&mixed(), false, 100, false));
    }

    #[test]
    fn checks_that_hold_are_listed_when_asked_for() {
        let (short, long) = (
            terminal(&mixed(), false, 100, false),
            terminal(&mixed(), true, 100, false),
        );
        assert!(!short.contains("    ok  "));
        let hold = mixed()[0].1.count(Severity::Holds);
        assert_eq!(long.matches("    ok  ").count(), hold);
    }

    #[test]
    fn a_text_without_a_report_says_so() {
        let text = terminal(&[("a.txt".into(), audit("hello"))], false, 80, false);
        assert_eq!(
            text,
            "a.txt\n  no report of a known tool in it (docs/audit.md lists them)\n\n0 reports in 1 file: no figure that cannot be true, 0 doubtful, 0 notes, 0 not\nchecked, 0 checks hold.\n"
        );
    }

    #[test]
    fn the_same_endpoint_in_two_files_is_compared() {
        let (first, second) = PLAINTEXT
            .split_once("(longest request)")
            .expect("two reports");
        let files = [
            ("tio-boot.txt".to_owned(), audit(first)),
            ("quarkus.txt".to_owned(), audit(second)),
        ];
        let text = terminal(&files, false, 200, false);
        assert_contains(&text, "179 bytes a response at line tio-boot.txt:");
        assert!(text.contains(", 116 at line quarkus.txt:"), "{text}");
    }

    #[test]
    fn escape_sequences_of_the_text_do_not_reach_the_terminal() {
        let hostile = MIXED.replace(
            "http://localhost:8080/sleep",
            "http://\u{1b}]0;x\u{7}localhost:8080/sleep",
        );
        let text = terminal(&[("a\u{1b}[2J".into(), audit(&hostile))], false, 80, false);
        assert!(!text.contains(['\u{1b}', '\u{7}']), "{text}");
    }

    #[test]
    fn json_has_every_check_and_reads_back() {
        let text = json(&mixed()).expect("JSON");
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let file = &value["files"][0];
        assert_eq!(file["impossible"], mixed()[0].1.impossible());
        let back: Audit = serde_json::from_value(file["audit"].clone()).expect("an audit");
        assert_eq!(back, mixed()[0].1);
    }
}
