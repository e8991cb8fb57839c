//! Words that others chose (names, titles, logs of servers, arguments), made safe to show.

use std::borrow::Cow;

/// Puts control characters, and those that reorder or hide text, into words: a name must not be
/// able to move the cursor, break a line, or make one figure look like another.
pub fn clean(text: &str) -> String {
    clean_but(text, &[])
}

/// The same for text of several lines, which stay lines; tabs stay too.
pub fn clean_lines(text: &str) -> String {
    clean_but(text, &['\n', '\t'])
}

/// The same, with these characters as they are.
fn clean_but(text: &str, kept: &[char]) -> String {
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        match is_unsafe(c) && !kept.contains(&c) {
            true => clean.extend(c.escape_default()),
            false => clean.push(c),
        }
    }
    clean
}

/// The text without what a CI job's log would take for a command of the job (`::error::` at a line's start, `##[error]` and
/// `##vso[…]` anywhere): one of the characters that make it such a command is put into words.
pub fn no_commands(text: &str) -> Cow<'_, str> {
    if !text.contains("::") && !text.contains("##") {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for line in text.split_inclusive('\n') {
        let inner = line.trim_start();
        let indent = &line[..line.len() - inner.len()];
        safe.push_str(indent);
        let line = match is_workflow_command(inner) {
            true => {
                safe.extend(':'.escape_unicode());
                &inner[1..]
            }
            false => inner,
        };
        let mut rest = line;
        while let Some(at) = rest.find("##") {
            let (before, after) = rest.split_at(at + 1);
            safe.push_str(before);
            rest = match begins_logged_command(after) {
                true => {
                    safe.extend('#'.escape_unicode());
                    &after[1..]
                }
                false => after,
            };
        }
        safe.push_str(rest);
    }
    Cow::Owned(safe)
}

/// Whether a line is a workflow command of GitHub Actions: `::error file=a.rs::Says`.
fn is_workflow_command(line: &str) -> bool {
    line.strip_prefix("::").is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_alphabetic()) && rest.contains("::")
    })
}

/// Whether `#`, of which there is one more before it, begins a command that is one wherever it stands in a line: of GitHub Actions
/// (`##[error]`), Azure Pipelines (`##vso[task.…]`) or TeamCity (`##teamcity[…]`).
fn begins_logged_command(text: &str) -> bool {
    ["#[", "#vso[", "#teamcity["].iter().any(|begin| {
        (text.get(..begin.len())).is_some_and(|found| found.eq_ignore_ascii_case(begin))
    })
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
/// There is no [command](no_commands) of a CI job in it either.
pub fn clean_json(json: &str) -> String {
    let mut clean = String::with_capacity(json.len());
    for (at, c) in json.char_indices() {
        let is_command =
            || c == '#' && json[..at].ends_with('#') && begins_logged_command(&json[at..]);
        if (is_unsafe(c) && c != '\n') || is_command() {
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
    fn no_line_is_a_command_of_a_ci_job() {
        for (command, safe) in [
            ("::error::x", "\\u{3a}:error::x"),
            (
                "a\n  ::set-output name=a::b\nc",
                "a\n  \\u{3a}:set-output name=a::b\nc",
            ),
            ("x ##[error]y ###[z]", "x #\\u{23}[error]y ##\\u{23}[z]"),
            ("##vso[task.x]", "#\\u{23}vso[task.x]"),
            ("##TeamCity[x]", "#\\u{23}TeamCity[x]"),
        ] {
            assert_eq!(no_commands(command), safe);
            assert_eq!(no_commands(safe), safe);
        }
        for text in [
            "::1",
            "[::1]:80",
            "a::b::c",
            "::1 is ::x",
            "## a",
            "#[",
            "##",
            "::µ::",
        ] {
            assert_eq!(no_commands(text), text);
        }
        let json = serde_json::json!(["##[error]", "µ##vso[x]"]).to_string();
        let clean = clean_json(&json);
        assert_eq!(no_commands(&clean), clean);
        assert!(!clean.contains("##"), "{clean}");
        let back: serde_json::Value = serde_json::from_str(&clean).expect("JSON");
        assert_eq!(back.to_string(), json);
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
