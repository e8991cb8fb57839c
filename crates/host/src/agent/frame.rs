//! Frames: how messages travel over a stream of bytes.
//!
//! Both sides first send a greeting whose form never changes: [`MAGIC`], the protocol's number and photofinish's version. Then each
//! message is its length in bytes (four, the lowest first), its postcard encoding and a line end: what carries the bytes may keep them until
//! a line is whole, as `srun` does.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::request::LARGEST_REPLY;

/// What a greeting begins with.
const MAGIC: &[u8; 16] = b"photofinish talk";
/// The protocol's number: it changes whenever a message does.
pub const PROTOCOL: u16 = 23;
/// photofinish's version.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The longest message, in bytes.
const MAX_FRAME_BYTES: usize = 2 * LARGEST_REPLY;

const BAD_ENCODING: postcard::Error = postcard::Error::DeserializeBadEncoding;

/// Why a stream makes no sense.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// It ended.
    #[error("the stream ended")]
    Ended,
    /// The system refused to read or write.
    #[error("{0}")]
    Io(io::Error),
    /// Somebody else speaks.
    #[error("what came is not photofinish's agent: {0}")]
    NotAnAgent(String),
    /// Another photofinish speaks.
    #[error(
        "it is photofinish {theirs} (protocol {protocol}), and this is {VERSION} (protocol {PROTOCOL}); use the same version on both machines"
    )]
    Version {
        /// Its version.
        theirs: String,
        /// Its protocol.
        protocol: u16,
    },
    /// A length that no message has.
    #[error("a message of {0} bytes is longer than any may be ({MAX_FRAME_BYTES})")]
    TooLong(usize),
    /// More requests than are worked on at a time.
    #[error("more than {0} requests have no reply yet")]
    TooMany(usize),
    /// Bytes that are no message.
    #[error("what arrived is not a message: {0}")]
    Garbage(postcard::Error),
}

impl From<io::Error> for FrameError {
    fn from(error: io::Error) -> FrameError {
        match error.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe => FrameError::Ended,
            _ => FrameError::Io(error),
        }
    }
}

/// Says who this is.
pub(crate) fn greet(to: &mut (impl Write + ?Sized)) -> Result<(), FrameError> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&PROTOCOL.to_le_bytes());
    bytes.push(u8::try_from(VERSION.len()).unwrap_or(u8::MAX));
    bytes.extend_from_slice(VERSION.as_bytes());
    to.write_all(&bytes)?;
    Ok(to.flush()?)
}

/// Hears who the other is.
///
/// # Errors
/// If it is somebody else, or another version.
pub(crate) fn meet(from: &mut impl Read) -> Result<(), FrameError> {
    let mut magic = Vec::new();
    // Byte by byte at first, for a shell's complaint may be shorter and never end.
    while magic.len() < MAGIC.len() {
        let mut byte = [0];
        match from.read(&mut byte)? {
            0 if magic.is_empty() => return Err(FrameError::Ended),
            0 => return Err(not_an_agent(&magic)),
            _ => magic.push(byte[0]),
        }
        if !MAGIC.starts_with(&magic) {
            // What is left of its line says more.
            let mut rest = Vec::new();
            while magic.last() != Some(&b'\n') && rest.len() < 200 {
                match from.read(&mut byte)? {
                    0 => break,
                    _ if byte[0] == b'\n' => break,
                    _ => rest.push(byte[0]),
                }
            }
            magic.extend(rest);
            return Err(not_an_agent(&magic));
        }
    }
    let mut protocol = [0; 2];
    from.read_exact(&mut protocol)?;
    let mut length = [0];
    from.read_exact(&mut length)?;
    let mut version = vec![0; length[0].into()];
    from.read_exact(&mut version)?;
    let protocol = u16::from_le_bytes(protocol);
    let theirs = String::from_utf8_lossy(&version).into_owned();
    match protocol == PROTOCOL && theirs == VERSION {
        true => Ok(()),
        false => Err(FrameError::Version { theirs, protocol }),
    }
}

fn not_an_agent(bytes: &[u8]) -> FrameError {
    let text = String::from_utf8_lossy(bytes);
    FrameError::NotAnAgent(format!("\"{}\"", text.trim().escape_debug()))
}

/// Sends a message.
///
/// # Errors
/// If the stream has ended, or the message is longer than any may be.
pub(crate) fn send(
    to: &mut (impl Write + ?Sized),
    message: &impl Serialize,
) -> Result<(), FrameError> {
    // The length is filled in once it is known; one write, so that no half of it waits for the other.
    let mut bytes = postcard::to_extend(message, vec![0; 4]).map_err(FrameError::Garbage)?;
    let length = bytes.len() - 4;
    if length > MAX_FRAME_BYTES {
        return Err(FrameError::TooLong(length));
    }
    bytes[..4].copy_from_slice(&(length as u32).to_le_bytes());
    bytes.push(b'\n');
    to.write_all(&bytes)?;
    Ok(to.flush()?)
}

/// Takes the next message.
///
/// # Errors
/// If the stream has ended or makes no sense.
pub(crate) fn take<T: DeserializeOwned>(from: &mut impl Read) -> Result<T, FrameError> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_FRAME_BYTES {
        return Err(FrameError::TooLong(length));
    }
    let mut bytes = Vec::new();
    // Memory is taken as bytes come, not as a length claims.
    let read = from.take(length as u64).read_to_end(&mut bytes)?;
    if read < length {
        return Err(FrameError::Ended);
    }
    let message = match postcard::take_from_bytes(&bytes) {
        Ok((message, [])) => message,
        Ok(_) => return Err(FrameError::Garbage(BAD_ENCODING)),
        Err(error) => return Err(FrameError::Garbage(error)),
    };
    let mut end = [0];
    from.read_exact(&mut end)?;
    match end {
        [b'\n'] => Ok(message),
        _ => Err(FrameError::Garbage(BAD_ENCODING)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(bytes: &[u8]) -> String {
        meet(&mut &bytes[..]).expect_err("refused").to_string()
    }

    #[test]
    fn two_of_the_same_version_meet() {
        let mut bytes = Vec::new();
        greet(&mut bytes).expect("it is memory");
        assert!(meet(&mut &bytes[..]).is_ok());
        bytes[16] += 1;
        let other = says(&bytes);
        assert!(
            other.contains(&format!("(protocol {PROTOCOL})"))
                && other.contains("use the same version"),
            "{other}"
        );
        assert_eq!(says(&bytes[..10]), says(&bytes[..10]));
        assert!(
            says(b"bash: photofinish: not found\nmore")
                .contains("\"bash: photofinish: not found\"")
        );
        assert_eq!(says(b""), "the stream ended");
    }

    #[test]
    fn messages_come_as_they_were_sent() {
        let mut bytes = Vec::new();
        send(&mut bytes, &(7_u64, "x".to_owned())).expect("it is memory");
        send(&mut bytes, &vec![1_u8; 100_000]).expect("it is memory");
        let mut from = &bytes[..];
        assert_eq!(
            take::<(u64, String)>(&mut from).expect("a message"),
            (7, "x".to_owned())
        );
        assert_eq!(
            take::<Vec<u8>>(&mut from).expect("a message").len(),
            100_000
        );
        assert!(matches!(take::<u8>(&mut from), Err(FrameError::Ended)));
        // Cut anywhere, it is no message.
        for end in 0..10 {
            assert!(take::<(u64, String)>(&mut &bytes[..end.min(6)]).is_err());
        }
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let long = (MAX_FRAME_BYTES as u32 + 1).to_le_bytes();
        assert!(matches!(
            take::<u8>(&mut &long[..]),
            Err(FrameError::TooLong(_))
        ));
        // A length that was claimed and does not come takes no memory.
        let claimed = (MAX_FRAME_BYTES as u32).to_le_bytes();
        assert!(matches!(
            take::<u8>(&mut &claimed[..]),
            Err(FrameError::Ended)
        ));
        let rest = [2, 0, 0, 0, 1, 1];
        assert!(matches!(
            take::<u8>(&mut &rest[..]),
            Err(FrameError::Garbage(_))
        ));
        // No line end where the message has one.
        let run_on = [1, 0, 0, 0, 1, b'x'];
        assert!(matches!(
            take::<u8>(&mut &run_on[..]),
            Err(FrameError::Garbage(_))
        ));
        let cut = [1, 0, 0, 0, 1];
        assert!(matches!(take::<u8>(&mut &cut[..]), Err(FrameError::Ended)));
        let garbage = [3, 0, 0, 0, 0xff, 0xff, 0xff];
        assert!(matches!(
            take::<String>(&mut &garbage[..]),
            Err(FrameError::Garbage(_))
        ));
    }
}
