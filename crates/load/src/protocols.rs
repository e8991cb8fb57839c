//! The protocols: the one place that lists them. For each exchange: what it may be, and what speaks it on a thread.

use photofinish_model::{Exchange, Expect, MOST_STREAMS, Part, Recall, Template, Version};

use crate::config::Config;
use crate::echo::{self, Echo, Messages};
use crate::error::{ConfigError, Error};
use crate::grpc::{self, Speaker};
use crate::http::Http;
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
            if let Version::Http2 { streams } = version
                && !(1..=MOST_STREAMS).contains(streams)
            {
                return Err(ConfigError::Streams { streams: *streams });
            }
            let parts = request.templates().flat_map(|template| &template.0);
            validate_recall(&parts.collect::<Vec<_>>(), expect)
        }
        Exchange::TcpEcho { size } => echo::validate(*size),
        Exchange::WebSocket(wanted) => websocket::validate(wanted),
        Exchange::Grpc(call) => {
            grpc::validate(call)?;
            validate_recall(&call.parts().collect::<Vec<_>>(), &call.expect)
        }
    }
}

/// What is offered over TLS that a connection may speak (RFC 7301).
pub fn alpn(exchange: &Exchange) -> &'static [&'static [u8]] {
    match exchange {
        Exchange::Http {
            version: Version::Http1,
            ..
        } => &[b"http/1.1"],
        Exchange::Http {
            version: Version::Http2 { .. },
            ..
        }
        | Exchange::Grpc(_) => &[b"h2"],
        // It is opened by a request of HTTP/1.1.
        Exchange::WebSocket(_) => &[b"http/1.1"],
        Exchange::TcpEcho { .. } => &[],
    }
}

/// Begins with the protocol that a configuration asks for.
///
/// # Errors
/// For a request that cannot be sent, before anything is begun; and what `begin` returns.
pub fn with<B: Begin>(config: &Config, begin: B) -> Result<B::Output, Error> {
    let (authority, seed) = (config.authority.clone(), config.seed);
    let scheme = match config.tls {
        Some(_) => "https",
        None => "http",
    };
    match &config.exchange {
        Exchange::Http {
            request,
            expect,
            version: Version::Http2 { streams },
        } => {
            let (request, expect, streams) = (request.clone(), expect.clone(), *streams);
            let baseline = config.baseline.clone();
            let speaker = move |place| {
                Http2::new(
                    &request,
                    &expect,
                    (scheme, &authority),
                    streams,
                    seed,
                    place,
                )
                .map(|http| http.with_baseline(baseline.clone()))
                .map_err(|error| Error::Config(error.into()))
            };
            speaker(Place::default())?;
            begin.begin(speaker)
        }
        Exchange::Http {
            request,
            expect,
            version: Version::Http1,
        } => {
            let (mut request, expect) = (request.clone(), expect.clone());
            let named = |(name, _): &(String, _)| name.eq_ignore_ascii_case("connection");
            if config.requests_per_connection == Some(1) && !request.headers.iter().any(named) {
                let close = ("Connection".to_owned(), Template::fixed("close"));
                request.headers.push(close);
            }
            let baseline = config.baseline.clone();
            let most = config.requests_per_connection;
            let speaker = move |place| {
                Http::new(&request, &expect, &authority, seed, place)
                    .map(|http| http.with_baseline(baseline.clone()).closing_after(most))
                    .map_err(|error| Error::Config(error.into()))
            };
            // Errors of the request are found before anything is started.
            speaker(Place::default())?;
            begin.begin(speaker)
        }
        Exchange::TcpEcho { size } => {
            let messages = Messages::new(*size as usize, config.load.connections() as usize, seed);
            begin.begin(move |place| Ok(Echo::new(&messages, place)))
        }
        Exchange::WebSocket(wanted) => {
            let connections = config.load.connections() as usize;
            let one = WebSocket::new(wanted, &authority, connections, seed)?;
            begin.begin(move |place| Ok(one.at(place)))
        }
        Exchange::Grpc(call) => {
            let (call, baseline) = (call.clone(), config.baseline.clone());
            let speaker = move |place| {
                Speaker::of(&call, (scheme, &authority), seed, place, baseline.clone())
                    .map_err(|error| Error::Config(error.into()))
            };
            speaker(Place::default())?;
            begin.begin(speaker)
        }
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
