//! The requests of a run, as bytes: made once, before load flows, and shared by all threads.

use std::sync::Arc;

use photofinish_model::{Expect, Request, Requests};

use super::head;
use super::judge::Rule;
use super::request::{Encoded, InvalidRequest, encode};
use crate::deck::{Deck, Rules};

/// For so many requests each thread remembers what their last responses meant: as many as fit into a core's own cache with that.
const SLOTS: usize = 256;

/// Requests, what must come back for each, and their order.
#[derive(Debug)]
pub struct Book {
    pages: Vec<Page>,
    pub(super) rules: Arc<[Rule]>,
    pub(super) deck: Deck,
    /// Whether some are made anew each time.
    pub(super) varies: bool,
}

#[derive(Debug)]
struct Page {
    request: Encoded,
    rule: u32,
    /// The request tells the server to close.
    one_shot: bool,
}

/// Which request a connection sent last, and by what its response is judged.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    page: u32,
    pub(super) rule: u32,
    pub(super) one_shot: bool,
    /// Where is remembered what its last response meant.
    pub(super) slot: usize,
}

impl Asked {
    /// The same for all requests to which equal responses mean the same.
    #[inline]
    pub(super) fn kind(self) -> u32 {
        self.rule * 2 + u32::from(self.one_shot)
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
        Book::new([(request, expect)], Deck::of_one(), authority)
    }

    /// Those of a list.
    ///
    /// # Errors
    /// For one that cannot be sent.
    pub fn of(requests: &Requests, authority: &str) -> Result<Book, InvalidRequest> {
        let list = requests.list.iter().map(|one| (&one.request, &one.expect));
        Book::new(list, Deck::of(requests), authority)
    }

    fn new<'r>(
        list: impl IntoIterator<Item = (&'r Request, &'r Expect)>,
        deck: Deck,
        authority: &str,
    ) -> Result<Book, InvalidRequest> {
        let mut rules = Rules::default();
        let mut page = |(request, expect): (&Request, &Expect)| {
            Ok(Page {
                request: encode(request, authority)?,
                rule: rules.number(expect, request.method == "HEAD"),
                one_shot: request.headers.iter().any(|(name, value)| {
                    let value = value.literal();
                    name.eq_ignore_ascii_case("connection") && head::has_token(&value, "close")
                }),
            })
        };
        let pages: Vec<Page> = (list.into_iter())
            .map(&mut page)
            .collect::<Result<_, _>>()?;
        Ok(Book {
            varies: (pages.iter()).any(|page| matches!(page.request, Encoded::Varied(_))),
            pages,
            rules: rules.all(),
            deck,
        })
    }

    /// How many slots there are.
    pub(super) fn slots(&self) -> usize {
        self.pages.len().min(SLOTS)
    }

    /// A request, by its place.
    #[inline]
    pub(super) fn asked(&self, page: usize) -> Asked {
        let Page { rule, one_shot, .. } = self.pages[page];
        Asked {
            page: page as u32,
            rule,
            one_shot,
            slot: page % SLOTS,
        }
    }

    /// What is sent.
    #[inline]
    pub(super) fn request(&self, asked: Asked) -> &Encoded {
        &self.pages[asked.page as usize].request
    }
}
