//! What was understood before: equal bytes mean the same again.
//!
//! Nearly all responses of a run are the same, byte for byte, for as long as their `Date` is.

use super::head::Head;
use crate::protocol::Response;

/// The longest response that is kept whole, in bytes: a longer one costs more to receive than to understand.
const WHOLE_LIMIT: usize = 4096;

/// How much a thread keeps of whole responses together, in bytes, where it keeps those of several requests: what fits into a core's own
/// cache beside the requests.
const WHOLE_TOTAL: usize = 128 * 1024;

/// The longest head that is kept where those of several requests are.
const HEAD_KEPT: usize = 4096;

/// The last head, and the last whole response.
#[derive(Debug)]
pub struct Known {
    head: Vec<u8>,
    means: Head,
    /// A good response that came in one piece, from its first byte to its last; empty = none.
    whole: Vec<u8>,
    response: Option<Response>,
    /// The head is new, and whether its response is whole in one piece is still to be seen.
    news: bool,
    /// Of responses to which requests it speaks.
    kind: Kind,
    /// The longest head that is kept, and the longest whole response.
    limits: (usize, usize),
}

/// The same for all requests to which equal responses mean the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kind {
    /// By which rule a whole response is judged.
    pub rule: u32,
    /// No response has a body, whatever its head says.
    pub bodiless: bool,
    /// The request tells the server to close, whatever a head says.
    pub one_shot: bool,
}

impl Kind {
    /// Whether equal heads mean the same.
    fn has_heads_of(self, other: Kind) -> bool {
        (self.bodiless, self.one_shot) == (other.bodiless, other.one_shot)
    }
}

impl Known {
    /// Nothing yet; it is one of so many that a thread has.
    pub fn one_of(count: usize) -> Known {
        Known {
            head: Vec::new(),
            means: Head::default(),
            whole: Vec::new(),
            response: None,
            news: false,
            kind: Kind::default(),
            limits: match count {
                0 | 1 => (usize::MAX, WHOLE_LIMIT),
                count => (HEAD_KEPT, WHOLE_LIMIT.min(WHOLE_TOTAL / count)),
            },
        }
    }

    /// Speaks from now on of responses to requests of this kind: equal bytes may mean something else in a response to another one.
    #[inline]
    pub fn turn_to(&mut self, kind: Kind) {
        if self.kind != kind {
            self.turn(kind);
        }
    }

    fn turn(&mut self, kind: Kind) {
        if !self.kind.has_heads_of(kind) {
            self.head.clear();
        }
        self.whole.clear();
        self.response = None;
        self.kind = kind;
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

    /// Returns the last head and its status.
    pub fn last_head(&self) -> (&[u8], u16) {
        (&self.head, self.means.status)
    }

    /// Keeps a head and what it means.
    pub fn keep_head(&mut self, bytes: &[u8], means: Head) {
        if bytes.len() > self.limits.0 {
            return;
        }
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
        if response.fault.is_none() && !response.changed && bytes.len() <= self.limits.1 {
            self.whole.clear();
            self.whole.extend_from_slice(bytes);
            self.response = Some(response);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n";

    fn kept(count: usize) -> Known {
        let mut known = Known::one_of(count);
        known.keep_head(HEAD, Head::default());
        let response = Response {
            status: 200,
            fault: None,
            changed: false,
            reuse: true,
        };
        known.keep_response(&[HEAD, b"ok"].concat(), response);
        known
    }

    #[test]
    fn a_head_means_the_same_by_another_rule_and_a_whole_response_does_not() {
        let whole = [HEAD, b"ok"].concat();
        let mut known = kept(1);
        known.turn_to(Kind::default());
        assert!(known.response(&whole).is_some());
        let other = Kind {
            rule: 1,
            ..Kind::default()
        };
        known.turn_to(other);
        assert!(known.response(&whole).is_none());
        assert!(known.head(&whole).is_some());
        // Back again: what it meant by the first rule is forgotten.
        known.turn_to(Kind::default());
        assert!(known.response(&whole).is_none());
        for other in [
            Kind {
                bodiless: true,
                ..Kind::default()
            },
            Kind {
                one_shot: true,
                ..Kind::default()
            },
        ] {
            let mut known = kept(1);
            known.turn_to(other);
            assert!(known.head(&whole).is_none(), "{other:?}");
        }
    }

    #[test]
    fn many_keep_less_each() {
        let long = [HEAD, &[b'x'; 1_000]].concat();
        for (count, keeps) in [(1, true), (256, false)] {
            let mut known = Known::one_of(count);
            known.keep_head(HEAD, Head::default());
            let response = Response {
                status: 200,
                fault: None,
                changed: false,
                reuse: true,
            };
            known.keep_response(&long, response);
            assert_eq!(known.response(&long).is_some(), keeps, "{count}");
            let head = [b'x'; 5_000];
            known.keep_head(&head, Head::default());
            assert_eq!(known.head(&head).is_some(), keeps, "{count}");
        }
    }
}
