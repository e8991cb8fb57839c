//! The URLs of servers that run already.

use std::collections::BTreeSet;

use photofinish_model::secret::mask;

use super::Compare;
use super::url::{Url, UrlProtocol, check_flags};
use crate::checks::check_filled_path;
use crate::error::Error;
use crate::plan::{Endpoint, Listen};

/// What the URLs have in common, and the paths of all of them in place of one: each target takes its own.
///
/// # Errors
/// For URLs that cannot be compared with each other, and flags that they have no use for.
pub(super) fn common(compare: &Compare) -> Result<Url, Error> {
    let wrong = |problem: String, help: &str| Err(Error::argument("--url", problem, help));
    let mut protocol = None;
    for endpoint in &compare.already {
        let Endpoint {
            url, scheme, tls, ..
        } = endpoint;
        let name = url.split("://").next().unwrap_or_default();
        let Some(spoken) = UrlProtocol::of(*scheme) else {
            return wrong(
                format!("`{url}` is a TCP echo, which `compare` cannot load"),
                "write http://, https://, ws://, wss://, grpc:// or grpcs://",
            );
        };
        check_flags(compare, name, spoken, *tls)?;
        if *protocol.get_or_insert(spoken) != spoken {
            return wrong(
                format!("`{url}` is for another protocol than the first URL"),
                "give URLs of one protocol; with and without TLS can be compared",
            );
        }
        check_filled_path(&endpoint.path).map_err(|(problem, allowed)| {
            Error::argument("--url", problem, format!("allowed: {allowed}"))
        })?;
    }
    let paths = compare.already.iter().map(|endpoint| &*endpoint.path);
    let mut seen = BTreeSet::new();
    let paths: Vec<&str> = paths.filter(|path| seen.insert(*path)).collect();
    let protocol = protocol.unwrap_or(UrlProtocol::Http);
    if protocol == UrlProtocol::Grpc && paths.len() > 1 {
        return wrong(
            format!("the URLs call the methods {}", paths.join(" and ")),
            "over gRPC all URLs must call the same method",
        );
    }
    Ok(Url {
        host: None,
        // Each target says where itself.
        listen: Listen::FreePort,
        protocol,
        path: paths.join(" or "),
        tls: None,
    })
}

/// What servers are called where nobody has given them names: as little of their URLs as distinguishes them.
pub(super) fn labels(endpoints: &[Endpoint]) -> Vec<String> {
    let forms: [fn(&Endpoint) -> String; 3] = [
        |endpoint| endpoint.authority.clone(),
        |endpoint| mask(&format!("{}{}", endpoint.authority, endpoint.path)).into_owned(),
        |endpoint| mask(&endpoint.url).into_owned(),
    ];
    let each = forms.map(|form| endpoints.iter().map(form).collect::<Vec<String>>());
    let distinct =
        |labels: &&Vec<String>| labels.iter().collect::<BTreeSet<_>>().len() == labels.len();
    let found = each.iter().find(distinct).or(each.last());
    found.cloned().unwrap_or_default()
}
