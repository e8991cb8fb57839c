//! Servers with a script, and the configurations that load them.
#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use photofinish_load::{Config, Control, Outcome, Until, run};
use photofinish_model::{
    Address, Arrivals, Exchange, Expect, Grpc, Load, Message, Payload, Request, Version, WebSocket,
};

pub mod delay;
pub mod frames;
pub mod tasks;
pub mod tls;

/// A good response.
pub const HELLO: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, World!";

/// What is said of what went wrong first; nothing where nothing did.
pub fn first_error(outcome: &Outcome) -> String {
    let first = outcome.first_error.as_ref();
    first.map_or(String::new(), |first| first.to_string())
}

/// Held by a test that measures times: the others of its file wait.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The outcome of the load.
pub fn load(config: &Config) -> Outcome {
    run(config, &Control::default()).expect("an outcome")
}

/// What is said of a server that responds well to nothing.
pub fn refusal(config: &Config) -> String {
    match run(config, &Control::default()) {
        Ok(outcome) => {
            assert_eq!(outcome.good, 0);
            first_error(&outcome)
        }
        Err(error) => error.to_string(),
    }
}

/// Panics unless so many requests were sent and each had a good response.
#[track_caller]
pub fn assert_good(outcome: &Outcome, requests: u64) {
    let found = (outcome.requests, outcome.good);
    assert_eq!(found, (requests, requests), "{}", first_error(outcome));
}

/// Load for so many milliseconds.
pub fn millis(length: u64) -> Until {
    Until::Elapsed(Duration::from_millis(length))
}

/// A server with a thread for each connection. Ends when it is dropped.
pub struct Server {
    pub address: SocketAddr,
    /// Requests that were read.
    pub seen: Arc<AtomicU64>,
    /// Connections that were accepted.
    pub accepted: Arc<AtomicU64>,
    ended: Arc<AtomicBool>,
    acceptor: Option<JoinHandle<()>>,
}

/// What the server does with a connection: it is called with each request that is read; `false` closes.
pub type Script = dyn Fn(&mut TcpStream, u64, &str) -> bool + Send + Sync;

impl Server {
    /// A server that follows `script`, which gets the number of the request on its connection, from 0.
    pub fn new(script: impl Fn(&mut TcpStream, u64) -> bool + Send + Sync + 'static) -> Server {
        Server::scripted(
            usize::MAX,
            Arc::new(move |stream, number, _| script(stream, number)),
        )
    }

    /// A server whose script gets each request's head.
    pub fn reading(
        script: impl Fn(&mut TcpStream, &str) -> bool + Send + Sync + 'static,
    ) -> Server {
        Server::scripted(
            usize::MAX,
            Arc::new(move |stream, _, head| script(stream, head)),
        )
    }

    /// A server that says [`HELLO`], and closes the oldest of its connections when there are more than `room`.
    pub fn with_room(room: usize) -> Server {
        Server::scripted(
            room,
            Arc::new(|stream, _, _| stream.write_all(HELLO).is_ok()),
        )
    }

    fn scripted(room: usize, script: Arc<Script>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(AtomicU64::new(0));
        let accepted = Arc::new(AtomicU64::new(0));
        let ended = Arc::new(AtomicBool::new(false));
        let acceptor = {
            let (seen, ended) = (Arc::clone(&seen), Arc::clone(&ended));
            let accepted = Arc::clone(&accepted);
            thread::spawn(move || {
                let mut kept = VecDeque::new();
                for stream in listener.incoming() {
                    if ended.load(Ordering::SeqCst) {
                        break;
                    }
                    let Ok(stream) = stream else { break };
                    accepted.fetch_add(1, Ordering::SeqCst);
                    if room < usize::MAX {
                        kept.extend(stream.try_clone());
                    }
                    if kept.len() > room
                        && let Some(oldest) = kept.pop_front()
                    {
                        let _ = oldest.shutdown(Shutdown::Both);
                    }
                    let (seen, script) = (Arc::clone(&seen), Arc::clone(&script));
                    thread::spawn(move || serve(stream, &seen, &*script));
                }
            })
        };
        Server {
            address,
            seen,
            accepted,
            ended,
            acceptor: Some(acceptor),
        }
    }

    /// A server that responds to each request with the same bytes.
    pub fn responding(response: impl Into<Vec<u8>>) -> Server {
        let response = response.into();
        Server::new(move |stream, _| stream.write_all(&response).is_ok())
    }

    pub fn seen(&self) -> u64 {
        self.seen.load(Ordering::SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        // The acceptor looks at the flag when it has accepted one more.
        let _ = TcpStream::connect(self.address);
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
    }
}

fn serve(mut stream: TcpStream, seen: &AtomicU64, script: &Script) {
    let _ = stream.set_nodelay(true);
    let mut held = Vec::new();
    let mut buffer = [0; 4096];
    let mut number = 0;
    loop {
        while let Some(end) = held.windows(4).position(|four| four == b"\r\n\r\n") {
            let head: Vec<u8> = held.drain(..end + 4).collect();
            seen.fetch_add(1, Ordering::SeqCst);
            if !script(&mut stream, number, &String::from_utf8_lossy(&head)) {
                return;
            }
            number += 1;
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(length) => held.extend_from_slice(&buffer[..length]),
        }
    }
}

/// Raises the soft limit of open files as far as it goes: server and generator are one process here.
pub fn allow_files() {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `limit` is valid for writing, and then for reading.
    unsafe {
        assert_eq!(libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit), 0);
        limit.rlim_cur = limit.rlim_max;
        assert_eq!(libc::setrlimit(libc::RLIMIT_NOFILE, &limit), 0);
    }
}

/// Closed loop, GET /, any good response.
pub fn config(address: impl Into<Address>, connections: u32, until: Until) -> Config {
    let exchange = Exchange::Http {
        request: Request::get("/"),
        expect: Expect::default(),
        version: Version::Http1,
    };
    Config {
        timeout: Duration::from_secs(5),
        threads: 2,
        seed: 7,
        ..Config::new(address, exchange, Load::Closed { connections }, until)
    }
}

/// The request of an HTTP configuration, and what must come back.
pub fn http(config: &mut Config) -> (&mut Request, &mut Expect) {
    match &mut config.exchange {
        Exchange::Http {
            request, expect, ..
        } => (request, expect),
        _ => panic!("not HTTP"),
    }
}

/// The same connections with requests due at a rate.
pub fn open(config: &mut Config, arrivals: Arrivals, rate: f64) {
    config.load = Load::Open {
        rate,
        arrivals,
        connections: config.load.connections(),
    };
}

/// Sends its request over HTTP/2.
pub fn over_http2(mut config: Config, streams: u32) -> Config {
    if let Exchange::Http { version, .. } = &mut config.exchange {
        *version = Version::Http2 { streams };
    }
    config
}

/// Sends messages over WebSockets in place of its request.
pub fn over_websocket(mut config: Config, message: Message, streams: u32) -> Config {
    config.exchange = Exchange::WebSocket(WebSocket {
        opening: Request::get("/chat?room=1"),
        message,
        reply: None,
        streams,
    });
    config
}

/// A call with one message and one reply.
pub fn call(message: Payload, streams: u32) -> Grpc {
    Grpc {
        path: "/echo.Echo/Unary".to_owned(),
        headers: Vec::new(),
        message: message.into(),
        messages: Some(1),
        expect: Expect::default(),
        streams,
    }
}
