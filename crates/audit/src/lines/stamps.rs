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
        let logged = [
            compose,
            build_step,
            bracketed_level,
            python,
            numbered,
            log4j,
            time_of_day,
            syslog,
        ];
        return logged.into_iter().find_map(|of| of(line)).unwrap_or(line);
    };
    let is_mark = |mark: &[u8]| {
        mark[0].is_ascii_hexdigit() && mark[1].is_ascii_hexdigit() && b"OE".contains(&mark[2])
    };
    match text.as_bytes().get(..4) {
        Some(mark) if is_mark(mark) && b" +".contains(&mark[3]) => &text[4..],
        _ => text,
    }
}

/// What follows a time in RFC 3339 with a T, a Z or an offset, and one space, as no load tool begins a line of its report.
fn stamp(line: &str) -> Option<&str> {
    let (line, close) = match line.strip_prefix('[') {
        Some(line) => (line, "]"),
        None => (line, ""),
    };
    let rest = behind(line, "dddd-dd-ddTdd:dd:dd")?;
    let rest = match rest.strip_prefix('.') {
        Some(digits) => digits.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => rest,
    };
    let rest = match rest.strip_prefix('Z') {
        Some(rest) => rest,
        None => behind(rest.strip_prefix(['+', '-'])?, "dd:dd")?,
    };
    let rest = rest.strip_prefix(close)?;
    let text = match rest {
        "" => Some(""),
        rest => rest.strip_prefix(' '),
    }?;
    // Kubernetes says whose stream it was, and whether the line is whole.
    let streams = ["stdout F", "stderr F", "stdout P", "stderr P"];
    let stream = streams
        .into_iter()
        .find_map(|stream| text.strip_prefix(stream));
    match stream {
        Some("") => Some(""),
        Some(rest) => rest.strip_prefix(' '),
        None => Some(text),
    }
}

/// What follows `form` at the front of `line`, where `d` stands for a digit.
fn behind<'a>(line: &'a str, form: &str) -> Option<&'a str> {
    let fits = |(form, byte): (u8, u8)| match form {
        b'd' => byte.is_ascii_digit(),
        form => form == byte,
    };
    let long_enough = line.len() >= form.len();
    (long_enough && form.bytes().zip(line.bytes()).all(fits)).then(|| &line[form.len()..])
}

/// Without digits, of which there is at least one.
fn digits(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    (rest.len() < line.len()).then_some(rest)
}

/// What follows the level of a log.
fn level(line: &str) -> Option<&str> {
    ["TRACE", "DEBUG", "INFO", "WARN", "ERROR"]
        .into_iter()
        .find_map(|level| line.strip_prefix(level))
}

/// `app-1  | …`, of docker compose. A row of a table has more bars, and this is none of its cells.
fn compose(line: &str) -> Option<&str> {
    let (name, rest) = line.split_once("  | ")?;
    let name = name.trim_end();
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let (_, number) = name.rsplit_once(['-', '_'])?;
    let numbered = digits(number) == Some("");
    (numbered && name.chars().all(is_name) && !rest.contains('|')).then_some(rest)
}

/// `#12 1.234 …`, of docker build.
fn build_step(line: &str) -> Option<&str> {
    let seconds = digits(line.strip_prefix('#')?)?.strip_prefix(' ')?;
    digits(digits(seconds)?.strip_prefix('.')?)?.strip_prefix(' ')
}

/// `[INFO] …`.
fn bracketed_level(line: &str) -> Option<&str> {
    level(line.strip_prefix('[')?)?.strip_prefix("] ")
}

/// `INFO:load:…` and `2026-01-31 12:00:00,123 - load - INFO - …`, of Python's logging.
fn python(line: &str) -> Option<&str> {
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_.".contains(c))
    };
    if let Some(rest) = level(line).and_then(|rest| rest.strip_prefix(':')) {
        let (name, text) = rest.split_once(':')?;
        return is_name(name).then_some(text);
    }
    let time = behind(line, "dddd-dd-dd dd:dd:dd")?;
    let time = match time.strip_prefix([',', '.']) {
        Some(fraction) => behind(fraction, "ddd")?,
        None => time,
    };
    let (name, text) = time.strip_prefix(" - ")?.split_once(" - ")?;
    let text = level(text)?.strip_prefix(" - ");
    text.filter(|_| is_name(name))
}

/// `     1\t…`, of `cat -n`.
fn numbered(line: &str) -> Option<&str> {
    let (number, text) = line.split_once('\t')?;
    let padded = number.starts_with(' ') || number.len() >= 6;
    let is_number = digits(number.trim_start()) == Some("");
    (padded && is_number).then_some(text)
}

/// `2026-01-31 12:00:00,123 INFO  - …`, of log4j. Without the dash a logger's name may follow.
fn log4j(line: &str) -> Option<&str> {
    let time = behind(line, "dddd-dd-dd dd:dd:dd")?.strip_prefix([',', '.'])?;
    let after = level(behind(time, "ddd ")?)?;
    after
        .trim_start()
        .strip_prefix("- ")
        .filter(|_| after.starts_with(' '))
}

/// `12:00:00.123 …`.
fn time_of_day(line: &str) -> Option<&str> {
    behind(line, "dd:dd:dd.ddd ")
}

/// `Jan 31 12:00:00 host bench[123]: …`.
fn syslog(line: &str) -> Option<&str> {
    const MONTHS: [&str; 12] = [
        "Jan ", "Feb ", "Mar ", "Apr ", "May ", "Jun ", "Jul ", "Aug ", "Sep ", "Oct ", "Nov ",
        "Dec ",
    ];
    let day = MONTHS
        .into_iter()
        .find_map(|month| line.strip_prefix(month))?;
    let time = digits(day.trim_start())?;
    let (_host, rest) = behind(time, " dd:dd:dd ")?.split_once(' ')?;
    let (program, text) = rest.split_once(": ")?;
    (!program.contains(' ')).then_some(text)
}
