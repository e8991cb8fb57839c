//! `{port}` and the like in commands and environments.

use std::ops::Range;

/// Every placeholder, with what it stands for.
pub const PLACEHOLDERS: [(&str, &str); 10] = [
    ("port", "the port that the server must listen on"),
    ("socket", "the Unix socket that the server must listen on"),
    ("host", "the address that the server must listen on"),
    ("dir", "the folder in which the target was built"),
    ("java", "the chosen JDK's java program"),
    ("java_home", "the chosen JDK's folder"),
    ("jvm_flags", "the target's jvm-flags, one argument each"),
    ("photofinish", "this program"),
    ("cpus", "how many cores the server's lane has"),
    ("temp", "a folder for temporary files, gone after the trial"),
];

/// The placeholders in a text: `{name}` with letters and underscores only, and no `$` before it,
/// so that a shell's `${HOME}` and JSON stay what they are.
pub fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    places(text)
        .into_iter()
        .map(|place| &text[place.start + 1..place.end - 1])
}

/// Fills in a text's placeholders, as [`placeholders`] finds them; those for which `value` knows
/// nothing stay as they are.
pub fn fill(text: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut done = 0;
    for place in places(text) {
        filled.push_str(&text[done..place.start]);
        match value(&text[place.start + 1..place.end - 1]) {
            Some(value) => filled.push_str(&value),
            None => filled.push_str(&text[place.clone()]),
        }
        done = place.end;
    }
    filled.push_str(&text[done..]);
    filled
}

/// Where the placeholders stand, braces included.
fn places(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (open, _) in text.match_indices('{') {
        let name = &text[open + 1..];
        let Some(length) = name.find(|c: char| !c.is_ascii_alphabetic() && c != '_') else {
            continue;
        };
        if length > 0 && name[length..].starts_with('}') && !text[..open].ends_with('$') {
            found.push(open..open + length + 2);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn finds_placeholders_only() {
        assert_eq!(
            placeholders("--port={port} {dir}/x ${HOME} {\"a\":1} {} {{cpus}} {a b} {Port")
                .collect::<Vec<_>>(),
            ["port", "dir", "cpus"]
        );
    }

    #[test]
    fn fills_in_what_is_known() {
        let value = |name: &str| (name == "port").then(|| "8080".to_owned());
        assert_eq!(
            fill("${port} {port}:{port} {dir}", value),
            "${port} 8080:8080 {dir}"
        );
    }

    proptest! {
        #[test]
        fn filling_in_nothing_changes_nothing(text in "[${}a-c ]{0,30}|\\PC*") {
            prop_assert_eq!(fill(&text, |_| None), text);
        }
    }
}
