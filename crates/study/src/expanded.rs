//! Values that may be secret, as files and flags give them: as they are, or as `${NAME}`, which stands for a variable of photofinish's own
//! environment.

use std::env;
use std::sync::Arc;

use photofinish_model::secret::{is_likely_secret, is_plain_header, is_secret_name, remember};
use photofinish_model::{Part, Secret, Template};

use crate::reader::Node;
use crate::variables::{Piece, pieces_of};

/// A header's value from a place with a name, such as `-H @tokens.txt`.
pub fn header_value(name: &str, value: &str, source: Option<&Arc<str>>) -> Secret<Template> {
    if !is_plain_header(name) {
        remember(value);
    }
    secret(Template::parse(value), source)
}

/// The value of an environment variable from a place with a name.
pub fn variable_value(name: &str, value: &str, source: Option<&Arc<str>>) -> Secret<String> {
    if is_secret_name(name) || is_likely_secret(value) {
        remember(value);
    }
    secret(value.to_owned(), source)
}

fn secret<T>(value: T, source: Option<&Arc<str>>) -> Secret<T> {
    match source {
        Some(source) => Secret::from_source(value, source),
        None => value.into(),
    }
}

/// A text of a file in which the variables are filled in.
pub(crate) struct ExpandedText {
    pieces: Vec<Piece>,
    source: Option<Arc<str>>,
}

impl ExpandedText {
    /// Reads a value. A variable that is not set is noted.
    pub(crate) fn read(node: &Node<'_>) -> Option<ExpandedText> {
        let mut pieces = Vec::new();
        let mut names = Vec::new();
        for piece in pieces_of(node.any_text()?) {
            pieces.push(match piece {
                Piece::Written(text) => Piece::Written(text),
                Piece::Variable(name) => {
                    let Ok(value) = env::var(&name) else {
                        node.note(
                            format!("the environment variable `{name}` is not set, or is not text"),
                            format!("set it when photofinish is started; $${{{name}}} stands for the text ${{{name}}}"),
                        );
                        return None;
                    };
                    remember(&value);
                    names.push(format!("${{{name}}}"));
                    Piece::Variable(value)
                }
            });
        }
        let source = (!names.is_empty()).then(|| names.join(" and ").into());
        Some(ExpandedText { pieces, source })
    }

    /// The text.
    pub(crate) fn text(&self) -> String {
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::Written(text) | Piece::Variable(text) => &**text,
        });
        pieces.collect()
    }

    pub(crate) fn secret(&self) -> Secret<String> {
        secret(self.text(), self.source.as_ref())
    }

    /// The text as a template. What a variable holds is bytes, whatever it looks like.
    pub(crate) fn template(&self) -> Secret<Template> {
        let mut parts: Vec<Part> = Vec::new();
        for piece in &self.pieces {
            let next = match piece {
                Piece::Written(text) => Template::parse(text),
                Piece::Variable(value) => Template::fixed(value.as_bytes()),
            };
            for part in next.0 {
                match (parts.last_mut(), part) {
                    (Some(Part::Bytes(last)), Part::Bytes(more)) => last.extend(more),
                    (_, part) => parts.push(part),
                }
            }
        }
        secret(Template(parts), self.source.as_ref())
    }

    /// A header's value.
    pub(crate) fn header_value(&self, name: &str) -> Secret<Template> {
        if !is_plain_header(name) {
            remember(&self.text());
        }
        self.template()
    }

    /// A variable's value.
    pub(crate) fn variable_value(&self, name: &str) -> Secret<String> {
        let text = self.text();
        if is_secret_name(name) || is_likely_secret(&text) {
            remember(&text);
        }
        self.secret()
    }
}
