//! Words within HTML.

use photofinish_model::message::QUOTATION_MARKS;
use photofinish_model::text::clean_lines;

use crate::words::{Kind, Text};

/// Text that can be no markup, in which nothing reorders or hides other text, and no line of which is a command to a CI job that
/// reads along.
pub(crate) fn escape(text: &str) -> String {
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

/// A text in its languages.
pub(super) fn span(text: &Text) -> String {
    words(text, "span")
}

/// Words in both languages, each in an element with its language; what is the same in both stands once.
pub(super) fn words(text: &Text, element: &str) -> String {
    let all = text.spans.iter().map(|span| match span.kind {
        Kind::Own if span.en == span.zh => escape(&span.en),
        Kind::Own => {
            // The shortest name of an element: a page has thousands of these.
            let element = if element == "span" { "i" } else { element };
            let (en, zh) = (escape(&span.en), quoted(&span.zh));
            format!("<{element} lang=en>{en}</{element}><{element} lang=zh>{zh}</{element}>")
        }
        Kind::Authored => {
            let language = if has_han(&span.en) { "zh" } else { "en" };
            format!(
                "<{element} class=\"authored\" lang=\"{language}\">{}</{element}>",
                escape(&span.en)
            )
        }
        Kind::Code => format!("<code>{}</code>", escape(&span.en)),
        Kind::Server(look) => match element {
            "span" => format!(
                "<svg class=\"swatch {}\" aria-hidden=\"true\"><use href=\"#m{}\" x=\"7\" y=\"7\"/></svg>{}",
                look.colour,
                look.mark,
                escape(&span.en)
            ),
            _ => escape(&span.en),
        },
    });
    all.collect()
}

fn has_han(text: &str) -> bool {
    text.chars().any(|c| ('\u{3400}'..='\u{9fff}').contains(&c))
}

/// A Chinese sentence in which others' words are marked as theirs.
fn quoted(text: &str) -> String {
    let [opens, closes] = QUOTATION_MARKS;
    let mut marked = String::new();
    let mut rest = text;
    while let Some(from) = rest.find(opens) {
        let Some(length) = rest[from..].find(closes) else {
            break;
        };
        let end = from + length + closes.len_utf8();
        marked.push_str(&escape(&rest[..from]));
        let quote = &rest[from..end];
        match has_han(quote) {
            true => marked.push_str(&escape(quote)),
            false => marked.push_str(&format!("<q lang=\"en\">{}</q>", escape(quote))),
        }
        rest = &rest[end..];
    }
    marked + &escape(rest)
}
