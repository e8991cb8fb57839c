//! Data for requests: CSV (RFC 4180) whose first line names the columns.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use csv::{ErrorKind, ReaderBuilder, StringRecord};
use photofinish_model::{Blank, Expect, MOST_REQUESTS, Request, Template};

use super::{place, read, wrong};
use crate::error::Error;
use crate::shown::shown;

/// Rows by columns.
pub(super) struct Data {
    pub(super) file: PathBuf,
    pub(super) columns: Vec<String>,
    /// Which column has a name.
    places: HashMap<String, usize>,
    /// Each with the line on which it begins; one at least.
    pub(super) rows: Vec<(usize, StringRecord)>,
}

/// What may part columns; of those on the first line the one that comes first in this list does.
const PARTS: [u8; 3] = [b',', b';', b'\t'];

impl Data {
    /// Reads a file.
    ///
    /// # Errors
    /// By line and column.
    pub(super) fn read(file: &Path) -> Result<Data, Error> {
        let text = read(file)?;
        let first = text.lines().next().unwrap_or_default().as_bytes();
        let part = PARTS.into_iter().find(|part| first.contains(part));
        let mut reader = ReaderBuilder::new()
            .delimiter(part.unwrap_or(b','))
            .from_reader(text.as_bytes());
        let help = "write a first line that names the columns, and a line of values for each row";
        let columns: Vec<String> = match reader.headers() {
            Ok(names) => names.iter().map(|name| name.trim().to_owned()).collect(),
            Err(error) => return Err(wrong(shown(file), error.to_string(), help)),
        };
        if columns.is_empty() || columns.iter().all(String::is_empty) {
            return Err(wrong(shown(file), "it names no column", help));
        }
        let mut places = HashMap::with_capacity(columns.len());
        for (at, name) in columns.iter().enumerate() {
            if places.insert(name.clone(), at).is_some() {
                let column = first.len() - text_from(first, part, at).len();
                let problem = format!("the column `{name}` is listed twice");
                return Err(wrong(
                    place(file, 1, column + 1),
                    problem,
                    "give each a name of its own",
                ));
            }
        }
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| unequal(file, &error, columns.len()))?;
            let line = record.position().map_or(1, csv::Position::line);
            if rows.len() == MOST_REQUESTS {
                let problem = format!("it has more than {MOST_REQUESTS} rows");
                return Err(wrong(
                    place(file, line as usize, 1),
                    problem,
                    "use a part of them",
                ));
            }
            rows.push((line as usize, record));
        }
        // A quote that is not closed takes all the lines that follow into its value.
        if let Some((line, record)) = rows.last()
            && (record.iter().next_back()).is_some_and(|value| value.contains('\n'))
            && !text.trim_end().ends_with('"')
        {
            return Err(wrong(
                place(file, *line, 1),
                "a quote in this row is not closed",
                "close it; write a quote within a value twice (\"\"), and that value in quotes",
            ));
        }
        if rows.is_empty() {
            return Err(wrong(shown(file), "it has no row of values", help));
        }
        Ok(Data {
            file: file.to_owned(),
            columns,
            places,
            rows,
        })
    }

    /// Which column has this name.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// A request, and what must come back, with a row's values.
    ///
    /// # Errors
    /// For a value that cannot be sent where it stands.
    pub(super) fn filled(
        &self,
        row: usize,
        request: &Request,
        expect: &Expect,
    ) -> Result<(Request, Expect), Error> {
        let (line, record) = &self.rows[row];
        let value = |name: &str| Some(record.get(self.column(name)?)?.to_owned());
        let plain = &mut |name: &str| value(name).map(String::into_bytes);
        let mut broken = None;
        let in_header = &mut |name: &str| {
            let value = value(name)?;
            if value.chars().any(|c| c.is_control() && c != '\t') {
                broken = Some(name.to_owned());
            }
            Some(value.into_bytes())
        };
        let header = |(name, text): &(String, Template)| {
            (name.clone(), text.filled(Blank::Csv, &mut *in_header))
        };
        let filled = Request {
            method: request.method.clone(),
            headers: request.headers.iter().map(header).collect(),
            path: (request.path).filled(Blank::Csv, &mut |name| value(name).map(in_path)),
            body: request.body.filled(Blank::Csv, plain),
        };
        if let Some(name) = broken {
            let problem = format!(
                "the value of `{name}` contains a line break or another control character, which a header may not contain"
            );
            let help = "put it into the body, or write it otherwise";
            return Err(wrong(place(&self.file, *line, 1), problem, help));
        }
        Ok((filled, expect.filled(Blank::Csv, plain)))
    }
}

/// The rest of a line from its column number `at` on, as far as that can be told without quotes.
fn text_from(line: &[u8], part: Option<u8>, at: usize) -> &[u8] {
    let starts = line.iter().enumerate();
    let mut parts = starts.filter(|(_, byte)| Some(**byte) == part);
    match at.checked_sub(1).and_then(|before| parts.nth(before)) {
        Some((end, _)) => &line[end + 1..],
        None => line,
    }
}

fn unequal(file: &Path, error: &csv::Error, columns: usize) -> Error {
    match error.kind() {
        ErrorKind::UnequalLengths { pos, len, .. } => {
            let line = pos.as_ref().map_or(1, csv::Position::line) as usize;
            let values = match len {
                1 => "there is 1 value".to_owned(),
                len => format!("there are {len} values"),
            };
            let problem = format!("{values}, but the first line names {columns} columns");
            let help = "give each row as many values; put a value that contains a comma or a quote in quotes";
            wrong(place(file, line, 1), problem, help)
        }
        _ => wrong(shown(file), error.to_string(), "write it as RFC 4180 says"),
    }
}

/// A value as it may stand in a path: what no request line may hold is percent-encoded, the rest is left as it is.
fn in_path(value: String) -> Vec<u8> {
    let mut path = String::with_capacity(value.len());
    for byte in value.bytes() {
        match byte.is_ascii_graphic() && byte != b'#' {
            true => path.push(char::from(byte)),
            false => {
                let _ = write!(path, "%{byte:02X}");
            }
        }
    }
    path.into_bytes()
}
