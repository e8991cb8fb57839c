//! What both databases have in common: where they are, what they are asked, how they are talked to.

use std::env;
use std::net::{SocketAddr, ToSocketAddrs};

use serde::Deserialize;

/// Where the database is and who asks.
#[derive(Clone, Debug)]
pub struct Config {
    /// Its address.
    pub address: SocketAddr,
    /// The database's name.
    pub name: String,
    /// The user.
    pub user: String,
    /// The password, which may be empty.
    pub password: String,
}

impl Config {
    /// Takes it from the environment.
    ///
    /// # Errors
    /// Names the variable that is not there or wrong.
    pub fn from_environment() -> Result<Config, String> {
        let variable = |name: &str| {
            env::var(name).map_err(|_| format!("the environment variable {name} is not set"))
        };
        let host = variable("DB_HOST")?;
        let port = variable("DB_PORT")?;
        let port: u16 = port
            .parse()
            .map_err(|error| format!("DB_PORT={port}: {error}"))?;
        let mut addresses = (&*host, port)
            .to_socket_addrs()
            .map_err(|error| format!("DB_HOST={host}: {error}"))?;
        let address = addresses.next();
        Ok(Config {
            address: address.ok_or_else(|| format!("DB_HOST={host}: it has no address"))?,
            name: variable("DB_NAME")?,
            user: variable("DB_USER")?,
            password: env::var("DB_PASSWORD").unwrap_or_default(),
        })
    }
}

/// What is asked.
#[derive(Debug)]
pub enum Query {
    /// Two rows of study 2's menu.
    Menu,
    /// One row more in study 3's table.
    Insert(NewItem),
    /// The rows from a key to that and 10.
    Range(i64),
    /// The row with a key.
    Key(i64),
}

/// The body of an insert: a row without its key and time, which the database gives. What is not
/// there is null, and refused by the database.
#[derive(Debug, Deserialize)]
pub struct NewItem {
    /// The column `name`.
    pub name: Option<String>,
    /// The column `code`.
    pub code: Option<String>,
    /// The column `note`.
    pub note: Option<String>,
}

/// What a message was.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// Not the last one.
    More,
    /// The last one of the greetings: queries may come.
    Ready,
    /// The last one of an answer, whose body is written; the HTTP status that fits it.
    Answered(u16),
    /// The last one of an answer that says no, in the database's words.
    Refused(String),
}

/// A database's protocol, without I/O: bytes in, bytes out. At most one query is in flight.
pub trait Protocol: Send {
    /// Appends what is sent first.
    ///
    /// # Errors
    /// What cannot be sent, in words.
    fn open(&mut self, out: &mut Vec<u8>) -> Result<(), String>;

    /// Appends a query.
    ///
    /// # Errors
    /// It cannot be asked here; nothing was appended.
    fn ask(&mut self, query: &Query, out: &mut Vec<u8>) -> Result<(), String>;

    /// Takes the first message out of `bytes`, which may end anywhere: how long it is and what it
    /// was; `None` where it is not all there. Appends what is to be sent to `out`, and what belongs to the
    /// answer to `body`, which is empty when a query begins.
    ///
    /// # Errors
    /// The connection is of no more use: why, in words.
    fn take(
        &mut self,
        bytes: &[u8],
        out: &mut Vec<u8>,
        body: &mut Vec<u8>,
    ) -> Result<Option<(usize, Step)>, String>;
}
