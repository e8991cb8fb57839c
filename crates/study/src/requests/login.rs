//! A first request, whose response the others carry something of.

use std::collections::BTreeMap;
use std::path::Path;

use photofinish_model::{Blank, Exchange, Login, Take};
use serde::Deserialize;

use super::lines::{Line, parse, raw};
use super::{place_of, read, wrong};
use crate::error::Error;
use crate::mistake::Mistake;
use crate::nearest::advice;

/// What may be taken from a response.
const TAKES: &str =
    "json:/access_token (a JSON Pointer into the body), header:X-Token, cookie:session, or body";

/// How one is written.
const HELP: &str = "write one JSON object, such as {\"request\": {\"method\": \"POST\", \"path\": \"/login\", \"body\": {\"user\": \"ann\"}}, \
     \"take\": {\"token\": \"json:/access_token\"}}";

/// A login as a file states it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stated {
    request: Line,
    take: BTreeMap<String, String>,
}

/// Reads a file that states a login: `{"request": …, "take": {"token": "json:/access_token"}}`, the request as a line of requests.
///
/// # Errors
/// By line and column.
pub fn read_login(file: &Path) -> Result<Login, Error> {
    let text = read(file)?;
    let Stated { request, take } = parse(file, 1, &text, HELP)?;
    let request = raw(file, 1, &text, request)?;
    if take.is_empty() {
        let help =
            "say what is taken from the response: \"take\": {\"token\": \"json:/access_token\"}";
        let at = place_of(file, 1, &text, "\"take\"");
        return Err(wrong(at, "the login takes nothing", help));
    }
    let take = take.into_iter().map(|(name, from)| {
        let from = read_take(&name, &from).map_err(|(problem, allowed)| {
            let at = place_of(file, 1, &text, &format!("\"{name}\""));
            wrong(at, problem, format!("allowed: {allowed}"))
        })?;
        Ok((name, from))
    });
    Ok(Login {
        request: request.request,
        expect: request.expect.unwrap_or_default(),
        take: take.collect::<Result<_, Error>>()?,
    })
}

/// What is taken under a name.
pub(crate) fn read_take(name: &str, from: &str) -> Result<Take, Mistake> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    if name.is_empty() || !name.chars().all(fits) {
        let problem = format!("`{name}` cannot be the name of what a login takes");
        return Err((
            problem,
            "letters, digits, hyphens and underscores, such as token",
        ));
    }
    Take::parse(from).ok_or_else(|| {
        (
            format!("`{from}` does not say where `{name}` is taken from"),
            TAKES,
        )
    })
}

/// Whether what requests ask of a login is what it takes, and is used at all.
///
/// # Errors
/// With what is not so, and what to write.
pub fn check_login(exchange: &Exchange, login: Option<&Login>) -> Result<(), (String, String)> {
    let places = exchange.login_places();
    let Some(login) = login else {
        return match places.first() {
            None => Ok(()),
            Some(name) => Err((
                format!("`{}` needs a login", Blank::Login.written(name)),
                "say by which request it is got: --login FILE, in a study login = { … }".to_owned(),
            )),
        };
    };
    let takes = || login.take.keys().map(String::as_str);
    if let Some(name) = places.iter().find(|name| !login.take.contains_key(*name)) {
        let problem = format!("the login takes no `{name}`");
        return Err((problem, advice(name, "what it takes", takes())));
    }
    match places.is_empty() {
        false => Ok(()),
        true => {
            let names: Vec<String> = takes().map(|name| Blank::Login.written(name)).collect();
            let names = names.join(" or ");
            Err((
                "no request uses what the login takes".to_owned(),
                format!(
                    "put {names} into a path, a header or a body, such as the header Authorization: Bearer {names}"
                ),
            ))
        }
    }
}
