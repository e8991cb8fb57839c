//! A file's text without the secrets in it, for messages and for the copy in the results.

use std::ops::Range;

use photofinish_model::secret::{MASK, blank, is_plain_header, mask};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::variables::is_reference;

/// Keys whose values may be secret, whatever is in them.
const KEYS: [&str; 6] = ["env", "build-env", "headers", "body", "message", "login"];

/// Whether a key's value may be secret, whatever is in it.
pub(super) fn is_hidden(key: &str) -> bool {
    KEYS.contains(&key)
}

/// The text with `*` in place of each byte of a secret, so that places in it stay the same.
pub(super) fn blanked(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for range in secrets(text) {
        let mut at = range.start;
        while at < range.end {
            let place = place(&text.as_bytes()[at..range.end]);
            // Lines stay lines, and places that are filled in are no secrets.
            if place == 0 && bytes[at] != b'\n' {
                bytes[at] = b'*';
            }
            at += place.max(1);
        }
    }
    let bytes = blank(&bytes).into_owned();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// How long the place that is filled in, such as `{port}`, is with which these bytes begin; 0 where there is none.
fn place(bytes: &[u8]) -> usize {
    let Some((b'{', inside)) = bytes.split_first() else {
        return 0;
    };
    let fits = |b: &&u8| b.is_ascii_alphanumeric() || b"_.:-".contains(b);
    let length = inside.iter().take_while(fits).count();
    match inside.get(length) {
        Some(b'}') if (1..=40).contains(&length) => length + 2,
        _ => 0,
    }
}

/// The text with `***` in place of each secret.
pub(crate) fn hidden(text: &str) -> String {
    let mut hidden = String::with_capacity(text.len());
    let mut copied = 0;
    for range in secrets(text) {
        hidden.push_str(&text[copied..range.start]);
        hidden.push_str(MASK);
        copied = range.end;
    }
    hidden.push_str(&text[copied..]);
    mask(&hidden).into_owned()
}

/// Where the values are that may be secret by their keys, without their quotation marks.
fn secrets(text: &str) -> Vec<Range<usize>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        return secret_lines(text);
    }
    let mut found = Vec::new();
    in_table(text, table.get_ref(), &mut Vec::new(), &mut found);
    found.sort_by_key(|range| range.start);
    found
}

fn in_table<'t>(
    text: &str,
    table: &'t DeTable<'_>,
    path: &mut Vec<&'t str>,
    found: &mut Vec<Range<usize>>,
) {
    for (key, value) in table {
        path.push(key.get_ref());
        in_value(text, value, path, found);
        path.pop();
    }
}

fn in_value<'t>(
    text: &str,
    value: &'t Spanned<DeValue<'_>>,
    path: &mut Vec<&'t str>,
    found: &mut Vec<Range<usize>>,
) {
    match value.get_ref() {
        DeValue::Table(table) => in_table(text, table, path, found),
        DeValue::Array(values) => {
            for value in values {
                in_value(text, value, path, found);
            }
        }
        leaf => {
            if is_secret(path) && !leaf.as_str().is_some_and(is_reference) {
                found.push(inner(text, value.span()));
            }
        }
    }
}

/// Whether the value at these keys may be secret.
fn is_secret(path: &[&str]) -> bool {
    let Some((last, above)) = path.split_last() else {
        return false;
    };
    match above.last() {
        Some(&("env" | "build-env")) => true,
        Some(&("headers" | "metadata")) => !is_plain_header(last),
        // What must come back is no secret by its key.
        Some(&"expect") => false,
        _ => *last == "metadata" || is_hidden(last),
    }
}

/// A value without its quotation marks.
fn inner(text: &str, span: Range<usize>) -> Range<usize> {
    let value = &text[span.clone()];
    for mark in ["\"\"\"", "'''", "\"", "'"] {
        if value.len() >= 2 * mark.len() && value.starts_with(mark) && value.ends_with(mark) {
            return span.start + mark.len()..span.end - mark.len();
        }
    }
    span
}

/// The same for what is not TOML: all that follows such a key on its line, or stands below such a heading.
fn secret_lines(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut below = false;
    let mut many: Option<&str> = None;
    for line in text.split_inclusive('\n') {
        let range = start..start + line.trim_end_matches(['\n', '\r']).len();
        start += line.len();
        let content = &text[range.clone()];
        if let Some(mark) = many {
            found.push(range);
            if content.contains(mark) {
                many = None;
            }
            continue;
        }
        let trimmed = content.trim_start();
        if let Some(heading) = trimmed.strip_prefix('[') {
            let names = heading.trim_matches(['[', ']', ' ']).split('.');
            below = names.map(str::trim).any(is_hidden);
        }
        let after = match content.find('=') {
            None => continue,
            Some(at) if below => Some(at + 1),
            Some(_) => after_key(content),
        };
        let Some(after) = after else { continue };
        found.push(range.start + after..range.end);
        many = ["\"\"\"", "'''"]
            .into_iter()
            .find(|mark| content[after..].matches(mark).count() % 2 == 1);
    }
    found
}

/// Where in a line the value of the first such key begins.
fn after_key(line: &str) -> Option<usize> {
    let ends = KEYS.iter().filter_map(|key| {
        line.match_indices(key).find_map(|(at, _)| {
            let rest = &line[at + key.len()..];
            let is_whole = !line[..at].ends_with(|c: char| c.is_alphanumeric() || "-_".contains(c));
            let sign = rest.trim_start().starts_with('=');
            (is_whole && sign).then(|| at + key.len() + rest.find('=').unwrap_or(0) + 1)
        })
    });
    ends.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STUDY: &str = r#"title = "a"
[[workload]]
path = "/x?token=canary&n=1"
headers = { Accept = "text/plain", Authorization = "Bearer canary", X-A = "${TOKEN}" }
login = { path = "/login", body = "{\"user\": \"canary\"}" }
[[workload]]
headers = "X-A: canary"
body = """
canary
canary"""
expect = { body = "ok" }
[[service]]
url = "postgresql://u:canary@127.0.0.1/d"
[start]
env = { A = "canary", B = "${B}" }
"#;

    #[test]
    fn what_may_be_secret_is_hidden_and_the_rest_stays() {
        let hidden = hidden(STUDY);
        assert!(!hidden.contains("canary"), "{hidden}");
        for part in [
            r#"title = "a""#,
            r#"/x?token=***&n=1"#,
            r#"Accept = "text/plain", Authorization = "***", X-A = "${TOKEN}""#,
            r#"login = { path = "/login", body = "***" }"#,
            r#"expect = { body = "ok" }"#,
            r#"postgresql://u:***@127.0.0.1/d"#,
            r#"env = { A = "***", B = "${B}" }"#,
        ] {
            assert!(hidden.contains(part), "{part} in {hidden}");
        }
    }

    #[test]
    fn places_stay_where_they_are_also_in_what_is_not_toml() {
        for text in [
            STUDY.to_owned(),
            STUDY.replace("title = \"a\"", "title = a\""),
        ] {
            let blanked = blanked(&text);
            assert_eq!(blanked.len(), text.len());
            assert!(!blanked.contains("canary"), "{blanked}");
            assert_eq!(blanked.lines().count(), text.lines().count());
        }
    }
}
