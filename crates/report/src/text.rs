//! Words that others chose (names, messages of servers), made safe to show.

pub(crate) use photofinish_model::text::clean;

/// A cell of a table that a spreadsheet takes for text: what begins as a formula does gets an apostrophe in front, as people
/// type it there. Numbers stay numbers.
pub(crate) fn cell(text: &str) -> String {
    let is_number = || text.parse::<f64>().is_ok_and(f64::is_finite);
    match text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) && !is_number() {
        true => format!("'{}", clean(text)),
        false => clean(text),
    }
}

/// Cleans, and escapes what Markdown would take for markup.
pub(crate) fn markdown(text: &str) -> String {
    let clean = clean(text);
    let mut escaped = String::with_capacity(clean.len());
    for (index, c) in clean.char_indices() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '|' | '~' | '$' => {
                escaped.push('\\');
                escaped.push(c);
            }
            // Only at the start of a line: a heading or a list.
            '#' | '-' | '+' | '=' if index == 0 => {
                escaped.push('\\');
                escaped.push(c);
            }
            // A link or an image; a bracket alone is an interval.
            '(' if clean[..index].ends_with(']') => escaped.push_str("\\("),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(markdown("[x](http://y)"), "[x]\\(http://y)");
        assert_eq!(markdown("a\nb"), "a\\\\nb");
        assert_eq!(markdown("1.1 [1.0 … 1.2]"), "1.1 [1.0 … 1.2]");
        assert_eq!(markdown("tio-boot"), "tio-boot");
    }
}
