//! Requests from files: JSON lines or a HAR, with a row of data in each where they ask for one.

mod data;
mod har;
mod lines;
mod login;

use std::fmt::Display;
use std::path::Path;

use photofinish_model::{
    Blank, Expect, Listed, MOST_REQUEST_BYTES, MOST_REQUESTS, Order, Request, Requests, Secret,
    Template, Version, Worded, files,
};

use crate::error::Error;
use crate::nearest::advice;
use crate::shown::shown;
use data::Data;

pub(crate) use login::read_take;
pub use login::{check_login, read_login};

/// The most bytes that a file of requests or data may have: twice what all requests may have together, since a HAR has
/// responses too, of which nothing is read.
const MOST_FILE: u64 = 2 * MOST_REQUEST_BYTES;

/// Which files requests are read from, and what is said of all of them.
#[derive(Clone, Copy, Debug)]
pub struct RequestFiles<'f> {
    /// JSON lines or a HAR; `None`: `request` is the only one.
    pub requests: Option<&'f Path>,
    /// Data for `{csv.COLUMN}`.
    pub csv: Option<&'f Path>,
    /// Which is next; `None`: by weights where a line has one, else from the first to the last.
    pub order: Option<Order>,
    /// Whether each connection goes through them by itself.
    pub per_connection: bool,
    /// The headers that each request has which does not give them itself; without `requests` all of it.
    pub request: &'f Request,
    /// What must come back where a line does not say.
    pub expect: &'f Expect,
    /// The version of HTTP.
    pub version: Version,
}

/// What was read.
#[derive(Clone, Debug)]
pub struct RequestsRead {
    /// The requests.
    pub requests: Requests,
    /// Requests of a HAR that go elsewhere and were left out, and where the others go.
    pub left_out: Option<(usize, String)>,
}

/// A request as it was read, before data is filled in.
struct Raw {
    /// Where it stands, for messages.
    line: usize,
    /// The whole line, to find columns in; empty where there are no lines.
    text: String,
    /// What data is filled in.
    request: Request,
    /// What none is, for a browser has sent it like that; `request` then has headers alone, which are sent with it.
    recorded: Option<Request>,
    expect: Option<Expect>,
    weight: Option<u32>,
}

impl Raw {
    /// Where a text stands.
    fn at(&self, file: &Path, text: &str) -> String {
        place_of(file, self.line, &self.text, text)
    }

    /// Gives it a header, unless it has one of this name.
    fn add_header(&mut self, name: &str, value: &Secret<Template>) {
        let has = |request: &Request| {
            let mut names = request.headers.iter().map(|(name, _)| name);
            names.any(|known| known.eq_ignore_ascii_case(name))
        };
        if !has(&self.request) && !self.recorded.as_ref().is_some_and(has) {
            let header = (name.to_owned(), value.clone());
            self.request.headers.push(header);
        }
    }

    /// What is sent, once its places are filled in.
    fn sent(&self, filled: Request) -> Request {
        match self.recorded.clone() {
            Some(mut recorded) => {
                recorded.headers.extend(filled.headers);
                recorded
            }
            None => filled,
        }
    }
}

/// Where a part first stands in a text that begins on this line; its beginning where it is not there.
fn place_of(file: &Path, line: usize, text: &str, part: &str) -> String {
    let before = &text[..text.find(part).unwrap_or(0)];
    let column = before.len() - before.rfind('\n').map_or(0, |end| end + 1);
    place(file, line + before.matches('\n').count(), column + 1)
}

/// A place in a file, as messages begin with it. The column counts bytes, from 1.
fn place(file: &Path, line: usize, column: usize) -> String {
    format!("{}:{line}:{column}", shown(file))
}

/// Reads requests and data, and fills the one into the other.
///
/// # Errors
/// By file, line and column, with what is wrong and what is allowed.
pub fn read_requests(files: RequestFiles<'_>) -> Result<RequestsRead, Error> {
    let data = files.csv.map(Data::read).transpose()?;
    let (raws, left_out) = raws(files)?;
    let name = files.requests.or(files.csv);
    let requests = Requests {
        // Its own name alone, so that it is the same from whichever folder a run is resumed.
        source: name.map(own_name).unwrap_or_default(),
        order: order(files, &raws)?,
        list: listed(files, &raws, data.as_ref())?.into(),
        per_connection: files.per_connection,
        version: files.version,
    };
    Ok(RequestsRead { requests, left_out })
}

fn own_name(file: &Path) -> String {
    let name = file.file_name().map(Path::new);
    name.unwrap_or(file).display().to_string()
}

type Read = (Vec<Raw>, Option<(usize, String)>);

fn raws(files: RequestFiles<'_>) -> Result<Read, Error> {
    let Some(file) = files.requests else {
        let only = Raw {
            line: 1,
            text: String::new(),
            request: files.request.clone(),
            recorded: None,
            expect: None,
            weight: None,
        };
        return Ok((vec![only], None));
    };
    let text = read(file)?;
    let ((mut raws, left_out), help) = match har::is_har(file, &text) {
        true => (har::read(file, &text)?, har::HELP),
        false => ((lines::read(file, &text)?, None), lines::HELP),
    };
    if raws.is_empty() {
        return Err(wrong(shown(file), "it contains no requests", help));
    }
    for raw in &mut raws {
        for (name, value) in &files.request.headers {
            raw.add_header(name, value);
        }
    }
    Ok((raws, left_out))
}

fn read(file: &Path) -> Result<String, Error> {
    let text = files::read_text(file, MOST_FILE).map_err(|source| Error::Read {
        path: file.to_owned(),
        source,
    })?;
    // What Windows' programs begin a text with.
    Ok(match text.strip_prefix('\u{feff}') {
        Some(text) => text.to_owned(),
        None => text,
    })
}

fn order(files: RequestFiles<'_>, raws: &[Raw]) -> Result<Order, Error> {
    let weighted = raws.iter().find(|raw| raw.weight.is_some());
    match (files.order, weighted, files.requests) {
        (None, None, _) => Ok(Order::InOrder),
        (None, Some(_), _) => Ok(Order::Weighted),
        (Some(order @ (Order::InOrder | Order::Random)), Some(raw), Some(file)) => {
            let word = order.word();
            Err(wrong(
                raw.at(file, "\"weight\""),
                format!("a weight has no effect where the order is `{word}`"),
                "leave the weights out, or let the order be `weighted`",
            ))
        }
        (Some(Order::Weighted), None, Some(file)) => Err(wrong(
            shown(file),
            "no request has a weight",
            "add \"weight\": 3 to lines, or let the order be `in-order` or `random`",
        )),
        (Some(order), _, _) => Ok(order),
    }
}

/// All requests, row by row.
fn listed(
    files: RequestFiles<'_>,
    raws: &[Raw],
    data: Option<&Data>,
) -> Result<Vec<Listed>, Error> {
    let name = files.requests.or(files.csv);
    let file = name.unwrap_or(Path::new(""));
    let mut used = false;
    for raw in raws {
        let expect = raw.expect.as_ref().unwrap_or(files.expect);
        let names = raw.request.places(Blank::Csv).into_iter();
        for name in names.chain(expect.places(Blank::Csv)) {
            used = true;
            // Where it stands is looked for when that is needed: a file may have very many.
            let at = || {
                let file = files.requests?;
                Some(raw.at(file, &Blank::Csv.written(&name)))
            };
            known_column(at, &name, data)?;
        }
    }
    let rows = match data {
        Some(data) if !used => {
            let help = format!(
                "put {} where a request takes it, or leave the file out",
                Blank::Csv.written(&data.columns[0])
            );
            return Err(wrong(
                shown(&data.file),
                "no request uses its columns",
                help,
            ));
        }
        Some(data) => data.rows.len(),
        None => 1,
    };
    let count = raws.len().saturating_mul(rows);
    if count > MOST_REQUESTS {
        let problem = match rows {
            1 => format!(
                "it contains {count} requests, of which at most {MOST_REQUESTS} can be sent"
            ),
            rows => format!(
                "{} requests with {rows} rows of data are {count}, of which at most {MOST_REQUESTS} can be sent",
                raws.len()
            ),
        };
        return Err(wrong(
            shown(file),
            problem,
            "use a part of the lines or rows",
        ));
    }
    let mut list = Vec::with_capacity(count);
    let mut bytes = 0;
    for row in 0..rows {
        for raw in raws {
            // In what servers must be alike is stated for all requests.
            let same = files.expect.same;
            let own = raw.expect.clone().map(|own| Expect { same, ..own });
            let expect = own.as_ref().unwrap_or(files.expect);
            let one = match data {
                Some(data) => data.filled(row, &raw.request, expect)?,
                None => (raw.request.clone(), expect.clone()),
            };
            let one = Listed {
                request: raw.sent(one.0),
                expect: one.1,
                weight: raw.weight.unwrap_or(1),
            };
            bytes += one.bytes();
            if bytes > MOST_REQUEST_BYTES {
                let problem = format!(
                    "its requests have more than {MOST_REQUEST_BYTES} bytes together, all rows of data counted"
                );
                return Err(wrong(
                    shown(file),
                    problem,
                    "use a part of the lines or rows",
                ));
            }
            list.push(one);
        }
    }
    Ok(list)
}

/// `at`: where the file of requests has it; `None`: it is in what is said without such a file.
fn known_column(
    at: impl Fn() -> Option<String>,
    name: &str,
    data: Option<&Data>,
) -> Result<(), Error> {
    let refused = |problem: String, help: String| {
        let written = format!("`{}`", Blank::Csv.written(name));
        match at() {
            Some(at) => Err(wrong(at, format!("{written}: {problem}"), help)),
            None => Err(wrong(&written, problem, help)),
        }
    };
    let Some(data) = data else {
        let help = "name a file of CSV whose first line names its columns: --csv-data FILE, in a study csv-data = \"FILE\"";
        return refused("there is no data for it".to_owned(), help.to_owned());
    };
    if data.column(name).is_some() {
        return Ok(());
    }
    let columns = data.columns.iter().map(String::as_str);
    let problem = format!("{} has no such column", shown(&data.file));
    refused(problem, advice(name, "columns", columns))
}

fn wrong(at: impl Display, problem: impl Into<String>, help: impl Into<String>) -> Error {
    Error::argument(at.to_string(), problem, help)
}

#[cfg(test)]
mod tests;
