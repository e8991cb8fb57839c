//! A server over HTTP/1.1 that responds as a test says, for as long as the tests run.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

/// What came: a request with its headers' names in lower case.
pub struct Asked {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Asked {
    fn read(from: &mut impl BufRead) -> Option<Asked> {
        let mut line = || {
            let mut line = String::new();
            let read = from.read_line(&mut line).ok()?;
            (read > 0).then(|| line.trim_end().to_owned())
        };
        let first = line()?;
        let mut headers = Vec::new();
        while let Some((name, value)) = line()?.split_once(": ") {
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        let mut words = first.split(' ').map(str::to_owned);
        let mut asked = Asked {
            method: words.next()?,
            path: words.next()?,
            headers,
            body: String::new(),
        };
        let length = asked.header("content-length").parse().unwrap_or(0);
        from.take(length).read_to_string(&mut asked.body).ok()?;
        Some(asked)
    }

    /// The value of a header; empty without it.
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }
}

/// A response with a status such as `200 OK`, further lines of the head, each with its end, and a body.
pub fn response(status: &str, lines: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n{lines}\r\n{body}")
}

/// Serves at a port of this machine, or at this one.
pub fn serve(port: u16, respond: impl Fn(Asked) -> String + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", port)).expect("it is free");
    let address = listener.local_addr().expect("an address");
    let respond: &'static _ = Box::leak(Box::new(respond));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || talk(stream, respond));
        }
    });
    address
}

fn talk(stream: TcpStream, respond: &impl Fn(Asked) -> String) -> Option<()> {
    let mut out = stream.try_clone().ok()?;
    let mut lines = BufReader::new(stream);
    while let Some(asked) = Asked::read(&mut lines) {
        out.write_all(respond(asked).as_bytes()).ok()?;
    }
    None
}
