//! One call of a run by itself, for whoever makes it a single time and judges the reply by the same rules.

use photofinish_model::Grpc;
use photofinish_model::finding::complaint::BodyMismatch;

use crate::http::InvalidRequest;
use crate::http::shape::{Seen, Shape};
use crate::http2;

/// One call, whole, and what its reply must be like.
#[derive(Clone, Debug)]
pub struct Once(http2::Once);

impl Once {
    /// The first call that connection 0 would make by this seed to a server of this name, but with the number 0, which no run's
    /// call has.
    ///
    /// # Errors
    /// For a call that cannot be sent.
    pub fn new(
        call: &Grpc,
        (scheme, authority): (&str, &str),
        seed: u64,
    ) -> Result<Once, InvalidRequest> {
        let encoded = http2::Encoded::call(call, scheme, authority)?;
        Ok(Once(http2::Once::new(&encoded, seed)))
    }

    /// Its header fields, those with a colon first.
    pub fn fields(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let fields = self.0.fields.iter();
        fields.map(|(name, value)| (name.as_slice(), value.as_slice()))
    }

    /// Its message, framed.
    pub fn body(&self) -> &[u8] {
        &self.0.body
    }

    /// What is wrong with what the reply's messages hold by the rules for replies that vary: what was expected and what came.
    /// `None`: nothing.
    pub fn complaint(&self, call: &Grpc, body: &[u8]) -> Option<BodyMismatch> {
        Seen::complaint_of_one(&Shape::of(&call.expect)?, self.0.drawn, body)
    }
}
