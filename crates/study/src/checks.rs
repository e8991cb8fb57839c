//! What may stand in names and requests: methods, paths, header names and values.
//!
//! Each function returns what is wrong and what is allowed, for a file or a flag to report.

use photofinish_model::text::is_clean;
use photofinish_model::{Blank, Part, Template};

use crate::mistake::Mistake;
use crate::template::check_request;

/// The methods that a workload may use. `CONNECT` and `TRACE` do not ask for a response that
/// could be checked.
pub const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// The path and query of a request (RFC 9112, origin-form).
pub(crate) fn check_path(path: &str) -> Result<(), Mistake> {
    if !path.starts_with('/') {
        return Err((
            format!("the path `{path}` does not begin with `/`"),
            "a path with its query, such as /plaintext or /sleep?ms=20",
        ));
    }
    if let Some(bad) = path.chars().find(|c| !c.is_ascii_graphic() || *c == '#') {
        return Err((
            format!("the path `{path}` contains {bad:?}, which a request line may not contain"),
            "printable ASCII; percent-encode the rest, such as %20 for a space",
        ));
    }
    Ok(())
}

/// The same where places may be filled in.
pub(crate) fn check_varying_path(path: &str) -> Result<(), Mistake> {
    check_path(path)?;
    check_request(path)?;
    let stray = Template::parse(path)
        .0
        .into_iter()
        .find_map(|part| match part {
            Part::Bytes(bytes) => bytes.iter().find(|b| matches!(b, b'{' | b'}')).copied(),
            Part::Random { .. } | Part::Counter => None,
        });
    if let Some(brace) = stray {
        return Err((
            format!("the path `{path}` contains a stray `{}`", char::from(brace)),
            "places to fill in, {random:1..100} and {counter}; %7B and %7D for braces",
        ));
    }
    Ok(())
}

/// The same where some are filled in before load flows, from data or from a login's response.
pub(crate) fn check_filled_path(path: &str) -> Result<(), Mistake> {
    let filled = [Blank::Csv, Blank::Login]
        .into_iter()
        .fold(path.as_bytes().to_vec(), |path, blank| {
            blank.fill(&path, |_| Some("x"))
        });
    check_varying_path(&String::from_utf8_lossy(&filled))
}

/// A header's name (RFC 9110, token).
pub(crate) fn check_header_name(name: &str) -> Result<(), Mistake> {
    let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    if name.is_empty() || !name.chars().all(token) {
        return Err((
            format!("`{name}` is not a header's name"),
            "letters, digits and hyphens, such as Accept or X-Request-Id",
        ));
    }
    if name.eq_ignore_ascii_case("transfer-encoding") {
        return Err((
            format!("`{name}` cannot be set"),
            "any other header; a body is always sent with its length",
        ));
    }
    Ok(())
}

/// A header's value (RFC 9110, field-value).
pub(crate) fn check_header_value(name: &str, value: &str) -> Result<(), Mistake> {
    if value.chars().any(|c| c.is_control() && c != '\t') {
        return Err((
            format!(
                "the value of header `{name}` contains a line break or another control character"
            ),
            "one line of text",
        ));
    }
    if value.trim() != value {
        return Err((
            format!(
                "the value of header `{name}` begins or ends with a space, which servers strip"
            ),
            "the value without them",
        ));
    }
    check_request(value)
}

/// A variant's name: as [`check_name`], and dots within, for versions (`4.2-nio`).
pub(crate) fn check_variant(name: &str) -> Result<(), Mistake> {
    let without_dots = name.replace('.', "-");
    let edge = name.starts_with('.') || name.ends_with('.');
    if edge || check_name(&without_dots).is_err() {
        return Err((
            format!("`{name}` is not a variant's name"),
            "lower-case letters, digits, hyphens and dots within, 60 characters at most, such as virtual-threads or 4.2-nio",
        ));
    }
    Ok(())
}

/// A name of a study, target, workload or claim.
pub(crate) fn check_name(name: &str) -> Result<(), Mistake> {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || !name.chars().all(allowed) || name.starts_with('-') {
        return Err((
            format!("`{name}` is not a name"),
            "lower-case letters, digits and hyphens, such as virtual-threads",
        ));
    }
    if name.len() > 60 {
        return Err((
            format!("the name `{name}` is longer than 60 characters"),
            "a shorter one: names become folders and columns",
        ));
    }
    Ok(())
}

/// What a study or a comparison calls one of its targets: what can stand in sentences, tables and conditions as a name, and is seen as
/// what it is.
pub(crate) fn check_label(label: &str) -> Result<(), Mistake> {
    let fits = |c: char| match c.is_ascii() {
        true => c.is_ascii_alphanumeric() || " -_.@+:#()".contains(c),
        // Above are tags and what has no meaning of its own.
        false => !c.is_whitespace() && u32::from(c) < 0xe_0000,
    };
    let is_label = (1..=60).contains(&label.chars().count())
        && label.trim() == label
        && label.chars().all(fits)
        && is_clean(label);
    match is_label {
        true => Ok(()),
        false => Err((
            format!("`{label}` is not a name"),
            "letters of any language, digits, spaces between them and -_.@+:#(), 60 characters at most",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::check_label;

    #[test]
    fn labels_are_of_any_language_and_can_be_seen() {
        for label in [
            "old",
            "my server",
            "旧版本",
            "Größe 2",
            "हिन्दी",
            "v1.2 (gc off)",
            "a@b",
        ] {
            assert_eq!(check_label(label), Ok(()), "{label}");
        }
        let long = "x".repeat(61);
        for label in [
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
            assert!(check_label(label).is_err(), "{label}");
        }
    }
}
