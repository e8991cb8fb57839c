//! The URL of `compare`, whose port may be a placeholder, and the Unix socket that stands for a port.

use photofinish_model::{Address, Tls};

use super::Compare;
use crate::checks::check_filled_path;
use crate::error::Error;
use crate::placeholder::placeholders;
use crate::plan::Listen;
use crate::scheme::Scheme;

/// What to do where flags of TLS are of no use.
const TLS_HELP: &str = "write https://, wss:// or grpcs://, or leave the flag out";

/// The same of flags of gRPC.
const GRPC_HELP: &str =
    "write grpc://127.0.0.1:{port}/package.Service/Method, or leave the flag out";

/// How a server of gRPC is known to be ready.
const READY_HELP: &str = "leave it out: a server of gRPC is ready when it accepts a connection, and is verified by a call before it gets load";

/// The same of the size of a message.
const SIZE_HELP: &str = "write ws://127.0.0.1:{port}/path, or leave the flag out";

/// What servers that are compared speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UrlProtocol {
    Http,
    WebSocket,
    /// Calls: the path is a method.
    Grpc,
}

impl UrlProtocol {
    /// That of a scheme; `None`: an echo, which cannot be compared so.
    pub(super) fn of(scheme: Scheme) -> Option<UrlProtocol> {
        match scheme {
            Scheme::Http => Some(UrlProtocol::Http),
            Scheme::Ws => Some(UrlProtocol::WebSocket),
            Scheme::Grpc => Some(UrlProtocol::Grpc),
            Scheme::Tcp => None,
        }
    }
}

/// Fails for flags that a URL with this scheme has no use for.
pub(super) fn check_flags(
    compare: &Compare,
    scheme: &str,
    protocol: UrlProtocol,
    over_tls: bool,
) -> Result<(), Error> {
    let wrong = |flag: &str, problem: String, help| Err(Error::argument(flag, problem, help));
    if !over_tls && compare.flags.tls.is_some() {
        let problem = format!("a flag of TLS is given, but the URL is {scheme}://");
        return wrong("--url", problem, TLS_HELP);
    }
    if protocol != UrlProtocol::Grpc && compare.flags.schema.is_some() {
        let problem =
            format!("--proto and --descriptor-set are for gRPC, but the URL is {scheme}://");
        return wrong("--url", problem, GRPC_HELP);
    }
    if protocol != UrlProtocol::WebSocket && compare.flags.size.is_some() {
        let problem = format!("--size is for a WebSocket here, but the URL is {scheme}://");
        return wrong("--url", problem, SIZE_HELP);
    }
    if protocol == UrlProtocol::Grpc && compare.ready.ready_path.is_some() {
        let problem = "a path is asked for over HTTP/1.1, which a server of gRPC does not speak";
        return wrong("--ready-path", problem.to_owned(), READY_HELP);
    }
    Ok(())
}

/// The parts of `http://127.0.0.1:{port}/path`.
pub(super) struct Url {
    /// `None`: each target has a URL of its own.
    pub(super) host: Option<String>,
    pub(super) listen: Listen,
    pub(super) protocol: UrlProtocol,
    pub(super) path: String,
    /// `None`: without TLS.
    pub(super) tls: Option<Tls>,
}

impl Url {
    pub(super) fn parse(compare: &Compare) -> Result<Url, Error> {
        let (url, tls) = (&*compare.url, compare.flags.tls.as_ref());
        let help = "write http://127.0.0.1:{port}/path, https://localhost:{port}/path, ws://127.0.0.1:{port}/path, or grpc://127.0.0.1:{port}/package.Service/Method";
        let wrong = |problem: String| Error::argument("--url", problem, help);
        let known = url.split_once("://").and_then(|(name, rest)| {
            let (scheme, over_tls) = Scheme::parse(name)?;
            Some((name, rest, UrlProtocol::of(scheme)?, over_tls))
        });
        let Some((scheme, rest, protocol, over_tls)) = known else {
            let problem = format!(
                "`{url}` begins with none of http://, https://, ws://, wss://, grpc:// and grpcs://"
            );
            return Err(wrong(problem));
        };
        check_flags(compare, scheme, protocol, over_tls)?;
        let (authority, path) = match rest.find(['/', '?']) {
            Some(at) if rest[at..].starts_with('/') => (&rest[..at], rest[at..].to_owned()),
            Some(at) => (&rest[..at], format!("/{}", &rest[at..])),
            None => (rest, "/".to_owned()),
        };
        if authority.contains('@') {
            let problem = "the URL holds a user name".to_owned();
            let help =
                "leave it out; a header is given by -H, or by -H @FILE where nobody is to see it";
            return Err(Error::argument("--url", problem, help));
        }
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        };
        if host.starts_with('[') {
            let problem = format!(
                "the host is `{host}`, but servers that are started here are reached at 127.0.0.1, or at [::1] where they listen at that alone"
            );
            let help = "write http://127.0.0.1:{port}/path; servers that run already are raced at any address, by two --url and no command";
            return Err(Error::argument("--url", problem, help));
        }
        if !["127.0.0.1", "localhost"].contains(&host) {
            let problem =
                format!("the host is `{host}`, but both servers are started on this machine");
            return Err(wrong(problem));
        }
        let listen = match (&compare.unix_socket, port) {
            (Some(_), Some(_)) => {
                let problem = format!("`{url}` has a port, and --unix-socket is given");
                let help = "over a Unix socket write http://localhost/path";
                return Err(Error::argument("--url", problem, help));
            }
            (Some(path), None) => socket(path)?,
            (None, None) => return Err(wrong(format!("`{url}` has no port"))),
            (None, Some("{port}")) => Listen::FreePort,
            (None, Some(digits)) => match digits.parse() {
                Ok(port) if port > 0 => Listen::Port(port),
                _ => return Err(wrong(format!("`{digits}` is not a port"))),
            },
        };
        check_filled_path(&path).map_err(|(problem, allowed)| {
            Error::argument("--url", problem, format!("allowed: {allowed}"))
        })?;
        let tls = over_tls.then(|| Tls {
            name: Some(host.to_owned()),
            ..tls.cloned().unwrap_or_default()
        });
        Ok(Url {
            host: Some(host.to_owned()),
            listen,
            protocol,
            path,
            tls,
        })
    }
}

/// What `--unix-socket` says.
fn socket(path: &str) -> Result<Listen, Error> {
    let help = "give the path on which the servers listen, or {socket}, which is another one for each of them";
    let wrong = |problem: String| Error::argument("--unix-socket", problem, help);
    if path == "{socket}" {
        return Ok(Listen::Socket);
    }
    if let Some(name) = placeholders(path).next() {
        return Err(wrong(format!("`{{{name}}}` cannot be used in a path")));
    }
    Address::unix(path).map_err(|error| wrong(error.to_string()))?;
    Ok(Listen::SocketAt(path.into()))
}
