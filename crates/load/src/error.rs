//! Why a load run could not be done.

use std::io;
use std::time::Duration;

use photofinish_model::duration::format_duration;
use photofinish_model::finding::failure::{LoadPart, RequestFault};

/// Why a load run could not be done. Requests that fail during a run are no errors of this kind: they are counted.
pub use photofinish_model::finding::failure::LoadTrouble as Error;

impl From<ConfigError> for Error {
    fn from(error: ConfigError) -> Error {
        match error {
            ConfigError::Request(InvalidRequest(why)) => Error::Request { why },
            ConfigError::Tls(InvalidTls::NoSystemIssuers) => Error::NoIssuers {},
            error => Error::Settings {
                says: error.to_string(),
            },
        }
    }
}

/// A request that cannot be sent, and why.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.to_string())]
pub struct InvalidRequest(pub RequestFault);

/// What of a TLS configuration cannot be.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidTls {
    /// The machine that sends load trusts nobody.
    #[error(
        "this machine has no certificates of issuers (Debian: install ca-certificates); give --cacert FILE or --insecure"
    )]
    NoSystemIssuers,
    /// What was given for the issuers is none.
    #[error("the issuers' file (--cacert) holds {0}")]
    Issuers(String),
    /// What was given for the client's certificate is none.
    #[error("the client certificate's file (--cert) holds {0}")]
    Certificate(String),
    /// What was given for its key is none.
    #[error("the key's file (--key) holds {0}")]
    Key(String),
    /// They do not belong together, or are of a kind that is not known.
    #[error("the client certificate (--cert) and its key (--key) cannot be used: {0}")]
    Identity(String),
    /// A name that no server can have.
    #[error("`{0}` is neither a host's name nor an address, so no certificate can be for it")]
    Name(String),
    /// No suite is left.
    #[error("--ciphers names no cipher suite of the versions of TLS that are offered")]
    Ciphers,
}

/// What a configuration asks for and cannot be.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// Nothing to send on.
    #[error("there must be at least one connection")]
    NoConnection,
    /// A number of requests in flight on a connection that cannot be.
    #[error(
        "there can be 1 to {} streams on a connection, not {streams}",
        photofinish_model::MOST_STREAMS
    )]
    Streams {
        /// What was asked for.
        streams: u32,
    },
    /// TLS that cannot be.
    #[error(transparent)]
    Tls(#[from] InvalidTls),
    /// A number of requests after which connections are closed that cannot be.
    #[error("requests per connection are 1 or more, and of HTTP/1.1 alone")]
    RequestsPerConnection,
    /// A batch that is too long, or of an open loop.
    #[error("a batch lasts {} at most, and only a closed loop has one", format_duration(*.most))]
    Batch {
        /// How long it may last.
        most: Duration,
    },
    /// A share that cannot be.
    #[error("a share of a load must be one of those that there are")]
    Share,
    /// Nothing to send with.
    #[error("there must be at least one thread")]
    NoThread,
    /// An echo's size.
    #[error("a message must have 1 byte to 16 MiB")]
    MessageSize,
    /// A request that cannot be sent.
    #[error(transparent)]
    Request(#[from] InvalidRequest),
    /// A search.
    #[error("a search for a capacity is many runs; give each its rate")]
    Search,
    /// No timeout could be told in time.
    #[error("the timeout must be at least 1 ms")]
    ShortTimeout,
    /// Not a rate.
    #[error("a rate must be a number of requests per second from 0 to a billion")]
    Rate,
    /// No rate in any stage.
    #[error("a rate of 0 sends nothing")]
    NoRate,
    /// A number of requests that is none.
    #[error("there must be at least one request")]
    NoRequest,
    /// A window of no length.
    #[error("the duration must be longer than nothing")]
    NoDuration,
    /// Beyond the run's clock.
    #[error("the duration must be less than 30 years")]
    TooLong,
    /// A list without requests.
    #[error("there must be at least one request in a list of them")]
    EmptyList,
    /// A request of a list.
    #[error("request {number} of {source_name}: {problem}")]
    Listed {
        /// Which, from 1.
        number: usize,
        /// Where the list is from.
        source_name: String,
        /// What is wrong with it.
        problem: Box<ConfigError>,
    },
    /// A response is to repeat what no request says.
    #[error("the response is to contain the request's {what}, but the request has none")]
    NothingToRecall {
        /// What is to be repeated.
        what: &'static str,
    },
}

/// For `map_err` on a system call.
pub(crate) fn system(what: LoadPart) -> impl FnOnce(io::Error) -> Error {
    move |source| Error::System {
        what,
        says: source.to_string(),
    }
}
