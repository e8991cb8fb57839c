//! From a URL to the address that is loaded, and whether it may be.
//!
//! Loading somebody else's server by a slip is an attack; only this machine and private networks
//! may be loaded unless the user says that any host is meant.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs};
use std::path::Path;
use std::time::Duration;

use photofinish_model::Address;
use photofinish_model::secret::mask;
use photofinish_study::Scheme;
use photofinish_study::plan::Endpoint;
use url::{Host, Url};

use crate::error::Error;

/// Resolves a URL; its host and port are only names where the server listens on a Unix socket.
///
/// # Errors
/// For anything that is not `http[s]://host[:port]/path` or the like, for a name that does not resolve, for a
/// host that is not private unless `allow_remote` is set, and for a path on which no server can listen.
pub fn resolve(
    text: &str,
    unix_socket: Option<&Path>,
    allow_remote: bool,
) -> Result<Endpoint, Error> {
    let wrong = |says: String| Error::Url {
        url: mask(text).into_owned(),
        says: mask(&says).into_owned(),
    };
    if !text.is_empty() && !text.contains("://") {
        return Err(wrong(format!(
            "a URL begins with its scheme; give http://{text}"
        )));
    }
    let url = Url::parse(text).map_err(|e| {
        wrong(format!(
            "it is not a URL ({e}); give one such as http://127.0.0.1:8080/path"
        ))
    })?;
    let Some((scheme, tls)) = Scheme::parse(url.scheme()) else {
        return Err(wrong(format!(
            "{}:// cannot be loaded; {}",
            url.scheme(),
            instead(url.scheme())
        )));
    };
    let has_port = url.port().is_some() || unix_socket.is_some();
    if scheme == Scheme::Tcp && !(has_port && matches!(url.path(), "" | "/")) {
        return Err(wrong(
            "an echo has a port and no path; give a URL such as tcp://127.0.0.1:8080".to_owned(),
        ));
    }
    if scheme == Scheme::Grpc && !has_port {
        return Err(wrong(
            "gRPC has no usual port; give a URL such as grpc://127.0.0.1:50051/package.Service/Method"
                .to_owned(),
        ));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong(
            "it holds a user name; send an Authorization header (-H) instead".to_owned(),
        ));
    }
    let Some(host) = url.host() else {
        return Err(wrong("it names no host".to_owned()));
    };
    let address = match unix_socket {
        Some(path) => Address::unix(path)
            .map_err(|error| wrong(format!("{error}; give another --unix-socket")))?,
        None => {
            let port = url.port_or_known_default().unwrap_or_default();
            let may = |address: &SocketAddr| allow_remote || is_private(address.ip());
            let address = lookup(&host, port, may).map_err(|error| wrong(error.to_string()))?;
            if !may(&address) {
                return Err(wrong(format!(
                    "{} is neither a loopback nor a private address; if you may load it, say so with --allow-remote",
                    address.ip()
                )));
            }
            address.into()
        }
    };
    let path = match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    // Places to fill in are no part of a URL: its braces were encoded.
    let path = match text.contains(['{', '}']) {
        true => path.replace("%7B", "{").replace("%7D", "}"),
        false => path,
    };
    let authority = match url.port() {
        Some(port) => format!("{}:{port}", url.host_str().unwrap_or_default()),
        None => url.host_str().unwrap_or_default().to_owned(),
    };
    Ok(Endpoint {
        url: text.to_owned(),
        address,
        authority,
        path,
        scheme,
        tls,
    })
}

/// What to give in place of a scheme that is none here, though other tools have it.
fn instead(scheme: &str) -> &'static str {
    match scheme {
        "h2c" | "http2" => "HTTP/2 without TLS is http:// with --http2",
        "h2" => "HTTP/2 over TLS is https:// with --http2",
        "unix" | "http+unix" => {
            "a server on a Unix socket is http://localhost/path with --unix-socket PATH"
        }
        _ => {
            "give a URL such as http://127.0.0.1:8080/path, https://localhost:8443/, ws://127.0.0.1:8080/path, grpc://127.0.0.1:50051/package.Service/Method, or tcp://127.0.0.1:8080 for an echo"
        }
    }
}

/// How long a server may take to accept a connection while the address on which it listens is looked for.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(500);

/// Why a host has no address.
#[derive(Debug, thiserror::Error)]
enum NoAddress {
    #[error("the name {name} does not resolve: {source}")]
    Unresolved { name: String, source: io::Error },
    #[error("its host has no address")]
    None,
}

/// The address of a host. Only those that `may` be loaded are asked whether a server listens there.
fn lookup(
    host: &Host<&str>,
    port: u16,
    may: impl Fn(&SocketAddr) -> bool,
) -> Result<SocketAddr, NoAddress> {
    let mut addresses: Vec<SocketAddr> = match *host {
        Host::Ipv4(ip) => vec![(ip, port).into()],
        Host::Ipv6(ip) => vec![(ip, port).into()],
        Host::Domain(name) => (name, port)
            .to_socket_addrs()
            .map_err(|source| NoAddress::Unresolved {
                name: name.to_owned(),
                source,
            })?
            .collect(),
    };
    addresses
        .iter_mut()
        .for_each(|address| address.set_ip(reached(address.ip())));
    let listens = |address: &SocketAddr| {
        may(address) && TcpStream::connect_timeout(address, CONNECT_TIMEOUT).is_ok()
    };
    choose(&addresses, listens).ok_or(NoAddress::None)
}

/// The address of a name: of several the first on which a server listens, IPv4 before IPv6, because many test servers listen there only
/// (and Node.js on `localhost` often on `::1` only); where none does, the first.
fn choose(addresses: &[SocketAddr], listens: impl Fn(&SocketAddr) -> bool) -> Option<SocketAddr> {
    let (ipv4, ipv6): (Vec<SocketAddr>, Vec<SocketAddr>) =
        addresses.iter().partition(|address| address.is_ipv4());
    let all = [ipv4, ipv6].concat();
    match &*all {
        [] => None,
        [only] => Some(*only),
        [first, ..] => Some(*all.iter().find(|address| listens(address)).unwrap_or(first)),
    }
}

/// The address that a connection to this one leads to: servers say that they listen on `0.0.0.0` or `[::]`, which to whoever connects is
/// this machine itself (ip(7)).
fn reached(ip: IpAddr) -> IpAddr {
    match ip {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        other => other,
    }
}

/// The first two groups of the private addresses at which Amazon's and Google's machines have the metadata service and others of
/// their provider's own.
const PROVIDER_PREFIXES: [[u16; 2]; 2] = [[0xfd00, 0xec2], [0xfd20, 0xce]];

/// Loopback and private (RFC 1918, RFC 4193) addresses.
///
/// Link-local ones are not: clouds have the metadata service of each machine at 169.254.169.254, and whoever loads it
/// by a slip loads a provider.
fn is_private(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_loopback() || ip.is_private(),
        IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
            Some(ip) => is_private(ip.into()),
            None => {
                let [first, second, ..] = v6.segments();
                let own = v6.is_unique_local() && !PROVIDER_PREFIXES.contains(&[first, second]);
                v6.is_loopback() || own
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tcp(text: &str) -> Address {
        text.parse::<SocketAddr>().expect("an address").into()
    }

    fn resolve(text: &str, allow_remote: bool) -> Result<Endpoint, Error> {
        super::resolve(text, None, allow_remote)
    }

    #[test]
    fn over_a_unix_socket_a_host_is_only_a_name() {
        let path = Path::new("/run/app.sock");
        let at = |url| super::resolve(url, Some(path), false);
        let place = at("http://api.no-such-name.invalid/a?b").expect("a place");
        assert_eq!(place.address, Address::Unix(path.to_owned()));
        assert_eq!(
            (&*place.authority, &*place.path),
            ("api.no-such-name.invalid", "/a?b")
        );
        assert_eq!(at("http://x:81/").expect("a place").authority, "x:81");
        assert_eq!(at("tcp://x").expect("a place").scheme, Scheme::Tcp);
        let long = "x".repeat(200);
        let says = super::resolve("http://x/", Some(Path::new(&long)), false);
        let says = says.expect_err("refused").to_string();
        assert!(says.contains("107 bytes at most"), "{says}");
    }

    fn says(url: &str) -> String {
        resolve(url, false).expect_err("an error").to_string()
    }

    #[test]
    fn an_echo_has_a_port_and_no_path() {
        let place = resolve("tcp://127.0.0.1:9000", false).expect("an address");
        assert_eq!(place.scheme, Scheme::Tcp);
        assert_eq!(place.address.to_string(), "127.0.0.1:9000");
        for text in ["tcp://127.0.0.1", "tcp://127.0.0.1:9000/x"] {
            let says = resolve(text, false).expect_err("refused").to_string();
            assert!(says.contains("an echo has a port and no path"), "{says}");
        }
        let far = resolve("tcp://192.0.2.1:80", false).expect_err("refused");
        assert!(far.to_string().contains("--allow-remote"), "{far}");
    }

    #[test]
    fn places_to_fill_in_stay_as_they_are_written() {
        let place = resolve("http://127.0.0.1/a/{random:1..5}?n={counter}", false);
        assert_eq!(
            place.expect("an address").path,
            "/a/{random:1..5}?n={counter}"
        );
    }

    #[test]
    fn urls_are_taken_apart() {
        let place = resolve("http://127.0.0.1:8080/a/b?c=d", false).expect("a place");
        assert_eq!(place.address, tcp("127.0.0.1:8080"));
        assert_eq!(
            (place.authority.as_str(), place.path.as_str()),
            ("127.0.0.1:8080", "/a/b?c=d")
        );
        let place = resolve("http://[::1]", false).expect("a place");
        assert_eq!(place.address, tcp("[::1]:80"));
        assert_eq!(
            (place.authority.as_str(), place.path.as_str()),
            ("[::1]", "/")
        );
        let place = resolve("https://127.0.0.1/x", false).expect("a place");
        assert_eq!(place.address, tcp("127.0.0.1:443"));
        assert!(place.tls && place.scheme == Scheme::Http && place.authority == "127.0.0.1");
        assert!(resolve("wss://[::1]/", false).expect("a place").tls);
        assert_eq!(
            resolve("http://localhost:1/", false)
                .expect("a place")
                .authority,
            "localhost:1"
        );
    }

    #[test]
    fn only_private_hosts_are_loaded_unless_asked_for() {
        for private in [
            "127.8.9.1",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.1",
            "192.168.1.1",
        ] {
            assert!(
                resolve(&format!("http://{private}/"), false).is_ok(),
                "{private}"
            );
        }
        for private in ["::1", "fc00::1", "fdff::1", "::ffff:10.0.0.1"] {
            assert!(
                resolve(&format!("http://[{private}]/"), false).is_ok(),
                "{private}"
            );
        }
        // Addresses for documentation (RFC 5737, RFC 3849), and the neighbours of the private ones.
        for remote in [
            "203.0.113.1",
            "172.15.0.1",
            "172.32.0.1",
            "11.0.0.1",
            "[2001:db8::1]",
            // Link-local ones, and where clouds serve their own.
            "169.254.1.1",
            "169.254.169.254",
            "[fe80::1]",
            "[::ffff:169.254.169.254]",
            "[fd00:ec2::254]",
            "[fd00:ec2::23]",
            "[fd20:ce::254]",
            "[::ffff:203.0.113.1]",
            // Shared by a provider's customers (RFC 6598), and where Alibaba's and Oracle's clouds have such services.
            "100.64.0.1",
            "100.100.100.200",
            "192.0.0.192",
            // An IPv4 address in other clothes: compatible (RFC 4291), 6to4, NAT64, ISATAP; and numbers that stand for one.
            "[::203.0.113.1]",
            "[2002:7f00:1::]",
            "[64:ff9b::127.0.0.1]",
            "3405803777",
            "0xcb007101",
            "0313.0.0161.01",
            "255.255.255.255",
            "224.0.0.1",
            "[ff02::1]",
        ] {
            let url = format!("http://{remote}/");
            assert!(says(&url).contains("--allow-remote"), "{remote}");
            assert!(resolve(&url, true).is_ok(), "{remote}");
        }
    }

    #[test]
    fn what_a_server_says_it_listens_on_is_this_machine() {
        for (url, reached) in [
            ("http://0.0.0.0:8080/", "127.0.0.1:8080"),
            ("http://0:8080/", "127.0.0.1:8080"),
            ("http://[::]:8080/", "[::1]:8080"),
            ("http://2130706433:81/", "127.0.0.1:81"),
            ("http://0177.1:81/", "127.0.0.1:81"),
        ] {
            let place = resolve(url, false).expect("an address");
            assert_eq!(place.address, tcp(reached), "{url}");
        }
        // Which of a machine's networks is meant cannot be said in a URL (RFC 9844).
        assert!(says("http://[fe80::1%25eth0]/").contains("it is not a URL"));
    }

    #[test]
    fn what_cannot_be_loaded_is_said() {
        assert!(says("ftp://127.0.0.1/").contains("ftp:// cannot be loaded"));
        assert!(says("h2c://127.0.0.1/").ends_with("http:// with --http2"));
        assert!(says("h2://127.0.0.1/").ends_with("https:// with --http2"));
        assert!(says("unix:///run/app.sock").contains("--unix-socket PATH"));
        assert!(says("127.0.0.1:8080/").ends_with("give http://127.0.0.1:8080/"));
        assert!(says("localhost:8080/x").ends_with("give http://localhost:8080/x"));
        assert!(says("").contains("not a URL"));
        assert!(says("http://me:x@127.0.0.1/").contains("Authorization header"));
        assert!(says("http://no-such-name.invalid/").contains("does not resolve"));
    }

    #[test]
    fn of_several_addresses_that_of_a_server_is_taken() {
        let of = |text: &str| -> SocketAddr { text.parse().expect("an address") };
        let (v6, v4, other) = (of("[::1]:80"), of("127.0.0.1:80"), of("10.0.0.1:80"));
        let chosen = |there: &[SocketAddr]| choose(&[v6, v4, other], |one| there.contains(one));
        assert_eq!(chosen(&[v6]), Some(v6));
        assert_eq!(chosen(&[v6, other]), Some(other));
        assert_eq!(chosen(&[v6, v4, other]), Some(v4));
        assert_eq!(chosen(&[]), Some(v4));
        // Nobody is asked about an only one.
        assert_eq!(choose(&[v6], |_| unreachable!()), Some(v6));
        assert_eq!(choose(&[], |_| true), None);
    }
}
