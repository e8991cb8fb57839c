//! The least work for each workload of the published studies: what a machine can do, so that every
//! other server's figure has a share of something.
//!
//! One event loop a core, no framework, no task that moves between threads; answers that never vary
//! are put together once. An HTTP request costs one read, one write and a share of one wait; with a
//! database, each twice.

use std::env;
use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::process::ExitCode;
use std::thread;

use rustix::process::{Resource, Rlimit};

mod database;
mod delay;
mod echo;
mod engine;
mod http;
mod json;
mod mariadb;
mod poller;
mod pool;
mod postgres;
mod server;
mod stream;
mod wire;
mod work;

use database::Config;
use echo::Echo;
use engine::Service;
use server::Server;

const USAGE: &str = "use: limit-target HOST PORT [echo]";

fn main() -> ExitCode {
    let Err(why) = start();
    tell(why);
    ExitCode::FAILURE
}

/// Writes a line to standard error.
fn tell(says: impl std::fmt::Display) {
    // Nothing is left to do when even standard error is gone.
    let _ = writeln!(std::io::stderr(), "limit-target: {says}");
}

fn start() -> Result<std::convert::Infallible, String> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (host, port, echo) = match &*arguments {
        [host, port] => (host, port, false),
        [host, port, kind] if kind == "echo" => (host, port, true),
        _ => return Err(USAGE.to_owned()),
    };
    let host: IpAddr = host
        .parse()
        .map_err(|error| format!("the address {host}: {error}; {USAGE}"))?;
    let port: u16 = port
        .parse()
        .map_err(|error| format!("the port {port}: {error}; {USAGE}"))?;
    let address = SocketAddr::new(host, port);
    open_many_files();
    let cores = cores()?;
    if echo {
        return serve(address, (0..cores).map(|_| Echo::new()));
    }
    let config = Config::from_environment();
    // Each loop has connections of its own, so there are no more loops than connections.
    let loops = match config {
        Ok(_) => cores.min(pool::CONNECTIONS),
        Err(_) => cores,
    };
    let servers = (0..loops).map(|at| Server::new(&config, pool::share(at, loops)));
    serve(address, servers)
}

/// Runs each service in a thread of its own, the first in this one.
fn serve<S: Service + Send + 'static>(
    address: SocketAddr,
    services: impl Iterator<Item = S>,
) -> Result<std::convert::Infallible, String> {
    let mut loops = engine::loops(address, services)?;
    for one in loops.drain(1..) {
        thread::spawn(move || {
            let Err(error) = one.run();
            // A server with a loop less would be another server.
            tell(format_args!("an event loop ended: {error}"));
            std::process::exit(1);
        });
    }
    match loops.pop() {
        Some(first) => first
            .run()
            .map_err(|error| format!("an event loop ended: {error}")),
        None => Err("this process may use no core".to_owned()),
    }
}

/// How many cores this process may use, which is how many its lane has.
fn cores() -> Result<usize, String> {
    let set = rustix::thread::sched_getaffinity(None)
        .map_err(|error| format!("ask for the cores that may be used: {error}"))?;
    Ok(set.count() as usize)
}

/// A connection is an open file, and the usual limit of 1,024 is less than a study opens.
fn open_many_files() {
    let limit = rustix::process::getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    // Where it cannot be raised, what does not fit is told when it comes.
    let _ = rustix::process::setrlimit(Resource::Nofile, raised);
}
