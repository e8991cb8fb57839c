//! What a response's body must be like where it varies, found as the body streams by: that it contains something, and how
//! many rows it has. Nothing is allocated for a response.

use memchr::memmem;

use crate::template::{self, Drawn};
use photofinish_model::finding::complaint::{BodyMismatch, Start};
use photofinish_model::secret::blank;
use photofinish_model::{Expect, Recall};

/// How much of a wrong body is shown, in bytes.
const EXCERPT: usize = 80;

/// The rules.
#[derive(Clone, Debug)]
pub struct Shape {
    contains: Vec<Recall>,
    rows: Option<u64>,
}

impl Shape {
    /// `None`: there are no rules.
    pub fn of(expect: &Expect) -> Option<Shape> {
        (!expect.contains.is_empty() || expect.rows.is_some()).then(|| Shape {
            contains: expect.contains.clone(),
            rows: expect.rows,
        })
    }
}

/// What is known of one body so far.
#[derive(Debug, Default)]
pub struct Seen {
    /// What the body must contain; empty = nothing.
    needle: Vec<u8>,
    found: bool,
    /// The end of the pieces so far, where a needle may have begun.
    tail: Vec<u8>,
    rows: Rows,
    start: Vec<u8>,
    /// The whole body of a single request's response.
    pub kept: Vec<u8>,
}

impl Seen {
    /// A request went out.
    pub fn begin(&mut self, shape: &Shape, drawn: Drawn) {
        self.needle.clear();
        template::render(&shape.contains, drawn, &mut self.needle);
        self.found = self.needle.is_empty();
        self.tail.clear();
        self.rows = Rows::default();
        self.start.clear();
    }

    /// Takes a piece of the body.
    pub fn take(&mut self, shape: &Shape, piece: &[u8]) {
        let room = EXCERPT.saturating_sub(self.start.len()).min(piece.len());
        self.start.extend_from_slice(&piece[..room]);
        if !self.found {
            self.search(piece);
        }
        if shape.rows.is_some() {
            self.rows.take(piece);
        }
    }

    fn search(&mut self, piece: &[u8]) {
        let before = self.needle.len() - 1;
        if !self.tail.is_empty() {
            let kept = self.tail.len();
            self.tail
                .extend_from_slice(&piece[..piece.len().min(before)]);
            self.found = memmem::find(&self.tail, &self.needle).is_some();
            self.tail.truncate(kept);
        }
        self.found = self.found || memmem::find(piece, &self.needle).is_some();
        if piece.len() >= before {
            self.tail.clear();
            self.tail.extend_from_slice(&piece[piece.len() - before..]);
        } else {
            self.tail.extend_from_slice(piece);
            let extra = self.tail.len().saturating_sub(before);
            self.tail.drain(..extra);
        }
    }

    /// Whether the whole body keeps the rules.
    #[inline]
    pub fn fits(&self, shape: &Shape) -> bool {
        self.found
            && shape
                .rows
                .is_none_or(|rows| self.rows.count() == Some(rows))
    }

    /// What to say of a body that does not.
    pub fn complaint(&self, shape: &Shape) -> BodyMismatch {
        let start = Start {
            text: blank(&self.start).escape_ascii().to_string(),
            more: self.start.len() == EXCERPT,
        };
        if !self.found {
            let expected = blank(&self.needle).escape_ascii().to_string();
            return BodyMismatch::Lacks { expected, start };
        }
        BodyMismatch::Rows {
            expected: shape.rows.unwrap_or(0),
            got: self.rows.count(),
            start,
        }
    }
}

/// Counts the elements of the first JSON array in a text (RFC 8259), without checking that the text is JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Rows {
    /// How deep within the first array: 0 = before it or after it.
    depth: u32,
    begun: bool,
    string: bool,
    escaped: bool,
    /// An element has begun and no comma has ended it.
    element: bool,
    count: u64,
}

impl Rows {
    fn take(&mut self, piece: &[u8]) {
        if self.count().is_some() {
            return;
        }
        for &byte in piece {
            if self.string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.string = false,
                    _ => {}
                }
                continue;
            }
            if byte == b'"' {
                self.string = true;
                self.element |= self.depth == 1;
            } else if self.depth > 0 {
                self.within(byte);
            } else if byte == b'[' && !self.begun {
                self.begun = true;
                self.depth = 1;
            }
        }
    }

    fn within(&mut self, byte: u8) {
        match byte {
            b'[' | b'{' => {
                self.element |= self.depth == 1;
                self.depth += 1;
            }
            b']' | b'}' => {
                self.depth -= 1;
                if self.depth == 0 {
                    self.count += u64::from(self.element);
                }
            }
            b',' if self.depth == 1 => {
                self.count += u64::from(self.element);
                self.element = false;
            }
            b' ' | b'\t' | b'\r' | b'\n' => {}
            _ => self.element |= self.depth == 1,
        }
    }

    /// The elements; `None` where no array has come to its end.
    fn count(&self) -> Option<u64> {
        (self.begun && self.depth == 0).then_some(self.count)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows(text: &str, piece: usize) -> Option<u64> {
        let mut rows = Rows::default();
        text.as_bytes()
            .chunks(piece)
            .for_each(|piece| rows.take(piece));
        rows.count()
    }

    #[test]
    fn rows_are_the_elements_of_the_first_array() {
        let cases = [
            ("[]", Some(0)),
            (" [ ] ", Some(0)),
            ("[1]", Some(1)),
            ("[1, \"a,]b\\\"]\", [1,2], {\"x\": [3]}]", Some(4)),
            (
                "{\"status\":1,\"msg\":\"a[b\",\"data\":[{\"id\":1},{\"id\":2}],\"more\":[1]}",
                Some(2),
            ),
            ("{\"data\":[\"\",\"\"]}", Some(2)),
            ("{\"data\":[null,true]}", Some(2)),
            ("{\"data\":null}", None),
            ("{\"data\":[1,2", None),
            ("", None),
        ];
        for (text, expected) in cases {
            for piece in [1, 3, 1_000] {
                assert_eq!(rows(text, piece), expected, "{text} in pieces of {piece}");
            }
        }
    }

    fn seen(shape: &Shape, drawn: Drawn, pieces: &[&[u8]]) -> Seen {
        let mut seen = Seen::default();
        seen.begin(shape, drawn);
        pieces.iter().for_each(|piece| seen.take(shape, piece));
        seen
    }

    #[test]
    fn the_id_asked_for_must_come_back() {
        let shape = Shape {
            contains: vec![
                Recall::Bytes(b"\"id\":".to_vec()),
                Recall::Random,
                Recall::Bytes(b",".to_vec()),
            ],
            rows: Some(1),
        };
        let drawn = Drawn {
            random: 57,
            counter: 1,
        };
        assert!(seen(&shape, drawn, &[b"[{\"id\":57,\"a\":1}]"]).fits(&shape));
        let other = seen(&shape, drawn, &[b"[{\"id\":577,\"a\":1}]"]);
        assert!(!other.fits(&shape));
        let start = |text: &str| Start {
            text: text.to_owned(),
            more: false,
        };
        assert_eq!(
            other.complaint(&shape),
            BodyMismatch::Lacks {
                expected: "\\\"id\\\":57,".to_owned(),
                start: start("[{\\\"id\\\":577,\\\"a\\\":1}]"),
            }
        );
        let two = seen(&shape, drawn, &[b"[{\"id\":57,\"a\":1},1]"]);
        assert!(!two.fits(&shape));
        assert_eq!(
            two.complaint(&shape),
            BodyMismatch::Rows {
                expected: 1,
                got: Some(2),
                start: start("[{\\\"id\\\":57,\\\"a\\\":1},1]"),
            }
        );
    }

    proptest! {
        #[test]
        fn any_split_finds_the_same(text in "[ab]{0,20}", needle in "[ab]{1,6}", cuts in proptest::collection::vec(0usize..21, 0..8)) {
            let shape = Shape { contains: vec![Recall::Bytes(needle.clone().into_bytes())], rows: None };
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut % (text.len() + 1)).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &text.as_bytes()[pair[0]..pair[1]]).collect();
            let seen = seen(&shape, Drawn::default(), &pieces);
            prop_assert_eq!(seen.fits(&shape), text.contains(&needle));
        }

        #[test]
        fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            let mut rows = Rows::default();
            rows.take(&bytes);
        }
    }
}
