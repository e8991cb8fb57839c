//! The protocols: the one place that lists them. For each exchange: what it may be, and what speaks it on a thread.

use std::sync::Arc;

use photofinish_model::{
    Exchange, Expect, Listed, MOST_STREAMS, Part, Recall, Request, Requests, Template, Version,
};

use crate::baseline::Baseline;
use crate::echo::{self, Echo, Messages};
use crate::error::{ConfigError, Error, InvalidRequest};
use crate::grpc::{self, Speaker};
use crate::http::{self, Book, Http};
use crate::http2::Http2;
use crate::protocol::{Place, Protocol};
use crate::websocket::{self, WebSocket};

/// What is done with a protocol once it is known which one it is.
pub trait Begin {
    /// What comes of it.
    type Output;

    /// `speaker` makes a thread's side of it.
    ///
    /// # Errors
    /// Its own.
    fn begin<P: Protocol>(
        self,
        speaker: impl Fn(Place) -> Result<P, Error> + Clone + Send + 'static,
    ) -> Result<Self::Output, Error>;
}

/// What a protocol needs to know before it speaks.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    /// What goes out and what must come back.
    pub exchange: &'a Exchange,
    /// What requests call the server.
    pub authority: &'a str,
    /// Whether it speaks over TLS.
    pub encrypted: bool,
    /// After how many requests a connection is closed, if that is bounded.
    pub requests_per_connection: Option<u32>,
    /// What responses were like when the server was verified.
    pub baseline: Option<&'a Baseline>,
    /// How many connections there are in the whole load.
    pub connections: usize,
    /// The seed of what varies in requests.
    pub seed: u64,
}

/// Whether an exchange can be.
///
/// # Errors
/// With what cannot.
pub fn validate(exchange: &Exchange) -> Result<(), ConfigError> {
    match exchange {
        Exchange::Http {
            request,
            expect,
            version,
        } => {
            validate_version(*version)?;
            validate_request(request, expect)
        }
        Exchange::Requests(requests) => {
            validate_version(requests.version)?;
            validate_list(requests)
        }
        Exchange::TcpEcho { size } => echo::validate(*size),
        Exchange::WebSocket(wanted) => websocket::validate(wanted),
        Exchange::Grpc(call) => {
            grpc::validate(call)?;
            validate_recall(&call.parts().collect::<Vec<_>>(), &call.expect)
        }
    }
}

fn validate_version(version: Version) -> Result<(), ConfigError> {
    match version {
        Version::Http2 { streams } if !(1..=MOST_STREAMS).contains(&streams) => {
            Err(ConfigError::Streams { streams })
        }
        _ => Ok(()),
    }
}

fn validate_request(request: &Request, expect: &Expect) -> Result<(), ConfigError> {
    let parts = request.templates().flat_map(|template| &template.0);
    validate_recall(&parts.collect::<Vec<_>>(), expect)
}

fn validate_list(requests: &Requests) -> Result<(), ConfigError> {
    if requests.list.is_empty() {
        return Err(ConfigError::EmptyList);
    }
    let wrong = |(at, one): (usize, &Listed)| {
        // What may stand in a request is the same for every server.
        let encoded = http::encode(&one.request, "host").map_err(ConfigError::from);
        let problem = (encoded.and_then(|_| validate_request(&one.request, &one.expect))).err()?;
        Some(ConfigError::Listed {
            number: at + 1,
            source_name: requests.source.clone(),
            problem: Box::new(problem),
        })
    };
    let mut list = requests.list.iter().enumerate();
    list.find_map(wrong).map_or(Ok(()), Err)
}

/// What is offered over TLS that a connection may speak (RFC 7301).
pub fn alpn(exchange: &Exchange) -> &'static [&'static [u8]] {
    match exchange {
        Exchange::Http { version, .. } | Exchange::Requests(Requests { version, .. }) => {
            match version {
                Version::Http1 => &[b"http/1.1"],
                Version::Http2 { .. } => &[b"h2"],
            }
        }
        Exchange::Grpc(_) => &[b"h2"],
        // It is opened by a request of HTTP/1.1.
        Exchange::WebSocket(_) => &[b"http/1.1"],
        Exchange::TcpEcho { .. } => &[],
    }
}

/// Begins with the protocol of an exchange.
///
/// # Errors
/// For a request that cannot be sent, before anything is begun; and what `begin` returns.
pub fn with<B: Begin>(terms: Terms, begin: B) -> Result<B::Output, Error> {
    let (authority, seed) = (terms.authority.to_owned(), terms.seed);
    let scheme = match terms.encrypted {
        true => "https",
        false => "http",
    };
    match terms.exchange {
        Exchange::Http {
            request,
            expect,
            version: Version::Http2 { streams },
        } => {
            let baseline = terms.baseline.cloned();
            let speaker = Http2::of_one(request, expect, (scheme, &authority), *streams, seed);
            let speaker = speaker.map_err(wrong)?;
            begin.begin(move |place| Ok(speaker(place).with_baseline(baseline.clone())))
        }
        Exchange::Http {
            request,
            expect,
            version: Version::Http1,
        } => {
            let most = terms.requests_per_connection;
            let mut request = request.clone();
            say_close(&mut request, most);
            // Errors of the request are found before anything is started.
            let book = Arc::new(Book::of_one(&request, expect, &authority).map_err(wrong)?);
            let baseline = terms.baseline.cloned();
            begin.begin(move |place| {
                let http = Http::sending(&book, seed, place);
                Ok(http.with_baseline(baseline.clone()).closing_after(most))
            })
        }
        Exchange::Requests(requests) if requests.version.is_http1() => {
            let most = terms.requests_per_connection;
            let mut list = requests.list.to_vec();
            (list.iter_mut()).for_each(|one| say_close(&mut one.request, most));
            let closing = Requests {
                list: list.into(),
                ..requests.clone()
            };
            let book = Arc::new(Book::of(&closing, &authority).map_err(wrong)?);
            begin.begin(move |place| Ok(Http::sending(&book, seed, place).closing_after(most)))
        }
        Exchange::Requests(requests) => {
            let speaker = Http2::listed(requests, (scheme, &authority), seed).map_err(wrong)?;
            begin.begin(move |place| Ok(speaker(place)))
        }
        Exchange::TcpEcho { size } => {
            let messages = Messages::new(*size as usize, terms.connections, seed);
            begin.begin(move |place| Ok(Echo::new(&messages, place)))
        }
        Exchange::WebSocket(wanted) => {
            let connections = terms.connections;
            let one = WebSocket::new(wanted, &authority, connections, seed)?;
            begin.begin(move |place| Ok(one.at(place)))
        }
        Exchange::Grpc(call) => {
            let (call, baseline) = (call.clone(), terms.baseline.cloned());
            let speaker = move |place| {
                Speaker::of(&call, (scheme, &authority), seed, place, baseline.clone())
                    .map_err(wrong)
            };
            speaker(Place::default())?;
            begin.begin(speaker)
        }
    }
}

/// A request that cannot be sent.
fn wrong(error: InvalidRequest) -> Error {
    ConfigError::from(error).into()
}

/// Says to the server that it is to close, where a connection carries one request alone.
fn say_close(request: &mut Request, most: Option<u32>) {
    let named = |(name, _): &(String, _)| name.eq_ignore_ascii_case("connection");
    if most == Some(1) && !request.headers.iter().any(named) {
        let close = ("Connection".to_owned(), Template::fixed("close").into());
        request.headers.push(close);
    }
}

/// What a response is to repeat must be in the request.
///
/// # Errors
/// With what it does not say.
fn validate_recall(request: &[&Part], expect: &Expect) -> Result<(), ConfigError> {
    let has = |wanted: fn(&Part) -> bool| request.iter().any(|part| wanted(part));
    for recall in &expect.contains {
        let (there, what) = match recall {
            Recall::Bytes(_) => continue,
            Recall::Random => (
                has(|part| matches!(part, Part::Random { .. })),
                "random number",
            ),
            Recall::Counter => (has(|part| matches!(part, Part::Counter)), "number"),
        };
        if !there {
            return Err(ConfigError::NothingToRecall { what });
        }
    }
    Ok(())
}
