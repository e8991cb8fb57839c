//! Compares a body with what is expected as it streams by, without storing it.

use photofinish_model::finding::complaint::BodyMismatch;
use photofinish_model::secret::blank;

/// How much of a body is shown around a difference, in bytes.
const EXCERPT: usize = 40;

/// What is known of a body so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    received: u64,
    differs: bool,
}

impl Checked {
    /// Takes a piece; where in it the first difference of the whole body is, if it is there.
    #[inline]
    pub fn take(&mut self, piece: &[u8], expected: Option<&[u8]>) -> Option<usize> {
        let from = self.received;
        self.received += piece.len() as u64;
        let expected = expected?;
        if self.differs {
            return None;
        }
        let rest = usize::try_from(from)
            .ok()
            .and_then(|from| expected.get(from..))
            .unwrap_or_default();
        if rest.starts_with(piece) {
            return None;
        }
        self.differs = true;
        Some(
            piece
                .iter()
                .zip(rest)
                .take_while(|(got, wanted)| got == wanted)
                .count(),
        )
    }

    /// Bytes so far.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Whether the whole body is the expected one.
    #[inline]
    pub fn fits(&self, expected: &[u8]) -> bool {
        !self.differs && self.received == expected.len() as u64
    }

    /// What to say of a body that ended too early.
    pub fn short(&self, expected: &[u8]) -> BodyMismatch {
        BodyMismatch::Shorter {
            got: self.received,
            expected: expected.len() as u64,
            missing: excerpt(&blank(expected), self.received),
        }
    }
}

/// What to say of the first difference: at byte `at` of `piece`, with which the body had `received` bytes.
pub fn difference(expected: &[u8], piece: &[u8], at: usize, received: u64) -> BodyMismatch {
    let offset = received - piece.len() as u64 + at as u64;
    if offset >= expected.len() as u64 {
        return BodyMismatch::Longer {
            expected: expected.len() as u64,
            more: excerpt(&blank(piece), at as u64),
        };
    }
    BodyMismatch::Differs {
        at: offset,
        expected: excerpt(&blank(expected), offset),
        got: excerpt(&blank(piece), at as u64),
    }
}

fn excerpt(bytes: &[u8], from: u64) -> String {
    let from = usize::try_from(from).map_or(bytes.len(), |from| from.min(bytes.len()));
    let rest = &bytes[from..];
    let more = if rest.len() > EXCERPT { "…" } else { "" };
    format!("{}{more}", rest[..rest.len().min(EXCERPT)].escape_ascii())
}
