//! Any text at all: no panic, no report where there is none, the same findings however a report was pasted.

use photofinish_audit::{Audit, Severity, audit};
use proptest::prelude::*;

const AB: &str = include_str!("cases/sound-ab-keepalive.txt");
const WRK: &str = include_str!("cases/sound-wrk-latency.txt");
const STRESS: &str = include_str!("cases/sound-go-stress-testing.txt");
const TABLE: &str = include_str!("cases/broken-table-levels.md");
const JMETER: &str = include_str!("cases/sound-jmeter-summary.txt");

/// Severity, rule and figure: what must not depend on how the text was pasted.
fn essence(audit: &Audit) -> Vec<(Severity, &'static str, &str)> {
    audit
        .findings
        .iter()
        .map(|f| (f.severity, f.rule.name(), f.figure.as_str()))
        .collect()
}

fn pasted(text: &str, each: impl Fn(&str) -> String) -> String {
    text.lines().map(each).collect::<Vec<_>>().join("\n")
}

#[test]
fn quotes_indents_html_and_windows_change_nothing() {
    for text in [AB, WRK, STRESS, JMETER] {
        let plain = audit(text);
        assert_eq!(plain.reports.len(), 1);
        let forms = [
            pasted(text, |l| format!("> {l}")),
            pasted(text, |l| format!("    > > {l}")),
            pasted(text, |l| format!("{l}\r")),
            pasted(text, |l| {
                format!(
                    "<span class=\"line\">{}</span><br>",
                    l.replace('<', "&lt;").replace(' ', "&nbsp;")
                )
            }),
            format!(
                "<pre><code>{}</code></pre>",
                pasted(text, |l| l.replace('<', "&lt;").replace('>', "&gt;"))
            ),
            pasted(text, |l| {
                l.replace(':', "：").replace('%', "％").replace('(', "（")
            }),
            pasted(text, |l| format!("\u{1b}[32m{l}\u{1b}[0m")),
            format!("\u{feff}Some words before.\n\n```\n{text}\n```\nand after: 50% of it in 3 s."),
        ];
        for form in forms {
            let found = audit(&form);
            assert_eq!(essence(&found), essence(&plain), "{form}");
        }
    }
}

#[test]
fn several_reports_in_a_row_stay_apart() {
    let all = format!("{AB}\n{WRK}\n{AB}\n{STRESS}\n{JMETER}\n{WRK}");
    let found = audit(&all);
    let names: Vec<&str> = found.reports.iter().map(|r| r.tool.name()).collect();
    assert_eq!(
        names,
        [
            "ab",
            "wrk",
            "ab",
            "go-stress-testing",
            "JMeter summary",
            "wrk"
        ]
    );
}

#[test]
fn prose_and_source_code_hold_no_report() {
    let prose = "Requests per second: 210,393. The mean was 0.475 ms.\n50% of users waited 3 s; 99% were happy.\n\
        summary = all is well\nConcurrency Level: high\nLatency is a property of 12 threads and 400 connections in general.\n";
    assert!(audit(prose).reports.is_empty());
    for source in [
        include_str!("../../src/lib.rs"),
        include_str!("../../src/layout.rs"),
        include_str!("../../src/habits/spectrum.rs"),
        include_str!("../../src/jtl/sample.rs"),
        include_str!("../../layouts/ab.toml"),
        include_str!("../../layouts/wrk.toml"),
        include_str!("../../layouts/k6.toml"),
        include_str!("../../src/figure.rs"),
        include_str!("main.rs"),
        include_str!("../../../model/src/lib.rs"),
    ] {
        let found = audit(source);
        assert!(found.reports.is_empty(), "{:?}", found.reports);
    }
}

/// Words of all formats, so that random texts get far into the readers.
fn soup() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "Concurrency Level:",
        "Complete requests:",
        "Time taken for tests:",
        "Requests per second:",
        "Total:",
        "(Connect:",
        "Length:",
        "Running 1s test @ http://a/b",
        "threads and",
        "connections",
        "Latency",
        "Req/Sec",
        "requests in",
        "Requests/sec:",
        "Socket errors:",
        "connect",
        "read",
        "write",
        "timeout",
        "%",
        "us",
        "ms",
        "s",
        "MB",
        "k",
        "-nan%",
        "nan",
        "summary =",
        "summary +",
        "in",
        "=",
        "/s",
        "Avg:",
        "Min:",
        "Max:",
        "Err:",
        "Active:",
        "Started:",
        "│",
        "耗时",
        "并发数",
        "处理协程数量:",
        "successNum:",
        "failureNum:",
        "timeStamp,elapsed,label",
        "<httpSample t=\"",
        "\" ts=\"",
        "\">",
        "</testResults>",
        "00:00:30",
        "99999999999999999999999",
        "1e400",
        "-1",
        "0",
        "0.00",
        "1.5",
        "1,989",
        ",",
        "\"",
        "\n",
        "\n",
        "\n",
        " ",
        " ",
        "&nbsp;",
        "<br>",
        "<",
        "> ",
        "\u{1b}[",
        "\r\n",
        "：",
        "é",
        "18446744073709551615",
        "|",
        "|",
        "\n|---|---|\n",
        "| connections | req/s | mean ms |",
        "1,989; 665.93 ms",
    ]);
    prop::collection::vec(words, 0..200).prop_map(|w| w.concat())
}

/// A real report with a few lines dropped, doubled or with digits changed.
fn damaged() -> impl Strategy<Value = String> {
    let texts = prop::sample::select(vec![AB, WRK, STRESS, JMETER, TABLE]);
    let edits = prop::collection::vec(
        (any::<prop::sample::Index>(), 0u8..4, "[0-9.na-]{0,6}"),
        1..12,
    );
    (texts, edits).prop_map(|(text, edits)| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for (at, what, with) in edits {
            let at = at.index(lines.len());
            match what {
                0 if lines.len() > 1 => drop(lines.remove(at)),
                1 => lines.insert(at, lines[at].clone()),
                2 => lines[at] = lines[at].replace(|c: char| c.is_ascii_digit(), &with),
                _ => lines[at].push_str(&with),
            }
        }
        lines.join("\n")
    })
}

/// What every finding must be: about lines that exist, in finite numbers, with a sentence.
fn well_formed(text: &str) {
    let found = audit(text);
    let lines = text.split('\n').count();
    for f in &found.findings {
        assert!(f.report < found.reports.len());
        assert!(f.lines.iter().all(|&l| (1..=lines).contains(&l)), "{f:?}");
        assert!(
            !f.arithmetic.is_empty()
                && !f.arithmetic.contains("NaN")
                && !f.arithmetic.contains("inf"),
            "{f:?}"
        );
        assert_eq!(f.meaning.is_empty(), f.severity == Severity::Holds, "{f:?}");
    }
}

proptest! {
    #[test]
    fn arbitrary_text_never_panics(text in any::<String>()) {
        well_formed(&text);
    }

    #[test]
    fn words_of_the_formats_in_any_order_never_panic(text in soup()) {
        well_formed(&text);
    }

    #[test]
    fn damaged_reports_never_panic(text in damaged()) {
        well_formed(&text);
    }
}
