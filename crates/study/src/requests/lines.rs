//! JSON lines: a request each.

use std::fmt;
use std::path::Path;

use photofinish_model::{Expect, HIGHEST_WEIGHT, Part, Recall, Request, Template};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::{Raw, place, place_of, wrong};
use crate::checks::{METHODS, check_filled_path, check_header_name, check_header_value};
use crate::error::Error;
use crate::expanded::header_value;
use crate::mistake::Mistake;
use crate::nearest::advice;
use crate::template::{check_recall, check_request};

/// What a line is, for whoever wrote another one.
pub(super) const HELP: &str = "write one JSON object a line, such as {\"method\": \"POST\", \"path\": \"/items\", \"headers\": {\"Accept\": \"text/plain\"}, \
     \"body\": \"hello\", \"expect\": {\"status\": 201}, \"weight\": 3}";

/// A line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line {
    method: Option<String>,
    path: String,
    #[serde(default)]
    headers: Headers,
    body: Option<Box<RawValue>>,
    expect: Option<Expected>,
    weight: Option<u32>,
}

/// What must come back.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    status: Option<u16>,
    body: Option<String>,
    contains: Option<String>,
    rows: Option<u64>,
}

/// Headers in the order in which they are written; a name may be there twice.
#[derive(Default)]
struct Headers(Vec<(String, String)>);

impl<'d> Deserialize<'d> for Headers {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Headers, D::Error> {
        struct Fields;
        impl<'d> Visitor<'d> for Fields {
            type Value = Headers;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of names and texts")
            }

            fn visit_map<M: MapAccess<'d>>(self, mut map: M) -> Result<Headers, M::Error> {
                let mut headers = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    headers.push(entry);
                }
                Ok(Headers(headers))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

/// Reads all lines; empty ones are skipped.
///
/// # Errors
/// By line and column.
pub(super) fn read(file: &Path, text: &str) -> Result<Vec<Raw>, Error> {
    let mut raws = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let parsed = parse(file, at + 1, line, HELP)?;
        raws.push(raw(file, at + 1, line, parsed)?);
    }
    Ok(raws)
}

/// Reads JSON that begins on this line; `help`: how it is written.
///
/// # Errors
/// By line and column.
pub(super) fn parse<'t, T: Deserialize<'t>>(
    file: &Path,
    line: usize,
    text: &'t str,
    help: &str,
) -> Result<T, Error> {
    serde_json::from_str(text).map_err(|error| {
        let (below, column) = (error.line().max(1) - 1, error.column().max(1));
        let says = error.to_string();
        // It ends with its own place.
        let says = says
            .rsplit_once(" at line ")
            .map_or(&*says, |(says, _)| says);
        wrong(place(file, line + below, column), says, help)
    })
}

/// Checks a line's parts.
pub(super) fn raw(file: &Path, line: usize, text: &str, parsed: Line) -> Result<Raw, Error> {
    let Line {
        method,
        path,
        headers,
        body,
        expect,
        weight,
    } = parsed;
    let at = |part: &str| place_of(file, line, text, part);
    let refused = |part: &str, (problem, allowed): Mistake| {
        wrong(at(part), problem, format!("allowed: {allowed}"))
    };
    let method = method.unwrap_or_else(|| "GET".to_owned());
    if !METHODS.contains(&&*method) {
        let problem = format!("unknown method `{method}`");
        return Err(wrong(
            at("\"method\""),
            problem,
            advice(&method, "methods", METHODS),
        ));
    }
    check_filled_path(&path).map_err(|error| refused("\"path\"", error))?;
    for (name, value) in &headers.0 {
        check_header_name(name).map_err(|error| refused("\"headers\"", error))?;
        check_header_value(name, value).map_err(|error| refused("\"headers\"", error))?;
    }
    let body = body.map(|body| match serde_json::from_str::<String>(body.get()) {
        Ok(text) => text,
        // Anything but a text is sent as it is written.
        Err(_) if body.get() == "null" => String::new(),
        Err(_) => body.get().to_owned(),
    });
    let body = body.unwrap_or_default();
    check_request(&body).map_err(|error| refused("\"body\"", error))?;
    if let Some(weight) = weight
        && !(1..=HIGHEST_WEIGHT).contains(&weight)
    {
        let help = format!("give a whole number from 1 to {HIGHEST_WEIGHT}");
        return Err(wrong(
            at("\"weight\""),
            format!("the weight cannot be {weight}"),
            help,
        ));
    }
    let request = Request {
        method,
        path: Template::parse(path),
        headers: (headers.0.into_iter())
            .map(|(name, value)| {
                let value = header_value(&name, &value, None);
                (name, value)
            })
            .collect(),
        body: Template::parse(body).into(),
    };
    let expect = match expect {
        Some(expect) => {
            Some(expected(&request, expect).map_err(|error| refused("\"expect\"", error))?)
        }
        None => None,
    };
    Ok(Raw {
        line,
        text: text.to_owned(),
        request,
        recorded: None,
        expect,
        weight,
    })
}

fn expected(request: &Request, expect: Expected) -> Result<Expect, Mistake> {
    if let Some(status) = expect.status
        && !(100..=599).contains(&status)
    {
        return Err((format!("`{status}` is not a status"), "100 to 599"));
    }
    if expect.body.is_some() && (expect.contains.is_some() || expect.rows.is_some()) {
        let problem = "`contains` and `rows` add nothing to `body`".to_owned();
        return Err((
            problem,
            "the whole body, or what it must be like where it varies",
        ));
    }
    let contains = expect.contains.unwrap_or_default();
    check_recall(&contains)?;
    let contains = Recall::parse(contains);
    let has = |fits: fn(&Part) -> bool| request.templates().any(|text| text.0.iter().any(fits));
    for recall in &contains {
        let there = match recall {
            Recall::Bytes(_) => true,
            Recall::Random => has(|part| matches!(part, Part::Random { .. })),
            Recall::Counter => has(|part| *part == Part::Counter),
        };
        if !there {
            let problem = "what must come back is not in the request".to_owned();
            return Err((problem, "{random} and {counter} where the request has them"));
        }
    }
    Ok(Expect {
        status: expect.status,
        body: expect.body.map(String::into_bytes),
        contains,
        rows: expect.rows,
        ..Expect::default()
    })
}
