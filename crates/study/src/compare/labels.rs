//! What the targets of `compare` are called.

use super::Compare;
use crate::error::Error;
use photofinish_model::text::is_clean;

/// The names that were given, or else the `usual` ones, of which there are as many as contenders.
///
/// # Errors
/// For a number of names that is neither that of the contenders nor that of the commands, for one that cannot be a name, and for one
/// that is listed twice.
pub(super) fn labels(compare: &Compare, usual: Vec<String>) -> Result<Vec<String>, Error> {
    let count = usual.len();
    let given = compare.names.len();
    if given != 0 && given != count && given != compare.lines().count() {
        return Err(Error::argument(
            "--names",
            format!("the number of names cannot be {given}"),
            format!("allowed: {count}, one for each, separated by commas"),
        ));
    }
    let labels = match given == count {
        true => compare.names.clone(),
        false => usual,
    };
    let argument = match (
        given,
        compare.parameters.is_empty(),
        compare.revisions.is_empty(),
    ) {
        (0, ..) if !compare.already.is_empty() => "--url",
        (0, true, false) => "--rev",
        (0, false, _) => "-L",
        _ => "--names",
    };
    for (i, name) in labels.iter().enumerate() {
        // Revisions are called what git calls them, and servers by their URLs.
        let free = ["--rev", "--url"].contains(&argument);
        if !free && !is_name(name) {
            return Err(Error::argument(
                argument,
                format!("`{name}` is not a name"),
                "allowed: letters of any language, digits, spaces between them and -_.@+:#(), 60 characters at most; give others by --names",
            ));
        }
        if labels[..i].contains(name) {
            let revision = compare.revisions.get(i).filter(|_| free);
            let twice = revision.map_or(name, |at| &at.revision.given);
            return Err(Error::argument(
                argument,
                format!("`{twice}` is listed twice"),
                match argument {
                    "--rev" => "give two revisions, or one to race it against the working tree",
                    "--url" => "to race it against itself, give it two names: -n one -n other",
                    _ => "give each command a name of its own, such as --names old,new",
                },
            ));
        }
    }
    Ok(labels)
}

/// Whether a text can stand in sentences, tables and conditions as a name, and is seen as what it is.
fn is_name(text: &str) -> bool {
    let fits = |c: char| match c.is_ascii() {
        true => c.is_ascii_alphanumeric() || " -_.@+:#()".contains(c),
        // Above are tags and what has no meaning of its own.
        false => !c.is_whitespace() && u32::from(c) < 0xe_0000,
    };
    (1..=60).contains(&text.chars().count())
        && text.trim() == text
        && text.chars().all(fits)
        && is_clean(text)
}

#[cfg(test)]
mod tests {
    use super::is_name;

    #[test]
    fn names_are_of_any_language_and_can_be_seen() {
        for name in [
            "old",
            "my server",
            "旧版本",
            "Größe 2",
            "हिन्दी",
            "v1.2 (gc off)",
            "a@b",
        ] {
            assert!(is_name(name), "{name}");
        }
        let long = "x".repeat(61);
        for name in [
            "",
            " a",
            "a ",
            "../x",
            "a/b",
            "a\\b",
            "a\nb",
            "a\u{1b}[31m",
            "a\u{202e}b",
            "a\u{200b}",
            "a\u{3164}",
            "a,b",
            "a|b",
            "a\"b",
            "a\u{3000}b",
            &long,
        ] {
            assert!(!is_name(name), "{name}");
        }
    }
}
