//! MariaDB's protocol: three statements, prepared once a connection, with binary rows.
//!
//! Where the server can (10.6 and later), it leaves out the description of columns that it has
//! given already, as MariaDB's own driver for Java asks it to.

use crate::database::{Config, Protocol, Query, Step};
use crate::wire::Reader;

mod packets;

use packets::{
    Greeting, SALT, SHORT, complaint, item, keys, packet, prepared, scrambled, texts, zero_ended,
};

/// In the order of their places in [`MariaDb::statements`].
const STATEMENTS: [&str; 3] = [
    "INSERT INTO item (name, code, note) VALUES (?, ?, ?)",
    "SELECT id, name, code, note, created FROM item WHERE id BETWEEN ? AND ? + 10",
    "SELECT id, name, code, note, created FROM item WHERE id = ?",
];
const INSERT: usize = 0;
const RANGE: usize = 1;
const KEY: usize = 2;
/// The columns of the latter two.
const COLUMNS: u64 = 5;

// What a side can do.
const LONG_PASSWORD: u32 = 1;
const CONNECT_WITH_DB: u32 = 1 << 3;
const PROTOCOL_41: u32 = 1 << 9;
const TRANSACTIONS: u32 = 1 << 13;
const SECURE_CONNECTION: u32 = 1 << 15;
const PLUGIN_AUTH: u32 = 1 << 19;
const DEPRECATE_EOF: u32 = 1 << 24;
/// Among MariaDB's own, which stand apart.
const CACHE_METADATA: u32 = 1 << 4;

const UTF8MB4: u8 = 45;
const LONGEST_PACKET: u32 = 1 << 24;
const NATIVE_PASSWORD: &[u8] = b"mysql_native_password";

const COM_STMT_PREPARE: u8 = 0x16;
const COM_STMT_EXECUTE: u8 = 0x17;

const OK: u8 = 0x00;
const ERR: u8 = 0xff;
/// A change of the way to log in, or the end of rows.
const EOF: u8 = 0xfe;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Greeting,
    LoggingIn,
    Preparing,
    /// So many descriptions of a statement's values and columns are still to come.
    Described(u32),
    /// A query's first packet comes.
    Answer,
    /// So many descriptions of columns are still to come, then rows.
    Columns(u64),
    Rows,
}

/// One connection's side of the talk.
pub struct MariaDb {
    config: Config,
    stage: Stage,
    caches_metadata: bool,
    statements: Vec<u32>,
    /// The place of the statement that was asked last.
    asked: usize,
    rows: usize,
}

impl MariaDb {
    /// A connection that nothing was sent over.
    pub fn new(config: &Config) -> MariaDb {
        MariaDb {
            config: config.clone(),
            stage: Stage::Greeting,
            caches_metadata: false,
            statements: Vec::new(),
            asked: 0,
            rows: 0,
        }
    }

    fn log_in(&mut self, greeting: &[u8], sequence: u8, out: &mut Vec<u8>) -> Result<(), String> {
        let greeting = Greeting::read(greeting)?;
        let needed = PROTOCOL_41 | SECURE_CONNECTION | PLUGIN_AUTH | DEPRECATE_EOF;
        if greeting.can & needed != needed {
            return Err("MariaDB must be 10.2 or later".to_owned());
        }
        // Without this bit MariaDB's own abilities count.
        let is_mariadb = greeting.can & LONG_PASSWORD == 0;
        self.caches_metadata = is_mariadb && greeting.can_more & CACHE_METADATA != 0;
        let own = u32::from(!is_mariadb) * LONG_PASSWORD;
        let can = needed | CONNECT_WITH_DB | TRANSACTIONS | own;
        let token = scrambled(self.config.password.as_bytes(), &greeting.salt);
        packet(out, sequence, |out| {
            out.extend(can.to_le_bytes());
            out.extend(LONGEST_PACKET.to_le_bytes());
            out.push(UTF8MB4);
            out.extend([0; 19]);
            out.extend((u32::from(self.caches_metadata) * CACHE_METADATA).to_le_bytes());
            zero_ended(out, self.config.user.as_bytes());
            // A token has 20 bytes or none.
            out.push(token.len() as u8);
            out.extend(&token);
            zero_ended(out, self.config.name.as_bytes());
            zero_ended(out, NATIVE_PASSWORD);
        });
        Ok(())
    }

    /// The server wants another way to log in, or the same with another salt.
    fn log_in_anew(&self, packet_: &[u8], sequence: u8, out: &mut Vec<u8>) -> Result<(), String> {
        let mut reader = Reader(packet_.get(1..).ok_or(SHORT)?);
        let way = reader.until_zero();
        if way != NATIVE_PASSWORD {
            return Err(format!(
                "MariaDB wants to log in by {}; only mysql_native_password is known here",
                String::from_utf8_lossy(way)
            ));
        }
        let salt = reader.take(SALT).ok_or(SHORT)?;
        let token = scrambled(self.config.password.as_bytes(), salt);
        packet(out, sequence, |out| out.extend(&token));
        Ok(())
    }

    /// Prepares the next statement; when there is none left, queries may come.
    fn prepare(&mut self, out: &mut Vec<u8>) -> Step {
        let Some(statement) = STATEMENTS.get(self.statements.len()) else {
            self.stage = Stage::Answer;
            return Step::Ready;
        };
        self.stage = Stage::Preparing;
        packet(out, 0, |out| {
            out.push(COM_STMT_PREPARE);
            out.extend(statement.as_bytes());
        });
        Step::More
    }

    /// The first packet of a query's answer.
    fn answer(&mut self, bytes: &[u8], body: &mut Vec<u8>) -> Result<Step, String> {
        let mut reader = Reader(bytes);
        if self.asked == INSERT {
            if reader.u8() != Some(OK) {
                return Err("MariaDB answered an insert with rows".to_owned());
            }
            let rows = reader.variable().ok_or(SHORT)?;
            body.extend_from_slice(format!(r#"{{"inserted":{rows}}}"#).as_bytes());
            return Ok(Step::Answered(200));
        }
        let columns = reader.variable().ok_or(SHORT)?;
        if columns != COLUMNS {
            return Err(format!(
                "MariaDB answered with {columns} columns, not {COLUMNS}"
            ));
        }
        let described = !self.caches_metadata || reader.u8().ok_or(SHORT)? != 0;
        self.rows = 0;
        self.stage = match described {
            true => Stage::Columns(columns),
            false => Stage::Rows,
        };
        Ok(Step::More)
    }

    /// A row, or what comes after the last.
    fn row(&mut self, bytes: &[u8], body: &mut Vec<u8>) -> Result<Step, String> {
        if bytes.first() == Some(&EOF) {
            self.stage = Stage::Answer;
            let range = self.asked == RANGE;
            if range {
                body.extend_from_slice(if self.rows == 0 { b"[]" } else { b"]" });
            }
            let found = range || self.rows > 0;
            return Ok(Step::Answered(if found { 200 } else { 404 }));
        }
        match (self.asked, self.rows) {
            (RANGE, 0) => body.push(b'['),
            (_, 0) => {}
            _ => body.push(b','),
        }
        self.rows += 1;
        item(bytes, body)?;
        Ok(Step::More)
    }
}

impl Protocol for MariaDb {
    /// The server speaks first.
    fn open(&mut self, _out: &mut Vec<u8>) -> Result<(), String> {
        Ok(())
    }

    fn ask(&mut self, query: &Query, out: &mut Vec<u8>) -> Result<(), String> {
        self.asked = match query {
            Query::Insert(_) => INSERT,
            Query::Range(_) => RANGE,
            Query::Key(_) => KEY,
            Query::Menu => return Err("MariaDB has no statement for the menu".to_owned()),
        };
        let statement = self.statements.get(self.asked);
        let statement = statement.ok_or("the statement is not prepared")?;
        packet(out, 0, |out| {
            out.push(COM_STMT_EXECUTE);
            out.extend(statement.to_le_bytes());
            // No cursor, once.
            out.extend([0, 1, 0, 0, 0]);
            match query {
                Query::Insert(item) => texts(out, item),
                Query::Range(id) => keys(out, &[*id, *id]),
                Query::Key(id) => keys(out, &[*id]),
                Query::Menu => {}
            }
        });
        Ok(())
    }

    fn take(
        &mut self,
        bytes: &[u8],
        out: &mut Vec<u8>,
        body: &mut Vec<u8>,
    ) -> Result<Option<(usize, Step)>, String> {
        let &[a, b, c, sequence, ref rest @ ..] = bytes else {
            return Ok(None);
        };
        let length = u32::from_le_bytes([a, b, c, 0]) as usize;
        if length == 0xff_ffff {
            return Err("MariaDB sent a packet of 16 MiB or more".to_owned());
        }
        let Some(bytes) = rest.get(..length) else {
            return Ok(None);
        };
        let sequence = sequence.wrapping_add(1);
        if bytes.first() == Some(&ERR) && !matches!(self.stage, Stage::Columns(_)) {
            let why = complaint(bytes);
            return match self.stage {
                Stage::Answer | Stage::Rows => {
                    self.stage = Stage::Answer;
                    Ok(Some((4 + length, Step::Refused(why))))
                }
                _ => Err(why),
            };
        }
        let step = match self.stage {
            Stage::Greeting => {
                self.log_in(bytes, sequence, out)?;
                self.stage = Stage::LoggingIn;
                Step::More
            }
            Stage::LoggingIn => match bytes.first() {
                Some(&OK) => self.prepare(out),
                Some(&EOF) => {
                    self.log_in_anew(bytes, sequence, out)?;
                    Step::More
                }
                _ => return Err("MariaDB goes on with an unknown log-in".to_owned()),
            },
            Stage::Preparing => {
                let (statement, descriptions) = prepared(bytes)?;
                self.statements.push(statement);
                match descriptions {
                    0 => self.prepare(out),
                    more => {
                        self.stage = Stage::Described(more);
                        Step::More
                    }
                }
            }
            Stage::Described(1) => self.prepare(out),
            Stage::Described(left) => {
                self.stage = Stage::Described(left - 1);
                Step::More
            }
            Stage::Answer => self.answer(bytes, body)?,
            Stage::Columns(left) => {
                self.stage = match left {
                    1 => Stage::Rows,
                    _ => Stage::Columns(left - 1),
                };
                Step::More
            }
            Stage::Rows => self.row(bytes, body)?,
        };
        Ok(Some((4 + length, step)))
    }
}

#[cfg(test)]
mod tests;
