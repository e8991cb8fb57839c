//! Text without decoration: full-width characters, entities, tags and escape sequences.

use super::TAG;

/// Full-width to ASCII, entities decoded, tags dropped (line breaks for those that end a line), escape sequences dropped.
pub fn plain(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = match c {
            '<' => tag(after, &mut out),
            '&' => entity(after, &mut out),
            '\u{1b}' => escape(after),
            _ => {
                out.extend(narrow(c));
                after
            }
        };
    }
    out
}

/// The ASCII form of a character that looks like one; `None` for those without width.
fn narrow(c: char) -> Option<char> {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0),
        '\u{3000}' | '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' => Some(' '),
        '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' => None,
        '\u{2212}' => Some('-'),
        '│' | '┃' | '║' | '∣' | '¦' => Some('|'),
        other => Some(other),
    }
}

/// What follows a `<`: a tag is dropped, anything else stays.
fn tag<'a>(after: &'a str, out: &mut String) -> &'a str {
    let name = after.trim_start_matches('/');
    let window = after
        .bytes()
        .take(TAG)
        .take_while(|&b| b != b'<')
        .position(|b| b == b'>');
    let Some(end) = window.filter(|_| name.starts_with(|c: char| c.is_ascii_alphabetic())) else {
        out.push('<');
        return after;
    };
    let word: String = name
        .chars()
        .take_while(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    // JMeter calls its summariser <summary>; cells of a table must not run together.
    match word.as_str() {
        "br" | "p" | "div" | "tr" | "li" | "pre" => out.push('\n'),
        "td" | "th" => out.push(' '),
        _ => {}
    }
    &after[end + 1..]
}

/// What follows an `&`: the character that the entity stands for, or the ampersand itself.
fn entity<'a>(after: &'a str, out: &mut String) -> &'a str {
    const NAMED: [(&str, char); 7] = [
        ("nbsp;", ' '),
        ("gt;", '>'),
        ("lt;", '<'),
        ("amp;", '&'),
        ("quot;", '"'),
        ("#39;", '\''),
        ("#160;", ' '),
    ];
    for (name, stands_for) in NAMED {
        if let Some(rest) = after.strip_prefix(name) {
            out.push(stands_for);
            return rest;
        }
    }
    out.push('&');
    after
}

/// What follows an escape character: a sequence for colours, the cursor, a link or a title is dropped.
fn escape(after: &str) -> &str {
    // Links and titles, and what CI jobs tell their logs: up to a bell or the escape that ends it.
    if let Some(body) = after.strip_prefix([']', '_', 'P']) {
        let window = body.char_indices().take(TAG);
        let mut ends = window.filter(|(_, c)| ['\u{7}', '\u{1b}'].contains(c));
        return match ends.next() {
            Some((at, '\u{7}')) => &body[at + 1..],
            Some((at, _)) => body[at + 1..].strip_prefix('\\').unwrap_or(&body[at..]),
            None => after,
        };
    }
    let Some(body) = after.strip_prefix('[') else {
        return after;
    };
    let len = body
        .bytes()
        .take(TAG)
        .take_while(|b| b.is_ascii_digit() || b";?:>=<!".contains(b))
        .count();
    match body.as_bytes().get(len) {
        Some(b) if b.is_ascii_alphabetic() => &body[len + 1..],
        _ => after,
    }
}
