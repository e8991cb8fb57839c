//! True output in every shape in which people paste it: recognised, and not accused of anything.

use photofinish_audit::{Audit, Severity, audit};

use crate::cases;

/// A shape: its name, and what it makes of a text.
type Shape = (&'static str, fn(&str) -> String);

/// Severity, rule and figure: what must not depend on how the text was pasted.
fn essence(audit: &Audit) -> Vec<(Severity, &'static str, &str)> {
    audit
        .findings
        .iter()
        .map(|f| (f.severity, f.rule.name(), f.figure.as_str()))
        .collect()
}

fn each(text: &str, line: impl Fn(usize, &str) -> String) -> String {
    let lines = text.lines().enumerate();
    let lines: Vec<String> = lines.map(|(at, text)| line(at, text)).collect();
    lines.join("\n") + "\n"
}

fn sound() -> Vec<(String, String)> {
    let mut all = cases();
    all.retain(|(name, _)| name.starts_with("sound-"));
    all
}

const SHAPES: [Shape; 20] = [
    ("Windows", |text| text.replace('\n', "\r\n")),
    ("old Macs", |text| text.replace('\n', "\r")),
    ("without a last line end", |text| text.trim_end().to_owned()),
    ("GitHub's log", |text| {
        let head = "2026-01-31T12:00:00.0000000Z ##[group]Run wrk\n2026-01-31T12:00:00.0000000Z ##[endgroup]\n";
        head.to_owned()
            + &each(text, |at, l| {
                format!(
                    "2026-01-31T12:00:{:02}.{:07}Z {l}",
                    at % 60,
                    at * 997 % 9_999_999
                )
            })
    }),
    ("a log by the second", |text| {
        each(text, |_, l| format!("2026-01-31T12:00:00Z {l}"))
    }),
    ("gh run view --log", |text| {
        each(text, |at, l| {
            let mark = if at == 0 { "\u{feff}" } else { "" };
            format!("bench\tRun the load\t{mark}2026-01-31T12:00:00.1234567Z {l}")
        })
    }),
    ("GitLab's log", |text| {
        each(text, |_, l| format!("2026-01-31T12:00:00.123456Z 00O {l}"))
    }),
    ("Jenkins' log", |text| {
        each(text, |_, l| format!("[2026-01-31T12:00:00.123Z] {l}"))
    }),
    ("docker build's log", |text| {
        each(text, |at, l| format!("#12 {at}.{:03} {l}", at * 7 % 1000))
    }),
    ("Maven's log", |text| {
        each(text, |_, l| format!("[INFO] {l}"))
    }),
    ("log4j's log", |text| {
        each(text, |_, l| format!("2026-01-31 12:00:00,123 INFO  - {l}"))
    }),
    ("a log by the time of day", |text| {
        each(text, |at, l| format!("12:00:00.{at:03} {l}"))
    }),
    ("syslog", |text| {
        each(text, |_, l| format!("Jan 31 12:00:00 host load[123]: {l}"))
    }),
    ("a block of code between prompts", |text| {
        format!(
            "I ran this:\n\n```console\n$ ./load http://127.0.0.1:8080/\n{text}user@host:~/bench$ echo $?\n0\n```\n\nFast!\n"
        )
    }),
    ("an indented block", |text| {
        format!(
            "Results:\n\n{}\nDone.\n",
            each(text, |_, l| format!("    {l}"))
        )
    }),
    ("a quotation", |text| each(text, |_, l| format!("> {l}"))),
    ("a list's item", |text| {
        format!(
            "1. The output:\n   ```\n{}   ```\n",
            each(text, |_, l| format!("   {l}"))
        )
    }),
    ("cleared lines", |text| {
        each(text, |_, l| format!("\u{1b}[2K\u{1b}[0G{l}\u{1b}[0K"))
    }),
    ("a cursor that is hidden", |text| {
        format!("\u{1b}[?25l\u{1b}]0;load\u{7}{text}\u{1b}[?25h\n")
    }),
    ("blanks at the ends of lines", |text| {
        each(text, |_, l| format!("{l}  \t"))
    }),
];

#[test]
fn the_shape_changes_nothing() {
    for (name, text) in sound() {
        let plain = audit(&text);
        for (shape, of) in SHAPES {
            // A result file is no output on a screen: nobody clears its lines.
            if name.ends_with(".xml")
                && (shape.starts_with("cleared") || shape.starts_with("a cursor"))
            {
                continue;
            }
            let found = audit(&of(&text));
            assert_eq!(found.reports.len(), plain.reports.len(), "{name}, {shape}");
            assert_eq!(essence(&found), essence(&plain), "{name}, {shape}");
        }
    }
}

#[test]
fn docker_compose_changes_nothing() {
    // Lines with bars may be rows of a table: those keep what stands before them.
    for (name, text) in sound().into_iter().filter(|(_, text)| !text.contains('|')) {
        let found = audit(&each(&text, |_, l| format!("load-1  | {l}")));
        assert_eq!(essence(&found), essence(&audit(&text)), "{name}");
    }
}

#[test]
fn colours_change_nothing() {
    for (name, text) in sound() {
        if name.ends_with(".xml") || name.ends_with(".csv") {
            continue;
        }
        let form = each(&text, |_, l| format!("\u{1b}[1;32m{l}\u{1b}[0m"));
        let [plain, found] = [audit(&text), audit(&form)];
        assert_eq!(essence(&found), essence(&plain), "{name}");
    }
}

/// The worst that a text is accused of, and where.
fn accused(text: &str, least: Severity) -> Option<String> {
    let found = audit(text);
    let worst = found.findings.iter().find(|f| f.severity >= least);
    worst.map(|f| format!("{:?} {} {}", f.severity, f.figure, f.arithmetic))
}

/// Asserts that there are no accusations; the same one of a text is named once.
#[track_caller]
fn none(accusations: Vec<String>) {
    let all: std::collections::BTreeSet<String> = accusations.into_iter().collect();
    assert!(all.is_empty(), "{} accusations: {all:#?}", all.len());
}

#[test]
fn a_text_that_ends_early_is_not_accused() {
    let mut found = Vec::new();
    for (name, text) in sound() {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let step = lines.len().div_ceil(150);
        for end in (1..lines.len()).step_by(step) {
            let says = accused(&lines[..end].concat(), Severity::Impossible);
            found.extend(says.map(|says| format!("{name}: {says}")));
        }
        // Anywhere within a line, a figure included.
        let step = text.len().div_ceil(400);
        for end in (1..text.len())
            .step_by(step)
            .filter(|end| text.is_char_boundary(*end))
        {
            let says = accused(&text[..end], Severity::Impossible);
            found.extend(says.map(|says| format!("{name}, within a line: {says}")));
        }
    }
    none(found);
}

#[test]
fn a_text_that_begins_late_is_not_accused() {
    let mut found = Vec::new();
    for (name, text) in sound() {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let step = lines.len().div_ceil(150);
        for begin in (1..lines.len()).step_by(step) {
            let says = accused(&lines[begin..].concat(), Severity::Impossible);
            found.extend(says.map(|says| format!("{name}: {says}")));
        }
    }
    none(found);
}

#[test]
fn reports_of_all_tools_in_one_text_stay_apart() {
    // Result files and tables are whole files of their own.
    let texts: Vec<(String, String)> = sound()
        .into_iter()
        .filter(|(name, _)| name.ends_with(".txt") || name.ends_with(".json"))
        .collect();
    let expected: usize = texts
        .iter()
        .map(|(_, text)| audit(text).reports.len())
        .sum();
    for apart in ["\n\n", "\n---\n\n## Next\n\n```\n", "\n$ next --tool\n"] {
        let all: String = texts
            .iter()
            .map(|(_, text)| format!("{text}{apart}"))
            .collect();
        let found = audit(&all);
        assert_eq!(found.reports.len(), expected, "{apart:?}");
        let wrong: Vec<_> = found
            .findings
            .iter()
            .filter(|f| f.severity == Severity::Impossible)
            .collect();
        assert!(wrong.is_empty(), "{apart:?}: {wrong:#?}");
    }
}
