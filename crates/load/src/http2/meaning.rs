//! What responses over HTTP/2 mean: those of HTTP itself, and of what is spoken over it.

use super::Broken;
use super::response::check_coded_values;
use crate::http::judge::Judge;
use crate::protocol::{Kept, Response};
use crate::template::Drawn;

/// What makes of a stream's fields and content a response, and judges it.
pub trait Meaning {
    /// What is known of a response so far. There is one for each request that may be in flight.
    type Reply;

    /// Nothing yet.
    fn reply(&self) -> Self::Reply;

    /// A request went out, whose response is judged by this rule.
    fn asked(&self, reply: &mut Self::Reply, rule: u32, drawn: Drawn);

    /// A block of header fields before the content; whether it is the response's own (and no 1xx before it).
    ///
    /// # Errors
    /// Where it is none.
    fn head(&mut self, reply: &mut Self::Reply, block: &[u8]) -> Result<bool, Broken>;

    /// The block of header fields after the content.
    ///
    /// # Errors
    /// Where it is none.
    fn trailers(&mut self, reply: &mut Self::Reply, block: &[u8]) -> Result<(), Broken>;

    /// Content.
    fn content(&mut self, reply: &mut Self::Reply, piece: &[u8]);

    /// What a whole response is worth.
    fn whole(&mut self, reply: &Self::Reply) -> Response;

    /// The status of a response that will not be whole; 0 = not known.
    fn status(&self, reply: &Self::Reply) -> u16;

    /// Returns a whole response as it was kept. Only at [`Place::SINGLE`](crate::protocol::Place::SINGLE).
    fn kept(&self, reply: &Self::Reply) -> Kept;

    /// The rules, and the first sentence.
    fn judge(&mut self) -> &mut Judge;
}

/// The last block of fields, and what it means: nearly all responses of a run have the same.
#[derive(Debug, Default)]
pub struct Known<M> {
    block: Vec<u8>,
    means: M,
}

impl<M> Known<M> {
    /// Returns the last block.
    pub fn block(&self) -> &[u8] {
        &self.block
    }

    /// What a block means; it is read where it is not the last one.
    ///
    /// # Errors
    /// What reading it gives.
    #[inline]
    pub fn of(
        &mut self,
        block: &[u8],
        read: impl FnOnce(&[u8]) -> Result<M, Broken>,
    ) -> Result<&M, Broken> {
        // No response has a block without fields.
        if self.block != block || block.is_empty() {
            // To decode values of each new block would cost too much.
            if self.block.is_empty() {
                check_coded_values(block)?;
            }
            self.block.clear();
            self.means = read(block)?;
            self.block.extend_from_slice(block);
        }
        Ok(&self.means)
    }
}
