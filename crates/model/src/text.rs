//! Words that others chose (names, titles, logs of servers, arguments), made safe to show.

/// Puts control characters, and those that reorder or hide text, into words: a name must not be
/// able to move the cursor, break a line, or make one figure look like another.
pub fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unsafe(c) {
            clean.extend(c.escape_default());
        } else {
            clean.push(c);
        }
    }
    clean
}

/// The same for text of several lines, which stay lines; tabs stay too.
pub fn clean_lines(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => clean.push(c),
            c if is_unsafe(c) => clean.extend(c.escape_default()),
            c => clean.push(c),
        }
    }
    clean
}

/// Puts something harmless of the same length in bytes in place of every such character but a line's end and a tab, so
/// that places in the text stay the same.
pub fn masked(text: &str) -> String {
    let mask = |c: char| match (c, c.len_utf8()) {
        ('\n' | '\t', _) => c,
        (c, 1) if is_unsafe(c) => '?',
        (c, 2) if is_unsafe(c) => '¿',
        (c, _) if is_unsafe(c) => char::REPLACEMENT_CHARACTER,
        _ => c,
    };
    text.chars().map(mask).collect()
}

/// Control characters, zero-width ones, line separators, and directional marks and overrides.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_put_into_words() {
        assert_eq!(clean("a\u{1b}[2Jb\nc\td"), "a\\u{1b}[2Jb\\nc\\td");
        assert_eq!(clean("fast\u{202e}tsaf"), "fast\\u{202e}tsaf");
        assert_eq!(clean("Straße µs …"), "Straße µs …");
        assert_eq!(clean_lines("a\r\n\tb\u{9b}31m"), "a\\r\n\tb\\u{9b}31m");
    }

    #[test]
    fn masks_are_as_long_as_what_they_cover() {
        let text = "a\u{1b}[2J\n\u{9b}1m µ \u{202e}\u{feff}x";
        let masked = masked(text);
        assert_eq!(masked, "a?[2J\n¿1m µ \u{fffd}\u{fffd}x");
        assert_eq!(masked.len(), text.len());
    }
}
