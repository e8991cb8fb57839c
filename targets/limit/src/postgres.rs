//! PostgreSQL's protocol 3.0: one statement, prepared once a connection.
//!
//! Rows come as text, because that is what the answer holds: the database writes a `numeric` and a
//! `timestamp` as JSON has them, and nothing is left to convert.

use bytes::BytesMut;
use postgres_protocol::IsNull;
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};
use postgres_protocol::message::frontend;

use crate::database::{Config, Protocol, Query, Step};
use crate::json;
use crate::wire::Reader;

/// The published query.
const TWO_ROWS: &str =
    "SELECT id, name, show_flag, create_date, code, parent_code FROM sys_menu LIMIT 2";

/// The statement's name, and its answer's columns.
const STATEMENT: &str = "menu";
const COLUMNS: i16 = 6;

/// What the answer is around the rows.
const BEGIN: &[u8] = br#"{"status":1,"msg":"two rows of a menu out of a database...","data":["#;
const END: &[u8] = b"]}";

/// A moment to the second, `2022-03-01 09:00:00`: what follows are fractions.
const TO_THE_SECOND: usize = 19;

const SHORT: &str = "PostgreSQL sent a message that is shorter than it should be";

enum Stage {
    Greeting,
    Preparing,
    Ready,
}

/// One connection's side of the talk.
pub struct Postgres {
    config: Config,
    stage: Stage,
    scram: Option<ScramSha256>,
    /// What a query is: the same bytes each time.
    query: Vec<u8>,
    rows: usize,
    refused: Option<String>,
}

impl Postgres {
    /// A connection that nothing was sent over.
    pub fn new(config: &Config) -> Postgres {
        Postgres {
            config: config.clone(),
            stage: Stage::Greeting,
            scram: None,
            query: Vec::new(),
            rows: 0,
            refused: None,
        }
    }

    fn authenticate(&mut self, body: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        let says = |error: std::io::Error| format!("log in to PostgreSQL: {error}");
        let mut reader = Reader(body);
        let kind = reader.i32_be().ok_or(SHORT)?;
        let mut message = BytesMut::new();
        match kind {
            0 => {}
            3 => frontend::password_message(self.config.password.as_bytes(), &mut message)
                .map_err(says)?,
            5 => {
                let salt = reader.take(4).and_then(|salt| salt.try_into().ok());
                let (user, password) = (&self.config.user, &self.config.password);
                let hash = md5_hash(user.as_bytes(), password.as_bytes(), salt.ok_or(SHORT)?);
                frontend::password_message(hash.as_bytes(), &mut message).map_err(says)?;
            }
            10 => {
                let offered = reader.0.split(|&byte| byte == 0);
                if !offered
                    .into_iter()
                    .any(|name| name == SCRAM_SHA_256.as_bytes())
                {
                    return Err("PostgreSQL wants a way to log in other than SCRAM-SHA-256".into());
                }
                let password = self.config.password.as_bytes();
                let scram = ScramSha256::new(password, ChannelBinding::unsupported());
                frontend::sasl_initial_response(SCRAM_SHA_256, scram.message(), &mut message)
                    .map_err(says)?;
                self.scram = Some(scram);
            }
            11 | 12 => {
                let scram = self.scram.as_mut();
                let scram = scram.ok_or("PostgreSQL goes on with a log-in that never began")?;
                if kind == 11 {
                    scram.update(reader.0).map_err(says)?;
                    frontend::sasl_response(scram.message(), &mut message).map_err(says)?;
                } else {
                    scram.finish(reader.0).map_err(says)?;
                }
            }
            other => return Err(format!("PostgreSQL wants an unknown log-in ({other})")),
        }
        out.extend_from_slice(&message);
        Ok(())
    }

    /// The database is ready for the next thing.
    fn ready(&mut self, out: &mut Vec<u8>, body: &mut Vec<u8>) -> Result<Step, String> {
        match self.stage {
            Stage::Greeting => {
                self.stage = Stage::Preparing;
                let mut message = BytesMut::new();
                frontend::parse(STATEMENT, TWO_ROWS, [], &mut message)
                    .map_err(|error| format!("prepare a statement: {error}"))?;
                frontend::sync(&mut message);
                out.extend_from_slice(&message);
                Ok(Step::More)
            }
            Stage::Preparing => {
                self.stage = Stage::Ready;
                self.query = two_rows()?;
                Ok(Step::Ready)
            }
            Stage::Ready => match self.refused.take() {
                Some(why) => Ok(Step::Refused(why)),
                None => {
                    body.extend_from_slice(END);
                    Ok(Step::Answered(200))
                }
            },
        }
    }
}

/// The messages of a query: bind without values, results as text, execute, sync.
fn two_rows() -> Result<Vec<u8>, String> {
    let mut message = BytesMut::new();
    let no_values: [&[u8]; 0] = [];
    let bound = frontend::bind(
        "",
        STATEMENT,
        [],
        no_values,
        |_, _| Ok(IsNull::Yes),
        [0],
        &mut message,
    );
    bound.map_err(|_| "bind a statement: it is too long")?;
    frontend::execute("", 0, &mut message).map_err(|error| format!("execute: {error}"))?;
    frontend::sync(&mut message);
    Ok(message.to_vec())
}

impl Protocol for Postgres {
    fn open(&mut self, out: &mut Vec<u8>) -> Result<(), String> {
        let mut message = BytesMut::new();
        let settings = [
            ("user", &*self.config.user),
            ("database", &*self.config.name),
            ("application_name", "limit"),
            ("client_encoding", "UTF8"),
            ("DateStyle", "ISO"),
        ];
        frontend::startup_message(settings, &mut message)
            .map_err(|error| format!("greet PostgreSQL: {error}"))?;
        out.extend_from_slice(&message);
        Ok(())
    }

    fn ask(&mut self, query: &Query, out: &mut Vec<u8>) -> Result<(), String> {
        match query {
            Query::Menu => {
                self.rows = 0;
                out.extend_from_slice(&self.query);
                Ok(())
            }
            other => Err(format!("PostgreSQL has no statement for {other:?}")),
        }
    }

    fn take(
        &mut self,
        bytes: &[u8],
        out: &mut Vec<u8>,
        body: &mut Vec<u8>,
    ) -> Result<Option<(usize, Step)>, String> {
        let mut reader = Reader(bytes);
        let (Some(kind), Some(length)) = (reader.u8(), reader.i32_be()) else {
            return Ok(None);
        };
        // The length counts itself.
        let length = usize::try_from(length).ok().and_then(|l| l.checked_sub(4));
        let length = length.ok_or("PostgreSQL sent a message without a length")?;
        let Some(message) = reader.take(length) else {
            return Ok(None);
        };
        let step = match kind {
            b'D' => {
                body.extend_from_slice(if self.rows == 0 { BEGIN } else { b"," });
                self.rows += 1;
                menu(message, body)?;
                Step::More
            }
            b'Z' => {
                if matches!(self.stage, Stage::Ready) && self.rows == 0 {
                    body.extend_from_slice(BEGIN);
                }
                self.ready(out, body)?
            }
            b'R' => {
                self.authenticate(message, out)?;
                Step::More
            }
            b'E' => {
                let why = complaint(message);
                if !matches!(self.stage, Stage::Ready) {
                    return Err(why);
                }
                self.refused = Some(why);
                Step::More
            }
            // Bound, prepared, done; a setting, a key for cancelling, a notice.
            b'1' | b'2' | b'C' | b'S' | b'K' | b'N' => Step::More,
            other => {
                let other = char::from(other);
                return Err(format!("PostgreSQL sent an unknown message ({other:?})"));
            }
        };
        Ok(Some((5 + length, step)))
    }
}

/// Appends a row as study 2's targets write it; its id is text, because a `numeric(24)` is more than
/// a JSON number can be trusted with.
fn menu(row: &[u8], body: &mut Vec<u8>) -> Result<(), String> {
    let mut reader = Reader(row);
    if reader.i16_be() != Some(COLUMNS) {
        return Err(format!("PostgreSQL sent a row without {COLUMNS} columns"));
    }
    let mut next = || {
        let length = reader.i32_be().ok_or(SHORT)?;
        // A negative length is null.
        match usize::try_from(length) {
            Ok(length) => reader.take(length).map(Some).ok_or(SHORT),
            Err(_) => Ok(None),
        }
    };
    body.extend_from_slice(br#"{"id":"#);
    json::text(body, next()?)?;
    body.extend_from_slice(br#","name":"#);
    json::text(body, next()?)?;
    body.extend_from_slice(br#","show_flag":"#);
    body.extend_from_slice(next()?.unwrap_or(b"null"));
    body.extend_from_slice(br#","create_date":"#);
    let date = next()?;
    json::text(
        body,
        date.map(|date| date.get(..TO_THE_SECOND).unwrap_or(date)),
    )?;
    body.extend_from_slice(br#","code":"#);
    json::text(body, next()?)?;
    body.extend_from_slice(br#","parent_code":"#);
    json::text(body, next()?)?;
    body.push(b'}');
    Ok(())
}

/// The words of an error: each field is a letter and text up to a zero.
fn complaint(message: &[u8]) -> String {
    let mut reader = Reader(message);
    let mut code = String::new();
    let mut says = String::from("an error without words");
    while let Some(kind) = reader.u8().filter(|&kind| kind != 0) {
        let text = String::from_utf8_lossy(reader.until_zero());
        match kind {
            b'C' => code = text.into_owned(),
            b'M' => says = text.into_owned(),
            _ => {}
        }
    }
    format!("PostgreSQL: {says} (SQLSTATE {code})")
}

#[cfg(test)]
mod tests;
