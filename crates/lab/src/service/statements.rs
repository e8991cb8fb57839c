//! Taking a text of MariaDB's SQL apart into statements: its protocol takes one at a time, and its
//! errors count lines from the beginning of theirs.

/// A statement and the line on which it begins, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Statement<'t> {
    pub(super) line: usize,
    pub(super) text: &'t str,
}

/// The statements of a text: what stands between semicolons that are neither in quotes nor in a
/// comment. The client's own commands (`DELIMITER`) are not known.
pub(super) fn statements(text: &str) -> Vec<Statement<'_>> {
    let mut found = Vec::new();
    // Where the statement at hand begins; `None` before its first word.
    let mut begun = None;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let step = token(rest);
        if rest.starts_with(';') {
            found.extend(begun.take().map(|from| statement(text, from, at)));
        } else if begun.is_none() && !is_comment(rest) && !rest.starts_with(char::is_whitespace) {
            begun = Some(at);
        }
        at += step;
    }
    found.extend(begun.map(|from| statement(text, from, text.len())));
    found
}

fn statement(text: &str, from: usize, to: usize) -> Statement<'_> {
    Statement {
        line: 1 + text[..from].matches('\n').count(),
        text: text[from..to].trim_end(),
    }
}

/// `-- ` needs the space; `/*!` and `/*M!` are no comments but hold statements for some servers.
fn is_comment(rest: &str) -> bool {
    let dashes = rest
        .strip_prefix("--")
        .is_some_and(|after| after.is_empty() || after.starts_with(char::is_whitespace));
    let block = rest.starts_with("/*") && !rest.starts_with("/*!") && !rest.starts_with("/*M!");
    dashes || block || rest.starts_with('#')
}

/// The bytes of what `rest` begins with: a quoted text, a comment, or a single character.
fn token(rest: &str) -> usize {
    let until = |end: &str| rest.find(end).map_or(rest.len(), |at| at + end.len());
    match rest.chars().next() {
        Some(quote @ ('\'' | '"' | '`')) => quoted(rest, quote),
        Some('/') if rest.starts_with("/*") => until("*/"),
        _ if is_comment(rest) => until("\n"),
        Some(c) => c.len_utf8(),
        None => 0,
    }
}

/// A doubled quote is two texts side by side here, which comes to the same.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if c == '\\' && quote != '`' {
            escaped = true;
        } else if c == quote {
            return at + c.len_utf8();
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(text: &str) -> Vec<(usize, &str)> {
        statements(text).iter().map(|s| (s.line, s.text)).collect()
    }

    #[test]
    fn statements_end_at_semicolons() {
        assert_eq!(
            reported("a;\n\n b\n c ;d"),
            [(1, "a"), (3, "b\n c"), (4, "d")]
        );
        assert_eq!(reported(" ; ;\n"), []);
        assert_eq!(reported(""), []);
    }

    #[test]
    fn semicolons_in_quotes_and_comments_are_text() {
        assert_eq!(
            reported("a ';' \";\" `;`; b"),
            [(1, "a ';' \";\" `;`"), (1, "b")]
        );
        assert_eq!(
            reported("a 'it''s;' 'x\\';'; b"),
            [(1, "a 'it''s;' 'x\\';'"), (1, "b")]
        );
        assert_eq!(
            reported("-- one; two\n# three;\n/* ; */ a -- ;\n;"),
            [(3, "a -- ;")]
        );
        assert_eq!(reported("a--;b"), [(1, "a--"), (1, "b")]);
        assert_eq!(
            reported("/*!40101 SET x = 1; */; b"),
            [(1, "/*!40101 SET x = 1; */"), (1, "b")]
        );
        assert_eq!(reported("a 'open ; \u{e9}"), [(1, "a 'open ; \u{e9}")]);
    }
}
