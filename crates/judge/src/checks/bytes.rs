//! Whether as many bytes came and went as so many responses and requests must have.

use photofinish_model::Measurement;
use photofinish_model::finding::check::CheckFinding;

use super::outcome::Outcome;

/// What a response must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The message that was sent, of so many bytes.
    Echo {
        /// Its bytes.
        size: u64,
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
        return Outcome::new(None, CheckFinding::BytesOfFailed {});
    }
    let requests = measurement.requests;
    let (came, went) = (measurement.bytes_in, measurement.bytes_out);
    match reply {
        None => Outcome::new(None, CheckFinding::BytesNotStated {}),
        Some(Reply::Echo { size }) => {
            let expected = requests.saturating_mul(size);
            Outcome::new(
                came == expected && went == expected,
                CheckFinding::EchoBytes {
                    requests,
                    size,
                    came,
                    went,
                },
            )
        }
        Some(Reply::Body { bytes: body }) => {
            let head = STATUS_LINE.len() as u64;
            let least = requests.saturating_mul(body.saturating_add(head));
            Outcome::new(
                came >= least,
                CheckFinding::BodyBytes {
                    requests,
                    body,
                    head,
                    came,
                },
            )
        }
    }
}
