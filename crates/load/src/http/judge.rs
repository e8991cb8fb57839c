//! What a good response is, whichever version of HTTP brought it, and the first complaint about one that is not.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU16, AtomicU64};

use photofinish_model::Expect;
use photofinish_model::finding::complaint::Complaint;

use super::body::{self, Checked};
use super::shape::{Seen, Shape};
use crate::baseline::Baseline;
use crate::complaint::First;
use crate::outcome::ErrorKind;
use crate::protocol::{Place, Response};
use crate::template::Drawn;

/// What a good response to a request is.
#[derive(Debug)]
pub struct Rule {
    expect: Expect,
    /// Rules for bodies that vary.
    shape: Option<Shape>,
    /// The request was `HEAD`, so that no response has a body.
    bodiless: bool,
    /// The status of the first good response to any thread, by which the others are judged where none is stated; 0 = not known yet. `None`: any from 200 to
    /// 299 is good, since different requests share the rule.
    first: Option<AtomicU16>,
    /// The length of the first body to any thread plus 1; 0 = not known yet, [`VARYING`] = bodies have several lengths. `None`: the rule states what bodies
    /// are, or different requests share it.
    first_length: Option<AtomicU64>,
}

/// In place of the first body's length, if bodies have several.
const VARYING: u64 = u64::MAX;

impl Rule {
    /// Expects that; `bodiless`: no response has a body, whatever length it promises.
    pub fn new(expect: &Expect, bodiless: bool) -> Rule {
        let shape = Shape::of(expect);
        let states_bodies = shape.is_some() || expect.body.is_some();
        Rule {
            shape,
            expect: expect.clone(),
            bodiless,
            first: Some(AtomicU16::new(0)),
            first_length: (!states_bodies).then(AtomicU64::default),
        }
    }

    /// The status that a response must have which has this one; `None`: any from 200 to 299, and it has none of these.
    #[inline]
    fn status(&self, baseline: Option<&Baseline>, got: u16) -> Option<u16> {
        let verified = || baseline.map(|baseline| baseline.status);
        self.expect.status.or_else(verified).or_else(|| {
            let first = self.first.as_ref().map_or(0, |first| first.load(Relaxed));
            match first {
                0 if (200..300).contains(&got) => Some(self.begin_with(got)),
                0 => None,
                first => Some(first),
            }
        })
    }

    /// Notes the first status; returns that of whichever thread was the first.
    #[cold]
    fn begin_with(&self, status: u16) -> u16 {
        let Some(first) = &self.first else {
            return status;
        };
        let before = first.compare_exchange(0, status, Relaxed, Relaxed);
        before.err().unwrap_or(status)
    }

    /// The length of the first body, if a body of `length` bytes has another one.
    #[inline]
    fn other_length(&self, length: u64) -> Option<u64> {
        let first = self.first_length.as_ref()?;
        match first.load(Relaxed) {
            VARYING => None,
            known if known == length + 1 => None,
            _ => Rule::compare_length(first, length),
        }
    }

    /// The length of the first body, which this one may be.
    #[cold]
    fn compare_length(first: &AtomicU64, length: u64) -> Option<u64> {
        let before = first.compare_exchange(0, length + 1, Relaxed, Relaxed);
        let known = before.err()?;
        (known != VARYING && known != length + 1).then(|| known - 1)
    }
}

/// What good responses are, each rule once, however many requests share it.
#[derive(Debug, Default)]
pub struct Rules {
    rules: Vec<Rule>,
    /// How many requests there are.
    requests: usize,
    known: HashMap<(Expect, bool), u32>,
}

impl Rules {
    /// The number of a rule. `bodiless`: no response has a body, whatever length it promises.
    pub fn number(&mut self, expect: &Expect, bodiless: bool) -> u32 {
        let next = self.rules.len() as u32;
        self.requests += 1;
        *(self.known.entry((expect.clone(), bodiless))).or_insert_with(|| {
            self.rules.push(Rule::new(expect, bodiless));
            next
        })
    }

    /// All of them.
    pub fn all(mut self) -> Arc<[Rule]> {
        if self.requests > 1 {
            for rule in &mut self.rules {
                (rule.first, rule.first_length) = (None, None);
            }
        }
        self.rules.into()
    }
}

/// One thread's rules, and what it made of responses. Each response is judged by the rule of its own request, by its number.
#[derive(Debug)]
pub struct Judge {
    rules: Arc<[Rule]>,
    /// Whether a rule is one for bodies that vary.
    has_shapes: bool,
    /// Whether bodies are kept whole.
    keeps: bool,
    baseline: Option<Baseline>,
    first: First,
    /// The first change of the slice was reported.
    reported_change: bool,
}

impl Judge {
    /// Expects the same of each response: rule 0.
    pub fn new(expect: &Expect) -> Judge {
        Judge::by(Arc::new([Rule::new(expect, false)]))
    }

    /// Expects what the rules say.
    pub fn by(rules: Arc<[Rule]>) -> Judge {
        Judge {
            has_shapes: rules.iter().any(|rule| rule.shape.is_some()),
            rules,
            keeps: false,
            baseline: None,
            first: First::default(),
            reported_change: false,
        }
    }

    /// Keeps bodies whole if the place is that of a single request.
    pub fn at(self, place: Place) -> Judge {
        Judge {
            keeps: place.single,
            ..self
        }
    }

    /// Compares each response with what responses were like when the server was verified. Without that, and if no rule states what bodies are, their
    /// length is compared with that of the first one.
    pub fn compare_with(&mut self, baseline: Option<Baseline>) {
        self.baseline = baseline;
    }

    /// Bodies have several lengths: they are not compared any more.
    pub fn lengths_vary(&mut self) {
        let rules = self.rules.iter();
        let known = rules.filter_map(|rule| rule.first_length.as_ref());
        known.for_each(|first| first.store(VARYING, Relaxed));
        // The change was none.
        self.first.take();
        self.reported_change = false;
    }

    /// A slice begins: the first response of it that is wrong is reported.
    pub fn begin(&mut self) {
        self.first.begin();
        self.reported_change = false;
    }

    /// Whether something of bodies has to be remembered: some vary by rule, or they are kept.
    #[inline]
    pub fn remembers(&self) -> bool {
        self.has_shapes || self.keeps
    }

    /// The body that a rule states, if it states one.
    pub fn expected(&self, rule: u32) -> Option<Vec<u8>> {
        self.rules[rule as usize].expect.body.clone()
    }

    /// Whether bodies vary by this rule, so that equal bytes may be right once and wrong the next time.
    #[inline]
    pub fn has_shape(&self, rule: u32) -> bool {
        self.has_shapes && self.rules[rule as usize].shape.is_some()
    }

    /// Whether no response has a body by this rule.
    #[inline]
    pub fn is_bodiless(&self, rule: u32) -> bool {
        self.rules[rule as usize].bodiless
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
    pub fn asked(&self, rule: u32, seen: &mut Seen, drawn: Drawn) {
        if let Some(shape) = &self.rules[rule as usize].shape {
            seen.begin(shape, drawn);
        }
    }

    /// Takes a piece of the body of a response with this status. `seen`: what is remembered of it, if something is.
    #[inline]
    pub fn take(
        &mut self,
        rule: u32,
        status: u16,
        body: &mut Checked,
        seen: Option<&mut Seen>,
        piece: &[u8],
    ) {
        let Rule { expect, shape, .. } = &self.rules[rule as usize];
        if let Some(seen) = seen {
            if self.keeps {
                seen.kept.extend_from_slice(piece);
            }
            if let Some(shape) = shape {
                seen.take(shape, piece);
            }
        }
        let stated = expect.body.as_deref();
        let model = stated.or_else(|| self.baseline.as_ref().and_then(Baseline::bytes));
        let difference = body.take(piece, model);
        // A wrong status is reported as that: its body is another one as a matter of course.
        if let Some(at) = difference
            && let Some(expected) = stated
            && expect.status.is_none_or(|wanted| wanted == status)
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
        rule: u32,
        status: u16,
        body: Checked,
        seen: Option<&Seen>,
        reuse: bool,
    ) -> Response {
        let fault = self.fault(rule, status, body, seen);
        // Another status than the verified one is an error of the response, and another job of the server.
        let is_comparable = match fault {
            None => true,
            Some(ErrorKind::Status) => self.is_by_baseline(rule) && (200..400).contains(&status),
            Some(_) => false,
        };
        Response {
            status,
            fault,
            changed: is_comparable && self.changed(rule, status, body),
            reuse,
        }
    }

    /// Whether the status of a response is compared with the verified one.
    fn is_by_baseline(&self, rule: u32) -> bool {
        self.baseline.is_some() && self.rules[rule as usize].expect.status.is_none()
    }

    fn fault(
        &mut self,
        rule: u32,
        status: u16,
        body: Checked,
        seen: Option<&Seen>,
    ) -> Option<ErrorKind> {
        let rule = &self.rules[rule as usize];
        let Rule { expect, shape, .. } = rule;
        let expected = rule.status(self.baseline.as_ref(), status);
        if expected != Some(status) {
            self.first.complain(|| Complaint::Status {
                got: status,
                expected,
            });
            return Some(ErrorKind::Status);
        }
        if let Some(expected) = &expect.body
            && !body.fits(expected)
        {
            self.first.complain(|| body.short(expected));
            return Some(ErrorKind::Body);
        }
        if let (Some(shape), Some(seen)) = (shape, seen)
            && !seen.fits(shape)
        {
            self.first.complain(|| seen.complaint(shape));
            return Some(ErrorKind::Body);
        }
        None
    }

    /// Whether a good response is not as it was when the server was verified, or its body is not as long as the first one.
    #[inline]
    fn changed(&mut self, rule: u32, status: u16, body: Checked) -> bool {
        let Some(baseline) = &self.baseline else {
            return self.has_other_length(rule, body.received());
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

    /// Whether a body of so many bytes is not as long as the first one.
    #[inline]
    fn has_other_length(&mut self, rule: u32, bytes: u64) -> bool {
        let first = self.rules[rule as usize].other_length(bytes);
        if let Some(first) = first
            && !self.reported_change
        {
            self.reported_change = true;
            self.first
                .report_next(Complaint::OtherLength { bytes, first });
        }
        first.is_some()
    }
}
