//! The URL of `compare`, whose port may be a placeholder, and the Unix socket that stands for a port.

use photofinish_model::{Address, Tls};

use super::Compare;
use crate::checks::check_varying_path;
use crate::error::Error;
use crate::placeholder::placeholders;
use crate::plan::Listen;

/// What to do where flags of TLS are of no use.
const TLS_HELP: &str = "write https:// or grpcs://, or leave the flag out";

/// The same of flags of gRPC.
const GRPC_HELP: &str =
    "write grpc://127.0.0.1:{port}/package.Service/Method, or leave the flag out";

/// What URLs begin with, whether calls over gRPC are meant, and whether TLS is.
const SCHEMES: [(&str, bool, bool); 4] = [
    ("http://", false, false),
    ("https://", false, true),
    ("grpc://", true, false),
    ("grpcs://", true, true),
];

/// The parts of `http://127.0.0.1:{port}/path`.
pub(super) struct Url {
    pub(super) listen: Listen,
    /// Whether the path is a method of gRPC.
    pub(super) grpc: bool,
    pub(super) path: String,
    /// `None`: without TLS.
    pub(super) tls: Option<Tls>,
}

impl Url {
    pub(super) fn parse(compare: &Compare) -> Result<Url, Error> {
        let (url, tls) = (&*compare.url, compare.tls.as_ref());
        let help = "write http://127.0.0.1:{port}/path, https://localhost:{port}/path, or grpc://127.0.0.1:{port}/package.Service/Method";
        let wrong = |problem: String| Error::argument("--url", problem, help);
        let known = SCHEMES.iter().find_map(|&(scheme, grpc, over_tls)| {
            let rest = url.strip_prefix(scheme)?;
            Some((rest, scheme, grpc, over_tls))
        });
        let Some((rest, scheme, grpc, over_tls)) = known else {
            let problem =
                format!("`{url}` begins with none of http://, https://, grpc:// and grpcs://");
            return Err(wrong(problem));
        };
        if !over_tls && tls.is_some() {
            let problem = format!("a flag of TLS is given, but the URL is {scheme}");
            return Err(Error::argument("--url", problem, TLS_HELP));
        }
        if !grpc && compare.schema.is_some() {
            let problem =
                format!("--proto and --descriptor-set are for gRPC, but the URL is {scheme}");
            return Err(Error::argument("--url", problem, GRPC_HELP));
        }
        let (authority, path) = match rest.find(['/', '?']) {
            Some(at) if rest[at..].starts_with('/') => (&rest[..at], rest[at..].to_owned()),
            Some(at) => (&rest[..at], format!("/{}", &rest[at..])),
            None => (rest, "/".to_owned()),
        };
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        };
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
                _ => return Err(wrong(format!("`{digits}` is no port"))),
            },
        };
        check_varying_path(&path).map_err(|(problem, allowed)| {
            Error::argument("--url", problem, format!("allowed: {allowed}"))
        })?;
        let tls = over_tls.then(|| Tls {
            name: Some(host.to_owned()),
            ..tls.cloned().unwrap_or_default()
        });
        Ok(Url {
            listen,
            grpc,
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
        return Err(wrong(format!("`{{{name}}}` cannot stand in a path")));
    }
    Address::unix(path).map_err(wrong)?;
    Ok(Listen::SocketAt(path.into()))
}
