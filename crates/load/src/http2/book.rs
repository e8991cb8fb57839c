//! The requests of a run as fields and content: made once, before load flows, and shared by all threads.

use std::sync::Arc;

use photofinish_model::Requests;

use super::request::Encoded;
use crate::error::InvalidRequest;
use crate::http::judge::{Rule, Rules};
use crate::sequence::RequestSequence;

/// Requests, by which rule the responses to each are judged, and their order.
#[derive(Debug)]
pub struct Book {
    pages: Vec<(Encoded, u32)>,
    pub(super) sequence: RequestSequence,
    /// Whether some are made anew each time.
    pub(super) varies: bool,
}

impl Book {
    /// One request, of rule 0.
    pub fn of_one(request: Encoded) -> Book {
        Book {
            varies: request.fixed().is_none(),
            pages: vec![(request, 0)],
            sequence: RequestSequence::of_one(),
        }
    }

    /// Those of a list, and their rules.
    ///
    /// # Errors
    /// For one that cannot be sent.
    pub fn of(
        requests: &Requests,
        scheme: &str,
        authority: &str,
    ) -> Result<(Book, Arc<[Rule]>), InvalidRequest> {
        let mut rules = Rules::default();
        let pages: Vec<(Encoded, u32)> = (requests.list.iter())
            .map(|one| {
                let encoded = Encoded::new(&one.request, scheme, authority)?;
                let rule = rules.number(&one.expect, one.request.method == "HEAD");
                Ok((encoded, rule))
            })
            .collect::<Result<_, _>>()?;
        let book = Book {
            varies: pages.iter().any(|(request, _)| request.fixed().is_none()),
            pages,
            sequence: RequestSequence::of(requests),
        };
        Ok((book, rules.all()))
    }

    /// A request and its rule, by its place.
    #[inline]
    pub(super) fn page(&self, at: usize) -> &(Encoded, u32) {
        &self.pages[at]
    }
}
