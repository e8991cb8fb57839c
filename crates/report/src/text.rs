//! Words that others chose (names, messages of servers), made safe to show.

pub(crate) use photofinish_model::text::{clean, no_commands};

/// Signs that sentences and figures contain, and what stands for them if a terminal shows ASCII only.
const SIGNS: &[(char, &str)] = &[
    ('×', "x"),
    ('−', "-"),
    ('±', "+-"),
    ('–', "-"),
    ('…', ".."),
    ('·', "-"),
    ('’', "'"),
    ('µ', "u"),
    ('→', "->"),
    ('≤', "<="),
    ('≥', ">="),
    ('─', "-"),
    ('✓', "+"),
    ('✗', "x"),
    ('α', "alpha"),
    ('β', "beta"),
    ('γ', "gamma"),
    ('\u{a0}', " "),
];

/// A text with our own signs in ASCII; names that others chose keep their letters.
pub fn ascii(text: &str) -> String {
    let sign = |c: char| SIGNS.iter().find(|(sign, _)| *sign == c);
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match sign(c) {
            Some((_, instead)) => plain.push_str(instead),
            None => plain.push(c),
        }
    }
    plain
}

/// A cell of a table that a spreadsheet takes for text: what begins as a formula does gets an apostrophe in front, as people
/// type it there. Numbers stay numbers. The same keeps a line from being a command to a CI job.
pub(crate) fn cell(text: &str) -> String {
    let is_number = || text.parse::<f64>().is_ok_and(f64::is_finite);
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) && !is_number();
    let clean = clean(text);
    let clean = no_commands(&clean);
    match formula || text.starts_with("::") {
        true => format!("'{clean}"),
        false => clean.into_owned(),
    }
}

/// Cleans, and escapes what Markdown would take for markup, or GitHub and GitLab for a reference.
pub(crate) fn markdown(text: &str) -> String {
    let text = unlinked(clean(text).trim_start());
    let mut escaped = String::with_capacity(text.len());
    for (index, c) in text.char_indices() {
        let (before, after) = (&text[..index], &text[index + c.len_utf8()..]);
        match c {
            BREAK => escaped.push_str("&#8203;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '|' | '~' | '$' => {
                escaped.push('\\');
                escaped.push(c);
            }
            // Only at the start of a line: a heading, a list or a box to tick.
            '#' | '-' | '+' | '=' | ':' if index == 0 => {
                escaped.push('\\');
                escaped.push(c);
            }
            '.' | ')' if is_number(before) && is_end_of_word(after) => {
                escaped.push('\\');
                escaped.push(c);
            }
            '[' if index == 0
                && [" ] ", "x] ", "X] "]
                    .iter()
                    .any(|box_| after.starts_with(box_)) =>
            {
                escaped.push_str("\\[");
            }
            // A link, an image or what a link refers to; a bracket alone is an interval.
            '(' | '[' | ':' if before.ends_with(']') => {
                escaped.push('\\');
                escaped.push(c);
            }
            // A command to a CI job that reads along.
            '#' if before.ends_with('#') => escaped.push_str("\\#"),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// A title in a tag of HTML within Markdown, where nothing is Markdown and references are references all the same.
pub(crate) fn markdown_html(text: &str) -> String {
    let text = unlinked(&clean(text)).replace('&', "&amp;");
    let text = text.replace('<', "&lt;").replace('>', "&gt;");
    text.replace(BREAK, "&#8203;").replace("##", "#&#35;")
}

/// A space of no width: what it stands in is no reference, and looks the same. There is none in a text that is clean.
const BREAK: char = '\u{200b}';

/// A text in which nobody is mentioned (`@name`), nothing is referred to (`#123`, `!123`, `GH-123`), no address is made a link
/// (`https://…`, `www.…`, `a@b.example`), and no word becomes a picture (`:name:`). Escapes do not help against these: they
/// are looked for in what has been drawn.
fn unlinked(clean: &str) -> String {
    let mut text = String::with_capacity(clean.len());
    for (index, c) in clean.char_indices() {
        let (before, after) = (&clean[..index], &clean[index + c.len_utf8()..]);
        let digit = || after.starts_with(|c: char| c.is_ascii_digit());
        let at_word = |word: &str| ends_with_word(before, word);
        let breaks = match c {
            '@' => is_mention(before, after) || is_mail(after),
            '#' | '!' => digit(),
            '-' => digit() && at_word("gh"),
            ':' => after.starts_with("//") || is_picture(after),
            _ => false,
        };
        if c == '.' && at_word("www") {
            text.push(BREAK);
        }
        text.push(c);
        if breaks {
            text.push(BREAK);
        }
    }
    text
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn is_end_of_word(after: &str) -> bool {
    after.chars().next().is_none_or(char::is_whitespace)
}

fn is_mention(before: &str, after: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric();
    !before.ends_with(is_word) && after.starts_with(is_word)
}

/// Whether an `@` has the name of a host behind it.
fn is_mail(after: &str) -> bool {
    let in_host = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let host = after.split(|c| !in_host(c)).next().unwrap_or_default();
    host.trim_matches('.').contains('.')
}

/// Whether a colon begins the name of an emoji.
fn is_picture(after: &str) -> bool {
    let in_name = |c: char| c.is_ascii_alphanumeric() || "_+-".contains(c);
    let name = after.split(|c| !in_name(c)).next().unwrap_or_default();
    let is_name = name.contains(|c: char| c.is_ascii_alphabetic()) || ["+1", "-1"].contains(&name);
    is_name && after[name.len()..].starts_with(':')
}

/// Whether a text ends with this word in letters of either case, which is no part of a longer one.
fn ends_with_word(text: &str, word: &str) -> bool {
    let Some((before, end)) = text
        .len()
        .checked_sub(word.len())
        .and_then(|at| text.split_at_checked(at))
    else {
        return false;
    };
    end.eq_ignore_ascii_case(word) && !before.ends_with(|c: char| c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sentence_can_be_shown_in_ascii() {
        for row in photofinish_voice::rows() {
            let shown = ascii(row.en);
            assert!(shown.is_ascii(), "{}: {shown}", row.id);
        }
        assert_eq!(ascii("1 round · 85 s"), "1 round - 85 s");
    }

    #[test]
    fn no_cell_is_a_formula() {
        for formula in [
            "=cmd|' /C calc'!A1",
            "+1+1",
            "-1+cmd",
            "@SUM(A1)",
            "-inf",
            "-",
        ] {
            assert_eq!(cell(formula), format!("'{formula}"));
        }
        assert_eq!(cell("\t=1"), "'\\t=1");
        for text in [
            "-1.5",
            "+3",
            "-2e-7",
            "1",
            "",
            "netty@epoll",
            "a=b",
            "a\u{1b}",
        ] {
            assert!(!cell(text).starts_with('\''), "{text}");
        }
        assert_eq!(cell("a\u{1b}[2J"), "a\\u{1b}[2J");
    }

    #[test]
    fn markup_is_escaped() {
        assert_eq!(markdown("a|b"), "a\\|b");
        assert_eq!(markdown("<img src=x>"), "&lt;img src=x&gt;");
        assert_eq!(markdown("# x"), "\\# x");
        assert_eq!(markdown("[x](http://y)"), "[x]\\(http:&#8203;//y)");
        assert_eq!(markdown("a\nb"), "a\\\\nb");
        assert_eq!(markdown("1.1 [1.0 … 1.2]"), "1.1 [1.0 … 1.2]");
        assert_eq!(markdown("tio-boot"), "tio-boot");
        assert_eq!(markdown("[x][y]"), "[x]\\[y]");
        assert_eq!(markdown("[x]: /y"), "[x]\\: /y");
        assert_eq!(markdown("1. x"), "1\\. x");
        assert_eq!(markdown("1.5 x"), "1.5 x");
        assert_eq!(markdown("[ ] x"), "\\[ ] x");
        assert_eq!(markdown("    x"), "x");
        assert_eq!(markdown("::error::x"), "\\::&#8203;error::x");
        assert_eq!(markdown("##[error]"), "\\#\\#[error]");
        assert_eq!(markdown_html("<b>@a ##[x]"), "&lt;b&gt;@&#8203;a #&#35;[x]");
    }

    #[test]
    fn nobody_is_mentioned_and_nothing_is_referred_to() {
        for (text, safe) in [
            ("@torvalds: look", "@_torvalds: look"),
            ("(@o/team)", "(@_o/team)"),
            ("é@x", "é@_x"),
            (
                "closes #12, o/r#7, GH-9, !5",
                "closes #_12, o/r#_7, GH-_9, !_5",
            ),
            ("https://a.example/", "https:_//a.example/"),
            ("www.a.example WWW.b", "www_.a.example WWW_.b"),
            ("a@b.example", "a@_b.example"),
            (":tada: :+1:", ":_tada: :_+1:"),
        ] {
            let drawn = markdown(text).replace("&#8203;", "_").replace('\\', "");
            assert_eq!(drawn, safe);
        }
        for text in [
            "netty@epoll",
            "base@1a2b3c4",
            "a #x",
            "12:30:45",
            "a:b",
            "high-9",
            "5!",
        ] {
            assert_eq!(markdown(text), text);
        }
    }
}
