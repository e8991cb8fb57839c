//! What a log puts before a line of a report.

use super::TAG;

/// Without what a log put before the line. It is the time at which a CI job logged it: `2026-01-31T12:00:00.1234567Z …` (GitHub, Azure), the same in brackets
/// (Jenkins), with a stream's mark behind it (GitLab: `00O `) or job and step before it (`gh run view --log`); or what
/// docker and the common loggers put there.
pub fn unstamped(line: &str) -> &str {
    let mut rest = line;
    for _ in 0..2 {
        // The job and the step, which may be of any words.
        let Some((before, after)) = rest.split_once('\t') else {
            break;
        };
        if before.len() > TAG || before.contains(['|', ',', ';', '"']) {
            break;
        }
        rest = after;
    }
    let stamped = [line, rest]
        .into_iter()
        .find_map(|line| stamp(line.strip_prefix('\u{feff}').unwrap_or(line)));
    let Some(text) = stamped else {
        let logged = LOGGED.iter().find_map(|form| behind(line, form));
        return logged.or_else(|| compose(line)).unwrap_or(line);
    };
    let is_mark = |mark: &[u8]| {
        mark[0].is_ascii_hexdigit() && mark[1].is_ascii_hexdigit() && b"OE".contains(&mark[2])
    };
    match text.as_bytes().get(..4) {
        Some(mark) if is_mark(mark) && b" +".contains(&mark[3]) => &text[4..],
        _ => text,
    }
}

/// What other loggers put before a line, in the language of [`behind`].
const LOGGED: [&str; 9] = [
    // Of docker build.
    "#D D.D ",
    "[L] ",
    // Of Python's logging.
    "L:N:",
    "dddd-dd-dd dd:dd:dd(,ddd)(.ddd) - N - L - ",
    // Of `cat -n`.
    " ~D\t",
    "dddddD\t",
    // Of log4j. Without the dash a logger's name may follow.
    "dddd-dd-dd dd:dd:dd(,ddd)(.ddd) L ~- ",
    "dd:dd:dd.ddd ",
    // Of syslog.
    "M~D dd:dd:dd N N([D]): ",
];

/// What follows a time in RFC 3339 with a T, a Z or an offset, and one space, as no load tool begins a line of its report.
fn stamp(line: &str) -> Option<&str> {
    let (line, close) = match line.strip_prefix('[') {
        Some(line) => (line, "]"),
        None => (line, ""),
    };
    let zone = behind(line, "dddd-dd-ddTdd:dd:dd(.D)")?;
    let zones = ["Z", "+dd:dd", "-dd:dd"];
    let rest = zones.iter().find_map(|form| behind(zone, form))?;
    let text = after_blank(rest.strip_prefix(close)?)?;
    // Kubernetes says whose stream it was, and whether the line is whole.
    let streams = ["stdout F", "stderr F", "stdout P", "stderr P"];
    match streams.iter().find_map(|stream| text.strip_prefix(stream)) {
        Some(rest) => after_blank(rest),
        None => Some(text),
    }
}

/// Without the blank that it begins with, if there is anything.
fn after_blank(text: &str) -> Option<&str> {
    match text {
        "" => Some(text),
        text => text.strip_prefix(' '),
    }
}

/// The levels of a log.
const LEVELS: [&str; 5] = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR"];
/// The months in a log.
const MONTHS: [&str; 12] = [
    "Jan ", "Feb ", "Mar ", "Apr ", "May ", "Jun ", "Jul ", "Aug ", "Sep ", "Oct ", "Nov ", "Dec ",
];

/// What follows a form at the front of a line: `d` stands for a digit, `D` for digits, `N` for a name, `L` for the level of a log,
/// `M` for a month, and `~` for blanks, if there are any. What stands in brackets may be missing.
fn behind<'a>(mut line: &'a str, mut form: &str) -> Option<&'a str> {
    while let Some(sign) = form.chars().next() {
        form = &form[sign.len_utf8()..];
        line = match sign {
            'd' => line.strip_prefix(|c: char| c.is_ascii_digit())?,
            'D' => behind_all(line, |c| c.is_ascii_digit())?,
            'N' => behind_all(line, is_name)?,
            'L' => LEVELS.iter().find_map(|level| line.strip_prefix(level))?,
            'M' => MONTHS.iter().find_map(|month| line.strip_prefix(month))?,
            '~' => line.trim_start_matches(' '),
            '(' => {
                let (part, after) = form.split_once(')')?;
                form = after;
                behind(line, part).unwrap_or(line)
            }
            sign => line.strip_prefix(sign)?,
        };
    }
    Some(line)
}

/// Without the characters that it begins with, of which there is at least one.
fn behind_all(line: &str, is_one: fn(char) -> bool) -> Option<&str> {
    let rest = line.trim_start_matches(is_one);
    (rest.len() < line.len()).then_some(rest)
}

/// Whether a name may hold a character.
pub fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-_.".contains(c)
}

/// `app-1  | …`, of docker compose. A row of a table has more bars, and this is none of its cells.
fn compose(line: &str) -> Option<&str> {
    let (name, rest) = line.split_once("  | ")?;
    let name = name.trim_end();
    let (_, number) = name.rsplit_once(['-', '_'])?;
    let is_numbered = behind(number, "D") == Some("");
    (is_numbered && name.chars().all(is_name) && !rest.contains('|')).then_some(rest)
}
