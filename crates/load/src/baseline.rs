//! What responses were like when the server was verified, so that one that changes afterwards is noticed.

use serde::{Deserialize, Serialize};

/// The longest body of which every byte is compared: to compare a longer one costs more than a few parts in a hundred of
/// what it costs to receive it, and its length shows most of what a change would.
const COMPARED: usize = 16 << 10;

/// What each response to a request was like when the server was verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Baseline {
    /// Its status.
    pub status: u16,
    /// Its body.
    pub body: Body,
}

/// As much of a body as is compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Body {
    /// All of it.
    Bytes(#[serde(with = "photofinish_model::bytes")] Vec<u8>),
    /// So many bytes.
    Length(u64),
}

impl Baseline {
    /// Of a response with this status and body.
    pub fn of(status: u16, body: &[u8]) -> Baseline {
        let body = match body.len() {
            ..=COMPARED => Body::Bytes(body.to_vec()),
            length => Body::Length(length as u64),
        };
        Baseline { status, body }
    }

    /// The body, where its bytes are compared.
    #[inline]
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        match &self.body {
            Body::Bytes(bytes) => Some(bytes),
            Body::Length(_) => None,
        }
    }

    /// The bytes of the body.
    pub(crate) fn length(&self) -> u64 {
        match &self.body {
            Body::Bytes(bytes) => bytes.len() as u64,
            Body::Length(length) => *length,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_body_is_known_by_its_length() {
        assert_eq!(Baseline::of(200, b"abc").bytes(), Some(&b"abc"[..]));
        let long = Baseline::of(200, &vec![0; COMPARED + 1]);
        assert_eq!((long.bytes(), long.length()), (None, 16_385));
        assert_eq!(Baseline::of(200, &[0; COMPARED]).length(), 16_384);
    }
}
