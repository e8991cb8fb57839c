//! Words that others chose (names, messages of servers), made safe to show.

/// Puts control characters, and those that reorder or hide text, into words: a name must not be
/// able to move the cursor, break a line, or make one figure look like another.
pub(crate) fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || is_invisible(c) {
            clean.extend(c.escape_default());
        } else {
            clean.push(c);
        }
    }
    clean
}

/// Zero-width characters, line separators, and directional marks and overrides.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
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
    fn control_characters_are_put_into_words() {
        assert_eq!(clean("a\u{1b}[2Jb\nc\td"), "a\\u{1b}[2Jb\\nc\\td");
        assert_eq!(clean("fast\u{202e}tsaf"), "fast\\u{202e}tsaf");
        assert_eq!(clean("Straße µs …"), "Straße µs …");
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
