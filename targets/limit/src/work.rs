//! What each request is answered with: bytes that are there already, later, or by a database.

use std::time::{Duration, Instant};

use crate::database::{Config, Query};
use crate::delay::Delays;
use crate::http::{self, Method, Request};
use crate::poller::Poller;
use crate::pool::{Kind, Pool, Waiter};

/// How long `/sleep` and `/sleep2` take.
const DELAY: Duration = Duration::from_millis(100);

/// What a request comes to.
pub enum Outcome {
    /// Its answer is appended.
    Answered,
    /// Its answer comes later.
    Later,
}

/// Answers that never vary, put together once.
pub struct Answers {
    plaintext: Vec<u8>,
    json: Vec<u8>,
    /// Of `/hello`, and of `/sleep` and `/sleep2` when they are due.
    pub world: Vec<u8>,
}

impl Answers {
    fn new() -> Answers {
        let answer = |kind, body| {
            let mut out = Vec::new();
            http::answer(&mut out, 200, kind, body);
            out
        };
        Answers {
            plaintext: answer("text/plain", b"Hello, World!"),
            json: answer(
                "application/json",
                br#"{"status":1,"msg":"a line of JSON, written for each request.."}"#,
            ),
            world: answer("text/plain", b"world"),
        }
    }
}

/// What one loop works with.
pub struct Work {
    /// Answers that never vary.
    pub answers: Answers,
    /// Who waits for a time.
    pub delays: Delays<Waiter>,
    /// Who waits for a database.
    pub pools: [Pool; 2],
}

impl Work {
    /// With so many connections to the database at most, whichever it is.
    pub fn new(config: &Result<Config, String>, connections: usize) -> Work {
        Work {
            answers: Answers::new(),
            delays: Delays::new(DELAY),
            // In the order of their tokens.
            pools: [Kind::Postgres, Kind::MariaDb].map(|kind| Pool::new(kind, config, connections)),
        }
    }

    /// Begins to answer a request.
    pub fn take(
        &mut self,
        poller: &Poller,
        waiter: Waiter,
        request: &Request<'_>,
        out: &mut Vec<u8>,
    ) -> Outcome {
        match (request.method, request.target) {
            (Method::Get, b"/plaintext") => out.extend_from_slice(&self.answers.plaintext),
            (Method::Get, b"/hello") => out.extend_from_slice(&self.answers.world),
            (Method::Get, b"/mee_auto/echo3") => out.extend_from_slice(&self.answers.json),
            (Method::Get, b"/sleep" | b"/sleep2") => {
                self.delays.push(Instant::now(), waiter);
                return Outcome::Later;
            }
            _ => match query(request) {
                Ok(query) => {
                    let [postgres, mariadb] = &mut self.pools;
                    let pool = match query {
                        Query::Menu => postgres,
                        _ => mariadb,
                    };
                    pool.submit(poller, waiter, query);
                    return Outcome::Later;
                }
                Err((status, why)) => http::complain(out, status, why),
            },
        }
        Outcome::Answered
    }
}

/// What a request asks of a database; else the status and why it is none.
fn query(request: &Request<'_>) -> Result<Query, (u16, String)> {
    let target = request.target;
    match (request.method, target) {
        (Method::Get, b"/mee_auto/echo2") => return Ok(Query::Menu),
        (Method::Post, b"/insert") => {
            let item = serde_json::from_slice(request.body);
            let item = item.map_err(|error| (400, format!("the body: {error}")))?;
            return Ok(Query::Insert(item));
        }
        (Method::Get, _) => {}
        _ => {
            return Err((
                405,
                "only /insert takes a POST; all else takes a GET".to_owned(),
            ));
        }
    }
    if let Some(id) = target.strip_prefix(b"/key?id=") {
        return key(id).map(Query::Key);
    }
    if let Some(id) = target.strip_prefix(b"/range?id=") {
        return key(id).map(Query::Range);
    }
    Err((404, "there is nothing here".to_owned()))
}

fn key(digits: &[u8]) -> Result<i64, (u16, String)> {
    let digits = str::from_utf8(digits).unwrap_or_default();
    digits
        .parse()
        .map_err(|error| (400, format!("the id '{digits}': {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(method: Method, target: &str, body: &str) -> Result<Query, u16> {
        let request = Request {
            method,
            target: target.as_bytes(),
            body: body.as_bytes(),
            keep_alive: true,
            length: 0,
        };
        query(&request).map_err(|(status, _)| status)
    }

    #[test]
    fn paths_are_queries() {
        use Method::{Get, Other, Post};
        assert!(matches!(asked(Get, "/mee_auto/echo2", ""), Ok(Query::Menu)));
        assert!(matches!(asked(Get, "/key?id=7", ""), Ok(Query::Key(7))));
        assert!(matches!(
            asked(Get, "/range?id=-1", ""),
            Ok(Query::Range(-1))
        ));
        let body = r#"{"name":"a\u00e9","code":"b","note":"c"}"#;
        let Ok(Query::Insert(item)) = asked(Post, "/insert", body) else {
            panic!("not an insert");
        };
        assert_eq!(item.name.as_deref(), Some("a\u{e9}"));
        for (method, target, body, status) in [
            (Get, "/insert", "", 404),
            (Post, "/key?id=7", "", 405),
            (Other, "/plaintext", "", 405),
            (Post, "/insert", "{", 400),
            (Get, "/key?id=x", "", 400),
            (Get, "/key?id=99999999999999999999", "", 400),
            (Get, "/nothing", "", 404),
        ] {
            let found = asked(method, target, body).err();
            assert_eq!(found, Some(status), "{target}");
        }
    }
}
