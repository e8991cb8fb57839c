//! Whether as many bytes came and went as so many responses and requests must have.

use photofinish_model::Measurement;
use photofinish_voice::checks as found;

use super::outcome::Outcome;

/// What a response must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The message that was sent, of so many bytes.
    Echo {
        /// Its bytes.
        size: u64,
    },
    /// A message over WebSocket.
    Message {
        /// Its bytes.
        bytes: u64,
    },
    /// An HTTP response with a body of so many bytes.
    Body {
        /// Its bytes.
        bytes: u64,
    },
}

/// The shortest head of an HTTP response: it is longer than its status line, and may differ from response to response.
const STATUS_LINE: &str = "HTTP/1.1 200\r\n\r\n";

pub(super) fn bytes(measurement: &Measurement, reply: Option<Reply>) -> Outcome {
    if measurement.errors.values().sum::<u64>() > 0 {
        return Outcome::new(None, found::bytes_of_failed());
    }
    let requests = measurement.requests;
    let (came, went) = (measurement.bytes_in, measurement.bytes_out);
    match reply {
        None => Outcome::new(None, found::bytes_not_stated()),
        Some(Reply::Echo { size }) => {
            let expected = requests.saturating_mul(size);
            Outcome::new(
                came == expected && went == expected,
                found::echo_bytes(requests, size, expected, came, went),
            )
        }
        Some(Reply::Body { bytes }) => at_least(measurement, bytes, STATUS_LINE.len() as u64),
        Some(Reply::Message { bytes }) => at_least(measurement, bytes, frame_head(bytes)),
    }
}

/// Each response has so many bytes, and a head before them.
fn at_least(measurement: &Measurement, body: u64, head: u64) -> Outcome {
    let (requests, came) = (measurement.requests, measurement.bytes_in);
    let least = requests.saturating_mul(body.saturating_add(head));
    Outcome::new(
        came >= least,
        found::body_bytes(requests, body, head, least, came),
    )
}

/// The head of a server's frame with so many bytes (RFC 6455, section 5.2).
fn frame_head(bytes: u64) -> u64 {
    match bytes {
        0..=125 => 2,
        126..=0xffff => 4,
        _ => 10,
    }
}
