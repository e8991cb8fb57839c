//! Whether a server does the job: one request of each workload, its response compared with the one
//! that was stated.

use photofinish_judge::checks::difference;
use photofinish_load::once::{self, Response, Wait};
use photofinish_model::finding::asked::Asked;
use photofinish_model::finding::complaint::Complaint;
use photofinish_model::finding::failure::{NoResponse, Wrong};
use photofinish_model::secret::{mask_head, mask_query, shown_body};
use photofinish_model::{Exchange, Listed, Request, Requests, Same, Verified, Version};
use photofinish_study::plan::Workload;
use sha2::{Digest, Sha256};

use crate::hex::hex;
use crate::server::route::Route;

mod same;

/// How many requests of a list are sent when a server is verified: the first ones, so that what begins with a creation is verified in order.
const MAX_LISTED: usize = 32;

/// Asks once and compares with what was stated; gives up soon after `unwanted` says so. What varies in the question
/// follows from the seed.
///
/// # Errors
/// With what was expected and what came.
pub(crate) fn verify(
    route: Route,
    workload: &Workload,
    seed: u64,
    unwanted: &dyn Fn() -> bool,
) -> Result<Response, Wrong> {
    let wait = Wait {
        timeout: workload.timeout,
        unwanted,
    };
    match &workload.exchange {
        Exchange::Requests(requests) => listed(route, requests, wait, seed),
        exchange => Question {
            route,
            exchange,
            wait,
            seed,
            request: Box::new(exchange.asked()),
            quote: shown_body,
        }
        .verified(),
    }
}

/// What is asked for over HTTP.
pub(crate) fn asked(request: &Request, version: Version) -> Asked {
    Asked::Http {
        method: request.method.clone(),
        path: request.path.shown(),
        streams: version.streams(),
        over_http2: Vec::new(),
    }
}

/// How a body that was not expected is quoted: its beginning, escaped, and whether there is more of it.
pub(crate) type Quote = fn(&[u8]) -> (String, bool);

/// One request, and how its response is judged.
pub(crate) struct Question<'q> {
    pub(crate) route: Route<'q>,
    pub(crate) exchange: &'q Exchange,
    pub(crate) wait: Wait<'q>,
    pub(crate) seed: u64,
    pub(crate) request: Box<Asked>,
    pub(crate) quote: Quote,
}

impl Question<'_> {
    /// Sends the request and compares its response with what was stated.
    ///
    /// # Errors
    /// With what was expected and what came.
    fn verified(self) -> Result<Response, Wrong> {
        let got = self.ask()?;
        judged(got, self.request, self.quote)
    }

    /// The same for a login, which many servers answer with a redirect.
    ///
    /// # Errors
    /// With what was expected and what came.
    pub(crate) fn logged_in(self) -> Result<Response, Wrong> {
        let got = self.ask()?;
        match got.complaint {
            Some(Complaint::Status {
                got: 300..=399,
                expected: None,
            }) => Ok(got),
            _ => judged(got, self.request, self.quote),
        }
    }

    /// Sends the request, and returns its response, which may be wrong.
    ///
    /// # Errors
    /// If no response comes.
    pub(crate) fn ask(&self) -> Result<Response, Wrong> {
        let request = self.request.clone();
        match self.route.ask(self.exchange, self.wait, self.seed) {
            Ok(got) => Ok(got),
            Err(once::Error::Request(why)) => Err(Wrong::Request { request, why }),
            Err(once::Error::NoResponse(met)) => Err(Wrong::Silent { request, met }),
        }
    }
}

/// Sends the first requests of a list, each with its own expectation. What is recorded of them is one response: the status of the
/// first, and the bodies of all whose bodies are not stated to vary.
fn listed(route: Route, requests: &Requests, wait: Wait, seed: u64) -> Result<Response, Wrong> {
    let mut all: Option<Response> = None;
    for Listed {
        request, expect, ..
    } in requests.list.iter().take(MAX_LISTED)
    {
        let version = requests.version;
        let question = Question {
            route,
            exchange: &Exchange::Http {
                request: request.clone(),
                expect: expect.clone(),
                version,
            },
            wait,
            seed,
            request: Box::new(asked(request, version)),
            quote: shown_body,
        };
        let mut got = question.verified()?;
        got.body = match expect.is_of_shape() {
            true => Vec::new(),
            false => same::compared(expect.same, got.body),
        };
        match &mut all {
            None => all = Some(got),
            Some(all) => {
                all.body.append(&mut got.body);
                all.wire_bytes += got.wire_bytes;
            }
        }
    }
    // A list has a request, or nothing could be sent.
    all.ok_or_else(|| Wrong::Silent {
        request: Box::new(Asked::get("/")),
        met: NoResponse::send("there is no request in the list"),
    })
}

/// A response, if it is as was stated.
fn judged(got: Response, request: Box<Asked>, quote: Quote) -> Result<Response, Wrong> {
    let Some(complaint) = &got.complaint else {
        return Ok(got);
    };
    if let Complaint::Status { expected, .. } = complaint {
        let (body, more) = quote(&got.body);
        return Err(Wrong::Status {
            request,
            expected: *expected,
            got: got.status,
            body,
            more,
        });
    }
    // A body that is compared byte for byte is shown where it differs; of others their shape is wrong.
    let expected = got.expected.as_deref().unwrap_or_default();
    match difference(expected, &got.body) {
        Some(difference) if got.expected.is_some() => Err(Wrong::Body {
            request,
            expected_bytes: expected.len() as u64,
            got_bytes: got.body.len() as u64,
            difference,
        }),
        _ => {
            let why = complaint.clone();
            Err(Wrong::Shape { request, why })
        }
    }
}

/// What of a response to a workload is compared with those of other servers.
pub(crate) fn compared(workload: &Workload, response: &Response) -> Vec<u8> {
    let same = match &workload.exchange {
        Exchange::Http { expect, .. } => expect.same,
        _ => Same::Body,
    };
    same::compared(same, response.body.clone())
}

/// A response, for the record; `compared`: what is [`compared`] of it, `path`: where redirects led.
pub(crate) fn record(
    workload: &Workload,
    response: &Response,
    compared: &[u8],
    path: Option<&str>,
) -> Verified {
    Verified {
        workload: workload.name.clone(),
        path: path.map(mask_query),
        status: response.status,
        head: mask_head(&response.head),
        body_bytes: response.body.len() as u64,
        body_sha256: sha256(compared),
        wire_bytes: response.wire_bytes,
    }
}

fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

#[cfg(test)]
pub(crate) mod tests;
