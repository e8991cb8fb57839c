//! Where the secrets of a text are: by the names and signs around them.

use std::ops::Range;

use super::MASK;
use super::names::{is_outright_secret, is_secret_name};

/// Where the secrets of a text are, from its beginning to its end; none overlaps another.
pub(super) fn secrets(text: &[u8]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let next = match text[at..].starts_with(b"://") {
            true => user_info(text, at + 3),
            false if is_name(text[at]) && (at == 0 || !is_name(text[at - 1])) => value(text, at),
            false => None,
        };
        match next {
            Some(range) if !range.is_empty() && &text[range.clone()] != MASK.as_bytes() => {
                at = range.end;
                found.push(range);
            }
            _ => at += 1,
        }
    }
    found
}

/// What names are made of.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// The password, or a user that stands alone, in a URL whose authority begins at `at`.
fn user_info(text: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = &text[at..];
    let end_of = |fits: fn(u8) -> bool, rest: &[u8]| {
        rest.iter().position(|&b| fits(b)).unwrap_or(rest.len())
    };
    let word = &rest[..end_of(|b| b.is_ascii_whitespace() || b"\"'`<>".contains(&b), rest)];
    let mut authority = end_of(|b| b"/?#".contains(&b), word);
    let colon = word[..authority].iter().position(|&b| b == b':');
    let is_port = |digits: &[u8]| digits.iter().all(u8::is_ascii_digit);
    // A password may hold a slash that should have been encoded.
    if let Some(colon) = colon
        && !word[..authority].contains(&b'@')
        && !word[..authority].ends_with(b"}")
        && !is_port(&word[colon + 1..authority])
    {
        authority = word.len();
    }
    let info = word[..authority].iter().rposition(|&b| b == b'@')?;
    let from = match colon.filter(|&colon| colon < info) {
        Some(colon) => colon + 1,
        None => 0,
    };
    Some(at + from..at + info)
}

/// The value that belongs to the name that begins at `at`, if the name stands for a secret.
fn value(text: &[u8], at: usize) -> Option<Range<usize>> {
    let length = text[at..].iter().take_while(|&&b| is_name(b)).count();
    let name = str::from_utf8(&text[at..at + length]).ok()?;
    // A property such as -Dcom.app.password, and a name with a dot before it in prose.
    let name = name.trim_end_matches('.');
    let after = at + name.len();
    if let Some(range) = short_flag(text, at, name) {
        return Some(range);
    }
    if !is_secret_name(name) {
        return None;
    }
    let (quoted, after) = match quote(text, after) {
        Some(width) => (true, after + width),
        None => (false, after),
    };
    let spaces = |from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        from + rest
            .iter()
            .take_while(|&&b| b == b' ' || b == b'\t')
            .count()
    };
    let sign = spaces(after);
    let is_flag = name.starts_with('-');
    match text.get(sign) {
        Some(b'=') if text.get(sign + 1) != Some(&b'=') => {
            let from = spaces(sign + 1);
            Some(one_value(text, from, b"&;#)"))
        }
        // In JSON and the like, and in a head.
        Some(b':') if quoted => {
            let from = spaces(sign + 1);
            match text.get(from) {
                Some(b'{' | b'[') => Some(bracketed(text, from)),
                _ => Some(one_value(text, from, b",}])")),
            }
        }
        Some(b':') if sign == after && is_header(name) => {
            let from = spaces(sign + 1);
            let rest = text.get(from..).unwrap_or_default();
            let ends = |b: &u8| matches!(b, b'\r' | b'\n' | b'"' | b'\'');
            Some(from..from + rest.iter().position(ends).unwrap_or(rest.len()))
        }
        // As programs print their settings: a line, or a field of a structure.
        Some(b':') if sign == after && is_outright_secret(name) => setting(text, at, sign + 1),
        // An element of XML.
        Some(b'>') if sign == after && text[..at].ends_with(b"<") && is_outright_secret(name) => {
            let rest = text.get(sign + 1..).unwrap_or_default();
            let end = rest.iter().position(|&b| b == b'<').unwrap_or(rest.len());
            Some(sign + 1..sign + 1 + end)
        }
        // A flag and the word after it, in a line or in a list of words.
        Some(b',') if quoted && is_flag => {
            let from = spaces(sign + 1);
            quote(text, from)?;
            Some(one_value(text, from, b""))
        }
        _ if is_flag && sign > after && text.get(sign) != Some(&b'-') => {
            Some(one_value(text, sign, b""))
        }
        _ => None,
    }
}

/// Flags of one letter that take a password, by the program that has them.
const PROGRAM_FLAGS: [(&str, &str); 9] = [
    ("mysql", "-p"),
    ("mysqldump", "-p"),
    ("mysqladmin", "-p"),
    ("mariadb", "-p"),
    ("mariadb-dump", "-p"),
    ("mariadb-admin", "-p"),
    ("sshpass", "-p"),
    ("redis-cli", "-a"),
    ("redis-benchmark", "-a"),
];

/// The password after `-u USER:PASSWORD`, and after a flag of [`PROGRAM_FLAGS`].
fn short_flag(text: &[u8], at: usize, name: &str) -> Option<Range<usize>> {
    let after = at + name.len();
    let is_spaced = matches!(text.get(after), Some(b' ' | b'='));
    if ["-u", "--user"].contains(&name) {
        let word = is_spaced.then(|| one_value(text, after + 1, b""))?;
        let colon = text[word.clone()].iter().position(|&b| b == b':')?;
        let (user, password) = (
            word.start..word.start + colon,
            word.start + colon + 1..word.end,
        );
        let is_number = |range: Range<usize>| text[range].iter().all(u8::is_ascii_digit);
        // `-u 1000:1000` is a user and a group.
        let is_url = text[password.clone()].starts_with(b"//");
        let are_ids = is_number(user) && is_number(password.clone());
        return (!is_url && !are_ids).then_some(password);
    }
    if !PROGRAM_FLAGS.iter().any(|(_, flag)| name.starts_with(flag)) {
        return None;
    }
    // The program is not looked for further back: a text may be a single line of megabytes.
    const LONGEST_COMMAND: usize = 4_096;
    let near = &text[at.saturating_sub(LONGEST_COMMAND)..at];
    let begins = near.iter().rposition(|b| b";|&\n".contains(b));
    let before = String::from_utf8_lossy(&near[begins.map_or(0, |end| end + 1)..]);
    let has = |program: &str| {
        let mut words = before.split([' ', '"', '\'']);
        words.any(|word| word.rsplit('/').next() == Some(program))
    };
    let mut flags = PROGRAM_FLAGS.into_iter();
    let (program, flag) = flags.find(|&(program, flag)| name.starts_with(flag) && has(program))?;
    match name.len() > flag.len() {
        true => Some(at + flag.len()..one_value(text, at + flag.len(), b"").end),
        // These ask for it then.
        false if program.starts_with("m") => None,
        false => is_spaced.then(|| one_value(text, after + 1, b"")),
    }
}

/// What stands after a name and a colon, if the name is at the beginning of a line or of a field, or nothing is between colon and value:
/// prose has a word before the name, and a space after the colon.
fn setting(text: &[u8], at: usize, from: usize) -> Option<Range<usize>> {
    let is_space = |b: &&u8| matches!(**b, b' ' | b'\t');
    let spaces = text.get(from..)?.iter().take_while(is_space).count();
    let from = from + spaces;
    match text[..at].iter().rev().find(|b| !is_space(b)) {
        Some(b'{' | b',' | b'(') => Some(one_value(text, from, b",})")),
        None | Some(b'\n' | b'\r') if quote(text, from).is_some() => {
            Some(one_value(text, from, b""))
        }
        None | Some(b'\n' | b'\r') => {
            let rest = text.get(from..).unwrap_or_default();
            let end = rest.iter().position(|b| matches!(b, b'\r' | b'\n'));
            Some(from..from + end.unwrap_or(rest.len()))
        }
        _ if spaces == 0 && text.get(from) != Some(&b'/') => Some(one_value(text, from, b",}])")),
        _ => None,
    }
}

/// A list or an object of JSON, from its bracket to the other one.
fn bracketed(text: &[u8], from: usize) -> Range<usize> {
    let (mut depth, mut in_text, mut escaped) = (0_u32, false, false);
    for (at, byte) in text.iter().enumerate().skip(from) {
        match byte {
            b'"' if !escaped => in_text = !in_text,
            b'{' | b'[' if !in_text => depth += 1,
            b'}' | b']' if !in_text => depth -= 1,
            _ => {}
        }
        escaped = *byte == b'\\' && !escaped;
        if depth == 0 {
            return from..at + 1;
        }
    }
    from..text.len()
}

/// Whether what stands before a colon is a header's name: in prose a single word may stand there.
fn is_header(name: &str) -> bool {
    !name.starts_with('-') && name.contains('-')
        || ["authorization", "cookie"]
            .iter()
            .any(|header| name.eq_ignore_ascii_case(header))
}

/// How long the quotation mark at `at` is, if there is one; in a text within a text it is escaped.
fn quote(text: &[u8], at: usize) -> Option<usize> {
    let escapes = text.get(at..)?.iter().take_while(|&&b| b == b'\\').count();
    matches!(text.get(at + escapes)?, b'"' | b'\'').then_some(escapes + 1)
}

/// One value: what stands in quotes, or a word that also ends at these characters.
fn one_value(text: &[u8], from: usize, ends: &[u8]) -> Range<usize> {
    let Some(width) = quote(text, from) else {
        let rest = text.get(from..).unwrap_or_default();
        let end = |b: &u8| b.is_ascii_whitespace() || b"\"'`".contains(b) || ends.contains(b);
        return from..from + rest.iter().position(end).unwrap_or(rest.len());
    };
    let mut open = &text[from..from + width];
    let mut begin = from + width;
    // TOML's strings of several lines.
    if width == 1 && text[begin..].starts_with(&[open[0], open[0]]) && text.len() > begin + 2 {
        open = &text[from..begin + 2];
        begin += 2;
    }
    let mut end = begin;
    while end < text.len() && !text[end..].starts_with(open) {
        // An escaped character, unless the quotation marks themselves are escaped.
        end += if text[end] == b'\\' && width == 1 {
            2
        } else {
            1
        };
    }
    begin..end.min(text.len())
}
