//! Places that are filled in once, before load flows: `{csv.NAME}` with what a row of data has, `{login.NAME}` with what was
//! taken from a first response.

use super::{Expect, Part, Recall, Request, Template};

/// Where what is filled in comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blank {
    /// A row of data, by its columns.
    Csv,
    /// A first response, by the names of what was taken from it.
    Login,
}

/// The longest name, in bytes.
const LONGEST: usize = 100;

impl Blank {
    /// What such a place begins with.
    fn begins(self) -> &'static str {
        match self {
            Blank::Csv => "{csv.",
            Blank::Login => "{login.",
        }
    }

    /// A place as it is written.
    pub fn written(self, name: &str) -> String {
        format!("{}{name}}}", self.begins())
    }

    /// The names in a text, in order.
    pub fn names(self, text: &[u8]) -> Vec<String> {
        let mut names = Vec::new();
        let _ = self.fill(text, |name| {
            names.push(name.to_owned());
            None::<&[u8]>
        });
        names
    }

    /// A text with its places filled in; those for which `value` knows nothing stay as they are.
    pub fn fill<V: AsRef<[u8]>>(
        self,
        text: &[u8],
        mut value: impl FnMut(&str) -> Option<V>,
    ) -> Vec<u8> {
        let begins = self.begins();
        let mut into = Vec::with_capacity(text.len());
        let mut at = 0;
        while at < text.len() {
            let place = text[at..].strip_prefix(begins.as_bytes()).and_then(name);
            match place.and_then(|name| Some((name, value(name)?))) {
                Some((name, value)) => {
                    into.extend_from_slice(value.as_ref());
                    at += begins.len() + name.len() + "}".len();
                }
                None => {
                    into.push(text[at]);
                    at += 1;
                }
            }
        }
        into
    }
}

/// The name that stands before the next closing brace.
fn name(text: &[u8]) -> Option<&str> {
    let end = text.iter().take(LONGEST + 1).position(|&b| b == b'}')?;
    let name = str::from_utf8(&text[..end]).ok()?;
    let fits = |c: char| c != '{' && !c.is_control();
    (!name.is_empty() && name.chars().all(fits)).then_some(name)
}

impl Template {
    /// With its places filled in. What is filled in is bytes, whatever it looks like.
    #[must_use]
    pub fn filled(&self, blank: Blank, value: &mut dyn FnMut(&str) -> Option<Vec<u8>>) -> Template {
        let filled = |part: &Part| match part {
            Part::Bytes(bytes) => Part::Bytes(blank.fill(bytes, &mut *value)),
            other => other.clone(),
        };
        Template(self.0.iter().map(filled).collect())
    }
}

impl Request {
    /// With the places of all its parts filled in.
    #[must_use]
    pub fn filled(&self, blank: Blank, value: &mut dyn FnMut(&str) -> Option<Vec<u8>>) -> Request {
        Request {
            method: self.method.clone(),
            path: self.path.filled(blank, value),
            headers: (self.headers.iter())
                .map(|(name, text)| (name.clone(), text.map(|text| text.filled(blank, value))))
                .collect(),
            body: self.body.map(|body| body.filled(blank, value)),
        }
    }

    /// The names of its places.
    pub fn places(&self, blank: Blank) -> Vec<String> {
        let texts = self.templates().map(Template::literal);
        texts.flat_map(|text| blank.names(&text)).collect()
    }
}

impl Expect {
    /// With the places of what must come back filled in.
    #[must_use]
    pub fn filled(&self, blank: Blank, value: &mut dyn FnMut(&str) -> Option<Vec<u8>>) -> Expect {
        let recall = |recall: &Recall| match recall {
            Recall::Bytes(bytes) => Recall::Bytes(blank.fill(bytes, &mut *value)),
            other => other.clone(),
        };
        Expect {
            contains: self.contains.iter().map(recall).collect(),
            body: (self.body.as_ref()).map(|body| blank.fill(body, &mut *value)),
            ..*self
        }
    }

    /// The names of its places.
    pub fn places(&self, blank: Blank) -> Vec<String> {
        let body = self.body.iter().map(Vec::as_slice);
        let contains = self.contains.iter().filter_map(|recall| match recall {
            Recall::Bytes(bytes) => Some(bytes.as_slice()),
            Recall::Random | Recall::Counter => None,
        });
        (body.chain(contains))
            .flat_map(|text| blank.names(text))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn places_are_found_and_filled_in_and_json_is_left_alone() {
        let text =
            br#"{"a":"{csv.user name}","b":{csv.n},"c":{csv.},"d":{login.n}{csv.{csv.n}{csv.x"#;
        assert_eq!(Blank::Csv.names(text), ["user name", "n", "n"]);
        let value = |name: &str| (name == "n").then_some("{csv.user name}");
        assert_eq!(
            String::from_utf8(Blank::Csv.fill(text, value)).expect("text"),
            r#"{"a":"{csv.user name}","b":{csv.user name},"c":{csv.},"d":{login.n}{csv.{csv.user name}{csv.x"#
        );
    }

    #[test]
    fn all_parts_of_a_request_and_of_what_must_come_back_are_filled_in() {
        let request = Request {
            headers: vec![("X".to_owned(), Template::parse("{csv.b}{counter}").into())],
            body: Template::parse("{csv.c}").into(),
            ..Request::get("/{csv.a}")
        };
        assert_eq!(request.places(Blank::Csv), ["a", "b", "c"]);
        let mut value = |name: &str| Some(format!("{name}{{counter}}").into_bytes());
        let filled = request.filled(Blank::Csv, &mut value);
        // What is filled in is no place itself.
        assert_eq!(filled.path, Template::fixed("/a{counter}"));
        assert_eq!(filled.headers[0].1.expose().literal(), b"b{counter}");
        assert_eq!(filled.body.expose().text(), "c{counter}");
        let expect = Expect {
            status: Some(201),
            body: Some(b"{csv.d}".to_vec()),
            contains: Recall::parse("{csv.e}{counter}"),
            ..Expect::default()
        };
        assert_eq!(expect.places(Blank::Csv), ["d", "e"]);
        let filled = expect.filled(Blank::Csv, &mut |_| Some(b"1".to_vec()));
        assert_eq!(filled.body.as_deref(), Some(&b"1"[..]));
        assert_eq!(
            filled.contains,
            [Recall::Bytes(b"1".to_vec()), Recall::Counter]
        );
    }

    proptest! {
        #[test]
        fn filling_in_nothing_changes_nothing(text in "([{}a-c.]|\\{csv\\.|\\{login\\.){0,20}|\\PC*") {
            let none = |_: &str| None::<&[u8]>;
            prop_assert_eq!(Blank::Csv.fill(text.as_bytes(), none), text.into_bytes());
        }
    }
}
