//! Words within HTML.

use photofinish_model::text::clean_lines;

/// Text that can be no markup, in which nothing reorders or hides other text, and no line of which is a command to a CI job that
/// reads along.
pub(super) fn escape(text: &str) -> String {
    let text = clean_lines(text);
    let mut escaped = String::with_capacity(text.len());
    let mut before = '\n';
    let mut begins = true;
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            ':' if begins => escaped.push_str("&#58;"),
            '#' if before == '#' => escaped.push_str("&#35;"),
            c => escaped.push(c),
        }
        begins = c == '\n' || begins && c.is_whitespace();
        before = c;
    }
    escaped
}
