//! Words that others chose (names, titles, logs of servers, arguments), made safe to show.

use std::borrow::Cow;

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

/// A text of at most so many characters and a note of how many more there were: nobody reads what is longer, and it would push all else
/// off the screen.
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some((end, _)) => {
            let more = text[end..].chars().count();
            Cow::Owned(format!("{}… (and {more} characters more)", &text[..end]))
        }
    }
}

/// The same as [`clean`] for JSON, which stays what it was: such characters stand in its strings only, where an escape means the same.
pub fn clean_json(json: &str) -> String {
    let mut clean = String::with_capacity(json.len());
    for c in json.chars() {
        if is_unsafe(c) && c != '\n' {
            for unit in c.encode_utf16(&mut [0; 2]) {
                clean.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            clean.push(c);
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
        (c, 3) if is_unsafe(c) => char::REPLACEMENT_CHARACTER,
        // One of four bytes that is always there.
        (c, _) if is_unsafe(c) => '\u{1f7a8}',
        _ => c,
    };
    text.chars().map(mask).collect()
}

/// Whether there is such a character in a text, by which it would act on a terminal or look like another.
pub fn is_clean(text: &str) -> bool {
    !text.chars().any(is_unsafe)
}

/// Control characters, those that are not seen (of zero width, fillers, tags), line separators, and directional marks and overrides.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
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
        // Each of them could make two names look alike.
        for hidden in [
            '\u{ad}',
            '\u{34f}',
            '\u{61c}',
            '\u{115f}',
            '\u{180e}',
            '\u{200b}',
            '\u{2066}',
            '\u{3164}',
            '\u{ffa0}',
            '\u{fffb}',
            '\u{e0041}',
            '\u{e0100}',
        ] {
            let name = format!("fa{hidden}st");
            assert_eq!(clean(&name), format!("fa\\u{{{:x}}}st", u32::from(hidden)));
            assert!(!is_clean(&name) && is_clean(&clean(&name)));
            assert_eq!(masked(&name).len(), name.len());
        }
        assert!(is_clean("Größe 中文 é 👩 µs"));
    }

    #[test]
    fn what_nobody_reads_is_cut() {
        assert_eq!(shortened("µµµ", 3), "µµµ");
        assert_eq!(shortened("µµµµµ", 3), "µµµ… (and 2 characters more)");
    }

    #[test]
    fn json_keeps_its_meaning() {
        let value = serde_json::json!({"a\u{9b}31m": "\u{202e}x\u{1b}[2J\n\t\u{e0041}µ"});
        let json = serde_json::to_string_pretty(&value).expect("JSON");
        let clean = clean_json(&json);
        assert!(clean.chars().all(|c| c == '\n' || !is_unsafe(c)), "{clean}");
        assert!(
            clean.contains(r"a\u009b31m") && clean.contains(r"\udb40\udc41µ"),
            "{clean}"
        );
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&clean).expect("JSON"),
            value
        );
    }

    #[test]
    fn masks_are_as_long_as_what_they_cover() {
        let text = "a\u{1b}[2J\n\u{9b}1m µ \u{202e}\u{feff}x";
        let masked = masked(text);
        assert_eq!(masked, "a?[2J\n¿1m µ \u{fffd}\u{fffd}x");
        assert_eq!(masked.len(), text.len());
    }
}
