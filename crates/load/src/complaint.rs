//! The first complaint of a slice.

use photofinish_model::finding::complaint::Complaint;

/// What a protocol has to complain of first in a slice; it is reported once.
#[derive(Clone, Debug, Default)]
pub struct First {
    complaint: Option<Complaint>,
    made: bool,
}

impl First {
    /// A slice begins.
    pub fn begin(&mut self) {
        *self = First::default();
    }

    /// Keeps the slice's first complaint; others are not even put together.
    pub fn complain<C: Into<Complaint>>(&mut self, complaint: impl FnOnce() -> C) {
        if !self.made {
            self.made = true;
            self.complaint = Some(complaint().into());
        }
    }

    /// The next to be reported, whatever was reported before: a change is no complaint about a wrong response.
    pub fn report_next(&mut self, complaint: Complaint) {
        self.complaint = Some(complaint);
    }

    /// The complaint, reported once.
    pub fn take(&mut self) -> Option<Complaint> {
        self.complaint.take()
    }
}
