//! A thread for each connection, which blocks.

use std::io::{self, Read, Write};
use std::thread;

use socket2::Socket;

use crate::http::{self, Parsed, Route};
use crate::slower::{Slower, Worker};

/// Enough for a connection's frames, so that thousands of threads fit.
const STACK_BYTES: usize = 128 * 1024;

/// Serves each client by `converse` until accepting breaks.
pub fn serve<E>(
    listener: &Socket,
    converse: impl Fn(Socket) -> Result<(), E> + Clone + Send + 'static,
) -> io::Result<()> {
    loop {
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            // A connection that was gone before it was accepted does not end the server.
            Err(e) if e.kind() == io::ErrorKind::ConnectionAborted => continue,
            Err(e) => return Err(e),
        };
        let spawned = thread::Builder::new()
            .stack_size(STACK_BYTES)
            // A client's going away ends only its own thread.
            .spawn({
                let converse = converse.clone();
                move || drop(converse(stream))
            });
        if let Err(e) = spawned {
            eprintln!("no thread for another connection: {e}");
        }
    }
}

/// Serves one client over HTTP until it goes away.
pub fn converse(mut stream: Socket, slower: Option<Slower>) -> io::Result<()> {
    let mut worker = slower.map(Worker::new);
    let mut input = Vec::with_capacity(1024);
    let mut output = Vec::with_capacity(256);
    let mut chunk = [0; 4096];
    loop {
        let (request, length) = match http::parse(&input) {
            Parsed::Whole { request, length } => (request, length),
            Parsed::Bad => return Ok(()),
            Parsed::Partial => {
                match stream.read(&mut chunk)? {
                    0 => return Ok(()),
                    n => input.extend_from_slice(&chunk[..n]),
                }
                continue;
            }
        };
        input.drain(..length);
        if let Some(worker) = &mut worker {
            worker.request();
        }
        if let Route::Sleep(time) = request.route {
            thread::sleep(time);
        }
        http::respond(request, &mut output, || None);
        stream.write_all(&output)?;
        output.clear();
        if !request.keep_alive {
            return Ok(());
        }
    }
}
