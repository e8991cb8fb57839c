//! Requests from files, and the login before them.

use photofinish_model::secret::mask;
use photofinish_model::{Blank, Expect, Login, Request, Requests, Template, Version};
use photofinish_study::{RequestFiles, read_login, read_requests};

use crate::args::FileArgs;
use crate::exit::Failure;
use crate::out;

/// The requests of files, where there are files; `url` is what is loaded.
///
/// # Errors
/// By the flag, or the file with line and column.
pub fn requests(
    args: &FileArgs,
    url: Option<&str>,
    request: &Request,
    expect: &Expect,
    version: Version,
) -> Result<Option<Requests>, Failure> {
    let path = url.map_or("", path);
    let given = &args.settings.all;
    if given.requests_from.is_some() && !matches!(path, "" | "/") {
        return Err(Failure::request(format!(
            "--requests-from: its requests have paths of their own, but the URL has the path {}; leave that out",
            mask(path)
        )));
    }
    let own = Request {
        path: Template::parse(if path.is_empty() { "/" } else { path }),
        ..request.clone()
    };
    let places = own.places(Blank::Csv).len() + expect.places(Blank::Csv).len();
    if given.requests_from.is_none() && given.csv_data.is_none() && places == 0 {
        let flags = [
            ("--order", given.order.is_some()),
            ("--per-connection", given.per_connection),
        ];
        return match flags.into_iter().find(|(_, given)| *given) {
            None => Ok(None),
            Some((flag, _)) => Err(Failure::request(format!(
                "{flag}: there is only one request; give several by --requests-from or --csv-data, or leave it out"
            ))),
        };
    }
    let read = read_requests(RequestFiles {
        requests: given.requests_from.as_deref(),
        csv: given.csv_data.as_deref(),
        order: given.order,
        per_connection: given.per_connection,
        request: &own,
        expect,
        version,
    });
    let read = read.map_err(Failure::mistake)?;
    if let Some((count, server)) = &read.left_out {
        let count = match count {
            1 => "1 request".to_owned(),
            count => format!("{count} requests"),
        };
        out::note(&format!(
            "{}: {count} to other servers than {server} left out",
            read.requests.source
        ));
    }
    Ok(Some(read.requests))
}

/// What is sent once before all other requests.
///
/// # Errors
/// By the file, with line and column.
pub fn login(args: &FileArgs) -> Result<Option<Login>, Failure> {
    let login = args.login.as_deref().map(read_login).transpose();
    login.map_err(Failure::mistake)
}

/// Path and query of a URL, whose port may be a placeholder.
fn path(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find('/').map_or("", |at| &rest[at..])
}
