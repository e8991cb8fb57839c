//! A transport that wraps: after a handshake (`hi`, `ok`) the server's bytes come in records, a byte with the length before up to 100
//! bytes, each with a bit turned. What the client sends has the bit turned too.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::RawFd;
use std::thread;

use photofinish_model::finding::complaint::TlsFailure;

use crate::outcome::ErrorKind;
use crate::socket;
use crate::transport::{Handshake, Transport, Unwrapped};

const TURNED: u8 = 0x80;

#[derive(Debug)]
pub struct Wrapped;

#[derive(Debug)]
pub struct Link {
    open: bool,
    /// The handshake's response, or a record, that is not whole.
    partial: Vec<u8>,
    out: Vec<u8>,
}

impl Transport for Wrapped {
    type Link = Link;

    const WRAPS: bool = true;

    fn link(&mut self) -> Result<Link, TlsFailure> {
        Ok(Link {
            open: false,
            partial: Vec::new(),
            out: b"hi".to_vec(),
        })
    }

    fn is_open(link: &Link) -> bool {
        link.open
    }

    fn handshake(link: &Link) -> Option<Handshake> {
        link.open.then_some(Handshake::Full)
    }

    fn unwrap(
        &mut self,
        link: &mut Link,
        wrapped: &[u8],
        plain: &mut [u8],
    ) -> Result<Unwrapped, (ErrorKind, TlsFailure)> {
        let mut done = Unwrapped::default();
        for byte in wrapped {
            done.used += 1;
            link.partial.push(*byte);
            match link.partial.as_slice() {
                b"no" if !link.open => {
                    return Err((ErrorKind::Malformed, TlsFailure::Offer {}));
                }
                b"ok" if !link.open => {
                    link.open = true;
                    link.partial.clear();
                    break;
                }
                [length, ..] if link.open && *length > 100 => {
                    return Err((ErrorKind::Malformed, TlsFailure::LongMessage {}));
                }
                [length, record @ ..] if link.open && record.len() == usize::from(*length) => {
                    for (to, from) in plain.iter_mut().zip(record) {
                        *to = from ^ TURNED;
                    }
                    done.plain = record.len();
                    link.partial.clear();
                    break;
                }
                _ => {}
            }
        }
        Ok(done)
    }

    fn send(&mut self, link: &mut Link, fd: RawFd, bytes: &[u8]) -> io::Result<usize> {
        link.out.extend(bytes.iter().map(|byte| byte ^ TURNED));
        self.flush(link, fd)?;
        Ok(bytes.len())
    }

    fn keeps(link: &Link) -> bool {
        !link.out.is_empty()
    }

    fn flush(&mut self, link: &mut Link, fd: RawFd) -> io::Result<()> {
        while !link.out.is_empty() {
            match socket::send(fd, &link.out) {
                Ok(sent) => drop(link.out.drain(..sent)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn cut_off(_: &Link) -> Option<(ErrorKind, TlsFailure)> {
        None
    }

    fn close(&mut self, _: &mut Link, _: RawFd) {}
}

#[derive(Clone, Copy, Debug)]
pub enum Server {
    Good,
    /// So many responses, and then a record that is none.
    BreaksAfter(u64),
    Refuses,
}

/// A server of [`Lines`](super::lines::Lines) that wraps what it says.
pub fn serve(server: Server) -> TcpListener {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let ours = listener.try_clone().unwrap();
    // It ends with the test's process.
    thread::spawn(move || {
        for stream in ours.incoming().flatten() {
            thread::spawn(move || speak(stream, server));
        }
    });
    listener
}

/// Reads what the client turned.
struct Turned(TcpStream);

impl Read for Turned {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(into)?;
        into[..read].iter_mut().for_each(|byte| *byte ^= TURNED);
        Ok(read)
    }
}

fn speak(mut stream: TcpStream, server: Server) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.read_exact(&mut [0; 2])?;
    if matches!(server, Server::Refuses) {
        return stream.write_all(b"no");
    }
    // The handshake's response in two pieces.
    stream.write_all(b"o")?;
    stream.write_all(b"k")?;
    let reader = BufReader::new(Turned(stream.try_clone()?));
    let mut responses = 0;
    for line in reader.lines() {
        let line = line?;
        let response = match line.strip_prefix("q ") {
            Some(number) => format!("a {number}\n"),
            None => "welcome\n".to_owned(),
        };
        responses += 1;
        if matches!(server, Server::BreaksAfter(most) if responses > most) {
            return stream.write_all(&[200; 300]);
        }
        // Several records in one piece.
        let mut records = Vec::new();
        for piece in response.as_bytes().chunks(3) {
            records.push(piece.len() as u8);
            records.extend(piece.iter().map(|byte| byte ^ TURNED));
        }
        stream.write_all(&records)?;
    }
    Ok(())
}
