//! Markdown as GitHub reads it: what has become markup, and what has become a reference.

use photofinish_model::text::{is_clean, no_commands};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// That a report has no markup and no reference but its own.
pub fn check(text: &str) -> Result<(), String> {
    let acts = |c: char| c != '\n' && !is_clean(&c.to_string());
    if text.contains(acts) {
        return Err(format!("characters that act: {text:?}"));
    }
    if let Some(line) = text.lines().find(|line| no_commands(line) != *line) {
        return Err(format!("a command: {line:?}"));
    }
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_MATH;
    let mut words = String::new();
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Text(text) => words.push_str(&text),
            Event::Html(html) => words.push_str(&details(&html)?),
            Event::Start(tag) => {
                is_own(&tag)?;
                words.push('\n');
            }
            Event::End(TagEnd::HtmlBlock | TagEnd::Strong) => {}
            Event::End(_) => words.push('\n'),
            other => return Err(format!("{other:?}")),
        }
    }
    words.lines().try_for_each(no_reference)?;
    is_even(text)
}

fn is_own(tag: &Tag) -> Result<(), String> {
    match tag {
        Tag::Paragraph
        | Tag::Heading { .. }
        | Tag::List(None)
        | Tag::Item
        | Tag::Table(_)
        | Tag::TableHead
        | Tag::TableRow
        | Tag::TableCell
        | Tag::Strong
        | Tag::HtmlBlock => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

/// The only tags of a report's own: what is folded, with its title.
fn details(html: &str) -> Result<String, String> {
    let html = html.trim();
    let title = html
        .strip_prefix("<details><summary>")
        .and_then(|rest| rest.strip_suffix("</summary>"));
    match (html, title) {
        ("</details>", _) => Ok(String::new()),
        (_, Some(title)) if !title.contains(['<', '>']) => {
            let title = title.replace("&#8203;", "\u{200b}");
            Ok(title.replace("&#35;", "#") + "\n")
        }
        _ => Err(html.to_owned()),
    }
}

/// What GitHub makes a link of in words that have been drawn already.
fn no_reference(words: &str) -> Result<(), String> {
    let lower = words.to_ascii_lowercase();
    let at = |sign: char| {
        let found = lower.match_indices(sign);
        found.map(|(at, sign)| (&lower[..at], &lower[at + sign.len()..]))
    };
    let is_word = |c: char| c.is_ascii_alphanumeric();
    let digit = |after: &str| after.starts_with(|c: char| c.is_ascii_digit());
    let refers = at('@').any(|(before, after)| {
        (!before.ends_with(is_word) && after.starts_with(is_word)) || after.starts_with("evil.")
    }) || at('#').any(|(_, after)| digit(after))
        || at('-').any(|(before, after)| {
            before
                .strip_suffix("gh")
                .is_some_and(|before| !before.ends_with(is_word))
                && digit(after)
        })
        || lower.contains("://")
        || lower.contains(" www.")
        || lower.starts_with("www.")
        || lower.contains(":tada:");
    match refers {
        true => Err(format!("a reference in {words:?}")),
        false => Ok(()),
    }
}

/// How many bars of a table a line has.
pub fn bars(line: &str) -> usize {
    let mut escaped = false;
    let mut bars = 0;
    for c in line.chars() {
        bars += usize::from(c == '|' && !escaped);
        escaped = c == '\\' && !escaped;
    }
    bars
}

/// That every row of a table has as many cells as its heading.
fn is_even(text: &str) -> Result<(), String> {
    let lines: Vec<&str> = text.lines().collect();
    let is_row = |line: &str| line.starts_with('|');
    for pair in lines.windows(2) {
        if is_row(pair[0]) && is_row(pair[1]) && bars(pair[0]) != bars(pair[1]) {
            return Err(format!("rows of other lengths: {pair:?}"));
        }
    }
    Ok(())
}
