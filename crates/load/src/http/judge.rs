//! What a good response is, whichever version of HTTP brought it, and the first sentence about one that is not.

use photofinish_model::Expect;

use super::body::{self, Checked};
use super::shape::{Seen, Shape};
use crate::baseline::Baseline;
use crate::outcome::ErrorKind;
use crate::protocol::Response;
use crate::template::Drawn;

/// One thread's rules.
#[derive(Debug)]
pub struct Judge {
    expect: Expect,
    /// Rules for bodies that vary.
    shape: Option<Shape>,
    baseline: Option<Baseline>,
    complaint: Option<String>,
    complained: bool,
    /// The first change of the slice was reported.
    reported_change: bool,
}

impl Judge {
    /// Expects that.
    pub fn new(expect: &Expect) -> Judge {
        Judge {
            shape: Shape::of(expect),
            expect: expect.clone(),
            baseline: None,
            complaint: None,
            complained: false,
            reported_change: false,
        }
    }

    /// Compares each response with what responses were like when the server was verified.
    pub fn compare_with(&mut self, baseline: Option<Baseline>) {
        self.baseline = baseline;
    }

    /// A slice begins: the first response of it that is wrong is reported.
    pub fn begin(&mut self) {
        self.complaint = None;
        self.complained = false;
        self.reported_change = false;
    }

    /// Whether bodies vary by rule, so that equal bytes may be right once and wrong the next time.
    #[inline]
    pub fn has_rules(&self) -> bool {
        self.shape.is_some()
    }

    /// The sentence, told once.
    pub fn complaint(&mut self) -> Option<String> {
        self.complaint.take()
    }

    /// Keeps the slice's first sentence.
    pub fn complain(&mut self, sentence: impl FnOnce() -> String) {
        if !self.complained {
            self.complained = true;
            self.complaint = Some(sentence());
        }
    }

    /// A request went out.
    #[inline]
    pub fn asked(&self, seen: &mut Seen, drawn: Drawn) {
        if let Some(shape) = &self.shape {
            seen.begin(shape, drawn);
        }
    }

    /// Takes a piece of the body of a response with this status. `seen`: what varies, where something does.
    #[inline]
    pub fn take(&mut self, status: u16, body: &mut Checked, seen: Option<&mut Seen>, piece: &[u8]) {
        if let (Some(shape), Some(seen)) = (&self.shape, seen) {
            seen.take(shape, piece);
        }
        let stated = self.expect.body.as_deref();
        let model = stated.or_else(|| self.baseline.as_ref().and_then(Baseline::bytes));
        let difference = body.take(piece, model);
        // A wrong status is told as that: its body is another one as a matter of course.
        if let Some(at) = difference
            && !self.complained
            && let Some(expected) = self.expect.body.as_deref()
            && self.expect.status.is_none_or(|wanted| wanted == status)
            && status < 400
        {
            let sentence = body::difference(expected, piece, at, body.received());
            self.complain(|| sentence);
        }
    }

    /// What a whole response is worth; `reuse`: the connection may carry another request.
    pub fn response(
        &mut self,
        status: u16,
        body: Checked,
        seen: Option<&Seen>,
        reuse: bool,
    ) -> Response {
        let fault = self.fault(status, body, seen);
        Response {
            status,
            fault,
            changed: fault.is_none() && self.changed(status, body),
            reuse,
        }
    }

    fn fault(&mut self, status: u16, body: Checked, seen: Option<&Seen>) -> Option<ErrorKind> {
        let status_fits = match self.expect.status {
            Some(expected) => status == expected,
            None => (200..400).contains(&status),
        };
        if !status_fits {
            let expected = self.expect.status;
            self.complain(|| match expected {
                Some(expected) => format!("status {status}, expected {expected}"),
                None => format!("status {status}, expected one from 200 to 399"),
            });
            return Some(ErrorKind::Status);
        }
        if let Some(expected) = &self.expect.body
            && !body.fits(expected)
        {
            if !self.complained {
                let sentence = body.short(expected);
                self.complain(|| sentence);
            }
            return Some(ErrorKind::Body);
        }
        if let (Some(shape), Some(seen)) = (&self.shape, seen)
            && !seen.fits(shape)
        {
            if !self.complained {
                let sentence = seen.complaint(shape);
                self.complain(|| sentence);
            }
            return Some(ErrorKind::Body);
        }
        None
    }

    /// Whether a good response is not as it was when the server was verified.
    #[inline]
    fn changed(&mut self, status: u16, body: Checked) -> bool {
        let Some(baseline) = &self.baseline else {
            return false;
        };
        let same = status == baseline.status
            && match baseline.bytes() {
                Some(bytes) => body.fits(bytes),
                None => body.received() == baseline.length(),
            };
        if !same && !self.reported_change {
            self.reported_change = true;
            self.complaint = Some(format!(
                "status {status} and a body of {} bytes; when the server was verified: status {}, {} bytes",
                body.received(),
                baseline.status,
                baseline.length(),
            ));
        }
        !same
    }
}
