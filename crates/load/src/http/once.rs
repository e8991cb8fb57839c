//! One request of a run by itself, for whoever asks a server a single time and judges the response by the same rules.

use super::request::{Draft, Encoded, InvalidRequest, encode};
use super::shape::{Seen, Shape};
use crate::template::Drawn;
use photofinish_model::finding::complaint::BodyMismatch;
use photofinish_model::{Expect, Request};

/// One request, whole, and what its response's body must be like.
#[derive(Debug)]
pub struct Once {
    /// Its bytes.
    pub bytes: Vec<u8>,
    drawn: Drawn,
}

impl Once {
    /// The first request that connection 0 would send by this seed to a server of this name, but with the number 0, which no run's
    /// request has.
    ///
    /// # Errors
    /// For a request that cannot be sent.
    pub fn new(request: &Request, authority: &str, seed: u64) -> Result<Once, InvalidRequest> {
        Ok(match encode(request, authority)? {
            Encoded::Fixed(bytes) => Once {
                bytes: bytes.to_vec(),
                drawn: Drawn::default(),
            },
            Encoded::Varied(varied) => {
                let mut draft = Draft::new(seed, 0);
                draft.next(&varied, 0);
                Once {
                    bytes: draft.bytes,
                    drawn: draft.drawn,
                }
            }
        })
    }

    /// What is wrong with the response's body by the rules for bodies that vary: what was expected and what came.
    /// `None`: nothing.
    pub fn complaint(&self, expect: &Expect, body: &[u8]) -> Option<BodyMismatch> {
        Seen::complaint_of_one(&Shape::of(expect)?, self.drawn, body)
    }
}
