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
mod tests {
    use super::*;

    fn message(kind: u8, body: &[u8]) -> Vec<u8> {
        let length = (body.len() as i32 + 4).to_be_bytes();
        [&[kind][..], &length, body].concat()
    }

    fn row(fields: &[Option<&str>]) -> Vec<u8> {
        let mut body = (fields.len() as i16).to_be_bytes().to_vec();
        for field in fields {
            match field {
                Some(text) => {
                    body.extend((text.len() as i32).to_be_bytes());
                    body.extend(text.as_bytes());
                }
                None => body.extend((-1i32).to_be_bytes()),
            }
        }
        message(b'D', &body)
    }

    fn connected() -> Postgres {
        let mut postgres = Postgres::new(&Config {
            address: ([127, 0, 0, 1], 5432).into(),
            name: "menus".to_owned(),
            user: "me".to_owned(),
            password: "secret".to_owned(),
        });
        let greetings = [
            message(b'R', &[0, 0, 0, 0]),
            message(b'S', b"TimeZone\0UTC\0"),
            message(b'Z', b"I"),
            message(b'1', b""),
            message(b'Z', b"I"),
        ];
        let (steps, out, _) = talk(&mut postgres, &greetings.concat());
        assert_eq!(steps.last(), Some(&Step::Ready));
        assert_eq!(out.first(), Some(&b'P'));
        postgres
    }

    /// Takes all that is whole.
    fn talk(postgres: &mut Postgres, mut bytes: &[u8]) -> (Vec<Step>, Vec<u8>, String) {
        let (mut steps, mut out, mut body) = (Vec::new(), Vec::new(), Vec::new());
        while let Some((length, step)) = postgres
            .take(bytes, &mut out, &mut body)
            .expect("the protocol")
        {
            bytes = &bytes[length..];
            steps.push(step);
        }
        (steps, out, String::from_utf8_lossy(&body).into_owned())
    }

    #[test]
    fn two_rows_are_the_published_answer() {
        let mut postgres = connected();
        let mut out = Vec::new();
        postgres.ask(&Query::Menu, &mut out).expect("a query");
        assert_eq!(out.first(), Some(&b'B'));
        assert!(postgres.ask(&Query::Key(1), &mut out).is_err());
        let answer = [
            message(b'2', b""),
            row(&[
                Some("1"),
                Some("System"),
                Some("1"),
                Some("2022-03-01 09:00:00"),
                Some("01"),
                None,
            ]),
            row(&[
                Some("123456789012345678901234"),
                Some("\"U\""),
                Some("0"),
                Some("2022-03-01 09:00:01.25"),
                Some("0101"),
                Some("01"),
            ]),
            message(b'C', b"SELECT 2\0"),
            message(b'Z', b"I"),
        ];
        let (steps, _, body) = talk(&mut postgres, &answer.concat());
        assert_eq!(steps.last(), Some(&Step::Answered(200)));
        assert_eq!(
            body,
            concat!(
                r#"{"status":1,"msg":"two rows of a menu out of a database...","data":["#,
                r#"{"id":"1","name":"System","show_flag":1,"create_date":"2022-03-01 09:00:00","code":"01","parent_code":null},"#,
                r#"{"id":"123456789012345678901234","name":"\"U\"","show_flag":0,"create_date":"2022-03-01 09:00:01","code":"0101","parent_code":"01"}"#,
                "]}"
            )
        );
        postgres.ask(&Query::Menu, &mut out).expect("a query");
        let (_, _, body) = talk(&mut postgres, &message(b'Z', b"I"));
        assert!(body.ends_with(r#""data":[]}"#), "{body}");
    }

    #[test]
    fn a_message_may_be_split_anywhere() {
        let mut postgres = connected();
        let whole = row(&[Some("1"), Some("a"), Some("1"), Some("2022"), None, None]);
        let (mut out, mut body) = (Vec::new(), Vec::new());
        for end in 0..whole.len() {
            let taken = postgres.take(&whole[..end], &mut out, &mut body);
            assert_eq!(taken, Ok(None), "at {end}");
        }
        assert!(body.is_empty());
        let taken = postgres.take(&whole, &mut out, &mut body);
        assert_eq!(taken, Ok(Some((whole.len(), Step::More))));
    }

    #[test]
    fn errors_are_told_in_the_databases_words() {
        let mut postgres = connected();
        let error = message(b'E', b"SERROR\0C42P01\0Mno such table\0\0");
        let answer = [&error[..], &message(b'Z', b"I")].concat();
        let (steps, _, _) = talk(&mut postgres, &answer);
        let words = "PostgreSQL: no such table (SQLSTATE 42P01)";
        assert_eq!(steps, [Step::More, Step::Refused(words.to_owned())]);
        // While greeting, it is the end of the connection.
        postgres.stage = Stage::Greeting;
        let refused = postgres.take(&error, &mut Vec::new(), &mut Vec::new());
        assert_eq!(refused, Err(words.to_owned()));
        for wrong in [
            message(b'D', &[0, 6, 0]),
            message(b'D', &[0, 1]),
            vec![b'Z', 0, 0, 0, 0],
        ] {
            assert!(
                postgres
                    .take(&wrong, &mut Vec::new(), &mut Vec::new())
                    .is_err()
            );
        }
    }
}
