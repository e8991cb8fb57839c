//! `${NAME}` in texts of files: a variable of photofinish's own environment.

/// A part of a text.
pub(crate) enum Piece {
    /// As it is written.
    Written(String),
    /// What a variable holds.
    Variable(String),
}

/// Whether a text is nothing but the names of variables, so that it can be shown.
pub(crate) fn is_reference(text: &str) -> bool {
    let pieces = pieces_of(text);
    let is_name = |piece: &Piece| matches!(piece, Piece::Variable(_));
    !pieces.is_empty() && pieces.iter().all(is_name)
}

/// The parts of a text: `${NAME}` is a variable, and `$${` stands for `${`.
pub(crate) fn pieces_of(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut written = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        if rest[..at].ends_with('$') {
            written.push_str(&rest[..at]);
            written.push('{');
            rest = &rest[at + 2..];
            continue;
        }
        let inside = &rest[at + 2..];
        let length = inside
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(inside.len());
        let begins = inside.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !begins || !inside[length..].starts_with('}') {
            written.push_str(&rest[..at + 2]);
            rest = inside;
            continue;
        }
        written.push_str(&rest[..at]);
        if !written.is_empty() {
            pieces.push(Piece::Written(std::mem::take(&mut written)));
        }
        pieces.push(Piece::Variable(inside[..length].to_owned()));
        rest = &inside[length + 1..];
    }
    written.push_str(rest);
    if !written.is_empty() {
        pieces.push(Piece::Written(written));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found_and_all_else_stays() {
        let show = |text: &str| -> Vec<String> {
            let pieces = pieces_of(text).into_iter();
            pieces
                .map(|piece| match piece {
                    Piece::Written(text) => text,
                    Piece::Variable(name) => format!("<{name}>"),
                })
                .collect()
        };
        assert_eq!(show("Bearer ${A_1}!"), ["Bearer ", "<A_1>", "!"]);
        assert_eq!(show("${A}${B}"), ["<A>", "<B>"]);
        assert_eq!(show("$${A} ${} ${1} ${A $A"), ["${A} ${} ${1} ${A $A"]);
        assert_eq!(show(""), [""; 0]);
        assert!(is_reference("${A}") && !is_reference("x${A}") && !is_reference(""));
    }
}
