//! Text as people paste it, made plain: quote marks, HTML, full-width characters, colours and Windows line
//! ends removed, so that the readers of each tool's format see what the tool printed.

mod plain;
mod stamps;

use std::borrow::Cow;

use plain::plain;
use stamps::{is_name, unstamped};

/// One line as a reader sees it.
#[derive(Debug, Clone)]
pub struct Line<'a> {
    /// Line of the text, from 1. Several lines share a number where the text has `<br>` for line ends.
    pub number: usize,
    /// The line without decoration, not indented.
    pub text: Cow<'a, str>,
}

/// Words of a sentence.
const SENTENCE: usize = 4;

/// Whether a line parts one report from the next: the fence of a block of code, a heading, a rule, a prompt or a sentence.
pub fn is_boundary(text: &str) -> bool {
    let fence = text.starts_with("```") || text.starts_with("~~~");
    let marks = text.trim_start_matches('#');
    let level = text.len() - marks.len();
    let heading = (1..=6).contains(&level)
        && marks.starts_with(' ')
        && marks.trim_start().starts_with(char::is_alphabetic);
    let is_of = |c: &char| text.chars().all(|d| d == *c);
    let rule = (3..=8).contains(&text.len()) && ['-', '*', '_'].iter().any(is_of);
    if fence || heading || rule || text.starts_with("$ ") {
        return true;
    }
    let ends = text.ends_with(['.', ':', '!', '?']) && text.starts_with(char::is_alphabetic);
    let is_word = |word: &&str| {
        let word = word.trim_end_matches([',', '.', ':', ';', '!', '?', ')']);
        let word = word.trim_start_matches(['(', '*', '`']);
        let fits = |c: char| c.is_alphabetic() || "'’-`*".contains(c);
        !word.is_empty() && word.chars().all(fits)
    };
    ends && {
        let words = text.split_whitespace().filter(is_word).count();
        words >= SENTENCE && words * 4 >= text.split_whitespace().count() * 3
    }
}

/// How far a tag may reach: longer ones are not tags, and looking further would make hostile text slow.
const TAG: usize = 400;

/// The lines of `text`, cleaned, one after the other.
pub fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // Where no line ends otherwise, as on old Macs.
    let end = if text.contains('\n') { '\n' } else { '\r' };
    let service = service(text, end);
    text.split(end).enumerate().flat_map(move |(at, raw)| {
        let raw = service
            .and_then(|service| of_service(raw, service))
            .unwrap_or(raw);
        clean(raw).into_iter().map(move |text| Line {
            number: at + 1,
            text,
        })
    })
}

/// Lines of one service at the begin of a text that make it a log of docker compose.
const OF_SERVICE: usize = 5;

/// The name of a container without a number that stands before each line, as docker compose writes it: `load  | …`.
fn service(text: &str, end: char) -> Option<&str> {
    let mut lines = text.split(end).filter(|line| !line.trim().is_empty());
    let first = lines.next()?;
    let (name, _) = first.split_once(" | ")?;
    let name = name.trim_end();
    let is_service = !name.is_empty() && name.chars().all(is_name);
    let all = || {
        lines
            .clone()
            .take(OF_SERVICE)
            .filter(|line| of_service(line, name).is_some())
    };
    (is_service && all().count() == OF_SERVICE).then_some(name)
}

fn of_service<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let rest = line
        .strip_prefix(name)?
        .trim_start_matches(' ')
        .strip_prefix('|')?;
    Some(rest.strip_prefix(' ').unwrap_or(rest))
}

/// A raw line as one or, where it holds `<br>` and the like, several plain lines.
fn clean(raw: &str) -> Vec<Cow<'_, str>> {
    let raw = last_drawn(raw);
    // A record in JSON has no mark of a log before it, and such a file has many lines.
    let raw = match raw.starts_with('{') {
        true => raw,
        false => unquote(unstamped(raw)),
    };
    if let Some(lines) = within_string(raw) {
        return lines;
    }
    // Nor is it a text that was pasted: its tags and entities are those of its strings.
    let is_record = raw.starts_with("{\"") && raw.ends_with('}');
    let is_plain = |b: u8| (b' '..0x7f).contains(&b) && b != b'<' && b != b'&';
    if is_record || raw.bytes().all(is_plain) {
        return vec![Cow::Borrowed(raw.trim())];
    }
    // Rows of an XML result file are read as they are: their tags are the content.
    let of_results = [
        "<httpSample",
        "<sample",
        "</httpSample>",
        "</sample>",
        "</testResults>",
    ];
    if of_results.iter().any(|tag| raw.starts_with(tag)) {
        return vec![Cow::Borrowed(raw)];
    }
    plain(raw)
        .split('\n')
        .map(|l| Cow::Owned(unquote(l).trim().to_owned()))
        .collect()
}

/// Line ends that make a string of JSON a text of several lines.
const ESCAPED: usize = 3;
/// Bytes of a line in which strings of JSON are looked for.
const STRING: usize = 1 << 20;

/// The lines of the strings of a line of JSON, whose ends are written as `\n`.
fn within_string(raw: &str) -> Option<Vec<Cow<'_, str>>> {
    let escaped = raw.len() < STRING
        && raw.contains("\\n")
        && raw.contains('"')
        && raw.matches("\\n").count() >= ESCAPED;
    if !escaped {
        return None;
    }
    let mut lines = Vec::new();
    // Between quotes that are not escaped.
    let mut rest = raw;
    while let Some(open) = rest.find('"') {
        let inside = &rest[open + 1..];
        let mut end = inside.len();
        let mut before = false;
        for (at, byte) in inside.bytes().enumerate() {
            match byte {
                b'"' if !before => {
                    end = at;
                    break;
                }
                b'\\' => before = !before,
                _ => before = false,
            }
        }
        let (string, after) = inside.split_at(end);
        for line in string.split("\\n") {
            let line = line
                .replace("\\t", "\t")
                .replace("\\\"", "\"")
                .replace("\\r", "");
            let line = line.replace("\\u003c", "<").replace("\\u003e", ">");
            lines.push(Cow::Owned(line.trim().to_owned()));
        }
        rest = after.get(1..).unwrap_or_default();
    }
    (lines.len() > ESCAPED).then_some(lines)
}

/// What a line shows in the end: what stands before a carriage return was drawn over.
fn last_drawn(raw: &str) -> &str {
    let raw = raw.trim_end_matches('\r');
    raw.rsplit('\r').next().unwrap_or(raw)
}

/// Without indentation and the marks of a quotation (`> > `).
fn unquote(mut line: &str) -> &str {
    loop {
        let next = line.trim_start();
        let next = next
            .strip_prefix('>')
            .or_else(|| next.strip_prefix("&gt;"))
            .unwrap_or(next);
        if next.len() == line.len() {
            return line;
        }
        line = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<(usize, String)> {
        lines(text)
            .map(|l| (l.number, l.text.into_owned()))
            .collect()
    }

    #[test]
    fn decoration_goes_and_line_numbers_stay() {
        assert_eq!(
            all("a\r\n> >  b  \n\u{1b}[1;32mc\u{1b}[0m"),
            [(1, "a".into()), (2, "b".into()), (3, "c".into())]
        );
        assert_eq!(
            all("<p>x<br/>y &nbsp;&gt; 1</p>")
                .into_iter()
                .filter(|l| !l.1.is_empty())
                .collect::<Vec<_>>(),
            [(1, "x".into()), (1, "y  > 1".into())]
        );
        assert_eq!(
            all("Requests/sec：\u{3000}１２．５"),
            [(1, "Requests/sec: 12.5".into())]
        );
    }

    #[test]
    fn what_a_job_s_log_adds_goes() {
        for line in [
            "2026-01-31T12:00:00.1234567Z Requests/sec: 1",
            "2026-01-31T12:00:00Z   Requests/sec: 1",
            "\u{feff}2026-01-31T12:00:00Z Requests/sec: 1",
            "[2026-01-31T12:00:00.123Z] Requests/sec: 1",
            "2026-01-31T12:00:00.123456Z 00O Requests/sec: 1",
            "2026-01-31T12:00:00.123456Z 01E+Requests/sec: 1",
            "bench\tRun wrk\t2026-01-31T12:00:00.1234567Z Requests/sec: 1",
            "bench\tRun wrk\t\u{feff}2026-01-31T12:00:00.1234567Z Requests/sec: 1",
            "\u{1b}[0K\u{1b}[?25lRequests/sec: \u{1b}]8;;https://a.example\u{7}1\u{1b}]8;;\u{1b}\\",
            "\u{1b}_bk;t=1700000000000\u{7}Requests/sec: 1",
            "app-1  | Requests/sec: 1",
            "load_test_12     | Requests/sec: 1",
            "#12 1.234 Requests/sec: 1",
            "[INFO] Requests/sec: 1",
            "2026-01-31 12:00:00,123 INFO  - Requests/sec: 1",
            "2026-01-31 12:00:00.123 WARN - Requests/sec: 1",
            "12:00:00.123 Requests/sec: 1",
            "Jan 31 12:00:00 host bench[123]: Requests/sec: 1",
            "Feb  1 12:00:00 host bench: Requests/sec: 1",
            "2026-01-31T12:00:00.123456789Z stdout F Requests/sec: 1",
            "2026-01-31T12:00:00.123456789+01:00 stderr F Requests/sec: 1",
            "2026-01-31T12:00:00+01:00 Requests/sec: 1",
            "2026-01-31T12:00:00.123-05:30 Requests/sec: 1",
            "INFO:root:Requests/sec: 1",
            "2026-01-31 12:00:00,123 - load - INFO - Requests/sec: 1",
            "     7\tRequests/sec: 1",
            "   123\tRequests/sec: 1",
        ] {
            assert_eq!(all(line), [(1, "Requests/sec: 1".into())], "{line:?}");
        }
        for line in [
            "2026-01-31T12:00:00.123,5",
            "2026-01-31 12:00:00 INFO",
            "[2026-11-22 09:38:03,714] x",
            "[2026-11-22T09:38:03Z",
            "app-1  | 100 | 2000 | 50",
            "app-1 | 100",
            "Total  | 100",
            "# target 50% 0.005",
            "#12 1.5",
            "[200] 15 responses",
            "2026-01-31 12:00:00,123 INFO o.a.j.r.Summariser: summary + 1",
            "12:00:00.123,5",
            "Jan 31 12:00:00 2026",
            "Mar 1 responses: 5",
        ] {
            assert_eq!(all(line), [(1, line.into())], "{line:?}");
        }
        assert_eq!(all("2026-01-31T12:00:00Z"), [(1, String::new())]);
        let drawn_over = "10% done\r50% done\rRequests/sec: 1\r\n";
        assert_eq!(all(drawn_over)[0], (1, "Requests/sec: 1".into()));
        assert_eq!(
            all("a\rb\r").iter().filter(|l| !l.1.is_empty()).count(),
            2,
            "lines of old Macs"
        );
    }

    #[test]
    fn comparisons_are_not_tags() {
        assert_eq!(all("if a < b && c > d"), [(1, "if a < b && c > d".into())]);
    }
}
