//! The requests of a run, as bytes: made once, before load flows, and shared by all threads.

use std::sync::Arc;

use photofinish_model::{Expect, Request, Requests};

use super::head;
use super::judge::{Rule, Rules};
use super::known::Kind;
use super::request::{Encoded, encode};
use crate::error::InvalidRequest;
use crate::sequence::RequestSequence;

/// For so many requests each thread remembers what their last responses meant: as many as fit into a core's own cache with that. Of more
/// requests it remembers that by the rule of the response: nearly all of these are new anyway, but those to one rule have equal heads
/// more often than others.
const SLOTS: usize = 256;

/// Requests, what must come back for each, and their order.
#[derive(Debug)]
pub struct Book {
    pages: Vec<Page>,
    pub(super) rules: Arc<[Rule]>,
    pub(super) sequence: RequestSequence,
    /// Whether some are made anew each time.
    pub(super) varies: bool,
}

#[derive(Debug)]
struct Page {
    request: Encoded,
    kind: Kind,
}

/// Which request a connection sent last, and by what its response is judged.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    page: u32,
    /// Where is remembered what its last response meant.
    slot: u32,
    pub(super) kind: Kind,
}

impl Asked {
    /// Where is remembered what its last response meant.
    #[inline]
    pub(super) fn slot(self) -> usize {
        self.slot as usize
    }
}

impl Book {
    /// One request to a server that is called `authority`.
    ///
    /// # Errors
    /// For one that cannot be sent.
    pub fn of_one(
        request: &Request,
        expect: &Expect,
        authority: &str,
    ) -> Result<Book, InvalidRequest> {
        Book::new([(request, expect)], RequestSequence::of_one(), authority)
    }

    /// Those of a list.
    ///
    /// # Errors
    /// For one that cannot be sent.
    pub fn of(requests: &Requests, authority: &str) -> Result<Book, InvalidRequest> {
        let list = requests.list.iter().map(|one| (&one.request, &one.expect));
        Book::new(list, RequestSequence::of(requests), authority)
    }

    fn new<'r>(
        list: impl IntoIterator<Item = (&'r Request, &'r Expect)>,
        sequence: RequestSequence,
        authority: &str,
    ) -> Result<Book, InvalidRequest> {
        let mut rules = Rules::default();
        let mut page = |(request, expect): (&Request, &Expect)| {
            let bodiless = request.method == "HEAD";
            let kind = Kind {
                rule: rules.number(expect, bodiless),
                bodiless,
                one_shot: request.headers.iter().any(|(name, value)| {
                    let value = value.expose().literal();
                    name.eq_ignore_ascii_case("connection") && head::has_token(&value, "close")
                }),
            };
            let request = encode(request, authority)?;
            Ok(Page { request, kind })
        };
        let pages: Vec<Page> = (list.into_iter())
            .map(&mut page)
            .collect::<Result<_, _>>()?;
        Ok(Book {
            varies: (pages.iter()).any(|page| matches!(page.request, Encoded::Varied(_))),
            pages,
            rules: rules.all(),
            sequence,
        })
    }

    /// How many slots there are.
    pub(super) fn slots(&self) -> usize {
        self.pages.len().min(SLOTS)
    }

    /// A request, by its place.
    #[inline]
    pub(super) fn asked(&self, page: usize) -> Asked {
        let kind = self.pages[page].kind;
        let slot = match self.pages.len() <= SLOTS {
            true => page,
            false => kind.rule as usize % SLOTS,
        };
        Asked {
            page: page as u32,
            slot: slot as u32,
            kind,
        }
    }

    /// What is sent.
    #[inline]
    pub(super) fn request(&self, asked: Asked) -> &Encoded {
        &self.pages[asked.page as usize].request
    }
}
