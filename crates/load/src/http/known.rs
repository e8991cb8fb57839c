//! What was understood before: equal bytes mean the same again.
//!
//! Nearly all responses of a run are the same, byte for byte, for as long as their `Date` is.

use super::head::Head;
use crate::protocol::Response;

/// The longest response that is kept whole, in bytes: a longer one costs more to receive than to understand.
const WHOLE_LIMIT: usize = 4096;

/// The last head, and the last whole response.
#[derive(Debug, Default)]
pub struct Known {
    head: Vec<u8>,
    means: Head,
    /// A good response that came in one piece, from its first byte to its last; empty = none.
    whole: Vec<u8>,
    response: Option<Response>,
    /// The head is new, and whether its response is whole in one piece is still to be seen.
    news: bool,
    /// Of responses to which requests it speaks.
    kind: u32,
}

impl Known {
    /// Speaks from now on of responses to requests of this kind: equal bytes may mean something else in a response to another one.
    #[inline]
    pub fn turn_to(&mut self, kind: u32) {
        if self.kind != kind {
            self.head.clear();
            self.whole.clear();
            self.response = None;
            self.kind = kind;
        }
    }

    /// What these bytes are, if they are the known response, no more and no less.
    #[inline]
    pub fn response(&self, bytes: &[u8]) -> Option<Response> {
        self.response.filter(|_| self.whole == bytes)
    }

    /// The head that the bytes begin with, and its length, if it is the known one.
    #[inline]
    pub fn head(&self, bytes: &[u8]) -> Option<(usize, Head)> {
        (!self.head.is_empty() && bytes.starts_with(&self.head))
            .then_some((self.head.len(), self.means))
    }

    /// Keeps a head and what it means.
    pub fn keep_head(&mut self, bytes: &[u8], means: Head) {
        self.head.clear();
        self.head.extend_from_slice(bytes);
        self.means = means;
        self.news = true;
    }

    /// Keeps a whole response, if its head is new (a body that differs each time is not copied each time), and if it was
    /// good and as it was before: any other is to be looked at again.
    #[inline]
    pub fn keep_response(&mut self, bytes: &[u8], response: Response) {
        if !self.news {
            return;
        }
        self.news = false;
        self.response = None;
        if response.fault.is_none() && !response.changed && bytes.len() <= WHOLE_LIMIT {
            self.whole.clear();
            self.whole.extend_from_slice(bytes);
            self.response = Some(response);
        }
    }
}
