//! What a good response is, whichever version of HTTP brought it, and the first complaint about one that is not.

use photofinish_model::Expect;
use photofinish_model::finding::complaint::Complaint;

use super::body::{self, Checked};
use super::shape::{Seen, Shape};
use crate::baseline::Baseline;
use crate::complaint::First;
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
    first: First,
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
            first: First::default(),
            reported_change: false,
        }
    }

    /// Compares each response with what responses were like when the server was verified.
    pub fn compare_with(&mut self, baseline: Option<Baseline>) {
        self.baseline = baseline;
    }

    /// A slice begins: the first response of it that is wrong is reported.
    pub fn begin(&mut self) {
        self.first.begin();
        self.reported_change = false;
    }

    /// Whether bodies vary by rule, so that equal bytes may be right once and wrong the next time.
    #[inline]
    pub fn has_rules(&self) -> bool {
        self.shape.is_some()
    }

    /// The complaint, reported once.
    pub fn complaint(&mut self) -> Option<Complaint> {
        self.first.take()
    }

    /// Keeps the slice's first complaint.
    pub fn complain<C: Into<Complaint>>(&mut self, complaint: impl FnOnce() -> C) {
        self.first.complain(complaint);
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
        // A wrong status is reported as that: its body is another one as a matter of course.
        if let Some(at) = difference
            && let Some(expected) = self.expect.body.as_deref()
            && self.expect.status.is_none_or(|wanted| wanted == status)
            && status < 400
        {
            let received = body.received();
            self.first
                .complain(|| body::difference(expected, piece, at, received));
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
            self.complain(|| Complaint::Status {
                got: status,
                expected,
            });
            return Some(ErrorKind::Status);
        }
        if let Some(expected) = &self.expect.body
            && !body.fits(expected)
        {
            self.first.complain(|| body.short(expected));
            return Some(ErrorKind::Body);
        }
        if let (Some(shape), Some(seen)) = (&self.shape, seen)
            && !seen.fits(shape)
        {
            self.first.complain(|| seen.complaint(shape));
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
            self.first.report_next(Complaint::Changed {
                status,
                bytes: body.received(),
                verified_status: baseline.status,
                verified_bytes: baseline.length(),
            });
        }
        !same
    }
}
